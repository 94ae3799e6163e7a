"""Correlations of whole systems: one score a system on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validate.schema import COEFFICIENTS, FloatArray
from validate.stats._kernels import system_coefficients, weighted_sums
from validate.stats._pairs import unit_scaled
from validate.stats._ties import slack, tie_codes
from validate.stats.facts import TOO_FEW, Facts, constant
from validate.stats.panel import Mask, Panel, Side


class SystemScores:
    """One side's scores of whole systems for any multiplicities of items: summed over items first and divided then.

    Where the side carries statistics the quotient is the true corpus score, else
    the mean over its items.
    """

    def __init__(self, side: Side, used: Mask) -> None:
        values = (
            side.values if side.divide else unit_scaled(side.values)
        )  # means of tiny or huge scores have squares, too
        self.side, self.slack = side, slack(values)
        self.used, self.complete = used.astype(np.float64), bool(used.all())
        whole = values[..., None] if side.statistics is None else side.statistics
        filled = np.where(used[:, None, :], np.moveaxis(whole, 2, 1), 0.0)
        self.filled = np.ascontiguousarray(filled)  # (n_systems, k, n_items): every sum of every system is a row

    def __call__(self, w_items: FloatArray | None) -> FloatArray:
        """(n_systems, n_lanes); NaN for a system of which no item is left."""
        n_systems, k, n_items = self.filled.shape
        weights = np.ones((n_items, 1)) if w_items is None or self.side.given else w_items
        counts, totals = np.empty((n_systems, weights.shape[1])), np.empty((n_systems * k, weights.shape[1]))
        if self.complete:
            counts[:] = weights.sum(axis=0)
        else:
            weighted_sums(self.used, weights, counts)
        weighted_sums(self.filled.reshape(n_systems * k, n_items), weights, totals)
        scores, some = np.full(counts.shape, np.nan), counts > 0
        sums = np.moveaxis(totals.reshape(n_systems, k, -1), 1, 2)[some]
        divided = sums[:, 0] / counts[some] if self.side.divide is None else self.side.sign * self.side.divide(sums)
        scores[some] = divided
        return scores


class SystemLevel:
    """One pair a system: the metric's score of the whole system and the human one."""

    def __init__(self, panel: Panel, coefficients: Sequence[str]) -> None:
        self.panel = panel
        self._rows = [COEFFICIENTS.index(name) for name in coefficients]
        self._humans: dict[bytes, SystemScores] = {}
        self._metrics: list[tuple[SystemScores, bytes]] = []
        for side in panel.metrics:
            own, human = panel.used(side)
            self._metrics.append((SystemScores(side, own), human.tobytes()))
            if human.tobytes() not in self._humans:
                self._humans[human.tobytes()] = SystemScores(panel.human, human)

    def __call__(self, w_items: FloatArray | None, w_systems: FloatArray | None) -> FloatArray:
        n_lanes = n_lanes_of(w_items, w_systems)
        shape = (self.panel.n_systems, n_lanes)
        weights = np.ones(shape) if w_systems is None else w_systems
        humans = {key: _wide(scores(w_items), shape) for key, scores in self._humans.items()}
        out, found = np.empty((len(self._rows), len(self._metrics), n_lanes)), np.empty((3, n_lanes))
        for m, (scores, key) in enumerate(self._metrics):
            slacks = (scores.slack, self._humans[key].slack)
            system_coefficients(_wide(scores(w_items), shape), humans[key], weights, slacks, found)
            out[:, m] = found[self._rows]
        return out

    def point(self) -> FloatArray:
        return self(None, None)[..., 0]

    def facts(self) -> tuple[Facts, ...]:
        return tuple(
            self._facts(side, scores(None)[:, 0], self._humans[key](None)[:, 0], dropped.systems)
            for side, dropped, (scores, key) in zip(self.panel.metrics, self.panel.dropped, self._metrics, strict=True)
        )

    def _facts(self, side: Side, metric: FloatArray, human: FloatArray, n_dropped: int) -> Facts:
        met = ~np.isnan(metric) & ~np.isnan(human)
        entering = np.logical_or.reduce(
            [
                np.broadcast_to(used, (self.panel.n_systems, self.panel.n_items))[met].any(axis=0)
                for used in self.panel.used(side)
            ]
        )
        n = int(met.sum())
        flat = [not tie_codes(scores[met]).any() for scores in (metric, human)]
        reason = TOO_FEW + " of systems" if n < 2 else constant(*flat)
        return Facts(n, int(entering.sum()), n, n_dropped, 1, int(bool(reason)), reason)


def n_lanes_of(w_items: FloatArray | None, w_systems: FloatArray | None) -> int:
    """How many replicates the multiplicities are for."""
    given = w_items if w_items is not None else w_systems
    return 1 if given is None else given.shape[1]


def _wide(scores: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Scores that do not vary between replicates repeated for each."""
    return scores if scores.shape == shape else np.broadcast_to(scores, shape).copy()
