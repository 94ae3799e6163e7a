"""Human scores out of judgments, also when annotators count several times or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from validate.schema import FloatArray, Preferences, Ratings, ScoreMatrix
from validate.stats.grouping import MOST_LANES, estimator
from validate.stats.panel import ManyScores, panel
from validate.stats.support import leave_out

Judgments = Ratings | Preferences


class Panelists:
    """Annotators and what they said: the mean of all ratings of an output, or the share of its comparisons that it won (a tie is half).

    Each judgment counts as often as its annotator.
    """

    def __init__(self, judgments: Judgments) -> None:
        self._judgments = judgments
        if isinstance(judgments, Ratings):
            annotator, system, item, points = judgments.annotator, judgments.system, judgments.item, judgments.score
        else:
            annotator, item = np.tile(judgments.annotator, 2), np.tile(judgments.item, 2)
            system = np.concatenate([judgments.first, judgments.second])
            points = np.concatenate([1 + judgments.outcome, 1 - judgments.outcome]) / 2
        kept = ~np.isnan(points)
        present, self._annotator = np.unique(annotator[kept], return_inverse=True)
        self._cell, self._points = (system * len(judgments.items) + item)[kept], points[kept]
        self.n = len(present)

    def scores(self, counts: FloatArray) -> ScoreMatrix:
        """(n_systems, n_items) when annotator j counts ``counts[j]`` times; NaN where nobody who counts judged."""
        shape = (len(self._judgments.systems), len(self._judgments.items))
        weights = counts[self._annotator]
        mass = np.bincount(self._cell, weights, shape[0] * shape[1])
        total = np.bincount(self._cell, weights * self._points, shape[0] * shape[1])
        values = np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0).reshape(shape)
        higher = self._judgments.higher_is_better if isinstance(self._judgments, Ratings) else True
        return ScoreMatrix("human scores", values, self._judgments.systems, self._judgments.items, higher)


class Annotators:
    """Annotators drawn with replacement: human scores are averaged anew over those who were drawn, systems and items stay.

    Every replicate has other human scores, which are sorted anew; this costs some hundred times as much as a replicate of items.
    """

    axes: tuple[str, ...] = ("annotators",)

    def __init__(
        self,
        metrics: ManyScores,
        people: Panelists,
        partial: str,
        coefficients: Sequence[str],
        level: str,
        grouping: str,
    ) -> None:
        self._metrics, self._people, self._partial = metrics, people, partial
        self._place = (tuple(coefficients), level, grouping)
        self.n_units = {"annotators": people.n}

    def __call__(self, counts: Mapping[str, FloatArray]) -> FloatArray:
        lanes = [self._once(lane) for lane in counts["annotators"].T]
        return np.stack(lanes, axis=-1)

    def without(self, axis: str) -> FloatArray:
        return leave_out(lambda counts: self({axis: counts}), np.arange(self.n_units[axis]), MOST_LANES)

    def _once(self, counts: FloatArray) -> FloatArray:
        """(n_coefficients, n_metrics)."""
        laid = panel("resample", self._metrics, self._people.scores(counts), partial=self._partial)
        return estimator(laid, *self._place).point()
