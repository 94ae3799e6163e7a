"""Soft pairwise accuracy: does a metric tell systems apart as surely as people do?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from validate.errors import OptionError, bad_value, listed
from validate.schema import Estimate, FloatArray, IntArray
from validate.stats.panel import ManyScores, Mask, Panel, Scores, Side, panel

_EQUAL = 1e-12  # of the largest score: a sum in another order is the same sum
_CELLS = 2_000_000  # numbers in one scratch array


def soft_pairwise_accuracy(
    metric: Scores,
    human: Scores,
    *,
    resamples: int = 1000,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """One minus the mean difference between the metric's and people's p-values that one system is better than another, from 0 to 1.

    Pairwise accuracy of systems counts a pair as right or wrong. Here it counts how sure each side is: a metric that orders two systems
    that people can hardly tell apart the other way loses little, one that is certain of it loses much.

    Parameters
    ----------
    metric, human : (n_systems, n_items) float64, or ScoreMatrix
        As in `correlation`; a matrix with ``statistics`` is scored by ``divide`` of their sum, also under permutation.
    resamples : int
        Permutations; both sides see the same ones, half of them drawn and the other half their opposites. An odd number is rounded up.
    partial : {"judged", "all"}
        Two systems are compared on the items on which both have scores: of metric and people, or of the side in question.
    rng : int or Generator

    Returns
    -------
    Estimate
        ``n_groups`` pairs of systems; those without a common item are left out and counted in ``n_undefined``. NaN when none is left.

    Raises
    ------
    AccordError
        For unknown names, shapes that do not fit, infinite scores, and a side with one score a system: nothing can be permuted there.

    Notes
    -----
    p is the share of permutations of the two systems' outputs, item by item, whose difference exceeds the observed one, those that equal it
    counting half. Then p of (a, b) and p of (b, a) sum to 1 and the order of the systems cannot matter, which it does with ``>=`` on discrete scores.

    References
    ----------
    Thompson, B., Mathur, N., Deutsch, D., Khayrallah, H. (2024). Improving statistical significance in human evaluation of automatic metrics via
    soft pairwise accuracy. doi:10.18653/v1/2024.wmt-1.118

    Examples
    --------
    Two systems that are equally good for the metric (p = 1/2), and of which the second is better on 3 of 3 items for people: of 8 ways to exchange
    outputs one gives the observed difference, so that p is about 15/16 that the first is not better, and 1 - 7/16 remains.

    >>> estimate = soft_pairwise_accuracy(np.array([[1, 2, 3], [3, 2, 1]]), np.array([[1, 1, 1], [2, 2, 2]]), resamples=4000)
    >>> round(estimate.value, 1), estimate.n_groups
    (0.6, 1)
    """
    found = soft_pairwise_accuracies(
        {"metric": metric}, human, resamples=resamples, partial=partial, rng=rng, who="soft_pairwise_accuracy"
    )
    return found["metric"]


def soft_pairwise_accuracies(
    metrics: ManyScores,
    human: Scores,
    *,
    resamples: int = 1000,
    partial: str = "judged",
    rng: int | np.random.Generator = 0,
    who: str = "soft_pairwise_accuracies",
) -> dict[str, Estimate]:
    """`soft_pairwise_accuracy` of several metrics under the same permutations, by name.

    Examples
    --------
    >>> human = np.array([[1, 2, 3], [4, 4, 4]])
    >>> {name: found.value for name, found in soft_pairwise_accuracies({"same": human, "twice": 2 * human}, human).items()}
    {'same': 1.0, 'twice': 1.0}
    """
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "a positive whole number, 1,000 is usual")
    laid = panel(who, metrics, human, partial=partial)
    given = [side.name for side in (*laid.metrics, laid.human) if side.given]
    if given:
        raise OptionError(
            f"{who}: {listed(given)} has one score a system and none an item; scores of items are needed on both sides; "
            "give scores of items, or use stats.correlation with level='system'"
        )
    n_drawn = (resamples + 1) // 2
    kept = np.random.default_rng(rng).integers(0, 2, size=(laid.n_items, n_drawn), dtype=np.int8).astype(np.float64)
    seed = int(rng) if isinstance(rng, (int, np.integer)) else None
    humans: dict[bytes, FloatArray] = {}
    parts = _of_whole_sides(laid, kept)
    found = {}
    for side, dropped in zip(laid.metrics, laid.dropped, strict=True):
        own, judged = laid.used(side)
        if judged.tobytes() not in humans:
            humans[judged.tobytes()] = _hits(laid.human, judged, kept, parts)
        mine, theirs = _hits(side, own, kept, parts), humans[judged.tobytes()]
        found[side.name] = _estimate(mine, theirs, laid, side, dropped.pairs, 2 * n_drawn, seed)
    return found


def _estimate(
    mine: FloatArray, theirs: FloatArray, laid: Panel, side: Side, n_dropped: int, n_resamples: int, seed: int | None
) -> Estimate:
    met = ~np.isnan(mine) & ~np.isnan(theirs)
    n_undefined = int((~met).sum())
    reason = f"{n_undefined:,} of {len(met):,} pairs of systems left out: no common item" if n_undefined else ""
    value = float("nan")
    if met.any():
        value = 1.0 - float(np.abs(mine[met] - theirs[met]).sum()) / (2.0 * n_resamples * int(met.sum()))
    return Estimate(
        value,
        method="soft pairwise accuracy",
        n=int(laid.pairs(side).sum()),
        n_dropped=n_dropped,
        n_resamples=n_resamples,
        seed=seed,
        reason=reason if len(met) else "fewer than two systems",
        n_groups=len(met),
        n_undefined=n_undefined,
    )


class _Design(NamedTuple):
    """Pairs of systems (positions among all pairs, first and second system, (n,) each) that are compared on the same items (n_items,)."""

    place: IntArray
    first: IntArray
    second: IntArray
    items: Mask


def _designs(used: Mask) -> Iterator[_Design]:
    """All pairs of systems with a common item, those with the same items together; used (n_systems, n_items)."""
    if used.all() and used.size:
        ones, others = np.triu_indices(len(used), 1)
        if len(ones):
            yield _Design(np.arange(len(ones)), ones, others, used[0])
        return
    sharing: dict[bytes, list[tuple[int, int, int]]] = {}
    for place, (first, second) in enumerate(combinations(range(len(used)), 2)):
        sharing.setdefault((used[first] & used[second]).tobytes(), []).append((place, first, second))
    for items, rows in sharing.items():
        common = np.frombuffer(items, dtype=np.bool_)
        if common.any():
            place, first, second = np.array(rows, dtype=np.int64).T
            yield _Design(place, first, second, common)


def _of_whole_sides(laid: Panel, kept: FloatArray) -> dict[int, FloatArray]:
    """(n_systems, n_drawn) sums of the outputs that are kept, by ``id`` of the sides that have all scores: one product of matrices."""
    whole = [side for side in (*laid.metrics, laid.human) if side.statistics is None and side.defined.all()]
    if not whole or len(whole) * laid.n_systems * kept.shape[1] > _CELLS:
        return {}
    sums = np.concatenate([side.values for side in whole]) @ kept
    return dict(zip(map(id, whole), sums.reshape(len(whole), laid.n_systems, -1), strict=True))


def _hits(side: Side, used: Mask, kept: FloatArray, parts_of: dict[int, FloatArray]) -> FloatArray:
    """Twice how many permutations exceed the observed difference of each pair of systems, (n_pairs,); equal ones count half. NaN without a common item.

    kept (n_items, n_drawn) is 1 where outputs stay and 0 where they are exchanged. The opposite of a permutation turns the sign of its difference.
    """
    n_systems = len(used)
    hits = np.full(n_systems * (n_systems - 1) // 2, np.nan)
    for design in _designs(used):
        systems, at = np.unique([design.first, design.second], return_inverse=True)
        first, second = at.reshape(2, -1)
        if used.all() and id(side) in parts_of:
            whole, parts = side.values.sum(axis=1)[:, None], parts_of[id(side)][..., None]
        else:
            whole, parts = _sums(side, systems, design.items, kept)
        near = _EQUAL * _size(side, whole, systems, design.items)
        step = max(1, _CELLS // max(1, kept.shape[1] * whole.shape[-1]))
        for start in range(0, len(first), step):
            a, b = first[start : start + step], second[start : start + step]
            observed = _score(side, whole[a]) - _score(side, whole[b])
            hits[design.place[start : start + step]] = _twice_above(_drawn(side, whole, parts, a, b), observed, near)
    return hits


def _sums(side: Side, systems: IntArray, items: Mask, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What the scores of whole systems are made of: of all items (n_systems, k), and of those kept (n_systems, n_drawn, k)."""
    per_item = side.values[..., None] if side.statistics is None else side.statistics
    here = per_item[np.ix_(systems, np.flatnonzero(items))]
    rows = np.moveaxis(here, 2, 1).reshape(-1, here.shape[1])
    chosen = kept if items.all() else kept[items]
    parts = (rows @ chosen).reshape(len(systems), -1, kept.shape[1])
    return here.sum(axis=1), np.moveaxis(parts, 1, 2)


def _drawn(side: Side, whole: FloatArray, parts: FloatArray, a: IntArray, b: IntArray) -> FloatArray:
    """(n_pairs, n_drawn) differences between systems a and b after outputs that are not kept have been exchanged."""
    if side.divide is None:  # a sum that stays with the system less the rest, which has gone to the other
        stayed = 2.0 * parts[..., 0] - whole
        return stayed[a] - stayed[b]
    left = whole[:, None] - parts
    return _score(side, parts[a] + left[b]) - _score(side, parts[b] + left[a])


def _score(side: Side, sums: FloatArray) -> FloatArray:
    """System scores of sums (..., k). Means of the same number of items compare as their sums do."""
    return sums[..., 0] if side.divide is None else side.sign * side.divide(sums)


def _size(side: Side, whole: FloatArray, systems: IntArray, items: Mask) -> float:
    """How large the numbers are whose rounding separates equal scores."""
    if side.divide is None:
        return float(np.abs(side.values[np.ix_(systems, np.flatnonzero(items))]).sum(axis=1).max())
    return float(np.abs(_score(side, whole)).max())


def _twice_above(drawn: FloatArray, observed: FloatArray, near: float) -> FloatArray:
    """(n_pairs,) counts over ``drawn`` (n_pairs, n_drawn) and its opposites: twice what is above ``observed``, once what equals it."""
    upper, lower = (observed + near)[:, None], (observed - near)[:, None]
    counted = (drawn > upper, drawn >= lower, drawn < -upper, drawn <= -lower)
    hits = sum(np.count_nonzero(mask, axis=1) for mask in counted).astype(np.float64)
    hits[np.isnan(observed) | np.isnan(drawn.sum(axis=1))] = np.nan
    return hits
