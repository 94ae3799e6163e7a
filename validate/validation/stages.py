"""What a run is doing, how long each stage took, and how much memory it needed at most."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from validate.telling import listening


class Progress(Protocol):
    """Who is told how the work goes on: a bar on a terminal, lines elsewhere, nobody."""

    def start(self, stage: str, total: int) -> None:
        """A stage of ``total`` steps begins."""

    def step(self, label: str) -> None:
        """One step is done."""

    def note(self, message: str) -> None:
        """How far a long step is."""


class Silent:
    """Tells nobody."""

    def start(self, stage: str, total: int) -> None:
        """Say nothing."""

    def step(self, label: str) -> None:
        """Say nothing."""

    def note(self, message: str) -> None:
        """Say nothing."""


@dataclass
class Stages:
    """A record of stages, for run.json, that passes on to whoever shows progress."""

    progress: Progress
    log: list[dict[str, Any]] = field(default_factory=list)

    @contextlib.contextmanager
    def stage(self, name: str, total: int = 1) -> Iterator[None]:
        """Time one stage and note the most memory that was in use during it."""
        self.progress.start(name, total)
        _forget_peak()
        began = time.perf_counter()
        with listening(self.note):
            yield
        seconds = time.perf_counter() - began
        self.log.append({"stage": name, "seconds": round(seconds, 3), "peak_memory_mb": round(_peak_mb(), 1)})

    def step(self, label: str) -> None:
        """One step of the current stage is done."""
        self.progress.step(label)

    def note(self, message: str) -> None:
        """How far a long step of the current stage is."""
        self.progress.note(message)


def _forget_peak() -> None:
    """Let Linux count the peak from here on (proc(5), clear_refs); elsewhere the peak is that of the whole run so far."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mb() -> float:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:  # no such module on Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
