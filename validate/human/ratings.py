"""Ratings become a matrix of scores: the mean over annotators, plain or after each annotator was standardised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from validate.human.judgments import Duplicates, index_of, resolve_duplicates
from validate.schema import Criterion, Ratings, ScoreMatrix, Study


def ratings(study: Study, criterion: str, *, duplicates: Duplicates = "last") -> Ratings:
    """The ratings of one criterion, over all systems and items of the study."""
    frame = study.ratings[study.ratings["criterion"] == criterion]
    frame = resolve_duplicates(
        frame, frame[["item_id", "system", "annotator"]], duplicates, f"ratings of {criterion!r}"
    )
    declared = study.settings.criteria.get(criterion, Criterion(criterion))
    annotators = tuple(dict.fromkeys(frame["annotator"]))
    return Ratings(
        criterion,
        annotators,
        study.systems,
        study.item_ids,
        index_of(annotators, frame["annotator"]),
        index_of(study.systems, frame["system"]),
        index_of(study.item_ids, frame["item_id"]),
        frame["score"].to_numpy(dtype=np.float64),
        declared.scale,
        declared.higher_is_better,
    )


def mean_matrix(judged: Ratings) -> ScoreMatrix:
    """(n_systems, n_items) mean over annotators; NaN where nobody rated."""
    return _matrix(judged, "mean")


def z_score_matrix(judged: Ratings) -> ScoreMatrix:
    """(n_systems, n_items) mean over annotators of ``(score - mean_a) / sd_a``, see `standardised`."""
    return _matrix(standardised(judged), "z-score")


def standardised(judged: Ratings) -> Ratings:
    """Ratings as ``(score - mean_a) / sd_a``, with the scale left out.

    ``mean_a`` and ``sd_a`` (population form) are over all that annotator a rated. An annotator who gave one score throughout has
    no standard deviation and tells nothing about differences: those ratings are left out.

    What becomes of one annotator's ratings does not depend on the others, so that annotators can be resampled afterwards.
    """
    n = len(judged.annotators)
    counts = np.maximum(np.bincount(judged.annotator, minlength=n), 1)
    means = np.bincount(judged.annotator, judged.score, n) / counts
    centred = judged.score - means[judged.annotator]
    deviations = np.sqrt(np.bincount(judged.annotator, centred**2, n) / counts)
    kept = ~np.isclose(deviations, 0.0, atol=1e-12)[judged.annotator]
    return replace(
        judged,
        annotator=judged.annotator[kept],
        system=judged.system[kept],
        item=judged.item[kept],
        score=centred[kept] / deviations[judged.annotator[kept]],
        scale=None,
    )


def _matrix(judged: Ratings, method: str) -> ScoreMatrix:
    """Means of scores per cell."""
    shape = (len(judged.systems), len(judged.items))
    cell = judged.system * shape[1] + judged.item
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size)
    values = np.full(size, np.nan)
    np.divide(np.bincount(cell, judged.score, size), counts, out=values, where=counts > 0)
    signature = f"human:{judged.criterion}|ratings|{method}|annotators:{len(judged.annotators)}"
    return ScoreMatrix(
        judged.criterion, values.reshape(shape), judged.systems, judged.items, judged.higher_is_better, signature
    )
