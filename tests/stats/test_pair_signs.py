"""Ways around for speed and memory (signs of pairs, blocks of levels, one replicate at a time, nothing kept sorted): the same digits as without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import stats
from validate.schema import FloatArray
from validate.stats import _level_blocks, grouping
from validate.stats.panel import panel
from validate.stats.units import _counts

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


@settings(max_examples=30)
@given(studies(), st.sampled_from(["none", "item", "system"]))
def test_one_replicate_at_a_time_gives_the_same(study: tuple[list[FloatArray], FloatArray], by: str) -> None:
    metrics, human = study
    options: dict[str, Any] = {"coefficients": ["spearman"], "grouping": by, "resamples": 20}
    side_by_side = stats.resample(metrics, human, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "ONE_BY_ONE", 0)
        one_by_one = stats.resample(metrics, human, **options)
    assert one_by_one.values.tobytes() == side_by_side.values.tobytes()


@settings(max_examples=40)
@given(studies(), st.integers(1, 4), st.booleans())
def test_blocks_of_levels_and_one_tree_agree_to_the_last_digit(
    study: tuple[list[FloatArray], FloatArray], block: int, kept: bool
) -> None:
    metrics, human = study
    options: dict[str, Any] = {"coefficients": ["kendall", "spearman"], "grouping": "none", "resamples": 20}
    tree = stats.resample(metrics, human, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_level_blocks, "BLOCK", block)
        patch.setattr(grouping, "MOST_LEVELS", 0)
        if not kept:
            patch.setattr(grouping, "MOST_KEPT", -1)
        blocks = stats.resample(metrics, human, **options)
    assert blocks.values.tobytes() == tree.values.tobytes()
    assert blocks.point.tobytes() == tree.point.tobytes()


@pytest.mark.parametrize("n", [0, 1, 3, 10_000])
def test_draws_are_counted_as_bincount_does(n: int) -> None:
    drawn = np.random.default_rng(4).integers(max(n, 1), size=(n, grouping.MOST_LANES))
    expected = [np.bincount(lane, minlength=n) for lane in drawn.T]
    assert (expected == _counts(n, np.random.default_rng(4)).T).all()


@settings(max_examples=30)
@given(studies(), st.integers(0, 3))
def test_every_sum_of_one_lane_is_that_of_many(study: tuple[list[FloatArray], FloatArray], seed: int) -> None:
    metrics, human = study
    estimator = grouping.estimator(panel("test", metrics, human), ["pearson", "spearman", "kendall"], "item", "item")
    rows = np.random.default_rng(seed).integers(0, 3, size=(estimator.panel.n_systems, 2)).astype(float)
    many = [tuple(cell.copy() for cell in sums) for _, _, sums in estimator._sums(rows, np.ones((1, 2)))]
    for lane in (0, 1):
        here = np.ascontiguousarray(rows[:, [lane]])
        for (_, _, one), both in zip(estimator._sums(here, np.ones((1, 1))), many, strict=True):
            assert [cell[:, 0].tolist() for cell in one] == [cell[:, lane].tolist() for cell in both]
