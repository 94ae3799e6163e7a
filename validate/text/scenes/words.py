"""What a word of a parsed text is called in a tuple, and the small lists of words that the rules know.

Lists are closed classes (quantities, prepositions of several words, numerals); everything else is left to the parser.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

Name = Callable[["Token"], str]


def word_list(*lines: str) -> frozenset[str]:
    """The words of some lines."""
    return frozenset(" ".join(lines).split())


# "a lot of people", "both of the dogs": what is meant stands behind "of".
QUANTITIES = word_list(
    "lot bunch number couple pair dozen score hundred thousand million plenty ton group crowd herd flock pack handful majority "
    "multitude variety both many several few"
)
# Quantities that say nothing about a picture, and those that deny.
EMPTY_QUANTITIES = word_list("all some each most any either one")
DENIALS = word_list("none neither nobody nothing")

# "on top of": preposition, noun, and what follows it.
COMPLEX = frozenset(
    {
        ("on", "top"), ("at", "top"), ("in", "front"), ("at", "front"), ("in", "back"), ("at", "back"), ("on", "back"),
        ("in", "middle"), ("in", "center"), ("in", "centre"), ("in", "midst"), ("on", "side"), ("by", "side"),
    }
)  # fmt: skip

SOMEBODY = word_list("someone somebody everyone everybody anyone anybody something everything anything")

_NUMERALS = "one two three four five six seven eight nine ten eleven twelve"
NUMERALS = {str(number): word for number, word in enumerate(_NUMERALS.split(), start=1)}

VOWELS = frozenset("aeiou")


def namer(verbs: Collection[str]) -> Name:
    """A function from a token to what it is called in a tuple; ``verbs`` are all verbs that the parser's lemmatizer knows."""

    def name(token: Token) -> str:
        lemma = str(token.lemma_).lower()
        if token.pos_ == "VERB" or token.tag_ in ("VBG", "VBN"):
            return silent_e(str(token.lower_), lemma, verbs)
        return NUMERALS.get(lemma, lemma)

    return name


def silent_e(form: str, lemma: str, verbs: Collection[str]) -> str:
    """The lemma of a verb, its silent e put back where the lemmatizer took it for another verb.

    Short verbs double their last letter before an ending, so that *riding* is of *ride* and *ridding* of *rid*.

    >>> [silent_e(form, "rid", {"rid", "ride"}) for form in ("riding", "rides", "ridding", "rids")]
    ['ride', 'ride', 'rid', 'rid']
    """
    short = len(lemma) > 2 and lemma[-1] not in VOWELS | set("wxy") and lemma[-2] in VOWELS and lemma[-3] not in VOWELS
    if short and form in (f"{lemma}ing", f"{lemma}ed", f"{lemma}es") and f"{lemma}e" in verbs:
        return f"{lemma}e"
    return lemma


def of_what(token: Token) -> Token | None:
    """The noun behind the "of" of a quantity: *people* for *lot* in "a lot of people"; None for what is no quantity."""
    word = str(token.lemma_).lower()
    if token.pos_ != "NUM" and word not in QUANTITIES | EMPTY_QUANTITIES | DENIALS:
        return None
    for child in token.children:
        if child.dep_ == "prep" and child.lower_ == "of":
            return next((governed for governed in child.children if governed.dep_ == "pobj"), None)
    return None


def in_preposition(token: Token) -> Token | None:
    """The "of" behind a noun that is part of a preposition, as *top* in "on top of"; None for other nouns."""
    preposition = token.head
    if token.dep_ != "pobj" or (str(preposition.lower_), str(token.lower_)) not in COMPLEX:
        return None
    if any(child.dep_ not in ("det", "prep") for child in token.children):
        return None
    return next((child for child in token.children if child.dep_ == "prep" and child.lower_ == "of"), None)


def denied(token: Token) -> bool:
    """Whether a "not" or "no" stands before it, before what "or" joins it to, or before the verb that introduces it."""
    while True:
        if any(child.dep_ == "neg" or (child.dep_ == "det" and child.lower_ == "no") for child in token.children):
            return True
        alternative = token.dep_ == "conj" and any(child.lower_ in ("or", "nor") for child in token.head.children)
        if token.dep_ != "xcomp" and not alternative:
            return str(token.lower_) in DENIALS
        token = token.head
