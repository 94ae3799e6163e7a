"""What metrics are held against: one target a criterion that was rated, one a criterion that was compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validate.human.comparisons import preferences, win_rate_matrix
from validate.human.judgments import Duplicates
from validate.human.ratings import mean_matrix, ratings, z_score_matrix
from validate.schema import Criterion, Preferences, Ratings, ScoreMatrix, Study


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """One criterion as people judged it.

    ``label`` is the criterion's name; a criterion that was both rated and compared gives two targets, of which the second
    is labelled ``"… (pairwise)"``, twice so where a criterion of that name exists. ``scores`` has all systems and items of the study, NaN where nobody judged.
    """

    label: str
    judgments: Ratings | Preferences
    scores: ScoreMatrix
    declared: Criterion

    @property
    def kind(self) -> str:
        """``"ratings"`` or ``"comparisons"``."""
        return "ratings" if isinstance(self.judgments, Ratings) else "comparisons"

    @property
    def judged(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """(n_systems, n_items) where people said something."""
        present: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = ~np.isnan(self.scores.values)
        return present


def targets(study: Study, *, rated: str = "mean", duplicates: Duplicates = "last") -> list[Target]:
    """All targets of a study: first the ratings' criteria, then the comparisons', each in the order of the data.

    ``rated`` says how ratings become scores: ``"mean"`` or ``"z-score"``.
    """
    found = []
    rated_criteria, compared_criteria = (
        list(dict.fromkeys(t["criterion"])) for t in (study.ratings, study.comparisons)
    )
    for name in rated_criteria:
        judged = ratings(study, name, duplicates=duplicates)
        matrix = z_score_matrix(judged) if rated == "z-score" else mean_matrix(judged)
        found.append(Target(name, judged, matrix, _declared(study, name)))
    for name in compared_criteria:
        label = f"{name} (pairwise)" if name in rated_criteria else name
        while label != name and label in (*rated_criteria, *compared_criteria):
            label += " (pairwise)"
        compared = preferences(study, name, duplicates=duplicates)
        found.append(Target(label, compared, win_rate_matrix(compared), Criterion(name)))
    return found


def _declared(study: Study, name: str) -> Criterion:
    return study.settings.criteria.get(name, Criterion(name))
