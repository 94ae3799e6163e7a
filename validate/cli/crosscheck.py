"""``accord crosscheck``: ours beside the reference libraries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from validate.metrics import Metric

TRIAL_ROWS = 500


def crosscheck(
    study: Annotated[
        Path | None,
        typer.Argument(
            help="The study whose texts are scored by both; without one, texts in many scripts that accord brings along.",
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[str, typer.Option(help="Metrics, such as 'bleu, rouge1(stem=yes)'; by default all.")] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many outputs, drawn by the seed; all by default.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score texts by accord and by the reference libraries; exit 1 when a difference exceeds its tolerance."""
    from validate.crosscheck import crosscheck as compare
    from validate.crosscheck import failed
    from validate.metrics._spec import split

    chosen, texts = _of_study(study, split(metrics)) if study is not None else _of_trial(split(metrics), limit, seed)
    checked = compare(chosen, *texts, limit=limit, rng=seed)
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(checked.to_dict("records")))
    else:
        from validate.cli.summary import print_frame

        print_frame(checked)
    if failed(checked):
        raise typer.Exit(1)


def _of_study(study: Path, specs: list[str]) -> tuple[dict[str, Metric], tuple[Any, ...]]:
    """The metrics that are asked for, else those of the study, and its texts."""
    from validate.loading import load
    from validate.validation.chosen import chosen_metrics
    from validate.validation.scoring import fitted, rows_of

    loaded = load(study)
    rows = rows_of(loaded)
    return fitted(loaded, chosen_metrics(loaded, specs), rows), (rows.outputs, rows.references, rows.sources)


def _of_trial(specs: list[str], limit: int | None, seed: int) -> tuple[dict[str, Metric], tuple[Any, ...]]:
    """The metrics that are asked for, else all that have a reference library, and texts made for the purpose."""
    from validate.metrics import entries
    from validate.metrics._spec import expanded, parse
    from validate.text.trial import trial_texts

    specs = specs or [name for name, entry in entries().items() if entry.references]
    return dict(map(parse, expanded(specs))), trial_texts(TRIAL_ROWS if limit is None else limit, seed)
