"""How far metrics agree with people: correlations, and their intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from validate.errors import bad_value, unknown_name
from validate.schema import Estimate, FloatArray
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import estimator, settle
from validate.stats.panel import ManyScores, Scores, panel
from validate.stats.resampling import Replicates, resample

INTERVALS = ("percentile", "basic")


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
    human: Scores,
    *,
    coefficients: Sequence[str] = ("spearman",),
    level: str = "item",
    grouping: str | None = None,
    unit: str = "both",
    resamples: int = 1000,
    interval: str = "percentile",
    confidence: float = 0.95,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> pd.DataFrame:
    """Correlations of several metrics with human scores, with bootstrap intervals.

    Parameters as in `validate.stats.resample`, and ``interval`` and ``confidence`` as in `correlation_rows`, whose frame is returned.

    Examples
    --------
    >>> human = np.array([[1, 2, 3], [2, 3, 4], [3, 4, 5], [5, 5, 5]])
    >>> frame = bootstrap({"twice": 2 * human}, human, coefficients=["pearson"], unit="systems", resamples=100, rng=1)
    >>> print(frame[["metric", "estimate", "low", "high", "unit"]].to_string(index=False))
    metric  estimate  low  high    unit
     twice       1.0  1.0   1.0 systems
    """
    check_interval("bootstrap", interval, confidence)
    replicates = resample(
        metrics,
        human,
        coefficients=coefficients,
        level=level,
        grouping=grouping,
        unit=unit,
        resamples=resamples,
        partial=partial,
        rng=rng,
        workers=workers,
    )
    return correlation_rows(replicates, interval=interval, confidence=confidence)


def correlation_rows(replicates: Replicates, *, confidence: float = 0.95, interval: str = "percentile") -> pd.DataFrame:
    """One row a metric and coefficient, with the columns of ``correlations.csv`` (the criterion aside).

    Parameters
    ----------
    replicates : Replicates
    confidence : float
        Between 0 and 1.
    interval : {"percentile", "basic"}
        The quantiles of the replicates, or those mirrored at the estimate.

    Returns
    -------
    DataFrame
        ``metric, level, grouping, coefficient, estimate, low, high, n_systems, n_items, n_groups, n_undefined, unit, resamples, seed, reason``. The
        interval is over the defined replicates; how many are not stands in ``reason``. ``seed`` is missing when a Generator was passed.
    """
    check_interval("correlation_rows", interval, confidence)
    rows = []
    for c, coefficient in enumerate(replicates.coefficients):
        for m, (metric, facts) in enumerate(zip(replicates.names, replicates.facts, strict=True)):
            estimate, draws = float(replicates.point[c, m]), replicates.values[c, m]
            low, high = bounds(estimate, draws, confidence, interval)
            undefined = int(np.isnan(draws).sum())
            told = f"{undefined:,} of {len(draws):,} replicates undefined" if undefined else ""
            rows.append(
                {
                    "metric": metric,
                    "level": replicates.level,
                    "grouping": replicates.grouping,
                    "coefficient": coefficient,
                    "estimate": estimate,
                    "low": low,
                    "high": high,
                    "n_systems": facts.n_systems,
                    "n_items": facts.n_items,
                    "n_groups": facts.n_groups,
                    "n_undefined": facts.n_undefined,
                    "unit": replicates.unit,
                    "resamples": replicates.n_resamples,
                    "seed": replicates.seed,
                    "reason": "; ".join(filter(None, (facts.reason, told))),
                }
            )
    return pd.DataFrame(rows).astype({"seed": "Int64"})


def bounds(estimate: float, draws: FloatArray, confidence: float, interval: str) -> tuple[float, float]:
    """The ends of a bootstrap interval over the defined draws (n_resamples,); NaN when the estimate or all draws are undefined."""
    defined = draws[~np.isnan(draws)]
    if np.isnan(estimate) or not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    if interval == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return float(low), float(high)


def check_interval(who: str, interval: str, confidence: float) -> None:
    """The name of an interval and its level, or the error that says what is allowed."""
    if interval not in INTERVALS:
        raise unknown_name(who, "interval", str(interval), INTERVALS)
    if not 0.0 < confidence < 1.0:
        raise bad_value(who, "confidence", confidence, "a number between 0 and 1, 0.95 is usual")
