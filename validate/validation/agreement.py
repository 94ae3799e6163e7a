"""How well the annotators agree: rows for the tables of agreement, of annotators, and of the human ceiling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from validate.errors import AccordError
from validate.human import Target
from validate.schema import Estimate
from validate.stats import annotator_table, gwet_ac, krippendorff_alpha, noise_ceiling, percent_agreement

# Pairwise judgments are better, tie, worse: an order, but no distances and no zero.
MEASUREMENTS = {"ratings": ("nominal", "ordinal", "interval", "ratio"), "comparisons": ("nominal", "ordinal")}


def agreement_rows(
    target: Target, *, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Percent agreement, Krippendorff's α at every measurement that the judgments allow, and Gwet's AC1, with bootstrap intervals.

    What is undefined, or not allowed for these judgments (α at the ratio level of negative ratings), keeps its row, with the reason.
    """
    judged = target.judgments
    common = {"resamples": resamples, "confidence": confidence}
    wanted: list[tuple[str, str, Callable[..., Estimate]]] = [("percent", "nominal", percent_agreement)]
    wanted += [("krippendorff_alpha", measurement, _alpha(measurement)) for measurement in MEASUREMENTS[target.kind]]
    wanted += [("gwet_ac1", "nominal", gwet_ac)]
    rows = []
    for (statistic, measurement, measure), own in zip(wanted, rng.spawn(len(wanted)), strict=True):
        try:
            found = measure(judged, rng=own, **common)
        except AccordError as error:
            found = Estimate(float("nan"), reason=str(error))
        rows.append(
            {
                "criterion": target.label,
                "statistic": statistic,
                "measurement": measurement,
                "estimate": found.value,
                "low": found.low,
                "high": found.high,
                "n_units": found.n,
                "n_annotators": len(judged.annotators),
                "n_dropped": found.n_dropped,
                "reason": found.reason,
            }
        )
    return rows


def _alpha(measurement: str) -> Callable[..., Estimate]:
    def measure(judged: Any, **options: Any) -> Estimate:
        return krippendorff_alpha(judged, measurement, **options)

    return measure


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
