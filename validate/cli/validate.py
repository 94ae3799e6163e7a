"""``accord validate``: the main job."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def validate(
    context: typer.Context,
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the results go; reports/NAME by default.", show_default=False)
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            help="Metrics, such as 'default, rouge1(stem=yes)', default being the usual ones; by default those of study.toml, else these."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Same inputs, options and seed give the same bytes.")] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates behind every interval.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Of every interval.")] = 0.95,
    unit: Annotated[
        str, typer.Option(help="What intervals generalise to: items, systems, both or annotators.")
    ] = "both",
    interval: Annotated[
        str, typer.Option(help="auto (what covers best), corrected, bca, percentile or basic.")
    ] = "auto",
    test: Annotated[
        str,
        typer.Option(
            help="Where p of a difference between metrics comes from: bootstrap, as its interval does, or permutation."
        ),
    ] = "bootstrap",
    human: Annotated[str, typer.Option(help="How ratings become scores: mean or z-score.")] = "mean",
    duplicates: Annotated[
        str, typer.Option(help="Which of an annotator's repeated judgments count: last, first, all or error.")
    ] = "last",
    references: Annotated[
        str, typer.Option(help="Beside human writers, other systems have all references or equally many: all, equal.")
    ] = "all",
    crosscheck: Annotated[
        str, typer.Option(help="How many outputs the reference libraries score as well: a number, all or none.")
    ] = "500",
    json_output: Annotated[bool, typer.Option("--json", help="Print the choice as JSON instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Validate metrics against human judgments: scores, correlations, agreement, ranking, choice, report."""
    from validate import results as results_folder
    from validate.cli.kernels import compile_first
    from validate.cli.progress import progress_for
    from validate.cli.summary import print_summary
    from validate.errors import bad_value
    from validate.files import recover
    from validate.loading import load
    from validate.metrics._spec import split
    from validate.validation import Options, run
    from validate.validation.analysis import options_of
    from validate.validation.chosen import check_specs
    from validate.validation.options import crosscheck_rows
    from validate.validation.stages import Stages

    if metrics and not split(metrics):
        raise bad_value("validate", "metrics", metrics, "names of metrics, such as 'bleu, chrf'; see: accord metrics")
    check_specs(split(metrics), study)
    said: dict[str, Any] = {
        "resamples": resamples,
        "confidence": confidence,
        "unit": unit,
        "interval": interval,
        "test": test,
        "seed": seed,
        "human": human,
        "duplicates": duplicates,
        "references": references,
    }
    given = {name: value for name, value in said.items() if _was_given(context, name)}
    given["metrics"] = tuple(split(metrics))
    if _was_given(context, "crosscheck"):
        given["crosscheck_rows"] = crosscheck_rows(crosscheck)
    Options(**given)  # a wrong command is said before anything is read
    folder = out if out is not None else Path("reports") / study.resolve().name
    recover(folder)
    results_folder.check_replaceable(folder)
    compile_first(statistics=True, quiet=quiet or json_output)
    with progress_for(quiet=quiet or json_output) as progress:
        stages = Stages(progress)
        with stages.stage("reading the study"):
            loaded = load(study)
        found = run(loaded, options_of(loaded, given), stages=stages, command=shlex.join(["accord", *sys.argv[1:]]))
        progress.start("writing the report", 1)
        from validate.report import render

        results_folder.write(found, folder, render(found))
    if json_output:
        typer.echo(results_folder.to_json(found.choice))
    elif not quiet:
        print_summary(found, folder)


def _was_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line; else the study's own word holds, and then the default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
