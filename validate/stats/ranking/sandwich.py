"""Standard errors of strengths that hold when the model is only an approximation and judgments come in clusters."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from validate.schema import FloatArray, IntArray
from validate.stats.ranking.cells import LOSS, TIE, WIN, by_cluster, units_of_systems
from validate.stats.ranking.newton import DECIMALS, Fit, Problem, curvature, probabilities


def standard_errors(problem: Problem, counts: FloatArray, fitted: Fit, cluster: IntArray | None) -> FloatArray:
    """(n_systems,) √diag(H⁻¹ G H⁻¹): H the curvature at the fit, G the summed squares of the scores of judgments or clusters.

    ``counts`` (1, n_pairs, 3) are those that were fitted, with a prior's pseudo-judgments; G is made of real judgments only,
    times K/(K-1) for K judgments or clusters (Liang and Zeger 1986, doi:10.1093/biomet/73.1.13). What H expects of one judgment
    (cluster) a system is added to G, so that a few judgments with one and the same outcome do not look certain.
    """
    cells = problem.cells
    if np.isposinf(fitted.log_tie[0]) or len(cells.cell) < 2:
        return np.full(cells.n_systems, np.nan)
    chances = probabilities(problem, fitted.strengths, fitted.log_tie)
    scores = _cell_scores(problem, chances[0])
    took_part = units_of_systems(cells, cluster)
    if cluster is None:
        k = len(cells.cell)
        meat = (scores.T @ scores.multiply(cells.counts.ravel()[:, None])).toarray()
    else:
        grouped = by_cluster(cells, cluster) @ scores
        k = grouped.shape[0]
        meat = (grouped.T @ grouped).toarray()
    if k < 2:
        return np.full(cells.n_systems, np.nan)
    anchored = curvature(problem, counts.sum(axis=-1), chances)[0]
    n = cells.n_systems
    expected = anchored.copy()
    expected[:n, :n] -= problem.anchor
    meat = meat * k / (k - 1) + expected / took_part[took_part > 0].mean()
    bread = np.linalg.inv(anchored)
    variance: FloatArray = np.diag(bread @ meat @ bread)[:n]
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
