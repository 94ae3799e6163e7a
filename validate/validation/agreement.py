"""How well the annotators agree: rows for the tables of agreement, of annotators, and of the human ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from validate.human import Target
from validate.stats import agreement_table, annotator_table, noise_ceiling


def agreement_rows(
    target: Target, *, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Every coefficient of agreement that the judgments of a target allow, with intervals; see `agreement_table`."""
    frame = agreement_table(target.judgments, resamples=resamples, confidence=confidence, rng=rng)
    return [{**row, "criterion": target.label} for row in frame.to_dict("records")]


def annotator_rows(target: Target) -> list[dict[str, Any]]:
    """Each annotator: how many judgments, their mean and spread, and the agreement with the others.

    Ratings are held against the mean of the others by Pearson's r; of comparisons the share of equal judgments counts.
    """
    measure, against = {
        "ratings": ("loo_correlation", "Pearson's r with the mean of the others"),
        "comparisons": ("agreement", "share of the others' judgments that are the same"),
    }[target.kind]
    frame = annotator_table(target.judgments)
    frame["agreement"] = frame[measure]
    frame = frame[["annotator", "n", "mean", "sd", "n_shared", "agreement"]]
    return [{**row, "criterion": target.label, "agreement_with": against} for row in frame.to_dict("records")]


def ceiling_rows(
    target: Target,
    places: Sequence[tuple[str, str]],
    coefficients: Sequence[str],
    *,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """What one annotator reaches against the others where a metric is held against all of them."""
    wanted = [(level, grouping, coefficient) for level, grouping in places for coefficient in coefficients]
    rows = []
    for (level, grouping, coefficient), own in zip(wanted, rng.spawn(len(wanted)), strict=True):
        found = noise_ceiling(
            target.judgments, coefficient=coefficient, level=level, grouping=grouping,
            resamples=resamples, confidence=confidence, rng=own,
        )  # fmt: skip
        rows.append(
            {
                "criterion": target.label,
                "level": level,
                "grouping": grouping,
                "coefficient": coefficient,
                "estimate": found.value,
                "low": found.low,
                "high": found.high,
                "n_annotators": len(target.judgments.annotators),
                "method": found.method,
                "reason": found.reason,
            }
        )
    return rows
