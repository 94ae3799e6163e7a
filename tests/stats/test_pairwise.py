"""Agreement on pairs of outputs: published values, plain loops beside, the exact calibration of ties, symmetries, mistakes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError
from validate.schema import FloatArray, ScoreMatrix
from validate.stats import tie_calibration
from validate.stats.pair_tables import TIE_VARIANTS, one_group

Case = dict[str, Any]
Group = tuple[FloatArray, FloatArray]


def plain_counts(
    metric: FloatArray, human: FloatArray, threshold: float = 0.0, human_threshold: float = 0.0
) -> list[int]:
    """The five counts by looking at every pair; scores on a grid, so that a small slack is exact."""
    counts = [0] * 5
    for i, j in combinations(range(len(metric)), 2):
        dm, dh = metric[i] - metric[j], human[i] - human[j]
        tied, tied_human = abs(dm) <= threshold + 1e-9, dh == 0 or abs(dh) < human_threshold - 1e-9
        kind = 4 if tied and tied_human else 3 if tied else 2 if tied_human else 0 if dm * dh > 0 else 1
        counts[kind] += 1
    return counts


def groups_of(metric: FloatArray, human: FloatArray, grouping: str) -> list[Group]:
    """The outputs with both scores, group by group."""
    sides = {"none": [(metric.ravel(), human.ravel())], "system": list(zip(metric, human, strict=True))}
    sides["item"] = list(zip(metric.T, human.T, strict=True))
    kept = [(m, h, ~np.isnan(m) & ~np.isnan(h)) for m, h in sides[grouping]]
    return [(m[both], h[both]) for m, h, both in kept]


def plain_accuracy(groups: list[Group], threshold: float) -> float:
    counts = [plain_counts(m, h, threshold) for m, h in groups if len(m) > 1]
    return float(np.mean([(c[0] + c[4]) / sum(c) for c in counts])) if counts else float("nan")


def plain_calibration(groups: list[Group]) -> tuple[float, float]:
    """The highest accuracy over all distances there are, and the smallest distance that reaches it."""
    distances = {0.0} | {abs(float(a) - float(b)) for m, _ in groups for a, b in combinations(m, 2)}
    reached = [(plain_accuracy(groups, distance), distance) for distance in sorted(distances)]
    most = max(accuracy for accuracy, _ in reached)
    return next((accuracy, distance) for accuracy, distance in reached if accuracy >= most - 1e-12)


quarters = st.one_of(st.integers(0, 12).map(lambda n: n / 4), st.just(np.nan))
likert = st.one_of(st.integers(1, 4).map(float), st.just(np.nan))


@st.composite
def studies(draw: Any) -> Group:
    n_systems, n_items = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    cells = n_systems * n_items
    sides = [draw(st.lists(scores, min_size=cells, max_size=cells)) for scores in (quarters, likert)]
    return tuple(np.array(side).reshape(n_systems, n_items) for side in sides)  # type: ignore[return-value]


def test_published_agreement(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("oracles")["mtme-agreement"]
    counts = stats.pair_counts(case["input"]["metric"], case["input"]["gold"])
    assert [counts.concordant + counts.tied_both, counts.n] == case["expected"]


def test_published_variants_and_calibration(cases: Callable[[str], dict[str, Case]]) -> None:
    case = cases("oracles")["mtme-tau-variants"]
    gold, metric, expected = case["input"]["gold"], case["input"]["metric"], case["expected"]
    assert stats.pair_counts(metric, gold).kendall("23") == pytest.approx(expected["23"], abs=case["tol"])
    assert stats.pair_counts(metric, gold).accuracy == pytest.approx(expected["acc23"], abs=case["tol"])
    two = stats.pair_counts(metric, gold, tie_threshold=2.0)  # a difference of exactly 2 is a tie
    assert two.accuracy == pytest.approx(expected["acc23_eps2"], abs=case["tol"])
    metric, gold = (np.array(side, dtype=float)[:, None] for side in (metric, gold))
    best = stats.pairwise_accuracy(metric, gold)
    assert (best.value, best.threshold) == pytest.approx((expected["acc_eq"], expected["best_eps"]), abs=case["tol"])


def test_hand_worked_counts() -> None:
    # pairs 12: tied in the metric; 13: both up; 14: metric up, people down; 23: both up; 24: metric up, people tied; 34: up, down
    counts = stats.pair_counts([1, 1, 2, 3], [2, 1, 3, 1])
    assert counts == type(counts)(concordant=2, discordant=2, tied_human=1, tied_metric=1, tied_both=0)
    assert counts.accuracy == pytest.approx(2 / 6)
    assert stats.pair_counts([1, 1, np.nan], [1, 1, 1]).tied_both == 1
    assert np.isnan(stats.pair_counts([1], [1]).accuracy)
    assert np.isnan(stats.pair_counts([1, 2], [1, 1]).kendall("13"))


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system", "none"]), st.integers(0, 12).map(lambda n: n / 4))
def test_any_threshold_gives_what_a_loop_over_pairs_gives(study: Group, grouping: str, threshold: float) -> None:
    metric, human = study
    estimate = stats.pairwise_accuracy(metric, human, grouping=grouping, tie_threshold=threshold)
    groups = groups_of(metric, human, grouping)
    assert estimate.value == pytest.approx(plain_accuracy(groups, threshold), abs=1e-12, nan_ok=True)
    assert estimate.threshold == threshold
    assert np.isnan(estimate.value) == bool(estimate.reason) or estimate.n_undefined > 0


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system", "none"]), st.booleans())
def test_calibration_finds_the_nearest_of_all_maxima(study: Group, grouping: str, cut: bool) -> None:
    metric, human = study
    few = tie_calibration.FEW_PAIRS
    tie_calibration.FEW_PAIRS = 3 if cut else few  # so that small studies go through the search, too
    try:
        estimate = stats.pairwise_accuracy(metric, human, grouping=grouping)
    finally:
        tie_calibration.FEW_PAIRS = few
    groups = groups_of(metric, human, grouping)
    if any(len(m) > 1 for m, _ in groups):
        accuracy, threshold = plain_calibration(groups)
        assert (estimate.value, estimate.threshold) == pytest.approx((accuracy, threshold), abs=1e-12)
    else:
        assert np.isnan(estimate.value)


@pytest.mark.parametrize("few", [8, 2**17])
def test_calibration_of_many_real_values(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """All 4,950 pairs of 100 outputs sorted by distance, gains and losses summed up."""
    monkeypatch.setattr(tie_calibration, "FEW_PAIRS", few)
    rng = np.random.default_rng(4)
    human = rng.integers(0, 3, size=100).astype(float)
    metric = human + rng.normal(size=100)
    first, second = np.triu_indices(100, 1)
    distance, dh = metric[first] - metric[second], human[first] - human[second]
    order = np.argsort(np.abs(distance))
    gain = np.where(dh == 0, 1, np.where(distance * dh > 0, -1, 0))[order]
    best = int(np.argmax(np.cumsum(gain)))
    found = stats.pairwise_accuracy(metric[:, None], human[:, None])
    assert found.threshold == np.abs(distance)[order[best]]
    alike = (distance * dh > 0).sum()
    assert found.value == pytest.approx((alike + np.cumsum(gain)[best]) / len(first), abs=1e-15)


def test_distances_that_are_equal_in_exact_arithmetic_are_one() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 and 0.1 - 0 differ in their last bits; people see ties between neighbours 0 1 and 2 3, not 1 2
    metric = np.array([[0.0], [0.1], [0.2], [0.3]])
    human = np.array([[1.0], [1.0], [2.0], [2.0]])
    # tied up to 0.1: both human ties right, the pair 1 2 wrong, three agree: 5 of 6; else 4 of 6
    found = stats.pairwise_accuracy(metric, human)
    assert (found.value, found.threshold) == pytest.approx((5 / 6, 0.1), abs=1e-12)
    assert stats.pairwise_accuracy(metric, human, tie_threshold=0.1).value == found.value
    assert stats.pairwise_accuracy(metric, human, tie_threshold=found.threshold).value == found.value


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system", "none"]), st.randoms(use_true_random=False))
def test_order_direction_and_unit_do_not_matter(study: Group, grouping: str, random: Any) -> None:
    metric, human = study
    plain = stats.pairwise_accuracy(metric, human, grouping=grouping)
    rows, cols = (np.array(random.sample(range(n), n)) for n in metric.shape)
    shuffled = stats.pairwise_accuracy(metric[rows][:, cols], human[rows][:, cols], grouping=grouping)
    turned = stats.pairwise_accuracy(-metric, -human, grouping=grouping)
    doubled = stats.pairwise_accuracy(2 * metric, human**3, grouping=grouping)  # people's scores count by order alone
    for other, factor in ((shuffled, 1), (turned, 1), (doubled, 2)):
        assert other.value == pytest.approx(plain.value, abs=1e-12, nan_ok=True)
        assert other.threshold == pytest.approx(factor * plain.threshold, abs=1e-12)


def test_a_metric_without_ties_is_helped_and_one_that_knows_ties_is_not() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(1, 4, size=(8, 30)).astype(float)
    assert stats.pairwise_accuracy(human, human).value == 1.0
    assert stats.pairwise_accuracy(human, human).threshold == 0.0
    smeared = human + rng.uniform(-0.4, 0.4, size=human.shape)
    assert (
        stats.pairwise_accuracy(smeared, human, tie_threshold=0.0).value < stats.pairwise_accuracy(smeared, human).value
    )


def test_groups_without_pairs_are_left_out_and_told() -> None:
    nan = np.nan
    metric = np.array([[1.0, 1.0, nan], [2.0, nan, nan], [3.0, nan, 1.0]])
    human = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 1.0], [3.0, 2.0, 1.0]])
    estimate = stats.pairwise_accuracy(metric, human, tie_threshold=0.0)
    assert (estimate.value, estimate.n, estimate.n_dropped, estimate.n_groups, estimate.n_undefined) == (
        1.0,
        5,
        4,
        3,
        2,
    )
    assert estimate.reason == "2 of 3 items left out: fewer than two outputs in 2"
    ties = stats.wmt_kendall(metric, np.ones((3, 3)), variant="13")
    assert np.isnan(ties.value)
    assert ties.reason == "3 of 3 items left out: fewer than two outputs in 2, no pair enters in 1"
    pooled = stats.pairwise_accuracy(np.full((2, 2), nan), human[:2, :2], grouping="none")
    assert np.isnan(pooled.value)
    assert pooled.reason == "fewer than two outputs"


def test_labels_and_directions_are_those_of_correlation() -> None:
    rng = np.random.default_rng(1)
    values, human = rng.normal(size=(4, 5)), rng.integers(0, 3, size=(4, 5)).astype(float)
    judged = ScoreMatrix("human", human, tuple("abcd"), tuple("vwxyz"))
    errors = ScoreMatrix("errors", -values[[2, 0, 1, 3]], tuple("cabd"), tuple("vwxyz"), higher_is_better=False)
    assert stats.pairwise_accuracy(errors, judged).value == stats.pairwise_accuracy(values, human).value


# ---- WMT's variants


@settings(max_examples=40)
@given(
    studies(),
    st.sampled_from(sorted(TIE_VARIANTS)),
    st.sampled_from(["item", "system", "none"]),
    st.sampled_from([0.0, 0.5]),
)
def test_variants_give_what_a_loop_over_pairs_gives(
    study: Group, variant: str, grouping: str, threshold: float
) -> None:
    metric, human = study
    taus = []
    for m, h in groups_of(metric, human, grouping):
        c, d, tied_human, tied_metric, both = plain_counts(m, h, threshold)
        above, below = {
            "10": (c - d - tied_metric, c + d + tied_metric),
            "13": (c - d, c + d),
            "14": (c - d, c + d + tied_metric),
            "23": (c + both - d - tied_human - tied_metric, c + d + tied_human + tied_metric + both),
        }[variant]
        taus += [above / below] if below else []
    found = stats.wmt_kendall(metric, human, variant=variant, grouping=grouping, tie_threshold=threshold)
    assert found.value == pytest.approx(np.mean(taus) if taus else np.nan, abs=1e-12, nan_ok=True)


def test_the_variant_of_2023_is_twice_the_accuracy_less_one() -> None:
    rng = np.random.default_rng(2)
    human = rng.integers(0, 4, size=(6, 9)).astype(float)
    metric = human + rng.normal(size=human.shape)
    tau, accuracy = stats.wmt_kendall(metric, human, tie_threshold="calibrate"), stats.pairwise_accuracy(metric, human)
    assert (tau.value, tau.threshold) == pytest.approx((2 * accuracy.value - 1, accuracy.threshold), abs=1e-12)


@pytest.mark.parametrize("variant", sorted(TIE_VARIANTS))
def test_one_array_a_side(variant: str) -> None:
    metric, human = [1.0, 1.0, 2.0, 3.0, np.nan], [2.0, 1.0, 3.0, 1.0, 2.0]
    found = stats.kendall(metric, human, variant=variant)
    # C = 2, D = 2, H = 1, M = 1 as above
    assert found.value == pytest.approx({"10": -1 / 5, "13": 0.0, "14": 0.0, "23": -2 / 6}[variant])
    assert (found.n, found.n_dropped) == (4, 1)
    assert stats.kendall([1.0], [1.0], variant=variant).reason == "fewer than two pairs"


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system", "none"]), st.integers(0, 3))
def test_kendall_like_counts_clear_pairs_of_all_groups_together(study: Group, grouping: str, threshold: int) -> None:
    metric, human = study
    counts = np.sum([plain_counts(m, h, 0.0, float(threshold)) for m, h in groups_of(metric, human, grouping)], axis=0)
    c, d, _, tied_metric, _ = counts
    found = stats.kendall_like(metric, human, human_threshold=threshold, grouping=grouping)
    expected = (c - d - tied_metric) / (c + d + tied_metric) if c + d + tied_metric else np.nan
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert bool(found.reason) == np.isnan(found.value)


def test_a_difference_of_exactly_the_threshold_is_clear() -> None:
    metric, human = np.array([[1.0], [2.0]]), np.array([[50.0], [75.0]])
    assert stats.kendall_like(metric, human).value == 1.0
    close = stats.kendall_like(metric, human - [[0.0], [0.1]])
    assert np.isnan(close.value)
    assert close.reason == "no pair of human scores at least 25 apart"
    # 0.3 - 0.1 is a little less than 0.2 in floating point
    assert stats.kendall_like(metric, np.array([[0.1], [0.3]]), human_threshold=0.2).value == 1.0


# ---- Pearson of differences


@settings(max_examples=40)
@given(studies(), st.sampled_from(["item", "system", "none"]))
def test_pearson_of_all_differences_in_both_orders(study: Group, grouping: str) -> None:
    metric, human = study
    both = [
        (m[i] - m[j], h[i] - h[j])
        for m, h in groups_of(metric, human, grouping)
        for i in range(len(m))
        for j in range(len(m))
        if i != j
    ]
    found = stats.pairwise_difference_pearson(metric, human, grouping=grouping)
    expected = float(stats.pearson(*np.array(both).T)) if both else np.nan
    assert found.value == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert bool(found.reason) == np.isnan(found.value)


def test_pearson_of_differences_without_groups_is_pearson_and_ignores_hard_items() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(5, 7))
    metric = human + rng.normal(size=human.shape)
    pooled = stats.pairwise_difference_pearson(metric, human, grouping="none")
    assert pooled.value == pytest.approx(float(stats.pearson(metric.ravel(), human.ravel())), abs=1e-14)
    hard = 10 * rng.normal(size=(1, 7))
    by_item = stats.pairwise_difference_pearson(metric + hard, human - hard)
    assert by_item.value == pytest.approx(stats.pairwise_difference_pearson(metric, human).value, abs=1e-12)
    assert stats.pairwise_difference_pearson(np.ones((5, 7)) * hard, human).reason == "metric constant"


# ---- per point, and mistakes


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25))
def test_concordance_of_each_point(points: list[tuple[int, int]]) -> None:
    from validate.stats._pair_kernels import concordance

    x, y = np.array(points, dtype=float).T
    table = one_group(x, y)
    found = np.empty(len(x))
    found[table.points.col] = concordance(table.points, len(table.level_values))
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    assert found.tolist() == signs.sum(axis=1).tolist()


def test_mistakes_are_named() -> None:
    scores = np.arange(6.0).reshape(3, 2)
    with pytest.raises(OptionError, match=r"pairwise_accuracy: there is no grouping 'segment'; .*none, item, system"):
        stats.pairwise_accuracy(scores, scores, grouping="segment")
    with pytest.raises(OptionError, match=r"tie_threshold='auto' was given; allowed: 'calibrate' or a number"):
        stats.pairwise_accuracy(scores, scores, tie_threshold="auto")
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(OptionError, match=r"tie_threshold=.* was given; allowed: a number from 0 up"):
            stats.pairwise_accuracy(scores, scores, tie_threshold=wrong)
    with pytest.raises(OptionError, match=r"wmt_kendall: there is no variant '2023'; did you mean '23'"):
        stats.wmt_kendall(scores, scores, variant="2023")
    with pytest.raises(OptionError, match=r"tie_threshold='calibrate' was given; allowed: a number for variant '14'"):
        stats.wmt_kendall(scores, scores, variant="14", tie_threshold="calibrate")
    with pytest.raises(OptionError, match=r"'human scores' has one score a system .*stats.correlation"):
        stats.pairwise_accuracy(scores, scores[:, :1])
    with pytest.raises(ShapeError, match="pair_counts: arrays of shapes"):
        stats.pair_counts([1, 2], [1])
    with pytest.raises(AccordError, match="infinite"):
        stats.pairwise_accuracy(scores, np.where(scores > 4, np.inf, scores))


@pytest.mark.slow
def test_calibration_of_ten_million_pairs_against_sorting_them_all() -> None:
    rng = np.random.default_rng(6)
    human = rng.integers(0, 5, size=4500).astype(float)
    metric = human + 2 * rng.normal(size=4500)
    first, second = np.triu_indices(4500, 1)
    distance, dh = metric[first] - metric[second], human[first] - human[second]
    order = np.argsort(np.abs(distance))
    gained = np.cumsum(np.where(dh == 0, 1, np.where(distance * dh > 0, -1, 0))[order])
    found = stats.pairwise_accuracy(metric[:, None], human[:, None])
    assert found.threshold == np.abs(distance)[order[int(np.argmax(gained))]] > 0
    assert found.value == pytest.approx(((distance * dh > 0).sum() + gained.max()) / len(first), abs=1e-15)
