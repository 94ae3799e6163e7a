"""Rankings of several systems at once, the same ones counted together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from validate.errors import OptionError, bad_value, listed
from validate.schema import IntArray
from validate.stats.ranking.cells import WIN, Cells, collapse


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Distinct rankings, best first, and who stands before whom in them.

    Parameters
    ----------
    order : (n_places,) int64
        The systems of all distinct rankings, one ranking after the other.
    starts : (n_distinct + 1,) int64
        Where each of them begins.
    kind : (n_rankings,) int64
        Which of the distinct ones each ranking is.
    pairs : Cells
        Every pair of a ranking as a win of the system that stands before the other.
    """

    order: IntArray
    starts: IntArray
    kind: IntArray
    pairs: Cells

    @property
    def n_distinct(self) -> int:
        return len(self.starts) - 1

    @property
    def times(self) -> IntArray:
        """(n_distinct,) how often each occurs."""
        return np.bincount(self.kind, minlength=self.n_distinct)

    @property
    def ranked(self) -> IntArray:
        """(n_systems,) in how many rankings each system stands."""
        per_place = np.repeat(self.times, np.diff(self.starts))
        return np.bincount(self.order, per_place, self.pairs.n_systems).astype(np.int64)

    def memberships(self) -> tuple[IntArray, IntArray]:
        """(n_memberships,) systems, and the rankings in which they stand."""
        lengths = np.diff(self.starts)[self.kind]
        ranking = np.repeat(np.arange(len(self.kind)), lengths)
        within = np.arange(len(ranking)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self.order[self.starts[self.kind][ranking] + within], ranking

    def wins(self) -> sparse.csr_array:
        """(n_distinct, 3 n_pairs) the cells of `pairs` that one ranking of each kind adds to."""
        before, behind, ranking = _pairs(self.order, self.starts)
        n = self.pairs.n_systems
        pair = np.searchsorted(
            self.pairs.first * n + self.pairs.second, np.minimum(before, behind) * n + np.maximum(before, behind)
        )
        cell = 3 * pair + np.where(before < behind, WIN, 2 - WIN)
        shape = (self.n_distinct, self.pairs.counts.size)
        return sparse.coo_array((np.ones(len(cell)), (ranking, cell)), shape=shape).tocsr()


def collapse_rankings(who: str, rankings: Sequence[ArrayLike], n: int) -> Rankings:
    """Check rankings and count them.

    Raises
    ------
    OptionError
        For ties, rankings of fewer than two systems, a system twice in one ranking, indices outside 0 … n - 1.
    """
    if n < 1:
        raise bad_value(who, "n", n, "the number of systems, 1 or more")
    counted = Counter(_checked(who, place, ranking, n) for place, ranking in enumerate(rankings))
    distinct = sorted(counted)
    number = {ranking: place for place, ranking in enumerate(distinct)}
    kind = np.array([number[tuple(map(int, np.asarray(ranking)))] for ranking in rankings], dtype=np.int64)
    order = np.array([system for ranking in distinct for system in ranking], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(ranking) for ranking in distinct], dtype=np.int64)]).astype(np.int64)
    before, behind, ranking = _pairs(order, starts)
    times = np.array([counted[ranking] for ranking in distinct], dtype=np.int64)
    once = collapse(who, before, behind, np.ones(len(before), dtype=np.int64), n)
    counts = np.asarray(np.bincount(once.cell, times[ranking], once.counts.size), np.float64).reshape(once.counts.shape)
    return Rankings(order, starts, kind, Cells(n, once.first, once.second, counts, once.cell))


def _checked(who: str, place: int, ranking: ArrayLike, n: int) -> tuple[int, ...]:
    """One ranking as a tuple of systems."""
    try:
        systems = np.asarray(ranking)
    except ValueError:  # ragged: some places hold several systems
        systems = np.empty((0, 0))
    if systems.ndim != 1 or systems.dtype.kind == "O":
        raise OptionError(
            f"{who}: ranking {place} ({ranking!r}) holds more than one system in a place; one system a place is allowed, best first; "
            "break ties, leave such rankings out, or give their pairs to bradley_terry, which has ties"
        )
    if systems.dtype.kind not in "iu" or ((systems < 0) | (systems >= n)).any():
        raise OptionError(
            f"{who}: ranking {place} holds {listed(systems.tolist())}; whole numbers from 0 to n - 1 = {n - 1} are allowed; "
            "number the systems, or raise n"
        )
    found = tuple(map(int, systems))
    if len(found) < 2 or len(set(found)) < len(found):
        raise OptionError(
            f"{who}: ranking {place} holds {listed(found)}; two or more systems, each once, are allowed; leave it out or mend it"
        )
    return found


def _pairs(order: IntArray, starts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """All pairs of places of all rankings: the system before, the system behind, the ranking."""
    before, behind, ranking = [], [], []
    lengths = np.diff(starts)
    for length in np.unique(lengths):
        kinds = np.flatnonzero(lengths == length)
        table = order[starts[kinds][:, None] + np.arange(length)]
        one, other = np.triu_indices(length, 1)
        before.append(table[:, one].ravel())
        behind.append(table[:, other].ravel())
        ranking.append(np.repeat(kinds, len(one)))
    none = [np.zeros(0, dtype=np.int64)]
    return np.concatenate(before or none), np.concatenate(behind or none), np.concatenate(ranking or none)
