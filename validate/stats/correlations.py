"""How far metrics agree with people: correlations and their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from validate.schema import Estimate, FloatArray
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import estimator, settle
from validate.stats.intervals import basic, check_confidence, interval_of, percentile
from validate.stats.panel import ManyScores, Scores, panel
from validate.stats.people import Judgments
from validate.stats.resampling import Replicates, resample
from validate.stats.support import settle_interval
from validate.stats.units import Clusters


def correlation(
    metric: Scores,
    human: Scores,
    *,
    coefficient: str = "spearman",
    level: str = "item",
    grouping: str | None = None,
    partial: str = "judged",
) -> Estimate:
    """How far one metric agrees with human scores, from -1 to 1.

    Parameters
    ----------
    metric, human : (n_systems, n_items) float64, or ScoreMatrix
        NaN where there is no score. Score matrices are aligned by their labels, and when exactly one of the two has ``higher_is_better``
        False its sign is turned, so that a positive correlation always means agreement; an array is taken as it is, higher
        being better. A matrix that carries ``statistics`` is scored at system level by ``divide`` of their sum, not by the mean of its items. A side
        of shape (n_systems, 1) beside one with several items is one given score a system.
    coefficient : {"spearman", "pearson", "kendall"}
        Kendall is tau-b. Scores that agree to 12 significant digits are tied.
    level : {"item", "system"}
    grouping : {"item", "system", "none"}, optional
        At item level: the mean over items of the correlation across systems (what is taken where nothing is said), the mean over systems of
        the correlation across items, or one correlation of all outputs pooled. At system level there is only ``"none"``.
    partial : {"judged", "all"}
        Which items enter a system's score where people judged only some: those where both sides have a score, or on each side all it
        has. The two can differ widely; the default is the first.

    Returns
    -------
    Estimate
        ``n`` pairs entered, ``n_dropped`` were left out because a side is missing. Groups with fewer than two pairs or a constant side have no
        correlation: they are left out of the mean, counted in ``n_undefined`` of ``n_groups`` and explained in ``reason``. NaN when none is left.

    Raises
    ------
    AccordError
        For unknown names, shapes that do not fit, infinite scores.

    References
    ----------
    Deutsch, D., Dror, R., Roth, D. (2021). A statistical analysis of summarization evaluation metrics using resampling methods.
    doi:10.1162/tacl_a_00417

    Examples
    --------
    Three systems, two items; the metric does not tell the systems apart on the first item.

    >>> metric, human = np.array([[1, 1], [1, 2], [1, 3]]), np.array([[1, 1], [2, 3], [3, 2]])
    >>> estimate = correlation(metric, human)
    >>> estimate.value, estimate.n_undefined, estimate.reason  # the second item: ranks 1 2 3 against 1 3 2
    (0.5, 1, '1 of 2 items left out: metric constant in 1')
    """
    who = "correlation"
    level, grouping = settle(who, level, grouping)
    name = check_coefficient(who, coefficient)
    found = estimator(panel(who, {"metric": metric}, human, partial=partial), (name,), level, grouping)
    facts = found.facts()[0]
    return Estimate(
        float(found.point()[0, 0]),
        method=f"{name}, {level} level, grouping {grouping}",
        n=facts.n_pairs,
        n_dropped=facts.n_dropped,
        n_groups=facts.n_groups,
        n_undefined=facts.n_undefined,
        reason=facts.reason,
    )


def bootstrap(
    metrics: ManyScores,
    human: Scores | Judgments,
    *,
    coefficients: Sequence[str] = ("spearman",),
    level: str = "item",
    grouping: str | None = None,
    unit: str = "both",
    clusters: Clusters | None = None,
    resamples: int = 1000,
    interval: str = "auto",
    confidence: float = 0.95,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> pd.DataFrame:
    """Correlations of several metrics with human scores, with intervals.

    Parameters as in `validate.stats.resample`, and ``interval`` and ``confidence`` as in `correlation_rows`, whose frame is returned.

    Examples
    --------
    >>> human = np.array([[1, 2, 3], [2, 3, 4], [3, 4, 5], [5, 5, 5]])
    >>> frame = bootstrap({"twice": 2 * human}, human, coefficients=["pearson"], unit="systems", resamples=100, rng=1)
    >>> print(frame[["metric", "estimate", "low", "high", "unit", "interval"]].to_string(index=False))
    metric  estimate  low  high    unit  interval
     twice       1.0  1.0   1.0 systems corrected
    """
    check_confidence("bootstrap", confidence)
    replicates = resample(
        metrics,
        human,
        coefficients=coefficients,
        level=level,
        grouping=grouping,
        unit=unit,
        clusters=clusters,
        resamples=resamples,
        interval=interval,
        partial=partial,
        rng=rng,
        workers=workers,
    )
    return correlation_rows(replicates, confidence=confidence)


def correlation_rows(replicates: Replicates, *, confidence: float = 0.95, interval: str | None = None) -> pd.DataFrame:
    """One row a metric and coefficient, with the columns of ``correlations.csv`` (the criterion aside) and the name of the interval.

    Parameters
    ----------
    replicates : Replicates
    confidence : float
        Between 0 and 1.
    interval : {"auto", "percentile", "basic", "bca", "corrected", "analytic"}, optional
        See `validate.stats.intervals`; the one that the replicates were drawn for when nothing is said. ``"auto"`` is the one that covers
        best by simulation: ``"corrected"``, but at system level ``"analytic"`` for systems and both and ``"percentile"`` for items.

    Returns
    -------
    DataFrame
        ``metric, level, grouping, coefficient, estimate, low, high, n_systems, n_items, n_groups, n_undefined, unit, interval, resamples, seed, reason``.
        The interval is over the defined replicates; how many are not stands in ``reason``, and so does why another interval stands there than was asked
        for. ``seed`` is missing when a Generator was passed.

    Raises
    ------
    OptionError
        For an unknown interval, and one that needs what these replicates lack.
    """
    who = "correlation_rows"
    check_confidence(who, confidence)
    name = settle_interval(who, interval or replicates.interval, replicates.level, replicates.unit)
    rows = []
    for c, coefficient in enumerate(replicates.coefficients):
        for m, (metric, facts) in enumerate(zip(replicates.names, replicates.facts, strict=True)):
            low, high, told = interval_of(replicates, c, m, name, confidence)
            undefined = int(np.isnan(replicates.values[c, m]).sum())
            missing = f"{undefined:,} of {replicates.n_resamples:,} replicates undefined" if undefined else ""
            rows.append(
                {
                    "metric": metric,
                    "level": replicates.level,
                    "grouping": replicates.grouping,
                    "coefficient": coefficient,
                    "estimate": float(replicates.point[c, m]),
                    "low": low,
                    "high": high,
                    "n_systems": facts.n_systems,
                    "n_items": facts.n_items,
                    "n_groups": facts.n_groups,
                    "n_undefined": facts.n_undefined,
                    "unit": replicates.unit,
                    "interval": name,
                    "resamples": replicates.n_resamples,
                    "seed": replicates.seed,
                    "reason": "; ".join(filter(None, (facts.reason, missing, told))),
                }
            )
    return pd.DataFrame(rows).astype({"seed": "Int64"})


def bounds(estimate: float, draws: FloatArray, confidence: float, interval: str) -> tuple[float, float]:
    """The ends of a percentile or basic interval over the defined draws (n_resamples,); NaN when the estimate or all draws are undefined."""
    low, high, _ = (basic if interval == "basic" else percentile)(estimate, draws, confidence)
    return low, high


def check_interval(who: str, interval: str, confidence: float) -> None:
    """The name of an interval and its level, or the error that says what is allowed."""
    settle_interval(who, interval, "system", "both")
    check_confidence(who, confidence)
