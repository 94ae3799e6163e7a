"""Levels and groupings: which pairs make a correlation, and what it is under any multiplicities of systems and items.

An *estimator* turns multiplicities into correlations of all metrics at once; with none it gives the point estimates.
Resampling calls it with counts drawn at random; it draws nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from validate.errors import OptionError, listed, unknown_name
from validate.schema import GROUPINGS, LEVELS, FloatArray, IntArray
from validate.stats._kernels import HumanSums, human_sums, mean_quotient, weighted_sums
from validate.stats._lane_kernels import human_lane, spearman_lane
from validate.stats._level_blocks import MOST_LEVELS, LevelBlocks, level_blocks
from validate.stats._pairs import Levels, Pairs, Sorted, arranged, human_levels, order_of, presort, unit_scaled
from validate.stats._ties import tie_codes
from validate.stats.coefficients import OTHER, SUMS
from validate.stats.facts import Causes, Facts
from validate.stats.pair_signs import MOST_ROWS, MOST_SIGNS, PairSigns, pair_products, pair_signs
from validate.stats.panel import Panel, Side
from validate.stats.system_level import SystemLevel, n_lanes_of

MOST_LANES, LEAST_LANES = 64, 8
ONE_BY_ONE = (
    300_000  # outputs from which on ranks of one replicate at a time are faster: multiplicities stay in the cache
)
MOST_KEPT = 8_000_000  # pairs whose sorted scores are kept, some 230 MB; beyond, only their order is and they are arranged anew for each block
_CELLS = 2_000_000  # numbers in one scratch array: replicates are handled in fewer lanes where there are many levels or groups


Points = Callable[[], Sorted]


class Estimator(Protocol):
    """Correlations of all metrics of a panel at one level and grouping."""

    panel: Panel

    def point(self) -> FloatArray:
        """(n_coefficients, n_metrics) when every system and item counts once."""

    def facts(self) -> tuple[Facts, ...]:
        """One a metric."""

    def __call__(self, w_items: FloatArray | None, w_systems: FloatArray | None) -> FloatArray:
        """(n_coefficients, n_metrics, n_lanes) under multiplicities (n_items, n_lanes) and (n_systems, n_lanes); None: each counts once."""


def settle(who: str, level: str, grouping: str | None) -> tuple[str, str]:
    """Level and grouping, checked; without a grouping it is the usual one: by item, and none for systems."""
    if level not in LEVELS:
        raise unknown_name(who, "level", str(level), LEVELS)
    if grouping is None:
        grouping = "item" if level == "item" else "none"
    if grouping not in GROUPINGS:
        raise unknown_name(who, "grouping", str(grouping), GROUPINGS)
    if level == "system" and grouping != "none":
        raise OptionError(
            f"{who}: level='system' with grouping={grouping!r} was given; systems have one score each, so only grouping='none' is allowed; "
            "leave the grouping out or use level='item'"
        )
    return level, grouping


def estimator(panel: Panel, coefficients: Sequence[str], level: str, grouping: str) -> Estimator:
    """The estimator of that level and grouping.

    Raises
    ------
    OptionError
        For item level when a side has one score a system and none an item.
    """
    if level == "system":
        return SystemLevel(panel, coefficients)
    refuse_given(panel)
    return ItemLevel(panel, coefficients, grouping)


def refuse_given(panel: Panel) -> None:
    """The error of the item level for sides that have no scores of items."""
    given = [side.name for side in (*panel.metrics, panel.human) if side.given]
    if given:
        raise OptionError(
            f"level='item': {listed(given)} has one score a system and none an item; scores of items are needed on both sides; use level='system'"
        )


@dataclass(frozen=True, slots=True)
class Pattern:
    """Metrics that are defined on the same pairs and therefore share the human side."""

    levels: Levels
    human: Sorted
    metrics: tuple[tuple[int, Points], ...]
    kept: bool


class GroupSums(NamedTuple):
    """The parts of ``cross / sqrt(own * other)`` and how many pairs there are, each (n_groups, n_lanes)."""

    cross: FloatArray
    own: FloatArray
    other: FloatArray
    sizes: FloatArray


class ItemLevel:
    """Pairs of outputs: pooled, or in one group an item or a system whose correlations are averaged.

    A group with fewer than two pairs or a constant side has no correlation and is left out of the mean.
    """

    def __init__(self, panel: Panel, coefficients: Sequence[str], grouping: str) -> None:
        self.panel, self.coefficients, self.grouping = panel, tuple(coefficients), grouping
        self.n_groups = {"none": 1, "item": panel.n_items, "system": panel.n_systems}[grouping]
        codes = [tie_codes(side.values) for side in (*panel.metrics, panel.human)]
        self._patterns = _patterns(panel, grouping, self.n_groups, codes)
        self._signs = _signs(panel, grouping, self.n_groups, codes) if "kendall" in coefficients else ()
        self._blocks = self._level_blocks() if "kendall" in coefficients else {}
        widest = max([1, self.n_groups, *(int(pattern.levels.bounds[-1]) for pattern in self._patterns)])
        self._n_lanes = min(MOST_LANES, max(LEAST_LANES, _CELLS // widest))
        n_outputs = panel.n_systems * panel.n_items
        if (
            set(coefficients) == {"spearman"}
            and n_outputs >= ONE_BY_ONE
            and n_outputs * len(panel.metrics) <= MOST_KEPT
        ):
            self._n_lanes = 1  # not where scores are arranged anew for each block
        self._cells, self._causes = self._once()

    def __call__(self, w_items: FloatArray | None, w_systems: FloatArray | None) -> FloatArray:
        if self.grouping != "none" and (w_systems if self.grouping == "item" else w_items) is None:
            return self._mean_of_fixed(self._weights(w_items, w_systems)[2])
        rows, cols, groups = self._weights(w_items, w_systems)
        out = np.empty((len(self.coefficients), len(self.panel.metrics), rows.shape[1]))
        for start in range(0, rows.shape[1], self._n_lanes):
            lanes = slice(start, start + self._n_lanes)
            here = [np.ascontiguousarray(counts[:, lanes]) for counts in (rows, cols, groups)]
            self._fill(here[0], here[1], here[2], out[..., lanes])
        return out

    def point(self) -> FloatArray:
        return self._mean_of_fixed(np.ones((self.n_groups, 1)))[..., 0]

    def facts(self) -> tuple[Facts, ...]:
        return tuple(
            self._facts(side, causes, dropped.pairs)
            for side, causes, dropped in zip(self.panel.metrics, self._causes, self.panel.dropped, strict=True)
        )

    def _weights(
        self, w_items: FloatArray | None, w_systems: FloatArray | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Multiplicities of rows, columns and groups: (n_rows, n_lanes), (n_cols, n_lanes), (n_groups, n_lanes)."""
        n_lanes = n_lanes_of(w_items, w_systems)
        items = np.ones((self.panel.n_items, n_lanes)) if w_items is None else w_items
        systems = np.ones((self.panel.n_systems, n_lanes)) if w_systems is None else w_systems
        once = np.ones((1, n_lanes))
        return {"none": (systems, items, once), "item": (systems, once, items), "system": (items, once, systems)}[
            self.grouping
        ]

    def _sums(self, rows: FloatArray, cols: FloatArray) -> Iterator[tuple[int, int, GroupSums]]:
        """The sums of every coefficient and metric, by index; they are overwritten when the next are asked for."""
        n_lanes = rows.shape[1]
        cross, own = np.empty((self.n_groups, n_lanes)), np.empty((self.n_groups, n_lanes))
        products = pair_products(rows) if self._signs else rows
        for pattern in self._patterns:
            human = HumanSums.empty(pattern.levels.bounds, n_lanes)
            (human_lane if n_lanes == 1 else human_sums)(pattern.human, rows, cols, human)
            for m, in_order in pattern.metrics:
                points = in_order()
                for c, name in enumerate(self.coefficients):
                    if name == "kendall" and self._signs:
                        self._signs[m].sums(rows, products, human.sizes, cross, own)
                    elif name == "kendall" and m in self._blocks:
                        self._blocks[m](points).sums(rows, cols, human.sizes, cross, own)
                    elif name == "spearman" and n_lanes == 1:
                        spearman_lane(points, rows, cols, human, cross, own)
                    else:
                        SUMS[name](points, rows, cols, human, cross, own)
                    yield c, m, GroupSums(cross, own, getattr(human, OTHER[name]), human.sizes)

    def _level_blocks(self) -> dict[int, Callable[[Sorted], LevelBlocks]]:
        """Of the metrics whose pairs see too many human levels for one tree; kept as long as their sorted scores are."""
        found: dict[int, Callable[[Sorted], LevelBlocks]] = {}
        for pattern in self._patterns:
            n_levels = int(pattern.levels.bounds[-1])
            if self.n_groups > 1 or n_levels <= MOST_LEVELS:
                continue
            for m, in_order in pattern.metrics:
                if pattern.kept:
                    made = level_blocks(in_order(), n_levels)
                    found[m] = lambda points, made=made: made  # type: ignore[misc]
                else:
                    found[m] = lambda points, n=n_levels: level_blocks(points, n)  # type: ignore[misc]
        return found

    def _fill(self, rows: FloatArray, cols: FloatArray, groups: FloatArray, out: FloatArray) -> None:
        """out (n_coefficients, n_metrics, n_lanes): means over groups of the coefficients of weighted pairs."""
        for c, m, sums in self._sums(rows, cols):
            mean_quotient(sums.cross, sums.own, sums.other, groups, out[c, m])

    def _once(self) -> tuple[FloatArray, list[Causes]]:
        """Every group's coefficients (n_coefficients, n_metrics, n_groups) when each pair counts once, and why they are undefined."""
        cells = np.full((len(self.coefficients), len(self.panel.metrics), self.n_groups), np.nan)
        causes: dict[int, Causes] = {}
        for c, m, sums in self._sums(*self._weights(None, None)[:2]):
            cross, own, other, sizes = (cell[:, 0] for cell in sums)
            scale = np.sqrt(own * other)
            some = scale > 0.0
            cells[c, m, some] = np.clip(cross[some] / scale[some], -1.0, 1.0)
            causes[m] = Causes(sizes < 2, own == 0.0, other == 0.0)
        return cells, [causes[m] for m in range(len(causes))]

    def _mean_of_fixed(self, groups: FloatArray) -> FloatArray:
        """Where no pair inside a group is resampled its coefficient stays, and all replicates are weighted sums of the same cells."""
        n_rows = self._cells.shape[0] * self._cells.shape[1]
        cells = self._cells.reshape(n_rows, self.n_groups)
        defined = ~np.isnan(cells)
        totals, counts = np.empty((n_rows, groups.shape[1])), np.empty((n_rows, groups.shape[1]))
        weighted_sums(np.where(defined, cells, 0.0), groups, totals)
        weighted_sums(defined.astype(np.float64), groups, counts)
        means = np.divide(totals, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
        return means.reshape(*self._cells.shape[:2], -1)

    def _facts(self, side: Side, causes: Causes, n_dropped: int) -> Facts:
        pairs = self.panel.pairs(side)
        n_undefined = int((causes.few | causes.metric | causes.human).sum())
        reason = causes.sentence(self.grouping) if n_undefined else ""
        n_systems, n_items = int(pairs.any(axis=1).sum()), int(pairs.any(axis=0).sum())
        return Facts(n_systems, n_items, int(pairs.sum()), n_dropped, self.n_groups, n_undefined, reason)


def _signs(panel: Panel, grouping: str, n_groups: int, codes: Sequence[IntArray]) -> tuple[PairSigns, ...]:
    """The signs of all pairs of pairs, one table a metric; none where groups are so large that there are too many.

    codes: the tie codes of all metrics and, last, of the human side.
    """
    n_rows = {"none": panel.n_systems * panel.n_items, "item": panel.n_systems, "system": panel.n_items}[grouping]
    n_signs = n_rows * (n_rows - 1) // 2 * n_groups * len(panel.metrics)
    if grouping == "none" or n_rows > MOST_ROWS or n_signs > MOST_SIGNS:
        return ()
    found = []
    for side, own in zip(panel.metrics, codes[:-1], strict=True):
        both = [np.where(panel.pairs(side), of_side, -1) for of_side in (own, codes[-1])]
        found.append(pair_signs(*(one.T if grouping == "item" else one for one in both)))
    return tuple(found)


def _patterns(panel: Panel, grouping: str, n_groups: int, codes: Sequence[IntArray]) -> list[Pattern]:
    """The panel's pairs, sorted; one pattern for all metrics that are defined on the same ones. codes as in `_signs`."""
    sharing: dict[bytes, list[int]] = {}
    for m, side in enumerate(panel.metrics):
        sharing.setdefault(panel.pairs(side).tobytes(), []).append(m)
    patterns = []
    kept = sum(int(panel.pairs(side).sum()) for side in panel.metrics) <= MOST_KEPT
    for members in sharing.values():
        system, item = np.nonzero(panel.pairs(panel.metrics[members[0]]))
        none = np.zeros(len(system), dtype=np.int64)
        group, row, col = {"none": (none, system, item), "item": (item, system, none), "system": (system, item, none)}[
            grouping
        ]
        pairs = Pairs(group, row, col, n_groups)
        at = (system, item)
        theirs, human = codes[-1][at], unit_scaled(panel.human.values)[at]
        levels = human_levels(pairs, theirs)
        metrics = tuple((m, _points(panel.metrics[m], codes[m][at], pairs, human, levels, at, kept)) for m in members)
        patterns.append(Pattern(levels, presort(pairs, theirs, human, human, levels), metrics, kept))
    return patterns


def _points(
    side: Side,
    codes: IntArray,
    pairs: Pairs,
    human: FloatArray,
    levels: Levels,
    at: tuple[IntArray, IntArray],
    kept: bool,
) -> Points:
    """One metric's pairs in its order: sorted, or where that would take too much memory only their order."""
    order = order_of(pairs, codes)

    def in_order() -> Sorted:
        return arranged(pairs, order, unit_scaled(side.values)[at], human, levels)

    if not kept:
        return in_order
    points = in_order()
    return lambda: points
