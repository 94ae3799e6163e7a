"""Pairwise judgments collapsed to cells: how often which outcome of which pair of systems was given.

A million judgments of a hundred systems are at most 14,850 numbers, which is all that a ranking needs; a bootstrap
draws the cells, not the judgments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from validate.errors import OptionError, ShapeError, bad_value, listed
from validate.schema import FloatArray, IntArray

WIN, TIE, LOSS = 0, 1, 2  # the last axis of counts, seen from the first system of a pair


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Outcomes counted by pair.

    Parameters
    ----------
    n_systems : int
    first, second : (n_pairs,) int64
        The systems of each pair that met, ``first < second``.
    counts : (n_pairs, 3) float64
        Wins of the first, ties, wins of the second.
    cell : (n_judgments,) int64
        Where each judgment was counted: an index into ``counts.ravel()``.
    """

    n_systems: int
    first: IntArray
    second: IntArray
    counts: FloatArray
    cell: IntArray

    @property
    def judged(self) -> IntArray:
        """(n_systems,) judgments in which each system took part."""
        per_pair = self.counts.sum(axis=1)
        both = np.bincount(self.first, per_pair, self.n_systems) + np.bincount(self.second, per_pair, self.n_systems)
        return both.astype(np.int64)

    def incidence(self) -> sparse.csr_array:
        """(n_systems, n_pairs) with 1 for the first system of a pair and -1 for the second."""
        pairs = np.arange(len(self.first))
        entries = np.repeat([1.0, -1.0], len(pairs))
        place = (np.concatenate([self.first, self.second]), np.tile(pairs, 2))
        return sparse.coo_array((entries, place), shape=(self.n_systems, len(pairs))).tocsr()

    def components(self) -> IntArray:
        """(n_systems,) numbers of the groups of systems that are linked by judgments, in the order of their first system."""
        links = sparse.coo_array((np.ones(len(self.first)), (self.first, self.second)), shape=(self.n_systems,) * 2)
        numbers: IntArray = sparse.csgraph.connected_components(links.tocsr(), directed=False)[1].astype(np.int64)
        return numbers


def collapse(who: str, first: ArrayLike, second: ArrayLike, outcome: ArrayLike, n: int) -> Cells:
    """Check pairwise judgments and count them.

    Parameters
    ----------
    first, second : (n_judgments,) int
        Indices of systems, 0 … n - 1.
    outcome : (n_judgments,) int
        Seen from the first: 1 win, 0 tie, -1 loss.
    n : int
        Number of systems.

    Raises
    ------
    ShapeError
        For arrays of different lengths.
    OptionError
        For other outcomes, for indices outside, for a system compared with itself.
    """
    if n < 1:
        raise bad_value(who, "n", n, "the number of systems, 1 or more")
    one, other, result = (np.asarray(column) for column in (first, second, outcome))
    if not (one.ndim == other.ndim == result.ndim == 1 and len(one) == len(other) == len(result)):
        raise ShapeError(
            f"{who}: first, second and outcome of shapes {one.shape}, {other.shape}, {result.shape} were given; "
            "three arrays of one length are allowed; give one entry a judgment in each"
        )
    _check_entries(who, one, other, result, n)
    one, other, result = (column.astype(np.int64) for column in (one, other, result))
    turned = np.where(one < other, result, -result)
    codes, pair = _distinct(np.minimum(one, other) * n + np.maximum(one, other), n * n)
    cell = pair * 3 + (1 - turned)
    counts = np.bincount(cell, minlength=3 * len(codes)).astype(np.float64).reshape(-1, 3)
    return Cells(n, codes // n, codes % n, counts, cell)


def _distinct(codes: IntArray, n_codes: int) -> tuple[IntArray, IntArray]:
    """The distinct codes in order and where each code is among them; without sorting where a table of all codes is no larger."""
    if n_codes > max(len(codes), 1):
        distinct, place = np.unique(codes, return_inverse=True)
        return distinct, place
    present = np.zeros(n_codes, bool)
    present[codes] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]


def _check_entries(who: str, one: IntArray, other: IntArray, result: IntArray, n: int) -> None:
    """Outcomes, indices and pairs that make sense."""
    strange = result[~_whole(result, -1, 1)]
    if len(strange):
        raise OptionError(
            f"{who}: outcomes {listed(strange.tolist())} were given; 1 (win of the first), 0 (tie) and -1 (loss) are allowed; leave missing judgments out"
        )
    systems = np.concatenate([one, other])
    outside = systems[~_whole(systems, 0, n - 1)]
    if len(outside):
        raise OptionError(
            f"{who}: systems {listed(outside.tolist())} were given; whole numbers from 0 to n - 1 = {n - 1} are allowed; number the systems, or raise n"
        )
    alone = one[one == other]
    if len(alone):
        raise OptionError(
            f"{who}: systems {listed(alone.tolist())} are compared with themselves; two different systems are allowed; leave such judgments out"
        )


def _whole(values: NDArray[Any], least: int, most: int) -> NDArray[np.bool_]:
    """Where values are whole numbers within bounds."""
    if values.dtype.kind not in "biuf":
        return np.zeros(values.shape, bool)
    whole: NDArray[np.bool_] = (values >= least) & (values <= most) & (values == np.floor(values))
    return whole
