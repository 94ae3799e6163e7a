"""Everything needed to repeat a run, and everything a reader should be warned of: the document run.json."""

from __future__ import annotations

import datetime
import importlib.metadata
import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from validate import __version__
from validate.choose import FEW_SYSTEMS
from validate.errors import plural
from validate.human import Target
from validate.metrics import Metric
from validate.schema import ScoreMatrix, Study
from validate.validation.references import HeldOut, as_dicts
from validate.validation.scoring import Scored

PACKAGES = ("numpy", "scipy", "pandas", "numba", "pyarrow", "sacrebleu", "rouge-score", "jiwer", "nltk")
FEW_ITEMS = 30


def run_document(
    study: Study,
    scored: Scored,
    found: Sequence[Target],
    correlations: pd.DataFrame,
    options: dict[str, Any],
    stages: list[dict[str, Any]],
    command: str,
    *,
    intervals: list[dict[str, Any]],
    doubts: Sequence[str] = (),
) -> dict[str, Any]:
    """The document run.json as the report reads it. Times and memory are the only things in it that two equal runs do not share."""
    return {
        "accord": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
        "command": command,
        "study": {
            "name": study.name,
            "path": study.path.name,
            "task": study.settings.task,
            "language": study.settings.language,
            "description": study.settings.description,
            "simulated": study.settings.simulated,
        },
        "options": options,
        "seed": options["seed"],
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "inputs": dict(study.files),
        "counts": _counts(study),
        "metrics": [_metric(label, matrix, scored.metrics[label]) for label, matrix in scored.matrices.items()],
        "criteria": [_criterion(target) for target in found],
        "intervals": intervals,
        "skipped": scored.skipped,
        "held_out": as_dicts(scored.rows.held_out),
        "facts": [asdict(fact) for fact in study.facts],
        "warnings": sorted(
            [*_warnings(study, scored, found, correlations), *_doubts(doubts)], key=lambda warning: -warning["weight"]
        ),
        "stages": stages,
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _counts(study: Study) -> dict[str, int]:
    annotators = {*study.ratings["annotator"], *study.comparisons["annotator"]}
    return {
        "items": len(study.item_ids),
        "systems": len(study.systems),
        "outputs": len(study.outputs),
        "ratings": len(study.ratings),
        "comparisons": len(study.comparisons),
        "annotators": len(annotators),
        "metric_scores": len(study.metric_scores),
    }


def _metric(label: str, matrix: ScoreMatrix, metric: Metric | None) -> dict[str, Any]:
    """One entry of the list of metrics; those that the study brought along have no metric behind them."""
    described = {
        "name": label,
        "signature": matrix.signature,
        "higher_is_better": matrix.higher_is_better,
        "n": int((~np.isnan(matrix.values)).sum()),
    }
    if metric is None:
        given = "the study's own file of metric scores"
        return {
            **described,
            "bounds": None,
            "needs": [],
            "source": given,
            "summary": "",
            "origin": "study",
            "control": False,
        }
    return {
        **described,
        "bounds": [bound if math.isfinite(bound) else None for bound in metric.bounds],  # null: unbounded
        "needs": list(metric.needs),
        "source": metric.source,
        "summary": metric.summary,
        "origin": "accord",
        "control": metric.control,
    }


def _criterion(target: Target) -> dict[str, Any]:
    judged = target.judgments
    return {
        "name": target.label,
        "kind": target.kind,
        "scale": None if target.declared.scale is None else list(target.declared.scale),
        "higher_is_better": target.declared.higher_is_better,
        "n_annotators": len(judged.annotators),
        "n_judgments": len(judged.annotator),
        "n_systems": int(target.judged.any(axis=1).sum()),
        "n_items": int(target.judged.any(axis=0).sum()),
    }


def _warnings(
    study: Study, scored: Scored, found: Sequence[Target], correlations: pd.DataFrame
) -> list[dict[str, Any]]:
    """What may not be concluded, by weight: 3 changes the meaning of the page, 2 its strength, 1 a detail."""
    said: list[tuple[int, str]] = []
    if study.settings.simulated:
        said.append((3, _SIMULATED))
    said += [(3, _nothing_to_hold_against(target)) for target in found if not target.judged.any()]
    said += [(2, f"{', '.join(labels)}: {text}") for text, labels in _about_targets(found).items()]
    said += [(2, _held_out_sentence(held)) for held in scored.rows.held_out]
    said += [(2, _direction_sentence(name)) for name in _against_people(study, correlations)]
    for labels, fact in scored.notes:
        said.append((2 if fact.weight == "warning" else 1, f"{', '.join(labels)}: {fact.text}."))
    said += [(1, f"{', '.join(labels)}: {reason}.") for reason, labels in _by_reason(scored).items()]
    for fact in study.facts:
        if fact.weight == "warning" and fact.name != "simulated-judgments":
            said.append((2, fact.text if fact.text.endswith(".") else f"{fact.text}."))
    return [{"weight": weight, "text": text} for weight, text in said]


def _doubts(texts: Sequence[str]) -> list[dict[str, Any]]:
    """What other stages found to weaken the results."""
    return [{"weight": 2, "text": text} for text in texts]


_SIMULATED = (
    "The judgments of this study were made by a program and not by people; nothing here says anything about real metrics "
    "or systems."
)


def _about_targets(found: Sequence[Target]) -> dict[str, list[str]]:
    """What weakens the human side, each thing once, with the criteria that it is true of."""
    said: dict[str, list[str]] = {}
    for target in found:
        n_systems, n_items = int(target.judged.any(axis=1).sum()), int(target.judged.any(axis=0).sum())
        doubts = {
            f"with {plural(n_systems, 'system')} a correlation at system level says next to nothing; its interval shows how "
            "little.": 0 < n_systems < FEW_SYSTEMS,
            f"people judged {plural(n_items, 'item')} only; other items may give another picture.": 0
            < n_items
            < FEW_ITEMS,
            "there is one annotator only, so that agreement and the human ceiling cannot be known.": n_systems
            and len(target.judgments.annotators) < 2,
        }
        for text, holds in doubts.items():
            if holds:
                said.setdefault(text, []).append(target.label)
    return said


def _against_people(study: Study, correlations: pd.DataFrame) -> list[str]:
    """Metrics of the study's own file, without a declared direction, of which some interval lies wholly below zero."""
    declared = {name for name, options in study.settings.metric_options.items() if "higher_is_better" in options}
    given = set(study.metric_scores["metric"]) - declared
    below = correlations[(correlations["high"] < 0) & correlations["metric"].isin(given)]
    return list(dict.fromkeys(below["metric"]))


def _direction_sentence(name: str) -> str:
    return (
        f"{name} correlates negatively with people, and study.toml does not say its direction; if lower is better, write "
        f"higher_is_better = false under [metric_options.{name}]."
    )


def _nothing_to_hold_against(target: Target) -> str:
    """Only z-scores can be undefined throughout: a plain mean is there wherever somebody rated."""
    return (
        f"{target.label}: every annotator gave one score throughout, so that no z-score is defined and no metric can be "
        "held against these ratings; plain means (--human mean) are defined."
    )


def _held_out_sentence(held: HeldOut) -> str:
    return (
        f"{held.system} writes references: {plural(held.n_outputs, 'output')} held against the remaining references, "
        f"{held.n_left_out:,} left out of the metrics that need one because none remained."
    )


def _by_reason(scored: Scored) -> dict[str, list[str]]:
    """What was left out, each reason once."""
    reasons: dict[str, list[str]] = {}
    for left in scored.skipped:
        reasons.setdefault(left["reason"], []).append(left["what"])
    return reasons
