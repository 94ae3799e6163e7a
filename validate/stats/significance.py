"""Does one metric agree with people more than another? Differences, tests, and what many tests do to each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from validate.errors import AccordError, ShapeError, unknown_name
from validate.schema import FloatArray
from validate.stats.correlations import bounds, check_interval
from validate.stats.panel import ManyScores, Scores
from validate.stats.resampling import Replicates, resample

TESTS = ("bootstrap",)
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "bh", "by")
UNIT_WORDS = {"items": "items", "systems": "systems", "both": "systems and items"}
_HIT = 2e-12  # replicates are rounded to 12 digits: a difference as large as the observed one up to that is a hit


def compare(
    metrics: ManyScores,
    human: Scores,
    *,
    coefficient: str = "spearman",
    level: str = "item",
    grouping: str | None = None,
    test: str = "bootstrap",
    unit: str = "both",
    resamples: int = 1000,
    adjust: str = "holm",
    confidence: float = 0.95,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> pd.DataFrame:
    """All pairs of metrics: how much more the first agrees with people than the second, and whether that could be chance.

    Parameters as in `validate.stats.resample` and `difference_rows`, whose frame is returned.

    Parameters
    ----------
    test : {"bootstrap"}
        The paired bootstrap: both metrics see the same resampled systems and items.

    Raises
    ------
    AccordError
        For unknown names (a test that does not exist lists those that do), shapes that do not fit, infinite scores.

    Examples
    --------
    >>> human = np.arange(12.0).reshape(4, 3)
    >>> frame = compare({"same": human, "double": 2 * human}, human, level="system", resamples=99)
    >>> print(frame[["metric_a", "metric_b", "difference", "p"]].to_string(index=False))
    metric_a metric_b  difference   p
        same   double         0.0 1.0
    """
    if test not in TESTS:
        raise unknown_name("compare", "test", str(test), TESTS)
    _check_method("compare", adjust)
    check_interval("compare", "percentile", confidence)
    replicates = resample(
        metrics,
        human,
        coefficients=(coefficient,),
        level=level,
        grouping=grouping,
        unit=unit,
        resamples=resamples,
        partial=partial,
        rng=rng,
        workers=workers,
    )
    return difference_rows(replicates, adjust=adjust, confidence=confidence)


def difference_rows(replicates: Replicates, *, adjust: str = "holm", confidence: float = 0.95) -> pd.DataFrame:
    """One row a pair of metrics and coefficient, with the columns of ``significance.csv`` (the criterion aside).

    Parameters
    ----------
    replicates : Replicates
    adjust : {"holm", "bonferroni", "hommel", "bh", "by"}
        Applied over all pairs of one coefficient.
    confidence : float

    Returns
    -------
    DataFrame
        ``level, grouping, coefficient, metric_a, metric_b, difference, low, high, p, p_adjusted, test``. ``difference`` is a minus b, ``low`` and ``high``
        the percentile interval of the paired replicates. NaN where a metric is undefined, which does not count as a test.

    Notes
    -----
    The p-value is two-sided and belongs to the null hypothesis of no difference: replicates scatter around the observed difference as they would
    around zero under the null, so a hit is a replicate at least as far from the observed difference as that is from zero (Hall and
    Wilson 1991), and p = (hits + 1) / (defined replicates + 1) is never 0 (Davison and Hinkley 1997).

    References
    ----------
    Hall, P., Wilson, S. R. (1991). Two guidelines for bootstrap hypothesis testing. Biometrics 47(2). doi:10.2307/2532163
    Davison, A. C., Hinkley, D. V. (1997). Bootstrap methods and their application, section 4.4. doi:10.1017/CBO9780511802843
    """
    _check_method("difference_rows", adjust)
    check_interval("difference_rows", "percentile", confidence)
    frames = []
    for c, coefficient in enumerate(replicates.coefficients):
        rows = [_difference(replicates, c, a, b, confidence) for a, b in combinations(range(len(replicates.names)), 2)]
        frame = pd.DataFrame(rows, columns=["metric_a", "metric_b", "difference", "low", "high", "p"])
        frame.insert(0, "coefficient", coefficient)
        frame["p_adjusted"] = adjust_p(frame["p"].to_numpy(np.float64), method=adjust)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table.insert(0, "grouping", replicates.grouping)
    table.insert(0, "level", replicates.level)
    table["test"] = f"bootstrap over {UNIT_WORDS[replicates.unit]}"
    return table


def _difference(
    replicates: Replicates, c: int, a: int, b: int, confidence: float
) -> tuple[str, str, float, float, float, float]:
    """One pair of metrics: names, difference, its interval and p."""
    difference = float(replicates.point[c, a] - replicates.point[c, b])
    draws = replicates.values[c, a] - replicates.values[c, b]
    low, high = bounds(difference, draws, confidence, "percentile")
    return replicates.names[a], replicates.names[b], difference, low, high, _bootstrap_p(difference, draws)


def _bootstrap_p(difference: float, draws: FloatArray) -> float:
    """(hits + 1) / (defined + 1); NaN when the difference or all draws are undefined."""
    defined = draws[~np.isnan(draws)]
    if np.isnan(difference) or not len(defined):
        return float("nan")
    hits = int((np.abs(defined - difference) >= abs(difference) - _HIT).sum())
    return (hits + 1) / (len(defined) + 1)


def adjust_p(p: ArrayLike, *, method: str = "holm") -> FloatArray:
    """p-values adjusted for how many there are.

    Parameters
    ----------
    p : (n,) float64 in [0, 1]
        NaN is no test: it stays NaN and does not count.
    method : {"holm", "bonferroni", "hommel", "bh", "by"}
        The first three hold the chance of any false rejection; Benjamini-Hochberg and Benjamini-Yekutieli (any dependence) hold the share of
        false ones among the rejections.

    Returns
    -------
    (n,) float64

    Raises
    ------
    AccordError
        For an unknown method, values outside [0, 1], or an array that is not one-dimensional.

    References
    ----------
    Holm (1979), jstor:4615733. Hommel (1988), doi:10.1093/biomet/75.2.383. Wright (1992), doi:10.2307/2532694. Benjamini and
    Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x. Benjamini and Yekutieli (2001), doi:10.1214/aos/1013699998.

    Examples
    --------
    >>> adjust_p([0.01, np.nan, 0.03], method="bh")  # 0.01 * 2 / 1, 0.03 * 2 / 2
    array([0.02,  nan, 0.03])
    """
    _check_method("adjust_p", method)
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ShapeError(
            f"adjust_p: an array of shape {values.shape} was given; (n,) is allowed; adjust one family of tests at a time"
        )
    defined = ~np.isnan(values)
    if ((values[defined] < 0.0) | (values[defined] > 1.0)).any():
        raise AccordError("adjust_p: values outside [0, 1] were given; p-values and NaN are allowed; pass p-values")
    adjusted = np.full(values.shape, np.nan)
    order = np.flatnonzero(defined)[np.argsort(values[defined], kind="stable")]
    if len(order):
        adjusted[order] = np.minimum(_METHODS[method](values[order]), 1.0)
    return adjusted


def _bonferroni(p: FloatArray) -> FloatArray:
    return p * len(p)


def _holm(p: FloatArray) -> FloatArray:
    """Step down: p_(i) times how many are not smaller, never less than before."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Step up: p_(i) n / i, never more than after."""
    n = len(p)
    return np.minimum.accumulate((p * n / np.arange(1, n + 1))[::-1])[::-1]


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    return _benjamini_hochberg(p) * (1.0 / np.arange(1, len(p) + 1)).sum()


def _hommel(p: FloatArray) -> FloatArray:
    """Closed testing with Simes' test: p_(i) is rejected when every set of m hypotheses that holds it is, for all m.

    The worst set of m that holds the i-th are it and the m - 1 largest others. Its Simes value is min_k m p_(k) / k over that set, and
    among the m largest it is the set itself, whichever of them is meant.
    """
    n = len(p)
    adjusted = p.copy()
    for m in range(2, n + 1):
        ranks = np.arange(1, m + 1)
        among_largest = float((m * p[n - m :] / ranks).min())
        outside = np.minimum(m * p[: n - m], float((m * p[n - m + 1 :] / ranks[1:]).min()))
        adjusted[n - m :] = np.maximum(adjusted[n - m :], among_largest)
        adjusted[: n - m] = np.maximum(adjusted[: n - m], outside)
    return adjusted


_METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "hommel": _hommel,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}


def _check_method(who: str, method: str) -> None:
    if method not in _METHODS:
        raise unknown_name(who, "method of adjustment", str(method), _METHODS)
