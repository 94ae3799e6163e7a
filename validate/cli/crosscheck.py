"""``accord crosscheck``: ours beside the reference libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def crosscheck(
    study: Annotated[Path, typer.Argument(help="The study whose texts are scored by both.", show_default=False)],
    metrics: Annotated[str, typer.Option(help="Metrics, such as 'bleu, rouge1(stem=yes)'; by default all.")] = "",
    limit: Annotated[
        int | None, typer.Option(help="How many outputs, drawn by the seed; all by default.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a study's texts by accord and by the reference libraries; exit 1 when a difference exceeds its tolerance."""
    from validate.crosscheck import crosscheck as compare
    from validate.crosscheck import failed
    from validate.loading import load
    from validate.metrics._spec import split
    from validate.validation.chosen import chosen_metrics
    from validate.validation.scoring import rows_of

    loaded = load(study)
    rows = rows_of(loaded)
    parsed = chosen_metrics(loaded, split(metrics))
    checked = compare(parsed, rows.outputs, rows.references, rows.sources, limit=limit, rng=seed)
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(checked.to_dict("records")))
    else:
        from validate.cli.summary import print_frame

        print_frame(checked)
    if failed(checked):
        raise typer.Exit(1)
