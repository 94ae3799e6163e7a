"""The threshold below which differences of a metric had better count as ties: the exact one, over all pairs.

Tying pairs at most so far apart gains those that people see as ties, loses those that people order as the metric does, and
changes nothing for the others. Gains and losses both grow with the threshold, so that between two thresholds no more can be
reached than the accuracy kept at the far one without its losses. That bound parts quadratically many candidates into few stretches
that can hold the maximum and many that cannot; only the former are looked into pair by pair.

References
----------
Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration.
doi:10.18653/v1/2023.emnlp-main.798
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from validate.schema import IntArray
from validate.stats._pair_kernels import Runs, gains_between, near_pairs
from validate.stats.pair_tables import PairTable

FEW_PAIRS = 2**16  # in a stretch that is looked into pair by pair
PARTS = 4  # into which a longer one is cut
WORTH = 1e-12  # smallest difference of accuracy that is one: far less than one pair, more than the rounding of sums


class _Bound(NamedTuple):
    """A threshold: the share of pairs that people and metric order alike, that of common ties, and how many pairs of runs it ties."""

    threshold: float
    alike: float
    tied: float
    n_near: int


class _Best(NamedTuple):
    accuracy: float
    threshold: float


_Stretch = tuple[_Bound, _Bound]


class _Search:
    """Accuracy as a function of the threshold: the mean over groups, in each of which all pairs count alike."""

    def __init__(self, table: PairTable) -> None:
        self.table, self.runs = table, _runs(table)
        n_pairs = table.sizes * (table.sizes - 1) // 2
        some = n_pairs > 0
        self.weights = np.divide(1.0, n_pairs * some.sum(), out=np.zeros(len(n_pairs)), where=some)

    def at(self, threshold: float) -> _Bound:
        alike, _, _, _, tied = self.weights @ self.table.counts(threshold)
        n_near = near_pairs(self.runs, threshold + self.table.slack) if threshold > 0.0 else 0
        return _Bound(threshold, float(alike), float(tied), n_near)

    def best(self, longest: float) -> _Best:
        """The nearest maximum between 0 and the longest distance."""
        nearest, farthest = self.at(0.0), self.at(longest)
        best = _Best(nearest.alike + nearest.tied, 0.0)
        reached = max(best.accuracy, farthest.tied)
        few, many = [], [(nearest, farthest)]
        while many:
            few += [stretch for stretch in many if self._is_short(stretch)]
            cut = [part for stretch in many if not self._is_short(stretch) for part in self._cut(stretch)]
            reached = max([reached, *(far.alike + far.tied for _, far in cut)])
            many = [part for part in cut if _most(part) >= reached - WORTH and part[1].tied > part[0].tied]
        for stretch in sorted(few):
            if _most(stretch) >= reached - WORTH:
                found = self._within(stretch)
                best = found if found.accuracy > best.accuracy + WORTH else best
                reached = max(reached, best.accuracy)
        return best

    def _is_short(self, stretch: _Stretch) -> bool:
        near, far = stretch
        return far.n_near - near.n_near <= FEW_PAIRS or far.threshold - near.threshold <= 4 * self.table.slack

    def _cut(self, stretch: _Stretch) -> list[_Stretch]:
        near, far = stretch
        inner = np.linspace(near.threshold, far.threshold, PARTS + 1)[1:-1]
        bounds = [near, *(self.at(float(threshold)) for threshold in inner), far]
        return list(pairwise(bounds))

    def _within(self, stretch: _Stretch) -> _Best:
        """The nearest maximum in a stretch, its near end aside."""
        near, far = stretch
        slack, rows = self.table.slack, np.empty((far.n_near - near.n_near, 3))
        above = near.threshold + slack if near.threshold > 0.0 else -1.0
        n = gains_between(self.table.points, self.runs, self.weights, above, far.threshold + slack, rows)
        if n == 0:
            return _Best(0.0, 0.0)
        rows = rows[:n]
        distance, gain, loss = rows[np.argsort(rows[:, 0])].T
        ends = np.flatnonzero(np.diff(distance, append=np.inf) > slack)  # equal distances are tied together
        accuracy = near.alike + near.tied + np.cumsum(gain - loss)[ends]
        first = int(np.argmax(accuracy >= accuracy.max() - WORTH))
        return _Best(float(accuracy[first]), float(distance[ends[first]]))


def calibrated_threshold(table: PairTable) -> float:
    """The smallest distance up to which tying pairs gives the highest accuracy, as the mean over groups; 0 when ties do not help.

    Groups count alike whatever their number of pairs. Distances equal up to rounding are one distance. Memory does not grow with the
    number of pairs.
    """
    starts, value = table.points.starts, table.points.value
    some = table.sizes > 0
    longest = float((value[starts[1:][some] - 1] - value[starts[:-1][some]]).max(initial=0.0))
    return _Search(table).best(longest).threshold if longest > 0.0 else 0.0


def _most(stretch: _Stretch) -> float:
    """What cannot be exceeded between two thresholds: the common ties of the far one, the losses of the near one."""
    return stretch[0].alike + stretch[1].tied


def _runs(table: PairTable) -> Runs:
    first = np.flatnonzero(table.points.fresh)
    starts: IntArray = np.append(first, len(table.points.fresh)).astype(np.int64)
    return Runs(starts, np.searchsorted(first, table.points.starts).astype(np.int64), table.points.value[first])
