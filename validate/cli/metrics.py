"""``accord metrics``: what there is."""

from __future__ import annotations

from typing import Annotated

import typer


def metrics(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the metrics: direction, bounds, needs, options, and what each is checked against."""
    from validate.metrics import describe

    described = describe()
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(described))
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("metric", "better", "range", "needs", "checked against", "what it counts"):
        shown.add_column(heading, overflow="fold")
    for metric in described:
        low, high = metric["bounds"]
        shown.add_row(
            metric["name"],
            "higher" if metric["higher_is_better"] else "lower",
            f"{low:g} … {high:g}".replace("inf", "∞"),
            ", ".join(metric["needs"]) or "nothing",
            metric["checked_against"] or "–",
            metric["summary"],
        )
    Console().print(shown)
