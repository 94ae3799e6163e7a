"""Swaps at item level: differences of correlations of outputs, pooled or averaged over items or systems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from validate.schema import FloatArray, IntArray
from validate.stats._pairs import unit_scaled
from validate.stats._swap_signs import kendall_difference
from validate.stats._swap_sums import masked_sums, pearson_totals
from validate.stats._swap_walks import kendall_difference_large, spearman_difference
from validate.stats._swaps import SMALL, Bytes, Layout, Ordered, examine
from validate.stats._ties import tie_codes
from validate.stats.panel import Mask, Panel
from validate.stats.swaps import Family, families, standardised

_CHUNK = 200_000  # numbers in the scratch array of swapped sums


class ItemSwaps:
    """Cells stand in the order of (item, system); each belongs to a group, and a correlation is the mean over groups."""

    def __init__(self, panel: Panel, coefficients: Sequence[str], grouping: str, unit: str, scale: str) -> None:
        self.coefficients = tuple(coefficients)
        item, system = (index.ravel() for index in np.indices((panel.n_items, panel.n_systems)))
        rows = {"both": np.arange(len(item)), "items": item, "systems": system}[unit]
        self.n_rows = {"both": len(item), "items": panel.n_items, "systems": panel.n_systems}[unit]
        self.group = {"none": np.zeros(len(item), dtype=np.int64), "item": item, "system": system}[grouping]
        self.n_groups = {"none": 1, "item": panel.n_items, "system": panel.n_systems}[grouping]
        self.used = [panel.pairs(side).T.ravel() for side in panel.metrics]
        self.scores = np.array(
            [standardised(side.values, panel.pairs(side), scale).T.ravel() for side in panel.metrics]
        )
        self.codes = tie_codes(self.scores).astype(np.int32)
        self.human, self.human_codes = (
            unit_scaled(panel.human.values).T.ravel(),
            tie_codes(panel.human.values).T.ravel(),
        )
        by_group = np.argsort(self.group, kind="stable").astype(np.int32)
        self.layout = Layout(self._starts(by_group), by_group, self.human_codes.astype(np.int32))
        self.levels = self._levels()
        self.sides = self._ordered()
        pairs = list(combinations(range(len(self.used)), 2))
        self.n_pairs = len(pairs)
        self.families = families({(a, b): self.used[a] & self.used[b] for a, b in pairs}, rows, self.n_rows)
        self.flags = np.array([self._flags(a, b) for a, b in pairs], dtype=np.uint8).reshape(-1, self.n_groups)

    def __call__(self, masks: Bytes) -> FloatArray:
        out = np.full((len(self.coefficients), self.n_pairs, masks.shape[1]), np.nan)
        for c, name in enumerate(self.coefficients):
            for family in self.families:
                if name == "pearson":
                    out[c, family.pairs[:, 0]] = self._pearson(family, masks)
                else:
                    for number, a, b in family.pairs:
                        self._ranked(name, (number, a, b), family.row_of, masks, out[c, number])
        return out

    def _starts(self, cells: NDArray[np.integer]) -> IntArray:
        """(n_groups + 1,) where the groups of cells that are sorted by group begin."""
        return np.searchsorted(self.group[cells], np.arange(self.n_groups + 1)).astype(np.int64)

    def _levels(self) -> NDArray[np.int32]:
        """(n_cells,) dense ranks of the human scores within each group."""
        keys, run = np.unique(
            self.group * (self.human_codes.max(initial=0) + 2) + self.human_codes + 1, return_inverse=True
        )
        first = np.full(self.n_groups, len(keys))
        np.minimum.at(first, self.group, run)
        return (run - first[self.group]).astype(np.int32)

    def _ordered(self) -> list[Ordered]:
        """The cells of each metric by group and score; the human side is made once for all metrics on the same cells."""
        humans: dict[bytes, tuple[FloatArray, ...]] = {}
        sides = []
        for used, codes in zip(self.used, self.codes, strict=True):
            key = used.tobytes()
            if key not in humans:
                humans[key] = self._human_ranks(used)
            cells = np.flatnonzero(used)
            cells = cells[np.lexsort((codes[cells], self.group[cells]))]
            sides.append(Ordered(self._starts(cells), cells.astype(np.int32), codes[cells], *humans[key]))
        return sides

    def _human_ranks(self, used: Mask) -> tuple[FloatArray, ...]:
        """Twice the centred midrank of each cell in its group, and per group: cells, squared ranks, untied pairs in both orders."""
        group, codes = self.group[used], self.human_codes[used]
        keys, run, length = np.unique(
            group * (codes.max(initial=0) + 1) + codes, return_inverse=True, return_counts=True
        )
        group_of_run = keys // (codes.max(initial=0) + 1)
        sizes = np.bincount(group, minlength=self.n_groups).astype(np.float64)
        before = np.cumsum(length) - length - (np.cumsum(sizes) - sizes)[group_of_run]
        doubled = 2 * before + length - sizes[group_of_run]
        rank = np.zeros(len(used))
        rank[used] = doubled[run]
        squares = np.bincount(group_of_run, weights=length * doubled**2, minlength=self.n_groups)
        untied = sizes**2 - np.bincount(group_of_run, weights=length.astype(np.float64) ** 2, minlength=self.n_groups)
        return rank, sizes, squares.astype(np.float64), untied

    def _flags(self, a: int, b: int) -> Bytes:
        """(n_groups,): where the two metrics have ties, and where one can become constant."""
        forth, back = (np.zeros(self.n_groups, dtype=np.uint8) for _ in range(2))
        examine(self.layout, self.codes[a], self.codes[b], forth)
        examine(self.layout, self.codes[b], self.codes[a], back)
        return forth | back

    def _ranked(
        self, name: str, pair: tuple[int, int, int], row_of: NDArray[np.int32], masks: Bytes, out: FloatArray
    ) -> None:
        """out (n_lanes,): the differences of one pair of metrics."""
        number, a, b = pair
        sides = self.sides[a], self.sides[b]
        if name == "spearman":
            spearman_difference(*sides, row_of, masks, out)
        elif int(np.diff(self.layout.starts).max()) <= SMALL:
            codes = self.codes[a], self.codes[b]
            kendall_difference(self.layout, codes, sides, self.flags[number], row_of, masks, out)
        else:
            kendall_difference_large(*sides, self.levels, row_of, masks, out)

    def _pearson(self, family: Family, masks: Bytes) -> FloatArray:
        """(n_pairs of the family, n_lanes): sums are linear in the masks, so that each metric is summed once for all of its pairs."""
        metrics, positions = family.local()
        table, own, human = self._moments(metrics, family.common)
        pairs = np.concatenate([3 * positions, positions], axis=1)
        flags, starts = self.flags[family.pairs[:, 0]], self.layout.starts
        totals = np.zeros((len(pairs), 4, masks.shape[1]))
        width = max(1, _CHUNK // (table.shape[1] * masks.shape[1]))
        for first in range(0, self.n_groups, width):
            part = slice(first, min(first + width, self.n_groups))
            sums = np.empty((part.stop - first, table.shape[1], masks.shape[1]))
            masked_sums(table, starts[first : part.stop + 1], self.layout.cell, family.row_of, masks, sums)
            here = [np.ascontiguousarray(array[..., part]) for array in (own, human, flags)]
            pearson_totals(pairs, sums, *here, totals)
        defined = (totals[:, 1] > 0) & (totals[:, 3] > 0)
        means = [
            np.divide(totals[:, i], totals[:, i + 1], out=np.full(defined.shape, np.nan), where=defined) for i in (0, 2)
        ]
        return means[0] - means[1]

    def _moments(self, metrics: IntArray, common: Mask) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What `pearson_totals` needs: scores, squares and products per cell, 0 outside of ``common``; their sums per group; the human side.

        All scores of a group are taken from its mean, so that little cancels.
        """
        scores, used = self.scores[metrics], np.stack([self.used[m] for m in metrics])
        human = self.human - self._means(self.human[None], np.logical_or.reduce(used)[None, :])
        filled = np.where(used, scores - self._means(scores, used), 0.0)
        moments = np.stack([filled, filled**2, np.where(used, filled * human, 0.0)], axis=1)
        table = np.ascontiguousarray(np.where(common, moments, 0.0).reshape(-1, len(common)).T)
        own = np.array([[self._sum(row) for row in metric] for metric in moments])
        sides = []
        for m, mask in zip(metrics, used, strict=True):
            sizes = self.sides[m].sizes
            mean = self._sum(np.where(mask, human, 0.0)) / np.maximum(sizes, 1.0)
            square = self._sum(np.where(mask, (human - mean[self.group]) ** 2, 0.0))
            sides.append([sizes, mean, np.where(self.sides[m].untied > 0, square, 0.0)])
        return table, own, np.array(sides)

    def _means(self, values: FloatArray, used: Mask) -> FloatArray:
        """(n_cells,) the mean of values (n, n_cells) over the used ones of each group."""
        totals = self._sum(np.where(used, values, 0.0).sum(axis=0))
        return (totals / np.maximum(self._sum(used.sum(axis=0)), 1))[self.group]

    def _sum(self, values: NDArray[np.generic]) -> FloatArray:
        """(n_groups,) sums of values (n_cells,)."""
        return np.bincount(self.group, weights=values, minlength=self.n_groups).astype(np.float64)
