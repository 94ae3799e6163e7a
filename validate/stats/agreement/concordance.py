"""Kendall's W: how far several raters rank the same units alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from validate.errors import OptionError, plural, unknown_name
from validate.schema import Estimate, FloatArray, IntArray
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.judgments import Judgments, Values, judgments
from validate.stats.agreement.units import column_sums
from validate.stats.coefficients import spearman

Missing = Literal["units", "raters", "pairwise", "error"]


def kendall_w(
    values: Values,
    *,
    missing: Missing = "units",
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Kendall's W = 12 S / (m² (n³ - n) - m Σ T), S the squares of the rank sums of n units around their mean.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers, which each of the m raters ranks from low to high; equal ones share their mean rank, and T = Σ (t³ - t) over a
        rater's groups of t equal values corrects for them. NaN or None where a rater did not judge.
    missing : {"units", "raters", "pairwise", "error"}
        What to do where cells are empty: keep the units that every rater judged; keep the raters who judged every unit that
        anyone judged; take W = (1 + (m - 1) ρ̄) / m out of the mean Spearman correlation ρ̄ of pairs of raters, each over the
        units that both judged, leaving out and counting (``n_undefined``) pairs without one; or raise.
    interval : {"bootstrap", "percentile", "analytic"} or None
        For the population of units, which are ranked anew in each replicate: bias-corrected accelerated bootstrap,
        percentile bootstrap, or Student's t for log(1 - W) with the infinitesimal jackknife. Under ``"pairwise"`` there is none.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        Between 0 and 1, which is the same order by everybody; for m raters who rank at random 1 / m on average. ``n`` counts
        the units that were ranked, ``n_dropped`` the other units. NaN with a reason when fewer than two raters or units are
        left, or when no rater tells units apart.

    Raises
    ------
    OptionError
        For labels, for an unknown rule, and under ``"error"`` when a cell is empty.

    Notes
    -----
    Without ties the mean Spearman correlation gives W exactly, with ties nearly.

    Coverage of nominal 95 % intervals, by simulation (4 and 10 raters, rounded normal scores, W 0.60 and 0.52, 600 to 1,000
    studies each): at 50 units BCa 92 to 93 %, percentile 91 to 93 %, analytic 93 %; at 150 units all 94 %.

    References
    ----------
    M. G. Kendall, B. Babington Smith (1939). The problem of m rankings. Annals of Mathematical Statistics 10, 275–287.
    doi:10.1214/aoms/1177732186. M. G. Kendall (1948). Rank Correlation Methods, ch. 6, with ties.

    Examples
    --------
    Three raters, three units; rank sums 4, 5, 9 around 6: S = 4 + 1 + 9.

    >>> round(kendall_w([[1, 2, 3], [1, 2, 3], [2, 1, 3]], interval=None).value, 4)  # 12 * 14 / (9 * 24)
    0.7778
    """
    who = "kendall_w"
    if missing not in get_args(Missing):
        raise unknown_name(who, "rule for missing judgments", str(missing), get_args(Missing))
    given = judgments(who, values)
    if np.isnan(given.values).any():
        raise OptionError(f"{who}: the values are labels; numbers are allowed, which have an order; give numbers")
    judged = _kept(who, given, missing)
    table = _Rankings(judged, given.n_units - judged.shape[1])
    coefficient = Coefficient(
        "Kendall W", table, table.value, table.influence, "no rater tells the units apart", skewed=True,
        nothing="fewer than two raters or units without missing judgments; missing='pairwise' needs no complete ones",
    )  # fmt: skip
    if missing == "pairwise" and np.isnan(judged).any():
        return _by_pairs(table, confidence)
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def _kept(who: str, given: Judgments, missing: str) -> FloatArray:
    """(n_raters, n_units) scores of the raters and units that the rule keeps; NaN only under "pairwise"."""
    names, rater = np.unique(given.annotator, return_inverse=True)
    units, unit = np.unique(given.unit, return_inverse=True)
    empty = given.n_annotators * given.n_units - len(unit)
    if missing == "error" and empty:
        raise OptionError(
            f"{who}: {empty:,} of {given.n_annotators * given.n_units:,} cells are empty and missing='error'; choose 'units', 'raters' or 'pairwise', or fill them"
        )
    kept = np.ones(len(unit), bool)
    if missing == "units":
        kept = np.bincount(unit)[unit] == len(names)
    if missing == "raters":
        kept = np.bincount(rater)[rater] == len(units)
    _, rater = np.unique(rater[kept], return_inverse=True)
    _, unit = np.unique(unit[kept], return_inverse=True)
    judged = np.full((int(rater.max(initial=-1)) + 1, int(unit.max(initial=-1)) + 1), np.nan)
    judged[rater, unit] = given.values[given.category[kept]]
    return judged


@dataclass(frozen=True, slots=True, eq=False)
class _Rankings:
    """(n_raters, n_units) scores as a function of how often each unit occurs."""

    judged: FloatArray
    n_dropped: int

    @property
    def multiplicity(self) -> IntArray:
        return np.ones(self.judged.shape[1], np.int64)

    @property
    def n_pairable(self) -> int:
        return self.judged.shape[1] if min(self.judged.shape) > 1 else 0

    @property
    def width(self) -> int:
        return self.judged.shape[1]

    def value(self, drawn: FloatArray) -> FloatArray:
        """12 S / (m² (n³ - n) - m Σ T)."""
        sums, ties = self._rank_sums(drawn)
        squares, room = self._parts(drawn, sums, ties)
        return np.divide(12 * squares, room, out=np.full(len(room), np.nan), where=room > 0)

    def _parts(self, drawn: FloatArray, sums: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
        """S and what 12 S is divided by; rank sums are around m n / 2 + m / 2, their mean."""
        m, n = len(self.judged), column_sums(drawn)
        return column_sums(drawn * (sums - m * (n + 1) / 2) ** 2), m**2 * (n**3 - n) - m * ties

    def _rank_sums(self, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(n_units, b) sums of midranks over raters and (b,) Σ T."""
        sums, ties = np.zeros_like(drawn), np.zeros(drawn.shape[1])
        for scores in self.judged:
            level, size = _levels(scores, drawn)
            sums += (np.cumsum(size, axis=0) - (size - 1) / 2)[level]
            ties += column_sums(size**3 - size)
        return sums, ties

    def influence(self) -> FloatArray:
        """(n_units,) derivative of W: a unit adds its own square, and lifts the ranks of the units above it by 1, of its equals by 1/2."""
        ones = np.ones((self.judged.shape[1], 1))
        sums, ties = self._rank_sums(ones)
        squares, room = self._parts(ones, sums, ties)
        m, n = self.judged.shape
        around = sums[:, 0] - m * (n + 1) / 2
        to_squares, to_ties = around**2, np.zeros(n)
        for scores in self.judged:
            level, size = _levels(scores, ones)
            pull = np.bincount(level, around)
            above = pull[::-1].cumsum()[::-1] - pull / 2
            to_squares += 2 * above[level]
            to_ties += (3 * size[:, 0] ** 2 - 1)[level]
        to_room = m**2 * (3 * n**2 - 1) - m * to_ties
        return 12 * (to_squares - squares[0] / room[0] * to_room) / room[0]


def _levels(scores: FloatArray, drawn: FloatArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Each unit's place among the distinct scores, and how many were drawn of each: (n_units,) and (n_levels, b)."""
    _, level = np.unique(scores, return_inverse=True)
    order = np.argsort(level, kind="stable")
    start = np.flatnonzero(np.diff(level[order], prepend=-1))
    return level, np.add.reduceat(drawn[order], start, axis=0)


def _by_pairs(table: _Rankings, confidence: float) -> Estimate:
    """(1 + (m - 1) ρ̄) / m, ρ̄ the mean Spearman correlation of the pairs of raters for whom it is defined."""
    m = len(table.judged)
    pairs = [(one, other) for one in range(m) for other in range(one + 1, m)]
    found = np.array([spearman(table.judged[one], table.judged[other]).value for one, other in pairs])
    defined = found[~np.isnan(found)]
    undefined = len(found) - len(defined)
    return Estimate(
        (1 + (m - 1) * float(defined.mean())) / m if len(defined) else np.nan,
        confidence_level=confidence,
        method="Kendall W out of the mean Spearman correlation of pairs of raters",
        n=table.judged.shape[1],
        n_dropped=table.n_dropped,
        reason=f"{plural(undefined, 'pair')} of raters of {len(found):,} without a correlation left out"
        if undefined
        else "",
        n_groups=len(defined),
        n_undefined=undefined,
    )
