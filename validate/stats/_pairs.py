"""Pairs of scores, sorted once so that no replicate has to sort.

A correlation is taken over *pairs* (metric score, human score) that belong to *groups* (all pairs pooled, or one group an
item, or one a system). Resampling only changes how often a pair counts: the product of two multiplicities, that of its
row and that of its column. The order of the scores never changes, so it is found here once, and the kernels walk it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate.schema import FloatArray, IntArray


class Pairs(NamedTuple):
    """Which pairs there are: group, row and column of each, shape (n_pairs,), and how many groups."""

    group: IntArray
    row: IntArray
    col: IntArray
    n_groups: int


class Sorted(NamedTuple):
    """Pairs ordered by group and then by one of the two scores.

    ``starts`` (n_groups + 1,) bounds the groups. ``fresh`` marks the first pair of each run of tied scores. ``level`` is the pair's
    human level: the dense rank of its human score within the group, counted through all groups. ``value`` is the score that
    the pairs are ordered by, ``other`` the human one.
    """

    starts: IntArray
    row: NDArray[np.int32]
    col: NDArray[np.int32]
    fresh: NDArray[np.bool_]
    level: NDArray[np.int32]
    value: FloatArray
    other: FloatArray


class Levels(NamedTuple):
    """The human level of each pair (n_pairs,), and where the levels of each group begin (n_groups + 1,)."""

    of_pair: NDArray[np.int32]
    bounds: IntArray


def human_levels(pairs: Pairs, codes: IntArray) -> Levels:
    """Number the distinct human scores of each group in ascending order, on through the groups."""
    _, of_pair = np.unique(_keys(pairs, codes), return_inverse=True)
    in_group = np.zeros(pairs.n_groups, dtype=np.int64)
    np.maximum.at(in_group, pairs.group, of_pair + 1)
    return Levels(of_pair.astype(np.int32), np.concatenate([[0], np.maximum.accumulate(in_group)]).astype(np.int64))


class Order(NamedTuple):
    """How pairs are ordered by group and score: positions (n_pairs,), and whether each begins a run of ties (n_pairs,)."""

    positions: NDArray[np.int32]
    fresh: NDArray[np.bool_]


def presort(pairs: Pairs, codes: IntArray, value: FloatArray, other: FloatArray, levels: Levels) -> Sorted:
    """Order the pairs by group and ``codes``; all arrays have shape (n_pairs,)."""
    return arranged(pairs, order_of(pairs, codes), value, other, levels)


def order_of(pairs: Pairs, codes: IntArray) -> Order:
    """By group and ``codes`` (n_pairs,); equal ones stay as they are."""
    keys = _keys(pairs, codes)
    positions = stable_order(keys)
    fresh = np.ones(len(positions), dtype=np.bool_)
    fresh[1:] = np.diff(keys[positions]) != 0
    return Order(positions.astype(np.int32), fresh)


def stable_order(keys: NDArray[np.integer[Any]]) -> IntArray:
    """Positions (n,) that sort integers from 0 up; equal ones stay as they are.

    Key and place are sorted as one number, several times as fast as numpy's stable sort, where that has room in 64 bits.
    """
    n = max(len(keys), 1)
    if int(keys.max(initial=0)) >= 2**62 // n:
        return np.argsort(keys, kind="stable")
    return np.sort(keys.astype(np.int64) * n + np.arange(len(keys))) % n


def arranged(pairs: Pairs, order: Order, value: FloatArray, other: FloatArray, levels: Levels) -> Sorted:
    """The pairs in that order."""
    at = order.positions
    return Sorted(
        np.searchsorted(pairs.group[at], np.arange(pairs.n_groups + 1)).astype(np.int64),
        pairs.row[at].astype(np.int32),
        pairs.col[at].astype(np.int32),
        order.fresh,
        levels.of_pair[at],
        value[at],
        other[at],
    )


def unit_scaled(values: FloatArray) -> FloatArray:
    """The values divided by a power of two so that none exceeds 1: no correlation changes, and no square overflows."""
    finite: NDArray[Any] = np.abs(values[~np.isnan(values)])
    largest = float(finite.max()) if len(finite) else 0.0
    if largest == 0.0:
        return values
    return np.ldexp(values, -int(np.frexp(largest)[1]))


def _keys(pairs: Pairs, codes: IntArray) -> IntArray:
    """One integer a pair that sorts by group and then by code."""
    return pairs.group * (int(codes.max(initial=0)) + 1) + codes
