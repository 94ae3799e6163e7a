"""Replicates: every kernel against a plain twin that writes the resampled data out, and what must not change a number."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
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
from validate.stats import grouping as groupings
from validate.stats.grouping import estimator
from validate.stats.panel import panel
from validate.stats.units import Crossed, draw

COEFFICIENTS = ("pearson", "spearman", "kendall")
LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
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


def exact_means(values: FloatArray, used: FloatArray) -> FloatArray:
    """Row means in exact arithmetic: equal fractions give equal floats."""
    means = []
    for row, mask in zip(values, used, strict=True):
        entering = [Fraction(value).limit_denominator(1000) for value in row[mask]]
        means.append(float(sum(entering, Fraction(0)) / len(entering)) if entering else np.nan)
    return np.array(means)


def plain(
    metric: FloatArray, human: FloatArray, w_items: Any, w_systems: Any, name: str, layout: tuple[str, str]
) -> float:
    """The twin: index the drawn copies one by one and correlate what lies there."""
    level, grouping = layout
    systems, items = np.repeat(np.arange(len(w_systems)), w_systems), np.repeat(np.arange(len(w_items)), w_items)
    x, y = metric[np.ix_(systems, items)], human[np.ix_(systems, items)]
    if level == "system":
        both = ~np.isnan(x) & ~np.isnan(y)
        return plain_coefficient(exact_means(x, both), exact_means(y, both), name)
    if grouping == "none":
        return plain_coefficient(x.ravel(), y.ravel(), name)
    groups = zip(x.T, y.T, strict=True) if grouping == "item" else zip(x, y, strict=True)
    cells = [plain_coefficient(a, b, name) for a, b in groups]
    defined = [cell for cell in cells if not np.isnan(cell)]
    return float(np.mean(defined)) if defined else float("nan")


@st.composite
def studies(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, FloatArray, Any, Any]:
    """Two metrics and human scores on a few systems and items, with ties and holes, and multiplicities in three lanes."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    tenths = st.one_of(
        st.integers(-2, 4).map(lambda n: n / 10), st.just(np.nan), st.integers(-40, 40).map(lambda n: n / 10)
    )
    first, second, human = (draw(arrays(np.float64, shape, elements=tenths)) for _ in range(3))
    counts = st.integers(0, 3)
    w_items = draw(arrays(np.int64, (shape[1], 3), elements=counts))
    w_systems = draw(arrays(np.int64, (shape[0], 3), elements=counts))
    return first, second, human, w_items, w_systems


def held(matrix: FloatArray, name: str) -> ScoreMatrix:
    systems, items = (tuple(map(str, range(n))) for n in matrix.shape)
    return ScoreMatrix(name, matrix, systems, items)


@settings(max_examples=60, deadline=None)
@given(studies())
def test_weighted_kernels_equal_written_out_copies(study: tuple[FloatArray, FloatArray, FloatArray, Any, Any]) -> None:
    first, second, human, w_items, w_systems = study
    laid = panel("test", [held(first, "a"), held(second, "b")], held(human, "h"))
    # the panel drops rows and columns where nothing meets; they add nothing to the twin either
    kept = [~np.isnan(metric) & ~np.isnan(human) for metric in (first, second)]
    rows, cols = (np.flatnonzero((kept[0] | kept[1]).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        rows, cols = (np.arange(n) for n in first.shape)
    for layout in LAYOUTS:
        found = estimator(laid, COEFFICIENTS, *layout)(
            w_items[cols].astype(np.float64), w_systems[rows].astype(np.float64)
        )
        for c, name in enumerate(COEFFICIENTS):
            for m, metric in enumerate((first, second)):
                twin = [plain(metric, human, w_items[:, b], w_systems[:, b], name, layout) for b in range(3)]
                assert found[c, m].tolist() == pytest.approx(twin, abs=1e-10, nan_ok=True), (layout, name)


@settings(max_examples=50, deadline=None)
@given(studies())
def test_one_axis_resampled_is_the_other_axis_once(study: tuple[FloatArray, FloatArray, FloatArray, Any, Any]) -> None:
    first, second, human, w_items, w_systems = study
    laid = panel("test", [held(first, "a"), held(second, "b")], held(human, "h"))
    w_items, w_systems = w_items[: laid.n_items].astype(np.float64), w_systems[: laid.n_systems].astype(np.float64)
    for layout in LAYOUTS:
        found = estimator(laid, COEFFICIENTS, *layout)
        once = {"w_items": np.ones((laid.n_items, 3)), "w_systems": np.ones((laid.n_systems, 3))}
        assert found(w_items, None) == pytest.approx(found(w_items, once["w_systems"]), abs=1e-12, nan_ok=True)
        assert found(None, w_systems) == pytest.approx(found(once["w_items"], w_systems), abs=1e-12, nan_ok=True)
        every = found(once["w_items"], once["w_systems"])
        assert found.point()[..., None] * np.ones(3) == pytest.approx(every, abs=1e-12, nan_ok=True)


def study_of(n_systems: int, n_items: int, seed: int = 0) -> tuple[dict[str, FloatArray], FloatArray]:
    """Three metrics of falling quality, the last with holes."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    human = np.round(latent + rng.normal(size=latent.shape), 1)
    metrics = {f"m{noise}": latent + noise * rng.normal(size=latent.shape) for noise in (1, 2, 3)}
    metrics["m3"][rng.random(latent.shape) < 0.1] = np.nan
    return metrics, human


def counted(metrics: dict[str, FloatArray], human: FloatArray) -> list[ScoreMatrix]:
    """The metrics as ratios of sums."""
    matrices = []
    for name, values in metrics.items():
        lengths = np.random.default_rng(1).integers(5, 50, size=values.shape).astype(float)
        statistics = np.stack([values * lengths, lengths], axis=2)
        statistics[np.isnan(values)] = np.nan
        labels = tuple(map(str, range(values.shape[0]))), tuple(map(str, range(values.shape[1])))
        matrices.append(
            ScoreMatrix(name, values, *labels, statistics=statistics, divide=lambda sums: sums[..., 0] / sums[..., 1])
        )
    return matrices


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("unit", ["items", "systems", "both"])
def test_workers_change_no_byte_and_seeds_repeat(layout: tuple[str, str], unit: str) -> None:
    metrics, human = study_of(7, 40)
    options: dict[str, Any] = {
        "coefficients": COEFFICIENTS, "level": layout[0], "grouping": layout[1], "unit": unit, "resamples": 150
    }  # fmt: skip
    matrices = counted(metrics, human)
    one = stats.resample(matrices, human, rng=3, workers=1, **options)
    two = stats.resample(matrices, human, rng=3, workers=2, **options)
    assert one.values.tobytes() == two.values.tobytes()
    assert one.point.tobytes() == two.point.tobytes()
    assert one.values.tobytes() != stats.resample(matrices, human, rng=4, **options).values.tobytes()
    assert (one.seed, stats.resample(matrices, human, rng=np.random.default_rng(3), **options).seed) == (3, None)


def test_replicates_are_handled_in_fewer_lanes_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics, human = study_of(5, 30)
    for layout in LAYOUTS:
        options: dict[str, Any] = {
            "coefficients": COEFFICIENTS,
            "level": layout[0],
            "grouping": layout[1],
            "resamples": 100,
        }
        wide = stats.resample(metrics, human, **options)
        monkeypatch.setattr(groupings, "_CELLS", 1)
        narrow = stats.resample(metrics, human, **options)
        monkeypatch.undo()
        assert wide.values.tobytes() == narrow.values.tobytes()


def test_more_replicates_only_add_and_other_metrics_change_nothing() -> None:
    metrics, human = study_of(6, 20)
    few = stats.resample(metrics, human, resamples=100, rng=9)
    many = stats.resample(metrics, human, resamples=300, rng=9)
    assert many.values[..., :100].tobytes() == few.values.tobytes()
    alone = stats.resample({"m2": metrics["m2"]}, human, resamples=100, rng=9)
    assert alone.values[:, 0].tobytes() == few.values[:, 1].tobytes()


@pytest.mark.parametrize(
    ("unit", "items", "systems"), [("items", True, False), ("systems", False, True), ("both", True, True)]
)
def test_draws_are_what_the_unit_says(unit: str, items: bool, systems: bool) -> None:
    metrics, human = study_of(12, 30)
    laid = panel("test", metrics, human)
    drawn = draw(Crossed(estimator(laid, ("pearson",), "item", "item"), unit), 50, np.random.default_rng(0))
    for axis, wanted, n in (("items", items, 30), ("systems", systems, 12)):
        counts = drawn.get(axis)
        assert (counts is not None) == wanted
        if counts is not None:
            assert counts.shape == (n, 50)
            assert (counts.sum(axis=0) == n).all()  # as many as there are
            assert abs(counts.var() - (1 - 1 / n)) < 0.15  # multinomial with equal chances
            assert counts.mean(axis=1) == pytest.approx(np.ones(n), abs=0.6)


def test_units_and_counts_are_checked() -> None:
    metrics, human = study_of(4, 4)
    with pytest.raises(OptionError, match="there is no unit 'item'; did you mean 'items'"):
        stats.resample(metrics, human, unit="item")
    with pytest.raises(OptionError, match="resamples=0 was given; allowed: a positive whole number"):
        stats.resample(metrics, human, resamples=0)


def test_undefined_replicates_are_counted() -> None:
    human = np.array([[1.0, 2.0], [2.0, 4.0]])  # two systems: half of the draws take one of them twice
    replicates = stats.resample({"m": human}, human, level="system", unit="systems", resamples=1000, rng=0)
    n_undefined = replicates.n_undefined_replicates[0, 0]
    assert 400 < n_undefined < 600
    frame = stats.correlation_rows(replicates)
    assert frame["reason"].item() == f"{n_undefined} of 1,000 replicates undefined"
    assert frame[["estimate", "low", "high"]].iloc[0].tolist() == [1.0, 1.0, 1.0]


def test_shares_of_first_places_share_ties() -> None:
    metrics, human = study_of(8, 30)
    replicates = stats.resample(
        {"good": metrics["m1"], "twin": metrics["m1"], "bad": metrics["m3"]}, human, resamples=200
    )
    shares = replicates.first_shares()[0]
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] == shares[1] > shares[2]


def test_memory_does_not_grow_with_the_number_of_replicates() -> None:
    metrics, human = study_of(10, 200)

    def peak(resamples: int) -> int:
        tracemalloc.start()
        replicates = stats.resample(metrics, human, coefficients=COEFFICIENTS, resamples=resamples, workers=1)
        size = tracemalloc.get_traced_memory()[1] - replicates.values.nbytes
        tracemalloc.stop()
        return size

    peak(64)
    assert peak(3200) < 1.2 * peak(320)
