"""Whom a pronoun means: simple rules of nearness and agreement, within one text.

A pronoun means the nearest noun before it that agrees with it; *he* and *she* prefer nouns for people. It means neither a noun of which
it is a part nor the subject of its own verb; but possessives (*his*), reflexives (*himself*) and what stands beside *have* ("a room
has a table in it") mean that subject first. What finds no noun (*I*, *you*, a *she* that opens a text) stands for nothing and makes
no tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from validate.text.scenes.words import word_list

if TYPE_CHECKING:
    from spacy.tokens import Token

KINDS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("it", "its", "itself"), "it"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}

WOMEN = word_list(
    "woman girl lady female mother mom mum daughter sister wife bride grandmother actress waitress queen princess nun aunt"
)
MEN = word_list(
    "man boy guy gentleman male father dad son brother husband groom grandfather waiter king prince uncle policeman fireman "
    "businessman cowboy"
)
PEOPLE = (WOMEN | MEN) | word_list(
    "person child kid baby toddler infant adult teenager player skier surfer snowboarder skateboarder rider driver cyclist worker "
    "chef student teacher officer soldier dancer singer someone somebody everyone everybody"
)
MANY = word_list("people family team crowd group")


def antecedent(
    pronoun: Token, nouns: Sequence[Token], subjects: Callable[[Token], Iterable[Token]], name: Callable[[Token], str]
) -> Token | None:
    """The noun that a pronoun means, or None.

    Parameters
    ----------
    pronoun : Token
    nouns : sequence of Token
        The objects of the text, in its order.
    subjects : callable
        The subjects of a verb.
    name : callable
        What a noun is called.
    """
    kind = KINDS.get(pronoun.lower_)
    if kind is None:
        return None
    verb = _verb(pronoun)
    above = {token.i for token in takewhile(lambda token: token != verb, pronoun.ancestors)}
    fitting = [noun for noun in nouns if noun.i < pronoun.i and noun.i not in above and _agrees(kind, noun, name(noun))]
    own = {token.i for token in subjects(verb)}
    if pronoun.dep_ == "poss" or pronoun.lower_.endswith(("self", "selves")) or verb.lemma_ == "have":
        fitting.sort(key=lambda noun: noun.i in own)  # stable: else in the order of the text
    else:
        fitting = [noun for noun in fitting if noun.i not in own]
    if kind in ("he", "she"):
        fitting.sort(key=lambda noun: name(noun) in PEOPLE)
    return fitting[-1] if fitting else None


def _agrees(kind: str, noun: Token, name: str) -> bool:
    """Whether a noun can be meant by a pronoun of this kind."""
    many = noun.tag_ in ("NNS", "NNPS") or name in MANY
    if kind == "they":
        return many or any(child.dep_ == "conj" for child in noun.children)
    if many:
        return False
    return name not in {"he": WOMEN, "she": MEN, "it": PEOPLE}[kind]


def _verb(token: Token) -> Token:
    """The verb of the clause that a token stands in, or the root where there is none."""
    for head in token.ancestors:
        if head.pos_ in ("VERB", "AUX"):
            return head
    return token.sent.root
