"""The hot loops: weighted sums of pairs for many replicates side by side.

Pearson's r, Spearman's rho and Kendall's tau-b are all one quotient, ``cross / sqrt(own * other)``: of centred scores, of
centred ranks, and of the signs of pairs of pairs (Kendall 1938, Daniels 1944). Each kernel here yields ``cross`` and the
metric's ``own``; the human side's ``other`` is shared by all metrics that are defined on the same pairs.

Replicates lie along the last axis (the *lanes*), so that every inner loop is one vector instruction after the other and
what happens in a lane depends on no other lane. A pair counts ``first[row] * second[col]`` times in a replicate; copies
of a pair are tied with each other on both sides, exactly as if the resampled data had been written out. Sums of
ranks and of signs are integers and therefore exact in float64 (for groups under about 100,000 pairs; beyond that to 16 digits).

References
----------
Daniels, H. E. (1944). The relation between measures of correlation in the universe of sample permutations.
Biometrika 33(2). doi:10.1093/biomet/33.2.129
Fenwick, P. M. (1994). A new data structure for cumulative frequency tables. Software: Practice and Experience 24(3).
doi:10.1002/spe.4380240306
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validate._compile import kernel
from validate.schema import FloatArray, IntArray
from validate.stats._pairs import Sorted
from validate.stats._ties import RELATIVE


class HumanSums(NamedTuple):
    """What the human side contributes; n_levels counts through all groups, groups and lanes as in the kernels.

    ``bounds`` (n_groups + 1,): where the levels of each group begin. ``ranks`` (n_levels, n_lanes): twice the centred midrank of each
    level. ``sizes``, ``means`` (n_groups, n_lanes): how many pairs there are, and their weighted mean. ``squares``, ``rank_squares``, ``untied``
    (n_groups, n_lanes): the three ``other``; exactly 0 where the human score is constant.
    """

    bounds: IntArray
    ranks: FloatArray
    sizes: FloatArray
    means: FloatArray
    squares: FloatArray
    rank_squares: FloatArray
    untied: FloatArray

    @classmethod
    def empty(cls, bounds: IntArray, n_lanes: int) -> HumanSums:
        """Room for the sums of that many groups and replicates."""
        cells = [np.empty((len(bounds) - 1, n_lanes)) for _ in range(5)]
        return cls(bounds, np.empty((int(bounds[-1]), n_lanes)), *cells)


@kernel
def weighted_sums(table: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """out (n_rows, n_lanes) = table (n_rows, n_items) @ weights (n_items, n_lanes), summed in the order of the items.

    A matrix product of this shape is hardly faster from a library, whose threads get into each other's way and whose last
    digits depend on their number.
    """
    out[:] = 0.0
    n_items = table.shape[1]
    for r in range(table.shape[0]):
        total, i = out[r], 0
        while i + 4 <= n_items:  # four at a time: the running total is read and written less often
            one, two, three, four = table[r, i], table[r, i + 1], table[r, i + 2], table[r, i + 3]
            for b in range(weights.shape[1]):
                near = total[b] + one * weights[i, b] + two * weights[i + 1, b]
                total[b] = near + three * weights[i + 2, b] + four * weights[i + 3, b]
            i += 4
        while i < n_items:
            for b in range(weights.shape[1]):
                total[b] += table[r, i] * weights[i, b]
            i += 1


@kernel
def human_sums(points: Sorted, first: FloatArray, second: FloatArray, out: HumanSums) -> None:
    """Fill ``out``; ``points`` is sorted by the human score. first (n_rows, n_lanes), second (n_cols, n_lanes)."""
    n_lanes = first.shape[1]
    before, run = np.empty(n_lanes), np.empty(n_lanes)
    for group in range(len(points.starts) - 1):
        start, stop = points.starts[group], points.starts[group + 1]
        size, mean, square = out.sizes[group], out.means[group], out.squares[group]
        size[:], mean[:], square[:], before[:] = 0.0, 0.0, 0.0, 0.0
        for p in range(start, stop):
            a, c, y = first[points.row[p]], second[points.col[p]], points.value[p]
            for b in range(n_lanes):
                size[b] += a[b] * c[b]
                mean[b] += a[b] * c[b] * y
        rank_square, untied = out.rank_squares[group], out.untied[group]
        rank_square[:] = 0.0
        for b in range(n_lanes):
            mean[b] /= max(size[b], 1.0)
            untied[b] = size[b] * size[b]
        p = start
        while p < stop:
            level = points.level[p]
            run[:] = 0.0
            while p < stop and points.level[p] == level:
                a, c, y = first[points.row[p]], second[points.col[p]], points.value[p]
                for b in range(n_lanes):
                    weight, centred = a[b] * c[b], y - mean[b]
                    run[b] += weight
                    square[b] += weight * centred * centred
                p += 1
            rank = out.ranks[level]
            for b in range(n_lanes):
                rank[b] = 2.0 * before[b] + run[b] - size[b]
                rank_square[b] += run[b] * rank[b] * rank[b]
                untied[b] -= run[b] * run[b]
                before[b] += run[b]
        for b in range(n_lanes):
            if untied[b] == 0.0:
                square[b] = 0.0  # constant: what is left is rounding


@kernel
def pearson_sums(
    points: Sorted, first: FloatArray, second: FloatArray, human: HumanSums, cross: FloatArray, own: FloatArray
) -> None:
    """Centred products and squares; cross and own (n_groups, n_lanes) are filled. Two passes, so that nothing cancels."""
    n_lanes = first.shape[1]
    mean, run, untied = np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    for group in range(len(points.starts) - 1):
        start, stop = points.starts[group], points.starts[group + 1]
        size, other_mean, xy, xx = human.sizes[group], human.means[group], cross[group], own[group]
        mean[:], xy[:], xx[:] = 0.0, 0.0, 0.0
        untied[:] = size * size
        p = start
        while p < stop:
            run[:] = 0.0
            run_start = p
            while p < stop and (p == run_start or not points.fresh[p]):
                a, c, x = first[points.row[p]], second[points.col[p]], points.value[p]
                for b in range(n_lanes):
                    run[b] += a[b] * c[b]
                    mean[b] += a[b] * c[b] * x
                p += 1
            for b in range(n_lanes):
                untied[b] -= run[b] * run[b]
        for b in range(n_lanes):
            mean[b] /= max(size[b], 1.0)
        for p in range(start, stop):
            a, c, x, y = first[points.row[p]], second[points.col[p]], points.value[p], points.other[p]
            for b in range(n_lanes):
                centred = x - mean[b]
                weighted = a[b] * c[b] * centred
                xx[b] += weighted * centred
                xy[b] += weighted * (y - other_mean[b])
        for b in range(n_lanes):
            if untied[b] == 0.0:
                xx[b] = 0.0  # constant: what is left is rounding


@kernel
def spearman_sums(
    points: Sorted, first: FloatArray, second: FloatArray, human: HumanSums, cross: FloatArray, own: FloatArray
) -> None:
    """Products and squares of twice the centred midranks: a run of t pairs after n- others has 2 n- + t - n."""
    n_lanes = first.shape[1]
    before, run, pull = np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    for group in range(len(points.starts) - 1):
        p, stop = points.starts[group], points.starts[group + 1]
        size, xy, xx = human.sizes[group], cross[group], own[group]
        before[:], xy[:], xx[:] = 0.0, 0.0, 0.0
        while p < stop:
            run[:], pull[:] = 0.0, 0.0
            run_start = p
            while p < stop and (p == run_start or not points.fresh[p]):
                a, c, other = first[points.row[p]], second[points.col[p]], human.ranks[points.level[p]]
                for b in range(n_lanes):
                    weight = a[b] * c[b]
                    run[b] += weight
                    pull[b] += weight * other[b]
                p += 1
            for b in range(n_lanes):
                rank = 2.0 * before[b] + run[b] - size[b]
                xy[b] += rank * pull[b]
                xx[b] += run[b] * rank * rank
                before[b] += run[b]


@kernel
def kendall_sums(
    points: Sorted, first: FloatArray, second: FloatArray, human: HumanSums, cross: FloatArray, own: FloatArray
) -> None:
    """Concordant minus discordant, and pairs of pairs not tied in the metric; both counted in both orders.

    A Fenwick tree over the human levels says, for each pair in the metric's order, how many earlier ones are below it.
    """
    n_lanes = first.shape[1]
    bounds, most = human.bounds, 0
    for group in range(len(bounds) - 1):
        most = max(most, bounds[group + 1] - bounds[group])
    tree, here = np.empty((most + 1, n_lanes)), np.empty((most, n_lanes))
    before, run, below, weight = np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    for group in range(len(points.starts) - 1):
        p, stop = points.starts[group], points.starts[group + 1]
        low, n_levels = bounds[group], bounds[group + 1] - bounds[group]
        size, xy, xx = human.sizes[group], cross[group], own[group]
        tree[: n_levels + 1], here[:n_levels] = 0.0, 0.0
        before[:], xy[:] = 0.0, 0.0
        xx[:] = size * size
        while p < stop:
            q = p
            while q < stop and (
                q == p or not points.fresh[q]
            ):  # ask for the whole run of ties before any of it is entered
                a, c, level = first[points.row[q]], second[points.col[q]], points.level[q] - low
                same = here[level]
                below[:] = 0.0
                node = level
                while node > 0:
                    branch = tree[node]
                    for b in range(n_lanes):
                        below[b] += branch[b]
                    node -= node & -node
                for b in range(n_lanes):  # below minus above, where above = before - below - same
                    xy[b] += a[b] * c[b] * (2.0 * below[b] + same[b] - before[b])
                q += 1
            run[:] = 0.0
            while p < q:
                a, c, level = first[points.row[p]], second[points.col[p]], points.level[p] - low
                same = here[level]
                for b in range(n_lanes):
                    weight[b] = a[b] * c[b]
                    run[b] += weight[b]
                    same[b] += weight[b]
                node = level + 1
                while node <= n_levels:
                    branch = tree[node]
                    for b in range(n_lanes):
                        branch[b] += weight[b]
                    node += node & -node
                p += 1
            for b in range(n_lanes):
                before[b] += run[b]
                xx[b] -= run[b] * run[b]
        for b in range(n_lanes):
            xy[b] *= 2.0


@kernel
def mean_quotient(cross: FloatArray, own: FloatArray, other: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """out (n_lanes,) = the weighted mean over groups of cross / sqrt(own * other), over the groups where that is defined.

    All but ``out`` have shape (n_groups, n_lanes). NaN in a lane where no group is defined.
    """
    n_groups, n_lanes = cross.shape
    total, count = np.zeros(n_lanes), np.zeros(n_lanes)
    for group in range(n_groups):
        for b in range(n_lanes):
            scale = np.sqrt(own[group, b] * other[group, b])
            if scale > 0.0 and weights[group, b] > 0.0:
                total[b] += weights[group, b] * min(1.0, max(-1.0, cross[group, b] / scale))
                count[b] += weights[group, b]
    for b in range(n_lanes):
        out[b] = total[b] / count[b] if count[b] > 0.0 else np.nan


@kernel
def _cosine(x: FloatArray, y: FloatArray, w: FloatArray, centre: bool) -> float:
    """Weighted cosine of two vectors, of their deviations from the mean when ``centre``."""
    mean_x, mean_y = 0.0, 0.0
    if centre:
        mean_x, mean_y = (w * x).sum() / w.sum(), (w * y).sum() / w.sum()
    xy, xx, yy = 0.0, 0.0, 0.0
    for s in range(len(w)):
        dx, dy = x[s] - mean_x, y[s] - mean_y
        xy += w[s] * dx * dy
        xx += w[s] * dx * dx
        yy += w[s] * dy * dy
    return min(1.0, max(-1.0, xy / np.sqrt(xx * yy)))


@kernel
def system_coefficients(
    metric: FloatArray, human: FloatArray, weights: FloatArray, slacks: tuple[float, float], out: FloatArray
) -> None:
    """out (3, n_lanes): Pearson, Spearman, Kendall of score vectors that differ from lane to lane, so that nothing is sorted.

    metric, human, weights are (n_systems, n_lanes). Systems without a score or of weight 0 do not enter. Scores are tied
    by the rule of `validate.stats._ties`; ``slacks`` are its absolute parts. A sum over others of the sign of the difference is
    twice the centred midrank, so one walk over pairs of systems yields ranks and signs at once.
    """
    n_systems, n_lanes = metric.shape
    x, y, w = np.empty(n_systems), np.empty(n_systems), np.empty(n_systems)
    rank_x, rank_y = np.empty(n_systems), np.empty(n_systems)
    for b in range(n_lanes):
        n = 0
        for s in range(n_systems):
            if weights[s, b] > 0.0 and not np.isnan(metric[s, b]) and not np.isnan(human[s, b]):
                x[n], y[n], w[n] = metric[s, b], human[s, b], weights[s, b]
                n += 1
        rank_x[:n], rank_y[:n] = 0.0, 0.0
        signs, untied_x, untied_y = 0.0, 0.0, 0.0
        for s in range(n):
            for t in range(s):
                dx, dy = x[s] - x[t], y[s] - y[t]
                near_x = RELATIVE * max(abs(x[s]), abs(x[t])) + slacks[0]
                near_y = RELATIVE * max(abs(y[s]), abs(y[t])) + slacks[1]
                sign_x = 1.0 if dx > near_x else -1.0 if dx < -near_x else 0.0
                sign_y = 1.0 if dy > near_y else -1.0 if dy < -near_y else 0.0
                both = w[s] * w[t]
                signs += both * sign_x * sign_y
                untied_x += both * abs(sign_x)
                untied_y += both * abs(sign_y)
                rank_x[s] += w[t] * sign_x
                rank_x[t] -= w[s] * sign_x
                rank_y[s] += w[t] * sign_y
                rank_y[t] -= w[s] * sign_y
        out[:, b] = np.nan
        if untied_x > 0.0 and untied_y > 0.0:
            out[0, b] = _cosine(x[:n], y[:n], w[:n], True)
            out[1, b] = _cosine(rank_x[:n], rank_y[:n], w[:n], False)
            out[2, b] = min(1.0, max(-1.0, signs / np.sqrt(untied_x * untied_y)))
