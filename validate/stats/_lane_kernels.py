"""One replicate at a time: for studies so large that the multiplicities of several replicates would not fit into the cache.

Twins of kernels in `validate.stats._kernels`, which they agree with to the last digit, since a lane there depends on no other and its sums
are taken in the same order.
"""

from __future__ import annotations

from validate._compile import kernel
from validate.schema import FloatArray
from validate.stats._kernels import HumanSums
from validate.stats._pairs import Sorted


@kernel
def human_lane(points: Sorted, first: FloatArray, second: FloatArray, out: HumanSums) -> None:
    """`human_sums` of one lane: first (n_rows, 1), second (n_cols, 1)."""
    for group in range(len(points.starts) - 1):
        start, stop = points.starts[group], points.starts[group + 1]
        size, mean = 0.0, 0.0
        for p in range(start, stop):
            weight = first[points.row[p], 0] * second[points.col[p], 0]
            size += weight
            mean += weight * points.value[p]
        mean /= max(size, 1.0)
        square, rank_square, untied, before = 0.0, 0.0, size * size, 0.0
        p = start
        while p < stop:
            level, run = points.level[p], 0.0
            while p < stop and points.level[p] == level:
                weight, centred = first[points.row[p], 0] * second[points.col[p], 0], points.value[p] - mean
                run += weight
                square += weight * centred * centred
                p += 1
            rank = 2.0 * before + run - size
            out.ranks[level, 0] = rank
            rank_square += run * rank * rank
            untied -= run * run
            before += run
        out.sizes[group, 0], out.means[group, 0] = size, mean
        out.squares[group, 0] = square if untied != 0.0 else 0.0  # constant: what is left is rounding
        out.rank_squares[group, 0], out.untied[group, 0] = rank_square, untied


@kernel
def spearman_lane(
    points: Sorted, first: FloatArray, second: FloatArray, human: HumanSums, cross: FloatArray, own: FloatArray
) -> None:
    """`spearman_sums` of one lane."""
    for group in range(len(points.starts) - 1):
        p, stop = points.starts[group], points.starts[group + 1]
        size, before, xy, xx = human.sizes[group, 0], 0.0, 0.0, 0.0
        while p < stop:
            run, pull, run_start = 0.0, 0.0, p
            while p < stop and (p == run_start or not points.fresh[p]):
                weight = first[points.row[p], 0] * second[points.col[p], 0]
                run += weight
                pull += weight * human.ranks[points.level[p], 0]
                p += 1
            rank = 2.0 * before + run - size
            xy += rank * pull
            xx += run * rank * rank
            before += run
        cross[group, 0], own[group, 0] = xy, xx
