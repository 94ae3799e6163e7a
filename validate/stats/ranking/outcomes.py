"""Preferences as the arrays that rankings take, with "both bad" mapped by a stated rule."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from validate.errors import unknown_name
from validate.schema import IntArray, Preferences

BothBad = Literal["tie", "drop"]


class Outcomes(NamedTuple):
    """Arrays (n_judgments,) of judgments that count, and how many said "both bad"."""

    first: IntArray
    second: IntArray
    outcome: IntArray
    item: IntArray
    annotator: IntArray
    n_both_bad: int

    @property
    def cluster(self) -> dict[str, IntArray]:
        """Both kinds of clusters, as `bradley_terry` takes them."""
        return {"item": self.item, "annotator": self.annotator}


def outcomes(preferences: Preferences, *, both_bad: BothBad = "tie") -> Outcomes:
    """Who was compared with whom, and the outcome seen from the first: 1 win, 0 tie, -1 loss.

    Parameters
    ----------
    preferences : Preferences
    both_bad : {"tie", "drop"}
        "Both bad" says that neither is better, as a tie does (``"tie"``); or it is no comparison of the two, and does not count
        (``"drop"``). Dropping it favours no system, yet leaves out the items on which most systems fail.

    Raises
    ------
    OptionError
        For another rule.

    Examples
    --------
    >>> judged = Preferences("q", ("Ann",), ("x", "y"), ("i", "j"), [0, 1], [1, 0], [0, 1], [0, 0], [1, 0], [False, True])
    >>> outcomes(judged).outcome.tolist(), outcomes(judged, both_bad="drop").outcome.tolist()
    ([1, 0], [1])
    """
    if both_bad not in get_args(BothBad):
        raise unknown_name("outcomes", "rule for both_bad", str(both_bad), get_args(BothBad))
    counts = slice(None) if both_bad == "tie" else ~preferences.both_bad
    columns = (preferences.first, preferences.second, preferences.outcome, preferences.item, preferences.annotator)
    first, second, outcome, item, annotator = (column[counts] for column in columns)
    return Outcomes(first, second, outcome, item, annotator, int(preferences.both_bad.sum()))
