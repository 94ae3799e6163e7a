"""Scores of whole systems with their intervals and ranks, by resampling items."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from validate.schema import FloatArray, ScoreMatrix

_CHUNK = 256  # replicates at a time: memory does not grow with their number


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
    """
    draws = np.concatenate(list(_replicates(matrix, resamples, np.random.default_rng(rng))))
    score = matrix.system_scores()
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = _quantiles(draws, ends)
    best_rank, worst_rank = _ranks(draws, ends, matrix.higher_is_better)
    return pd.DataFrame(
        {
            "system": list(matrix.systems),
            "score": score,
            "low": low,
            "high": high,
            "rank_low": best_rank,
            "rank_high": worst_rank,
            "n": (~np.isnan(matrix.values)).sum(axis=1),
        }
    )


def _replicates(matrix: ScoreMatrix, resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """System scores of resampled items, (at most _CHUNK, n_systems) at a time."""
    n_systems, n_items = matrix.values.shape
    defined = ~np.isnan(matrix.values)
    statistics = matrix.values[..., None] if matrix.statistics is None else matrix.statistics
    filled = np.where(defined[..., None], statistics, 0.0).transpose(1, 0, 2).reshape(n_items, -1)
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        weights = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=size).astype(np.float64)
        counts = weights @ defined.T
        totals = (weights @ filled).reshape(size, n_systems, -1)
        scores = np.full(counts.shape, np.nan)
        met = counts > 0
        scores[met] = totals[met, 0] / counts[met] if matrix.divide is None else matrix.divide(totals[met])
        yield scores


def _quantiles(draws: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """(2, n_systems) quantiles over the defined replicates."""
    found = np.full((2, draws.shape[1]), np.nan)
    for system, column in enumerate(draws.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            found[:, system] = np.quantile(defined, ends)
    return found


def _ranks(draws: FloatArray, ends: tuple[float, float], higher_is_better: bool) -> tuple[FloatArray, FloatArray]:
    """The ends of each system's ranks; equal scores share the better rank at the low end and the worse at the high end."""
    usable = np.where(np.isnan(draws), -np.inf, draws if higher_is_better else -draws)
    ordered = np.sort(usable, axis=1)
    n = draws.shape[1]
    better = np.stack([n - np.searchsorted(row, mine, side="right") for row, mine in zip(ordered, usable, strict=True)])
    at_least = np.stack(
        [n - np.searchsorted(row, mine, side="left") for row, mine in zip(ordered, usable, strict=True)]
    )
    low = np.quantile(better + 1, ends[0], axis=0, method="inverted_cdf").astype(np.float64)
    high = np.quantile(at_least, ends[1], axis=0, method="inverted_cdf").astype(np.float64)
    nowhere = np.isnan(draws).all(axis=0)
    return np.where(nowhere, np.nan, low), np.where(nowhere, np.nan, high)
