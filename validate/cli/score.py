"""``accord score``: scores only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from validate.schema import Study
    from validate.validation.scoring import Scored


CELL = 6  # characters of a score


def score(
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False)],
    metrics: Annotated[
        str,
        typer.Option(
            help="Metrics, such as 'default, rouge1(stem=yes)', default being the usual ones; by default those of study.toml, else these."
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="A file for the scores of all outputs: .csv, .tsv, .jsonl or .parquet. A study folder reads it as its metrics file.",
            show_default=False,
        ),
    ] = None,
    references: Annotated[
        str, typer.Option(help="Beside human writers, other systems have all references or equally many: all, equal.")
    ] = "all",
    json_output: Annotated[bool, typer.Option("--json", help="Print the systems' scores as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Score a study's outputs: the corpus score of every system on the terminal, the scores of all outputs into a file."""
    from validate.cli.kernels import compile_first
    from validate.cli.progress import progress_for
    from validate.loading import load
    from validate.metrics._spec import split
    from validate.telling import listening
    from validate.validation.chosen import check_specs
    from validate.validation.scoring import score_study

    write = _writer(out)
    specs = split(metrics)
    check_specs(specs, study)
    compile_first(statistics=False, quiet=quiet or json_output)
    with progress_for(quiet=quiet or json_output) as progress:
        progress.start("reading the study", 1)
        loaded = load(study)
        progress.start("scoring the outputs", len(specs) or 20)
        with listening(progress.note):
            scored = score_study(
                loaded,
                specs,
                references=references,  # type: ignore[arg-type]
                controls=not specs,
                progress=progress.step,
            )
    if out is not None:
        write(scored)
    if json_output:
        from validate.results import to_json

        typer.echo(to_json({"systems": system_rows(loaded, scored), "skipped": scored.skipped}))
    elif not quiet:
        _print(loaded, scored, out)
    if specs and any(entry["n"] == len(scored.rows.outputs) for entry in scored.skipped):
        raise typer.Exit(2 if scored.missing else 1)


def _writer(out: Path | None) -> Any:
    """What writes the file; a name whose ending says no format is refused before anything is scored."""
    from validate.errors import bad_value
    from validate.files import fresh_file
    from validate.formats import WRITERS

    if out is None:
        return None
    kind = out.suffix.lower().removeprefix(".")
    if kind not in WRITERS:
        raise bad_value("score", "out", str(out), f"a name that ends in {', '.join(f'.{name}' for name in WRITERS)}")

    def write(scored: Scored) -> None:
        from validate.validation.scoring import item_rows

        with fresh_file(out) as fresh:
            WRITERS[kind](item_rows(scored), fresh)

    return write


def system_rows(study: Study, scored: Scored) -> list[dict[str, Any]]:
    """Metric, system, corpus score, number of outputs with a score, signature; metric by metric."""
    import numpy as np

    return [
        {
            "metric": label,
            "system": system,
            "score": float(value),
            "n": int((~np.isnan(row)).sum()),
            "signature": matrix.signature,
        }
        for label, matrix in scored.matrices.items()
        for system, value, row in zip(study.systems, matrix.system_scores(), matrix.values, strict=True)
    ]


def _print(study: Study, scored: Scored, out: Path | None) -> None:
    """A line a system and a column a metric, in as many tables as the terminal's width asks for; then what was left out."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    columns = {label: [_short(value) for value in matrix.system_scores()] for label, matrix in scored.matrices.items()}
    for labels in _blocks(list(columns), max(map(len, study.systems), default=0), console.width):
        shown = Table(box=None, pad_edge=False, header_style="bold")
        shown.add_column("system", overflow="fold")
        for label in labels:
            shown.add_column(label, justify="right", overflow="fold")
        for row, system in enumerate(study.systems):
            shown.add_row(system, *(columns[label][row] for label in labels))
        console.print(shown)
        console.print()
    for entry in scored.skipped:
        console.print(f"{entry['what']}: {entry['reason']}", markup=False)
    if out is not None:
        console.print(f"scores of all outputs: {out}", markup=False, soft_wrap=True)


def _blocks(labels: list[str], beside: int, width: int) -> list[list[str]]:
    """The labels in blocks that fit side by side, at least one in each."""
    blocks: list[list[str]] = []
    room = 0
    for label in labels:
        wide = max(len(label), CELL) + 2
        if not blocks or wide > room:
            blocks.append([])
            room = width - max(beside, len("system"))
        blocks[-1].append(label)
        room -= wide
    return blocks


def _short(value: float) -> str:
    return "–" if value != value else f"{value:.2f}" if abs(value) >= 10 else f"{value:.4f}"
