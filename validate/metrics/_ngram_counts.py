"""The n-grams of a collection of texts as numbered tables, which language models are made of.

A text is one sentence: ``<s>``, its words, ``</s>``. An n-gram is told by the number of the n-gram without its last word and that word, so
that a table of one length is an array of sorted 64-bit keys. ``<s>`` begins contexts and is never predicted, so that the first words
of a text are predicted from contexts that are shorter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from validate.schema import FloatArray, IntArray
from validate.text.encoded import Encoded

UNKNOWN, END = 0, 1
"""Numbers of ``<unk>``, which stands for every word outside the vocabulary, and of ``</s>``; the words of the texts follow."""


class Vocabulary:
    """What can be predicted: the words that a collection has at least ``min_count`` times, ``</s>`` and ``<unk>``.

    >>> words = Vocabulary(Encoded.of([["a", "b", "a"]]), np.array([0]), 2)
    >>> words.size, words.numbers(["a", "b"]).tolist()
    (3, [2, 0])
    """

    def __init__(self, encoded: Encoded, texts: IntArray, min_count: int) -> None:
        places, _ = _spans(encoded, texts)
        counts = np.bincount(encoded.tokens[places], minlength=len(encoded.types))
        kept = [word for word, count in zip(encoded.types, counts.tolist(), strict=True) if count >= min_count]
        self._numbers = {word: number for number, word in enumerate(kept, start=2)}

    @property
    def size(self) -> int:
        """V: how many different tokens can be predicted."""
        return len(self._numbers) + 2

    @property
    def start(self) -> int:
        """Number of ``<s>``, after all that can be predicted."""
        return self.size

    def numbers(self, words: list[str]) -> IntArray:
        """(n,) numbers of words."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Texts as one array of tokens, ``<s>`` before and ``</s>`` after each.

    Parameters
    ----------
    tokens : (n,) int64
    place : (n,) int64
        Tokens since ``<s>``, which is at place 0.
    text : (n,) int64
        Position of the text in the list that was laid out.
    """

    tokens: IntArray
    place: IntArray
    text: IntArray

    @classmethod
    def of(cls, encoded: Encoded, texts: IntArray, vocabulary: Vocabulary) -> Stream:
        """The texts of these ids, one after the other."""
        numbers = vocabulary.numbers(encoded.types)
        places, lengths = _spans(encoded, texts)
        ends = np.cumsum(lengths + 2)
        starts = ends - lengths - 2
        tokens = np.full(int((lengths + 2).sum()), END, dtype=np.int64)
        tokens[starts] = vocabulary.start
        inner = np.ones(len(tokens), dtype=bool)
        inner[starts], inner[ends - 1] = False, False
        tokens[inner] = numbers[encoded.tokens[places]]
        text = np.repeat(np.arange(len(texts)), lengths + 2)
        return cls(tokens, np.arange(len(tokens)) - starts[text], text)


def _spans(encoded: Encoded, texts: IntArray) -> tuple[IntArray, IntArray]:
    """Where the tokens of these texts stand in ``encoded.tokens``, and how many each text has."""
    lengths = encoded.lengths[texts]
    before = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(encoded.offsets[:-1][texts] - before, lengths)
    return places, lengths


@dataclass(frozen=True, eq=False)
class Table:
    """The n-grams of one length in a collection, numbered in the order of their keys.

    Parameters
    ----------
    keys : (m,) int64
        Number of the n-gram without its last word, times ``width``, plus the last word.
    counts : (m,) int64
        How often each occurs.
    suffix : (m,) int64
        Number of the n-gram without its first word.
    begins : (m,) bool
        Whether it begins with ``<s>``.
    width : int
        Different tokens, ``<s>`` among them.
    """

    keys: IntArray
    counts: IntArray
    suffix: IntArray
    begins: IntArray
    width: int

    @cached_property
    def context(self) -> IntArray:
        """(m,) number of the n-gram without its last word."""
        return self.keys // self.width

    def per_context(self, values: IntArray | FloatArray, n_contexts: int) -> FloatArray:
        """(n_contexts,) sums of (m,) values over the n-grams of each context."""
        return np.bincount(self.context, values, n_contexts).astype(np.float64)

    def find(self, keys: IntArray) -> IntArray:
        """Numbers of n-grams by their keys, -1 for those that the collection has not."""
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.int64)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[found] == keys, found, -1)


def count_tables(stream: Stream, order: int, width: int) -> list[Table]:
    """Tables of the n-grams of length 1 to ``order``; that of length 1 has an entry for every token, in their order."""
    every = np.arange(width)
    counts = np.bincount(stream.tokens[stream.place > 0], minlength=width)
    tables = [Table(every, counts, np.zeros(width, dtype=np.int64), every == width - 1, width)]
    numbers = stream.tokens
    for length in range(2, order + 1):
        ending = np.flatnonzero(stream.place >= length - 1)
        keys, first, inverse, counts = np.unique(
            numbers[ending - 1] * width + stream.tokens[ending],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        shown = ending[first]
        tables.append(Table(keys, counts, numbers[shown], stream.place[shown] == length - 1, width))
        numbers = np.full(len(stream.tokens), -1, dtype=np.int64)
        numbers[ending] = inverse
    return tables


def n_contexts(tables: list[Table]) -> list[int]:
    """How many contexts there can be for each length: the n-grams one shorter, and the empty one."""
    return [1, *(len(table.keys) for table in tables[:-1])]


def numbered(stream: Stream, tables: list[Table]) -> list[tuple[IntArray, IntArray]]:
    """For each length the numbers of the n-gram that ends at a token and of its context, -1 where there is none.

    For length 1 the context is the empty one, number 0.
    """
    found = [(stream.tokens, np.zeros(len(stream.tokens), dtype=np.int64))]
    for length, table in enumerate(tables[1:], start=2):
        numbers = np.full(len(stream.tokens), -1, dtype=np.int64)
        context = np.full(len(stream.tokens), -1, dtype=np.int64)
        context[1:] = np.where(stream.place[1:] >= length - 1, found[-1][0][:-1], -1)
        known = np.flatnonzero(context >= 0)
        numbers[known] = table.find(context[known] * table.width + stream.tokens[known])
        found.append((numbers, context))
    return found


def adjusted_counts(tables: list[Table]) -> list[FloatArray]:
    """Counts as Kneser and Ney take them: below the longest length, by how many different tokens an n-gram is preceded.

    An n-gram that begins with ``<s>`` is preceded by nothing and keeps its count, as in KenLM; ``<s>`` itself is never predicted and
    has none.
    """
    adjusted = []
    for table, longer in pairwise(tables):
        preceded = np.bincount(longer.suffix, minlength=len(table.keys))
        adjusted.append(np.where(table.begins, table.counts, preceded).astype(np.float64))
    return [*adjusted, tables[-1].counts.astype(np.float64)]
