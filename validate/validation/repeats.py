"""Annotators against themselves: rows for repeats.csv, and for how consistent all of them are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from validate.human import targets
from validate.loading.layout import UNKNOWN_ANNOTATOR
from validate.schema import Preferences, Ratings, Study
from validate.stats import repeat_table, self_consistency


def repeated_judgments(study: Study) -> dict[str, Ratings | Preferences]:
    """By the label of the target: all judgments by known annotators, of criteria in which somebody judged something again.

    Of judgments that name no annotator nobody can be said to have repeated one.
    """
    known = replace(
        study,
        ratings=study.ratings[study.ratings["annotator"] != UNKNOWN_ANNOTATOR],
        comparisons=study.comparisons[study.comparisons["annotator"] != UNKNOWN_ANNOTATOR],
    )
    found = {target.label: target.judgments for target in targets(known, duplicates="all")}
    return {label: judged for label, judged in found.items() if len(repeat_table(judged))}


def repeat_rows(label: str, repeated: Ratings | Preferences) -> list[dict[str, Any]]:
    """Each annotator who judged something again: how often with the same result, and with the sides of a pair swapped."""
    return [{**row, "criterion": label} for row in repeat_table(repeated).to_dict("records")]


def consistency_row(
    label: str, repeated: Ratings | Preferences, *, resamples: int, confidence: float, rng: np.random.Generator
) -> dict[str, Any]:
    """How often annotators said the same again, as a row of the table of agreement."""
    found = self_consistency(repeated, resamples=resamples, confidence=confidence, rng=rng)
    return {
        "criterion": label,
        "statistic": "self_consistency",
        "measurement": "nominal",
        "estimate": found.value,
        "low": found.low,
        "high": found.high,
        "n_units": found.n,
        "n_annotators": len(repeat_table(repeated)),
        "n_dropped": found.n_dropped,
        "reason": found.reason,
    }
