"""What is drawn with replacement, and what the correlations then are: systems and items (alone or in clusters), or annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from validate._compile import kernel
from validate.errors import ShapeError, listed
from validate.schema import FloatArray, IntArray, ScoreMatrix
from validate.stats.grouping import MOST_LANES, Estimator
from validate.stats.panel import ManyScores, Panel, Scores
from validate.stats.support import axes_of, blocks, leave_out

Clusters = Sequence[str] | Mapping[str, str]
Counts = Mapping[str, FloatArray]

_DRAWN = 4096  # units at a time: draws of a million units would be as large as the counts of them


class Units(Protocol):
    """Units along one axis or two (``"systems"``, ``"items"``, ``"annotators"``)."""

    axes: tuple[str, ...]
    n_units: dict[str, int]

    def __call__(self, counts: Counts) -> FloatArray:
        """(n_coefficients, n_metrics, n_lanes) under multiplicities (n_units, n_lanes) by axis; an axis that is not there counts once."""

    def without(self, axis: str) -> FloatArray:
        """(n_coefficients, n_metrics, n_left_out): one unit, or one block of many, left out at a time."""


class Crossed:
    """Systems and items, each of which counts in all its pairs; items of one cluster are drawn together."""

    def __init__(self, correlations: Estimator, unit: str, clusters: IntArray | None = None) -> None:
        self.correlations, self.axes = correlations, axes_of(unit)
        self._clusters = clusters
        n_items = correlations.panel.n_items if clusters is None else int(clusters.max(initial=-1)) + 1
        self.n_units = {"systems": correlations.panel.n_systems, "items": n_items}

    def __call__(self, counts: Counts) -> FloatArray:
        items, systems = counts.get("items"), counts.get("systems")
        if items is not None and self._clusters is not None:
            items = items[self._clusters]
        return self.correlations(*(None if w is None else np.ascontiguousarray(w) for w in (items, systems)))

    def without(self, axis: str) -> FloatArray:
        n = self.n_units[axis]
        groups = np.arange(n) if axis == "systems" else blocks(n)
        return leave_out(lambda counts: self({axis: counts}), groups, MOST_LANES)


def draw(units: Units, n_lanes: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Multiplicities (n_units, n_lanes) of every axis: as many units are drawn as there are. Items are drawn before systems."""
    order = [axis for axis in ("items", "systems", "annotators") if axis in units.axes]
    return {axis: _counts(units.n_units[axis], rng)[:, :n_lanes] for axis in order}


def _counts(n: int, rng: np.random.Generator) -> FloatArray:
    """(n, n_lanes): how often each of n units comes up in n draws, for a whole block, so that more replicates only add to fewer."""
    counts = np.zeros((n, MOST_LANES))
    for start in range(0, n, _DRAWN):
        count_draws(rng.integers(n, size=(min(_DRAWN, n - start), MOST_LANES)), counts)
    return counts


@kernel
def count_draws(drawn: IntArray, counts: FloatArray) -> None:
    """counts (n_units, n_lanes) += how often each unit is among those drawn (n_draws, n_lanes), lane by lane."""
    for one in range(len(drawn)):
        for lane in range(drawn.shape[1]):
            counts[drawn[one, lane], lane] += 1.0


def cluster_codes(who: str, clusters: Clusters, laid: Panel, metrics: ManyScores, human: Scores) -> IntArray:
    """(n_items,) the cluster of each item of the panel, numbered from 0.

    Raises
    ------
    ShapeError
        When an item has no cluster, or a sequence is not as long as there are items.
    """
    named = clusters if isinstance(clusters, Mapping) else _by_label(who, clusters, metrics, human)
    missing = [item for item in laid.items if item not in named]
    if missing:
        raise ShapeError(
            f"{who}: no cluster was given for the items {listed(missing)}; every item belongs to one; add them to clusters"
        )
    _, codes = np.unique([str(named[item]) for item in laid.items], return_inverse=True)
    return codes.astype(np.int64)


def _by_label(who: str, clusters: Sequence[str], metrics: ManyScores, human: Scores) -> dict[str, str]:
    """The labels that a sequence goes with: those of the first scores that have labels for so many items, else numbers."""
    if isinstance(metrics, Mapping):
        several: list[Scores] = list(metrics.values())
    else:
        single = isinstance(metrics, ScoreMatrix) or (isinstance(metrics, np.ndarray) and metrics.ndim == 2)
        several = [metrics] if single else list(metrics)  # type: ignore[list-item, arg-type]
    sides = [human, *several]
    labels = [side.items for side in sides if isinstance(side, ScoreMatrix) and len(side.items) == len(clusters)]
    widths = {np.shape(side)[1] for side in sides if not isinstance(side, ScoreMatrix)} - {1}
    if widths - {len(clusters)}:
        raise ShapeError(
            f"{who}: {len(clusters):,} clusters were given for scores of {listed(sorted(widths))} items; one an item is allowed; give one label an item"
        )
    return dict(zip(labels[0] if labels else map(str, range(len(clusters))), clusters, strict=True))
