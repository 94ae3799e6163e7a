"""Outputs of a study in groups, ready to be compared two by two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from validate.errors import OptionError, bad_value, listed
from validate.schema import Estimate, FloatArray, IntArray
from validate.stats._pairs import Pairs
from validate.stats.grouping import settle
from validate.stats.pair_tables import PairTable, check_threshold, pair_table
from validate.stats.panel import Mask, Scores, panel
from validate.stats.tie_calibration import calibrated_threshold

FEW = "fewer than two outputs"


@dataclass(frozen=True, slots=True)
class TieEstimate(Estimate):
    """An estimate that rests on a tie threshold: metric scores at most ``threshold`` apart count as tied."""

    threshold: float = float("nan")


class Outputs(NamedTuple):
    """Outputs with both scores: metric, human and group of each (n_outputs,), and the table of their pairs."""

    metric: FloatArray
    human: FloatArray
    group: IntArray
    table: PairTable
    grouping: str
    n_dropped: int

    def threshold(self, who: str, asked: str | float) -> float:
        """The threshold that was asked for, or the one that is best for these outputs."""
        if isinstance(asked, str):
            if asked != "calibrate":
                raise bad_value(
                    who, "tie_threshold", asked, "'calibrate' or a number from 0 up, in units of the metric"
                )
            return calibrated_threshold(self.table)
        return check_threshold(who, "tie_threshold", asked)

    def constant(self) -> tuple[bool, bool]:
        """Whether metric and human scores are the same within every group."""
        n_some = int((self.table.sizes > 0).sum())
        return int(self.table.points.fresh.sum()) == n_some, len(self.table.level_values) == n_some

    def centred(self, values: FloatArray) -> FloatArray:
        """(n_outputs,) values less the mean of their group."""
        sums = np.bincount(self.group, weights=values, minlength=len(self.table.sizes))
        return values - (sums / np.maximum(self.table.sizes, 1))[self.group]

    def mean(self, values: FloatArray, method: str, threshold: float) -> TieEstimate:
        """The mean over the groups (n_groups,) that have a value; the others are counted and told."""
        defined = ~np.isnan(values)
        value = float(values[defined].mean()) if defined.any() else float("nan")
        facts = self._facts(int((~defined).sum()), self._told(defined))
        return TieEstimate(value, threshold=threshold, method=f"{method}, grouping {self.grouping}", **facts)

    def pooled(self, value: float, method: str, *, reason: str = "") -> Estimate:
        """One number for all groups together; undefined for the ``reason``."""
        n_undefined = len(self.table.sizes) if reason else int((self.table.sizes < 2).sum())
        return Estimate(value, method=f"{method}, grouping {self.grouping}", **self._facts(n_undefined, reason))

    def _facts(self, n_undefined: int, reason: str) -> dict[str, Any]:
        return {
            "n": len(self.group),
            "n_dropped": self.n_dropped,
            "n_groups": len(self.table.sizes),
            "n_undefined": n_undefined,
            "reason": reason,
        }

    def _told(self, defined: Mask) -> str:
        """``2 of 10 items left out: fewer than two outputs in 1, no pair enters in 1``."""
        few = self.table.sizes < 2
        causes = {FEW: few, "no pair enters": ~defined & ~few}
        told = [(cause, int(mask.sum())) for cause, mask in causes.items() if mask.any()]
        if self.grouping == "none":
            return "".join(cause for cause, _ in told)
        left_out = ", ".join(f"{cause} in {count:,}" for cause, count in told)
        return f"{int((~defined).sum()):,} of {len(few):,} {self.grouping}s left out: {left_out}" if told else ""


def outputs_in_groups(who: str, metric: Scores, human: Scores, grouping: str) -> Outputs:
    """Check and align both sides, and put the outputs that have both scores into groups.

    Raises
    ------
    AccordError
        For unknown groupings, shapes that do not fit, infinite scores, and a side that has one score a system and none an item.
    """
    settle(who, "item", grouping)
    laid = panel(who, {"metric": metric}, human)
    side = laid.metrics[0]
    given = [one.name for one in (side, laid.human) if one.given]
    if given:
        raise OptionError(
            f"{who}: {listed(given)} has one score a system and none an item; scores of items are needed on both sides; "
            "for whole systems there are stats.correlation with level='system' and stats.soft_pairwise_accuracy"
        )
    system, item = np.nonzero(laid.pairs(side))
    none = np.zeros(len(system), dtype=np.int64)
    group, n_groups = {"none": (none, 1), "item": (item, laid.n_items), "system": (system, laid.n_systems)}[grouping]
    scores, judged = side.values[system, item], laid.human.values[system, item]
    table = pair_table(Pairs(group, system, item, n_groups), scores, judged)
    return Outputs(scores, judged, group, table, grouping, laid.dropped[0].pairs)
