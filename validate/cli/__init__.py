"""The command ``accord``: parses, calls, prints.

Nothing heavy is imported before a command runs, so that ``accord --help`` answers at once. Exit codes: 0 fine, 1 the data
or a check fails, 2 the command was wrong or asked for something that is not installed.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import Annotated

import typer

from validate.cli.agree import agree
from validate.cli.check import check
from validate.cli.crosscheck import crosscheck
from validate.cli.init import init
from validate.cli.metrics import metrics
from validate.cli.plan import plan
from validate.cli.rank import rank
from validate.cli.report import report
from validate.cli.score import score
from validate.cli.validate import validate

app = typer.Typer(
    name="accord",
    help="Do your metrics agree with people? Validate metrics against human judgments and publish the report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (init, check, score, validate, report, agree, rank, plan, metrics, crosscheck):
    summary = (command.__doc__ or "").split("\n\n")[0]
    app.command(short_help=" ".join(summary.split()))(command)  # given so, it is never cut


def _print_version(wanted: bool) -> None:
    if wanted:
        from validate import __version__

        typer.echo(f"accord {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = {"debug": debug}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors that accord raises on purpose become one readable block on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    from validate.errors import AccordError, MissingExtraError, OptionError

    _never_fail_to_print()
    try:
        app(arguments, prog_name="accord")
    except (AccordError, OSError) as error:
        if "--debug" in arguments:
            raise
        said = error if isinstance(error, AccordError) else _said(error)
        print(f"error: {said}", file=sys.stderr)
        sys.exit(2 if isinstance(error, OptionError | MissingExtraError) else 1)


def _never_fail_to_print() -> None:
    """Let a terminal or a pipe that is not in UTF-8 show escapes instead of stopping the run."""
    codecs.register_error("accord-escape", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="accord-escape")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Characters that a stream cannot take, written as JSON writes them, so that ``--json`` stays JSON: ρ is \\u03c1."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


def _said(error: OSError) -> str:
    """What the operating system refused, for the rare case that nobody nearer to it could say it better."""
    where = error.filename or "what was to be read or printed"
    return (
        f"{where}: {error.strerror or error}; a place that can be read and written is needed; see to it and run again"
    )
