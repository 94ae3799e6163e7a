"""Simulated studies of a given size, and what they reach."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from validate.schema import FloatArray
from validate.stats.grouping import estimator
from validate.stats.panel import panel
from validate.stats.planning.world import World, draw_studies

CELLS = 400_000  # scores of each side held at a time
STUDIES = 256


class Sizes(NamedTuple):
    """How many systems, items, and annotators an output."""

    systems: int
    items: int
    annotators: int


class Reached(NamedTuple):
    """What studies of one size reach."""

    estimate: float
    low: float
    high: float
    width: float
    power: float


@dataclass(slots=True, eq=False)
class Studies:
    """Simulated studies of every size that was asked for, each size once.

    ``weaker`` is how far the weaker of two metrics goes along with people, as a multiple of the stronger one. ``workers``: threads, two at most.
    """

    world: World
    coefficient: str
    place: tuple[str, str]
    confidence: float
    n: int
    seed: int
    weaker: float = 1.0
    workers: int = 1
    found: dict[Sizes, Reached] = field(default_factory=dict)

    def coefficients(self, sizes: Sizes, strengths: tuple[float, float], n: int) -> FloatArray:
        """(2, n) correlations of two metrics with people in n studies."""
        rng, blocks, done = np.random.default_rng([self.seed, *sizes]), [], 0  # whatever the strengths
        cells = sizes.systems * (1 if self.place[0] == "system" else sizes.items)
        at_once = max(1, min(STUDIES, CELLS // cells))
        while done < n:
            drawn = draw_studies(self.world, sizes, self.place, strengths, min(at_once, n - done), rng)
            blocks.append(by_study(drawn, self.coefficient))
            done += drawn.shape[1]
        return np.concatenate(blocks, axis=1)

    def reached(self, sizes: Sizes) -> Reached:
        """The central interval of the stronger metric's correlation, and the power to tell it from the weaker."""
        if sizes not in self.found:
            tail = (1 - self.confidence) / 2
            middle = (1 + self.weaker) / 2
            worlds = ((1.0, self.weaker), (middle, middle))
            with ThreadPoolExecutor(min(self.workers, len(worlds))) as pool:  # each draws its own, the same ones
                (strong, weak), both = pool.map(lambda strengths: self.coefficients(sizes, strengths, self.n), worlds)
            equal = _apart(*both)
            low, high = np.nanquantile(strong, [tail, 1 - tail])
            power = float((_apart(strong, weak) > np.nanquantile(equal, self.confidence)).mean())
            self.found[sizes] = Reached(float(np.nanmean(strong)), float(low), float(high), float(high - low), power)
        return self.found[sizes]


def _apart(one: FloatArray, other: FloatArray) -> FloatArray:
    """How far correlations lie apart on Fisher's scale, on which their spread hardly depends on their size."""
    near = 1 - 1e-9
    return np.abs(np.arctanh(np.clip(one, -near, near)) - np.arctanh(np.clip(other, -near, near)))


def by_study(drawn: FloatArray, coefficient: str) -> FloatArray:
    """(2, n_studies) correlations of two metrics with people, for scores (3, n_studies, n_pairs, n_groups): means over groups.

    Groups of all studies lie side by side as items of one panel; each study counts its own once and the others never.
    """
    n_studies, n_pairs, n_groups = drawn.shape[1:]
    flat = np.ascontiguousarray(drawn.transpose(0, 2, 1, 3)).reshape(3, n_pairs, n_studies * n_groups)
    sides = panel("plan", {"stronger": flat[1], "weaker": flat[2]}, flat[0])
    own = np.repeat(np.eye(n_studies), n_groups, axis=0)
    return estimator(sides, (coefficient,), "item", "item")(own, None)[0]
