"""``accord report``: the page again, from the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    results_dir: Annotated[Path, typer.Argument(help="A folder that 'accord validate' wrote.", show_default=False)],
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Draw report.html again from the tables of a results folder."""
    from validate import results
    from validate.files import recover, replace_file
    from validate.report import render

    recover(results_dir)
    page = results_dir / results.REPORT
    replace_file(page, render(results.read(results_dir)))
    if not quiet:
        typer.echo(page)
