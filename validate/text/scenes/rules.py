"""The rules that read objects, attributes and relations out of a dependency tree.

* Every noun is an object: (girl). A noun before a noun (*tennis* court), an adjective, a numeral, a participle is an attribute:
  (court, tennis), (girl, young), (woman, two), (car, park). A quantity lends itself to what is counted: "a group of men" is
  (man), (man, group).
* A verb with an object is a relation: (man, ride, horse), the other way round in the passive with "by". Without one it is an
  attribute of its subject: (girl, stand). A verb that only introduces another ("wants to eat") is passed over. Infinitives,
  participles and relative clauses have the subject that they are about.
* A preposition relates the noun, or the subject of the verb, that it depends on: (girl, on top of, court); with "have" its object
  ("a room has a table in it").
* "is" with an adjective is an attribute, with a noun a relation: (cat, be, animal). Possession is (boy, have, ball).
* What is joined by "and" or "or" is said of each. What is denied ("not", "no") says nothing; the other nouns of the sentence remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from validate.text.scenes.pronouns import KINDS, antecedent
from validate.text.scenes.words import EMPTY_QUANTITIES, SOMEBODY, Name, denied, in_preposition, of_what

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NOUNS = ("NOUN", "PROPN")
VERBS = ("VERB", "AUX")
NO_OBJECT = ("compound", "npadvmod", "nmod")
DEEPEST = 20  # words explained by words; texts that repeat themselves without end have chains of thousands


def tuples(doc: Doc, name: Name) -> frozenset[tuple[str, ...]]:
    """The tuples of one, two or three words that a parsed text says; ``name`` calls a token by its word."""
    reading = Reading(doc, name)
    reading.read()
    return frozenset(reading.said)


class Reading:
    """One text while it is read: what was said so far, and what each of its words stands for."""

    def __init__(self, doc: Doc, name: Name) -> None:
        self.doc = doc
        self.name = name
        self.said: set[tuple[str, ...]] = set()
        self._roles = roles(doc)
        self.objects = [token for token in doc if self._is_object(token)]
        self._meant: dict[int, list[Token]] = {}
        self._depth = 0

    def read(self) -> None:
        """All tuples of the text."""
        for token in self.objects:
            self.said.add((self.name(token),))
            self._modifiers(token)
            self._owners(token)
        for token in self.doc:
            if token.pos_ in NOUNS or of_what(token) is not None:
                self._around(token)
            if token.pos_ in VERBS and token.dep_ not in ("aux", "auxpass", "amod", "compound") and not denied(token):
                self._predicate(token)

    # What a word stands for

    def _is_object(self, token: Token) -> bool:
        """Whether a token is an object of its own, and no part of a name, a quantity or a preposition."""
        if token.pos_ not in NOUNS and token.lower_ not in SOMEBODY:
            return False
        if self._roles[token.i] in NO_OBJECT or denied(token) or not any(map(str.isalnum, token.text)):
            return False
        if in_preposition(token) is not None or of_what(token) is not None:
            return False
        quantity = token.head.head
        return not (token.dep_ == "pobj" and of_what(quantity) == token and denied(quantity))

    def stands_for(self, token: Token) -> list[Token]:
        """The objects that a word means: itself, what it counts, or what a pronoun points at; none for other words."""
        if token.i not in self._meant:
            self._meant[
                token.i
            ] = []  # what would explain itself means nothing, and so does what is explained too deeply
            if self._depth < DEEPEST:
                self._depth += 1
                self._meant[token.i] = self._look(token)
                self._depth -= 1
        return self._meant[token.i]

    def _look(self, token: Token) -> list[Token]:
        counted = of_what(token)
        if counted is not None:
            return [] if denied(token) else self.each(counted)
        if token.tag_ in ("WDT", "WP", "WP$") or (token.pos_ == "PRON" and token.lower_ == "that"):
            clause = next((above for above in token.ancestors if above.dep_ == "relcl"), None)
            return [] if clause is None else self.stands_for(clause.head)
        if token.pos_ == "PRON" and token.lower_ not in SOMEBODY:
            noun = antecedent(token, self.objects, self.subjects, self.name)
            if noun is None:
                return []
            return self.each(noun) if KINDS[token.lower_] == "they" else self.stands_for(noun)
        return [token] if self._is_object(token) else []

    def each(self, token: Token) -> list[Token]:
        """The objects that a word and those joined to it stand for."""
        found = {noun.i: noun for one in with_joined(token) for noun in self.stands_for(one)}
        return list(found.values())

    # Nouns

    def _modifiers(self, noun: Token) -> None:
        """Attributes that stand beside a noun, or as a quantity before its "of"."""
        for child in noun.children:
            if child.dep_ in ("amod", "nummod", "compound", "nmod"):
                self._attribute([noun], child)
            elif child.dep_ in ("det", "predet") and child.lower_ == "both":
                self.said.add((self.name(noun), "both"))

    def _attribute(self, nouns: list[Token], word: Token) -> None:
        """A word, and those joined to it, as attributes of nouns; with what its prepositions relate them to ("full of people")."""
        for one in with_joined(word, "conj", "compound"):
            if denied(one):
                continue
            self.said.update((self.name(noun), self.name(one)) for noun in nouns)
            for preposition, governed in self.prepositions(one):
                self._relate(nouns, f"{self.name(one)} {preposition}", governed)

    def _owners(self, noun: Token) -> None:
        """Whoever has it."""
        for child in noun.children:
            if child.dep_ == "poss":
                self._relate(self.each(child), "have", [noun])

    def _around(self, token: Token) -> None:
        """The quantity and the prepositions of a noun or quantity."""
        nouns = self.stands_for(token)
        counted = of_what(token)
        if counted is not None and self.name(token) not in EMPTY_QUANTITIES:
            for noun in nouns:
                self.said.add((self.name(noun), self.name(token)))
        for preposition, governed in self.prepositions(token):
            if counted is None or preposition != "of":
                self._relate(nouns, preposition, governed)

    # Verbs

    def subjects(self, verb: Token) -> list[Token]:
        """The objects that a verb is said of: its own subject, or that of the word on which it depends."""
        while True:
            own = [child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass")]
            if own or verb.head == verb or any(child.dep_ == "expl" for child in verb.children):
                return [noun for child in own for noun in self.each(child)]
            head = verb.head.head if verb.dep_ == "pcomp" else verb.head
            if head.pos_ not in (*VERBS, "ADJ", "ADV"):
                return self.stands_for(head)
            objects = self._governed(head, "dobj") if verb.dep_ == "xcomp" else []
            if objects:
                return objects
            verb = head

    def _governed(self, verb: Token, role: str) -> list[Token]:
        """The objects in a role of a verb."""
        return [noun for child in verb.children if child.dep_ == role for noun in self.each(child)]

    def _predicate(self, verb: Token) -> None:
        """What a verb says of its subjects."""
        subjects = self.subjects(verb)
        for child in verb.children:
            if child.dep_ in ("acomp", "oprd") and child.pos_ in ("ADJ", "VERB"):
                self._attribute(self._governed(verb, "dobj") or subjects, child)
        if verb.lemma_ == "be":
            self._relate(subjects, "be", self._governed(verb, "attr"))
        else:
            self._action(verb, subjects)
        self._relate(subjects, "to", [noun for noun in self._governed(verb, "dative") if noun not in subjects])
        placed = self._governed(verb, "dobj") if verb.lemma_ == "have" else subjects
        for preposition, governed in self.prepositions(verb):
            self._relate(placed, preposition, governed)

    def _action(self, verb: Token, subjects: list[Token]) -> None:
        """A verb as a relation to its objects or by its agents, else as an attribute."""
        word = " ".join([self.name(verb), *(str(child.lower_) for child in verb.children if child.dep_ == "prt")])
        objects = self._governed(verb, "dobj") or self._left_out(verb)
        agents = [noun for child in verb.children if child.dep_ == "agent" for noun in self._governed(child, "pobj")]
        self._relate(subjects, word, objects)
        if agents and is_passive(verb):
            self._relate(agents, word, subjects)
        elif not objects and not any(child.dep_ in ("acomp", "xcomp", "dobj", "oprd") for child in verb.children):
            for noun in subjects:
                self.said.add((self.name(noun), word))

    def _left_out(self, verb: Token) -> list[Token]:
        """The noun that a relative clause without a pronoun is about ("the ball the boy throws")."""
        if verb.dep_ != "relcl" or is_passive(verb):
            return []
        if any(word.tag_ in ("WDT", "WP", "WRB") or word.lower_ == "that" for word in verb.subtree):
            return []
        return [noun for noun in self.stands_for(verb.head) if noun not in self.subjects(verb)]

    # Relations

    def prepositions(self, head: Token) -> Iterator[tuple[str, list[Token]]]:
        """Every preposition of a word with the objects that it governs; "next to" and the like count as one."""
        for child in head.children:
            if child.dep_ in ("prep", "dative"):
                yield from self._behind(child, str(child.lower_))
            elif child.dep_ in ("advmod", "acomp") and child.pos_ == "ADV":
                for preposition in child.children:
                    if preposition.dep_ == "prep":
                        yield from self._behind(preposition, f"{child.lower_} {preposition.lower_}")

    def _behind(self, preposition: Token, word: str) -> Iterator[tuple[str, list[Token]]]:
        """What a preposition of one or more words governs."""
        waiting = [(preposition, word)]
        while waiting:
            last, word = waiting.pop()
            for child in last.children:
                of = in_preposition(child) if child.dep_ == "pobj" else None
                if of is not None:
                    waiting.append((of, f"{word} {child.lower_} of"))
                elif child.dep_ == "pobj":
                    yield word, self.each(child)
                elif child.dep_ == "prep":
                    waiting.append((child, f"{word} {child.lower_}"))
                elif child.dep_ == "conj" and child.pos_ == "ADP":
                    waiting.append((child, str(child.lower_)))

    def _relate(self, subjects: list[Token], word: str, objects: list[Token]) -> None:
        """Each of the one to each of the other."""
        for subject in subjects:
            self.said.update((self.name(subject), word, self.name(noun)) for noun in objects if noun != subject)


def roles(doc: Doc) -> dict[int, str]:
    """The role of every token in its sentence; what "and" or "or" joins to a word has its role."""
    found: dict[int, str] = {}
    for token in doc:
        found[token.i] = found.get(token.head.i, token.dep_) if token.dep_ == "conj" else token.dep_
    return found


def with_joined(token: Token, *roles: str) -> Iterator[Token]:
    """A word and those joined to it, and to these, by "and" or "or" (or in other roles)."""
    waiting = [token]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [child for child in one.children if child.dep_ in (roles or ("conj",))]


def is_passive(verb: Token) -> bool:
    """Whether the subject of a verb suffers what it says."""
    while True:
        around = {child.dep_ for child in verb.children}
        if around & {"nsubjpass", "auxpass"}:
            return True
        if verb.tag_ != "VBN" or "nsubj" in around or "aux" in around:
            return False
        if verb.dep_ != "conj" or verb.head.pos_ not in VERBS:
            return True
        verb = verb.head
