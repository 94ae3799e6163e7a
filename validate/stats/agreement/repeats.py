"""Annotators against themselves: what they judged more than once, with the sides of a pair swapped or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from validate.schema import Estimate, FloatArray, IntArray, Preferences, Ratings
from validate.stats.agreement.estimate import Interval
from validate.stats.agreement.judgments import BothBad, oriented
from validate.stats.agreement.percent import percent_agreement


def self_consistency(
    judged: Ratings | Preferences,
    *,
    both_bad: BothBad = "tie",
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """How often annotators say the same again of what they judged more than once.

    The share of equal pairs among the judgments that one annotator gave to one unit, averaged over what was repeated. A pair
    of systems shown with its sides swapped is judged the same when the same system is preferred.

    Parameters
    ----------
    judged : Ratings or Preferences
        With the repeated judgments kept, as ``duplicates="all"`` does.
    both_bad : {"tie", "category", "missing"}
        Of preferences, as in `pairwise_ratings`.
    interval : {"bootstrap", "percentile", "analytic"} or None
        For the population of what was repeated: bias-corrected accelerated bootstrap, percentile bootstrap, Student's t.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        Between 0 and 1; ``n`` counts what was judged more than once by the same annotator. NaN with a reason without any.

    See Also
    --------
    repeat_table : the same for each annotator. repeated_ratings : the repeats as raters, for any other coefficient.

    Examples
    --------
    Ann prefers A, then, with the sides swapped, A again; on another item she changes her mind:

    >>> from validate.schema import Preferences
    >>> seen = Preferences("quality", ("Ann",), ("A", "B"), ("i", "j"), [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 1, 1], [0] * 4,
    ...                    [1, -1, 1, -1], [False] * 4)
    >>> self_consistency(seen, interval=None).value
    0.5
    """
    found = percent_agreement(
        repeated_ratings(judged, both_bad=both_bad),
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        rng=rng,
    )
    method = found.method.replace("percent agreement", "self-consistency").replace(
        "over units", "over what was repeated"
    )
    return replace(found, method=method, reason=found.reason if found.n else "no annotator judged anything twice")


def repeated_ratings(judged: Ratings | Preferences, *, both_bad: BothBad = "tie") -> Ratings:
    """What was judged more than once, as if the first, second, … time were different raters.

    Parameters
    ----------
    judged : Ratings or Preferences
        With the repeated judgments kept; those of one annotator and unit are in order of time.
    both_bad : {"tie", "category", "missing"}

    Returns
    -------
    Ratings
        A rater for each time; a unit for each annotator and what that annotator judged more than once. Preferences are
        labels as in `pairwise_ratings`.

    Examples
    --------
    >>> from validate.schema import Ratings
    >>> judged = Ratings("fluency", ("Ann",), ("s",), ("i", "j"), [0, 0, 0], [0, 0, 0], [0, 1, 0], [3, 5, 4])
    >>> repeated_ratings(judged).by_unit().tolist()
    [[3.0], [4.0]]
    """
    seen = _repeats(judged, both_bad)
    what = seen.annotator * len(seen.names) + seen.name
    labels, system = np.unique(what, return_inverse=True)
    times = int(seen.time.max(initial=-1)) + 1
    return Ratings(
        judged.criterion,
        tuple(f"time {time + 1}" for time in range(times)),
        tuple(f"{judged.annotators[code // len(seen.names)]}: {seen.names[code % len(seen.names)]}" for code in labels),
        judged.items,
        seen.time,
        system,
        seen.item,
        seen.score,
    )


def repeat_table(judged: Ratings | Preferences, *, both_bad: BothBad = "tie") -> pd.DataFrame:
    """How far each annotator agrees with his or her own repeated judgments.

    Parameters
    ----------
    judged : Ratings or Preferences
        With the repeated judgments kept, as ``duplicates="all"`` does.
    both_bad : {"tie", "category", "missing"}

    Returns
    -------
    DataFrame
        One row an annotator who repeated something, in the order of ``judged.annotators``:

        ============ ===================================================================================================
        annotator    the label
        n            units judged more than once
        same         share of pairs of judgments of such a unit that are equal, averaged over units
        difference   their mean absolute difference
        n_swapped    pairs of judgments with the sides swapped; 0 for ratings
        same_swapped share of these in which the same system was preferred, or a tie was given twice; NaN without any
        first_side   share of these in which the first side was preferred both times: position decided, not the text
        second_side  the same of the second side
        ============ ===================================================================================================

    Examples
    --------
    Ann sees a pair and, swapped, once more, and prefers the first side both times:

    >>> from validate.schema import Preferences
    >>> seen = Preferences("quality", ("Ann",), ("A", "B"), ("i",), [0, 1], [1, 0], [0, 0], [0, 0], [1, 1], [False] * 2)
    >>> repeat_table(seen)[["annotator", "n", "same", "n_swapped", "same_swapped", "first_side"]]
      annotator  n  same  n_swapped  same_swapped  first_side
    0       Ann  1   0.0          1           0.0         1.0
    """
    seen = _repeats(judged, both_bad)
    one, other = _pairs(seen.cell)
    who, n_annotators = seen.annotator[one], len(judged.annotators)
    size = np.bincount(seen.cell)[seen.cell[one]] if len(one) else np.zeros(0)
    weight = 2 / np.maximum(size * (size - 1), 1)
    swapped = seen.turned[one] != seen.turned[other]
    same = (seen.score[one] == seen.score[other]).astype(np.float64)
    shown = np.where(seen.turned, -seen.score, seen.score)
    twice = np.where(shown[one] == shown[other], shown[one], 0.0)

    def mean(values: FloatArray, of: NDArray[np.bool_] | None = None) -> FloatArray:
        counted = weight if of is None else of.astype(np.float64)
        total = np.bincount(who, counted, n_annotators)
        return np.divide(
            np.bincount(who, counted * values, n_annotators), total, out=np.full(n_annotators, np.nan), where=total > 0
        )

    table = pd.DataFrame(
        {
            "annotator": list(judged.annotators),
            "n": np.round(np.bincount(who, weight, n_annotators)).astype(np.int64),
            "same": mean(same),
            "difference": mean(np.abs(seen.score[one] - seen.score[other])),
            "n_swapped": np.bincount(who, swapped, n_annotators).astype(np.int64),
            "same_swapped": mean(same, swapped),
            "first_side": mean((twice == 1).astype(np.float64), swapped),
            "second_side": mean((twice == -1).astype(np.float64), swapped),
        }
    )
    return table[table["n"] > 0].reset_index(drop=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Repeats:
    """Repeated judgments in order of time inside each cell, an annotator and a unit; ``names`` are systems or pairs of them."""

    names: tuple[str, ...]
    name: IntArray
    item: IntArray
    annotator: IntArray
    score: FloatArray
    turned: NDArray[np.bool_]
    cell: IntArray
    time: IntArray


def _repeats(judged: Ratings | Preferences, both_bad: BothBad) -> _Repeats:
    """The judgments of cells with two or more."""
    if isinstance(judged, Preferences):
        seen = oriented(judged, both_bad)
        names, name, score, turned, kept = seen.pairs, seen.pair, seen.label, seen.turned, seen.kept
    else:
        names, name, score = judged.systems, judged.system, judged.score
        turned, kept = np.zeros(len(score), bool), ~np.isnan(score)
    key = (name * len(judged.items) + judged.item) * len(judged.annotators) + judged.annotator
    kept = kept & (pd.Series(key[kept]).value_counts().reindex(key, fill_value=0).to_numpy() > 1)
    _, cell = np.unique(key[kept], return_inverse=True)
    time = pd.Series(cell).groupby(cell).cumcount().to_numpy(dtype=np.int64)
    return _Repeats(names, name[kept], judged.item[kept], judged.annotator[kept], score[kept], turned[kept], cell, time)


def _pairs(cell: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs of places with the same cell: neighbours in order of cells, then those two apart, …"""
    order = np.argsort(cell, kind="stable")
    ones, others = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for step in range(1, int(np.bincount(cell).max(initial=0)) if len(cell) else 0):
        alike = cell[order][step:] == cell[order][:-step]
        ones.append(order[:-step][alike])
        others.append(order[step:][alike])
    return np.concatenate(ones), np.concatenate(others)
