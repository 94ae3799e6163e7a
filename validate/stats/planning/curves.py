"""What studies of other sizes would reach, and the smallest that reach a goal."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize

from validate.errors import bad_value, plural
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import settle
from validate.stats.planning.doubts import doubts_at
from validate.stats.planning.studies import CELLS, Reached, Sizes, Studies
from validate.stats.planning.world import World

AXES = {"systems": (0,), "items": (1,), "annotators": (2,), "systems and items": (0, 1)}
LEAST = (4, 4, 1)  # systems, items, annotators: below that no coefficient says anything
LARGEST = {"system": 32, "item": 16}  # times the base
FLAT = 0.03  # a doubling that brings less leads nowhere


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is needed, and the curves behind it.

    Parameters
    ----------
    base : Sizes
        Of the pilot, or as assumed.
    needed : DataFrame
        One row a goal and what is varied: ``goal`` (``width`` or ``power``), ``target``, ``varied``, ``n_systems``, ``n_items``,
        ``n_annotators`` (missing where no size reaches it), ``reached``, ``at_base``, ``best`` (the value at the size that reaches it, else at the largest tried), ``note``.
    curve : DataFrame
        One row a size that was simulated: ``varied``, ``n_systems``, ``n_items``, ``n_annotators``, ``estimate``, ``low``, ``high``,
        ``width``, ``power``.
    difference : float
        Between the two metrics, on average in a study of the base sizes.
    method : str
    notes : tuple of str
    """

    base: Sizes
    needed: pd.DataFrame
    curve: pd.DataFrame
    difference: float
    method: str
    notes: tuple[str, ...] = ()


def plan(
    world: World,
    *,
    n_systems: int,
    n_items: int,
    n_annotators: float = 1,
    coefficient: str = "spearman",
    level: str = "system",
    grouping: str | None = None,
    width: float = 0.2,
    power: float = 0.8,
    difference: float = 0.1,
    confidence: float = 0.95,
    simulations: int = 400,
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
    progress: Callable[[str], None] = lambda label: None,
) -> Plan:
    """How many systems, items and annotators a study needs, by simulation.

    Parameters
    ----------
    world : World
        From `world_of_pilot` or `assumed_world`.
    n_systems, n_items, n_annotators : int
        The base: the pilot's sizes. One of them is varied at a time, and systems and items together, while the others stay.
    coefficient, level, grouping
        As in `correlation`.
    width : float
        Of the interval of a metric's correlation that shall be reached.
    power : float
        With which two metrics shall be told apart.
    difference : float
        Between their correlations with people, as it is on average in studies of the base sizes.
    confidence : float
        Of intervals; tests have the level 1 - confidence, two-sided.
    simulations : int
        Studies drawn for every size.
    rng : int or Generator
    workers : int, optional
        Threads, of which two have work; as many as there are processors when not given. Changes no number.
    progress : callable
        Told each size that is simulated.

    Returns
    -------
    Plan

    Raises
    ------
    AccordError
        For unknown names and values outside their range, and where the pilot does not tell what the level is about.

    Notes
    -----
    The width is that between the quantiles which hold the central 95 % of the estimates from new studies of this size, with other
    systems, items and annotators: what an interval with the right coverage has on average. The power is the share of studies in which
    the difference of two metrics, on Fisher's scale, lies beyond its central 95 % when the two are equally good: that of a test with the
    right level, close to Williams'. Parts are normal and nothing is tied (see `World`).

    Examples
    --------
    Pearson's r of systems with ρ = 0.6, endless items: Fisher's z has the variance 1 / (n - 3).

    >>> from validate.stats.planning import assumed_world
    >>> found = plan(assumed_world(rho=0.6), n_systems=50, n_items=100_000, coefficient="pearson", width=0.4)
    >>> expected = np.diff(np.tanh(np.arctanh(0.6) + np.array([-1.96, 1.96]) / np.sqrt(50 - 3)))
    >>> bool(abs(found.needed["at_base"][0] - expected[0]) < 0.03)
    True
    """
    who = "plan"
    level, grouping = settle(who, level, grouping)
    base = Sizes(int(n_systems), int(n_items), max(1, round(n_annotators)))
    _check(who, base, width, power, difference, confidence, simulations)
    goals = (("width", width), ("power", power))
    doubts = doubts_at(who, world.doubts, (level, grouping))
    seed = int(np.random.default_rng(rng).integers(2**63))
    studies = Studies(
        world,
        check_coefficient(who, coefficient),
        (level, grouping),
        confidence,
        simulations,
        seed,
        workers=workers or os.cpu_count() or 1,
    )
    progress("the difference between two metrics")
    studies.weaker, notes = _weaker(studies, base, difference)
    rows, curves = [], []
    axes = [axis for axis in AXES if axis != "annotators" or world.noise > 0]
    for axis in axes:
        rows += _settled([_Search(studies, base, axis, *goal, progress) for goal in goals])
        curves += _along(studies.found, base, axis)
    told = "" if grouping == "none" else f", grouped by {grouping}"
    method = f"{coefficient} at {level} level{told}; {simulations:,} simulated studies a size"
    return Plan(base, pd.DataFrame(rows), pd.DataFrame(curves), difference, method, (*doubts, *world.notes, *notes))


def _check(
    who: str, base: Sizes, width: float, power: float, difference: float, confidence: float, simulations: int
) -> None:
    if not 0 < width < 2:
        raise bad_value(who, "width", width, "between 0 and 2, such as 0.2")
    if not 0 < confidence < 1:
        raise bad_value(who, "confidence", confidence, "between 0 and 1, such as 0.95")
    if not 1 - confidence < power < 1:
        raise bad_value(
            who, "power", power, f"above the level of the test, {1 - confidence:.3g}, and below 1; 0.8 is usual"
        )
    if not 0 < difference < 1:
        raise bad_value(who, "difference", difference, "between 0 and 1, such as 0.1")
    if simulations < 100:
        raise bad_value(who, "simulations", simulations, "100 or more; 400 is usual")
    for name, size, least in zip(("n_systems", "n_items"), base, LEAST, strict=False):
        if size < (least if name == "n_systems" else 1):
            raise bad_value(who, name, size, f"{least if name == 'n_systems' else 1} or more")


def _settled(searches: list[_Search]) -> list[dict[str, Any]]:
    """Rows of both goals once neither stops short of a size that the other one simulated: sentences and curves end at the same size."""
    while True:
        found = searches[0].studies.found
        before = len(found)
        rows = [search.row() for search in searches]
        if len(found) == before:
            return rows


def _along(found: dict[Sizes, Reached], base: Sizes, axis: str) -> list[dict[str, Any]]:
    """Rows of the curve: all sizes that differ from the base along one axis only."""
    rows = []
    for sizes in sorted(found):
        factor = [size / own for size, own in zip(sizes, base, strict=True)]
        if all(other == own for k, (other, own) in enumerate(zip(sizes, base, strict=True)) if k not in AXES[axis]):
            if len(AXES[axis]) == 2 and sizes != base and (factor[0] == 1 or factor[1] == 1):
                continue
            named = dict(zip(("n_systems", "n_items", "n_annotators"), sizes, strict=True))
            rows.append({"varied": axis, **named, **found[sizes]._asdict()})
    return rows


def _weaker(studies: Studies, base: Sizes, difference: float) -> tuple[float, list[str]]:
    """How far a metric goes along with people that is worse by the difference, on average in studies of the base sizes."""
    cells = base.systems * (1 if studies.place[0] == "system" else base.items)
    n = int(np.clip(CELLS // cells, 200, 3_000))

    def missing(weaker: float) -> float:
        strong, weak = studies.coefficients(base, (1.0, weaker), n)
        return float(np.nanmean(strong) - np.nanmean(weak)) - difference

    if missing(-1.0) < 0:
        told = f"a metric that is worse by {difference:g} would disagree with people more than this one agrees: "
        return -1.0, [f"{told}the power is that of the largest difference there can be"]
    return float(optimize.brentq(missing, -1.0, 1.0, xtol=2e-3)), []


@dataclass(slots=True, eq=False)
class _Search:
    """The smallest size along an axis that reaches a goal: doubling, then halving the gap, then a straight line on logarithms."""

    studies: Studies
    base: Sizes
    axis: str
    goal: str
    target: float
    progress: Callable[[str], None]

    def sizes(self, factor: float) -> Sizes:
        """The base times a factor along the axis."""
        scaled = [
            max(LEAST[k], round(own * factor)) if k in AXES[self.axis] else own for k, own in enumerate(self.base)
        ]
        return Sizes(*scaled)

    def value(self, factor: float) -> float:
        sizes = self.sizes(factor)
        self.progress(f"{sizes.systems:,} systems, {sizes.items:,} items, {sizes.annotators:,} annotators")
        return float(getattr(self.studies.reached(sizes), self.goal))

    def short(self, value: float) -> bool:
        """Whether a value falls short of the goal."""
        return value > self.target if self.goal == "width" else value < self.target

    def row(self) -> dict[str, Any]:
        """A row of ``needed``."""
        at_base = self.value(1.0)
        reached, factor, best = self._enough(at_base)
        row = {"goal": self.goal, "target": self.target, "varied": self.axis}
        sizes = self.sizes(factor)
        for k, name in enumerate(("n_systems", "n_items", "n_annotators")):
            varied = k in AXES[self.axis]
            row[name] = self.base[k] if not varied else sizes[k] if reached else pd.NA
        return {
            **row,
            "reached": reached,
            "at_base": at_base,
            "best": best,
            "note": "" if reached else self._note(factor, best),
        }

    def _enough(self, at_base: float) -> tuple[bool, float, float]:
        """Whether the goal is reached, by which smallest factor or short of which largest one, and the value there."""
        short, enough = (1.0, at_base), (1.0, at_base)
        if self.short(at_base):
            while True:
                factor = short[0] * 2
                value = self.value(factor)
                if not self.short(value):
                    enough = factor, value
                    break
                flat = factor >= 4 and abs(value - short[1]) < FLAT * max(abs(short[1]), 1e-9)
                short = factor, value
                if self.sizes(2 * factor) in self.studies.found:
                    continue  # the other goal went on
                if flat or factor >= LARGEST[self.studies.place[0]]:
                    return False, *short
        else:
            while True:
                factor = enough[0] / 2
                if self.sizes(factor) == self.sizes(enough[0]):
                    return True, *enough
                value = self.value(factor)
                if self.short(value):
                    short = factor, value
                    break
                enough = factor, value
        return True, *self._between(short, enough)

    def _between(self, short: tuple[float, float], enough: tuple[float, float]) -> tuple[float, float]:
        """Between a factor that is too small and one that is enough."""
        for _ in range(3):
            factor = float(np.sqrt(short[0] * enough[0]))
            if self.sizes(factor) in (self.sizes(short[0]), self.sizes(enough[0])):
                return enough
            value = self.value(factor)
            short, enough = ((factor, value), enough) if self.short(value) else (short, (factor, value))
        share = (self.target - short[1]) / (enough[1] - short[1]) if enough[1] != short[1] else 1.0
        return float(short[0] * (enough[0] / short[0]) ** share), enough[1]

    def _note(self, factor: float, value: float) -> str:
        """That the goal is out of reach, with the last row of the curve: its size and the value there."""
        named = zip(self.sizes(factor), ("system", "item", "annotator"), strict=True)
        size = " and ".join(plural(n, name) for k, (n, name) in enumerate(named) if k in AXES[self.axis])
        alone = "" if len(AXES[self.axis]) > 1 else " alone"
        return (
            f"more {self.axis}{alone} do not bring the {self.goal} to {self.target:g}: it is {value:.2f} with {size}, "
            f"the most that were tried"
        )
