"""Replicates: what the correlations would have been with other items, other systems, or both.

Units are drawn with replacement, as often as there are; a pair counts as often as its item times its system was drawn, and
pairs always stay together. All metrics and coefficients see the same draws, so that differences between metrics are paired.

What an interval answers depends on the unit. ``items``: other texts, the same systems. ``systems``: other systems, the same texts. ``both``:
other systems on other texts (Owen 2007); quantiles of these replicates are too wide, because what is particular to single outputs
varies with either axis and counts three times, and `validate.stats.intervals` mends it. ``annotators``: other people, who judge the same outputs.

References
----------
Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552
Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1(2). doi:10.1214/07-AOAS122
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from validate.errors import OptionError, bad_value, unknown_name
from validate.schema import UNITS, FloatArray, IntArray, Preferences, Ratings
from validate.stats.coefficients import check_coefficient
from validate.stats.facts import Facts
from validate.stats.grouping import LEAST_LANES, MOST_LANES, estimator, settle
from validate.stats.panel import ManyScores, Scores, panel
from validate.stats.people import Annotators, Judgments, Panelists
from validate.stats.support import ALONG_LANES, Support, axes_along, axes_without, settle_interval
from validate.stats.units import Clusters, Crossed, Units, cluster_codes, draw

RESAMPLED = (*UNITS, "annotators")
_HELD = 384 * 2**20  # bytes of multiplicities and of scores' ranks at a time
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
    interval : str
        The interval that they were drawn for; ``support`` is what it needs beside them.
    n_clusters : int or None
        How many clusters of items there are to draw from, where items were drawn in clusters.
    support : Support, optional
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
    interval: str = "percentile"
    n_clusters: int | None = None
    support: Support | None = None

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
    human: Scores | Judgments,
    *,
    coefficients: Sequence[str] = ("spearman",),
    level: str = "item",
    grouping: str | None = None,
    unit: str = "both",
    clusters: Clusters | None = None,
    resamples: int = 1000,
    interval: str = "percentile",
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> Replicates:
    """Correlations of all metrics with human scores under resampling of items, systems, both, or annotators.

    Parameters
    ----------
    metrics, human
        As in `correlation`; many metrics as a list or dict. Ratings or preferences in place of human scores are averaged (the share of
        comparisons won), and are what ``unit="annotators"`` needs.
    coefficients : sequence of {"pearson", "spearman", "kendall"}
    level : {"item", "system"}
    grouping : {"item", "system", "none"}, optional
        By item where nothing is said; at system level there is only ``"none"``.
    unit : {"both", "items", "systems", "annotators"}
    clusters : sequence of str or dict, optional
        What each item belongs to, such as its document: one label an item in the order of the human scores, or a dict from the labels of items. Items
        of a cluster are drawn together, because they are not independent.
    resamples : int
    interval : {"auto", "percentile", "basic", "bca", "corrected", "analytic"}
        What the replicates are for (`correlation_rows`): ``"bca"`` and ``"corrected"`` need correlations with single units left out, and
        ``"corrected"`` over both axes the first 320 replicates of each axis alone as well.
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
        For unknown names, shapes that do not fit, infinite scores, ``clusters`` where no items are drawn, annotators without judgments.

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
    _check(who, unit, clusters, resamples, human)
    interval = settle_interval(who, interval, level, unit)
    people, scores = _judged(human)
    correlations = estimator(panel(who, metrics, scores, partial=partial), names, level, grouping)
    units: Units
    if unit == "annotators" and people is not None:
        units = Annotators(metrics, people, partial, names, level, grouping)
    else:
        codes = None if clusters is None else cluster_codes(who, clusters, correlations.panel, metrics, scores)
        units = Crossed(correlations, unit, codes)
    values = np.empty((len(names), len(correlations.panel.metrics), resamples))
    along = {axis: np.empty((*values.shape[:2], min(resamples, ALONG_LANES))) for axis in axes_along(interval, unit)}
    _fill(values, along, units, np.random.default_rng(rng), workers or os.cpu_count() or 1)
    without = {axis: units.without(axis).round(DECIMALS) for axis in axes_without(interval, unit)}
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
        interval,
        None if clusters is None else units.n_units["items"],
        Support(without, along, units.n_units) if interval in ("bca", "corrected") else None,
    )


def _judged(human: Scores | Judgments) -> tuple[Panelists | None, Scores]:
    """Who judged, where that is known, and the human scores."""
    if not isinstance(human, (Ratings, Preferences)):
        return None, human
    people = Panelists(human)
    return people, people.scores(np.ones(people.n))


def _check(who: str, unit: str, clusters: Clusters | None, resamples: int, human: Scores | Judgments) -> None:
    if unit not in RESAMPLED:
        raise unknown_name(who, "unit", str(unit), RESAMPLED)
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "a positive whole number, 1,000 is usual")
    if clusters is not None and unit not in ("items", "both"):
        raise OptionError(
            f"{who}: clusters with unit={unit!r} were given; clusters are of items; use unit='items' or 'both', or leave them out"
        )
    if unit == "annotators" and not isinstance(human, (Ratings, Preferences)):
        raise OptionError(
            f"{who}: unit='annotators' with human scores was given; scores do not say who gave them; pass Ratings or Preferences, "
            "such as validate.human.ratings(study, criterion)"
        )


def _fill(
    values: FloatArray, along: dict[str, FloatArray], units: Units, rng: np.random.Generator, workers: int
) -> None:
    """Replicates in blocks of a fixed size, each with its own stream of random numbers: who computes a block changes nothing."""
    starts = range(0, values.shape[-1], MOST_LANES)

    def block(start: int, stream: np.random.Generator) -> None:
        stop = min(start + MOST_LANES, values.shape[-1])
        counts = draw(units, stop - start, stream)
        values[..., start:stop] = np.round(units(counts), DECIMALS)
        for axis, alone in along.items():
            if start < alone.shape[-1]:
                alone[..., start:stop] = np.round(units({axis: counts[axis]}), DECIMALS)

    with ThreadPoolExecutor(_abreast(units, workers)) as pool:
        for _ in pool.map(block, starts, rng.spawn(len(starts))):
            pass


def _abreast(units: Units, workers: int) -> int:
    """As many workers as were asked for, but where there are so many units that what each holds would fill the memory."""
    held = 8 * (MOST_LANES * sum(units.n_units.values()) + LEAST_LANES * math.prod(units.n_units.values()))
    return max(1, min(workers, _HELD // max(held, 1)))
