"""Levels, groupings, partial judgments: what a correlation is taken over."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validate import stats
from validate.errors import OptionError
from validate.schema import ScoreMatrix

Case = dict[str, Any]
COEFFICIENTS = ("pearson", "spearman", "kendall")


def test_published_groupings(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("oracles")["mtme-grouping"]
    n_systems = case["input"]["num_sys"]
    gold, metric = (np.array(case["input"][side], dtype=float).reshape(n_systems, -1) for side in ("gold", "metric"))
    for coefficient, expected in case["expected"].items():
        for grouping, value in zip(("none", "system", "item"), expected, strict=True):
            estimate = stats.correlation(metric, gold, coefficient=coefficient, grouping=grouping)
            assert float(estimate) == pytest.approx(value, abs=case["tol"]), (coefficient, grouping)


def test_system_means_that_are_equal_stay_tied(cases: Callable[[str], dict[str, Case]]) -> None:
    rows = np.array(cases("oracles")["float-ties"]["input"]["rows"])
    human = np.array([[1.0], [2.0], [3.0], [4.0]]) * np.ones((1, 3))
    # ranks 2 2 2 4 against 1 2 3 4: centred -.5 -.5 -.5 1.5 and -1.5 -.5 .5 1.5; product 3, squares 3 and 5
    assert float(stats.correlation(rows, human, level="system")) == pytest.approx(3 / 15**0.5, abs=1e-15)
    # pairs of systems: 3 tied in the metric, 3 concordant, of 6
    assert float(stats.correlation(rows, human, level="system", coefficient="kendall")) == pytest.approx(
        3 / 18**0.5, abs=1e-15
    )


def test_resampled_means_are_ranked_as_exact_fractions() -> None:
    rng = np.random.default_rng(5)
    tenths = rng.integers(0, 4, size=(12, 3))  # few items and few values: many means are equal
    human = np.arange(12.0)[:, None] * np.ones((1, 3))
    replicates = stats.resample(tenths / 10, human, level="system", unit="items", resamples=300, rng=0)
    possible = set()
    for first in range(3):
        for second in range(3):
            for third in range(3):
                means = [Fraction(int(row[first] + row[second] + row[third]), 30) for row in tenths]
                ranks = [sorted(set(means)).index(mean) for mean in means]
                possible.add(round(float(stats.spearman(ranks, human[:, 0])), 12))
    assert set(replicates.values[0, 0].tolist()) <= possible


def test_a_constant_group_is_left_out_and_counted(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("reports")["constant-group"]["input"]
    metric, human = np.array(case["metric"], dtype=float), np.array(case["human"], dtype=float)
    for coefficient in COEFFICIENTS:
        estimate = stats.correlation(metric, human, coefficient=coefficient)
        assert estimate.value == 1.0  # the second item alone
        assert (estimate.n_groups, estimate.n_undefined) == (2, 1)
        assert estimate.reason == "1 of 2 items left out: metric constant in 1"


def test_every_reason_is_told() -> None:
    nan = np.nan
    metric = np.array([[1.0, 1.0, 2.0, nan, 1.0], [1.0, 2.0, 2.0, 1.0, 2.0], [1.0, 3.0, 2.0, nan, 3.0]])
    human = np.array([[1.0, 4.0, 2.0, 1.0, 1.0], [2.0, 4.0, 2.0, 2.0, 2.0], [3.0, 4.0, 2.0, 3.0, 3.0]])
    estimate = stats.correlation(metric, human)
    assert estimate.reason == (
        "4 of 5 items left out: fewer than two pairs in 1, metric constant in 1, human scores constant in 1, both sides constant in 1"
    )
    assert estimate.value == 1.0
    assert (estimate.n, estimate.n_dropped) == (13, 2)
    for values, reason in (
        (np.full((3, 5), 0.1), "metric constant"),
        (np.full((3, 5), nan), "fewer than two pairs"),
    ):
        pooled = stats.correlation(values, human, grouping="none")
        assert np.isnan(pooled.value)
        assert pooled.reason == reason
        systems = stats.correlation(values, human, level="system")
        assert np.isnan(systems.value)
        assert systems.reason.startswith(reason)
    assert stats.correlation(human, np.full((3, 5), 3.0), level="system").reason == "human scores constant"


def test_a_study_without_items_is_undefined() -> None:
    nothing = np.empty((3, 0))
    for options in ({"level": "system"}, {"grouping": "none"}, {"grouping": "item"}, {"grouping": "system"}):
        frame = stats.bootstrap(nothing, nothing, resamples=3, **options)
        assert frame[["estimate", "low", "high"]].isna().all(axis=None)
        assert "fewer than two pairs" in frame["reason"].item() or frame["n_groups"].item() == 0


def test_partial_judgments_under_both_rules(cases: Callable[[str], dict[str, Case]]) -> None:
    assert "both offered" in cases("reports")["which-segments"]["right"]
    nan = np.nan
    metric = np.array([[1.0, 9.0, 9.0], [2.0, 0.0, 0.0], [3.0, 3.0, 0.0]])
    human = np.array([[1.0, nan, nan], [2.0, nan, nan], [3.0, nan, nan]])
    judged = stats.correlation(metric, human, level="system")
    assert judged.value == 1.0  # the first item: 1 2 3 against 1 2 3
    whole = stats.correlation(metric, human, level="system", partial="all")
    assert whole.value == pytest.approx(-0.5)  # means 19/3, 2/3, 2 rank 3 1 2 against 1 2 3: d^2 = 4 + 1 + 1, 1 - 36/24
    assert judged.n == whole.n == 3


def test_judged_items_are_taken_per_system_on_both_sides() -> None:
    nan = np.nan
    metric = np.array([[1.0, 5.0], [2.0, 2.0], [nan, 4.0]])
    human = np.array([[2.0, nan], [1.0, 3.0], [9.0, 1.0]])
    # the first system has item 1 only (1 against 2), the second both (2 against 2), the third item 2 only (4 against 1)
    estimate = stats.correlation(metric, human, level="system", coefficient="pearson")
    assert float(estimate) == pytest.approx(float(stats.pearson([1, 2, 4], [2, 2, 1])), abs=1e-15)


def test_the_corpus_score_is_divided_after_summing() -> None:
    statistics = np.array([[[1.0, 1.0], [0.0, 9.0]], [[1.0, 4.0], [3.0, 4.0]], [[3.0, 6.0], [2.0, 3.0]]])
    ratios = statistics[..., 0] / statistics[..., 1]
    ratio = ScoreMatrix(
        "ratio",
        ratios,
        ("a", "b", "c"),
        ("x", "y"),
        statistics=statistics,
        divide=lambda sums: sums[..., 0] / sums[..., 1],
    )
    human = ScoreMatrix("human", np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]), ("a", "b", "c"), ("x", "y"))
    # corpus scores 1/10, 4/8, 5/9; the means of items would be 1/2, 1/2, 7/12
    estimate = stats.correlation(ratio, human, level="system", coefficient="pearson")
    assert float(estimate) == pytest.approx(float(stats.pearson([0.1, 0.5, 5 / 9], [1, 2, 4])), abs=1e-15)


def test_levels_and_groupings_are_checked() -> None:
    scores = np.arange(6.0).reshape(3, 2)
    assert float(stats.correlation(scores, scores, level="system")) == 1.0  # no grouping need be named
    assert float(stats.correlation(scores, scores, level="system", grouping="none")) == 1.0
    with pytest.raises(OptionError, match=r"level='system' with grouping='item' was given; .*only grouping='none'"):
        stats.correlation(scores, scores, level="system", grouping="item")
    with pytest.raises(OptionError, match=r"there is no level 'segment'; .*allowed: system, item"):
        stats.correlation(scores, scores, level="segment")
    with pytest.raises(OptionError, match="there is no grouping 'items'; did you mean 'item'"):
        stats.correlation(scores, scores, grouping="items")
    with pytest.raises(OptionError, match="there is no coefficient 'spearmanr'; did you mean 'spearman'"):
        stats.correlation(scores, scores, coefficient="spearmanr")


def test_an_item_does_not_see_its_neighbours() -> None:
    rng = np.random.default_rng(3)
    metric, human = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    for coefficient in COEFFICIENTS:
        alone = [
            float(stats.correlation(metric[:, [item]], human[:, [item]], coefficient=coefficient, grouping="none"))
            for item in range(4)
        ]
        assert float(stats.correlation(metric, human, coefficient=coefficient)) == pytest.approx(
            np.mean(alone), abs=1e-15
        )
        assert float(stats.correlation(metric.T, human.T, coefficient=coefficient, grouping="system")) == float(
            stats.correlation(metric, human, coefficient=coefficient)
        )
