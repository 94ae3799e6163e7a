"""Kendall's tau of very many pairs in blocks of human levels, each of which a processor's cache holds.

A pair of pairs lies in two blocks of levels or in one. In two, it is ordered as the blocks are: the tree of `kendall_sums` over block
numbers counts it. In one, the tree over the levels of the block does, with the blocks as groups. Both parts are sums of whole numbers, so that
nothing is rounded; the trees, which one over all levels would make as large as the data for every replicate, stay small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validate.schema import FloatArray, IntArray
from validate.stats._kernels import HumanSums, kendall_sums
from validate.stats._pairs import Sorted, stable_order

BLOCK = 4096  # levels
MOST_LEVELS = 16 * BLOCK  # of one group: up to here a single tree does as well


class LevelBlocks(NamedTuple):
    """One group of pairs twice in the metric's order: with blocks for levels, and with blocks for groups."""

    coarse: Sorted
    fine: Sorted
    coarse_bounds: IntArray
    fine_bounds: IntArray

    def sums(
        self, first: FloatArray, second: FloatArray, sizes: FloatArray, cross: FloatArray, own: FloatArray
    ) -> None:
        """Fill cross and own (1, n_lanes) as `kendall_sums` does; first, second as there, sizes (1, n_lanes)."""
        kendall_sums(self.coarse, first, second, _only_sizes(self.coarse_bounds, sizes), cross, own)
        shape = (len(self.fine_bounds) - 1, first.shape[1])
        within, unused = np.empty(shape), np.empty(shape)
        kendall_sums(self.fine, first, second, _only_sizes(self.fine_bounds, np.zeros(shape)), within, unused)
        cross += within.sum(axis=0)


def level_blocks(points: Sorted, n_levels: int) -> LevelBlocks:
    """From the pairs of one group in the metric's order; levels are numbered from 0."""
    block = points.level // BLOCK
    n_blocks = -(-n_levels // BLOCK)
    at = stable_order(block)
    run = np.cumsum(points.fresh)[at]
    starts = np.searchsorted(block[at], np.arange(n_blocks + 1)).astype(np.int64)
    fresh = np.ones(len(at), dtype=np.bool_)
    fresh[1:] = np.diff(run) != 0
    fresh[starts[:-1]] = True
    none = np.zeros(0)  # scores themselves do not matter
    fine = Sorted(starts, points.row[at], points.col[at], fresh, points.level[at], none, none)
    bounds = np.minimum(np.arange(n_blocks + 1) * BLOCK, n_levels)
    return LevelBlocks(points._replace(level=block), fine, np.array([0, n_blocks]), bounds)


def _only_sizes(bounds: IntArray, sizes: FloatArray) -> HumanSums:
    """What `kendall_sums` asks of the human side."""
    none = np.zeros((0, sizes.shape[1]))
    return HumanSums(bounds, none, sizes, none, none, none, none)
