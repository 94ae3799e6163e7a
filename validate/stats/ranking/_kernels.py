"""The hot loops of Bradley–Terry: is there a finite maximum, and Newton's way to it. Plain twins are in the tests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray


@kernel
def has_maximum(first: IntArray, second: IntArray, counts: FloatArray, roots: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(b,) whether every system reaches and is reached from the root of its component along "took points from"."""
    n_tables, n_pairs = counts.shape[0], counts.shape[1]
    n_systems = len(roots)
    connected = np.ones(n_tables, np.bool_)
    reached = np.empty(n_systems, np.bool_)
    for table in range(n_tables):
        for turned in range(2):
            reached[:] = roots
            changed = True
            while changed:
                changed = False
                for pair in range(n_pairs):
                    i, j = first[pair], second[pair]
                    if reached[i] == reached[j]:
                        continue
                    won = counts[table, pair, 0 if reached[i] == (turned == 0) else 2]
                    if won + counts[table, pair, 1] > 0:
                        reached[i] = reached[j] = changed = True
            for system in range(n_systems):
                if not reached[system]:
                    connected[table] = False
    return connected


@kernel
def climb(
    first: IntArray,
    second: IntArray,
    counts: FloatArray,
    anchor: FloatArray,
    davidson: bool,
    strengths: FloatArray,
    log_tie: FloatArray,
    tolerance: float,
    longest: float,
    most_steps: int,
) -> NDArray[np.bool_]:
    """(b,) whether Newton's method converged; ``strengths`` (b, n_systems) and ``log_tie`` (b,) are moved to the maximum."""
    n_systems = strengths.shape[1]
    k = n_systems + 1 if davidson else n_systems
    converged = np.zeros(len(counts), np.bool_)
    hessian, step, column = np.empty((k, k)), np.empty(k), np.empty(k)
    for table in range(len(counts)):
        for _ in range(most_steps):
            _derivatives(first, second, counts[table], davidson, strengths[table], log_tie[table], step, hessian)
            hessian[:n_systems, :n_systems] += anchor
            if davidson and hessian[n_systems, n_systems] == 0:
                hessian[n_systems, n_systems] = 1.0  # without ties γ stays where it is
            if not _solve(hessian, step, column):
                break
            change = abs(step[n_systems]) if davidson else 0.0
            for pair in range(len(first)):
                change = max(change, abs(step[first[pair]] - step[second[pair]]) / 2)
            scale = longest / change if change > longest else 1.0
            strengths[table] += step[:n_systems] * scale
            if davidson:
                log_tie[table] += step[n_systems] * scale
            if change <= tolerance:
                converged[table] = True
                break
    return converged


@kernel
def _derivatives(
    first: IntArray,
    second: IntArray,
    counts: FloatArray,
    davidson: bool,
    strengths: FloatArray,
    log_tie: float,
    gradient: FloatArray,
    hessian: FloatArray,
) -> None:
    """The gradient of the log-likelihood, and minus its second derivatives."""
    n = len(strengths)
    gradient[:] = 0.0
    hessian[:] = 0.0
    for pair in range(len(first)):
        i, j = first[pair], second[pair]
        judged = counts[pair, 0] + counts[pair, 1] + counts[pair, 2]
        if judged == 0:
            continue
        half = (strengths[i] - strengths[j]) / 2
        top = max(abs(half), log_tie)
        win, tie, loss = math.exp(half - top), math.exp(log_tie - top), math.exp(-half - top)
        total = win + tie + loss
        tie, lean = tie / total, (win - loss) / total
        surplus = (counts[pair, 0] - counts[pair, 2] - judged * lean) / 2
        gradient[i] += surplus
        gradient[j] -= surplus
        own = judged * (1 - tie - lean * lean) / 4
        hessian[i, i] += own
        hessian[j, j] += own
        hessian[i, j] -= own
        hessian[j, i] -= own
        if davidson:
            gradient[n] += counts[pair, 1] - judged * tie
            shared = judged * tie * lean / 2
            hessian[n, n] += judged * tie * (1 - tie)
            hessian[n, i] -= shared
            hessian[n, j] += shared
            hessian[i, n] -= shared
            hessian[j, n] += shared


@kernel
def chord(
    first: IntArray,
    second: IntArray,
    counts: FloatArray,
    factor: FloatArray,
    strengths: FloatArray,
    tolerance: float,
    longest: float,
    most_steps: int,
) -> NDArray[np.bool_]:
    """(b,) whether Newton's method with one curvature kept for all tables converged, ties being halves.

    ``factor`` is Cholesky's of the curvature at a solution near those sought; ``strengths`` (b, n_systems) start there and move.
    """
    n_systems, n_pairs = strengths.shape[1], len(first)
    converged = np.zeros(len(counts), np.bool_)
    points, worth, step, judged = np.empty(n_systems), np.empty(n_systems), np.empty(n_systems), np.empty(n_pairs)
    for table in range(len(counts)):
        points[:] = 0.0
        for pair in range(n_pairs):
            half_ties = counts[table, pair, 1] / 2
            points[first[pair]] += counts[table, pair, 0] + half_ties
            points[second[pair]] += counts[table, pair, 2] + half_ties
            judged[pair] = counts[table, pair, 0] + counts[table, pair, 1] + counts[table, pair, 2]
        for _ in range(most_steps):
            worth[:] = np.exp(strengths[table])
            step[:] = points
            for pair in range(n_pairs):
                i, j = first[pair], second[pair]
                expected = judged[pair] * worth[i] / (worth[i] + worth[j])
                step[i] -= expected
                step[j] -= judged[pair] - expected
            substitute(factor, step)
            change = np.abs(step).max()
            if not change <= longest:
                break
            strengths[table] += step
            if change <= tolerance:
                converged[table] = True
                break
    return converged


@kernel
def _solve(matrix: FloatArray, vector: FloatArray, column: FloatArray) -> bool:
    """Solve a positive definite system in place by Cholesky's method; False where it is not positive definite."""
    if not factorise(matrix, column):
        return False
    substitute(matrix, vector)
    return True


@kernel
def factorise(matrix: FloatArray, column: FloatArray) -> bool:
    """Cholesky's factor in the lower half of a matrix, in place; False where it is not positive definite."""
    k = len(matrix)
    for j in range(k):
        if not matrix[j, j] > 0:
            return False
        pivot = math.sqrt(matrix[j, j])
        column[j] = pivot
        for i in range(j + 1, k):
            column[i] = matrix[i, j] / pivot
        for i in range(j, k):
            matrix[i, j] = column[i]
        for i in range(j + 1, k):
            factor = column[i]
            for m in range(j + 1, i + 1):
                matrix[i, m] -= factor * column[m]
    return True


@kernel
def substitute(factor: FloatArray, vector: FloatArray) -> None:
    """Solve L Lᵀ x = vector in place, L being the lower half of ``factor``."""
    k = len(vector)
    for j in range(k):
        for m in range(j):
            vector[j] -= factor[j, m] * vector[m]
        vector[j] /= factor[j, j]
    for j in range(k - 1, -1, -1):
        vector[j] /= factor[j, j]
        for m in range(j):
            vector[m] -= factor[j, m] * vector[j]
