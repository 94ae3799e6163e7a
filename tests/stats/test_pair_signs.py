"""Kendall's tau by signs of pairs and large studies that are not kept sorted: the same digits as without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import stats
from validate.schema import FloatArray
from validate.stats import grouping

scores = st.one_of(st.integers(0, 3).map(float), st.just(np.nan))


@st.composite
def studies(draw: Any) -> tuple[list[FloatArray], FloatArray]:
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    cells = shape[0] * shape[1]
    sides = [np.array(draw(st.lists(scores, min_size=cells, max_size=cells))).reshape(shape) for _ in range(3)]
    return sides[:2], sides[2]


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system"]), st.sampled_from(["both", "items", "systems"]))
def test_signs_and_tree_agree_to_the_last_digit(study: tuple[list[FloatArray], FloatArray], by: str, unit: str) -> None:
    metrics, human = study
    options: dict[str, Any] = {"coefficients": ["kendall"], "grouping": by, "unit": unit, "resamples": 20}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "MOST_SIGNS", -1)
        tree = stats.resample(metrics, human, **options)
    signs = stats.resample(metrics, human, **options)
    assert signs.values.tobytes() == tree.values.tobytes()
    assert signs.point.tobytes() == tree.point.tobytes()
    assert signs.facts == tree.facts


@settings(max_examples=20)
@given(studies(), st.sampled_from(["none", "item", "system"]))
def test_scores_that_are_not_kept_sorted_give_the_same(study: tuple[list[FloatArray], FloatArray], by: str) -> None:
    metrics, human = study
    options: dict[str, Any] = {"coefficients": ["pearson", "spearman", "kendall"], "grouping": by, "resamples": 20}
    kept = stats.resample(metrics, human, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "MOST_KEPT", -1)
        arranged = stats.resample(metrics, human, **options)
    assert arranged.values.tobytes() == kept.values.tobytes()
