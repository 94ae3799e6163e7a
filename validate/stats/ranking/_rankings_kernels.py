"""The hot loops of Plackett–Luce. Plain twins are in the tests.

With D_t the worth of all systems from place t on, the log-likelihood of a ranking of k systems is Σ_{t<k-1} (λ_t - ln D_t).
A system in place p enters D_0 … D_p, so that sums of 1/D and 1/D² up to p give all derivatives in k² steps.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray
from validate.stats.ranking._kernels import factorise, substitute


@kernel
def ranking_scores(
    order: IntArray, starts: IntArray, strengths: FloatArray, scores: FloatArray, logs: FloatArray
) -> None:
    """Of one ranking of each kind: the derivative with respect to the system in each place (n_places,), and the log-likelihood (n,)."""
    worth = np.exp(strengths - strengths.max())
    for ranking in range(len(starts) - 1):
        start, stop = starts[ranking], starts[ranking + 1]
        rest = 0.0
        for place in range(stop - 1, start - 1, -1):  # scores hold 1/D for a moment
            rest += worth[order[place]]
            scores[place] = 1.0 / rest
        inverse, logs[ranking] = 0.0, 0.0
        for place in range(start, stop - 1):
            logs[ranking] += math.log(worth[order[place]] * scores[place])
            inverse += scores[place]
            scores[place] = 1.0 - worth[order[place]] * inverse
        scores[stop - 1] = -worth[order[stop - 1]] * inverse


@kernel
def ranking_derivatives(
    order: IntArray,
    starts: IntArray,
    weights: FloatArray,
    strengths: FloatArray,
    gradient: FloatArray,
    hessian: FloatArray,
) -> None:
    """The gradient of the log-likelihood of weighted (n_distinct,) rankings, and minus its second derivatives."""
    gradient[:] = 0.0
    hessian[:] = 0.0
    worth = np.exp(strengths - strengths.max())
    rest = np.empty(len(strengths) + 1)
    for ranking in range(len(starts) - 1):
        weight, start, k = weights[ranking], starts[ranking], starts[ranking + 1] - starts[ranking]
        if weight == 0:
            continue
        rest[k] = 0.0
        for p in range(k - 1, -1, -1):
            rest[p] = rest[p + 1] + worth[order[start + p]]
        inverse, squared = 0.0, 0.0
        for p in range(k):
            i = order[start + p]
            if p < k - 1:
                inverse += 1.0 / rest[p]
                squared += 1.0 / (rest[p] * rest[p])
                gradient[i] += weight
            gradient[i] -= weight * worth[i] * inverse
            hessian[i, i] += weight * worth[i] * (inverse - worth[i] * squared)
            for q in range(p + 1, k):
                j = order[start + q]
                shared = weight * worth[i] * worth[j] * squared
                hessian[i, j] -= shared
                hessian[j, i] -= shared


@kernel
def climb_rankings(
    order: IntArray,
    starts: IntArray,
    weights: FloatArray,
    anchor: FloatArray,
    strengths: FloatArray,
    tolerance: float,
    longest: float,
    most_steps: int,
) -> NDArray[np.bool_]:
    """(b,) whether Newton's method converged for weights (b, n_distinct); ``strengths`` (b, n_systems) are moved to the maximum."""
    n_systems = strengths.shape[1]
    converged = np.zeros(len(weights), np.bool_)
    hessian, step, column = np.empty((n_systems, n_systems)), np.empty(n_systems), np.empty(n_systems)
    for table in range(len(weights)):
        for _ in range(most_steps):
            ranking_derivatives(order, starts, weights[table], strengths[table], step, hessian)
            hessian += anchor
            if not factorise(hessian, column):
                break
            substitute(hessian, step)
            change = (step.max() - step.min()) / 2
            strengths[table] += step * (longest / change if change > longest else 1.0)
            if change <= tolerance:
                converged[table] = True
                break
    return converged
