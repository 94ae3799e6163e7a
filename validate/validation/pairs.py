"""How metrics order pairs of outputs and of systems: rows for pairwise.csv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from validate.human import Target
from validate.schema import Estimate, ScoreMatrix
from validate.stats import pairwise_accuracy, pairwise_difference_pearson
from validate.stats.pair_groups import TieEstimate
from validate.stats.soft_accuracy import soft_pairwise_accuracies


def pairwise_rows(
    target: Target, metrics: Sequence[ScoreMatrix], human: ScoreMatrix, *, resamples: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Of each metric: soft pairwise accuracy of systems, accuracy with calibrated ties within items and over all outputs, and Pearson's r of
    the differences within items.

    Parameters
    ----------
    target : Target
        For its label.
    metrics, human : ScoreMatrix
        Of the systems and items that people judged.
    resamples : int
        Permutations of soft pairwise accuracy.
    rng : Generator
    """
    if not metrics or not len(human.systems):
        return []
    soft = soft_pairwise_accuracies(list(metrics), human, resamples=resamples, rng=rng)
    return [
        {"criterion": target.label, "metric": metric.name, **row}
        for metric in metrics
        for row in _rows(metric, human, soft[metric.name])
    ]


def _rows(metric: ScoreMatrix, human: ScoreMatrix, soft: Estimate) -> Iterator[dict[str, Any]]:
    yield _row("system", "none", "soft_pairwise_accuracy", soft)
    for grouping in ("item", "none"):
        yield _row("item", grouping, "pairwise_accuracy", pairwise_accuracy(metric, human, grouping=grouping))
    yield _row("item", "item", "pairwise_difference_pearson", pairwise_difference_pearson(metric, human))


def _row(level: str, grouping: str, statistic: str, found: Estimate) -> dict[str, Any]:
    return {
        "level": level,
        "grouping": grouping,
        "statistic": statistic,
        "estimate": found.value,
        "low": found.low,
        "high": found.high,
        "threshold": found.threshold if isinstance(found, TieEstimate) else np.nan,
        "n": found.n,
        "reason": found.reason,
    }
