"""The main job: from a study to the tables, the choice and the report's material, stage by stage.

    score → human → correlate → agree → rank → cross-check → choose

Every stage takes records and gives tables. One generator is spawned a stage and a criterion, so that leaving one out changes no
number of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from validate.choose import Choice, primary, recommend
from validate.crosscheck import crosscheck
from validate.human import Target, targets
from validate.results import COLUMNS, LEAVE_ONE_OUT, Results, table
from validate.schema import ScoreMatrix, Study
from validate.stats.system_scores import system_score_tables
from validate.validation.agreement import agreement_rows, annotator_rows, ceiling_rows
from validate.validation.analysis import options_of
from validate.validation.attenuation import attenuation_rows
from validate.validation.cases import parting_cases
from validate.validation.correlating import PLACES, Drawn, correlate, interval_notes, judged_part, metric_ranks
from validate.validation.draws import generators
from validate.validation.options import Options
from validate.validation.pairs import pairwise_rows
from validate.validation.provenance import run_document
from validate.validation.ranking import ranking_rows
from validate.validation.reach import out_of_reach
from validate.validation.repeats import consistency_row, repeat_rows, repeated_judgments
from validate.validation.scoring import Scored, long_scores, score_study
from validate.validation.stages import Progress, Silent, Stages

CHOICE_COEFFICIENT = "spearman"
CROSSCHECK_WORK = 5_000_000  # pairs of words: a few seconds of the slowest reference library


def run(
    study: Study,
    options: Options | None = None,
    *,
    progress: Progress | None = None,
    stages: Stages | None = None,
    command: str = "",
) -> Results:
    """Validate the metrics of a study against its human judgments.

    Parameters
    ----------
    study : Study
    options : Options
        Those of the study's ``[analysis]`` section, else the defaults, when nothing is given.
    progress : Progress, optional
        Who is told how the work goes on.
    stages : Stages, optional
        A record that has begun before, for instance with the reading of the study; it brings its own ``progress``.
    command : str
        The command line that repeats the run, for the report.

    Returns
    -------
    Results
    """
    options = options or options_of(study)
    stages = stages or Stages(progress or Silent())
    with stages.stage("scoring the outputs", total=len(options.metrics) or 20):
        scored = score_study(study, options.metrics, references=options.references, progress=stages.step)
    with stages.stage("reading the judgments"):
        found = targets(study, rated=options.human, duplicates=options.duplicates)  # type: ignore[arg-type]
    with stages.stage("correlating metrics with people", total=len(found) * len(PLACES)):
        drawn = list(correlate(scored, found, options, stages))
    with stages.stage("comparing pairs of outputs", total=len(found)):
        pairwise = _pairwise(scored, found, options, stages)
    with stages.stage("agreement among annotators", total=len(found)):
        people = _people(study, found, options, stages)
    with stages.stage("ranking the systems", total=len(found) + 1):
        ranking = _ranking(found, options, stages)
        system_scores = _system_scores(scored, options)
    with stages.stage("checking against the reference libraries"):
        checked = _crosscheck(scored, options)
    choices = [_choice(one, scored, people["ceiling"], options) for one in drawn]
    answer = primary(choices)
    correlations = _labelled("correlations", [(one.target, one.correlations) for one in drawn])
    significance = _labelled("significance", [(one.target, one.differences) for one in drawn])
    return Results(
        correlations=correlations,
        significance=significance,
        metric_ranks=metric_ranks(significance, options.alpha),
        pairwise=pairwise,
        **people,
        attenuation=table("attenuation", attenuation_rows(correlations, people["ceiling"], human=options.human)),
        ranking=ranking,
        system_scores=system_scores,
        crosscheck=checked,
        scores=long_scores(scored.matrices.values()),
        human_scores=_human_long(found),
        choice={
            "primary": answer,
            "coefficient": CHOICE_COEFFICIENT,
            "choices": [choice.as_dict() for choice in choices],
        },
        run=run_document(
            study,
            scored,
            found,
            correlations,
            asdict(options),
            stages.log,
            command,
            intervals=interval_notes(drawn),
            doubts=out_of_reach(significance, correlations, options),
        ),
        cases=_cases(study, scored, found, choices, answer),
    )


def _pairwise(scored: Scored, found: Sequence[Target], options: Options, stages: Stages) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for target, generator in zip(found, generators(options.seed, "pairwise", len(found)), strict=True):
        rows += pairwise_rows(target, *judged_part(scored, target), resamples=options.resamples, rng=generator)
        stages.step(target.label)
    return table("pairwise", rows)


def _people(study: Study, found: Sequence[Target], options: Options, stages: Stages) -> dict[str, pd.DataFrame]:
    """The tables about the annotators: of agreement, of each of them, of their repeats, of the ceiling."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("agreement", "annotators", "repeats", "ceiling")}
    common: dict[str, Any] = {"resamples": options.resamples, "confidence": options.confidence}
    repeated = repeated_judgments(study)
    drawn = (generators(options.seed, stage, len(found)) for stage in ("agreement", "repeats"))
    for target, own, again in zip(found, *drawn, strict=True):
        rows["agreement"] += agreement_rows(target, **common, rng=own)
        rows["annotators"] += annotator_rows(target)
        rows["ceiling"] += ceiling_rows(target, PLACES, options.coefficients, **common, rng=own)
        if target.label in repeated:
            rows["agreement"].append(consistency_row(target.label, repeated[target.label], **common, rng=again))
            rows["repeats"] += repeat_rows(target.label, repeated[target.label])
        stages.step(target.label)
    return {name: table(name, found) for name, found in rows.items()}


def _ranking(found: Sequence[Target], options: Options, stages: Stages) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for target, generator in zip(found, generators(options.seed, "ranking", len(found)), strict=True):
        rows += ranking_rows(target, resamples=options.resamples, confidence=options.confidence, rng=generator)
        stages.step(target.label)
    return table("ranking", rows)


def _system_scores(scored: Scored, options: Options) -> pd.DataFrame:
    """Corpus scores with intervals over items; all metrics meet the same resampled items."""
    (generator,) = generators(options.seed, "system scores", 1)
    matrices = list(scored.matrices.values())
    found = system_score_tables(matrices, resamples=options.resamples, confidence=options.confidence, rng=generator)
    frames = [frame.assign(metric=m.name, signature=m.signature) for m, frame in zip(matrices, found, strict=True)]
    columns = list(COLUMNS["system_scores"])
    return pd.concat(frames, ignore_index=True)[columns] if frames else table("system_scores", [])


def _crosscheck(scored: Scored, options: Options) -> pd.DataFrame:
    own = {label: metric for label, metric in scored.metrics.items() if metric is not None}
    if not own or options.crosscheck_rows == 0:
        return table("crosscheck", [])
    (generator,) = generators(options.seed, "crosscheck", 1)
    return crosscheck(
        own,
        scored.rows.outputs,
        scored.rows.references,
        scored.rows.sources,
        limit=options.crosscheck_rows,
        work=None if options.crosscheck_rows is None else CROSSCHECK_WORK,
        rng=generator,
    )


def _choice(drawn: Drawn, scored: Scored, ceiling: pd.DataFrame, options: Options) -> Choice:
    coefficient = CHOICE_COEFFICIENT if CHOICE_COEFFICIENT in options.coefficients else options.coefficients[0]
    controls = [label for label, metric in scored.metrics.items() if metric is not None and metric.control]
    here = ceiling[
        (ceiling["criterion"] == drawn.target.label)
        & (ceiling["level"] == drawn.replicates.level)
        & (ceiling["grouping"] == drawn.replicates.grouping)
        & (ceiling["coefficient"] == coefficient)
        & ceiling["method"].str.startswith(LEAVE_ONE_OUT)
    ]["estimate"].dropna()
    return recommend(
        drawn.replicates, drawn.target.label, correlations=drawn.correlations, differences=drawn.differences,
        coefficient=coefficient, controls=controls, ceiling=float(here.iloc[0]) if len(here) else None,
    )  # fmt: skip


def _labelled(name: str, frames: Sequence[tuple[Target, pd.DataFrame]]) -> pd.DataFrame:
    """The frames of all criteria as one table."""
    empty = table(name, [])
    if not frames:
        return empty
    return pd.concat([frame.assign(criterion=target.label) for target, frame in frames], ignore_index=True)[
        list(empty.columns)
    ]


def _human_long(found: Sequence[Target]) -> pd.DataFrame:
    renamed = [_renamed(target.scores, target.label) for target in found]
    frame = long_scores(renamed).rename(columns={"metric": "criterion"})
    return frame if found else table("human_scores", [])


def _renamed(matrix: ScoreMatrix, name: str) -> ScoreMatrix:
    return ScoreMatrix(name, matrix.values, matrix.systems, matrix.items, matrix.higher_is_better, matrix.signature)


def _cases(
    study: Study, scored: Scored, found: Sequence[Target], choices: Sequence[Choice], answer: dict[str, str] | None
) -> list[dict[str, Any]]:
    """The items where the recommended metric and people part most."""
    if answer is None:
        return []
    chosen = next(c for c in choices if (c.criterion, c.level, c.grouping) == tuple(answer.values()))
    target = next(target for target in found if target.label == chosen.criterion)
    metric = scored.matrices[chosen.best["metric"]]  # type: ignore[index]
    return parting_cases(study, scored.rows, metric, target.scores, target.label)
