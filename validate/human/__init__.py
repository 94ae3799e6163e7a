"""The human side: ratings and comparisons become score matrices, ratings and preferences.

>>> import validate
>>> study = validate.load("data/sample")
>>> validate.human_scores(study, "adequacy").values.shape
(6, 60)
"""

from __future__ import annotations

from validate.errors import OptionError, unknown_name
from validate.human.comparisons import bradley_terry_matrix, preferences, win_rate_matrix
from validate.human.judgments import DUPLICATES, Duplicates
from validate.human.ratings import mean_matrix, ratings, standardised, z_score_matrix
from validate.human.targets import Target, targets
from validate.schema import ScoreMatrix, Study

METHODS = ("mean", "z-score", "win-rate", "bradley-terry")

__all__ = ["DUPLICATES", "METHODS", "Target", "human_scores", "preferences", "ratings", "standardised", "targets"]


def human_scores(
    study: Study, criterion: str | None = None, method: str | None = None, *, duplicates: Duplicates = "last"
) -> ScoreMatrix:
    """The scores that people gave to systems on items.

    Parameters
    ----------
    study : Study
    criterion : str, optional
        May be left out when the judgments are of one criterion only.
    method : {"mean", "z-score", "win-rate", "bradley-terry"}, optional
        ``mean`` of the ratings of an output over its annotators; ``z-score``, the same after each annotator's ratings were
        centred and divided by their standard deviation; ``win-rate``, the share of its comparisons that an output won (a tie
        or "both bad" is half a win); ``bradley-terry``, one strength a system over all items (one column, ``items=("all",)``).
        Without a method: the mean where the criterion was rated, the win rate where it was only compared.
    duplicates : {"last", "first", "all", "error"}
        What to do with several judgments by one annotator of one output (or one pair on one item). Judgments that name no
        annotator all count.

    Returns
    -------
    ScoreMatrix
        (n_systems, n_items) over all systems and items of the study, NaN where nobody judged.

    Raises
    ------
    OptionError
        For an unknown method or criterion, and where the criterion must be named.
    """
    if method is not None and method not in METHODS:
        raise unknown_name("human_scores", "method", method, METHODS)
    if method is None:
        method = _usual_method(study, criterion)
    criterion = _the_criterion(study, method, criterion)
    if method == "mean":
        return mean_matrix(ratings(study, criterion, duplicates=duplicates))
    if method == "z-score":
        return z_score_matrix(ratings(study, criterion, duplicates=duplicates))
    judged = preferences(study, criterion, duplicates=duplicates)
    return win_rate_matrix(judged) if method == "win-rate" else bradley_terry_matrix(judged)


def _usual_method(study: Study, criterion: str | None) -> str:
    """The mean where a criterion was rated, the win rate where it was only compared."""
    rated, compared = _criteria(study, "mean"), _criteria(study, "win-rate")
    only_compared = criterion in compared and criterion not in rated
    return "win-rate" if only_compared or not rated else "mean"


def _criteria(study: Study, method: str) -> list[str]:
    """The criteria that a method can use: those of the ratings or those of the comparisons."""
    frame = study.ratings if method in ("mean", "z-score") else study.comparisons
    return list(dict.fromkeys(frame["criterion"]))


def _the_criterion(study: Study, method: str, criterion: str | None) -> str:
    kind = "ratings" if method in ("mean", "z-score") else "comparisons"
    available = _criteria(study, method)
    if not available:
        raise OptionError(
            f"human_scores: method {method!r} needs {kind}, and the study {study.name!r} has none; "
            f"choose a method for {'comparisons: win-rate, bradley-terry' if kind == 'ratings' else 'ratings: mean, z-score'}"
        )
    if criterion is None and len(available) > 1:
        raise OptionError(
            f"human_scores: no criterion was named and the {kind} are of {len(available)}; "
            f"one of {', '.join(available)} is allowed; pass criterion={available[0]!r} or another"
        )
    if criterion is not None and criterion not in available:
        raise unknown_name("human_scores", f"criterion in the {kind}", criterion, available)
    return available[0] if criterion is None else criterion
