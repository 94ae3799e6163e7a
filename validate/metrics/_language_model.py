"""Language models over n-grams: uniform, add-k, and interpolated modified Kneser-Ney."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from validate.metrics._ngram_counts import (
    END,
    Stream,
    Table,
    Vocabulary,
    adjusted_counts,
    count_tables,
    n_contexts,
    numbered,
)
from validate.schema import FloatArray, IntArray
from validate.text.encoded import Encoded

Discounts = tuple[float, float, float]
FALLBACK: Discounts = (0.5, 1.0, 1.5)
"""Discounts where a text is too small to estimate them; KenLM's under ``--discount_fallback``."""


class LanguageModel(abc.ABC):
    """Probabilities of tokens after the tokens before them; over a vocabulary they sum to 1 in every context."""

    vocabulary: Vocabulary

    @abc.abstractmethod
    def probabilities(self, stream: Stream) -> FloatArray:
        """(n,) probability of every token of a stream; what stands at ``<s>`` means nothing."""

    def surprise(self, encoded: Encoded, texts: IntArray) -> tuple[FloatArray, IntArray]:
        """(n_texts,) −Σ ln p over the words and ``</s>`` of each text, and how many those are."""
        stream = Stream.of(encoded, texts, self.vocabulary)
        scored = stream.place > 0
        surprise = -np.log(self.probabilities(stream)[scored])
        owner = stream.text[scored]
        return np.bincount(owner, surprise, len(texts)).astype(np.float64), np.bincount(owner, minlength=len(texts))

    def distribution(self, beginning: Sequence[str]) -> FloatArray:
        """(V,) probability of everything that can follow a text that begins so: ``<unk>``, ``</s>``, then the words by number."""
        size = self.vocabulary.size
        row = [self.vocabulary.start, *self.vocabulary.numbers(list(beginning)).tolist(), END]
        tokens = np.tile(np.array(row, dtype=np.int64), (size, 1))
        tokens[:, -1] = np.arange(size)
        place, text = np.tile(np.arange(len(row)), size), np.repeat(np.arange(size), len(row))
        found = self.probabilities(Stream(tokens.reshape(-1), place, text))
        return found.reshape(size, -1)[:, -1]


@dataclass(frozen=True, eq=False)
class Uniform(LanguageModel):
    """1 / V everywhere: its perplexity is V."""

    vocabulary: Vocabulary

    def probabilities(self, stream: Stream) -> FloatArray:
        return np.full(len(stream.tokens), 1.0 / self.vocabulary.size)


class AddK(LanguageModel):
    """(c(h w) + k) / (c(h) + k V), h the last ``order`` − 1 tokens, or those since ``<s>`` where they are fewer."""

    def __init__(self, vocabulary: Vocabulary, stream: Stream, order: int, k: float) -> None:
        self.vocabulary, self._k = vocabulary, k
        self._tables = count_tables(stream, order, vocabulary.size + 1)
        self._totals = [
            table.per_context(table.counts, size)
            for table, size in zip(self._tables, n_contexts(self._tables), strict=True)
        ]

    def probabilities(self, stream: Stream) -> FloatArray:
        result = np.full(len(stream.tokens), np.nan)
        for length, (numbers, context) in enumerate(numbered(stream, self._tables)):
            # The longest context that a token has: others are overwritten by the next length.
            here = stream.place >= max(length, 1)
            seen = _taken(self._tables[length].counts, numbers[here])
            total = _taken(self._totals[length], context[here])
            result[here] = (seen + self._k) / (total + self._k * self.vocabulary.size)
        return result


class KneserNey(LanguageModel):
    """(a(h w) − D) / a(h) + γ(h) p(w | h without its first token), a the adjusted counts; at the bottom 1 / V.

    D depends on a(h w): D₁ for 1, D₂ for 2, D₃ above. γ(h) is what was taken away in h, by a(h). A context that the collection has not
    leaves the shorter one's probability as it is.

    Parameters
    ----------
    discount : float or None
        One D for all counts; None: D₁, D₂ and D₃ by length from how many n-grams have counts of 1 to 4.

    Attributes
    ----------
    discounts : list of (D₁, D₂, D₃), by length
    fallen_back : list of int
        Lengths for which the counts gave no discounts between 0 and the count, so that FALLBACK is used.
    """

    def __init__(self, vocabulary: Vocabulary, stream: Stream, order: int, discount: float | None) -> None:
        self.vocabulary = vocabulary
        self._tables = count_tables(stream, order, vocabulary.size + 1)
        self.discounts: list[Discounts] = []
        self.fallen_back: list[int] = []
        self._kept: list[FloatArray] = []
        self._passed_on: list[FloatArray] = []
        adjusted = adjusted_counts(self._tables)
        for length, counts in enumerate(adjusted, start=1):
            estimated = estimated_discounts(counts) if discount is None else (discount, discount, discount)
            if estimated is None:
                self.fallen_back.append(length)
            self.discounts.append(FALLBACK if estimated is None else estimated)
        for length, size in enumerate(n_contexts(self._tables)):
            self._add_length(self._tables[length], adjusted[length], self.discounts[length], size)

    def _add_length(self, table: Table, adjusted: FloatArray, discounts: Discounts, n_contexts: int) -> None:
        """What is kept of each n-gram's share of its context, and what each context passes on to shorter ones."""
        taken = np.array([0.0, *discounts])[np.minimum(adjusted, 3).astype(np.int64)]
        total = table.per_context(adjusted, n_contexts)
        self._kept.append((adjusted - taken) / np.maximum(total[table.context], 1))
        passed_on = table.per_context(taken, n_contexts) / np.maximum(total, 1)
        self._passed_on.append(np.where(total > 0, passed_on, 1.0))

    def probabilities(self, stream: Stream) -> FloatArray:
        result = np.full(len(stream.tokens), 1.0 / self.vocabulary.size)
        for length, (numbers, context) in enumerate(numbered(stream, self._tables)):
            here = context >= 0
            result[here] *= self._passed_on[length][context[here]]
            result[here] += _taken(self._kept[length], numbers[here])
        return result


def _taken(values: IntArray | FloatArray, numbers: IntArray) -> FloatArray:
    """Values by number, 0 for the number -1."""
    return np.where(numbers >= 0, values[numbers], 0) if len(values) else np.zeros(len(numbers))


def estimated_discounts(counts: FloatArray) -> Discounts | None:
    """D₁, D₂, D₃ by Chen and Goodman (1998), section 3; None where one is undefined, below 0 or above the count it is taken from.

    Y = n₁ / (n₁ + 2 n₂), D_i = i − (i + 1) Y n_{i+1} / n_i.

    >>> [round(discount, 12) for discount in estimated_discounts(np.array([1, 1, 1, 2, 3, 4]))]
    [0.6, 0.2, 0.6]
    """
    n = np.bincount(np.minimum(counts, 5).astype(np.int64), minlength=6)[1:5].tolist()
    if not all(n[:3]):
        return None
    y = n[0] / (n[0] + 2 * n[1])
    first, second, third = (i - (i + 1) * y * n[i] / n[i - 1] for i in (1, 2, 3))
    fine = all(0 <= discount <= i for i, discount in enumerate((first, second, third), start=1))
    return (first, second, third) if fine else None
