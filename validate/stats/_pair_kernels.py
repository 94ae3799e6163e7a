"""The hot loops over pairs of outputs: who comes first in the metric, who in the human scores, and by how much.

All walk pairs that `validate.stats._pairs.presort` has ordered by the metric, human scores ascending within a run of ties, and
count each output once. Runs of tied metric scores stand for their first score, so that a distance between two runs is one number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validate._compile import kernel
from validate.schema import FloatArray, IntArray
from validate.stats._pairs import Sorted


@kernel
def separated_counts(
    points: Sorted, bounds: IntArray, below: IntArray, above: IntArray, threshold: float, out: IntArray
) -> None:
    """out (n_groups, 3): pairs whose metric scores lie more than ``threshold`` apart, by whether people agree, disagree, or see a tie.

    bounds (n_groups + 1,) of the human levels as in `Levels`; levels before ``below[level]`` are worse for people and levels from
    ``above[level]`` on are better, what lies between is tied. A Fenwick tree over the levels holds the outputs that are far enough below.
    """
    most = 0
    for group in range(len(bounds) - 1):
        most = max(most, bounds[group + 1] - bounds[group])
    tree = np.zeros(most + 1, dtype=np.int64)
    for group in range(len(bounds) - 1):
        p, stop = points.starts[group], points.starts[group + 1]
        low, n_levels = bounds[group], bounds[group + 1] - bounds[group]
        tree[: n_levels + 1] = 0
        entered, n_in, far = p, 0, 0.0
        while p < stop:
            value = points.value[p]
            while entered < p:
                if points.fresh[entered]:
                    far = points.value[entered]
                if value - far <= threshold:
                    break
                node = points.level[entered] - low + 1
                while node <= n_levels:
                    tree[node] += 1
                    node += node & -node
                entered += 1
                n_in += 1
            start = p
            while p < stop and (p == start or not points.fresh[p]):
                level, worse, not_better = points.level[p], 0, 0
                node = below[level] - low
                while node > 0:
                    worse += tree[node]
                    node -= node & -node
                node = above[level] - low
                while node > 0:
                    not_better += tree[node]
                    node -= node & -node
                out[group, 0] += worse
                out[group, 1] += n_in - not_better
                out[group, 2] += not_better - worse
                p += 1


class Runs(NamedTuple):
    """Runs of tied metric scores: where they begin among the outputs (n_runs + 1,) and which belong to a group (n_groups + 1,).

    ``value`` (n_runs,) is the metric score.
    """

    starts: IntArray
    bounds: IntArray
    value: FloatArray


@kernel
def near_pairs(runs: Runs, threshold: float) -> int:
    """How many pairs of runs are at most ``threshold`` apart."""
    n = 0
    for group in range(len(runs.bounds) - 1):
        near = runs.bounds[group]
        for run in range(runs.bounds[group], runs.bounds[group + 1]):
            while runs.value[run] - runs.value[near] > threshold:
                near += 1
            n += run - near
    return n


@kernel
def gains_between(points: Sorted, runs: Runs, weights: FloatArray, above: float, upto: float, out: FloatArray) -> int:
    """Pairs of runs more than ``above`` and at most ``upto`` apart: fill out (n, 3) with their distance, and what tying them gains and loses.

    A pair of outputs gains ``weights[group]`` where people see a tie, and loses as much where they agree with the metric. Says how many rows
    were filled: pairs that people order the other way neither gain nor lose and are left out.
    """
    n = 0
    for group in range(len(weights)):
        first, last = runs.bounds[group], runs.bounds[group]
        for run in range(runs.bounds[group], runs.bounds[group + 1]):
            value = runs.value[run]
            while value - runs.value[first] > upto:
                first += 1
            while last < run and value - runs.value[last] > above:
                last += 1
            for other in range(first, last):
                tied, agree = _cross(points, runs.starts, other, run)
                if tied + agree > 0:
                    out[n, 0] = value - runs.value[other]
                    out[n, 1], out[n, 2] = weights[group] * tied, weights[group] * agree
                    n += 1
    return n


@kernel
def _cross(points: Sorted, starts: IntArray, first: int, second: int) -> tuple[int, int]:
    """Of pairs between two runs, the second higher: how many are tied for people, and how many agree. Both ascend in the human score."""
    tied, agree, below, upto, stop = 0, 0, starts[first], starts[first], starts[first + 1]
    for p in range(starts[second], starts[second + 1]):
        level = points.level[p]
        while below < stop and points.level[below] < level:
            below += 1
        upto = max(upto, below)
        while upto < stop and points.level[upto] == level:
            upto += 1
        agree += below - starts[first]
        tied += upto - below
    return tied, agree


@kernel
def concordance(points: Sorted, n_levels: int) -> FloatArray:
    """(n,) with how many others each pair agrees minus with how many it disagrees; one group, in the metric's order.

    The tree holds all pairs up to the present run of ties; those beyond it are all less these.
    """
    n = len(points.level)
    out = np.zeros(n)
    tree, everything = np.zeros(n_levels + 1, dtype=np.int64), np.zeros(n_levels + 1, dtype=np.int64)
    for p in range(n):
        everything[points.level[p] + 1] += 1
    everything = np.cumsum(everything)
    p = 0
    while p < n:
        stop = p + 1
        while stop < n and not points.fresh[stop]:
            stop += 1
        for entered in range(2):
            for q in range(p, stop):
                level = points.level[q]
                below, upto = _upto(tree, level), _upto(tree, level + 1)
                before = p if entered == 0 else stop
                balance = below - (before - upto)
                if entered == 0:  # lower in the metric: agree where lower for people
                    out[q] = balance
                else:  # higher in the metric: agree where higher for people
                    out[q] -= (everything[level] - (n - everything[level + 1])) - balance
            if entered == 0:
                for q in range(p, stop):
                    node = points.level[q] + 1
                    while node <= n_levels:
                        tree[node] += 1
                        node += node & -node
        p = stop
    return out


@kernel
def _upto(tree: IntArray, n_levels: int) -> int:
    """How many there are on the first so many levels."""
    total, node = 0, n_levels
    while node > 0:
        total += tree[node]
        node -= node & -node
    return total
