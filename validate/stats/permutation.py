"""The permutation test of the difference between two metrics: could it be chance which scores bear which name?

All pairs of metrics and all coefficients meet the same swaps. ``items`` exchanges the two metrics on whole items, for all systems at once,
``systems`` on whole systems, ``both`` on single outputs, as published under that name. The exchange is chance under the null hypothesis only
where that unit is what varies at random: ``both`` takes outputs to be independent of each other given the human scores, and finds differences where there
are none when metrics have systems that they favour.

Studies (of 400, 10 systems x 30 items) of two equally good metrics in which p is at or below 0.05; in *favours* each metric adds to a system
0.7 of what systems differ by, in *uneven* its noise differs from item to item by a factor of 1.6:

======================================  ====  =====  =======
by simulation, %                        both  items  systems
======================================  ====  =====  =======
by item, Spearman                        5.5    5.2      6.8
by item, favours                        16.5   15.8      6.8
by item, uneven                          7.2    5.5      7.7
system level, Pearson                    4.8    2.5      6.2
system level, favours                   48.2   49.0      6.2
======================================  ====  =====  =======

References
----------
Noreen, E. W. (1989). Computer-intensive methods for testing hypotheses, chapter 2.
Deutsch, D., Dror, R., Roth, D. (2021). A statistical analysis of summarization evaluation metrics using resampling methods.
doi:10.1162/tacl_a_00417
Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from validate.errors import OptionError, bad_value, unknown_name
from validate.schema import UNITS, FloatArray, IntArray
from validate.stats._swaps import Bytes
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import refuse_given, settle
from validate.stats.item_swaps import ItemSwaps
from validate.stats.panel import ManyScores, Panel, Scores, panel
from validate.stats.swaps import SCALES, Swaps
from validate.stats.system_swaps import SystemSwaps

LANES = 128  # permutations side by side
_MASKS = 256 * 2**20  # bytes of masks at a time, where there are so many outputs that it matters
_HIT = 100 * float(np.finfo(np.float64).eps)  # of a correlation's scale, which is 1


@dataclass(frozen=True, slots=True)
class Permutations:
    """What the permutation test found for all pairs of metrics.

    Parameters
    ----------
    names : tuple of str
        The metrics; pairs are in the order of ``itertools.combinations``.
    coefficients : tuple of str
    level, grouping, unit : str
    scales : tuple of str
        Of each coefficient, how metrics were brought to one scale.
    differences : (n_coefficients, n_pairs) float64
        First minus second, NaN where one is undefined.
    p : (n_coefficients, n_pairs) float64
        Two-sided, never 0, NaN where the difference is undefined or the unit cannot be swapped.
    n_undefined : (n_coefficients, n_pairs) int64
        Permutations in which a side is undefined; they do not count.
    n_resamples : int
    seed : int or None
    """

    names: tuple[str, ...]
    coefficients: tuple[str, ...]
    level: str
    grouping: str
    unit: str
    scales: tuple[str, ...]
    differences: FloatArray
    p: FloatArray
    n_undefined: IntArray
    n_resamples: int
    seed: int | None

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(combinations(self.names, 2))


def permute(
    metrics: ManyScores,
    human: Scores,
    *,
    coefficients: Sequence[str] = ("spearman",),
    level: str = "item",
    grouping: str | None = None,
    unit: str = "both",
    scale: str | None = None,
    resamples: int = 1000,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> Permutations:
    """Test all pairs of metrics for a difference in how well they agree with people, by swapping their scores.

    Parameters
    ----------
    metrics, human, coefficients, level, grouping, partial, workers
        As in `validate.stats.resample`.
    unit : {"both", "items", "systems"}
        What is swapped at a time: the scores of an output, of all outputs of an item, or of all outputs of a system.
    scale : {"z-score", "rank"}, optional
        Metrics are brought to one scale over the whole matrix before anything is swapped: by mean and standard deviation, as published, or by their ranks,
        which also makes distributions of different shapes alike. Where nothing is said it is ranks for item-level Spearman and Kendall, which ranks
        leave as they are, and mean and standard deviation for all others. At system level with ``unit="systems"`` these are those of the system scores.
    resamples : int
    rng : int or Generator

    Returns
    -------
    Permutations

    Raises
    ------
    AccordError
        For unknown names, shapes that do not fit, infinite scores.

    Notes
    -----
    p = (hits + 1) / (defined permutations + 1), a hit being a difference at least as large in absolute value, up to 100 units of rounding.
    Where one metric is the exponential of what the other is, z-scores make the test of item-level Spearman reject in 1 to 2 % of studies in which it should in
    5 %, ranks in 5 to 6 %. Where only one of two metrics has a score nothing is swapped. A metric of one given score a system takes part with ``unit="systems"`` only. Memory does
    not grow with ``resamples``.

    Examples
    --------
    Three items; swapping none or all of them, 2 of 8 ways, gives a difference of 1 - (-1) again, and no way gives more.

    >>> human = np.arange(12.0).reshape(4, 3)
    >>> test = permute({"right": human, "wrong": -human}, human, unit="items", resamples=999)
    >>> float(test.differences[0, 0]), bool(0.2 < test.p[0, 0] < 0.3)
    (2.0, True)
    """
    who = "permutation"
    listed = [coefficients] if isinstance(coefficients, str) else coefficients
    names = tuple(check_coefficient(who, name) for name in listed)
    level, grouping = settle(who, level, grouping)
    _check(who, names, level, unit, scale, resamples)
    laid = panel(who, metrics, human, partial=partial)
    scales = tuple(scale or ("rank" if level == "item" and name != "pearson" else "z-score") for name in names)
    swaps = swaps_of(laid, names, level, grouping, unit, scales)
    observed = swaps(np.zeros((swaps.n_rows + 1, 1), dtype=np.uint8))[..., 0]
    hits, defined = _count(swaps, observed, resamples, np.random.default_rng(rng), workers or os.cpu_count() or 1)
    some = ~np.isnan(observed) & (defined > 0)
    p = np.where(some, (hits + 1) / (defined + 1), np.nan)
    seed = int(rng) if isinstance(rng, (int, np.integer)) else None
    return Permutations(
        laid.names, names, level, grouping, unit, scales, observed, p, resamples - defined, resamples, seed
    )


def swaps_of(
    laid: Panel, coefficients: Sequence[str], level: str, grouping: str, unit: str, scales: Sequence[str]
) -> Swaps:
    """The differences of that level, grouping and unit as a function of masks; one scale a coefficient."""
    if level == "system":
        return SystemSwaps(laid, coefficients, unit)
    refuse_given(laid)
    return _ItemSwaps(laid, coefficients, grouping, unit, scales)


class _ItemSwaps:
    """Coefficients of different scales under the same masks."""

    def __init__(
        self, laid: Panel, coefficients: Sequence[str], grouping: str, unit: str, scales: Sequence[str]
    ) -> None:
        self.places = {scale: [c for c, own in enumerate(scales) if own == scale] for scale in dict.fromkeys(scales)}
        self.parts = [
            ItemSwaps(laid, [coefficients[c] for c in places], grouping, unit, scale)
            for scale, places in self.places.items()
        ]
        self.n_rows = self.parts[0].n_rows

    def __call__(self, masks: Bytes) -> FloatArray:
        found = np.concatenate([part(masks) for part in self.parts])
        return found[np.argsort(np.concatenate(list(self.places.values())))]


def _check(who: str, coefficients: Sequence[str], level: str, unit: str, scale: str | None, resamples: int) -> None:
    if unit not in UNITS:
        raise unknown_name(who, "unit", str(unit), UNITS)
    if scale is not None and scale not in SCALES:
        raise unknown_name(who, "scale", str(scale), SCALES)
    if scale == "rank" and (level == "system" or "pearson" in coefficients):
        raise OptionError(
            f"{who}: scale='rank' was given; ranks keep only item-level Spearman and Kendall as they are; use scale='z-score'"
        )
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "a positive whole number, 1,000 is usual")


def draw_swaps(n_rows: int, n_lanes: int, rng: np.random.Generator) -> Bytes:
    """(n_rows + 1, n_lanes) masks of 0 and 1, each as likely, drawn for a whole block; the last row is 0."""
    packed = rng.integers(256, size=(n_rows + 1, LANES // 8), dtype=np.uint8)
    packed[-1] = 0
    return np.unpackbits(packed, axis=1, count=n_lanes)


def _count(
    swaps: Swaps, observed: FloatArray, resamples: int, rng: np.random.Generator, workers: int
) -> tuple[IntArray, IntArray]:
    """Hits and defined permutations (n_coefficients, n_pairs), in blocks with streams of their own: who computes a block changes nothing."""
    starts = range(0, resamples, LANES)
    bar = (np.abs(observed) - _HIT)[..., None]

    def block(start: int, stream: np.random.Generator) -> tuple[IntArray, IntArray]:
        found = swaps(draw_swaps(swaps.n_rows, min(LANES, resamples - start), stream))
        return (np.abs(found) >= bar).sum(axis=-1), (~np.isnan(found)).sum(axis=-1)

    abreast = max(1, min(workers, _MASKS // (LANES * (swaps.n_rows + 1))))  # every worker holds the masks of a block
    with ThreadPoolExecutor(abreast) as pool:
        counted = list(pool.map(block, starts, rng.spawn(len(starts))))
    return sum(hits for hits, _ in counted), sum(defined for _, defined in counted)  # type: ignore[return-value]
