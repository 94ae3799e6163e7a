"""The main job: from a study to the tables, the choice and the report's material, stage by stage.

    score → human → correlate → agree → rank → cross-check → choose

Every stage takes records and gives tables. One generator is spawned a stage and a criterion, so that leaving one out changes no
number of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from validate.choose import Choice, primary, recommend
from validate.crosscheck import crosscheck
from validate.errors import bad_value, unknown_name
from validate.human import DUPLICATES, Target, targets
from validate.results import COLUMNS, Results, table
from validate.schema import COEFFICIENTS, Preferences, Ratings, ScoreMatrix, Study
from validate.stats import correlation_rows, difference_rows, resample
from validate.stats.resampling import RESAMPLED, Replicates
from validate.stats.system_scores import system_score_tables
from validate.validation.agreement import agreement_rows, annotator_rows, ceiling_rows
from validate.validation.cases import parting_cases
from validate.validation.provenance import run_document
from validate.validation.ranking import ranking_rows
from validate.validation.references import POLICIES, Policy
from validate.validation.scoring import Scored, score_study
from validate.validation.stages import Progress, Silent, Stages

INTERVALS = ("auto", "corrected", "bca", "percentile", "basic")
PLACES = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
CHOICE_COEFFICIENT = "spearman"
CROSSCHECK_WORK = 5_000_000  # pairs of words: a few seconds of the slowest reference library


@dataclass(frozen=True, slots=True)
class Options:
    """How a study is validated; the defaults are what a report should use.

    Parameters
    ----------
    metrics : tuple of str
        ``rouge1(stem=yes)`` and the like; empty: those of study.toml, else the default set.
    resamples : int
        Bootstrap replicates behind every interval.
    confidence : float
    unit : {"both", "items", "systems", "annotators"}
        What the correlations' intervals generalise to: new items and systems, new ones of one kind only, or other annotators of the
        same outputs.
    interval : {"auto", "corrected", "bca", "percentile", "basic"}
        "auto" takes the one that covers best by simulation, see ``validate.stats.intervals``; "percentile" over both axes is the plain
        bootstrap, which is too wide.
    seed : int
    human : {"mean", "z-score"}
        How ratings become scores.
    duplicates : {"last", "first", "all", "error"}
        What counts when an annotator judged one thing several times.
    references : {"all", "equal"}
        How other systems are treated where a writer of references is among the systems; see ``validate.validation.scoring.rows_of``.
    crosscheck_rows : int or None
        At most how many outputs are scored by the reference libraries as well, drawn by the seed, fewer where they are long; None:
        all, however long it takes; 0: none.
    """

    metrics: tuple[str, ...] = ()
    resamples: int = 1000
    confidence: float = 0.95
    unit: str = "both"
    interval: str = "auto"
    seed: int = 0
    human: str = "mean"
    duplicates: str = "last"
    references: Policy = "all"
    crosscheck_rows: int | None = 500
    coefficients: tuple[str, ...] = field(default=COEFFICIENTS)

    def __post_init__(self) -> None:
        named: list[tuple[str, str, Sequence[str]]] = [
            ("unit", self.unit, RESAMPLED),
            ("interval", self.interval, INTERVALS),
            ("way to turn ratings into scores", self.human, ("mean", "z-score")),
            ("rule for duplicates", self.duplicates, DUPLICATES),
            ("policy for references", self.references, POLICIES),
            *(("coefficient", coefficient, COEFFICIENTS) for coefficient in self.coefficients),
        ]
        for what, got, allowed in named:
            if got not in allowed:
                raise unknown_name("validate", what, got, allowed)
        if self.unit == "annotators" and self.human != "mean":
            raise bad_value("validate", "human", self.human, "'mean' where annotators are resampled")
        _at_least("resamples", self.resamples, 2)
        _at_least("seed", self.seed, 0)
        _at_least("crosscheck_rows", self.crosscheck_rows or 0, 0)
        if not 0 < self.confidence < 1:
            raise bad_value("validate", "confidence", self.confidence, "between 0 and 1, such as 0.95")

    @property
    def drawn_for(self) -> str:
        """The interval that the replicates must serve: differences want the corrected one beside analytic correlations."""
        return "corrected" if self.interval == "auto" else self.interval


def _at_least(option: str, got: object, least: int) -> None:
    if not isinstance(got, int | np.integer) or got < least:
        raise bad_value("validate", option, got, f"a whole number, {least} or more")


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
    options = options or Options()
    stages = stages or Stages(progress or Silent())
    with stages.stage("scoring the outputs", total=len(options.metrics) or 20):
        scored = score_study(study, options.metrics, references=options.references, progress=stages.step)
    with stages.stage("reading the judgments"):
        found = targets(study, rated=options.human, duplicates=options.duplicates)  # type: ignore[arg-type]
    with stages.stage("correlating metrics with people", total=len(found) * len(PLACES)):
        drawn = list(_correlate(scored, found, options, stages))
    with stages.stage("agreement among annotators", total=len(found)):
        agreement, annotators, ceiling = _agreement(found, options, stages)
    with stages.stage("ranking the systems", total=len(found) + 1):
        ranking = _ranking(found, options, stages)
        system_scores = _system_scores(scored, options)
    with stages.stage("checking against the reference libraries"):
        checked = _crosscheck(scored, options)
    choices = [_choice(one, scored, ceiling, options) for one in drawn]
    answer = primary(choices)
    correlations = _labelled("correlations", [(one.target, one.correlations) for one in drawn])
    return Results(
        correlations=correlations,
        significance=_labelled("significance", [(one.target, one.differences) for one in drawn]),
        agreement=agreement,
        ranking=ranking,
        system_scores=system_scores,
        crosscheck=checked,
        ceiling=ceiling,
        annotators=annotators,
        scores=_long("scores", scored.matrices.values()),
        human_scores=_human_long(found),
        choice={
            "primary": answer,
            "coefficient": CHOICE_COEFFICIENT,
            "choices": [choice.as_dict() for choice in choices],
        },
        run=run_document(study, scored, found, correlations, asdict(options), stages.log, command),
        cases=_cases(study, scored, found, choices, answer),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """What was found at one place: the replicates, and the rows that they give."""

    target: Target
    replicates: Replicates
    correlations: pd.DataFrame
    differences: pd.DataFrame


def _correlate(scored: Scored, found: Sequence[Target], options: Options, stages: Stages) -> Iterator[_Drawn]:
    """Correlations of every metric with people, one set of replicates a target and place; none for a target without any score."""
    generators = _generators(options.seed, "correlations", len(found))
    for target, generator in zip(found, generators, strict=True):
        systems, items = (np.flatnonzero(target.judged.any(axis=axis)) for axis in (1, 0))
        human = _people(target) if options.unit == "annotators" else target.scores.take(systems, items)
        metrics = [matrix.take(systems, items) for matrix in scored.matrices.values()]
        for (level, grouping), own in zip(PLACES, generator.spawn(len(PLACES)), strict=True):
            if metrics and len(systems):
                replicates = resample(
                    metrics, human, coefficients=options.coefficients, level=level, grouping=grouping, unit=options.unit,
                    resamples=options.resamples, interval=options.drawn_for, rng=own,
                )  # fmt: skip
                yield _Drawn(
                    target,
                    replicates,
                    correlation_rows(replicates, confidence=options.confidence, interval=options.interval).assign(
                        seed=options.seed
                    ),
                    difference_rows(replicates, confidence=options.confidence),
                )
            stages.step(f"{target.label}, {level} level, grouping {grouping}")


def _people(target: Target) -> Ratings | Preferences:
    """The judgments themselves, of which annotators are resampled."""
    n = len(target.judgments.annotators)
    if n < 2:
        raise bad_value(
            "validate", "unit", "annotators", f"units of which there are several; {target.label} has {n} annotator"
        )
    return target.judgments


def _generators(seed: int, stage: str, n: int) -> list[np.random.Generator]:
    """Independent generators of a stage: the seed and the stage's name give them, whatever other stages draw."""
    sequence = np.random.SeedSequence([seed, *stage.encode()])
    return [np.random.default_rng(child) for child in sequence.spawn(n)]


def _agreement(
    found: Sequence[Target], options: Options, stages: Stages
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    agreement: list[dict[str, Any]] = []
    annotators: list[dict[str, Any]] = []
    ceiling: list[dict[str, Any]] = []
    for target, generator in zip(found, _generators(options.seed, "agreement", len(found)), strict=True):
        agreement += agreement_rows(target, resamples=options.resamples, confidence=options.confidence, rng=generator)
        annotators += annotator_rows(target)
        ceiling += ceiling_rows(
            target,
            PLACES,
            options.coefficients,
            resamples=options.resamples,
            confidence=options.confidence,
            rng=generator,
        )
        stages.step(target.label)
    return table("agreement", agreement), table("annotators", annotators), table("ceiling", ceiling)


def _ranking(found: Sequence[Target], options: Options, stages: Stages) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for target, generator in zip(found, _generators(options.seed, "ranking", len(found)), strict=True):
        rows += ranking_rows(target, resamples=options.resamples, confidence=options.confidence, rng=generator)
        stages.step(target.label)
    return table("ranking", rows)


def _system_scores(scored: Scored, options: Options) -> pd.DataFrame:
    """Corpus scores with intervals over items; all metrics meet the same resampled items."""
    (generator,) = _generators(options.seed, "system scores", 1)
    matrices = list(scored.matrices.values())
    found = system_score_tables(matrices, resamples=options.resamples, confidence=options.confidence, rng=generator)
    frames = [frame.assign(metric=m.name, signature=m.signature) for m, frame in zip(matrices, found, strict=True)]
    columns = list(COLUMNS["system_scores"])
    return pd.concat(frames, ignore_index=True)[columns] if frames else table("system_scores", [])


def _crosscheck(scored: Scored, options: Options) -> pd.DataFrame:
    own = {label: metric for label, metric in scored.metrics.items() if metric is not None}
    if not own or options.crosscheck_rows == 0:
        return table("crosscheck", [])
    (generator,) = _generators(options.seed, "crosscheck", 1)
    return crosscheck(
        own,
        scored.rows.outputs,
        scored.rows.references,
        scored.rows.sources,
        limit=options.crosscheck_rows,
        work=None if options.crosscheck_rows is None else CROSSCHECK_WORK,
        rng=generator,
    )


def _choice(drawn: _Drawn, scored: Scored, ceiling: pd.DataFrame, options: Options) -> Choice:
    coefficient = CHOICE_COEFFICIENT if CHOICE_COEFFICIENT in options.coefficients else options.coefficients[0]
    controls = [label for label, metric in scored.metrics.items() if metric is not None and metric.control]
    here = ceiling[
        (ceiling["criterion"] == drawn.target.label)
        & (ceiling["level"] == drawn.replicates.level)
        & (ceiling["grouping"] == drawn.replicates.grouping)
        & (ceiling["coefficient"] == coefficient)
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


def _long(name: str, matrices: Any) -> pd.DataFrame:
    """Item scores as ``metric, system, item_id, score``, only where there is one."""
    frames = []
    for matrix in matrices:
        system, item = np.nonzero(~np.isnan(matrix.values))
        frames.append(
            pd.DataFrame(
                {
                    "metric": pd.Categorical.from_codes(np.zeros(len(system), dtype=np.int8), [matrix.name]).astype(
                        str
                    ),
                    "system": np.array(matrix.systems, dtype=object)[system],
                    "item_id": np.array(matrix.items, dtype=object)[item],
                    "score": matrix.values[system, item],
                }
            )
        )
    return pd.concat(frames, ignore_index=True) if frames else table(name, [])


def _human_long(found: Sequence[Target]) -> pd.DataFrame:
    renamed = [_renamed(target.scores, target.label) for target in found]
    frame = _long("scores", renamed).rename(columns={"metric": "criterion"})
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
