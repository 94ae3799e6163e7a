"""Swapped sums, which are linear in the masks: Pearson's r, and scores of whole systems (see `validate.stats._swaps`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray
from validate.stats._swaps import VANISHING, Bytes


@kernel
def masked_sums(
    table: FloatArray,
    starts: IntArray,
    cells: NDArray[np.int32],
    row_of: NDArray[np.int32],
    masks: Bytes,
    out: FloatArray,
) -> None:
    """out (n_groups, n_tables, n_lanes): the sums of table (n_cells, n_tables) over the swapped cells of each group."""
    n_lanes = masks.shape[1]
    swapped = np.empty(n_lanes)
    for group in range(len(starts) - 1):
        out[group] = 0.0
        for p in range(starts[group], starts[group + 1]):
            c = cells[p]
            mask, values = masks[row_of[c]], table[c]
            for b in range(n_lanes):
                swapped[b] = mask[b]
            for t in range(table.shape[1]):
                total, value = out[group, t], values[t]
                for b in range(n_lanes):
                    total[b] += value * swapped[b]


@kernel
def pearson_totals(
    pairs: IntArray, sums: FloatArray, own: FloatArray, human: FloatArray, flags: Bytes, totals: FloatArray
) -> None:
    """Add the Pearson correlations of some groups to totals (n_pairs, 4, n_lanes): sum and number for A, the same for B.

    pairs (n_pairs, 4): the first columns of a and of b in ``sums`` and their rows in ``own`` and ``human``. sums (n_groups, 3 n_tables, n_lanes): swapped scores, their
    squares and their products with the human score. own (n_metrics, 3, n_groups): the same over all cells of the metric. human (n_metrics, 3, n_groups): cells, mean
    and centred square of the human scores on them. flags (n_pairs, n_groups).
    """
    n_lanes = sums.shape[2]
    for group in range(sums.shape[0]):
        for k in range(len(pairs)):
            floor = 1e-12 if flags[k, group] & VANISHING else 0.0  # constant: what is left is rounding
            for side in range(2):
                metric = pairs[k, 2 + side]
                n, mean, square = human[metric, 0, group], human[metric, 1, group], human[metric, 2, group]
                if n < 2.0 or square == 0.0:
                    continue
                base, product_base, square_base = own[metric, 0, group], own[metric, 2, group], own[metric, 1, group]
                come, go = pairs[k, 1 - side], pairs[k, side]
                total, count = totals[k, 2 * side], totals[k, 2 * side + 1]
                one_in, one_out = sums[group, come], sums[group, go]
                two_in, two_out = sums[group, come + 1], sums[group, go + 1]
                three_in, three_out = sums[group, come + 2], sums[group, go + 2]
                for b in range(n_lanes):
                    x = base + one_in[b] - one_out[b]
                    xx = square_base + two_in[b] - two_out[b]
                    spread = xx - x * x / n
                    cross = product_base + three_in[b] - three_out[b] - x * mean
                    some = spread > floor * xx
                    total[b] += cross / np.sqrt(spread * square) if some else 0.0
                    count[b] += 1.0 if some else 0.0
