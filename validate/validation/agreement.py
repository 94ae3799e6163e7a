"""How well the annotators agree: rows for the tables of agreement, of annotators, and of the human ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from validate.errors import plural
from validate.human import Target
from validate.schema import Estimate
from validate.stats import agreement_table, annotator_table, noise_ceiling
from validate.stats.ceiling import Method
from validate.validation.attenuation import CORRECTED

AGAINST = {
    "ratings": ("loo_correlation", "Pearson's r with the mean of the others"),
    "comparisons": ("same", "share of the others' judgments that are the same"),
}


def agreement_rows(
    target: Target, *, resamples: int, confidence: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Every coefficient of agreement that the judgments of a target allow, with intervals; see `agreement_table`."""
    frame = agreement_table(target.judgments, resamples=resamples, confidence=confidence, rng=rng)
    return [{**row, "criterion": target.label} for row in frame.to_dict("records")]


def annotator_rows(target: Target) -> list[dict[str, Any]]:
    """Each annotator: how many judgments, their mean and spread, the bias against the others and the agreement with them.

    ``agreement`` is what tells most: of ratings Pearson's r with the mean of the others, of comparisons the share of equal judgments. A
    bias is one of ratings; of comparisons it would depend on which system comes first in the alphabet.
    """
    frame = annotator_table(target.judgments).rename(columns={"agreement": "same"})
    measure, against = AGAINST[target.kind]
    frame["agreement"] = frame[measure]
    if target.kind == "comparisons":
        frame["bias"] = np.nan
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
    """What one annotator reaches against the others where a metric is held against all of them, and the reliability of the mean of all.

    The latter comes from split halves, for the coefficients that have one.
    """
    reliable = [coefficient for coefficient in coefficients if coefficient in CORRECTED]
    methods: dict[Method, Sequence[str]] = {"leave-one-out": coefficients, "split-half": reliable}
    wanted = [(method, *place, name) for method, of in methods.items() for place in places for name in of]
    rows = []
    for (method, level, grouping, coefficient), own in zip(wanted, rng.spawn(len(wanted)), strict=True):
        found = noise_ceiling(
            target.judgments, coefficient=coefficient, level=level, grouping=grouping, method=method,
            resamples=resamples, confidence=confidence, rng=own,
        )  # fmt: skip
        rows.append(_ceiling_row(target, (level, grouping, coefficient), found))
    return rows


def _ceiling_row(target: Target, place: tuple[str, str, str], found: Estimate) -> dict[str, Any]:
    level, grouping, coefficient = place
    alone = f"{plural(found.n_dropped, 'output')} judged by one annotator left out" if found.n_dropped else ""
    return {
        "criterion": target.label,
        "level": level,
        "grouping": grouping,
        "coefficient": coefficient,
        "estimate": found.value,
        "low": found.low,
        "high": found.high,
        "n_annotators": len(target.judgments.annotators),
        "method": found.method,
        "reason": found.reason if np.isnan(found.value) else "; ".join(filter(None, [found.reason, alone])),
    }
