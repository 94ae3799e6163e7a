"""``accord metrics``: what there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer


def metrics(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON, with every option and its default.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the README's table.")] = False,
) -> None:
    """List the metrics: direction, range, needs, options, and what each is checked against."""
    from validate.metrics import describe

    described = describe()
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(described))
    elif markdown:
        typer.echo(markdown_table(described))
    else:
        _print(described)


def markdown_table(described: Sequence[Mapping[str, Any]]) -> str:
    """The README's table of metrics, made from the registry so that it cannot fall behind."""
    from validate.metrics._metric import spelled

    lines = [
        "| metric | better | range | needs | options (default first) | checked against |",
        "|---|---|---|---|---|---|",
    ]
    for metric in described:
        options = ", ".join(f"`{name}={spelled(value)}`" for name, value in metric["options"].items())
        cells = (f"`{metric['name']}`", *_facts(metric), options, metric["checked_against"] or "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _print(described: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("metric", "better", "range", "needs", "checked against", "what it counts"):
        shown.add_column(heading, overflow="fold", no_wrap=heading == "metric")
    for metric in described:
        shown.add_row(metric["name"], *_facts(metric), metric["checked_against"] or "–", metric["summary"])
    Console().print(shown)


def _facts(metric: Mapping[str, Any]) -> tuple[str, str, str]:
    """Direction, range and needs in words."""
    low, high = metric["bounds"]
    direction = "control" if metric["control"] else "higher" if metric["higher_is_better"] else "lower"
    return direction, f"{low:g} – {high:g}".replace("inf", "∞"), ", ".join(metric["needs"]) or "nothing"
