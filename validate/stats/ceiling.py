"""The human ceiling: how well one annotator agrees with the others, on the same footing as a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from validate.errors import OptionError, bad_value, listed, unknown_name
from validate.schema import Estimate, FloatArray, IntArray, Preferences, Ratings
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import Estimator, estimator, settle
from validate.stats.multinomial import resampled_counts
from validate.stats.panel import panel

Interval = Literal["bootstrap"]


def noise_ceiling(
    judgments: Ratings | Preferences,
    *,
    coefficient: str = "spearman",
    level: str = "item",
    grouping: str | None = None,
    systems: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """How well one annotator agrees with the mean of the others: what a metric that judges like a person would reach.

    Each annotator's scores are held against the mean of all others', over the outputs that both judged, with the same
    coefficient, level and grouping as a metric is. The ceiling is the mean over annotators, weighted by the number of these outputs,
    because an annotator of three outputs says little.

    Parameters
    ----------
    judgments : Ratings or Preferences
        Of preferences the scores are shares of points: a win 1, a tie 1/2, a loss 0, averaged per output.
    coefficient, level, grouping
        As in `correlation`.
    systems, items : sequence of str, optional
        Only these, for instance those that a metric has scored.
    interval : {"bootstrap"} or None
        Percentiles over resampled items, the annotators staying the same.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        -1 to 1. ``n`` outputs judged by an annotator and somebody else entered, summed over annotators; ``n_dropped`` were judged by
        one annotator only. ``n_undefined`` of the ``n_groups`` annotators have no correlation, because they share fewer than two outputs with
        others or one side is constant, and are left out. NaN with a reason for a single annotator.

    Raises
    ------
    AccordError
        For unknown names.

    Notes
    -----
    A metric is held against the mean of *all* annotators, which is less noisy than that of all but one; it can therefore lie
    above this ceiling without being better than a person. `spearman_brown` tells the reliability of means of more annotators.

    Examples
    --------
    Two annotators of three systems on two items agree on the first item and not on the second:

    >>> from validate.schema import Ratings
    >>> cells = [0, 1, 2] * 4, [0, 0, 0, 1, 1, 1] * 2
    >>> scores = [1, 2, 3, 1, 2, 3] + [1, 2, 3, 3, 2, 1]
    >>> judged = Ratings("fluency", ("Ann", "Bo"), ("s", "t", "u"), ("i", "j"), [0] * 6 + [1] * 6, *cells, scores)
    >>> noise_ceiling(judged, interval=None).value  # the mean of 1 and -1
    0.0
    """
    who = "noise_ceiling"
    name = check_coefficient(who, coefficient)
    level, grouping = settle(who, level, grouping)
    _check(who, interval, confidence, resamples)
    cells = _cells(
        judgments, _chosen(who, "systems", judgments.systems, systems), _chosen(who, "items", judgments.items, items)
    )
    contests = list(_contests(cells, name, level, grouping))
    found = _point(cells, contests, confidence, f"leave one annotator out, {name}, {level} level, grouping {grouping}")
    if interval is None or np.isnan(found.value):
        return found
    draws = _replicates(contests, len(judgments.items), resamples, np.random.default_rng(rng))
    defined = draws[~np.isnan(draws)]
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]) if len(defined) else (np.nan, np.nan)
    return replace(
        found,
        low=float(low),
        high=float(high),
        method=f"{found.method}; items resampled, percentile",
        n_resamples=resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
    )


def spearman_brown(r: float, factor: float = 2) -> float:
    """Reliability of a mean of ``factor`` times as many judgments: k r / (1 + (k - 1) r).

    Parameters
    ----------
    r : float
        Reliability as it is, such as the correlation of two halves of the annotators; NaN gives NaN.
    factor : float
        How many times as many; 2 for split halves, below 1 for fewer.

    Raises
    ------
    OptionError
        For a factor that is not above 0, a reliability outside -1 … 1, or one so far below 0 that the formula has no meaning.

    References
    ----------
    C. Spearman (1910). Correlation calculated from faulty data. doi:10.1111/j.2044-8295.1910.tb00206.x;
    W. Brown (1910). Some experimental results in the correlation of mental abilities. doi:10.1111/j.2044-8295.1910.tb00207.x

    Examples
    --------
    >>> round(spearman_brown(0.6), 12)  # 1.2 / 1.6
    0.75
    """
    who = "spearman_brown"
    if not 0 < factor < np.inf:
        raise bad_value(who, "factor", factor, "a number above 0, such as 2")
    if np.isnan(r):
        return float("nan")
    if not -1 <= r <= 1:
        raise bad_value(who, "r", r, "a reliability from -1 to 1")
    if 1 + (factor - 1) * r <= 0:
        raise bad_value(
            who,
            "r",
            r,
            f"above {-1 / (factor - 1):g} for factor={factor:g}; a reliability below 0 means no common ground",
        )
    return float(factor * r / (1 + (factor - 1) * r))


def _check(who: str, interval: str | None, confidence: float, resamples: int) -> None:
    if interval not in (None, "bootstrap"):
        raise unknown_name(who, "interval", str(interval), ("bootstrap", "None"))
    if not 0 < confidence < 1:
        raise bad_value(who, "confidence", confidence, "a number between 0 and 1, such as 0.95")
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "1 or more; 1,000 is usual")


def _chosen(who: str, what: str, known: tuple[str, ...], wanted: Sequence[str] | None) -> NDArray[np.bool_]:
    """(n,) which of the known labels are wanted: all where nothing is said."""
    if wanted is None:
        return np.ones(len(known), bool)
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise OptionError(
            f"{who}: {what} {listed(unknown)} are not in the judgments; allowed: {listed(known)}; leave them out"
        )
    return np.isin(np.array(known, dtype=object), list(wanted))


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """What each annotator said of each output, one entry an annotator and output: points and how many judgments they are the sum of.

    ``annotator`` (n,) ascends; ``output`` (n,) is system * n_items + item.
    """

    annotator: IntArray
    output: IntArray
    points: FloatArray
    count: FloatArray
    n_items: int
    n_outputs: int


def _cells(judgments: Ratings | Preferences, systems: NDArray[np.bool_], items: NDArray[np.bool_]) -> _Cells:
    """Sum judgments by annotator and output; repeated ratings by one annotator are averaged, so that they count once."""
    if isinstance(judgments, Ratings):
        annotator, system, item, points = judgments.annotator, judgments.system, judgments.item, judgments.score
    else:
        annotator, item = np.tile(judgments.annotator, 2), np.tile(judgments.item, 2)
        system = np.concatenate([judgments.first, judgments.second])
        points = np.concatenate([1 + judgments.outcome, 1 - judgments.outcome]) / 2
    kept = systems[system] & items[item] & ~np.isnan(points)
    n_items = len(judgments.items)
    n_outputs = len(judgments.systems) * n_items
    key, cell = np.unique((annotator * n_outputs + system * n_items + item)[kept], return_inverse=True)
    total, count = (np.asarray(np.bincount(cell, weight), dtype=np.float64) for weight in (points[kept], None))
    if isinstance(judgments, Ratings):
        total, count = total / count, np.ones(len(key))
    return _Cells(key // n_outputs, key % n_outputs, total, count, n_items, n_outputs)


@dataclass(frozen=True, slots=True, eq=False)
class _Contest:
    """One annotator against the others: the correlation, the items it is made of, and the number of outputs that both judged."""

    correlations: Estimator
    items: IntArray
    n: int

    def __call__(self, weights: FloatArray) -> FloatArray:
        """(n_lanes,) correlations under multiplicities (n_items, n_lanes) of all items."""
        return self.correlations(np.ascontiguousarray(weights[self.items]), None)[0, 0]


def _contests(cells: _Cells, coefficient: str, level: str, grouping: str) -> Iterator[_Contest]:
    """Every annotator who shares an output with somebody else."""
    points = np.bincount(cells.output, cells.points, cells.n_outputs)[cells.output] - cells.points
    count = np.bincount(cells.output, cells.count, cells.n_outputs)[cells.output] - cells.count
    for annotator in np.unique(cells.annotator):
        here = np.flatnonzero((cells.annotator == annotator) & (count > 0))
        if len(here) == 0:
            continue
        _, row = np.unique(cells.output[here] // cells.n_items, return_inverse=True)
        items, column = np.unique(cells.output[here] % cells.n_items, return_inverse=True)
        own, others = np.full((2, row.max() + 1, len(items)), np.nan)
        own[row, column] = cells.points[here] / cells.count[here]
        others[row, column] = points[here] / count[here]
        both = panel("noise_ceiling", {"annotator": own}, others)
        yield _Contest(estimator(both, (coefficient,), level, grouping), items, len(here))


def _mean(correlations: FloatArray, contests: Sequence[_Contest]) -> FloatArray:
    """(n_lanes,) means of (n_contests, n_lanes) correlations over annotators, by the outputs they share; NaN where none is defined."""
    weights = np.where(np.isnan(correlations), 0.0, np.array([[float(contest.n)] for contest in contests]))
    total, mass = (weights * np.nan_to_num(correlations)).sum(axis=0), weights.sum(axis=0)
    return np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0)


def _point(cells: _Cells, contests: Sequence[_Contest], confidence: float, method: str) -> Estimate:
    """The ceiling without an interval, or NaN and why."""
    n_annotators = len(np.unique(cells.annotator))
    alone = int((np.bincount(cells.output) == 1).sum())
    plain = Estimate(np.nan, confidence_level=confidence, method=method, n_dropped=alone, n_groups=n_annotators)
    if n_annotators < 2:
        reason = "one annotator: there is nobody to hold against" if n_annotators else "no judgments"
        return replace(plain, reason=reason)
    if not contests:
        return replace(plain, n_undefined=n_annotators, reason="no output was judged by two annotators")
    points = np.array([contest.correlations.point()[0] for contest in contests])
    n_undefined = n_annotators - int((~np.isnan(points)).sum())
    have = "has" if n_undefined == 1 else "have"
    return replace(
        plain,
        value=float(_mean(points, contests)[0]),
        n=sum(contest.n for contest in contests),
        n_undefined=n_undefined,
        reason=f"{n_undefined:,} of {n_annotators:,} annotators {have} no correlation with the others"
        if n_undefined
        else "",
    )


def _replicates(contests: Sequence[_Contest], n_items: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """(resamples,) ceilings; all annotators see the same resampled items."""
    once = np.ones(n_items, dtype=np.int64)
    blocks = [np.ascontiguousarray(block.T) for block in resampled_counts(once, resamples, rng, width=20 * n_items)]
    return np.concatenate([_mean(np.stack([contest(block) for contest in contests]), contests) for block in blocks])
