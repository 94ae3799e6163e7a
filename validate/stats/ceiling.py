"""The human ceiling: how well annotators agree with each other, on the same footing as a metric."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from validate.errors import OptionError, bad_value, listed, plural, unknown_name
from validate.schema import Estimate, FloatArray, IntArray, Preferences, Ratings
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import Estimator, estimator, settle
from validate.stats.multinomial import resampled_counts
from validate.stats.panel import panel
from validate.stats.reliability import stepped_up

Interval = Literal["bootstrap"]
Method = Literal["leave-one-out", "split-half"]


def noise_ceiling(
    judgments: Ratings | Preferences,
    *,
    coefficient: str = "spearman",
    level: str = "item",
    grouping: str | None = None,
    method: Method = "leave-one-out",
    splits: int = 20,
    systems: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
) -> Estimate:
    """How well annotators agree with each other: what a metric that judges like a person would reach.

    ``"leave-one-out"``: each annotator's scores are held against the mean of all others', over the outputs that both judged, with the
    same coefficient, level and grouping as a metric is. The ceiling is the mean over annotators, weighted by the number of these
    outputs, because an annotator of three outputs says little.

    ``"split-half"``: the annotators are split into halves whose means are held against each other; the mean over splits is stepped up
    to the number of annotators that there are (`spearman_brown`). It is the reliability of the mean of all annotators.

    Parameters
    ----------
    judgments : Ratings or Preferences
        Of preferences the scores are shares of points: a win 1, a tie 1/2, a loss 0, averaged per output.
    coefficient, level, grouping
        As in `correlation`.
    method : {"leave-one-out", "split-half"}
    splits : int
        How many random splits; all of them where there are no more than that.
    systems, items : sequence of str, optional
        Only these, for instance those that a metric has scored.
    interval : {"bootstrap"} or None
        Percentiles over resampled items, the annotators staying the same.
    confidence : float
    resamples : int
    rng : int or Generator
    workers : int, optional
        Threads; as many as there are processors when not given. Changes no number.

    Returns
    -------
    Estimate
        -1 to 1. ``n`` outputs judged by both sides entered, summed over annotators (splits); ``n_dropped`` were judged by
        one annotator only. ``n_undefined`` of the ``n_groups`` annotators (splits) have no correlation, because the sides share fewer than two
        outputs or one is constant, and are left out. NaN with a reason for a single annotator.

    Raises
    ------
    AccordError
        For unknown names.

    Notes
    -----
    A metric is held against the mean of *all* annotators, which is less noisy than that of all but one; it can therefore lie
    above this ceiling without being better than a person. Against a mean of reliability ρ, not even a metric without any error
    is expected to correlate above √ρ: see `corrected_for_attenuation`.

    Halves of an odd number of annotators are unequal. With shares p and q = 1 - p of the annotators, the stepped-up value is the R that
    solves r² = p q R² / ((1 - q R) (1 - p R)) (Horst 1951), which is Spearman and Brown's 2 r / (1 + r) where p = q.

    References
    ----------
    P. Horst (1951). Estimating total test reliability from parts of unequal length. Educational and Psychological Measurement 11(3),
    368–371. doi:10.1177/001316445101100306

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
    if method not in get_args(Method):
        raise unknown_name(who, "method", str(method), get_args(Method))
    if splits < 1:
        raise bad_value(who, "splits", splits, "1 or more; 20 is usual")
    generator = np.random.default_rng(rng)
    cells = _cells(
        judgments, _chosen(who, "systems", judgments.systems, systems), _chosen(who, "items", judgments.items, items)
    )
    place = f"{name}, {level} level, grouping {grouping}"
    contests = _Contests.leave_one_out(cells, name, level, grouping)
    if method == "split-half":
        contests = _Contests.halves(cells, name, level, grouping, splits, generator)
    found = _point(cells, contests, confidence, f"{contests.method}, {place}")
    if interval is None or np.isnan(found.value):
        return found
    draws = _replicates(contests, len(judgments.items), resamples, generator, workers or os.cpu_count() or 1)
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
    """One side of annotators against the other: the correlation, the items it is made of, and the number of outputs that both judged."""

    correlations: Estimator
    items: IntArray
    n: int

    def __call__(self, weights: FloatArray) -> FloatArray:
        """(n_lanes,) correlations under multiplicities (n_items, n_lanes) of all items."""
        return self.correlations(np.ascontiguousarray(weights[self.items]), None)[0, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _Contests:
    """All contests of a method: how many there could be, what they are called, and the share of annotators on their first side.

    ``share`` is None where the mean of the contests is the ceiling as it is.
    """

    method: str
    noun: str
    contests: tuple[_Contest, ...]
    n: int
    share: float | None = None

    @classmethod
    def leave_one_out(cls, cells: _Cells, coefficient: str, level: str, grouping: str) -> _Contests:
        """Each annotator against all others."""
        annotators = np.unique(cells.annotator)
        made = (_contest(cells, cells.annotator == annotator, coefficient, level, grouping) for annotator in annotators)
        kept = tuple(contest for contest in made if contest is not None)
        return cls("leave one annotator out", "annotator", kept, len(annotators))

    @classmethod
    def halves(
        cls, cells: _Cells, coefficient: str, level: str, grouping: str, splits: int, rng: np.random.Generator
    ) -> _Contests:
        """Half of the annotators against the other half, for several splits."""
        annotators = np.unique(cells.annotator)
        chosen = list(_splits(len(annotators), splits, rng))
        made = (
            _contest(cells, np.isin(cells.annotator, annotators[half]), coefficient, level, grouping) for half in chosen
        )
        kept = tuple(contest for contest in made if contest is not None)
        share = (len(annotators) // 2) / max(len(annotators), 1)
        method = f"split half (mean of {plural(len(chosen), 'split')}), Spearman-Brown"
        return cls(method, "split", kept, len(chosen), share)

    def ceiling(self, correlations: FloatArray) -> FloatArray:
        """(n_lanes,) the means over contests (n_contests, n_lanes), stepped up where the sides are parts of the annotators."""
        means = _mean(correlations, self.contests)
        return means if self.share is None else stepped_up(means, self.share)


def _splits(n: int, most: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The first half of each split of n annotators, the smaller one of an odd number; every split where there are at most so many."""
    small = n // 2
    distinct = math.comb(n, small) // (2 if n % 2 == 0 else 1)
    if n < 2:
        return
    if distinct <= most:
        for half in combinations(range(n), small):
            if n % 2 or half[0] == 0:  # of even halves each split would come twice
                yield list(half)
    else:
        for _ in range(most):
            yield rng.permutation(n)[:small].tolist()


def _contest(
    cells: _Cells, own_side: NDArray[np.bool_], coefficient: str, level: str, grouping: str
) -> _Contest | None:
    """Some annotators (a mask over the cells) against all others, over the outputs that both sides judged; None without any."""
    points, count = np.zeros((2, cells.n_outputs)), np.zeros((2, cells.n_outputs))
    for side, mask in enumerate((own_side, ~own_side)):
        points[side] = np.bincount(cells.output[mask], cells.points[mask], cells.n_outputs)
        count[side] = np.bincount(cells.output[mask], cells.count[mask], cells.n_outputs)
    both = np.flatnonzero((count > 0).all(axis=0))
    if len(both) == 0:
        return None
    _, row = np.unique(both // cells.n_items, return_inverse=True)
    items, column = np.unique(both % cells.n_items, return_inverse=True)
    sides = np.full((2, row.max() + 1, len(items)), np.nan)
    sides[:, row, column] = points[:, both] / count[:, both]
    panels = panel("noise_ceiling", {"annotator": sides[0]}, sides[1])
    return _Contest(estimator(panels, (coefficient,), level, grouping), items, len(both))


def _mean(correlations: FloatArray, contests: Sequence[_Contest]) -> FloatArray:
    """(n_lanes,) means of (n_contests, n_lanes) correlations, by the outputs that the sides share; NaN where none is defined."""
    weights = np.where(np.isnan(correlations), 0.0, np.array([[float(contest.n)] for contest in contests]))
    total, mass = (weights * np.nan_to_num(correlations)).sum(axis=0), weights.sum(axis=0)
    return np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0)


def _point(cells: _Cells, contests: _Contests, confidence: float, method: str) -> Estimate:
    """The ceiling without an interval, or NaN and why."""
    n_annotators = len(np.unique(cells.annotator))
    alone = int((np.bincount(cells.output) == 1).sum())
    plain = Estimate(np.nan, confidence_level=confidence, method=method, n_dropped=alone, n_groups=contests.n)
    if n_annotators < 2:
        reason = "one annotator: there is nobody to hold against" if n_annotators else "no judgments"
        return replace(plain, reason=reason)
    if not contests.contests:
        return replace(plain, n_undefined=contests.n, reason="no output was judged by two annotators")
    points = np.array([contest.correlations.point()[0] for contest in contests.contests])
    n_undefined = contests.n - int((~np.isnan(points)).sum())
    have = "has" if n_undefined == 1 else "have"
    others = "with the others" if contests.share is None else "between the halves"
    told = f"{n_undefined:,} of {plural(contests.n, contests.noun)} {have} no correlation {others}"
    value = float(contests.ceiling(points)[0])
    if np.isnan(value) and n_undefined < contests.n:
        told = "the halves correlate -1: they have nothing in common"
    return replace(
        plain,
        value=value,
        n=sum(contest.n for contest in contests.contests),
        n_undefined=n_undefined,
        reason=told if n_undefined or np.isnan(value) else "",
    )


def _replicates(
    contests: _Contests, n_items: int, resamples: int, rng: np.random.Generator, workers: int
) -> FloatArray:
    """(resamples,) ceilings; all annotators see the same resampled items, and each is a piece of work for a thread."""
    once = np.ones(n_items, dtype=np.int64)
    found = []
    with ThreadPoolExecutor(workers) as pool:
        for drawn in resampled_counts(once, resamples, rng, width=20 * n_items):
            block = np.ascontiguousarray(drawn.T)
            found.append(contests.ceiling(np.stack(list(pool.map(_of_items(block), contests.contests)))))
    return np.concatenate(found)


def _of_items(weights: FloatArray) -> Callable[[_Contest], FloatArray]:
    """What a contest comes to under multiplicities (n_items, n_lanes)."""
    return lambda contest: contest(weights)
