"""Metrics held against people at every level: correlations, differences of pairs, ranks, pairs of outputs, what noise takes away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from validate.errors import bad_value
from validate.human import Target, standardised
from validate.results import table
from validate.schema import Preferences, Ratings, ScoreMatrix
from validate.stats import clusters, correlation_rows, coverage_note, difference_rows, permute, resample
from validate.stats.coverage import verdict
from validate.stats.permutation import Permutations
from validate.stats.resampling import Replicates
from validate.validation.draws import generators
from validate.validation.options import SWAPPED, Options
from validate.validation.scoring import Scored
from validate.validation.stages import Stages

PLACES = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What was found at one place: the replicates, and the rows that they give."""

    target: Target
    replicates: Replicates
    correlations: pd.DataFrame
    differences: pd.DataFrame


def correlate(scored: Scored, found: Sequence[Target], options: Options, stages: Stages) -> Iterator[Drawn]:
    """Correlations of every metric with people, one set of replicates a target and place; none for a target without any score."""
    drawn, swapped = (generators(options.seed, stage, len(found)) for stage in ("correlations", "permutation"))
    for target, draws, swaps in zip(found, drawn, swapped, strict=True):
        metrics, scores = judged_part(scored, target)
        human = _people(target, options) if options.unit == "annotators" else scores
        spawned = (rng.spawn(len(PLACES)) for rng in (draws, swaps))
        for (level, grouping), own, own_swaps in zip(PLACES, *spawned, strict=True):
            if metrics and len(scores.systems):
                replicates = resample(
                    metrics, human, coefficients=options.coefficients, level=level, grouping=grouping, unit=options.unit,
                    resamples=options.resamples, interval=options.drawn_for, rng=own,
                )  # fmt: skip
                rows = correlation_rows(replicates, confidence=options.confidence, interval=options.interval)
                tested = _permuted(metrics, scores, level, grouping, options, own_swaps)
                yield Drawn(
                    target,
                    replicates,
                    rows.assign(seed=options.seed),
                    difference_rows(replicates, tested, confidence=options.confidence),
                )
            stages.step(f"{target.label}, {level} level, grouping {grouping}")


def judged_part(scored: Scored, target: Target) -> tuple[list[ScoreMatrix], ScoreMatrix]:
    """The scores of the metrics and of people, of the systems and items that people judged."""
    systems, items = (np.flatnonzero(target.judged.any(axis=axis)) for axis in (1, 0))
    metrics = [matrix.take(systems, items) for matrix in scored.matrices.values()]
    return metrics, target.scores.take(systems, items)


def _people(target: Target, options: Options) -> Ratings | Preferences:
    """The judgments themselves, of which annotators are resampled; ratings as the human scores are made of them."""
    n = len(target.judgments.annotators)
    if n < 2:
        raise bad_value(
            "validate", "unit", "annotators", f"units of which there are several; {target.label} has {n} annotator"
        )
    if options.human == "z-score" and isinstance(target.judgments, Ratings):
        return standardised(target.judgments)
    return target.judgments


def _permuted(
    metrics: list[ScoreMatrix],
    human: ScoreMatrix,
    level: str,
    grouping: str,
    options: Options,
    rng: np.random.Generator,
) -> Permutations | None:
    """The permutation test where it was asked for."""
    if options.test != "permutation":
        return None
    return permute(
        metrics, human, coefficients=options.coefficients, level=level, grouping=grouping, unit=SWAPPED[options.unit],
        resamples=options.resamples, rng=rng,
    )  # fmt: skip


def metric_ranks(significance: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """The table ``metric_ranks``: ranks that metrics share where no test tells them apart, Holm's within a place and coefficient."""
    if not len(significance):
        return table("metric_ranks", [])
    return clusters(significance, alpha=alpha)[list(table("metric_ranks", []).columns)]


def interval_notes(drawn: Sequence[Drawn]) -> list[dict[str, Any]]:
    """For run.json: the interval of each criterion, level, grouping and coefficient, and how often such intervals covered in simulation.

    ``verdict`` is what a reader of the interval should know, see `validate.stats.coverage.verdict`.
    """
    return [
        _interval_note(one, str(coefficient), rows)
        for one in drawn
        for coefficient, rows in one.correlations.groupby("coefficient", sort=False)
    ]


def _interval_note(drawn: Drawn, coefficient: str, rows: pd.DataFrame) -> dict[str, Any]:
    name, found = str(rows["interval"].iloc[0]), drawn.replicates
    sizes = {size: int(rows[size].max()) for size in ("n_systems", "n_items")}
    note = coverage_note(found.level, found.grouping, found.unit, name, **sizes, coefficient=coefficient)
    return {
        "criterion": drawn.target.label,
        "level": found.level,
        "grouping": found.grouping,
        "coefficient": coefficient,
        "unit": found.unit,
        "interval": name,
        **sizes,
        "coverage": note,
        "verdict": verdict(note),
    }
