"""Which words match which beyond being equal: their stems, and synonyms as a list of numbers for every number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validate.schema import IntArray

if TYPE_CHECKING:
    from validate.text.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class Relation:
    """For each of n words those that it is related to: word i to ``members[offsets[i]:offsets[i + 1]]``, in rising order.

    Examples
    --------
    >>> relation = Relation.of([{2}, set(), {0}])
    >>> relation.offsets.tolist(), relation.members.tolist()
    ([0, 1, 1, 2], [2, 0])
    """

    offsets: IntArray
    members: IntArray

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> Relation:
        """The relation out of a set for each word."""
        listed = [sorted(row) for row in rows]
        offsets = np.zeros(len(listed) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in listed], out=offsets[1:])
        return cls(offsets, np.array([member for row in listed for member in row], dtype=np.int64))

    @classmethod
    def none(cls, n_words: int) -> Relation:
        """Nothing is related to anything."""
        return cls(np.zeros(n_words + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))


def numbered(words: Sequence[str], rewrite: Callable[[str], str]) -> tuple[IntArray, list[str]]:
    """The number of what each word is rewritten to, and what stands behind each number.

    >>> numbered(["a", "A", "b"], str.lower)
    (array([0, 0, 1]), ['a', 'b'])
    """
    ids: dict[str, int] = {}
    numbers = [ids.setdefault(rewrite(word), len(ids)) for word in words]
    return np.array(numbers, dtype=np.int64), list(ids)


def sharing_a_synset(words: Sequence[str], wordnet: WordNet) -> Relation:
    """Words of which some sense is the same, each in any of its inflected forms."""
    holders: dict[object, list[int]] = {}
    senses = [wordnet.synsets(word) for word in words]
    for number, synsets in enumerate(senses):
        for synset in synsets:
            holders.setdefault(synset, []).append(number)
    return Relation.of(
        {other for synset in synsets for other in holders[synset]} - {number} for number, synsets in enumerate(senses)
    )


def among_the_lemmas(words: Sequence[str], wordnet: WordNet) -> Relation:
    """Words that WordNet spells just so as a one-word lemma of some sense of a word, as NLTK's METEOR looks them up."""
    ids = {word: number for number, word in enumerate(words)}
    return Relation.of(
        {ids[lemma] for lemma in wordnet.synonyms(word) if lemma in ids and "_" not in lemma} - {number}
        for number, word in enumerate(words)
    )
