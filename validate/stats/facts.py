"""What stands beside a correlation: how much entered it, what was left out, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validate.stats.panel import Mask

TOO_FEW = "fewer than two pairs"


@dataclass(frozen=True, slots=True)
class Facts:
    """What entered the correlation of one metric with the human scores.

    ``n_pairs`` counts pairs of scores (at system level, systems), ``n_dropped`` those left out because a side is missing; ``n_undefined`` of the
    ``n_groups`` groups have no correlation and are left out of the mean, and ``reason`` says why.
    """

    n_systems: int
    n_items: int
    n_pairs: int
    n_dropped: int
    n_groups: int
    n_undefined: int
    reason: str


@dataclass(frozen=True, slots=True)
class Causes:
    """Why groups (n_groups,) are undefined: fewer than two pairs, a constant metric, constant human scores."""

    few: Mask
    metric: Mask
    human: Mask

    def sentence(self, grouping: str) -> str:
        """``3 of 100 items left out: metric constant in 2, human scores constant in 1``."""
        enough = ~self.few
        if grouping == "none":
            return TOO_FEW if self.few[0] else constant(bool(self.metric[0]), bool(self.human[0]))
        counts = {
            TOO_FEW: self.few,
            constant(True, False): enough & self.metric & ~self.human,
            constant(False, True): enough & ~self.metric & self.human,
            constant(True, True): enough & self.metric & self.human,
        }
        told = [f"{cause} in {int(mask.sum()):,}" for cause, mask in counts.items() if mask.any()]
        n_undefined = int(np.logical_or.reduce(list(counts.values())).sum())
        return f"{n_undefined:,} of {len(self.few):,} {grouping}s left out: {', '.join(told)}"


def constant(metric: bool, human: bool) -> str:
    """Which side is constant, or nothing."""
    return {
        (True, False): "metric constant",
        (False, True): "human scores constant",
        (True, True): "both sides constant",
    }.get((metric, human), "")
