"""What the error rates share: counts of a pair, the reference that counts, and what an empty reference means."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from validate.errors import AccordError, listed, plural
from validate.metrics import _options
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen
from validate.schema import Fact, FloatArray, IntArray
from validate.text import alignment
from validate.text.corpus import Batch
from validate.text.tokenizers import Tokenizer

EMPTY_REFERENCE = ("insertions", "nan", "error")
TOKENIZERS = ("whitespace", "jiwer")  # that cut words


class ErrorRate(Metric):
    """A rate out of counts over pairs of output and reference; a corpus adds up the counts and divides once.

    Of several references the one with the best rate counts, the first of equals.

    Parameters
    ----------
    empty_reference : {"insertions", "nan", "error"}
        A reference without units has no rate. "insertions": what jiwer takes for it, the number of insertions for `wer` and
        `cer`; `mer`, `wil` and `wip` take all of a longer output for wrong, and an empty one for right. "nan": such a
        reference is passed over, and an item that has no other is undefined. "error": refused.
    """

    higher_is_better: ClassVar[bool] = False
    checked_against = "jiwer"
    of_empty: ClassVar[str]

    def __init__(self, name: str, tokenizer: Tokenizer, empty_reference: str) -> None:
        self.name = name
        self.empty_reference = _options.one_of(name, "empty_reference", empty_reference, EMPTY_REFERENCE)
        self._tokenizer = tokenizer

    @abc.abstractmethod
    def pair_counts(self, batch: Batch) -> IntArray:
        """(m, k) counts of every pair."""

    @abc.abstractmethod
    def rate(self, counts: FloatArray) -> FloatArray:
        """(…) rates out of (…, k) counts of pairs or of corpora; NaN in, NaN out."""

    @abc.abstractmethod
    def _rate(self, references: Sequence[str], outputs: Sequence[str]) -> float:
        """The rate by jiwer, for the cross-check."""

    def count(self, batch: Batch) -> FloatArray:
        """(n, k) counts of each output with its best reference."""
        units = batch.corpus.encode(self._tokenizer).lengths[batch.references]
        if self.empty_reference == "error":
            self._refuse_empty(batch)
        counts = self.pair_counts(batch).astype(np.float64)
        worth = self.rate(counts) if self.higher_is_better else -self.rate(counts)
        if self.empty_reference == "nan":
            worth[units == 0] = -np.inf
        best = best_pair(batch, worth)
        statistics = chosen(counts, best)
        if self.empty_reference == "nan":
            statistics[chosen(units, best) == 0] = np.nan
        return statistics

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return self.rate(statistics)

    def _empty_references(self, batch: Batch) -> IntArray:
        """(n,) how many references of each row are empty."""
        empty = batch.corpus.encode(self._tokenizer).lengths[batch.references] == 0
        rows = np.repeat(np.arange(len(batch)), batch.n_references)
        return np.bincount(rows[empty], minlength=len(batch))

    def _refuse_empty(self, batch: Batch) -> None:
        rows = np.flatnonzero(self._empty_references(batch)).tolist()
        if rows:
            raise AccordError(
                f"{self.name}: an empty reference was given in {plural(len(rows), 'row')} ({listed(rows)}); references with at least "
                "one unit are allowed under empty_reference='error'; leave them out, or use 'insertions' or 'nan'"
            )

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many items have only empty references, and what that means for them."""
        empty = self._empty_references(batch)
        n_only = int(((empty > 0) & (empty == batch.n_references)).sum())
        if not n_only:
            return []
        meaning = "undefined" if self.empty_reference == "nan" else self.of_empty
        text = f"{self.name}: {plural(n_only, 'item')} with only empty references: {meaning}"
        return [Fact("empty-references", n_only, text)]


class EditRate(ErrorRate):
    """Fewest insertions, deletions and substitutions by units of the reference; 0 and up, lower is better.

    Rates above 1 are right: an output can hold more mistakes than the reference has words.
    """

    bounds = (0.0, float("inf"))
    of_empty = "scored by their number of insertions"

    def pair_counts(self, batch: Batch) -> IntArray:
        """(m, 2): edits and units of the reference."""
        units = batch.corpus.encode(self._tokenizer).lengths[batch.references]
        return np.stack([alignment.edit_distances(batch, self._tokenizer), units], axis=-1)

    def rate(self, counts: FloatArray) -> FloatArray:
        edits, units = counts[..., 0], counts[..., 1]
        return np.where(units == 0, edits, ratio(edits, units))


def jiwer_rates(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item rates and the pooled rate by jiwer, each item against the reference with the best rate."""
    assert isinstance(metric, ErrorRate)
    best = np.argmax if metric.higher_is_better else np.argmin
    items, kept = [], []
    for output, row in zip(outputs, references, strict=True):
        usable = [text for text in row if metric.empty_reference == "insertions" or metric._tokenizer(text)]
        rates = [metric._rate([text], [output]) for text in usable]
        items.append(rates[best(rates)] if rates else float("nan"))
        if rates:
            kept.append((usable[best(rates)], output))
    corpus = metric._rate(*map(list, zip(*kept, strict=True))) if kept else float("nan")
    return np.array(items), corpus
