"""Every compiled loop of the statistics has a plain twin: which test holds it against one, and the twins of loops that have none elsewhere.

``HELD`` names for each kernel a test that hypothesis feeds with ties, holes and tiny sizes; a kernel that is added without one fails here.
"""

from __future__ import annotations

import importlib.util
import pkgutil
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import validate.stats
from validate import _compile, stats
from validate.schema import FloatArray
from validate.stats import _kernels, _pair_kernels, _swap_sums, _swaps, item_swaps, pair_signs
from validate.stats.ranking import _kernels as ranking_kernels
from validate.stats.ranking.elo import play

HERE = Path(__file__).parent
WRITTEN_OUT = "test_resampling: test_weighted_kernels_equal_written_out_copies"
SWAPPED = "test_permutation: test_kernels_equal_swapped_scores"
CALIBRATED = "test_pairwise: test_calibration_finds_the_nearest_of_all_maxima"
NEWTON = "test_ranking_twins: test_chords_end_where_newton_does"
RANKINGS = "test_plackett_luce: test_the_kernels_are_the_definition"
HERE_BELOW = "test_kernel_twins: "

HELD = {
    "_kernels.weighted_sums": HERE_BELOW + "test_weighted_sums",
    "_kernels.human_sums": WRITTEN_OUT,
    "_kernels.pearson_sums": WRITTEN_OUT,
    "_kernels.spearman_sums": WRITTEN_OUT,
    "_kernels.kendall_sums": WRITTEN_OUT,
    "_kernels.mean_quotient": HERE_BELOW + "test_mean_quotient",
    "_kernels._cosine": HERE_BELOW + "test_system_coefficients",
    "_kernels.system_coefficients": HERE_BELOW + "test_system_coefficients",
    "_lane_kernels.human_lane": "test_pair_signs: test_one_replicate_at_a_time_gives_the_same",
    "_lane_kernels.spearman_lane": "test_pair_signs: test_one_replicate_at_a_time_gives_the_same",
    "pair_signs.sign_sums": HERE_BELOW + "test_sign_sums",
    "units.count_draws": HERE_BELOW + "test_count_draws",
    "multinomial.tally": "test_ranking_twins: test_units_are_tallied_as_bincount_does",
    "_pair_kernels.separated_counts": "test_pairwise: test_any_threshold_gives_what_a_loop_over_pairs_gives",
    "_pair_kernels.near_pairs": HERE_BELOW + "test_near_pairs",
    "_pair_kernels.gains_between": CALIBRATED,
    "_pair_kernels._cross": CALIBRATED,
    "_pair_kernels.concordance": "test_pairwise: test_concordance_of_each_point",
    "_pair_kernels._upto": "test_pairwise: test_concordance_of_each_point",
    "_swaps.examine": SWAPPED,
    "_swaps.minus": HERE_BELOW + "test_minus",
    "_swap_sums.masked_sums": HERE_BELOW + "test_masked_sums",
    "_swap_sums.pearson_totals": SWAPPED,
    "_swap_walks.spearman_difference": SWAPPED,
    "_swap_walks._add": SWAPPED,
    "_swap_walks.kendall_difference_large": HERE_BELOW + "test_walks_and_signs_of_kendall",
    "_swap_walks._add_tau": HERE_BELOW + "test_walks_and_signs_of_kendall",
    **{
        f"_swap_signs.{name}": SWAPPED
        for name in ("_sign", "_form", "_value", "_even", "_gather", "_linear", "_scale", "kendall_difference")
    },
    "ranking._kernels.has_maximum": "test_ranking_twins: test_components_and_classes",
    "ranking._kernels.climb": NEWTON,
    "ranking._kernels._derivatives": NEWTON,
    "ranking._kernels.chord": NEWTON,
    "ranking._kernels._solve": HERE_BELOW + "test_cholesky",
    "ranking._kernels.factorise": HERE_BELOW + "test_cholesky",
    "ranking._kernels.substitute": HERE_BELOW + "test_cholesky",
    "ranking._rankings_kernels.ranking_scores": RANKINGS,
    "ranking._rankings_kernels.ranking_derivatives": RANKINGS,
    "ranking._rankings_kernels.climb_rankings": "test_plackett_luce: test_order_of_rankings_and_names_do_not_matter",
    "ranking.elo.play": HERE_BELOW + "test_elo_one_game_after_the_other",
}

whole = st.integers(-3, 3).map(float)
holes = st.one_of(whole, st.just(np.nan))
counts = st.integers(0, 3).map(float)


def matrix(draw: Any, shape: tuple[int, ...], elements: Any, dtype: Any = np.float64) -> Any:
    return draw(arrays(dtype, shape, elements=elements))


def test_every_kernel_is_held() -> None:
    for module in pkgutil.walk_packages(validate.stats.__path__, "validate.stats."):
        import_module(module.name)
    kernels = {
        f"{one.__module__.removeprefix('validate.stats.')}.{one.__name__}"
        for one in _compile._kernels
        if one.__module__.startswith("validate.stats.")
    }
    assert kernels == set(HELD)


@pytest.mark.parametrize("named", sorted(set(HELD.values())))
def test_what_holds_them_is_a_property(named: str) -> None:
    module, test = named.split(": ")
    if module == Path(__file__).stem:
        found = globals()[test]
    else:
        spec = importlib.util.spec_from_file_location(f"held_{module}", HERE / f"{module}.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        found = getattr(loaded, test)
    assert found.is_hypothesis_test


@given(st.data(), st.integers(0, 4), st.integers(0, 9), st.integers(1, 3), st.sampled_from([np.float64, np.int8]))
def test_weighted_sums(data: Any, n_rows: int, n_items: int, n_lanes: int, dtype: Any) -> None:
    table = matrix(data.draw, (n_rows, n_items), st.integers(-5, 5), dtype)
    weights, out = matrix(data.draw, (n_items, n_lanes), counts), np.empty((n_rows, n_lanes))
    _kernels.weighted_sums(table, weights, out)
    assert (out == table.astype(float) @ weights).all()


@given(st.data(), st.integers(0, 4), st.integers(0, 9), st.integers(1, 3))
def test_sign_sums(data: Any, n_groups: int, n_pairs: int, n_lanes: int) -> None:
    alike = matrix(data.draw, (n_groups, n_pairs), st.integers(-1, 1), np.int8)
    products = matrix(data.draw, (n_pairs, n_lanes), st.integers(0, 400), np.float32)
    out = np.empty((n_groups, n_lanes))
    pair_signs.sign_sums(alike, products, out)
    assert (out == 2 * alike.astype(float) @ products.astype(float)).all()


@given(st.data(), st.integers(1, 4), st.integers(0, 9), st.integers(1, 3))
def test_count_draws(data: Any, n_units: int, n_drawn: int, n_lanes: int) -> None:
    drawn = matrix(data.draw, (n_drawn, n_lanes), st.integers(0, n_units - 1), np.int64)
    found = np.zeros((n_units, n_lanes))
    validate.stats.units.count_draws(drawn, found)  # type: ignore[attr-defined]
    assert found.T.tolist() == [np.bincount(lane, minlength=n_units).tolist() for lane in drawn.T]


@given(st.data(), st.integers(0, 5), st.integers(1, 3))
def test_mean_quotient(data: Any, n_groups: int, n_lanes: int) -> None:
    shape, out = (n_groups, n_lanes), np.empty(n_lanes)
    own, other, weights = (matrix(data.draw, shape, counts) for _ in range(3))
    cross = matrix(data.draw, shape, st.integers(-9, 9).map(float))
    _kernels.mean_quotient(cross, own, other, weights, out)
    for lane in range(n_lanes):
        some = (own[:, lane] * other[:, lane] > 0) & (weights[:, lane] > 0)
        cells = np.clip(cross[some, lane] / np.sqrt(own[some, lane] * other[some, lane]), -1, 1)
        expected = np.average(cells, weights=weights[some, lane]) if some.any() else np.nan
        assert out[lane] == pytest.approx(expected, nan_ok=True)


@given(st.data(), st.integers(0, 6))
def test_system_coefficients(data: Any, n_systems: int) -> None:
    metric, human = (matrix(data.draw, (n_systems, 1), holes) for _ in range(2))
    weights, out = matrix(data.draw, (n_systems, 1), counts), np.empty((3, 1))
    _kernels.system_coefficients(metric, human, weights, (0.0, 0.0), out)
    both = ~np.isnan(metric[:, 0]) & ~np.isnan(human[:, 0])
    x, y = (np.repeat(side[both, 0], weights[both, 0].astype(int)) for side in (metric, human))
    defined = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
    tests = (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)
    expected = [float(test(x, y).statistic) if defined else np.nan for test in tests]
    assert out[:, 0].tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(st.lists(st.lists(st.integers(0, 9), max_size=6, unique=True), max_size=4), st.integers(0, 10))
def test_near_pairs(groups: list[list[int]], threshold: int) -> None:
    ordered = [sorted(group) for group in groups]
    value = np.array([score for group in ordered for score in group], dtype=float)
    bounds = np.cumsum([0, *map(len, ordered)])
    runs = _pair_kernels.Runs(np.arange(len(value) + 1), bounds, value)
    plain = sum(b - a <= threshold for group in ordered for a, b in product(group, group) if a < b)
    assert _pair_kernels.near_pairs(runs, float(threshold)) == plain


@given(st.data(), st.integers(0, 4))
def test_minus(data: Any, n_lanes: int) -> None:
    total_a, total_b = (matrix(data.draw, (n_lanes,), whole) for _ in range(2))
    count_a, count_b = (matrix(data.draw, (n_lanes,), counts) for _ in range(2))
    out = np.empty(n_lanes)
    _swaps.minus(total_a, count_a, total_b, count_b, out)
    for lane in range(n_lanes):
        some = count_a[lane] > 0 and count_b[lane] > 0
        expected = total_a[lane] / count_a[lane] - total_b[lane] / count_b[lane] if some else np.nan
        assert out[lane] == pytest.approx(expected, nan_ok=True)


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(1, 3), st.integers(1, 3))
def test_masked_sums(data: Any, sizes: list[int], n_tables: int, n_lanes: int) -> None:
    n_cells, starts = sum(sizes), np.cumsum([0, *sizes])
    table = matrix(data.draw, (n_cells, n_tables), whole)
    cells = np.array(data.draw(st.permutations(range(n_cells))), dtype=np.int32)
    row_of = matrix(data.draw, (n_cells,), st.integers(0, 2), np.int32)
    masks = matrix(data.draw, (3, n_lanes), st.integers(0, 1), np.uint8)
    out = np.empty((len(sizes), n_tables, n_lanes))
    _swap_sums.masked_sums(table, starts, cells, row_of, masks, out)
    for group, (low, high) in enumerate(pairwise(starts)):
        here = cells[low:high]
        assert (out[group] == table[here].T @ masks[row_of[here]].astype(float)).all()


@settings(max_examples=40)
@given(st.data(), st.integers(2, 6), st.integers(1, 4), st.sampled_from(["none", "item", "system"]))
def test_walks_and_signs_of_kendall(data: Any, n_systems: int, n_items: int, grouping: str) -> None:
    metrics = [matrix(data.draw, (n_systems, n_items), holes) for _ in range(2)]
    human = matrix(data.draw, (n_systems, n_items), holes)

    def p() -> tuple[FloatArray, Any]:
        found = stats.permute(metrics, human, coefficients=["kendall"], grouping=grouping, resamples=40, workers=1)
        return found.p[0], found.differences[0].tolist()

    signs = p()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_swaps, "SMALL", 0)
        walks = p()
    assert walks[1] == pytest.approx(signs[1], abs=1e-12, nan_ok=True)
    assert walks[0] == pytest.approx(signs[0], nan_ok=True)


@given(st.data(), st.integers(1, 5), st.booleans())
def test_cholesky(data: Any, n: int, definite: bool) -> None:
    root = matrix(data.draw, (n, n), whole)
    square = root @ root.T + (np.eye(n) if definite else -np.eye(n))
    vector, column = matrix(data.draw, (n,), whole), np.empty(n)
    found, factor = vector.copy(), square.copy()
    if np.linalg.eigvalsh(square).min() < -1e-6:
        assert not ranking_kernels._solve(factor, found, column)
    elif definite:
        assert ranking_kernels._solve(factor, found, column)
        assert found == pytest.approx(np.linalg.solve(square, vector), abs=1e-8)
        assert np.tril(factor) == pytest.approx(np.linalg.cholesky(square), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2), st.integers(-1, 1)), max_size=8))
def test_elo_one_game_after_the_other(games: list[tuple[int, int, int]]) -> None:
    first = np.array([game[0] for game in games], dtype=np.int64)
    second = np.array([(game[0] + game[1]) % 3 for game in games], dtype=np.int64)
    outcome = np.array([game[2] for game in games], dtype=np.int64)
    ratings, plain = np.zeros(3), [0.0, 0.0, 0.0]
    play(first, second, np.arange(len(games)) * 3 + 1 - outcome, 0.2, ratings)
    for a, b, won in zip(first.tolist(), second.tolist(), outcome.tolist(), strict=True):
        expected = 1 / (1 + np.exp(plain[b] - plain[a]))
        change = 0.2 * ((won + 1) / 2 - expected)
        plain[a], plain[b] = plain[a] + change, plain[b] - change
    assert ratings == pytest.approx(plain, abs=1e-12)
