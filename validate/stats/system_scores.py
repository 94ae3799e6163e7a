"""Scores of whole systems with their intervals and ranks, by resampling items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from validate.schema import FloatArray, ScoreMatrix

_CHUNK = 256  # replicates at a time, so that memory does not grow with their number


def system_score_table(
    matrix: ScoreMatrix, *, resamples: int = 1000, confidence: float = 0.95, rng: int | np.random.Generator = 0
) -> pd.DataFrame:
    """Scores of systems, with percentile intervals over resampled items and the range of ranks.

    Parameters
    ----------
    matrix : ScoreMatrix
        Where it carries statistics, the true corpus score is resampled: ``divide(W @ S)``.
    resamples : int
    confidence : float
    rng : int or Generator

    Returns
    -------
    DataFrame
        One row a system in the order of the matrix: ``system, score, low, high, rank_low, rank_high, n``; rank 1 is best,
        ``n`` counts the items with a score. All NaN for a system without any.

    Examples
    --------
    Two systems that never meet on an item, the second always better:

    >>> matrix = ScoreMatrix("m", [[1.0, 2.0], [3.0, 4.0]], ("a", "b"), ("i", "j"))
    >>> print(system_score_table(matrix, resamples=200, rng=1).to_string(index=False))
    system  score  low  high  rank_low  rank_high  n
         a    1.5  1.0   2.0       2.0        2.0  2
         b    3.5  3.0   4.0       1.0        1.0  2
    """
    (draws,) = system_score_draws([matrix], resamples=resamples, rng=rng)
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    best, worst = _ranks(draws, ends, matrix.higher_is_better)
    frame = _scored(matrix, draws, ends)
    return frame.assign(rank_low=best, rank_high=worst, n=(~np.isnan(matrix.values)).sum(axis=1))


def system_score_tables(
    matrices: Sequence[ScoreMatrix],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> list[pd.DataFrame]:
    """``system, score, low, high`` of many metrics over the same systems and items, all under the same resampled items."""
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    draws = system_score_draws(matrices, resamples=resamples, rng=rng)
    return [_scored(matrix, own, ends) for matrix, own in zip(matrices, draws, strict=True)]


def system_score_draws(
    matrices: Sequence[ScoreMatrix], *, resamples: int, rng: int | np.random.Generator
) -> list[FloatArray]:
    """(resamples, n_systems) scores of every matrix under the same resampled items; NaN where a system has none of them."""
    if not matrices:
        return []
    generator, n_items = np.random.default_rng(rng), len(matrices[0].items)
    chunks: list[list[FloatArray]] = [[] for _ in matrices]
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        weights = generator.multinomial(n_items, np.full(n_items, 1 / n_items), size=size).astype(np.float64)
        for own, matrix in zip(chunks, matrices, strict=True):
            own.append(_weighted(matrix, weights))
    return [np.concatenate(own) for own in chunks]


def _weighted(matrix: ScoreMatrix, weights: FloatArray) -> FloatArray:
    """(size, n_systems) system scores when item j counts ``weights[:, j]`` times."""
    n_systems, n_items = matrix.values.shape
    defined = ~np.isnan(matrix.values)
    statistics = matrix.values[..., None] if matrix.statistics is None else matrix.statistics
    filled = np.where(defined[..., None], statistics, 0.0).transpose(1, 0, 2).reshape(n_items, -1)
    counts = weights @ defined.T
    totals = (weights @ filled).reshape(len(weights), n_systems, -1)
    scores = np.full(counts.shape, np.nan)
    met = counts > 0
    scores[met] = totals[met, 0] / counts[met] if matrix.divide is None else matrix.divide(totals[met])
    return scores


def _scored(matrix: ScoreMatrix, draws: FloatArray, ends: tuple[float, float]) -> pd.DataFrame:
    low, high = _quantiles(draws, ends)
    return pd.DataFrame({"system": list(matrix.systems), "score": matrix.system_scores(), "low": low, "high": high})


def _quantiles(draws: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """(2, n_systems) quantiles over the defined replicates."""
    whole = ~np.isnan(draws).any(axis=0)
    found = np.full((2, draws.shape[1]), np.nan)
    found[:, whole] = np.quantile(draws[:, whole], ends, axis=0)
    for system in np.flatnonzero(~whole):
        defined = draws[~np.isnan(draws[:, system]), system]
        if len(defined):
            found[:, system] = np.quantile(defined, ends)
    return found


def _ranks(draws: FloatArray, ends: tuple[float, float], higher_is_better: bool) -> tuple[FloatArray, FloatArray]:
    """The ends of each system's ranks; equal scores share the better rank at the low end and the worse at the high end."""
    usable = np.where(np.isnan(draws), -np.inf, draws if higher_is_better else -draws)
    ordered = np.sort(usable, axis=1)
    n = draws.shape[1]
    rows = list(zip(ordered, usable, strict=True))
    better = np.stack([n - np.searchsorted(row, mine, side="right") for row, mine in rows])
    at_least = np.stack([n - np.searchsorted(row, mine, side="left") for row, mine in rows])
    low = np.quantile(better + 1, ends[0], axis=0, method="inverted_cdf").astype(np.float64)
    high = np.quantile(at_least, ends[1], axis=0, method="inverted_cdf").astype(np.float64)
    nowhere = np.isnan(draws).all(axis=0)
    return np.where(nowhere, np.nan, low), np.where(nowhere, np.nan, high)
