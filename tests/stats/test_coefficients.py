"""Pearson, Spearman and Kendall of two arrays: worked values, scipy beside, everything that can be undefined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError
from validate.schema import Estimate

Case = dict[str, Any]

scores = st.one_of(
    st.integers(0, 3).map(float),
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)),
    st.just(np.nan),
)
columns = st.lists(st.tuples(scores, scores), min_size=0, max_size=30)


def test_published_values(cases: Callable[[str], dict[str, Case]]) -> None:
    oracles = cases("oracles")
    case = oracles["tau-b-c-weighted"]
    x, y = case["input"]["x"], case["input"]["y"]
    assert float(stats.kendall(x, y)) == pytest.approx(case["expected"]["b"], abs=case["tol"])
    assert float(stats.kendall(x, y, variant="c")) == pytest.approx(case["expected"]["c"], abs=case["tol"])
    assert float(stats.weighted_tau(x, y)) == pytest.approx(case["expected"]["weighted"], abs=case["tol"])
    case = oracles["mtme-tau-variants"]
    gold, metric = case["input"]["gold"], case["input"]["metric"]
    assert float(stats.kendall(metric, gold)) == pytest.approx(case["expected"]["b"], abs=case["tol"])
    assert float(stats.kendall(metric, gold, variant="c")) == pytest.approx(case["expected"]["c"], abs=case["tol"])
    assert float(stats.kendall(metric, gold, variant="23")) == pytest.approx(case["expected"]["23"], abs=case["tol"])
    case = oracles["spearman-tie"]
    assert float(stats.spearman(case["input"]["x"], case["input"]["y"])) == pytest.approx(
        case["expected"]["rho"], abs=case["tol"]
    )
    case = oracles["spearman-d2-trap"]
    assert float(stats.spearman(case["input"]["x"], case["input"]["y"])) == pytest.approx(
        case["expected"], abs=case["tol"]
    )


def test_the_shortcut_through_squared_differences_is_not_taken(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("reports")["d2-shortcut"]["input"]
    # ranks of x: 2.5 four times and 5; of y: 5 4 3 2 1. Centred: -0.5 (x4), 2 against 2 1 0 -1 -2.
    # Product -0.5 * 2 - 0.5 * 1 + 0.5 * 1 - 4 = -5; squares 4 * 0.25 + 4 = 5 and 10: -5 / sqrt(50).
    assert float(stats.spearman(case["x"], case["y"])) == pytest.approx(-5 / 50**0.5, abs=1e-15)


def test_ties_and_missing_together(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("reports")["ties-and-nan"]["input"]
    x, y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    # after the fourth pair is dropped: ranks 1.5 1.5 3 4 and 1 2.5 2.5 4; centred -1 -1 .5 1.5 and -1.5 0 0 1.5;
    # product 1.5 + 2.25 = 3.75; squares 1 + 1 + .25 + 2.25 = 4.5 and 4.5
    estimate = stats.spearman(x, y)
    assert estimate.value == pytest.approx(3.75 / 4.5, abs=1e-15)
    assert (estimate.n, estimate.n_dropped) == (4, 1)


def test_hand_worked_pearson_and_kendall() -> None:
    # centred x: -1 0 1, y: -4/3 -1/3 5/3; product 9/3, squares 2 and 42/9
    assert float(stats.pearson([1, 2, 3], [1, 2, 4])) == pytest.approx(3 / (2 * 42 / 9) ** 0.5, abs=1e-15)
    # pairs of pairs: 12+ 13+ 14+ 23- 24+ 34(x tied): 4 - 1 = 3 over sqrt(5 * 6)
    assert float(stats.kendall([1, 2, 3, 3], [1, 3, 2, 4])) == pytest.approx(3 / 30**0.5, abs=1e-15)


def test_hand_worked_somers_and_weighted() -> None:
    # pairs of pairs: 4 agree, 1 disagrees, 34 is tied in x: 3 of the 5 that x tells apart, 3 of the 6 that y tells apart
    x, y = [1, 2, 3, 3], [1, 3, 2, 4]
    assert float(stats.somers_d(x, y)) == pytest.approx(3 / 5, abs=1e-15)
    assert float(stats.somers_d(y, x)) == pytest.approx(3 / 6, abs=1e-15)
    assert float(stats.kendall(x, y)) == pytest.approx((3 / 5 * 3 / 6) ** 0.5, abs=1e-15)
    assert stats.somers_d(x, y).method == "somers d of y given x"
    # an exchange at the top costs more than one at the bottom: pairs weigh 3/2, 4/3 and 5/6 of 11/3
    assert float(stats.weighted_tau([3, 2, 1], [2, 3, 1])) == pytest.approx(
        (4 / 3 + 5 / 6 - 3 / 2) / (11 / 3), abs=1e-15
    )
    assert float(stats.weighted_tau([3, 2, 1], [3, 1, 2])) == pytest.approx(
        (3 / 2 + 4 / 3 - 5 / 6) / (11 / 3), abs=1e-15
    )


ALL = [stats.pearson, stats.spearman, stats.kendall, stats.somers_d, stats.weighted_tau]


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than two pairs"),
        ([1.0], [2.0], "fewer than two pairs"),
        ([1.0, np.nan], [2.0, 1.0], "fewer than two pairs"),
        ([1.0, 1.0], [2.0, 1.0], "x constant"),
        ([1.0, 2.0], [2.0, 2.0], "y constant"),
        ([0.1, 0.1, 0.1], [2.0, 2.0, 2.0], "x and y constant"),
    ],
)
def test_undefined_is_nan_with_a_reason(
    function: Callable[..., Estimate], x: list[float], y: list[float], reason: str
) -> None:
    estimate = function(x, y)
    assert np.isnan(estimate.value)
    assert estimate.reason == reason


@pytest.mark.parametrize("function", ALL)
def test_perfect_agreement_is_exactly_one(function: Callable[..., Estimate]) -> None:
    x = np.array([0.1, 0.7, 0.3, 12.0, 1e-3])
    assert function(x, x).value == 1.0
    assert function(x, -x).value == -1.0


def test_shapes_and_names_are_checked_at_the_door() -> None:
    with pytest.raises(ShapeError, match=r"pearson: arrays of shapes \(2,\) and \(3,\) were given; .*one length"):
        stats.pearson([1, 2], [1, 2, 3])
    with pytest.raises(ShapeError, match=r"use stats\.correlation"):
        stats.spearman([[1, 2]], [[1, 2]])
    with pytest.raises(OptionError, match=r"kendall: there is no variant 'd'; .*allowed: b, c, 10"):
        stats.kendall([1, 2], [1, 2], variant="d")
    with pytest.raises(AccordError, match="infinite"):
        stats.pearson([1, np.inf], [1, 2])


def plain(x: np.ndarray, y: np.ndarray, function: Callable[..., Any]) -> float:
    kept = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[kept], y[kept]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    return float(function(x, y).statistic)


@settings(deadline=None)
@given(columns)
def test_scipy_says_the_same(pairs: list[tuple[float, float]]) -> None:
    x, y = (np.array([pair[side] for pair in pairs], dtype=float) for side in (0, 1))
    peers: list[tuple[Callable[..., Estimate], Callable[..., Any]]] = [
        (stats.pearson, scipy.stats.pearsonr),
        (stats.spearman, scipy.stats.spearmanr),
        (stats.kendall, scipy.stats.kendalltau),
        (
            lambda x, y: stats.kendall(x, y, variant="c"),
            lambda x, y: scipy.stats.kendalltau(x, y, variant="c"),
        ),
        (stats.somers_d, scipy.stats.somersd),
        (stats.weighted_tau, scipy.stats.weightedtau),
    ]
    for ours, theirs in peers:
        assert float(ours(x, y)) == pytest.approx(plain(x, y, theirs), abs=1e-12, nan_ok=True)


def test_large_and_small_numbers_neither_overflow_nor_vanish() -> None:
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([1.0, 3.0, 4.0, 2.0])
    for scale in (1e-150, 1e200):
        assert float(stats.pearson(scale * x, y)) == pytest.approx(float(stats.pearson(x, y)), abs=1e-12)


def test_many_points_take_no_quadratic_time() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_000)
    y = np.round(x + rng.normal(size=100_000), 1)
    assert float(stats.kendall(x, y)) == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)
    assert float(stats.weighted_tau(x, y)) == pytest.approx(scipy.stats.weightedtau(x, y).statistic, abs=1e-12)
    counts = stats.pair_counts(x, y, tie_threshold=0.01)
    assert counts.n == 100_000 * 99_999 // 2
