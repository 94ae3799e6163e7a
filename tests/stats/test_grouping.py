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


# ---- partial judgments and asymmetric designs, at every level and grouping


def asymmetric(seed: int, share: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """Each item was judged on some systems only, and a metric has holes of its own; few values, so that there are ties."""
    rng = np.random.default_rng(seed)
    metric, human = (rng.integers(0, 6, size=(7, 12)).astype(float) for _ in range(2))
    human[rng.random(human.shape) < share] = np.nan
    metric[rng.random(metric.shape) < 0.1] = np.nan
    return metric, human


def written_out(
    metric: np.ndarray, human: np.ndarray, coefficient: str, level: str, grouping: str, partial: str
) -> float:
    """The definition, group by group."""
    function = getattr(stats, coefficient)
    both = ~np.isnan(metric + human)
    if level == "system":
        used = (both, both) if partial == "judged" else (~np.isnan(metric), ~np.isnan(human))
        rows = [s for s in range(len(metric)) if used[0][s].any() and used[1][s].any()]
        means = [[np.mean(side[s][mask[s]]) for s in rows] for side, mask in zip((metric, human), used, strict=True)]
        return float(function(*means))
    groups = {
        "none": [(metric[both], human[both])],
        "item": [(m[b], h[b]) for m, h, b in zip(metric.T, human.T, both.T, strict=True)],
        "system": [(m[b], h[b]) for m, h, b in zip(metric, human, both, strict=True)],
    }[grouping]
    values = [float(function(m, h)) for m, h in groups]
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


@pytest.mark.parametrize("partial", ["judged", "all"])
@pytest.mark.parametrize(
    ("level", "grouping"), [("system", "none"), ("item", "none"), ("item", "item"), ("item", "system")]
)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_asymmetric_designs_follow_the_definition(coefficient: str, level: str, grouping: str, partial: str) -> None:
    for seed in range(5):
        metric, human = asymmetric(seed)
        found = stats.correlation(
            metric, human, coefficient=coefficient, level=level, grouping=grouping, partial=partial
        )
        expected = written_out(metric, human, coefficient, level, grouping, partial)
        assert found.value == pytest.approx(expected, abs=1e-12), seed
        both = ~np.isnan(metric + human)
        if level == "item":
            assert (found.n, found.n_dropped) == (both.sum(), (np.isnan(metric) ^ np.isnan(human)).sum())


@pytest.mark.parametrize(
    ("level", "grouping"), [("system", "none"), ("item", "none"), ("item", "item"), ("item", "system")]
)
def test_asymmetric_designs_are_resampled_by_the_definition(level: str, grouping: str) -> None:
    """Resampled items and systems written out, copies and all."""
    from validate.stats.grouping import estimator
    from validate.stats.panel import panel

    metric, human = asymmetric(11, 0.3)
    laid = panel("test", metric, human)
    metric, human = laid.metrics[0].values, laid.human.values
    found = estimator(laid, COEFFICIENTS, level, grouping)
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows, cols = (rng.integers(n, size=n) for n in metric.shape)
        counts = [
            np.bincount(drawn, minlength=n)[:, None].astype(float)
            for drawn, n in zip((cols, rows), metric.shape[::-1], strict=True)
        ]
        x, y = metric[np.ix_(rows, cols)], human[np.ix_(rows, cols)]
        for value, coefficient in zip(found(*counts)[:, 0, 0], COEFFICIENTS, strict=True):
            expected = written_out(x, y, coefficient, level, grouping, "judged")
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), coefficient


def test_which_segments_enter_decides_and_both_answers_are_offered(cases: Callable[[str], dict[str, Case]]) -> None:
    """People judged a third of the items; a metric that is unlike itself on the others."""
    assert "both offered" in cases("reports")["which-segments"]["right"]
    rng = np.random.default_rng(8)
    quality = np.arange(6.0)[:, None]
    human = quality + rng.normal(size=(6, 30))
    metric = np.where(np.arange(30) < 10, human, rng.normal(size=(6, 1)) * 5 + rng.normal(size=(6, 30)))
    human[:, 10:] = np.nan
    judged = stats.correlation(metric, human, level="system", coefficient="pearson")
    whole = stats.correlation(metric, human, level="system", coefficient="pearson", partial="all")
    assert judged.value == pytest.approx(1.0)
    assert whole.value < 0.9
    frame = stats.bootstrap(metric, human, level="system", partial="all", resamples=20)
    assert frame["n_items"].item() == 30
    assert stats.bootstrap(metric, human, level="system", resamples=20)["n_items"].item() == 10
