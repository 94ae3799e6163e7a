"""Metrics whose system score is the mean of the item scores."""

from __future__ import annotations

import abc

import numpy as np

from validate.metrics._metric import Level, Metric
from validate.schema import FloatArray
from validate.text.corpus import Batch


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """numerator / denominator; NaN where the denominator is 0 or NaN.

    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    result = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) > 0)
    return result


class MeanMetric(Metric):
    """A metric that scores each item by itself; its statistics are ``[score, 1]``."""

    @abc.abstractmethod
    def item_scores(self, batch: Batch) -> FloatArray:
        """(n,) scores, NaN where undefined."""

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2): the score and a 1, both NaN where undefined."""
        scores = self.item_scores(batch)
        return np.stack([scores, np.where(np.isnan(scores), np.nan, 1.0)], axis=-1)

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        """Sum of scores by number of items."""
        return ratio(statistics[..., 0], statistics[..., 1])
