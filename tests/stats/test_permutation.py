"""The permutation test: every kernel against a plain twin that swaps the scores and calls scipy, and what p has to be."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from validate import stats
from validate.errors import OptionError
from validate.schema import FloatArray, ScoreMatrix
from validate.stats.panel import panel
from validate.stats.permutation import draw_swaps, swaps_of
from validate.stats.swaps import standardised
from validate.stats.system_swaps import contributions

COEFFICIENTS = ("pearson", "spearman", "kendall")
LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
UNITS = ("both", "items", "systems")
Z = ("z-score",) * 3
PEERS: dict[str, Callable[..., Any]] = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def plain_coefficient(x: FloatArray, y: FloatArray, name: str) -> float:
    """scipy's, over the pairs where both sides are there; NaN where undefined."""
    kept = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[kept], y[kept]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    return float(PEERS[name](x, y).statistic)


def plain_mean(cells: list[float]) -> float:
    defined = [cell for cell in cells if not np.isnan(cell)]
    return float(np.mean(defined)) if defined else float("nan")


def plain_standardised(metric: FloatArray, human: FloatArray) -> FloatArray:
    """z-scores over the cells where both sides are there; rounded, so that ties of the two metrics are ties."""
    scores = np.where(np.isnan(human), np.nan, metric)
    there = scores[~np.isnan(scores)]
    if not len(there) or there.std() < 1e-12:
        return np.where(np.isnan(scores), np.nan, 0.0)
    rounded: FloatArray = np.round((scores - there.mean()) / there.std(), 12)
    return rounded


def plain_difference(
    first: FloatArray, second: FloatArray, human: FloatArray, swap: Any, name: str, layout: tuple[str, str]
) -> float:
    """The twin: exchange the standardised scores where ``swap`` (n_systems, n_items) says so and both are there, and correlate both."""
    both = swap & ~np.isnan(first) & ~np.isnan(second)
    sides = np.where(both, second, first), np.where(both, first, second)
    values = []
    for side in sides:
        there = ~np.isnan(side) & ~np.isnan(human)
        if layout[0] == "system":
            count = np.maximum(there.sum(axis=1), 1)
            means = [np.round(np.where(there, a, 0).sum(axis=1) / count, 9) for a in (side, human)]
            x, y = (np.where(there.any(axis=1), mean, np.nan) for mean in means)
            values.append(plain_coefficient(x, y, name))
        elif layout[1] == "none":
            values.append(plain_coefficient(side.ravel(), human.ravel(), name))
        else:
            groups = zip(side.T, human.T, strict=True) if layout[1] == "item" else zip(side, human, strict=True)
            values.append(plain_mean([plain_coefficient(a, b, name) for a, b in groups]))
    return values[0] - values[1]


def held(matrix: FloatArray, name: str) -> ScoreMatrix:
    systems, items = (tuple(map(str, range(n))) for n in matrix.shape)
    return ScoreMatrix(name, matrix, systems, items)


def mask_rows(swap: Any, unit: str, layout: tuple[str, str]) -> Any:
    """(n_rows + 1, 1) masks of one permutation; cells stand by item, at system level by system."""
    rows = {"both": swap.ravel() if layout[0] == "system" else swap.T.ravel(), "items": swap[0], "systems": swap[:, 0]}
    return np.append(rows[unit], False).astype(np.uint8)[:, None]


@st.composite
def studies(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """Two metrics and human scores on a few systems and items, with ties and holes, and what is swapped."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 5)))
    tenths = st.one_of(
        st.integers(-2, 4).map(lambda n: n / 10), st.just(np.nan), st.integers(-40, 40).map(lambda n: n / 10)
    )
    first, second, human = (draw(arrays(np.float64, shape, elements=tenths)) for _ in range(3))
    return first, second, human, draw(arrays(np.bool_, shape))


@settings(max_examples=40, deadline=None)
@given(studies())
def test_kernels_equal_swapped_scores(study: tuple[FloatArray, FloatArray, FloatArray, Any]) -> None:
    first, second, human, cells = study
    laid = panel("test", [held(first, "a"), held(second, "b")], held(human, "h"))
    kept = [~np.isnan(metric) & ~np.isnan(human) for metric in (first, second)]  # the panel drops what never meets
    rows, cols = (np.flatnonzero((kept[0] | kept[1]).any(axis=axis)) for axis in (1, 0))
    if len(rows):
        first, second, human, cells = (array[np.ix_(rows, cols)] for array in (first, second, human, cells))
    scores = [plain_standardised(metric, human) for metric in (first, second)]
    for unit, layout in product(UNITS, LAYOUTS):
        if (unit, layout[0]) == ("systems", "system"):
            continue  # whole scores are standardised there: a test of its own
        swap = {"both": cells, "items": cells[:1] & np.ones_like(cells), "systems": cells[:, :1] & np.ones_like(cells)}[
            unit
        ]
        found = swaps_of(laid, COEFFICIENTS, *layout, unit, Z)(mask_rows(swap, unit, layout))
        twin = [plain_difference(*scores, human, swap, name, layout) for name in COEFFICIENTS]
        assert found[:, 0, 0].tolist() == pytest.approx(twin, abs=1e-8, nan_ok=True), (layout, unit)


def study_of(
    n_systems: int, n_items: int, *, holes: float = 0.0, tied: bool = False
) -> tuple[list[FloatArray], FloatArray]:
    """Three metrics of falling quality."""
    rng = np.random.default_rng(3)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    human = np.round(latent + rng.normal(size=latent.shape), 1)
    metrics = [latent + noise * rng.normal(size=latent.shape) for noise in (1, 1.5, 2)]
    if tied:
        metrics = [np.round(metric) for metric in metrics]
    for metric in metrics[1:]:
        metric[rng.random(latent.shape) < holes] = np.nan
    return metrics, human


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("holes", "tied"), [(0.0, False), (0.0, True), (0.2, False), (0.2, True)])
def test_larger_groups_and_many_lanes_equal_the_twin(layout: tuple[str, str], holes: float, tied: bool) -> None:
    """70 systems: groups beyond those whose signs are kept pair by pair, too."""
    for n_systems, n_items in ((9, 12), (70, 3)):
        metrics, human = study_of(n_systems, n_items, holes=holes, tied=tied)
        laid = panel("test", metrics, human)
        found = swaps_of(laid, COEFFICIENTS, *layout, "both", Z)
        masks = draw_swaps(found.n_rows, 3, np.random.default_rng(0))
        values = found(masks)
        scores = [plain_standardised(metric, human) for metric in metrics]
        for pair, (a, b) in enumerate(combinations(range(3), 2)):
            for lane in range(3):
                cells = masks[:-1, lane].astype(bool)
                swap = cells.reshape(n_systems, n_items) if layout[0] == "system" else cells.reshape(n_items, -1).T
                twin = [plain_difference(scores[a], scores[b], human, swap, name, layout) for name in COEFFICIENTS]
                assert values[:, pair, lane].tolist() == pytest.approx(twin, abs=1e-8, nan_ok=True)


def test_whole_systems_swap_standardised_system_scores() -> None:
    metrics, human = study_of(7, 5, holes=0.1)
    laid = panel("test", metrics[:2], human)
    found = swaps_of(laid, COEFFICIENTS, "system", "none", "systems", Z)
    masks = draw_swaps(7, 20, np.random.default_rng(1))
    judged = [~np.isnan(metric) for metric in metrics[:2]]
    means = [np.nanmean(metric, axis=1) for metric in metrics[:2]]
    scores = [(mean - mean.mean()) / mean.std() for mean in means]
    people = [np.where(mask, human, 0).sum(axis=1) / mask.sum(axis=1) for mask in judged]
    for lane, values in enumerate(np.moveaxis(found(masks)[:, 0], 1, 0)):
        swap = masks[:-1, lane].astype(bool)
        x, y = np.where(swap, scores[1], scores[0]), np.where(swap, scores[0], scores[1])
        twin = [plain_coefficient(x, people[0], n) - plain_coefficient(y, people[1], n) for n in COEFFICIENTS]
        assert values.tolist() == pytest.approx(twin, abs=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("partial", ["judged", "all"])
def test_without_a_swap_it_is_the_reported_difference(layout: tuple[str, str], partial: str) -> None:
    metrics, human = study_of(8, 6, holes=0.2, tied=True)
    human[0, :2] = np.nan
    corpus = counted(metrics[0])
    for unit in UNITS:
        for name in COEFFICIENTS:
            options: dict[str, Any] = {"level": layout[0], "grouping": layout[1], "partial": partial}
            test = stats.permute([corpus, *metrics], human, coefficients=name, unit=unit, resamples=5, **options)
            points = [float(stats.correlation(m, human, coefficient=name, **options)) for m in (corpus, *metrics)]
            twin = [a - b for a, b in combinations(points, 2)]
            assert test.differences[0].tolist() == pytest.approx(twin, abs=1e-12), unit


def counted(values: FloatArray) -> ScoreMatrix:
    """A metric that is a ratio of sums, a length-weighted mean of items."""
    lengths = np.random.default_rng(1).integers(5, 50, size=values.shape).astype(float)
    statistics = np.stack([values * lengths, lengths], axis=2)
    statistics[np.isnan(values)] = np.nan
    labels = tuple(map(str, range(values.shape[0]))), tuple(map(str, range(values.shape[1])))
    return ScoreMatrix("corpus", values, *labels, statistics=statistics, divide=lambda s: s[..., 0] / s[..., 1])


def test_contributions_to_a_corpus_score() -> None:
    """Two outputs of lengths 1 and 3 with scores 4 and 0: the ratio is 1, without the first 0, without the second 4.

    Pseudo-values 2 - 0 = 2 and 2 - 4 = -2 have mean 0 and are moved to the mean 1. A lone output contributes the score.
    """
    values = np.array([[4.0, 0.0], [2.0, np.nan]])
    lengths = np.array([[1.0, 3.0], [2.0, np.nan]])
    matrix = ScoreMatrix(
        "m", values, ("s", "t"), ("i", "j"), statistics=np.stack([values * lengths, lengths], axis=2),
        divide=lambda s: s[..., 0] / s[..., 1],
    )  # fmt: skip
    side = panel("test", matrix, values).metrics[0]
    found = contributions(side, side.defined)
    assert found[0].tolist() == [3.0, -1.0]
    assert found[1].tolist() == pytest.approx([2.0, np.nan], nan_ok=True)


def test_p_of_all_swaps_by_hand() -> None:
    """Two items, swapped or not, each way as likely. By item: +1 and +1 against -1 and -1, a difference of 2, or with one swap 0.

    |2| is reached with none and with both swapped: p tends to 1/2.
    """
    human = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    for name in COEFFICIENTS:
        test = stats.permute([human, -human], human, coefficients=name, unit="items", resamples=4000)
        assert test.differences[0, 0] == 2.0
        assert test.p[0, 0] == pytest.approx(0.5, abs=0.03)


def test_p_is_counted_from_the_differences() -> None:
    metrics, human = study_of(6, 8)
    test = stats.permute(metrics, human, coefficients=COEFFICIENTS, scale="z-score", resamples=300, rng=5)
    found = swaps_of(panel("test", metrics, human), COEFFICIENTS, "item", "item", "both", Z)
    streams = np.random.default_rng(5).spawn(3)
    masks = [draw_swaps(found.n_rows, n, stream) for n, stream in zip((128, 128, 44), streams, strict=True)]
    values = np.concatenate([found(mask) for mask in masks], axis=2)
    hits = (np.abs(values) >= np.abs(test.differences)[..., None] - 1e-13).sum(axis=2)
    assert test.p == pytest.approx((hits + 1) / 301)
    assert (test.p > 0).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_workers_change_no_byte_and_seeds_repeat(layout: tuple[str, str]) -> None:
    metrics, human = study_of(6, 9, holes=0.1)
    options: dict[str, Any] = {"coefficients": COEFFICIENTS, "level": layout[0], "grouping": layout[1]}
    runs = [stats.permute(metrics, human, resamples=400, rng=7, workers=n, **options) for n in (1, 1, 3)]
    assert {run.p.tobytes() for run in runs} == {runs[0].p.tobytes()}
    assert runs[0].seed == 7
    other = stats.permute(metrics, human, resamples=400, rng=8, **options)
    assert other.p.tobytes() != runs[0].p.tobytes()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_metric_does_not_differ_from_itself_in_other_units(layout: tuple[str, str]) -> None:
    metrics, human = study_of(6, 9, holes=0.1, tied=True)
    same = [metrics[1], 3 * metrics[1] + 7]
    options: dict[str, Any] = {"coefficients": COEFFICIENTS, "level": layout[0], "grouping": layout[1]}
    assert stats.permute(same, human, resamples=50, **options).p == pytest.approx(1.0)


def test_order_of_metrics_turns_the_sign_only() -> None:
    metrics, human = study_of(6, 9, holes=0.1)
    forth = stats.permute({"a": metrics[0], "b": metrics[1]}, human, resamples=200)
    back = stats.permute({"b": metrics[1], "a": metrics[0]}, human, resamples=200)
    assert forth.differences == pytest.approx(-back.differences)
    assert forth.p == pytest.approx(back.p)


def test_undefined_is_no_test() -> None:
    metrics, human = study_of(6, 9)
    test = stats.permute([metrics[0], np.zeros_like(human)], human, coefficients=COEFFICIENTS, resamples=20)
    assert np.isnan(test.p).all()
    given_scores = ScoreMatrix("given", human.mean(axis=1, keepdims=True), tuple("012345"), ("all",))
    for unit, defined in (("systems", True), ("items", False), ("both", False)):
        test = stats.permute({"m": metrics[0], "given": given_scores}, human, level="system", unit=unit, resamples=20)
        assert np.isnan(test.p[0, 0]) != defined


def test_ranks_make_shapes_alike() -> None:
    """A monotone transformation changes neither rank correlation nor ranks: nothing differs. Pearson's coefficient keeps its own scale."""
    metrics, human = study_of(6, 9)
    pair = [metrics[0], np.exp(2 * metrics[0])]
    test = stats.permute(pair, human, coefficients=("spearman", "pearson", "kendall"), grouping="none", resamples=50)
    assert test.scales == ("rank", "z-score", "rank")
    assert test.p[[0, 2], 0].tolist() == [1.0, 1.0]
    assert stats.permute(pair, human, coefficients="pearson", grouping="none", resamples=50).p[0, 0] == test.p[1, 0] < 1
    ranks = standardised(np.array([[1.0, 5.0, 5.0, np.nan]]), np.array([[True, True, True, False]]), "rank")
    assert ranks[0].tolist() == pytest.approx([0.5 / 3, 2 / 3, 2 / 3, np.nan], nan_ok=True)


def test_options_are_checked() -> None:
    metrics, human = study_of(6, 9)
    with pytest.raises(OptionError, match="permutation: there is no unit 'item'; did you mean 'items'"):
        stats.permute(metrics, human, unit="item")
    with pytest.raises(OptionError, match="there is no scale 'z'"):
        stats.permute(metrics, human, scale="z")
    for options in ({"coefficients": "pearson"}, {"level": "system"}):
        with pytest.raises(
            OptionError, match="scale='rank' was given; ranks keep only item-level Spearman and Kendall"
        ):
            stats.permute(metrics, human, scale="rank", **options)
    with pytest.raises(OptionError, match="resamples=0"):
        stats.permute(metrics, human, resamples=0)
    with pytest.raises(OptionError, match="has one score a system and none an item"):
        stats.permute(metrics, human.mean(axis=1, keepdims=True))


def test_memory_does_not_grow_with_resamples() -> None:
    metrics, human = study_of(8, 40)
    stats.permute(metrics, human, coefficients=COEFFICIENTS, resamples=2)  # whatever is compiled now is not measured
    peaks = []
    for resamples in (256, 2560):
        tracemalloc.start()
        stats.permute(metrics, human, coefficients=COEFFICIENTS, resamples=resamples, workers=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
