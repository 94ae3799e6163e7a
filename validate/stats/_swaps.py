"""What the loops of the permutation test share: presorted metrics, and which groups want care.

Two metrics a and b are compared. In a lane (one permutation) a cell either keeps its two scores (mask 0) or swaps them (mask
1); A and B are what the metrics become. Masks have shape (n_rows + 1, n_lanes); ``row_of`` says which row decides about a cell, and the last
row, all 0, is that of cells which only one of the two metrics has and which therefore stay. Lanes are independent of each
other, whoever computes them.

Nothing is sorted in a lane. The order of A is that of the two presorted lists, merged, without the entries that the mask takes out
(Spearman); the signs between two cells are bilinear in their two masks (Kendall); sums are linear in them (Pearson).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray

Bytes = NDArray[np.uint8]

TIED, VANISHING = 1, 2
SMALL = 64  # cells in a group up to which signs are kept pair by pair


class Ordered(NamedTuple):
    """One metric's cells by group and then by score, and the human side on the same cells.

    ``starts`` (n_groups + 1,) bounds the groups in ``cell`` and ``code`` (n,): flat positions, and dense ranks of scores on a scale that all metrics
    share. ``rank`` (n_cells,) is twice the centred human midrank within the group. ``sizes``, ``squares``, ``untied`` (n_groups,): cells, the sum of the
    squared ranks, and pairs of cells not tied by people in both orders.
    """

    starts: IntArray
    cell: NDArray[np.int32]
    code: NDArray[np.int32]
    rank: FloatArray
    sizes: FloatArray
    squares: FloatArray
    untied: FloatArray


class Layout(NamedTuple):
    """All cells by group: ``cell`` (n_cells,), bounded by ``starts`` (n_groups + 1,); ``human`` (n_cells,): dense ranks of the human scores, -1 for none."""

    starts: IntArray
    cell: NDArray[np.int32]
    human: NDArray[np.int32]


@kernel
def examine(layout: Layout, own: NDArray[np.int32], other: NDArray[np.int32], flags: Bytes) -> None:
    """flags (n_groups,): TIED where two scores of the two metrics can be tied in A, VANISHING where A can become constant.

    own, other (n_cells,): the codes of a and b, -1 where missing.
    """
    for group in range(len(flags)):
        start, stop = layout.starts[group], layout.starts[group + 1]
        tied, n_own, first = False, 0, -1
        for p in range(start, stop):
            c = layout.cell[p]
            if own[c] < 0:
                continue
            n_own += 1
            if first < 0:
                first = c
        if n_own < 2:
            flags[group] = 0
            continue
        vanishing = False
        for candidate in (own[first], other[first]):
            same = candidate >= 0
            for p in range(start, stop):
                c = layout.cell[p]
                if own[c] >= 0 and own[c] != candidate and other[c] != candidate:
                    same = False
                    break
            vanishing = vanishing or same
        if stop - start <= SMALL:
            for p in range(start, stop):
                c = layout.cell[p]
                for q in range(start, p):
                    d = layout.cell[q]
                    if own[c] >= 0 and (own[c] == own[d] or own[c] == other[d]):
                        tied = True
                    if other[c] >= 0 and (other[c] == own[d] or other[c] == other[d]):
                        tied = True
        flags[group] = TIED * tied + VANISHING * vanishing


@kernel
def minus(total_a: FloatArray, count_a: FloatArray, total_b: FloatArray, count_b: FloatArray, out: FloatArray) -> None:
    """out (n_lanes,): the difference of two means, NaN where one is over nothing."""
    for lane in range(len(out)):
        some = count_a[lane] > 0.0 and count_b[lane] > 0.0
        out[lane] = total_a[lane] / count_a[lane] - total_b[lane] / count_b[lane] if some else np.nan
