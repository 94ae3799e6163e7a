"""The hot loops of the permutation test: what the difference of two correlations becomes when scores are swapped.

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
    _minus(total_a, count_a, total_b, count_b, out)


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
def _minus(total_a: FloatArray, count_a: FloatArray, total_b: FloatArray, count_b: FloatArray, out: FloatArray) -> None:
    """out (n_lanes,): the difference of two means, NaN where one is over nothing."""
    for lane in range(len(out)):
        some = count_a[lane] > 0.0 and count_b[lane] > 0.0
        out[lane] = total_a[lane] / count_a[lane] - total_b[lane] / count_b[lane] if some else np.nan


@kernel
def _sign(difference: int) -> float:
    return 1.0 if difference > 0 else -1.0 if difference < 0 else 0.0


@kernel
def _form(
    stay: NDArray[np.int32],
    come: NDArray[np.int32],
    weight: FloatArray,
    constant: FloatArray,
    linear: FloatArray,
    quadratic: FloatArray,
) -> None:
    """A sum over pairs of cells as a polynomial of their masks: ``weight`` (n, n) times the sign of the difference of scores, or 1 where they differ.

    stay, come (n,): the codes without and with a swap, -1 for none. constant (2,), linear (2, n), quadratic (2, n, n): first signs, then
    1 for each pair not tied.
    """
    n = len(stay)
    constant[:], linear[:], quadratic[:] = 0.0, 0.0, 0.0
    for c in range(n):
        if stay[c] < 0:
            continue
        for d in range(c):
            if stay[d] < 0:
                continue
            for kind in range(2):
                s00 = _sign(stay[c] - stay[d])
                s10 = _sign(come[c] - stay[d]) if come[c] >= 0 else s00
                s01 = _sign(stay[c] - come[d]) if come[d] >= 0 else s00
                s11 = _sign(come[c] - come[d]) if come[c] >= 0 and come[d] >= 0 else s10 if come[c] >= 0 else s01
                scale = weight[c, d]
                if kind == 1:
                    s00, s10, s01, s11, scale = abs(s00), abs(s10), abs(s01), abs(s11), 1.0
                constant[kind] += scale * s00
                linear[kind, c] += scale * (s10 - s00)
                linear[kind, d] += scale * (s01 - s00)
                quadratic[kind, c, d] = scale * (s11 - s10 - s01 + s00)


@kernel
def _value(
    constant: float, linear: FloatArray, quadratic: FloatArray, masks: FloatArray, inner: FloatArray, out: FloatArray
) -> None:
    """out (n_lanes,): the polynomial at the masks (n, n_lanes); each pair of cells once."""
    out[:] = constant
    for c in range(len(linear)):
        mask = masks[c]
        inner[:] = linear[c]
        for d in range(c):
            factor = quadratic[c, d]
            if factor != 0.0:
                other = masks[d]
                for lane in range(len(out)):
                    inner[lane] += factor * other[lane]
        for lane in range(len(out)):
            out[lane] += mask[lane] * inner[lane]


@kernel
def kendall_difference(
    layout: Layout,
    codes: tuple[NDArray[np.int32], NDArray[np.int32]],
    sides: tuple[Ordered, Ordered],
    flags: Bytes,
    row_of: NDArray[np.int32],
    masks: Bytes,
    out: FloatArray,
) -> None:
    """out (n_lanes,): the mean tau-b of A over groups minus that of B, as in `spearman_difference`; for small groups.

    Where nothing is tied and both metrics have the same cells, the quadratic parts of A and B are one and cancel: the difference is
    linear in the masks. That serves when every group stays defined in every lane.
    """
    n_lanes, most = masks.shape[1], 0
    for group in range(len(flags)):
        most = max(most, layout.starts[group + 1] - layout.starts[group])
    own_a, own_b = codes
    a, b = sides
    stay, come, weight = np.empty(most, np.int32), np.empty(most, np.int32), np.empty((most, most))
    constant, linear, quadratic = np.empty((2, 2)), np.empty((2, 2, most)), np.empty((2, 2, most, most))
    swapped, inner, cross, own = np.empty((most, n_lanes)), np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    total, count = np.zeros((2, n_lanes)), np.zeros((2, n_lanes))
    even = True
    for group in range(len(flags)):
        even = even and not flags[group] & VANISHING
    for p in range(len(layout.cell)):
        c = layout.cell[p]
        even = even and (own_a[c] >= 0) == (own_b[c] >= 0)
    for group in range(len(flags)):
        start, n = layout.starts[group], 0
        tied = flags[group] & TIED
        for p in range(start, layout.starts[group + 1]):
            c = layout.cell[p]
            if own_a[c] < 0 and own_b[c] < 0:
                continue
            stay[n], come[n] = own_a[c], own_b[c]
            mask = masks[row_of[c]]
            for lane in range(n_lanes):
                swapped[n, lane] = mask[lane]
            m = 0
            for q in range(start, p):
                d = layout.cell[q]
                if own_a[d] >= 0 or own_b[d] >= 0:
                    weight[n, m] = _sign(layout.human[c] - layout.human[d])
                    m += 1
            n += 1
        _form(stay[:n], come[:n], weight, constant[0], linear[0], quadratic[0])
        _form(come[:n], stay[:n], weight, constant[1], linear[1], quadratic[1])
        if even and not tied:
            if a.sizes[group] >= 2.0 and a.untied[group] > 0.0:
                scale = np.sqrt(a.sizes[group] * (a.sizes[group] - 1.0) * a.untied[group]) / 2.0
                inner[:] = constant[0, 0] - constant[1, 0]
                for c in range(n):
                    factor = linear[0, 0, c] - linear[1, 0, c]
                    for lane in range(n_lanes):
                        inner[lane] += factor * swapped[c, lane]
                for lane in range(n_lanes):
                    total[0, lane] += inner[lane] / scale
                count += 1.0
            continue
        for side in range(2):
            size = a.sizes[group] if side == 0 else b.sizes[group]
            untied = a.untied[group] if side == 0 else b.untied[group]
            if size < 2.0 or untied == 0.0:
                continue
            _value(constant[side, 0], linear[side, 0, :n], quadratic[side, 0], swapped, inner, cross)
            own[:] = size * (size - 1.0) / 2.0
            if tied:
                _value(constant[side, 1], linear[side, 1, :n], quadratic[side, 1], swapped, inner, own)
            for lane in range(n_lanes):
                if own[lane] > 0.0:
                    total[side, lane] += cross[lane] / np.sqrt(own[lane] * untied / 2.0)
                    count[side, lane] += 1.0
    _minus(total[0], count[0], total[1], count[1], out)


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
    _minus(total_a, count_a, total_b, count_b, out)


@kernel
def _add_tau(cross: FloatArray, own: FloatArray, untied: float, total: FloatArray, count: FloatArray) -> None:
    """Add one group's tau-b; ``cross`` is a quarter of what is counted in both orders, ``own`` and ``untied`` the whole of it."""
    if untied == 0.0:
        return
    for lane in range(len(cross)):
        if own[lane] > 0.0:
            total[lane] += 4.0 * cross[lane] / np.sqrt(own[lane] * untied)
            count[lane] += 1.0
