"""Differences between metrics, their p-values, and what many tests do to them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError
from validate.stats.support import Support

Case = dict[str, Any]
COLUMNS = [
    "level",
    "grouping",
    "coefficient",
    "metric_a",
    "metric_b",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "test",
]
METHODS = {"holm": "holm", "bonferroni": "bonferroni", "hommel": "hommel", "bh": "fdr_bh", "by": "fdr_by"}
p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=8)


def test_published_adjustments(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("oracles")["pvalue-adjust"]
    for method, expected in case["expected"].items():
        assert stats.adjust_p(case["input"]["p"], method=method).tolist() == pytest.approx(expected, abs=case["tol"])


def test_an_undefined_p_is_no_test(cases: Callable[[str], dict[str, Case]]) -> None:
    p = np.array(cases("reports")["nan-p-spreads"]["input"]["p"], dtype=float)
    nan = float("nan")
    assert stats.adjust_p(p, method="bh").tolist() == pytest.approx([0.02, nan, 0.03], abs=1e-15, nan_ok=True)
    case = cases("oracles")["nan-policy-bh"]
    expected = [nan if value is None else value for value in case["expected"]["bh_over_defined"]]
    assert stats.adjust_p(p, method="bh").tolist() == pytest.approx(expected, abs=case["tol"], nan_ok=True)
    for method in METHODS:
        assert np.isnan(stats.adjust_p([nan, nan], method=method)).all()
        assert stats.adjust_p([], method=method).tolist() == []


@settings(max_examples=15, deadline=None)  # statsmodels takes 0.07 s for Holm
@given(p_values)
def test_statsmodels_says_the_same(p: list[float]) -> None:
    for ours, theirs in METHODS.items():
        assert stats.adjust_p(p, method=ours) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


@given(st.lists(st.integers(1, 40).map(lambda n: n / 40), min_size=1, max_size=6))
def test_hommel_is_closed_testing_with_simes(p: list[float]) -> None:
    """The definition: the largest Simes p-value of all sets of hypotheses that hold this one."""

    def simes(subset: tuple[int, ...]) -> float:
        ordered = sorted(p[i] for i in subset)
        return min(len(ordered) * value / rank for rank, value in enumerate(ordered, start=1))

    everything = range(len(p))
    subsets = list(chain.from_iterable(combinations(everything, size) for size in range(1, len(p) + 1)))
    closed = [max(simes(subset) for subset in subsets if i in subset) for i in everything]
    assert stats.adjust_p(p, method="hommel").tolist() == pytest.approx(closed, abs=1e-12)


def test_adjustment_checks_its_input() -> None:
    with pytest.raises(
        OptionError, match=r"there is no method of adjustment 'fdr'; .*allowed: holm, bonferroni, hommel, bh, by"
    ):
        stats.adjust_p([0.1], method="fdr")
    with pytest.raises(AccordError, match=r"values outside \[0, 1\]"):
        stats.adjust_p([1.2])
    with pytest.raises(ShapeError, match=r"shape \(1, 1\)"):
        stats.adjust_p([[0.1]])


def three_metrics() -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(12, 1)) + rng.normal(size=(12, 80))
    noise = rng.normal(size=(2, 12, 80))
    return {"near": human + 0.5 * noise[0], "far": human + 4 * noise[1], "nearly": human + 0.52 * noise[0]}, human


def test_pairs_of_metrics_are_tidy_rows() -> None:
    metrics, human = three_metrics()
    frame = stats.compare(metrics, human, resamples=199, rng=1)
    assert list(frame.columns) == COLUMNS
    assert list(zip(frame["metric_a"], frame["metric_b"], strict=True)) == [
        ("near", "far"),
        ("near", "nearly"),
        ("far", "nearly"),
    ]
    estimates = {name: float(stats.correlation(scores, human)) for name, scores in metrics.items()}
    for row in frame.to_dict("records"):
        assert row["difference"] == pytest.approx(estimates[row["metric_a"]] - estimates[row["metric_b"]], abs=1e-15)
        assert row["low"] <= row["difference"] <= row["high"]
    assert frame["p"].iloc[0] == 1 / 200  # no replicate is as far off: never 0
    assert frame["p_adjusted"].tolist() == pytest.approx(stats.adjust_p(frame["p"]).tolist())
    assert set(frame["test"]) == {"permutation over systems and items"}
    told = {
        unit: set(stats.compare(metrics, human, resamples=9, test="bootstrap", unit=unit)["test"])
        for unit in ("items", "systems", "both")
    }
    assert told == {
        "items": {"bootstrap over items"},
        "systems": {"bootstrap over systems"},
        "both": {"bootstrap over systems and items, corrected"},
    }


def test_p_by_hand() -> None:
    """Replicates of the difference 0.3 are 0.3, 0, 0.7, -0.1: distances 0, 0.3, 0.4, 0.4 against 0.3 make three hits of four."""
    replicates = stats.Replicates(
        ("a", "b"), ("spearman",), "item", "item", "items", np.array([[0.5, 0.2]]),
        np.array([[[0.5, 0.2, 0.8, 0.1, np.nan], [0.2, 0.2, 0.1, 0.2, 0.2]]]), (), 0,
    )  # fmt: skip
    row = stats.difference_rows(replicates).iloc[0]
    assert row["p"] == (3 + 1) / (4 + 1)  # the undefined replicate does not count


def test_equal_metrics_do_not_differ_and_undefined_ones_are_no_test() -> None:
    metrics, human = three_metrics()
    scores = {"one": metrics["near"], "same": 2 * metrics["near"], "flat": np.zeros_like(human)}
    frame = stats.compare(scores, human, resamples=50, level="system", coefficient="kendall")
    assert frame["p"].tolist() == pytest.approx([1.0, np.nan, np.nan], nan_ok=True)
    assert frame["p_adjusted"].tolist() == pytest.approx([1.0, np.nan, np.nan], nan_ok=True)
    assert frame[["difference", "low", "high"]].iloc[1].isna().all()


def test_adjustment_is_within_a_coefficient() -> None:
    metrics, human = three_metrics()
    replicates = stats.resample(metrics, human, coefficients=("pearson", "kendall"), resamples=99)
    frame = stats.difference_rows(replicates, adjust="bonferroni")
    for _, rows in frame.groupby("coefficient"):
        assert rows["p_adjusted"].tolist() == pytest.approx(np.minimum(3 * rows["p"], 1.0).tolist())


def test_a_single_metric_has_nothing_to_be_compared_with() -> None:
    metrics, human = three_metrics()
    frame = stats.compare({"near": metrics["near"]}, human, resamples=5)
    assert len(frame) == 0
    assert list(frame.columns) == COLUMNS


def test_both_tests_have_the_same_differences_and_intervals() -> None:
    metrics, human = three_metrics()
    for unit in ("items", "both"):
        frames = [
            stats.compare(metrics, human, test=test, unit=unit, resamples=99, rng=3)
            for test in ("permutation", "bootstrap")
        ]
        for column in ("metric_a", "metric_b", "difference", "low", "high"):
            assert frames[0][column].tolist() == frames[1][column].tolist()


def test_p_of_permutations_stands_in_the_rows_of_replicates() -> None:
    metrics, human = three_metrics()
    coefficients = ("pearson", "kendall")
    replicates = stats.resample(metrics, human, coefficients=coefficients, resamples=20)
    permutations = stats.permute(metrics, human, coefficients=coefficients, resamples=50)
    frame = stats.difference_rows(replicates, permutations)
    assert frame["p"].tolist() == permutations.p.ravel().tolist()
    assert list(zip(frame["metric_a"], frame["metric_b"], strict=True)) == 2 * list(permutations.pairs)
    for name, rows in frame.groupby("coefficient"):
        c = coefficients.index(str(name))
        assert rows["difference"].tolist() == pytest.approx(permutations.differences[c].tolist(), abs=1e-12)
        assert rows["p_adjusted"].tolist() == stats.adjust_p(permutations.p[c]).tolist()
    other = stats.permute(metrics, human, coefficients="pearson", resamples=5)
    with pytest.raises(OptionError, match="replicates and permutations of different metrics"):
        stats.difference_rows(replicates, other)


def test_corrected_variance_by_hand() -> None:
    """Differences with one of 3 systems left out 0, 0.3, 0.6: their variance is 0.06, the jackknife's 2 * 0.06 = 0.12.

    Along systems -0.2, 0.2 (0.04), along items -0.1, 0.1 (0.01), both -0.3, 0.3 (0.09): outputs 0.09 - 0.04 - 0.01 = 0.04.
    0.12 + 0.01 - 0.04 = 0.09, which is less than the systems alone: 0.12.
    """
    zero = np.zeros(3)
    support = Support(
        {"systems": np.array([[[0.0, 0.3, 0.6], zero]])},
        {"systems": np.array([[[-0.2, 0.2], zero[:2]]]), "items": np.array([[[-0.1, 0.1], zero[:2]]])},
        {"systems": 3, "items": 5},
    )
    replicates = stats.Replicates(
        ("a", "b"), ("spearman",), "item", "item", "both", np.array([[0.3, 0.0]]), np.array([[[-0.3, 0.3], zero[:2]]]), (), 0,
        "corrected", None, support,
    )  # fmt: skip
    row = stats.difference_rows(replicates).iloc[0]
    freedom = 0.12**2 / (0.12**2 / 2 + 0.01**2 / 4)
    assert row["p"] == pytest.approx(2 * scipy.stats.t.sf(0.3 / np.sqrt(0.12), freedom))
    assert row["high"] == pytest.approx(0.3 + scipy.stats.t.ppf(0.975, freedom) * np.sqrt(0.12))


def test_a_test_that_does_not_exist_lists_those_that_do() -> None:
    metrics, human = three_metrics()
    with pytest.raises(OptionError, match="compare: there is no test 'williams'; allowed: permutation, bootstrap"):
        stats.compare(metrics, human, test="williams")
    with pytest.raises(OptionError, match="clusters with test='permutation'"):
        stats.compare(metrics, human, clusters=["a"] * 80)
    with pytest.raises(OptionError, match="there is no method of adjustment 'none'"):
        stats.compare(metrics, human, adjust="none")
