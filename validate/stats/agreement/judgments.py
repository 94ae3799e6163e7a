"""Judgments in long form out of whatever they come in: an array of raters by units, or the records of a study."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from validate.errors import ShapeError, listed, unknown_name
from validate.schema import FloatArray, IntArray, Preferences, Ratings

Values = ArrayLike | Ratings | Preferences
BothBad = Literal["tie", "category", "missing"]

BOTH_BAD = 2.0  # the label of "both bad" where it is a category of its own


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Who gave which category to which unit: one entry an annotator and unit.

    Parameters
    ----------
    unit, annotator, category : (n,) int64
    values : (n_categories,) float64
        The categories as numbers in ascending order; NaN where they are labels without an order.
    n_units, n_annotators : int
        Units and annotators without any judgment are counted, too.
    labels : tuple, optional
        The categories where they are no numbers.
    """

    unit: IntArray
    annotator: IntArray
    category: IntArray
    values: FloatArray
    n_units: int
    n_annotators: int
    labels: tuple[Any, ...] | None = None


def judgments(who: str, values: Values) -> Judgments:
    """Judgments out of an (n_raters, n_units) array (NaN or None missing), `Ratings` or `Preferences`.

    Raises
    ------
    ShapeError
        When an array is not two-dimensional or holds an infinite number.
    """
    if isinstance(values, Preferences):
        values = pairwise_ratings(values)
    if isinstance(values, Ratings):
        return _of_ratings(values)
    return _of_array(who, values)


def pairwise_ratings(preferences: Preferences, *, both_bad: BothBad = "tie") -> Ratings:
    """Pairwise judgments as labels of units, so that agreement among annotators can be measured.

    A unit is a pair of systems on an item. A–B and B–A are one pair: a judgment of B–A is turned. The label is 1 where the
    system was preferred that stood on the first side when the unit was first judged, -1 where the other was, 0 for a tie.

    Parameters
    ----------
    preferences : Preferences
    both_bad : {"tie", "category", "missing"}
        What "both bad" is: a tie; a category of its own, 2, for nominal statistics; or no judgment.

    Returns
    -------
    Ratings
        Its systems are the pairs, as "A – B". Of several judgments of one unit by one annotator, the last counts.

    Raises
    ------
    OptionError
        For another value of ``both_bad``.

    Notes
    -----
    Which system of a unit comes first is a convention. Percent agreement does not depend on it; coefficients that expect
    agreement by chance do, a little, because it decides how often 1 and -1 occur. Sides as shown, which are usually drawn
    by chance, do not depend on the names or the order of systems.

    Examples
    --------
    Ann prefers A to B, and Bo does, too, though he saw them the other way round:

    >>> from validate.schema import Preferences
    >>> seen = Preferences("quality", ("Ann", "Bo"), ("A", "B"), ("i",), [0, 1], [1, 0], [0, 0], [0, 1], [1, -1], [False, False])
    >>> pairwise_ratings(seen).by_unit().tolist()
    [[1.0], [1.0]]
    """
    seen = oriented(preferences, both_bad)
    cell = seen.unit * len(preferences.annotators) + preferences.annotator
    kept = seen.kept & _is_last(cell)
    return Ratings(
        preferences.criterion,
        preferences.annotators,
        seen.pairs,
        preferences.items,
        preferences.annotator[kept],
        seen.pair[kept],
        preferences.item[kept],
        seen.label[kept],
    )


@dataclass(frozen=True, slots=True, eq=False)
class Oriented:
    """Pairwise judgments, all seen from one side of their unit, a pair of systems on an item.

    Parameters
    ----------
    pairs : tuple of str
        The pairs of systems, as "A – B".
    pair, unit : (n,) int64
    label : (n,) float64
        1 where the system was preferred that stood first when the unit was first judged.
    turned : (n,) bool
        Whether the sides were swapped against that.
    kept : (n,) bool
        False where "both bad" counts as no judgment.
    """

    pairs: tuple[str, ...]
    pair: IntArray
    unit: IntArray
    label: FloatArray
    turned: NDArray[np.bool_]
    kept: NDArray[np.bool_]


def oriented(preferences: Preferences, both_bad: BothBad) -> Oriented:
    """Every judgment, repeated ones too, as a label of its unit."""
    if both_bad not in get_args(BothBad):
        raise unknown_name("pairwise_ratings", "meaning of both bad", both_bad, get_args(BothBad))
    n_systems, n_items = len(preferences.systems), len(preferences.items)
    low = np.minimum(preferences.first, preferences.second)
    high = np.maximum(preferences.first, preferences.second)
    pairs, pair = np.unique(low * n_systems + high, return_inverse=True)
    _, shown, unit = np.unique(pair * n_items + preferences.item, return_index=True, return_inverse=True)
    turned = preferences.first != preferences.first[shown][unit]
    label = np.where(turned, -preferences.outcome, preferences.outcome).astype(np.float64)
    if both_bad == "category":
        label[preferences.both_bad] = BOTH_BAD
    kept = ~preferences.both_bad if both_bad == "missing" else np.ones(len(label), bool)
    names = tuple(
        f"{preferences.systems[code // n_systems]} – {preferences.systems[code % n_systems]}" for code in pairs
    )
    return Oriented(names, pair, unit, label, turned, kept)


def _is_last(key: IntArray) -> NDArray[np.bool_]:
    """Whether no later entry has the same key."""
    last: NDArray[np.bool_] = ~pd.Series(key).duplicated(keep="last").to_numpy()
    return last


def _of_ratings(ratings: Ratings) -> Judgments:
    """Long form without the dense array of `Ratings.by_unit`; repeated judgments are averaged by the same rule."""
    present = ~np.isnan(ratings.score)
    cell = (ratings.system * len(ratings.items) + ratings.item)[present]
    units, unit = np.unique(cell, return_inverse=True)
    key, place = np.unique(unit * len(ratings.annotators) + ratings.annotator[present], return_inverse=True)
    score = ratings.score[present]
    if len(key) < len(place):
        score = np.bincount(place, weights=score) / np.bincount(place)
        unit, annotator = key // len(ratings.annotators), key % len(ratings.annotators)
    else:
        annotator = ratings.annotator[present]
    values, category = np.unique(score, return_inverse=True)
    return Judgments(unit, annotator, category, values, len(units), len(ratings.annotators))


def _of_array(who: str, values: Any) -> Judgments:
    array = np.asarray(values) if not isinstance(values, (list, tuple)) else _from_lists(who, values)
    if array.ndim != 2:
        raise ShapeError(
            f"{who}: values of shape {array.shape} were given; (n_raters, n_units) is allowed; give one row a rater and one column a unit"
        )
    missing = np.isnan(array) if array.dtype.kind == "f" else np.asarray(pd.isna(array))
    annotator, unit = np.nonzero(~missing)
    present = array[annotator, unit]
    if not _is_numeric(present):
        category, labels = pd.factorize(present)
        unordered = np.full(len(labels), np.nan)
        names = tuple(labels)
        return Judgments(unit, annotator, category.astype(np.int64), unordered, array.shape[1], array.shape[0], names)
    numbers = present.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ShapeError(
            f"{who}: values hold an infinite number; finite numbers, and NaN for missing, are allowed; mend the data"
        )
    distinct, category = np.unique(numbers, return_inverse=True)
    return Judgments(unit, annotator, category, distinct, array.shape[1], array.shape[0])


def _from_lists(who: str, rows: Any) -> NDArray[Any]:
    """Nested lists as an array of objects: numpy would turn numbers beside labels into text, and refuse uneven rows less plainly."""
    lengths = {len(row) if hasattr(row, "__len__") and not isinstance(row, str) else -1 for row in rows}
    if len(lengths) != 1 or -1 in lengths:
        raise ShapeError(
            f"{who}: rows of lengths {listed(sorted(lengths))} were given (-1 is no row at all); equal lengths are allowed; give one row a rater, with NaN or None where a rater did not judge"
        )
    array = np.empty((len(rows), lengths.pop()), dtype=object)
    for place, row in enumerate(rows):
        array[place] = list(row)
    return array


def _is_numeric(present: NDArray[Any]) -> bool:
    """Whether every judgment is a number; True and False count as 1 and 0."""
    return present.dtype.kind in "biuf" or (
        present.dtype.kind == "O" and all(isinstance(v, (Real, np.bool_)) for v in present)
    )
