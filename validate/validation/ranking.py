"""The ranking of systems by people: rows for ranking.csv."""

from __future__ import annotations

from typing import Any

import numpy as np

from validate.human import Target
from validate.schema import Preferences
from validate.stats.system_scores import system_score_table


def ranking_rows(
    target: Target, *, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Systems as people rank them, best first.

    Ratings give the mean of the items' means, resampled over items. Comparisons give the win rate and the Bradley–Terry strength (log
    scale, mean 0 in each group of systems that met), resampled over items as well, since judgments of one item are no
    independent witnesses.
    """
    if isinstance(target.judgments, Preferences):
        return _compared(target, target.judgments, resamples, confidence, rng)
    frame = system_score_table(target.scores, resamples=resamples, confidence=confidence, rng=rng)
    frame = frame[frame["n"] > 0].rename(columns={"score": "estimate"})
    frame = frame.sort_values("estimate", ascending=not target.scores.higher_is_better, kind="stable")
    counts = np.bincount(target.judgments.system, minlength=len(target.scores.systems))
    n_of = dict(zip(target.scores.systems, counts.tolist(), strict=True))
    return [
        {**row, "criterion": target.label, "method": "mean", "n": n_of[row["system"]]}
        for row in frame.to_dict("records")
    ]
