"""``accord check``: read a study folder whole and say everything about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from validate.loading import Examination
    from validate.schema import Fact

COUNTS_A_ROW = 4


def check(
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False, metavar="STUDY")],
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Read everything in a study folder; print what there is, what is worth knowing, and every problem.

    Exits with 1 when there are problems.
    """
    from rich.console import Console

    found = examined(study)
    if json_output:
        print(json.dumps(as_json(study, found), ensure_ascii=False, indent=2))
    else:
        show(Console(highlight=False), study, found)
    if found.problems:
        raise typer.Exit(1)


def examined(study: Path) -> Examination:
    """Everything about a study, with what study.toml says of metrics that do not exist."""
    from dataclasses import replace

    from validate.loading import examine
    from validate.loading.studies import in_order

    found = examine(study)
    settings = found.settings
    if not (settings.metrics or settings.metric_options or settings.raw.get("analysis")):
        return found
    from validate.validation.analysis import analysis_problems  # takes a second to import
    from validate.validation.chosen import metric_problems

    given = None if found.study is None else set(found.study.metric_scores["metric"])
    wrong = [*metric_problems(settings, study, given), *analysis_problems(settings, study)]
    return replace(found, problems=in_order([*found.problems, *wrong]))


def as_json(study: Path, found: Examination) -> dict[str, object]:
    """The examination as plain values."""
    counts, facts = _apart(found.facts)
    return {
        "study": str(study),
        "ok": not found.problems,
        "problems": [asdict(problem) for problem in found.problems],
        "facts": [asdict(fact) for fact in facts],
        "counts": {fact.name: fact.count for fact in counts},
    }


def show(console: Console, study: Path, found: Examination) -> None:
    """Print counts, facts and problems as tables that fit on 80 columns."""
    from rich.text import Text

    from validate.errors import plural, problem_lines

    counts, facts = _apart(found.facts)
    console.print(Text(str(study), style="bold"))
    console.print(_counts_table(counts))
    if facts:
        console.print(_facts_table(facts))
    if not found.problems:
        warned = sum(fact.weight == "warning" for fact in facts)
        also = f", but {plural(warned, 'warning')} (!): read them before you trust a result" if warned else ""
        console.print(Text(f"no problems{also}", style="yellow" if warned else "green"))
        return
    console.print(Text(plural(len(found.problems), "problem"), style="bold red"))
    for line in problem_lines(found.problems):
        console.print(Text(line), soft_wrap=True)
    console.print(Text("the study is refused until these are mended", style="red"))


def _apart(facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """The facts that only count, and the others with warnings first."""
    from validate.loading.facts import COUNTS

    counts = [fact for fact in facts if fact.name in COUNTS]
    others = [fact for fact in facts if fact.name not in COUNTS]
    return counts, sorted(others, key=lambda fact: fact.weight != "warning")


def _counts_table(counts: Sequence[Fact]) -> RenderableType:
    """What there is, in two columns of numbers and nouns; what there is none of is left out."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for _ in range(COUNTS_A_ROW):
        table.add_column(justify="right")
        table.add_column()
    cells = [cell for fact in counts if fact.count for cell in fact.text.split(" ", 1)]
    for start in range(0, len(cells), 2 * COUNTS_A_ROW):
        table.add_row(*cells[start : start + 2 * COUNTS_A_ROW])
    return table


def _facts_table(facts: Sequence[Fact]) -> RenderableType:
    """One fact a row, a warning with an exclamation mark."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for fact in facts:
        warned = fact.weight == "warning"
        table.add_row(Text("!" if warned else "·", style="bold yellow"), Text(fact.text, "yellow" if warned else ""))
    return table
