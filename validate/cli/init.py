"""``accord init``: a study folder out of a table that somebody has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from validate.formats.rows import Rows
    from validate.loading.intake import Understanding


_ADVICE = "Give the ends of the scale that people had, and a score outside it is refused:"
_COMMENTED = ("# higher_is_better = true", '# measurement = "interval"  # or "nominal", "ordinal", "ratio"')


def init(
    folder: Annotated[
        Path, typer.Argument(help="The study folder to make; new or empty.", show_default=False, metavar="FOLDER")
    ],
    source: Annotated[
        Path,
        typer.Option(
            "--from", help="A CSV, TSV, JSONL, JSON, XLSX or Parquet file.", show_default=False, metavar="FILE"
        ),
    ],
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="What a column is, such as item_id=ID or 'systems=GPT|Llama'; may be given several times. Roles: "
            "item_id, source, references, system, output, annotator, criterion, score, metric, system_a, system_b, "
            "output_a, output_b, winner; systems (outputs, a column per system), scores (a column per criterion).",
            show_default=False,
            metavar="ROLE=COLUMN",
        ),
    ] = None,
) -> None:
    """Make a study folder out of a table with a row per output, a column per system, or a row per comparison.

    Columns are recognised by their names or given by --map. Prints what it understood; writes nothing when it does not
    understand.
    """
    from rich.console import Console
    from rich.text import Text

    from validate.errors import AccordError, OptionError, StudyError
    from validate.formats import read_rows, write_study
    from validate.formats.writing import refuse_filled
    from validate.loading import load
    from validate.loading.intake import parse_map, understand
    from validate.loading.studies import tables_of

    refuse_filled(folder)
    if not source.is_file():
        raise OptionError(f"--from {source}: there is no such file; give the path of a table")
    rows, _ = read_rows(source)
    if rows.problems:
        raise StudyError(str(source), rows.problems)
    found = understand(rows, parse_map(mapping or [], list(rows.columns)))
    console = Console(highlight=False)
    console.print(understood(rows, found))
    if found.refusal:
        raise AccordError(f"{source}: {found.refusal}")
    tables = tables_of(rows, found)
    write_study(folder, tables, settings=settings_text(folder.resolve().name, tables), verify=load)
    for line in outcome(folder, found, tables):
        console.print(Text(line), soft_wrap=True)


def understood(rows: Rows, found: Understanding) -> RenderableType:
    """A table of the columns: what each was taken as, how many cells are filled, the first of them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, show_edge=False, padding=(0, 1))
    for name in ("column", "taken as"):
        table.add_column(name, overflow="fold")
    table.add_column("filled", justify="right")
    table.add_column("first", overflow="ellipsis", no_wrap=True, max_width=30)
    for column, values in rows.columns.items():
        filled = [value for value in values if value not in (None, "")]
        first = " ".join(str(filled[0]).split()) if filled else ""
        role = found.roles[column]
        words = {"systems": "outputs of a system", "scores": "ratings of a criterion"}.get(role, role)
        table.add_row(
            Text(column),
            Text(words, style="dim" if role == "metadata" else "cyan"),
            f"{len(filled):,}",
            Text(first[:200]),
        )
    return table


def outcome(folder: Path, found: Understanding, tables: dict[str, pd.DataFrame]) -> list[str]:
    """What was made and concluded, line by line."""
    from validate.errors import plural
    from validate.loading.intake import FORMS

    systems = {
        system for frame in tables.values() for name in frame if name.startswith("system") for system in frame[name]
    }
    counts = [plural(len(frame), name.removesuffix("s"), name) for name, frame in tables.items()]
    return [
        FORMS[found.form],
        ", ".join([*counts, plural(len(systems), "system")]),
        *(f"note: {note}" for note in found.notes),
        f"written: {folder}",
        *(["to do: in study.toml, give the scale of each criterion"] if "ratings" in tables else []),
        f"next: accord check {folder}",
    ]


def settings_text(name: str, tables: dict[str, pd.DataFrame]) -> str:
    """study.toml: the name, and for each criterion what may be declared, with the scores found.

    The scale stays a comment: the scores that were given need not reach its ends. Without judgments there is an example.
    """
    lines = [f"name = {_quoted(name)}"]
    if "ratings" in tables:
        for criterion, scores in tables["ratings"].groupby("criterion", sort=False)["score"]:
            low, high = f"{scores.min():g}", f"{scores.max():g}"
            lines += [
                "",
                f"[criteria.{_key(str(criterion))}]",
                f"# The scores found go from {low} to {high}. {_ADVICE}",
            ]
            lines += [f"# scale = [{low}, {high}]", *_COMMENTED]
    elif "comparisons" not in tables:
        lines += ["", f"# One section for each criterion that people rate. {_ADVICE}"]
        lines += ["# [criteria.fluency]", "# scale = [1, 5]", *_COMMENTED]
    return "\n".join(lines) + "\n"


def _key(text: str) -> str:
    """A key of TOML, in quotes where it has other characters than a bare key may."""
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    """A basic string of TOML; JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
