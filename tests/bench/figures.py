"""What all benches share: processor seconds of one thread, and one form of table, so that lines of different benches can be compared.

Each line says what was done and how long it took, how long a peer takes for the same work and how that was found (what was measured and what it
was multiplied by), the ratio, and where there is one the target and whether it is met. A target is a ratio to the peer in the same run, or a most
of seconds or megabytes. Nothing fails: who runs a bench reads it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def on_one_thread() -> None:
    """Start this program again with libraries held to one thread, which they only heed before they are loaded."""
    if any(os.environ.get(name) != "1" for name in LIBRARIES):
        os.environ.update(dict.fromkeys(LIBRARIES, "1"))
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, *sys.argv])


def seconds(work: Callable[[], Any], times: int = 1) -> float:
    """Processor seconds, the least of several runs."""
    return min(_timed(work, time.process_time) for _ in range(times))


def wall_seconds(work: Callable[[], Any], times: int = 1) -> float:
    """Seconds on the clock, the least of several runs."""
    return min(_timed(work, time.perf_counter) for _ in range(times))


def seconds_each(work: Callable[[], Any], least: float) -> tuple[float, int]:
    """Processor seconds of one run out of as many as fill ``least`` seconds, and how many these were."""
    begun, done = time.process_time(), 0
    while done == 0 or time.process_time() - begun < least:
        work()
        done += 1
    return (time.process_time() - begun) / done, done


def _timed(work: Callable[[], Any], clock: Callable[[], float]) -> float:
    begun = clock()
    work()
    return clock() - begun


@dataclass(frozen=True)
class Peer:
    """Who else does it, the seconds that it takes for the same work, and how these were found."""

    name: str
    seconds: float
    how: str = ""


@dataclass(frozen=True)
class Target:
    """A least ratio to the peer, a most of seconds, or a most of megabytes."""

    amount: float
    unit: str  # "x", "s" or "MB"

    def __str__(self) -> str:
        return f"{self.amount:,g} {self.unit}"

    def met(self, value: float) -> bool:
        return value >= self.amount if self.unit == "x" else value <= self.amount


def times(amount: float) -> Target:
    """So many times as fast as the peer."""
    return Target(amount, "x")


def within(amount: float) -> Target:
    """In so many seconds."""
    return Target(amount, "s")


def megabytes(amount: float) -> Target:
    """In so many megabytes."""
    return Target(amount, "MB")


def heading(text: str) -> None:
    """What the lines that follow have in common."""
    print(f"\n{text}\n  {'work':<46}{'ours':>12}{'peer':>14}{'ratio':>11}  {'target':<16}peer and how", flush=True)


def line(work: str, ours: float, *, peer: Peer | None = None, target: Target | None = None, unit: str = "s") -> None:
    """One line of a table; ``ours`` in seconds or megabytes."""
    ratio = peer.seconds / ours if peer and ours > 0 else float("nan")
    beside = f"{_amount(peer.seconds)} s" if peer else "-"
    told = ""
    if target is not None:
        value = ratio if target.unit == "x" else ours
        told = f"{target} {'met' if target.met(value) else 'NOT MET'}"
    by = "" if peer is None else f"{peer.name}{', ' if peer.how else ''}{peer.how}"
    shown = f"{ratio:,.0f} x" if ratio >= 10 else f"{ratio:.1f} x"
    print(
        f"  {work:<46}{_amount(ours) + ' ' + unit:>12}{beside:>14}{shown if peer else '-':>11}  {told:<16}{by}".rstrip(),
        flush=True,
    )


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value >= 1 else f"{value:.4f}"


def load() -> str:
    """How busy the machine is, for times on the clock."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
