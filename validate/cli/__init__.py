"""The command ``accord``: parses, calls, prints.

Nothing heavy is imported before a command runs, so that ``accord --help`` answers at once. Exit codes: 0 fine, 1 the data
or a check fails, 2 the command was wrong.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from validate.cli.check import check
from validate.cli.crosscheck import crosscheck
from validate.cli.init import init
from validate.cli.metrics import metrics
from validate.cli.report import report
from validate.cli.validate import validate

app = typer.Typer(
    name="accord",
    help="Do your metrics agree with people? Validate metrics against human judgments and publish the report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (init, check, validate, report, metrics, crosscheck):
    app.command()(command)


@app.callback()
def _common(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    context.obj = {"debug": debug}
    if version:
        from validate import __version__

        typer.echo(f"accord {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors that accord raises on purpose become one readable block on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    from validate.errors import AccordError, OptionError

    try:
        app(arguments, prog_name="accord")
    except AccordError as error:
        if "--debug" in arguments:
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, OptionError) else 1)
