"""Bradley–Terry and Davidson strengths by Newton's method, for many tables of counts at once.

Every pair of systems is a multinomial logit in δ = λ_i - λ_j: win, tie and loss have the scores δ/2, γ, -δ/2, with γ = log ν in
Davidson's model; where ties count half there are no ties and γ = -∞. The log-likelihood is concave, and along a step that
changes no score by more than M its curvature changes at most by exp(±2M): a step cut to M ≤ 3/4 always ascends (Bach 2010,
doi:10.1214/09-EJS521), so that Newton's method needs no line search, and ends quadratically.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from validate.schema import FloatArray, IntArray
from validate.stats.ranking._kernels import chord, climb, factorise
from validate.stats.ranking.cells import LOSS, TIE, WIN, Cells

TOLERANCE = 1e-9  # of a step; the error that remains is its square
DECIMALS = 10  # of strengths: equal in exact arithmetic is equal here, whatever the order of sums
MOST_STEPS = 200
LONGEST = 0.75
MOST_CHORDS = 30  # steps with one curvature for all tables; tables that need more get their own curvature


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Strengths (b, n_systems) with mean 0 in each component, γ (b,), and which of the b fits converged."""

    strengths: FloatArray
    log_tie: FloatArray
    converged: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What all tables of counts have in common.

    Parameters
    ----------
    cells : Cells
    incidence : (n_systems, n_pairs) sparse
    anchor : (n_systems, n_systems) float64
        Added to the curvature, which is blind to a shift of a whole component: it holds the mean of each component.
    davidson : bool
        Whether ties have a parameter of their own.
    """

    cells: Cells
    incidence: sparse.csr_array
    anchor: FloatArray
    davidson: bool

    @classmethod
    def of(cls, cells: Cells, components: IntArray, *, davidson: bool) -> Problem:
        same = components[:, None] == components
        judged = np.maximum(cells.judged, 1)
        size = same.sum(axis=1)
        level = (same @ judged) / size  # the scale of the curvature, judgments a system
        return cls(cells, cells.incidence(), same * (level / size)[:, None] / 4, davidson)


def fit(problem: Problem, counts: FloatArray, start: Fit | None = None) -> Fit:
    """Fit tables of counts (b, n_pairs, 3), from zero or from an earlier single fit."""
    b, n = len(counts), problem.cells.n_systems
    strengths = np.zeros((b, n)) if start is None else np.repeat(start.strengths, b, axis=0)
    log_tie = np.zeros(b) if start is None else np.repeat(start.log_tie, b)
    log_tie = np.where(_no_ties(problem, counts), -np.inf, np.where(np.isinf(log_tie), 0.0, log_tie))
    only_ties = problem.davidson & (counts[..., TIE] == counts.sum(axis=-1)).all(axis=1)
    strengths[only_ties], log_tie[only_ties] = 0.0, np.inf
    fitted = only_ties.copy()
    if start is not None and not problem.davidson:
        fitted |= _near(problem, counts, start, strengths)
    open_tables = np.flatnonzero(~fitted)
    moved, moved_tie = strengths[open_tables], log_tie[open_tables]
    fitted[open_tables] = climb(
        problem.cells.first,
        problem.cells.second,
        counts[open_tables],
        problem.anchor,
        problem.davidson,
        moved,
        moved_tie,
        TOLERANCE,
        LONGEST,
        MOST_STEPS,
    )
    strengths[open_tables], log_tie[open_tables] = moved, moved_tie
    return Fit(np.round(strengths, DECIMALS) + 0.0, log_tie, fitted)


def _near(problem: Problem, counts: FloatArray, start: Fit, strengths: FloatArray) -> NDArray[np.bool_]:
    """(b,) tables that were solved with the curvature of the study; the strengths (b, n) of the others are set back."""
    chances = probabilities(problem, start.strengths, start.log_tie)
    factor = curvature(problem, problem.cells.counts.sum(axis=-1)[None], chances)[0]
    if not factorise(factor, np.empty(len(factor))):
        return np.zeros(len(counts), bool)
    cells = problem.cells
    found: NDArray[np.bool_] = chord(
        cells.first, cells.second, counts, factor, strengths, TOLERANCE / 10, LONGEST, MOST_CHORDS
    )
    strengths[~found] = start.strengths
    return found


def _no_ties(problem: Problem, counts: FloatArray) -> NDArray[np.bool_]:
    """(b,) where γ is -∞: under ties as halves always, else where there is no tie."""
    none: NDArray[np.bool_] = counts[..., TIE].sum(axis=1) == 0
    return none | (not problem.davidson)


def probabilities(problem: Problem, strengths: FloatArray, log_tie: FloatArray) -> FloatArray:
    """(b, n_pairs, 3) of win, tie and loss."""
    half = (problem.incidence.T @ strengths.T).T / 2
    scores = np.stack([half, np.broadcast_to(log_tie[:, None], half.shape), -half], axis=-1)
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances: FloatArray = odds / odds.sum(axis=-1, keepdims=True)
    return chances


def curvature(problem: Problem, judged: FloatArray, chances: FloatArray) -> FloatArray:
    """(b, k, k) negative second derivatives with respect to the strengths and, under Davidson's model, γ; k = n_systems + 1 then.

    For a pair judged m times: var δ/2-score = m ((p_w + p_l) - (p_w - p_l)²) / 4, cov with ties -m p_t (p_w - p_l) / 2.
    """
    cells, n = problem.cells, problem.cells.n_systems
    k = n + problem.davidson
    lean = chances[..., WIN] - chances[..., LOSS]
    tie = chances[..., TIE]
    own = judged * (1 - tie - lean**2) / 4
    hessian = np.zeros((len(judged), k, k))
    hessian[:, cells.first, cells.second] = hessian[:, cells.second, cells.first] = -own
    diagonal = np.arange(n)
    hessian[:, diagonal, diagonal] = (abs(problem.incidence) @ own.T).T
    hessian[:, :n, :n] += problem.anchor
    if problem.davidson:
        hessian[:, :n, n] = hessian[:, n, :n] = (problem.incidence @ (-judged * tie * lean / 2).T).T
        spread = (judged * tie * (1 - tie)).sum(axis=1)
        hessian[:, n, n] = np.where(spread > 0, spread, 1.0)  # without ties γ stays where it is
    return hessian
