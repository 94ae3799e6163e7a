"""The ranking of systems by people: rows for ranking.csv."""

from __future__ import annotations

from typing import Any

import numpy as np

from validate.human import Target
from validate.schema import IntArray, Preferences
from validate.stats import bradley_terry, win_rate
from validate.stats.ranking import Ranking
from validate.stats.system_scores import system_score_table

_BY_COMPARISONS = {"bradley-terry": bradley_terry, "win-rate": win_rate}


def ranking_rows(
    target: Target, *, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Systems as people rank them, best first.

    Ratings give the mean of the items' means, with percentiles over resampled items. Comparisons give the Bradley–Terry
    strength (log scale, mean 0 in each group of systems that met) and the win rate, with intervals that take neither judgments
    of one item nor those by one annotator to be independent.
    """
    if isinstance(target.judgments, Preferences):
        return _by_comparisons(target, target.judgments, resamples, confidence, rng)
    return _by_ratings(target, resamples, confidence, rng)


def _by_ratings(target: Target, resamples: int, confidence: float, rng: np.random.Generator) -> list[dict[str, Any]]:
    frame = system_score_table(target.scores, resamples=resamples, confidence=confidence, rng=rng)
    frame = frame.rename(columns={"score": "estimate"})
    frame["n"] = np.bincount(target.judgments.system, minlength=len(frame))  # type: ignore[union-attr]
    frame = frame[frame["n"] > 0]
    frame = frame.sort_values("estimate", ascending=not target.scores.higher_is_better, kind="stable")
    return [{**row, "criterion": target.label, "method": "mean"} for row in frame.to_dict("records")]


def _by_comparisons(
    target: Target, judged: Preferences, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    clusters = _clusters(judged)
    for (method, rank), own in zip(_BY_COMPARISONS.items(), rng.spawn(len(_BY_COMPARISONS)), strict=True):
        fit = rank(
            judged.first, judged.second, judged.outcome, len(judged.systems), cluster=clusters,
            resamples=resamples, confidence=confidence, names=judged.systems, rng=own,
        )  # fmt: skip
        met = np.flatnonzero(~np.isnan(fit.strengths))
        order = sorted(met.tolist(), key=lambda k: (fit.components[k], -fit.strengths[k]))
        rows += [
            {**_row(fit, k), "criterion": target.label, "system": judged.systems[k], "method": method} for k in order
        ]
    return rows


def _clusters(judged: Preferences) -> dict[str, IntArray] | None:
    """The item and the annotator of each judgment, of kinds of which there are several: one item or annotator tells nothing of others."""
    kinds = {"item": judged.item, "annotator": judged.annotator}
    return {kind: labels for kind, labels in kinds.items() if len(np.unique(labels)) > 1} or None


def _row(fit: Ranking, system: int) -> dict[str, Any]:
    return {
        "estimate": fit.strengths[system],
        "low": fit.low[system],
        "high": fit.high[system],
        "rank_low": fit.rank_low[system],
        "rank_high": fit.rank_high[system],
        "n": int(fit.n[system]),
    }
