"""Progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from validate.validation.stages import Progress, Silent


class _Lines:
    """One line a stage, for logs and pipes."""

    def start(self, stage: str, total: int) -> None:
        print(f"{stage} …", file=sys.stderr, flush=True)

    def step(self, label: str) -> None:
        """Steps are too many for a log."""


class _Bar:
    """A bar that shows the stage and its last step."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self.bar = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[label]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task("", total=1, label="")

    def start(self, stage: str, total: int) -> None:
        self.bar.reset(self.task, description=stage, total=total, label="")

    def step(self, label: str) -> None:
        self.bar.update(self.task, advance=1, label=label)


@contextlib.contextmanager
def progress_for(*, quiet: bool = False) -> Iterator[Progress]:
    """Who is to be told, for this terminal."""
    if quiet or sys.stderr is None:  # None: it was closed before the start
        yield Silent()
    elif sys.stderr.isatty():
        shown = _Bar()
        with shown.bar:
            yield shown
    else:
        yield _Lines()
