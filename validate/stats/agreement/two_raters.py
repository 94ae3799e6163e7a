"""Two raters, who said what: the cells of their cross table, each counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from validate.errors import OptionError, ShapeError, bad_value, listed, unknown_name
from validate.schema import FloatArray, IntArray
from validate.stats.agreement.scales import WEIGHTS, Weights, credit_matrix

Spacing = Literal["value", "index"]

MOST_CATEGORIES = 5_000  # weights are a square matrix


@dataclass(frozen=True, slots=True, eq=False)
class CrossTable:
    """The cells of a cross table in which there are units.

    Parameters
    ----------
    one, other : (n_kinds,) int64
        The category that each rater gave, as its place in ``categories``.
    multiplicity : (n_kinds,) int64
        How many units are in the cell.
    categories : (q,) array
        In ascending order, or as they were declared.
    n_dropped : int
        Units that one of the two did not judge.
    """

    one: IntArray
    other: IntArray
    multiplicity: IntArray
    categories: NDArray[Any]
    n_dropped: int

    @property
    def n_pairable(self) -> int:
        """Units that both judged."""
        return int(self.multiplicity.sum())

    @property
    def width(self) -> int:
        """Numbers held per replicate of a bootstrap."""
        return len(self.categories)


def cross_table(who: str, a: ArrayLike, b: ArrayLike, categories: Sequence[Any] | None) -> CrossTable:
    """The cross table of two raters' judgments, NaN or None where one did not judge.

    Raises
    ------
    ShapeError
        When the two are not lists of one length.
    OptionError
        When a category was given that is not declared, or one is declared twice.
    """
    one, other = _column(who, "a", a), _column(who, "b", b)
    if len(one) != len(other):
        raise ShapeError(
            f"{who}: {len(one)} and {len(other)} judgments were given; equal numbers are allowed; give one entry a unit, NaN or None where a rater did not judge"
        )
    both = ~(pd.isna(one) | pd.isna(other))
    given = np.concatenate([one[both], other[both]])
    declared = _categories(who, given, categories)
    place = pd.Index(declared).get_indexer(pd.Index(given))
    if (place < 0).any():
        outside = list(dict.fromkeys(given[place < 0].tolist()))
        raise bad_value(who, "categories", declared.tolist(), f"all categories that occur, so also {listed(outside)}")
    n_units, q = int(both.sum()), max(len(declared), 1)
    cells, multiplicity = np.unique(place[:n_units] * q + place[n_units:], return_counts=True)
    return CrossTable(cells // q, cells % q, multiplicity, declared, len(one) - n_units)


def _column(who: str, name: str, judged: Any) -> NDArray[Any]:
    """One rater's judgments as an array of objects: numpy would turn numbers beside labels into text."""
    entries = judged.tolist() if hasattr(judged, "tolist") else list(judged)
    if not isinstance(entries, list) or any(isinstance(entry, list | tuple | np.ndarray) for entry in entries):
        raise ShapeError(
            f"{who}: {name} of shape {np.shape(judged)} was given; (n_units,) is allowed; give one judgment a unit"
        )
    column = np.empty(len(entries), dtype=object)
    column[:] = entries
    return column


def _categories(who: str, given: NDArray[Any], declared: Sequence[Any] | None) -> NDArray[Any]:
    """The scale as it was declared, or the categories that occur: numbers in ascending order, labels as they come."""
    if declared is not None:
        scale = pd.Index(list(declared))
        if scale.has_duplicates:
            repeated = scale[scale.duplicated()].tolist()
            raise bad_value(who, "categories", list(declared), f"each category once, not {listed(repeated)} again")
        return np.asarray(scale)
    occurring = pd.Index(given).unique()
    numbers = _as_numbers(occurring)
    return np.asarray(occurring) if numbers is None else np.asarray(np.sort(numbers))


def _as_numbers(labels: Any) -> FloatArray | None:
    """The categories as finite numbers, None where they are labels."""
    array = np.asarray(labels)
    if array.dtype.kind == "O":
        if any(isinstance(label, str | bytes) or not np.isscalar(label) for label in array):
            return None
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf" or not np.isfinite(array.astype(np.float64)).all():
        return None
    return array.astype(np.float64)


def credits(
    who: str, table: CrossTable, weights: Weights | ArrayLike | None, spacing: Spacing, declared: bool
) -> FloatArray | None:
    """(q, q) credit for two categories, 1 on the diagonal; None where only equal ones count.

    Raises
    ------
    OptionError
        For unknown weights or spacing, for distances between labels, for a matrix that does not fit the declared categories.
    """
    if spacing not in get_args(Spacing):
        raise unknown_name(who, "spacing", str(spacing), get_args(Spacing))
    if weights is None:
        return None
    q = len(table.categories)
    if q > MOST_CATEGORIES:
        raise OptionError(
            f"{who}: {q:,} categories and weights; up to {MOST_CATEGORIES:,} are allowed; use icc, or krippendorff_alpha with measurement='interval'"
        )
    if not isinstance(weights, str):
        return _own_weights(who, np.asarray(weights, dtype=np.float64), q, declared)
    if weights not in WEIGHTS:
        raise unknown_name(who, "weights", weights, ("None", *WEIGHTS, "a matrix"))
    if spacing == "index" or weights == "ordinal":
        _check_order(who, table, declared, weights)
        return credit_matrix(np.arange(q, dtype=np.float64), weights)
    values = _as_numbers(table.categories)
    if values is None:
        raise OptionError(
            f"{who}: the categories are labels and weights={weights!r}; numbers have distances, labels have none; declare their order with categories=[...] and spacing='index'"
        )
    order = np.argsort(values)
    back = np.argsort(order)
    return credit_matrix(values[order], weights)[np.ix_(back, back)]


def _check_order(who: str, table: CrossTable, declared: bool, weights: str) -> None:
    """Labels have no order of their own."""
    if not declared and _as_numbers(table.categories) is None:
        raise OptionError(
            f"{who}: the categories are labels without an order and weights={weights!r}; declared labels are allowed; give categories=[...] in order"
        )


def _own_weights(who: str, credit: FloatArray, q: int, declared: bool) -> FloatArray:
    """A matrix of credits: 1 for equal categories, and at most 1 for others."""
    if not declared:
        raise OptionError(
            f"{who}: weights are a matrix and categories are not declared; the matrix has one row and one column a category; give categories=[...] in its order"
        )
    if credit.shape != (q, q):
        raise ShapeError(
            f"{who}: weights of shape {credit.shape} were given; ({q}, {q}) is allowed; give one row and one column a declared category"
        )
    if not np.isfinite(credit).all() or not (np.diag(credit) == 1).all() or (credit > 1).any():
        raise OptionError(
            f"{who}: weights with the diagonal {listed(np.diag(credit).tolist())} and the largest entry {credit.max():g} were given; "
            "credits are allowed, 1 for equal categories and at most 1 for others; turn disagreements d into 1 - d / d.max()"
        )
    return credit
