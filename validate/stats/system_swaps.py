"""Swaps at system level: differences of correlations of whole systems.

What is swapped has to be one number an output whose mean over outputs is the system's score. For a mean of items that is the item score; for
a corpus score, a ratio of sums, it is the output's *contribution*: the jackknife pseudo-value (Tukey 1958), moved so that the mean is the corpus score
itself. Contributions are standardised over the whole matrix, so that no correlation changes and two metrics share a scale. Where whole
systems are swapped their scores themselves are standardised over systems.

References
----------
Tukey, J. W. (1958). Bias and confidence in not-quite large samples. Annals of Mathematical Statistics 29(2), 614.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from validate.schema import COEFFICIENTS, FloatArray
from validate.stats._kernels import system_coefficients
from validate.stats._swap_sums import masked_sums
from validate.stats._swaps import Bytes
from validate.stats._ties import RELATIVE, slack
from validate.stats.panel import Mask, Panel, Side
from validate.stats.swaps import families, standardised
from validate.stats.system_level import SystemScores


class SystemSwaps:
    """Cells are outputs in the order of (system, item), or systems where these are what is swapped."""

    def __init__(self, panel: Panel, coefficients: Sequence[str], unit: str) -> None:
        self.rows = [COEFFICIENTS.index(name) for name in coefficients]
        self.n_systems = panel.n_systems
        width = 1 if unit == "systems" else panel.n_items
        used, humans = zip(*(panel.used(side) for side in panel.metrics), strict=True)
        values = [
            _whole(side, mask) if unit == "systems" else contributions(side, mask)
            for side, mask in zip(panel.metrics, used, strict=True)
        ]
        cells = [np.broadcast_to(~np.isnan(array), (panel.n_systems, width)) for array in values]
        scores = [standardised(np.broadcast_to(a, c.shape), c) for a, c in zip(values, cells, strict=True)]
        self.used = [mask.ravel() for mask in cells]
        self.scores = np.array([np.where(mask, score, 0.0).ravel() for score, mask in zip(scores, cells, strict=True)])
        self.starts = np.arange(panel.n_systems + 1, dtype=np.int64) * width
        self.counts = np.array([mask.sum(axis=1) for mask in cells], dtype=np.float64)
        totals = self.scores.reshape(len(scores), panel.n_systems, width).sum(axis=2)
        self.base = np.divide(totals, self.counts, out=np.full(totals.shape, np.nan), where=self.counts > 0)
        self.slacks = [_slack(array, mask) for array, mask in zip(values, cells, strict=True)]
        self.humans = [SystemScores(panel.human, mask)(None)[:, 0] for mask in humans]
        self.human_slack = slack(panel.human.values)
        rows = np.arange(panel.n_systems * width)
        self.n_rows = {"both": len(rows), "items": panel.n_items, "systems": panel.n_systems}[unit]
        stays = [side.given and unit != "systems" for side in panel.metrics]
        pairs = list(combinations(range(len(scores)), 2))
        self.n_pairs = len(pairs)
        common = {(a, b): self.used[a] & self.used[b] for a, b in pairs if not (stays[a] or stays[b])}
        self.numbers = [number for number, (a, b) in enumerate(pairs) if not (stays[a] or stays[b])]
        self.families = families(common, rows % panel.n_items if unit == "items" else rows, self.n_rows)

    def __call__(self, masks: Bytes) -> FloatArray:
        out = np.full((len(self.rows), self.n_pairs, masks.shape[1]), np.nan)
        for family in self.families:
            metrics, positions = family.local()
            table = np.ascontiguousarray(np.where(family.common, self.scores[metrics], 0.0).T)
            sums = np.empty((self.n_systems, len(metrics), masks.shape[1]))
            cells = np.arange(len(table), dtype=np.int32)
            masked_sums(table, self.starts, cells, family.row_of, masks, sums)
            for (number, a, b), (first, second) in zip(family.pairs, positions, strict=True):
                come = sums[:, second] - sums[:, first]
                found = self._coefficients(a, b, come) - self._coefficients(b, a, -come)
                out[:, self.numbers[number]] = found[self.rows]
        return out

    def _coefficients(self, metric: int, other: int, come: FloatArray) -> FloatArray:
        """(3, n_lanes) of what a metric becomes when its sums of systems change by ``come`` (n_systems, n_lanes)."""
        scores = self.base[metric][:, None] + come / np.maximum(self.counts[metric], 1.0)[:, None]
        human = np.repeat(self.humans[metric][:, None], come.shape[1], axis=1)
        out = np.empty((3, come.shape[1]))
        slacks = (max(self.slacks[metric], self.slacks[other]), self.human_slack)
        system_coefficients(scores, human, np.ones(come.shape), slacks, out)
        return out


def contributions(side: Side, used: Mask) -> FloatArray:
    """(n_systems, n_items) one number an output that entered, whose mean over outputs is the system's score; NaN elsewhere.

    A lone output, and one without which there is no score, contributes the score itself.
    """
    if side.given or side.statistics is None or side.divide is None:
        return np.where(used, side.values, np.nan)
    statistics = np.where(used[..., None], side.statistics, 0.0)
    counts, totals = used.sum(axis=1), statistics.sum(axis=1)
    out = np.full(used.shape, np.nan)
    for system in np.flatnonzero(counts):
        here, n = used[system], int(counts[system])
        whole = float(side.divide(totals[None, system])[0])
        out[system, here] = whole
        if n > 1:
            without = side.divide(totals[system] - statistics[system, here])
            moved = np.where(np.isnan(without), 0.0, (n - 1) * (whole - without))
            out[system, here] += moved - moved.mean()
    return side.sign * out


def _whole(side: Side, used: Mask) -> FloatArray:
    """(n_systems, 1) scores of whole systems."""
    return SystemScores(side, used)(None)


def _slack(values: FloatArray, used: Mask) -> float:
    """Below which difference of standardised scores the scores agree to 12 significant digits."""
    scores = values[~np.isnan(values)]
    spread = float(scores.std()) if len(scores) else 0.0
    return RELATIVE * float(np.abs(scores).max()) / spread if spread > 0 else 0.0
