"""Comparisons become win rates per output, or Bradley–Terry strengths per system."""

from __future__ import annotations

import numpy as np
import pandas as pd

from validate.human.judgments import Duplicates, index_of, resolve_duplicates
from validate.schema import Preferences, ScoreMatrix, Study

_OUTCOME = {"a": 1, "b": -1, "tie": 0, "both_bad": 0}


def preferences(study: Study, criterion: str, *, duplicates: Duplicates = "last") -> Preferences:
    """The comparisons of one criterion, over all systems and items of the study."""
    frame = study.comparisons[study.comparisons["criterion"] == criterion]
    pair = np.sort(frame[["system_a", "system_b"]].to_numpy(dtype=object), axis=1)
    key = pd.DataFrame(
        {
            "item_id": frame["item_id"].to_numpy(),
            "annotator": frame["annotator"].to_numpy(),
            "one": pair[:, 0],
            "other": pair[:, 1],
        }
    )
    frame = resolve_duplicates(frame, key, duplicates, f"comparisons of {criterion!r}")
    annotators = tuple(dict.fromkeys(frame["annotator"]))
    return Preferences(
        criterion,
        annotators,
        study.systems,
        study.item_ids,
        index_of(study.systems, frame["system_a"]),
        index_of(study.systems, frame["system_b"]),
        index_of(study.item_ids, frame["item_id"]),
        index_of(annotators, frame["annotator"]),
        frame["winner"].map(_OUTCOME).to_numpy(dtype=np.int64),
        (frame["winner"] == "both_bad").to_numpy(dtype=bool),
    )


def win_rate_matrix(judged: Preferences) -> ScoreMatrix:
    """(n_systems, n_items) share of an output's comparisons that it won, a tie counting half; NaN where it was in none."""
    shape = (len(judged.systems), len(judged.items))
    size = shape[0] * shape[1]
    cells = np.concatenate([judged.first, judged.second]) * shape[1] + np.tile(judged.item, 2)
    points = np.concatenate([1 + judged.outcome, 1 - judged.outcome]) / 2
    counts = np.bincount(cells, minlength=size)
    values = np.full(size, np.nan)
    np.divide(np.bincount(cells, points, size), counts, out=values, where=counts > 0)
    signature = f"human:{judged.criterion}|comparisons|win-rate|ties:half|annotators:{len(judged.annotators)}"
    return ScoreMatrix(judged.criterion, values.reshape(shape), judged.systems, judged.items, signature=signature)


def bradley_terry_matrix(judged: Preferences) -> ScoreMatrix:
    """(n_systems, 1) Bradley–Terry strengths on the log scale, ties as half a win each; NaN for systems that were in no comparison."""
    from validate.stats.ranking import bradley_terry

    fit = bradley_terry(judged.first, judged.second, judged.outcome, len(judged.systems), interval=None)
    met = np.bincount(np.concatenate([judged.first, judged.second]), minlength=len(judged.systems)) > 0
    values = np.where(met, fit.strengths, np.nan)[:, None]
    signature = f"human:{judged.criterion}|comparisons|bradley-terry|ties:half|annotators:{len(judged.annotators)}"
    return ScoreMatrix(judged.criterion, values, judged.systems, ("all",), signature=signature)
