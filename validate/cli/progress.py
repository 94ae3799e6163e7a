"""Progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from validate.validation.stages import Progress, Silent

PAUSE = 10.0  # seconds between lines about one step


class _Lines:
    """One line a stage, for logs and pipes."""

    def start(self, stage: str, total: int) -> None:
        print(f"{stage} …", file=sys.stderr, flush=True)

    def __init__(self) -> None:
        self.said = time.monotonic()

    def step(self, label: str) -> None:
        """Steps are too many for a log."""

    def note(self, message: str) -> None:
        """A line now and then, so that a log shows that long work goes on."""
        if time.monotonic() - self.said >= PAUSE:
            self.said = time.monotonic()
            print(f"  {message}", file=sys.stderr, flush=True)


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

    def note(self, message: str) -> None:
        self.bar.update(self.task, label=message)


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
