"""Ranks of metrics out of tests between all pairs: those that cannot be told apart share one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from validate.errors import AccordError, ShapeError, bad_value, unknown_name
from validate.schema import FloatArray, IntArray
from validate.stats.adjustment import ADJUSTMENTS, adjust_p

UNCORRECTED = "wmt"
CORRECTIONS = (*ADJUSTMENTS, UNCORRECTED)


def clusters(compared: pd.DataFrame, *, alpha: float = 0.05, correct: str = "holm") -> pd.DataFrame:
    """Significance clusters: the ranks of metrics by how well they agree with people, equal where no test tells two apart.

    Parameters
    ----------
    compared : DataFrame
        What `validate.stats.compare` or `difference_rows` returns: all pairs of metrics. Each criterion, level, grouping and
        coefficient in it is ranked by itself.
    alpha : float
        Between 0 and 1.
    correct : {"holm", "bonferroni", "hommel", "bh", "by", "wmt"}
        How p is adjusted for the number of pairs. ``"wmt"`` does as the WMT metrics task: nothing is adjusted, and the tests are one-sided.

    Returns
    -------
    DataFrame
        ``criterion`` (where there is one), ``level, grouping, coefficient, metric, rank``, best first. ``rank`` is 1 for the first cluster, 2 for
        the next; missing, and last, for a metric whose differences are undefined.

    Raises
    ------
    AccordError
        For unknown names, an alpha outside (0, 1), a frame without the columns needed or in which pairs are missing.

    Notes
    -----
    Metrics are taken from the best down; one that is significantly worse than any member of the present cluster starts the next. Significance is not
    transitive: a metric can share a rank with one that differs from it less than a third does.

    References
    ----------
    Freitag, M., et al. (2022). Results of WMT22 metrics shared task, section 4. https://aclanthology.org/2022.wmt-1.2

    Examples
    --------
    >>> compared = pd.DataFrame({"level": "item", "grouping": "item", "coefficient": "pearson", "metric_a": ["a", "a", "b"],
    ...     "metric_b": ["b", "c", "c"], "difference": [0.1, 0.4, 0.3], "p": [0.3, 0.001, 0.04]})
    >>> clusters(compared)[["metric", "rank"]].to_string(index=False, header=False).split("\\n")  # b and c: Holm's p is 0.08, but a and c differ
    ['a 1', 'b 1', 'c 2']
    """
    _check("clusters", alpha, correct)
    keys = [name for name in ("criterion", "level", "grouping", "coefficient") if name in compared.columns]
    lacking = [name for name in ("metric_a", "metric_b", "difference", "p") if name not in compared.columns]
    if lacking:
        raise ShapeError(
            f"clusters: a frame without {', '.join(lacking)} was given; the columns of compare are needed; pass what compare returns"
        )
    families = compared.groupby(keys, sort=False, dropna=False) if keys else [((), compared)]
    frames = []
    for key, rows in families:
        frame = _family(rows, alpha, correct)
        for position, (name, value) in enumerate(zip(keys, key, strict=True)):
            frame.insert(position, name, value)
        frames.append(frame)
    if not frames:
        return pd.DataFrame(columns=[*keys, "metric", "rank"])
    return pd.concat(frames, ignore_index=True)


def cluster_ranks(p: ArrayLike, scores: ArrayLike, *, alpha: float = 0.05, correct: str = "holm") -> IntArray:
    """The same out of a matrix of two-sided p-values and the scores to order by.

    Parameters
    ----------
    p : (n, n) float64
        Symmetric; the diagonal is not read, NaN is no test.
    scores : (n,) float64
        Higher is better; NaN has no rank.
    alpha, correct
        As in `clusters`.

    Returns
    -------
    (n,) int64
        From 1; 0 where the score is NaN.

    Examples
    --------
    >>> p = np.array([[1, 0.3, 0.001], [0.3, 1, 0.04], [0.001, 0.04, 1]])
    >>> cluster_ranks(p, [0.6, 0.5, 0.2])  # 0.04 is 0.08 by Holm's adjustment, but the first and the third differ
    array([1, 1, 2])
    >>> cluster_ranks(p[1:, 1:], [0.5, 0.2]), cluster_ranks(p[:2, :2], [0.6, 0.5])
    (array([1, 2]), array([1, 1]))
    """
    _check("cluster_ranks", alpha, correct)
    matrix, values = np.asarray(p, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    n = len(values) if values.ndim == 1 else -1
    if matrix.shape != (n, n):
        raise ShapeError(
            f"cluster_ranks: p of shape {matrix.shape} and scores of shape {values.shape} were given; (n, n) and (n,) are allowed; "
            "give one row and one column a score"
        )
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12, equal_nan=True):
        raise AccordError(
            "cluster_ranks: p is not symmetric; two-sided p-values, the same for (a, b) and (b, a), are allowed; mirror the half that you have"
        )
    above = np.triu_indices(n, 1)
    judged = np.full((n, n), np.nan)
    judged[above] = _adjusted(correct)(matrix[above])
    return _ranks(np.fmin(judged, judged.T) <= alpha, values)


def _family(rows: pd.DataFrame, alpha: float, correct: str) -> pd.DataFrame:
    """One family of tests: its metrics with their ranks, best first."""
    names = list(dict.fromkeys([*rows["metric_a"], *rows["metric_b"]]))
    place = {name: position for position, name in enumerate(names)}
    a, b = (rows[side].map(place).to_numpy(np.int64) for side in ("metric_a", "metric_b"))
    n = len(names)
    if len(rows) != n * (n - 1) // 2 or len({frozenset(pair) for pair in zip(a, b, strict=True)}) != len(rows):
        raise ShapeError(
            f"clusters: {len(rows):,} rows for {n:,} metrics were given; every pair once, {n * (n - 1) // 2:,} rows, is needed; "
            "pass what compare returns, and criteria in a column of their own"
        )
    difference, p = np.zeros((n, n)), np.full((n, n), np.nan)
    difference[a, b], difference[b, a] = rows["difference"], -rows["difference"]
    p[a, b] = p[b, a] = rows["p"]
    scores = _scores(difference)
    ranks = cluster_ranks(p, scores, alpha=alpha, correct=correct)
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")
    frame = pd.DataFrame({"metric": [names[m] for m in order], "rank": pd.array(ranks[order], dtype="Int64")})
    frame.loc[frame["rank"] == 0, "rank"] = pd.NA
    return frame


def _scores(difference: FloatArray) -> FloatArray:
    """Scores with the given differences, up to a constant; NaN for a metric that differs from no other by a number."""
    defined = ~np.isnan(difference)
    np.fill_diagonal(defined, False)
    some = defined.any(axis=1)
    return np.where(some, np.where(defined, difference, 0.0).sum(axis=1), np.nan)


def _ranks(worse: np.ndarray, scores: FloatArray) -> IntArray:
    """From the best down; ``worse`` (n, n) is true where two differ significantly, so that the later one is the worse."""
    ranks = np.zeros(len(scores), dtype=np.int64)
    members: list[int] = []
    rank = 1
    for m in np.argsort(-scores, kind="stable"):
        if np.isnan(scores[m]):
            continue
        if worse[members, m].any():
            rank, members = rank + 1, []
        members.append(int(m))
        ranks[m] = rank
    return ranks


def _adjusted(correct: str) -> Callable[[FloatArray], FloatArray]:
    """Two-sided p to what is held against alpha. One-sided p in the observed direction is half of it: swapping everything turns the sign, so
    that the distribution under the null hypothesis is symmetric."""
    return (lambda p: p / 2) if correct == UNCORRECTED else (lambda p: adjust_p(p, method=correct))


def _check(who: str, alpha: float, correct: str) -> None:
    if correct not in CORRECTIONS:
        raise unknown_name(who, "correction", str(correct), CORRECTIONS)
    if not 0.0 < alpha < 1.0:
        raise bad_value(who, "alpha", alpha, "a number between 0 and 1, 0.05 is usual")
