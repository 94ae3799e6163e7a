"""Units that were judged alike, counted once: the sufficient statistics of every coefficient of agreement.

A coefficient sees a unit only through how often each category was given to it. Ten thousand units judged by five
people on five categories are at most 126 such rows, and a bootstrap over units is a matter of how often each is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from validate.schema import FloatArray, IntArray
from validate.stats._kernels import weighted_sums
from validate.stats.agreement.judgments import Judgments, Values, judgments


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts:
    """Kinds of units and how many units there are of each.

    Parameters
    ----------
    counts : (n_kinds, n_categories) sparse float64
        How often each category was given to a unit of that kind; no row is empty.
    sizes : (n_kinds,) float64
        Judgments a unit: the sums of the rows.
    multiplicity : (n_kinds,) int64
    values : (n_categories,) float64
        The categories as numbers in ascending order; NaN where they are labels without an order.
    n_dropped : int
        Units with fewer than two judgments, units without any included.
    """

    counts: sparse.csr_array
    sizes: FloatArray
    multiplicity: IntArray
    values: FloatArray
    n_dropped: int

    @property
    def n_pairable(self) -> int:
        """Units with two judgments or more."""
        return int(self.multiplicity[self.sizes > 1].sum())

    @property
    def width(self) -> int:
        """Numbers held per replicate of a bootstrap: one a category."""
        return int(self.counts.shape[1])

    def pairable(self) -> UnitCounts:
        """Only the units with two judgments or more."""
        kept = self.sizes > 1
        return UnitCounts(self.counts[kept], self.sizes[kept], self.multiplicity[kept], self.values, self.n_dropped)


def unit_counts(who: str, values: Values) -> UnitCounts:
    """Collapse judgments to the distinct rows of counts; arguments as in `judgments`."""
    return collapse(judgments(who, values))


def collapse(given: Judgments) -> UnitCounts:
    """The distinct rows of counts of judgments, and how many units have each."""
    order = np.lexsort((given.category, given.unit))
    category = given.category[order]
    per_unit = np.bincount(given.unit, minlength=given.n_units)
    n_categories = int(category.max()) + 1 if len(category) else 0
    start = np.cumsum(per_unit) - per_unit
    rows, multiplicities = [], []
    for size in np.unique(per_unit[per_unit > 0]):
        members = category[start[per_unit == size][:, None] + np.arange(size)]
        distinct, number = distinct_rows(members, n_categories)
        rows.append(distinct)
        multiplicities.append(np.bincount(number))
    return UnitCounts(
        _count_rows(rows, n_categories),
        np.repeat([float(row.shape[1]) for row in rows], [len(row) for row in rows]),
        np.concatenate([np.zeros(0, np.int64), *multiplicities]),
        given.values,
        int((per_unit < 2).sum()),
    )


def distinct_rows(rows: IntArray, n_codes: int) -> tuple[IntArray, IntArray]:
    """The distinct rows of an integer array and the number of each row among them, by numbering ever longer beginnings of the rows."""
    _, first, number = np.unique(rows[:, 0], return_index=True, return_inverse=True)
    for column in rows.T[1:]:
        _, first, number = np.unique(number * n_codes + column, return_index=True, return_inverse=True)
    return rows[first], number


def _count_rows(rows: list[IntArray], n_categories: int) -> sparse.csr_array:
    """Rows that list categories, as rows that count them."""
    n_kinds = sum(len(part) for part in rows)
    kind = np.repeat(
        np.arange(n_kinds), np.concatenate([np.zeros(0, int), *(np.full(len(p), p.shape[1]) for p in rows)])
    )
    category = np.concatenate([np.zeros(0, np.int64), *(part.ravel() for part in rows)])
    counts = sparse.coo_array((np.ones(len(category)), (kind, category)), shape=(n_kinds, n_categories)).tocsr()
    counts.sum_duplicates()
    return counts


def column_sums(matrix: NDArray[np.float64]) -> FloatArray:
    """(n,) sums over the first axis, added one after the other, so that they do not depend on how many columns there are."""
    sums = np.empty((1, matrix.shape[1]))
    weighted_sums(np.ones((1, len(matrix))), np.ascontiguousarray(matrix), sums)
    return sums[0]
