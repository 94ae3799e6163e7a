"""Intervals: formulas by hand and against scipy, leave-one-out and corrected against plain twins, degenerate data, coverage."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from validate import stats
from validate.errors import OptionError
from validate.schema import FloatArray
from validate.stats.intervals import bca, corrected_difference, interval_of
from validate.stats.resampling import Replicates
from validate.stats.spread import of_metric, spread
from validate.stats.support import settle_interval

COEFFICIENTS = ("pearson", "spearman", "kendall")
LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
NAMES = ("auto", "percentile", "basic", "bca", "corrected")


def study_of(n_systems: int, n_items: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """A metric and human scores with ties and some holes."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metric = np.round(human + rng.normal(size=human.shape), 1)
    metric[rng.random(human.shape) < 0.05] = np.nan
    return metric, np.round(human)


@pytest.mark.parametrize(
    ("r", "n", "coefficient", "variance", "error"),
    [
        (0.5, 28, "pearson", None, 1 / 5),  # 1 / sqrt(25)
        (0.5, 28, "spearman", None, np.sqrt(1.125) / 5),  # (1 + 0.25 / 2) / 25
        (0.5, 28, "spearman", "fieller", np.sqrt(1.06) / 5),
        (-0.2, 29, "kendall", None, np.sqrt(0.437) / 5),  # 0.437 / 25
    ],
)
def test_formulas(r: float, n: int, coefficient: str, variance: str | None, error: float) -> None:
    found = stats.analytic_interval(r, n, coefficient=coefficient, variance=variance, confidence=0.9)
    ends = np.tanh(np.arctanh(r) + 1.6448536269514722 * error * np.array([-1, 1]))  # the 0.95 quantile of the normal
    assert [found.low, found.high] == pytest.approx(ends.tolist(), abs=1e-14)
    assert (found.value, found.n, found.confidence_level, found.reason) == (r, n, 0.9, "")


def test_fisher_is_scipys() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    peer = scipy.stats.pearsonr(x, y)
    found = stats.analytic_interval(float(peer.statistic), 12, coefficient="pearson")
    assert [found.low, found.high] == pytest.approx(list(peer.confidence_interval(0.95)), abs=1e-12)


def test_formulas_where_there_is_none() -> None:
    assert np.isnan(stats.analytic_interval(0.5, 3, coefficient="pearson").low)
    assert stats.analytic_interval(0.5, 4, coefficient="kendall").reason == "no interval from fewer than 5 pairs"
    assert stats.analytic_interval(float("nan"), 30).reason == "the correlation is undefined"
    with pytest.raises(OptionError, match="variance='fieller' was given; allowed: one of fisher for pearson"):
        stats.analytic_interval(0.5, 30, coefficient="pearson", variance="fieller")
    with pytest.raises(OptionError, match="a correlation from -1 to 1"):
        stats.analytic_interval(1.5, 30)
    metric, human = study_of(4, 20)
    row = stats.bootstrap(metric, human, coefficients="kendall", level="system", resamples=50).iloc[0]  # type: ignore[arg-type]
    assert row["interval"] == "analytic"
    assert "no interval from fewer than 5 pairs" in row["reason"]
    assert np.isnan([row["low"], row["high"]]).all()  # a bootstrap of four systems knows nothing of a fifth


def test_a_perfect_rank_correlation_of_few_systems_is_not_certain() -> None:
    # Six systems: 1 - 6 / (216 - 6) is the middle between 1 and the next value below it.
    found = stats.analytic_interval(1.0, 6)
    assert found.low == pytest.approx(
        np.tanh(np.arctanh(1 - 6 / 210) - 1.959963984540054 * np.sqrt(1.5 / 3)), abs=1e-12
    )
    assert found.high == 1.0
    kendall = stats.analytic_interval(-1.0, 6, coefficient="kendall")
    reach = 1.959963984540054 * np.sqrt(0.437 / 2)
    assert (kendall.low, kendall.high) == (-1.0, pytest.approx(-np.tanh(np.arctanh(1 - 2 / 30) - reach), abs=1e-12))
    line = stats.analytic_interval(1.0, 6, coefficient="pearson")
    assert (line.low, line.high) == (1.0, 1.0)


@pytest.mark.parametrize("interval", ["auto", "corrected"])
def test_studies_of_few_systems_that_agree_do_not_say_so_of_others(interval: str) -> None:
    human = np.arange(6.0)[:, None] + np.zeros((6, 20)) + np.random.default_rng(0).normal(size=(6, 20)) / 100
    options: dict[str, Any] = {"coefficients": "spearman", "level": "system", "resamples": 50, "interval": interval}
    of_others = stats.bootstrap(human, human**3, **options).iloc[0]  # type: ignore[arg-type]
    assert of_others["estimate"] == 1.0
    assert 0.5 < of_others["low"] < 0.9
    three = stats.bootstrap(human[:3], human[:3] ** 3, **options).iloc[0]  # type: ignore[arg-type]
    assert np.isnan(three["low"])
    assert "no interval from fewer than 4 pairs" in three["reason"]
    these = stats.bootstrap(human[:3], human[:3] ** 3, **options | {"unit": "items"}).iloc[0]  # type: ignore[arg-type]
    assert (these["low"], these["high"]) == (1.0, 1.0)  # the same systems on other items: their order is beyond doubt


@pytest.mark.parametrize("layout", LAYOUTS)
def test_left_out_is_taken_out(layout: tuple[str, str]) -> None:
    metric, human = study_of(5, 9)
    options: dict[str, Any] = {"level": layout[0], "grouping": layout[1]}
    drawn = stats.resample(metric, human, coefficients=COEFFICIENTS, resamples=3, interval="bca", **options)
    assert drawn.support is not None
    for axis, name in enumerate(("systems", "items")):
        for c, coefficient in enumerate(COEFFICIENTS):
            twin = [
                float(stats.correlation(np.delete(metric, k, axis), np.delete(human, k, axis), coefficient=coefficient, **options))
                for k in range(metric.shape[axis])
            ]  # fmt: skip
            assert drawn.support.without[name][c, 0].tolist() == pytest.approx(twin, abs=1e-10, nan_ok=True)


def test_many_items_are_left_out_in_blocks() -> None:
    metric, human = study_of(4, 300)
    drawn = stats.resample(metric, human, unit="items", resamples=3, interval="bca")
    assert drawn.support is not None
    left = drawn.support.without["items"]
    assert left.shape == (1, 1, 128)
    kept = np.arange(300) * 128 // 300 != 7  # two or three items a block
    assert left[0, 0, 7] == pytest.approx(float(stats.correlation(metric[:, kept], human[:, kept])), abs=1e-10)


def plain_corrected(drawn: Replicates, c: int) -> tuple[float, float]:
    """The formula of the module, line by line."""
    support, r = drawn.support, drawn.point[c, 0]
    assert support is not None

    def z(values: FloatArray) -> FloatArray:
        return np.arctanh(np.clip(values, -0.999, 0.999))

    left = support.without["systems"][c, 0]
    n, n_items = len(left), drawn.facts[0].n_items
    v_systems = (n - 1) / n * ((z(left) - z(left).mean()) ** 2).sum()
    centre = np.arctanh(r - (n - 1) * (left.mean() - r) / 2)
    by_systems, by_items = (np.var(z(support.along[axis][c, 0])) for axis in ("systems", "items"))
    by_both = np.var(z(drawn.values[c, 0, :320]))
    total = max(v_systems + by_items - max(by_both - by_systems - by_items, 0), v_systems, by_items)
    freedom = total**2 / (v_systems**2 / (n - 1) + by_items**2 / (n_items - 1))
    reach = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(total + (np.arctanh(r) - centre) ** 2)
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))


@pytest.mark.parametrize("layout", LAYOUTS[1:])
def test_corrected_is_the_formula(layout: tuple[str, str]) -> None:
    metric, human = study_of(8, 30)
    options: dict[str, Any] = {
        "level": layout[0],
        "grouping": layout[1],
        "coefficients": COEFFICIENTS,
        "resamples": 400,
    }
    drawn = stats.resample(metric, human, interval="corrected", rng=1, **options)
    rows = stats.correlation_rows(drawn)
    for c in range(3):
        assert rows.loc[c, ["low", "high"]].tolist() == pytest.approx(plain_corrected(drawn, c), abs=1e-10)
    assert (rows["interval"] == "corrected").all()
    turned = stats.correlation_rows(stats.resample(-metric, human, interval="corrected", rng=1, **options))
    assert (-turned["high"]).tolist() == pytest.approx(rows["low"].tolist(), abs=1e-9)


def test_the_axes_alone_see_the_draws_of_both() -> None:
    metric, human = study_of(6, 12)
    drawn = stats.resample(metric, human, interval="corrected", resamples=500, rng=5)
    assert drawn.support is not None
    assert {axis: alone.shape for axis, alone in drawn.support.along.items()} == {"systems": (1, 1, 320), "items": (1, 1, 320)}  # fmt: skip
    alone = stats.resample(metric, human, unit="items", resamples=500, rng=5)  # items are drawn before systems
    assert drawn.support.along["items"].tobytes() == alone.values[..., :320].tobytes()
    plain = stats.resample(metric, human, resamples=500, rng=5)
    assert drawn.values.tobytes() == plain.values.tobytes()
    one = stats.resample(metric, human, interval="corrected", resamples=500, rng=5, workers=1)
    assert one.support is not None
    assert one.support.along["systems"].tobytes() == drawn.support.along["systems"].tobytes()


def test_memory_does_not_grow_with_the_number_of_replicates() -> None:
    metric, human = study_of(8, 150)

    def peak(resamples: int) -> int:
        tracemalloc.start()
        drawn = stats.resample(metric, human, interval="corrected", resamples=resamples, workers=1)
        size = tracemalloc.get_traced_memory()[1] - drawn.values.nbytes
        tracemalloc.stop()
        return size

    peak(64)
    assert peak(3200) < 1.2 * peak(384)


def test_corrected_of_one_axis() -> None:
    metric, human = study_of(9, 25)
    items = stats.resample(metric, human, unit="items", interval="corrected", resamples=300)
    found, draws = spread(items, of_metric(items, 0, 0)), items.values[0, 0]
    assert found.centre == np.arctanh(items.point[0, 0])
    assert found.variance == pytest.approx(np.var(np.arctanh(draws)) * 25 / 24)
    assert found.freedom == 24
    systems = stats.resample(metric, human, unit="systems", interval="corrected", resamples=30)
    assert systems.support is not None
    left = systems.support.without["systems"][0, 0]
    half_bias = 8 * (left.mean() - systems.point[0, 0]) / 2
    between = np.arctanh(systems.point[0, 0]) - np.arctanh(systems.point[0, 0] - half_bias)
    assert spread(systems, of_metric(systems, 0, 0)).variance == pytest.approx(
        8 * np.var(np.arctanh(left)) + between**2
    )


def test_the_p_of_a_difference_is_that_of_its_interval() -> None:
    metric, human = study_of(9, 25)
    noisy = metric + np.random.default_rng(1).normal(size=metric.shape)
    for unit in ("items", "systems", "both"):
        drawn = stats.resample(
            {"a": metric, "b": noisy, "c": 2 * metric}, human, unit=unit, interval="corrected", resamples=200
        )
        found = corrected_difference(drawn, 0, 0, 1)
        assert found.low <= drawn.point[0, 0] - drawn.point[0, 1] <= found.high
        at_zero = corrected_difference(drawn, 0, 0, 1, 1 - found.p)  # as sure as p allows: one end is 0
        assert min(abs(at_zero.low), abs(at_zero.high)) == pytest.approx(0, abs=1e-9)
        turned = corrected_difference(drawn, 0, 1, 0)
        assert (-turned.high, -turned.low, turned.p) == pytest.approx(tuple(found[:3]), abs=1e-9)
        assert corrected_difference(drawn, 0, 0, 2) == (0.0, 0.0, 1.0, "")
    flat = stats.resample({"a": metric, "b": np.ones_like(metric)}, human, interval="corrected", resamples=20)
    assert np.isnan(corrected_difference(flat, 0, 0, 1).p)


def test_bca_is_scipys() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 25))
    y = x + y
    drawn = stats.resample(
        x[:, None], y[:, None], coefficients=["pearson"], grouping="none", unit="systems", interval="bca", resamples=500
    )
    peer = scipy.stats.bootstrap(
        (x, y), lambda a, b: scipy.stats.pearsonr(a, b).statistic, paired=True, vectorized=False, method="BCa",
        n_resamples=0, bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn.values[0, 0]),
    ).confidence_interval  # fmt: skip
    row = stats.correlation_rows(drawn).iloc[0]
    assert [row["low"], row["high"]] == pytest.approx([peer.low, peer.high], abs=1e-9)


def test_bca_falls_back_and_says_why() -> None:
    draws = np.linspace(0.1, 0.9, 81)
    plain = pytest.approx(np.quantile(draws, [0.025, 0.975]).tolist(), abs=1e-12)
    left = np.array([0.4, 0.5, 0.7])
    cases = {
        "all replicates lie on one side of the estimate": (0.95, left),
        "no unit changes the estimate when it is left out": (0.5, np.full(3, 0.5)),
        "too skewed": (0.5, np.array([0.5] * 199 + [-1.0])),
    }
    for why, (estimate, without) in cases.items():
        found = bca(estimate, draws, [without], 1 - 1e-11 if why == "too skewed" else 0.95)
        assert found.reason == f"BCa undefined, {why}: percentile"
        assert why == "too skewed" or list(found[:2]) == plain
    assert list(bca(0.5, draws, [np.full(3, np.nan)], 0.95)[:2]) == plain
    assert bca(1.0, np.ones(9), [np.ones(4)], 0.95) == (1.0, 1.0, "")
    assert np.isnan(bca(0.5, np.full(9, np.nan), [left], 0.95).low)
    symmetric = bca(0.5, draws, [np.array([0.4, 0.5, 0.6])], 0.95)  # neither bias nor skewness: the percentile interval
    assert list(symmetric[:2]) == plain


def test_perfect_data_have_an_interval_of_no_width_unless_their_ranks_speak_of_other_systems() -> None:
    human = np.arange(40.0).reshape(8, 5)
    for layout in LAYOUTS:
        for unit in ("items", "systems", "both"):
            for interval in NAMES:
                frame = stats.bootstrap(
                    2 * human, human, coefficients=COEFFICIENTS, level=layout[0], grouping=layout[1], unit=unit, interval=interval,
                    resamples=60,
                )  # fmt: skip
                others = layout[0] == "system" and unit != "items" and interval in ("auto", "corrected", "analytic")
                ranks = (frame["coefficient"] != "pearson") & others
                assert (frame["high"] == 1.0).all(), (layout, unit, interval)
                assert (frame["low"][~ranks] == 1.0).all(), (layout, unit, interval)
                assert frame["low"][ranks].between(0.8, 0.95).all(), (layout, unit, interval)


def test_without_single_units_there_is_no_standard_error() -> None:
    human = np.array(
        [[1.0, 2.0, 3.0], [2.0, 4.0, 1.0]]
    )  # two systems: without one of them nothing is left to correlate
    drawn = stats.resample(
        human, human[:, [1, 2, 0]], unit="systems", grouping="none", interval="corrected", resamples=80
    )
    row = stats.correlation_rows(drawn).iloc[0]
    assert row["low"] <= row["estimate"] <= row["high"]


def test_auto_is_what_covers_best() -> None:
    found = {
        (level, unit): settle_interval("test", "auto", level, unit)
        for level in ("system", "item")
        for unit in ("items", "systems", "both", "annotators")
    }
    assert found == {
        ("system", "items"): "percentile", ("system", "systems"): "analytic", ("system", "both"): "analytic",
        ("system", "annotators"): "corrected", ("item", "items"): "corrected", ("item", "systems"): "corrected",
        ("item", "both"): "corrected", ("item", "annotators"): "corrected",
    }  # fmt: skip


def test_what_an_interval_needs_is_said() -> None:
    metric, human = study_of(5, 8)
    plain = stats.resample(metric, human, resamples=5)
    for interval in ("bca", "corrected"):
        with pytest.raises(
            OptionError,
            match=rf"{interval}: the replicates were drawn for .*call resample\(\.\.\., interval='{interval}'\)",
        ):
            stats.correlation_rows(plain, interval=interval)
    with pytest.raises(OptionError, match="the formulas suppose independent pairs"):
        stats.bootstrap(metric, human, interval="analytic")
    assert stats.correlation_rows(plain)["interval"].tolist() == ["percentile"]
    empty = replace(plain, point=np.full((1, 1), np.nan))
    assert all(
        np.isnan(interval_of(empty, 0, 0, name, 0.95).low) for name in ("percentile", "basic", "corrected", "bca")
    )


@st.composite
def small(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    values = st.one_of(st.integers(-2, 2).map(float), st.just(np.nan))
    return draw(arrays(np.float64, shape, elements=values)), draw(arrays(np.float64, shape, elements=values))


@settings(max_examples=40, deadline=None)
@given(small(), st.sampled_from(LAYOUTS), st.sampled_from(["items", "systems", "both"]))
def test_every_interval_of_anything_is_ordered_and_within_bounds(
    study: tuple[FloatArray, FloatArray], layout: tuple[str, str], unit: str
) -> None:
    for interval in NAMES:
        frame = stats.bootstrap(
            *study,
            coefficients=COEFFICIENTS,
            level=layout[0],
            grouping=layout[1],
            unit=unit,
            interval=interval,
            resamples=12,
        )
        for estimate, low, high in frame[["estimate", "low", "high"]].to_numpy():
            assert np.isnan(low) == np.isnan(high)
            assert np.isnan(low) or low <= high
            assert interval == "basic" or np.isnan(low) or -1.0 <= low <= high <= 1.0
            assert not np.isnan(estimate) or np.isnan(low)
            if interval == "corrected" and not np.isnan(low) and not (frame["reason"].str.contains("percentile")).any():
                assert low - 1e-11 <= estimate <= high + 1e-11  # replicates are rounded to 12 digits, estimates are not
