"""Pairs of outputs as a table: who is better for the metric, who for people, ties included.

Every coefficient of the Kendall family is a quotient of five counts (Deutsch et al. 2023): pairs that agree, that
disagree, that are tied for people only, for the metric only, and for both. What makes the variants differ is what each does with ties.

References
----------
Macháček, M., Bojar, O. (2014). Results of the WMT14 metrics shared task. doi:10.3115/v1/W14-3336
Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration.
doi:10.18653/v1/2023.emnlp-main.798
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validate.errors import bad_value, unknown_name
from validate.schema import FloatArray, IntArray
from validate.stats._pair_kernels import separated_counts
from validate.stats._pairs import Pairs, Sorted, human_levels, presort, stable_order
from validate.stats._ties import CANCELLED, tie_codes

# What each of (agree, disagree, human tie, metric tie, tie on both) adds above and below the line.
TIE_VARIANTS = {
    "10": ((1, -1, 0, -1, 0), (1, 1, 0, 1, 0)),
    "13": ((1, -1, 0, 0, 0), (1, 1, 0, 0, 0)),
    "14": ((1, -1, 0, 0, 0), (1, 1, 0, 1, 0)),
    "23": ((1, -1, -1, -1, 1), (1, 1, 1, 1, 1)),
}
ACCURACY = ((1, 0, 0, 0, 1), (1, 1, 1, 1, 1))


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs agree, disagree, and are tied for people only, for the metric only, and for both."""

    concordant: int
    discordant: int
    tied_human: int
    tied_metric: int
    tied_both: int

    @property
    def n(self) -> int:
        """All pairs."""
        return self.concordant + self.discordant + self.tied_human + self.tied_metric + self.tied_both

    @property
    def accuracy(self) -> float:
        """The share of pairs that both sides see alike, ties as ties; NaN without any pair."""
        return float(quotient(self._row(), *ACCURACY)[0])

    def kendall(self, variant: str) -> float:
        """One of WMT's variants, ``"10"``, ``"13"``, ``"14"`` or ``"23"``; NaN where no pair enters it."""
        return float(quotient(self._row(), *TIE_VARIANTS[check_variant("PairCounts.kendall", variant)])[0])

    def _row(self) -> IntArray:
        counts = (self.concordant, self.discordant, self.tied_human, self.tied_metric, self.tied_both)
        return np.array([counts], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class PairTable:
    """Outputs in groups, ordered by the metric, with what is needed to count their pairs under any threshold.

    ``points`` are ordered by metric and within ties by human score; ``bounds`` (n_groups + 1,) are those of the human levels, ``level_values``
    (n_levels,) their scores. Scores within ``slack`` of a threshold are at it: two distances that are equal in exact arithmetic are equal.
    """

    points: Sorted
    bounds: IntArray
    level_values: FloatArray
    slack: float
    human_slack: float

    @property
    def sizes(self) -> IntArray:
        """(n_groups,) outputs."""
        return np.diff(self.points.starts)

    def counts(self, threshold: float = 0.0, human_threshold: float = 0.0) -> IntArray:
        """(n_groups, 5) counts in the order of `PairCounts`.

        Pairs are tied for the metric when at most ``threshold`` apart, and for people when tied or less than ``human_threshold`` apart.
        """
        below, above = self._borders(human_threshold)
        separated = np.zeros((len(self.bounds) - 1, 3), dtype=np.int64)
        least = threshold + self.slack if threshold > 0.0 else -1.0  # runs of ties are apart by any distance
        separated_counts(self.points, self.bounds, below, above, least, separated)
        n_pairs = self.sizes * (self.sizes - 1) // 2
        apart = self._apart_for_people(below)
        agree, disagree, tied = separated.T
        return np.stack([agree, disagree, tied, apart - agree - disagree, n_pairs - apart - tied], axis=1)

    def _borders(self, human_threshold: float) -> tuple[IntArray, IntArray]:
        """For each level the end of the levels that are worse and the beginning of those that are better, (n_levels,) each."""
        n_levels = len(self.level_values)
        below, above = np.arange(n_levels), np.arange(1, n_levels + 1)
        if human_threshold > 0.0:
            for low, high in zip(self.bounds[:-1], self.bounds[1:], strict=True):
                values = self.level_values[low:high]
                reach = human_threshold - self.human_slack
                below[low:high] = low + np.minimum(
                    np.searchsorted(values, values - reach, side="right"), below[low:high] - low
                )
                above[low:high] = low + np.maximum(np.searchsorted(values, values + reach), above[low:high] - low)
        return below, above

    def _apart_for_people(self, below: IntArray) -> IntArray:
        """(n_groups,) pairs that are not tied for people."""
        on_level = np.bincount(self.points.level, minlength=len(self.level_values))
        before = np.concatenate([[0], np.cumsum(on_level)])
        begin = np.repeat(before[self.bounds[:-1]], np.diff(self.bounds))
        apart = np.concatenate([[0], np.cumsum(on_level * (before[below] - begin))])
        return np.diff(apart[self.bounds])


def pair_table(pairs: Pairs, metric: FloatArray, human: FloatArray, *, exact: bool = False) -> PairTable:
    """Order the outputs of all groups once; metric and human have shape (n_outputs,) and no NaN."""
    levels = human_levels(pairs, tie_codes(human, exact=exact))
    ascending = stable_order(levels.of_pair)
    there = Pairs(pairs.group[ascending], pairs.row[ascending], pairs.col[ascending], pairs.n_groups)
    human_values = human[ascending]
    in_order = levels._replace(of_pair=levels.of_pair[ascending])
    codes = tie_codes(metric, exact=exact)[ascending]
    points = presort(there, codes, metric[ascending], human_values, in_order)
    first = np.flatnonzero(np.diff(in_order.of_pair, prepend=-1))  # levels are numbered without a gap
    largest, human_largest = (float(np.abs(side).max(initial=0.0)) for side in (metric, human))
    return PairTable(points, levels.bounds, human_values[first], CANCELLED * largest, CANCELLED * human_largest)


def one_group(metric: FloatArray, human: FloatArray, *, exact: bool = False) -> PairTable:
    """All outputs in one group; ``points.col`` says where each was."""
    none: IntArray = np.zeros(len(metric), dtype=np.int64)
    return pair_table(Pairs(none, none, np.arange(len(metric)), 1), metric, human, exact=exact)


def quotient(counts: IntArray, above: tuple[int, ...], below: tuple[int, ...]) -> FloatArray:
    """(n_groups,) counts times ``above`` over counts times ``below``; NaN where that is 0."""
    divisor = counts @ np.array(below)
    return np.divide(counts @ np.array(above), divisor, out=np.full(len(counts), np.nan), where=divisor > 0)


def check_variant(who: str, variant: str) -> str:
    """The name, or the error that lists what there is."""
    if variant not in TIE_VARIANTS:
        raise unknown_name(who, "variant", str(variant), TIE_VARIANTS)
    return variant


def check_threshold(who: str, option: str, threshold: float) -> float:
    """A distance, or the error that says what one is."""
    if not (isinstance(threshold, (int, float, np.integer, np.floating)) and 0.0 <= threshold < np.inf):
        raise bad_value(who, option, threshold, "a number from 0 up, in units of the scores")
    return float(threshold)
