"""Standard errors of strengths that hold when the model is only an approximation and judgments come in clusters."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from validate.schema import FloatArray
from validate.stats.ranking.cells import LOSS, TIE, WIN
from validate.stats.ranking.clusters import Clusters, squares, units_of_systems
from validate.stats.ranking.newton import DECIMALS, Fit, Problem, curvature, probabilities


def standard_errors(problem: Problem, counts: FloatArray, fitted: Fit, clusters: Clusters | None) -> FloatArray:
    """(n_systems,) √diag(H⁻¹ G H⁻¹): H the curvature at the fit, G the summed squares of the scores of judgments or clusters.

    ``counts`` (1, n_pairs, 3) are those that were fitted, with a prior's pseudo-judgments; G is made of real judgments only. What H expects of one judgment
    (cluster) a system is added to G, so that a few judgments with one and the same outcome do not look certain.
    """
    cells = problem.cells
    if np.isposinf(fitted.log_tie[0]):
        return np.full(cells.n_systems, np.nan)
    chances = probabilities(problem, fitted.strengths, fitted.log_tie)
    sums = squares(_cell_scores(problem, chances[0]), cells.cell, clusters)
    anchored = curvature(problem, counts.sum(axis=-1), chances)[0]
    took_part = units_of_systems(cells, clusters)
    return robust(anchored, problem.anchor, sums, float(took_part[took_part > 0].mean()) if took_part.any() else np.nan)


def robust(
    anchored: FloatArray, anchor: FloatArray, sums: list[tuple[float, sparse.csr_array]], n_units: float
) -> FloatArray:
    """(n_systems,) √diag(H⁻¹ G H⁻¹) for H with its anchor (k, k), G the signed products of ``sums``; NaN without any.

    A difference of variances, as two kinds of clusters give, can be too small by chance: a variance is never taken to be less
    than what it would be if only judgments in the same clusters of both kinds hung together.
    """
    n = len(anchor)
    if not sums:
        return np.full(n, np.nan)
    bread, expected = np.linalg.inv(anchored), anchored.copy()
    expected[:n, :n] -= anchor
    parts = [factor * (spread**2).sum(axis=0) for factor, scores in sums for spread in [scores @ bread[:, :n]]]
    variance = np.maximum(np.sum(parts, axis=0), -parts[-1])
    variance += np.diag(bread @ (expected / n_units) @ bread)[:n]
    return np.sqrt(np.maximum(variance, 0.0)).round(DECIMALS)


def _cell_scores(problem: Problem, chances: FloatArray) -> sparse.csr_array:
    """(3 n_pairs, k) derivative of the log-likelihood of one judgment of each cell with respect to the parameters."""
    lean = chances[:, WIN] - chances[:, LOSS]
    residual = np.empty((len(lean), 3))
    residual[:, WIN], residual[:, TIE], residual[:, LOSS] = (1 - lean) / 2, -lean / 2, (-1 - lean) / 2
    by_system = sparse.kron(problem.incidence.T, np.ones((3, 1))).multiply(residual.reshape(-1, 1))
    if not problem.davidson:
        return by_system.tocsr()
    by_tie = np.array([0.0, 1.0, 0.0]) - chances[:, TIE, None]
    return sparse.hstack([by_system, by_tie.reshape(-1, 1)]).tocsr()
