"""What edit distance and longest common subsequence share: a count a pair, by option as a share of the longer text."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import Metric
from validate.metrics._references import best_pair, chosen
from validate.schema import FloatArray, IntArray
from validate.text.corpus import Batch


class SequenceMetric(MeanMetric):
    """A count over two sequences of units. Of several references the best one counts.

    Parameters
    ----------
    unit : {"word", "codepoint", "grapheme"}
    normalize : bool
        Divide by the units of the longer text, which gives 0 to 1.
    """

    checked_against = "rapidfuzz"
    if_both_empty = 0.0

    def __init__(self, *, name: str, unit: str = "word", normalize: bool = False) -> None:
        self.name = name
        self._tokenizer = _options.unit_tokenizer(name, unit)
        self.unit = unit
        self.normalize = _options.yes_or_no(name, "normalize", normalize)
        self.bounds = (0.0, 1.0 if normalize else float("inf"))

    @property
    def options(self) -> Mapping[str, Any]:
        return {"unit": self.unit, "normalize": self.normalize}

    @abc.abstractmethod
    def of_pairs(self, batch: Batch) -> IntArray:
        """(m,) the count of every pair."""

    @abc.abstractmethod
    def _rapidfuzz(self, one: Sequence[str], other: Sequence[str]) -> int:
        """The count by rapidfuzz, for the cross-check."""

    def item_scores(self, batch: Batch) -> FloatArray:
        values = self.of_pairs(batch).astype(np.float64)
        if self.normalize:
            lengths = batch.corpus.encode(self._tokenizer).lengths
            outputs, references = batch.pairs
            longer = np.maximum(lengths[outputs], lengths[references])
            values = np.where(longer > 0, values / np.maximum(longer, 1), self.if_both_empty)
        return chosen(values, best_pair(batch, values if self.higher_is_better else -values))


def rapidfuzz_counts(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item scores and their mean by rapidfuzz, which is given our units."""
    assert isinstance(metric, SequenceMetric)
    best = max if metric.higher_is_better else min
    items = []
    for output, row in zip(outputs, references, strict=True):
        here = metric._tokenizer(output)
        values = []
        for there in map(metric._tokenizer, row):
            count, longer = metric._rapidfuzz(here, there), max(len(here), len(there))
            values.append((count / longer if longer else metric.if_both_empty) if metric.normalize else count)
        items.append(float(best(values)))
    return np.array(items), float(np.mean(items))
