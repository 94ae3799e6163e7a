"""Replicates: what the correlations would have been with other items, other systems, or both.

Units are drawn with replacement, as often as there are; a pair counts as often as its item times its system was drawn, and
pairs always stay together. All metrics and coefficients see the same draws, so that differences between metrics are paired.

What an interval answers depends on the unit. ``items``: other texts, the same systems. ``systems``: other systems, the same texts. ``both``:
other systems on other texts (Owen 2007); it is known to be too wide, because resampled systems carry their item noise along and
that noise then counts twice.

References
----------
Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552
Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1(2). doi:10.1214/07-AOAS122
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from validate.errors import bad_value, unknown_name
from validate.schema import UNITS, FloatArray, IntArray
from validate.stats.coefficients import check_coefficient
from validate.stats.facts import Facts
from validate.stats.grouping import MOST_LANES, Estimator, estimator, settle
from validate.stats.panel import ManyScores, Panel, Scores, panel

DECIMALS = 12  # of a replicate: metrics that agree equally well are equal, though one is three times the other


@dataclass(frozen=True, slots=True)
class Replicates:
    """Correlations of several metrics with human scores, and what they become when units are resampled.

    Parameters
    ----------
    names : tuple of str
        The metrics.
    coefficients : tuple of str
    level, grouping, unit : str
    point : (n_coefficients, n_metrics) float64
        NaN where undefined; ``facts`` say why.
    values : (n_coefficients, n_metrics, n_resamples) float64
        NaN in replicates where undefined.
    facts : tuple of Facts
        One a metric: ``n_systems, n_items, n_pairs, n_dropped, n_groups, n_undefined, reason``.
    seed : int or None
        The seed, when that is what was given as ``rng``.
    """

    names: tuple[str, ...]
    coefficients: tuple[str, ...]
    level: str
    grouping: str
    unit: str
    point: FloatArray
    values: FloatArray
    facts: tuple[Facts, ...]
    seed: int | None

    @property
    def n_resamples(self) -> int:
        return int(self.values.shape[-1])

    @property
    def n_undefined_replicates(self) -> IntArray:
        """(n_coefficients, n_metrics)."""
        return np.isnan(self.values).sum(axis=-1)

    def first_shares(self) -> FloatArray:
        """(n_coefficients, n_metrics): in what share of the replicates each metric comes first; a tie for the first place is shared.

        Replicates in which no metric is defined do not count; NaN where there is no other.
        """
        best = np.fmax.reduce(self.values, axis=1, keepdims=True)
        first = self.values == best
        counted = first.any(axis=1).sum(axis=-1)[:, None]
        shares = np.where(first, 1.0 / np.maximum(first.sum(axis=1, keepdims=True), 1), 0.0).sum(axis=-1)
        return np.divide(shares, counted, out=np.full(shares.shape, np.nan), where=counted > 0)


def resample(
    metrics: ManyScores,
    human: Scores,
    *,
    coefficients: Sequence[str] = ("spearman",),
    level: str = "item",
    grouping: str | None = None,
    unit: str = "both",
    resamples: int = 1000,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> Replicates:
    """Correlations of all metrics with human scores under resampling of items, systems or both.

    Parameters
    ----------
    metrics, human
        As in `correlation`; many metrics as a list or dict.
    coefficients : sequence of {"pearson", "spearman", "kendall"}
    level : {"item", "system"}
    grouping : {"item", "system", "none"}, optional
        By item where nothing is said; at system level there is only ``"none"``.
    unit : {"both", "items", "systems"}
    resamples : int
    partial : {"judged", "all"}
        As in `correlation`.
    rng : int or Generator
    workers : int, optional
        Threads; as many as there are processors when not given. Changes no number.

    Returns
    -------
    Replicates

    Raises
    ------
    AccordError
        For unknown names, shapes that do not fit, infinite scores.

    Notes
    -----
    Kendall is tau-b. Copies of a resampled unit are tied with each other. A replicate, or a group within one, in which a side is
    constant is undefined: NaN, and counted. Beyond the returned values, memory does not grow with ``resamples``.
    """
    who = "resample"
    names = tuple(
        check_coefficient(who, name) for name in ([coefficients] if isinstance(coefficients, str) else coefficients)
    )
    level, grouping = settle(who, level, grouping)
    if unit not in UNITS:
        raise unknown_name(who, "unit", str(unit), UNITS)
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "a positive whole number, 1,000 is usual")
    correlations = estimator(panel(who, metrics, human, partial=partial), names, level, grouping)
    values = np.empty((len(names), len(correlations.panel.metrics), resamples))
    _fill(values, correlations, unit, np.random.default_rng(rng), workers or os.cpu_count() or 1)
    return Replicates(
        correlations.panel.names,
        names,
        level,
        grouping,
        unit,
        correlations.point(),
        values,
        correlations.facts(),
        int(rng) if isinstance(rng, (int, np.integer)) else None,
    )


def _fill(values: FloatArray, correlations: Estimator, unit: str, rng: np.random.Generator, workers: int) -> None:
    """Replicates in blocks of a fixed size, each with its own stream of random numbers: who computes a block changes nothing."""
    starts = range(0, values.shape[-1], MOST_LANES)

    def block(start: int, stream: np.random.Generator) -> None:
        stop = min(start + MOST_LANES, values.shape[-1])
        w_items, w_systems = draw_counts(correlations.panel, unit, stop - start, stream)
        values[..., start:stop] = np.round(correlations(w_items, w_systems), DECIMALS)

    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(block, starts, rng.spawn(len(starts))):
            pass


def draw_counts(
    panel: Panel, unit: str, n_lanes: int, rng: np.random.Generator
) -> tuple[FloatArray | None, FloatArray | None]:
    """Multiplicities (n_items, n_lanes) and (n_systems, n_lanes); None for what is not resampled."""
    w_items = None if unit == "systems" else _counts(panel.n_items, rng)[:, :n_lanes]
    w_systems = None if unit == "items" else _counts(panel.n_systems, rng)[:, :n_lanes]
    return tuple(None if counts is None else np.ascontiguousarray(counts) for counts in (w_items, w_systems))  # type: ignore[return-value]


def _counts(n: int, rng: np.random.Generator) -> FloatArray:
    """(n, n_lanes): how often each of n units comes up in n draws, for a whole block, so that more replicates only add to fewer."""
    drawn = rng.integers(max(n, 1), size=(n, MOST_LANES)) * MOST_LANES + np.arange(MOST_LANES)
    return np.bincount(drawn.ravel(), minlength=n * MOST_LANES).reshape(n, MOST_LANES).astype(np.float64)
