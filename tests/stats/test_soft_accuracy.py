"""Soft pairwise accuracy: all permutations enumerated, a plain loop beside, and that the order of systems cannot matter."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import stats
from validate.errors import OptionError
from validate.schema import FloatArray, ScoreMatrix
from validate.stats import soft_accuracy


def exact_p(a: FloatArray, b: FloatArray) -> float:
    """The share of all 2^n exchanges whose difference exceeds the observed one, equal ones counting half; whole numbers only."""
    drawn = np.array([sign @ (a - b) for sign in product((-1, 1), repeat=len(a))])
    observed = (a - b).sum()
    return float((drawn > observed).mean() + (drawn == observed).mean() / 2)


def exact_accuracy(metric: FloatArray, human: FloatArray) -> float:
    """One minus the mean difference of exact p-values, each pair on the items on which both systems have both scores."""
    differences = []
    for i, j in combinations(range(len(metric)), 2):
        both = ~np.isnan(metric[[i, j]] + human[[i, j]]).any(axis=0)
        if both.any():
            mine, theirs = (exact_p(side[i, both], side[j, both]) for side in (metric, human))
            differences.append(abs(mine - theirs))
    return 1 - float(np.mean(differences)) if differences else float("nan")


whole = st.one_of(st.integers(0, 3).map(float), st.just(np.nan))


@st.composite
def studies(draw: Any) -> tuple[FloatArray, FloatArray]:
    n_systems, n_items = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    sides = [draw(st.lists(whole, min_size=n_systems * n_items, max_size=n_systems * n_items)) for _ in range(2)]
    return tuple(np.array(side).reshape(n_systems, n_items) for side in sides)  # type: ignore[return-value]


@settings(max_examples=40)
@given(studies())
def test_many_permutations_approach_all_of_them(study: tuple[FloatArray, FloatArray]) -> None:
    metric, human = study
    found = stats.soft_pairwise_accuracy(metric, human, resamples=4000, rng=1)
    # half the draws decide: a p-value is within 5 standard errors of 0.5 / sqrt(2000), and there are two in a difference
    assert found.value == pytest.approx(exact_accuracy(metric, human), abs=0.08, nan_ok=True)
    assert np.isnan(found.value) <= bool(found.reason)


@settings(max_examples=40)
@given(studies(), st.randoms(use_true_random=False))
def test_the_order_of_systems_and_monotone_scales_change_no_digit(
    study: tuple[FloatArray, FloatArray], random: Any
) -> None:
    metric, human = (side / 10 for side in study)  # tenths are no binary fractions: sums differ in their last bits
    rows = np.array(random.sample(range(len(metric)), len(metric)))
    plain = stats.soft_pairwise_accuracy(metric, human, resamples=51, rng=3).value
    for other in ((metric[rows], human[rows]), (-metric, -human), (3 * metric + 1, human), (metric, human / 7)):
        assert stats.soft_pairwise_accuracy(*other, resamples=51, rng=3).value == pytest.approx(
            plain, abs=1e-15, nan_ok=True
        )


def test_a_plain_loop_over_the_same_draws_says_the_same() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(0, 5, size=(6, 40)).astype(float)
    metric = human + rng.integers(0, 9, size=human.shape)
    kept = np.random.default_rng(7).integers(0, 2, size=(40, 50), dtype=np.int8).T
    signs = np.vstack([2 * kept - 1, 1 - 2 * kept]).astype(float)
    differences = []
    for i, j in combinations(range(6), 2):
        p = []
        for side in (metric, human):
            drawn, observed = signs @ (side[i] - side[j]), (side[i] - side[j]).sum()
            p.append((drawn > observed).mean() + (drawn == observed).mean() / 2)
        differences.append(abs(p[0] - p[1]))
    found = stats.soft_pairwise_accuracy(metric, human, resamples=100, rng=7)
    assert found.value == pytest.approx(1 - np.mean(differences), abs=1e-12)
    assert (found.n, found.n_resamples, found.n_groups, found.seed) == (240, 100, 15, 7)


def test_sure_and_unsure() -> None:
    rng = np.random.default_rng(2)
    human = np.arange(5.0)[:, None] + rng.normal(size=(5, 200))
    assert stats.soft_pairwise_accuracy(human, human).value == 1.0
    assert stats.soft_pairwise_accuracy(human, 2 * human - 1).value == 1.0
    assert stats.soft_pairwise_accuracy(-human, human).value == pytest.approx(
        0.0, abs=0.01
    )  # every pair wrong, and surely
    # one that says nothing has p = 1/2 everywhere: half of what there is to gain, as a coin in pairwise accuracy
    assert stats.soft_pairwise_accuracy(np.ones_like(human), human).value == pytest.approx(0.5, abs=0.01)


def test_corpus_scores_are_divided_after_the_exchange() -> None:
    """A ratio of sums whose denominators are all alike is the mean; one whose are not is compared with its own loop."""
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 6, size=(4, 30)).astype(float)
    human = counts + rng.integers(0, 4, size=counts.shape)
    labels = (tuple("abcd"), tuple(map(str, range(30))))
    divide = lambda sums: sums[..., 0] / sums[..., 1]  # noqa: E731
    same = ScoreMatrix("m", counts, *labels, statistics=np.stack([counts, np.ones_like(counts)], 2), divide=divide)
    judged = ScoreMatrix("human", human, *labels)
    assert stats.soft_pairwise_accuracy(same, judged).value == stats.soft_pairwise_accuracy(counts, human).value

    lengths = rng.integers(1, 9, size=counts.shape).astype(float)
    ratio = ScoreMatrix("m", counts / lengths, *labels, statistics=np.stack([counts, lengths], 2), divide=divide)
    kept = np.random.default_rng(1).integers(0, 2, size=(30, 100), dtype=np.int8).T.astype(bool)
    kept, differences = np.vstack([kept, ~kept]), []
    for i, j in combinations(range(4), 2):
        drawn = []
        for mask in kept:
            a, b = ([np.where(mask, s[x], s[y]).sum() for s in (counts, lengths)] for x, y in ((i, j), (j, i)))
            drawn.append(a[0] / a[1] - b[0] / b[1])
        observed = counts[i].sum() / lengths[i].sum() - counts[j].sum() / lengths[j].sum()
        beyond = np.array(drawn) - observed
        mine = np.mean(beyond > 1e-12) + np.mean(np.abs(beyond) <= 1e-12) / 2
        swapped = np.where(kept, 1, -1) @ (human[i] - human[j])
        least = (human[i] - human[j]).sum()
        differences.append(abs(mine - (swapped > least).mean() - (swapped == least).mean() / 2))
    found = stats.soft_pairwise_accuracy(ratio, judged, resamples=200, rng=1)
    assert found.value == pytest.approx(1 - np.mean(differences), abs=1e-12)


def test_both_rules_of_partial_judgments() -> None:
    nan = np.nan
    human = np.array([[1.0, 2.0, nan, nan], [2.0, 3.0, nan, nan], [3.0, 4.0, nan, nan]])
    metric = np.array([[1.0, 2.0, 9.0, 9.0], [2.0, 3.0, 5.0, 5.0], [3.0, 4.0, 1.0, 1.0]])
    assert stats.soft_pairwise_accuracy(metric, human).value == 1.0  # on the judged items both sides are alike
    assert stats.soft_pairwise_accuracy(metric, human, partial="all").value < 0.8
    # the third system was judged on other items than the first two: one pair is left
    human[2] = [nan, nan, 1.0, 1.0]
    found = stats.soft_pairwise_accuracy(metric, human)
    assert (found.value, found.n_groups, found.n_undefined) == (1.0, 3, 2)
    assert found.reason == "2 of 3 pairs of systems left out: no common item"
    assert stats.soft_pairwise_accuracy(metric[:1], human[:1]).reason == "fewer than two systems"


def test_many_metrics_meet_the_same_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(7, 20))
    metrics = {name: human + rng.normal(size=human.shape) for name in "abc"}
    together = stats.soft_pairwise_accuracies(metrics, human, resamples=60, rng=4)
    for name, scores in metrics.items():
        alone = stats.soft_pairwise_accuracy(scores, human, resamples=60, rng=4)
        assert repr(together[name]) == repr(alone)  # no ==: NaN is not equal to NaN
    monkeypatch.setattr(soft_accuracy, "_CELLS", 1)  # one pair of systems at a time
    assert repr(stats.soft_pairwise_accuracies(metrics, human, resamples=60, rng=4)) == repr(together)


def test_mistakes_are_named() -> None:
    scores = np.arange(6.0).reshape(3, 2)
    with pytest.raises(OptionError, match=r"soft_pairwise_accuracy: resamples=0 was given"):
        stats.soft_pairwise_accuracy(scores, scores, resamples=0)
    with pytest.raises(OptionError, match=r"soft_pairwise_accuracy: 'human scores' has one score a system"):
        stats.soft_pairwise_accuracy(scores, scores[:, :1])
