"""Does one metric agree with people more than another? Differences of all pairs, their intervals, and tests.

The *permutation* test asks whether it could be chance which scores bear which name (`validate.stats.permute`); its interval is the
bootstrap's. The *bootstrap* asks whether zero is among what other systems and items would give. Its plain p counts replicates; over both
axes that counts chance three times and rejects too rarely, so that there p comes from a standard error in which each source counts once
(`validate.stats.intervals`).

Studies (of 400, 10 systems x 30 items) of two equally good metrics in which the p of the bootstrap is at or below 0.05, by simulation: by item,
Spearman, 4.5 to 5.0 % over items and over systems (p is uniform), 1.5 % over both; at system level, Pearson, 0.5 % over systems and 0 % over items and
over both, because a resampled system carries its item noise along. There it misses differences rather than invent them; the permutation test over
systems has the right level (`validate.stats.permutation`).
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from validate.errors import OptionError, unknown_name
from validate.schema import FloatArray
from validate.stats.adjustment import adjust_p, check_adjustment
from validate.stats.intervals import check_confidence, corrected_difference, percentile
from validate.stats.panel import ManyScores, Scores
from validate.stats.permutation import Permutations, permute
from validate.stats.resampling import Replicates, resample
from validate.stats.units import Clusters

TESTS = ("permutation", "bootstrap")
UNIT_WORDS = {"items": "items", "systems": "systems", "both": "systems and items", "annotators": "annotators"}
_COLUMNS = ["metric_a", "metric_b", "difference", "low", "high", "p"]
_HIT = 2e-12  # replicates are rounded to 12 digits: a difference as large as the observed one up to that is a hit


def compare(
    metrics: ManyScores,
    human: Scores,
    *,
    coefficient: str = "spearman",
    level: str = "item",
    grouping: str | None = None,
    test: str = "permutation",
    unit: str = "both",
    clusters: Clusters | None = None,
    scale: str | None = None,
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
    test : {"permutation", "bootstrap"}
        Swapping the scores of two metrics, or the paired bootstrap, in which all metrics see the same resampled systems and items.
    unit : {"both", "items", "systems"}
        What is swapped at a time and what is resampled: see `validate.stats.permute` and `validate.stats.resample`.
    clusters
        For the bootstrap only.
    scale : {"z-score", "rank"}, optional
        For the permutation test only: how metrics are brought to one scale, see `validate.stats.permute`.

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
    if test == "permutation" and clusters is not None:
        raise OptionError(
            "compare: clusters with test='permutation' was given; single items are swapped; use test='bootstrap'"
        )
    check_adjustment("compare", adjust)
    check_confidence("compare", confidence)
    replicates = resample(
        metrics,
        human,
        coefficients=(coefficient,),
        level=level,
        grouping=grouping,
        unit=unit,
        clusters=clusters,
        resamples=resamples,
        interval="corrected" if unit == "both" else "percentile",
        partial=partial,
        rng=rng,
        workers=workers,
    )
    if test == "bootstrap":
        return difference_rows(replicates, adjust=adjust, confidence=confidence)
    permutations = permute(
        metrics,
        human,
        coefficients=(coefficient,),
        level=level,
        grouping=grouping,
        unit=unit,
        scale=scale,
        resamples=resamples,
        partial=partial,
        rng=rng,
        workers=workers,
    )
    return difference_rows(replicates, permutations, adjust=adjust, confidence=confidence)


def difference_rows(
    replicates: Replicates,
    permutations: Permutations | None = None,
    *,
    adjust: str = "holm",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """One row a pair of metrics and coefficient, with the columns of ``significance.csv`` (the criterion aside).

    Parameters
    ----------
    replicates : Replicates
        Of the differences and their intervals, and of p where there are no permutations. Drawn for ``interval="corrected"``, intervals and p
        come from the corrected standard error, else from counting.
    permutations : Permutations, optional
        Of the same metrics, coefficients, level and grouping: p is theirs.
    adjust : {"holm", "bonferroni", "hommel", "bh", "by"}
        Applied over all pairs of one coefficient.
    confidence : float

    Returns
    -------
    DataFrame
        ``level, grouping, coefficient, metric_a, metric_b, difference, low, high, p, p_adjusted, test``. ``difference`` is a minus b, ``low`` and ``high``
        the interval of the paired replicates. NaN where a metric is undefined, which does not count as a test.

    Raises
    ------
    OptionError
        When permutations and replicates are not of the same metrics and coefficients.

    Notes
    -----
    The counted p-value is two-sided and belongs to the null hypothesis of no difference: replicates scatter around the observed difference as they
    would around zero under the null, so a hit is a replicate at least as far from the observed difference as that is from zero (Hall and
    Wilson 1991), and p = (hits + 1) / (defined replicates + 1) is never 0 (Davison and Hinkley 1997).

    References
    ----------
    Hall, P., Wilson, S. R. (1991). Two guidelines for bootstrap hypothesis testing. Biometrics 47(2). doi:10.2307/2532163
    Davison, A. C., Hinkley, D. V. (1997). Bootstrap methods and their application, section 4.4. doi:10.1017/CBO9780511802843
    """
    check_adjustment("difference_rows", adjust)
    check_confidence("difference_rows", confidence)
    _check_same(replicates, permutations)
    frames = []
    for c, coefficient in enumerate(replicates.coefficients):
        rows = [
            (replicates.names[a], replicates.names[b], *_difference(replicates, c, a, b, confidence))
            for a, b in _pairs(replicates)
        ]
        frame = pd.DataFrame(rows, columns=_COLUMNS)
        frame.insert(0, "coefficient", coefficient)
        if permutations is not None:
            frame["p"] = permutations.p[c]
        frame["p_adjusted"] = adjust_p(frame["p"].to_numpy(np.float64), method=adjust)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table.insert(0, "grouping", replicates.grouping)
    table.insert(0, "level", replicates.level)
    table["test"] = _told(replicates, permutations)
    return table


def _told(replicates: Replicates, permutations: Permutations | None) -> str:
    """The test in words."""
    if permutations is not None:
        return f"permutation over {UNIT_WORDS[permutations.unit]}"
    corrected = ", corrected" if replicates.interval == "corrected" else ""
    return f"bootstrap over {UNIT_WORDS[replicates.unit]}{corrected}"


def _pairs(replicates: Replicates) -> list[tuple[int, int]]:
    return list(combinations(range(len(replicates.names)), 2))


def _check_same(replicates: Replicates, permutations: Permutations | None) -> None:
    if permutations is None:
        return
    given = [(r.names, r.coefficients, r.level, r.grouping) for r in (replicates, permutations)]
    if given[0] != given[1]:
        raise OptionError(
            "difference_rows: replicates and permutations of different metrics, coefficients, levels or groupings were given; the same are needed; "
            "pass both what you compare"
        )


class _Difference(NamedTuple):
    """A difference, its interval and its p."""

    value: float
    low: float
    high: float
    p: float


def _difference(replicates: Replicates, c: int, a: int, b: int, confidence: float) -> _Difference:
    """One pair of metrics."""
    value = float(replicates.point[c, a] - replicates.point[c, b])
    draws = replicates.values[c, a] - replicates.values[c, b]
    if replicates.interval == "corrected":
        found = corrected_difference(replicates, c, a, b, confidence)
        if not np.isnan(found.p):
            return _Difference(value, found.low, found.high, found.p)
    low, high, _ = percentile(value, draws, confidence)
    return _Difference(value, low, high, _counted_p(value, draws))


def _counted_p(difference: float, draws: FloatArray) -> float:
    """(hits + 1) / (defined + 1); NaN when the difference or all draws are undefined."""
    defined = draws[~np.isnan(draws)]
    if np.isnan(difference) or not len(defined):
        return float("nan")
    hits = int((np.abs(defined - difference) >= abs(difference) - _HIT).sum())
    return (hits + 1) / (len(defined) + 1)
