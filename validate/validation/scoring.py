"""The metric side of a study: every output counted once by every metric, as one batch.

A metric that cannot be had on a study is left out with its reason; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from validate.errors import AccordError, listed, plural
from validate.human.judgments import index_of
from validate.metrics import Metric
from validate.results import table
from validate.schema import Fact, FloatArray, IntArray, ScoreMatrix, Study
from validate.text.corpus import Batch
from validate.text.normalization import Normalization
from validate.validation.chosen import MISSING, chosen_metrics, controls_beside
from validate.validation.references import HeldOut, Policy, held_against


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The outputs of a study as rows, each with the references it is held against.

    Parameters
    ----------
    system, item : (n,) int64
        Positions in the study's systems and items.
    outputs : list of str
    references : list of list of str
    sources : list of str or None
        None when no item has a source.
    held_out : list of HeldOut
        The writers of references among the systems.
    normalization : Normalization
        What was done to all these texts.
    """

    system: IntArray
    item: IntArray
    outputs: list[str]
    references: list[list[str]]
    sources: list[str] | None
    held_out: list[HeldOut] = field(default_factory=list)
    normalization: Normalization = field(default_factory=Normalization)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The score matrices of a study, over all its systems and items, and what was left out and why.

    ``metrics`` holds the metric behind each matrix, None for scores that the study brought along; ``notes`` what a reader should
    know about the texts, with the metrics that it concerns; ``missing`` the metrics left out for want of a library or a model.
    """

    matrices: dict[str, ScoreMatrix]
    metrics: dict[str, Metric | None]
    rows: Rows
    skipped: list[dict[str, Any]]
    notes: list[tuple[list[str], Fact]]
    missing: dict[str, str] = field(default_factory=dict)


def rows_of(study: Study, policy: Policy = "all") -> Rows:
    """The outputs of a study with the references that each is held against; see `held_against` for ``policy``."""
    outputs = study.outputs
    normalization = Normalization(study.settings.normalization, study.settings.casing)
    references, held_out = held_against(study, policy)
    source_of = dict(zip(study.items["item_id"], study.items["source"], strict=True))
    sources = [source_of.get(item, "") for item in outputs["item_id"]]
    return Rows(
        index_of(study.systems, outputs["system"]),
        index_of(study.item_ids, outputs["item_id"]),
        normalization.of_all(outputs["output"]),
        _regrouped(normalization.of_all(text for row in references for text in row), references),
        normalization.of_all(sources) if any(sources) else None,
        held_out,
        normalization,
    )


def _regrouped(texts: list[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """A flat list in rows as long as those given."""
    ends = np.cumsum([len(row) for row in rows]).tolist()
    return [texts[end - len(row) : end] for end, row in zip(ends, rows, strict=True)]


def _collection(study: Study, normalization: Normalization) -> list[list[str]]:
    """The references of every item that has some: what metrics that look at a whole collection look at."""
    rows = [row for row in study.items["references"] if len(row)]
    return _regrouped(normalization.of_all(text for row in rows for text in row), rows)


def score_study(
    study: Study,
    specs: Sequence[str] = (),
    *,
    references: Policy = "all",
    controls: bool = True,
    progress: Callable[[str], None] = lambda label: None,
) -> Scored:
    """Score every output of a study by every metric, and take in the scores that the study brought along.

    Parameters
    ----------
    study : Study
    specs : sequence of str
        Metrics with their options, as ``rouge1(stem=yes)``; empty: those that study.toml names, else the default set.
    references : {"all", "equal"}
        See ``validate.validation.references.held_against``.
    controls : bool
        Whether length, length ratio and chance are scored beside whatever is chosen.
    progress : callable
        Told the label of each metric when it is done.

    Raises
    ------
    OptionError
        For metrics or options that do not exist. A metric that cannot be had on this study is left out with its reason instead.
    StudyError
        For those that study.toml names and that do not exist.
    """
    missing: dict[str, str] = {}
    parsed = chosen_metrics(study, specs, missing=missing)
    if controls:
        parsed |= controls_beside(parsed.values())
    rows = rows_of(study, references)
    batch = Batch.of(rows.outputs, rows.references, rows.sources)
    collection = _collection(study, rows.normalization)
    matrices: dict[str, ScoreMatrix] = {}
    metrics: dict[str, Metric | None] = {}
    skipped = [{"what": label, "reason": reason, "n": len(rows.outputs)} for label, reason in missing.items()]
    for label, metric in parsed.items():
        reason = _why_not(metric, rows)
        try:
            if not reason:
                metric = metric.fit(collection) if collection else metric
                matrices[label] = _matrix(study, rows, label, metric, metric.count(batch))
                metrics[label] = metric
                skipped += _undefined(label, matrices[label], rows)
        except AccordError as error:
            reason = str(error).removeprefix(f"{metric.name}: ")
            if isinstance(error, MISSING):
                missing[label] = reason
        if reason:
            skipped.append({"what": label, "reason": reason, "n": len(rows.outputs)})
        progress(label)
    notes = _notes(batch, metrics)
    for label, matrix in _given(study, set(matrices)).items():
        matrices[label], metrics[label] = matrix, None
    return Scored(matrices, metrics, rows, skipped, notes, missing)


def fitted(study: Study, metrics: Mapping[str, Metric], rows: Rows) -> dict[str, Metric]:
    """The metrics, bound to the references of the study's items where they look at a collection."""
    collection = _collection(study, rows.normalization)
    return {label: metric.fit(collection) if collection else metric for label, metric in metrics.items()}


def item_rows(scored: Scored) -> pd.DataFrame:
    """Every score there is as ``item_id, system, metric, score``, the columns of a study folder's metrics file."""
    return long_scores(scored.matrices.values())[["item_id", "system", "metric", "score"]]


def long_scores(matrices: Iterable[ScoreMatrix]) -> pd.DataFrame:
    """Item scores as ``metric, system, item_id, score``, only where there is one."""
    frames = [_long(matrix) for matrix in matrices]
    return pd.concat(frames, ignore_index=True) if frames else table("scores", [])


def _long(matrix: ScoreMatrix) -> pd.DataFrame:
    system, item = np.nonzero(~np.isnan(matrix.values))
    names = pd.Categorical.from_codes(np.zeros(len(system), dtype=np.int8), [matrix.name])
    return pd.DataFrame(
        {
            "metric": names.astype(str),
            "system": np.array(matrix.systems, dtype=object)[system],
            "item_id": np.array(matrix.items, dtype=object)[item],
            "score": matrix.values[system, item],
        }
    )


def _why_not(metric: Metric, rows: Rows) -> str:
    """Why a metric cannot be had on these rows; empty when it can."""
    if not rows.outputs:
        return "the study has no outputs, only judgments"
    if "references" in metric.needs and not any(rows.references):
        if any(held.n_outputs for held in rows.held_out):
            writers = listed([held.system for held in rows.held_out])
            return f"it needs references, and none is left: the outputs of {writers} are the references themselves"
        return "it needs references, and no item has any"
    if "sources" in metric.needs and rows.sources is None:
        return "it needs sources, and no item has one"
    return ""


def _matrix(study: Study, rows: Rows, label: str, metric: Metric, statistics: FloatArray) -> ScoreMatrix:
    shape = (len(study.systems), len(study.item_ids))
    values = np.full(shape, np.nan)
    values[rows.system, rows.item] = metric.divide(statistics)
    laid = np.full((*shape, statistics.shape[1]), np.nan)
    laid[rows.system, rows.item] = statistics
    divide = partial(metric.divide, level="system")
    signature = rows.normalization.signed(metric.signature)
    return ScoreMatrix(label, values, study.systems, study.item_ids, metric.higher_is_better, signature, laid, divide)


def _undefined(label: str, matrix: ScoreMatrix, rows: Rows) -> list[dict[str, Any]]:
    """What to say when some outputs have no score."""
    n = len(rows.outputs) - int((~np.isnan(matrix.values)).sum())
    alone = sum(not references for references in rows.references)
    if not n:
        return []
    return [
        {
            "what": label,
            "reason": f"{plural(n, 'output')} without a score ({alone:,} without a reference to be held against)",
            "n": n,
        }
    ]


def _notes(batch: Batch, metrics: Mapping[str, Metric | None]) -> list[tuple[list[str], Fact]]:
    """What the metrics have to say about the texts, each thing once, with all that say it."""
    said: dict[str, tuple[list[str], Fact]] = {}
    for label, metric in metrics.items():
        for fact in metric.notes(batch) if metric is not None else ():
            text = fact.text.removeprefix(f"{metric.name}: ") if metric is not None else fact.text
            said.setdefault(text, ([], replace(fact, text=text)))[0].append(label)
    return list(said.values())


def _given(study: Study, taken: set[str]) -> dict[str, ScoreMatrix]:
    """Scores from elsewhere; a name that one of ours has becomes ``"… (given)"``, twice so where that is a name as well."""
    found = {}
    groups = dict(iter(study.metric_scores.groupby("metric", sort=False)))
    for name, frame in groups.items():
        values = np.full((len(study.systems), len(study.item_ids)), np.nan)
        place = index_of(study.systems, frame["system"]), index_of(study.item_ids, frame["item_id"])
        values[place] = frame["score"].to_numpy(dtype=np.float64)
        label = str(name)
        while label in taken or (label != name and label in groups):
            label += " (given)"
        upwards = bool(study.settings.metric_options.get(str(name), {}).get("higher_is_better", True))
        found[label] = ScoreMatrix(label, values, study.systems, study.item_ids, upwards, f"{name}|from:metrics file")
    return found
