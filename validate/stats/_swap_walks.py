"""Swapped order without sorting: two presorted lists are walked as one, and what A does not take is B's (see `validate.stats._swaps`).

Spearman's rho in groups of any size, and Kendall's tau-b in groups too large for `validate.stats._swap_signs`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray
from validate.stats._swaps import Bytes, Ordered, minus


@kernel
def spearman_difference(a: Ordered, b: Ordered, row_of: NDArray[np.int32], masks: Bytes, out: FloatArray) -> None:
    """out (n_lanes,): the mean Spearman correlation of A over groups minus that of B, NaN where a mean is over nothing.

    The entries of both lists are walked in one order. An entry that A does not take is B's, so that what stands before it in B is all
    before it less what A has.
    """
    n_lanes = masks.shape[1]
    before, cross_a, cross_b = np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    ties_a, ties_b, run, pull_a, pull_b = (
        np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes),
    )  # fmt: skip
    total_a, total_b, count_a, count_b = np.zeros(n_lanes), np.zeros(n_lanes), np.zeros(n_lanes), np.zeros(n_lanes)
    for group in range(len(a.sizes)):
        size_a, size_b = a.sizes[group], b.sizes[group]
        before[:], cross_a[:], cross_b[:], ties_a[:], ties_b[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        i, i_stop, j, j_stop = a.starts[group], a.starts[group + 1], b.starts[group], b.starts[group + 1]
        passed, tied = 0.0, False
        while i < i_stop or j < j_stop:
            first = j >= j_stop or (i < i_stop and a.code[i] <= b.code[j])
            code = a.code[i] if first else b.code[j]
            i_next, j_next = i, j
            while i_next < i_stop and a.code[i_next] == code:
                i_next += 1
            while j_next < j_stop and b.code[j_next] == code:
                j_next += 1
            length = (i_next - i) + (j_next - j)
            if length == 1:
                stays = i_next > i
                c = a.cell[i] if stays else b.cell[j]
                mask, own_a, own_b = masks[row_of[c]], a.rank[c], b.rank[c]
                shift, slope = (1.0, -1.0) if stays else (0.0, 1.0)
                base_a, base_b = 1.0 - size_a, 1.0 - size_b + 2.0 * passed
                for lane in range(n_lanes):
                    weight = shift + slope * mask[lane]
                    double = 2.0 * before[lane]
                    cross_a[lane] += weight * own_a * (double + base_a)
                    cross_b[lane] += (1.0 - weight) * own_b * (base_b - double)
                    before[lane] += weight
            else:
                tied = True
                run[:], pull_a[:], pull_b[:] = 0.0, 0.0, 0.0
                for e in range(length):
                    stays = e < i_next - i
                    c = a.cell[i + e] if stays else b.cell[j + e - (i_next - i)]
                    mask, own_a, own_b = masks[row_of[c]], a.rank[c], b.rank[c]
                    shift, slope = (1.0, -1.0) if stays else (0.0, 1.0)
                    for lane in range(n_lanes):
                        weight = shift + slope * mask[lane]
                        run[lane] += weight
                        pull_a[lane] += weight * own_a
                        pull_b[lane] += (1.0 - weight) * own_b
                for lane in range(n_lanes):
                    t, rest = run[lane], length - run[lane]
                    cross_a[lane] += pull_a[lane] * (2.0 * before[lane] + t - size_a)
                    cross_b[lane] += pull_b[lane] * (2.0 * (passed - before[lane]) + rest - size_b)
                    ties_a[lane] += t * t * t - t
                    ties_b[lane] += rest * rest * rest - rest
                    before[lane] += t
            passed += length
            i, j = i_next, j_next
        _add(cross_a, ties_a, tied, size_a, a.squares[group], total_a, count_a)
        _add(cross_b, ties_b, tied, size_b, b.squares[group], total_b, count_b)
    minus(total_a, count_a, total_b, count_b, out)


@kernel
def _add(
    cross: FloatArray, ties: FloatArray, tied: bool, size: float, square: float, total: FloatArray, count: FloatArray
) -> None:
    """Add one group's Spearman correlations: the squared ranks are (n^3 - n) / 3 less (t^3 - t) / 3 for each run of t ties."""
    if size < 2.0 or square == 0.0:
        return
    whole = size * size * size - size
    if not tied:
        scale = np.sqrt(whole / 3.0 * square)
        for lane in range(len(cross)):
            total[lane] += cross[lane] / scale
            count[lane] += 1.0
        return
    for lane in range(len(cross)):
        own = whole - ties[lane]
        if own > 0.0:
            total[lane] += cross[lane] / np.sqrt(own / 3.0 * square)
            count[lane] += 1.0


@kernel
def kendall_difference_large(
    a: Ordered, b: Ordered, levels: NDArray[np.int32], row_of: NDArray[np.int32], masks: Bytes, out: FloatArray
) -> None:
    """out (n_lanes,): as `kendall_difference` for groups of any size, by walking both lists in one order as in `spearman_difference`.

    levels (n_cells,): dense ranks of the human scores within the group. A Fenwick tree over them counts, in each lane, A's earlier entries below a level, and
    one without lanes all earlier entries: what A does not have is B's. Counts are exact in float32 up to 16 million cells.
    """
    n_lanes, most = masks.shape[1], 0
    for side in (a, b):
        for c in side.cell:
            most = max(most, levels[c] + 1)
    tree, here = np.empty((most + 1, n_lanes), np.float32), np.empty((most, n_lanes), np.float32)
    all_tree, all_here = np.empty(most + 1), np.empty(most)
    below, before, weight = np.empty(n_lanes, np.float32), np.empty(n_lanes, np.float32), np.empty(n_lanes, np.float32)
    run, cross_a, cross_b = np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    own_a, own_b = np.empty(n_lanes), np.empty(n_lanes)
    total_a, total_b, count_a, count_b = np.zeros(n_lanes), np.zeros(n_lanes), np.zeros(n_lanes), np.zeros(n_lanes)
    for group in range(len(a.sizes)):
        i, i_stop, j, j_stop = a.starts[group], a.starts[group + 1], b.starts[group], b.starts[group + 1]
        tree[:], here[:], all_tree[:], all_here[:] = 0.0, 0.0, 0.0, 0.0
        before[:], cross_a[:], cross_b[:] = 0.0, 0.0, 0.0
        own_a[:], own_b[:] = a.sizes[group] * a.sizes[group], b.sizes[group] * b.sizes[group]
        passed = 0.0
        while i < i_stop or j < j_stop:
            first = j >= j_stop or (i < i_stop and a.code[i] <= b.code[j])
            code = a.code[i] if first else b.code[j]
            i_next, j_next = i, j
            while i_next < i_stop and a.code[i_next] == code:
                i_next += 1
            while j_next < j_stop and b.code[j_next] == code:
                j_next += 1
            n_a, length = i_next - i, (i_next - i) + (j_next - j)
            for e in range(length):  # ask for the whole run of ties before any of it is entered
                c = a.cell[i + e] if e < n_a else b.cell[j + e - n_a]
                shift, slope = (np.float32(1.0), np.float32(-1.0)) if e < n_a else (np.float32(0.0), np.float32(1.0))
                mask, level = masks[row_of[c]], levels[c]
                same = here[level]
                for lane in range(n_lanes):
                    below[lane] = np.float32(0.5) * (same[lane] - before[lane])
                everything, node = 0.5 * (all_here[level] - passed), level
                while node > 0:
                    branch = tree[node]
                    for lane in range(n_lanes):
                        below[lane] += branch[lane]
                    everything += all_tree[node]
                    node -= node & -node
                for lane in range(n_lanes):  # half of below minus above
                    share = shift + slope * np.float32(mask[lane])
                    cross_a[lane] += share * below[lane]
                    cross_b[lane] += (np.float32(1.0) - share) * (everything - below[lane])
            run[:] = 0.0
            for e in range(length):
                c = a.cell[i + e] if e < n_a else b.cell[j + e - n_a]
                shift, slope = (np.float32(1.0), np.float32(-1.0)) if e < n_a else (np.float32(0.0), np.float32(1.0))
                mask, level = masks[row_of[c]], levels[c]
                same = here[level]
                for lane in range(n_lanes):
                    weight[lane] = shift + slope * np.float32(mask[lane])
                    same[lane] += weight[lane]
                    before[lane] += weight[lane]
                    run[lane] += weight[lane]
                all_here[level] += 1.0
                node = level + 1
                while node <= most:
                    branch = tree[node]
                    for lane in range(n_lanes):
                        branch[lane] += weight[lane]
                    all_tree[node] += 1.0
                    node += node & -node
            for lane in range(n_lanes):
                own_a[lane] -= run[lane] * run[lane]
                own_b[lane] -= (length - run[lane]) * (length - run[lane])
            passed += length
            i, j = i_next, j_next
        _add_tau(cross_a, own_a, a.untied[group], total_a, count_a)
        _add_tau(cross_b, own_b, b.untied[group], total_b, count_b)
    minus(total_a, count_a, total_b, count_b, out)


@kernel
def _add_tau(cross: FloatArray, own: FloatArray, untied: float, total: FloatArray, count: FloatArray) -> None:
    """Add one group's tau-b; ``cross`` is a quarter of what is counted in both orders, ``own`` and ``untied`` the whole of it."""
    if untied == 0.0:
        return
    for lane in range(len(cross)):
        if own[lane] > 0.0:
            total[lane] += 4.0 * cross[lane] / np.sqrt(own[lane] * untied)
            count[lane] += 1.0
