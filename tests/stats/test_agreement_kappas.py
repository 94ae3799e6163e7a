"""Cohen's, Scott's, Fleiss' and Randolph's coefficients: published values, reports of users, definitions written out, errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from validate import stats
from validate.errors import OptionError, ShapeError
from validate.schema import Ratings
from validate.stats.agreement import cohen
from validate.stats.agreement.two_raters import credits, cross_table


def spread(table):
    """Two raters' judgments out of their cross table."""
    one, other = np.nonzero(table)
    times = np.asarray(table)[one, other]
    return np.repeat(one, times), np.repeat(other, times)


def test_cohen_with_the_errors_that_sas_prints(cases):
    case = cases("oracles")["cohen-sas"]
    expected, tolerance = case["expected"], case["tol"]
    found = stats.cohen_kappa(*spread(case["input"]["table"]))
    assert found.value == pytest.approx(expected["kappa"], abs=tolerance)
    assert found.standard_error == pytest.approx(expected["ase"], abs=tolerance)
    assert [found.low, found.high] == pytest.approx([expected["low"], expected["high"]], abs=tolerance)
    test = stats.cohen_kappa_test(*spread(case["input"]["table"]))
    assert (test.standard_error, test.statistic) == (
        pytest.approx(expected["ase0"], abs=tolerance),
        pytest.approx(expected["z"], abs=tolerance),
    )
    assert test.p == pytest.approx(2 * (1 - special.ndtr(test.statistic)))


def test_cohen_of_the_textbook(cases):
    case = cases("oracles")["cohen-wiki-50"]
    # p_o = 35/50, p_e = (25 * 30 + 25 * 20) / 2500 = 1/2
    assert stats.cohen_kappa(*spread(case["input"]["table"])).value == pytest.approx(case["expected"], abs=case["tol"])


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_weights(cases, weights):
    case = cases("oracles")["cohen-weights-sklearn"]
    found = stats.cohen_kappa([0] * 46 + [1] * 44 + [2] * 10, [0] * 50 + [1] * 40 + [2] * 10, weights=weights)
    assert found.value == pytest.approx(case["expected"][weights or "none"], abs=case["tol"])


def test_the_declared_scale_decides_not_the_labels_that_occur(cases):
    a, b = (cases("reports")["weights-by-index"]["input"][name] for name in "ab")
    quadratic = {"weights": "quadratic", "interval": None}
    whole = stats.cohen_kappa(a, b, categories=range(1, 11), spacing="index", **quadratic).value
    assert round(whole, 3) == 0.263
    assert stats.cohen_kappa(a, b, **quadratic).value == pytest.approx(whole)  # values need no declaration
    # scikit-learn's number, in which 2 to 10 is one step like 1 to 2
    assert stats.cohen_kappa(a, b, spacing="index", **quadratic).value == pytest.approx(4 / 7)


def test_labels_with_a_declared_order():
    a, b = ["low", "mid", "high", "high"], ["low", "high", "high", "mid"]
    scale = ["low", "mid", "high"]
    by_label = stats.cohen_kappa(a, b, weights="linear", categories=scale, spacing="index").value
    by_number = stats.cohen_kappa([0, 1, 2, 2], [0, 2, 2, 1], weights="linear").value
    # missed: p_o lacks (0 + 1/2 + 0 + 1/2) / 4 = 1/4; shares 1/4, 1/4, 1/2 of both: 2 (1/4*1/4 + 1/4*1/2) / 2 + 2 * 1/4*1/2 = 7/16
    assert by_label == pytest.approx(1 - (1 / 4) / (7 / 16))
    assert by_label == pytest.approx(by_number)


def test_the_order_of_declared_numbers_does_not_matter():
    a, b = [1, 2, 10, 10, 1], [1, 10, 10, 2, 2]
    for weights in ("linear", "quadratic"):
        up = stats.cohen_kappa(a, b, weights=weights, categories=[1, 2, 10], interval=None).value
        mixed = stats.cohen_kappa(a, b, weights=weights, categories=[10, 1, 2], interval=None).value
        assert up == pytest.approx(mixed)


def test_own_weights():
    a, b = [0, 1, 2, 2, 1], [0, 2, 2, 1, 1]
    linear = 1 - np.abs(np.subtract.outer(range(3), range(3))) / 2
    own = stats.cohen_kappa(a, b, weights=linear, categories=[0, 1, 2])
    named = stats.cohen_kappa(a, b, weights="linear")
    assert own.value == pytest.approx(named.value)
    assert own.standard_error == pytest.approx(named.standard_error)
    assert "own weights" in own.method
    with pytest.raises(OptionError, match="turn disagreements d into"):
        stats.cohen_kappa(a, b, weights=1 - linear, categories=[0, 1, 2])
    with pytest.raises(OptionError, match=r"categories are not declared.*give categories"):
        stats.cohen_kappa(a, b, weights=linear)
    with pytest.raises(ShapeError, match=r"shape \(3, 3\) were given; \(4, 4\)"):
        stats.cohen_kappa(a, b, weights=linear, categories=[0, 1, 2, 3])


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(labels, st.sampled_from([None, "linear", "quadratic", "ordinal"]), st.sampled_from(["value", "index"]))
def test_kappa_is_its_definition(pairs, weights, spacing):
    scale = [0.0, 1.0, 2.5, 7.0]
    a, b = (np.array(scale)[list(side)] for side in zip(*pairs, strict=True))

    def credit(one, other):
        if weights is None or one == other:
            return float(one == other)
        steps = abs(scale.index(one) - scale.index(other))
        if weights == "ordinal":
            return 1 - steps * (steps + 1) / 12
        relative = steps / 3 if spacing == "index" else abs(one - other) / 7
        return 1 - relative ** {"linear": 1, "quadratic": 2}[weights]

    observed = np.mean([credit(x, y) for x, y in zip(a, b, strict=True)])
    chance = np.mean([credit(x, y) for x, y in itertools.product(a, b)])
    expected = (observed - chance) / (1 - chance) if chance < 1 else np.nan
    found = stats.cohen_kappa(a, b, weights=weights, categories=scale, spacing=spacing, interval=None)
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert np.isnan(found.value) == bool(found.reason)


@given(labels)
def test_pi_and_fleiss_of_two_raters_are_their_definition(pairs):
    a, b = map(list, zip(*pairs, strict=True))
    pool = np.array(a + b)
    chance = sum((pool == k).mean() ** 2 for k in range(4))
    expected = (np.mean(np.equal(a, b)) - chance) / (1 - chance) if len(set(a + b)) > 1 else np.nan
    assert stats.scott_pi(a, b, interval=None).value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    counts = stats.rating_counts([a, b], categories=range(4))
    assert stats.fleiss_kappa(counts, interval=None).value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    free = (np.mean(np.equal(a, b)) - 1 / 4) / (3 / 4)
    assert stats.fleiss_kappa(counts, method="randolph", interval=None).value == pytest.approx(free)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_the_influence_of_kappa_is_its_derivative(weights):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 60)
    b = np.where(rng.random(60) < 0.6, a, rng.integers(0, 4, 60))
    table = cross_table("test", a, b, None)
    kappa = cohen._Kappa(table, credits("test", table, weights, "value", False))
    for kind, expected in enumerate(kappa.influence()):
        change = np.zeros((len(table.multiplicity), 1))
        change[kind] = 1e-5
        more, less = (kappa.value(table.multiplicity[:, None] + sign * change)[0] for sign in (1, -1))
        assert expected == pytest.approx((more - less) / 2e-5, abs=1e-8)


def test_fleiss_own_example(cases):
    case = cases("oracles")["fleiss-1971"]
    raters = np.array(case["input"]["units_x_ratings"]).T
    found = stats.fleiss_kappa(stats.rating_counts(raters))
    assert found.value == pytest.approx(case["expected"], abs=case["tol"])
    assert (found.n, found.n_dropped) == (30, 0)
    assert found.low < found.value < found.high


def test_fixed_and_free_margins(cases):
    case = cases("oracles")["fleiss-vs-randolph"]
    for method, expected in case["expected"].items():
        found = stats.fleiss_kappa(case["input"]["counts"], method=method, interval=None)
        assert found.value == pytest.approx(expected, abs=case["tol"])


# irrCAC 0.4.4, CAC(ratings, weights="identity", digits=8), fleiss() and bp(): coefficient, standard error, lower end
@pytest.mark.parametrize(
    ("method", "name", "golden"),
    [
        ("fleiss", "fleiss", (0.76116928, 0.1530192, 0.42437628)),
        ("randolph", "brennan_prediger", (0.77272727, 0.14471662, 0.45420814)),
    ],
)
def test_gwets_own_example_with_missing_judgments(cases, method, name, golden):
    case = cases("oracles")["gwet-raw4"]
    counts = stats.rating_counts(np.array(case["input"]["units_x_raters"], dtype=float).T)
    found = stats.fleiss_kappa(counts, method=method, interval="analytic")
    assert [found.value, found.standard_error] == pytest.approx(case["expected"][name], abs=case["tol"])
    assert [found.value, found.standard_error, found.low] == pytest.approx(golden, abs=1e-8)
    assert (found.n, found.n_dropped) == (11, 1)


def test_conger_of_gwets_own_example(cases):
    # irrCAC 0.4.4, CAC(ratings, digits=8).conger(): coefficient, standard error, lower end
    case = cases("oracles")["gwet-raw4"]
    found = stats.conger_kappa(np.array(case["input"]["units_x_raters"], dtype=float).T, interval="analytic")
    assert [found.value, found.standard_error] == pytest.approx(case["expected"]["conger"], abs=case["tol"])
    assert [found.value, found.standard_error, found.low] == pytest.approx(
        (0.76281744, 0.14916815, 0.43450055), abs=1e-8
    )
    assert (found.n, found.n_dropped) == (11, 1)
    # who judged which unit matters: the same counts in Krippendorff's arrangement
    other = stats.conger_kappa(cases("oracles")["kripp-canonical"]["input"]["raters_x_units"], interval=None)
    assert round(other.value, 5) == 0.76207


def test_the_error_of_alpha_is_near_gwets(cases):
    # Gwet's formula gives 0.14557; here alpha itself is differentiated, its correction for small samples included
    case = cases("oracles")["gwet-raw4"]
    found = stats.krippendorff_alpha(np.array(case["input"]["units_x_raters"], dtype=float).T, interval="analytic")
    value, error = case["expected"]["krippendorff"]
    assert found.value == pytest.approx(value, abs=case["tol"])
    assert found.standard_error == pytest.approx(error, rel=0.03)


@given(st.lists(st.lists(st.sampled_from([0, 1, 2, None]), min_size=6, max_size=6), min_size=2, max_size=4))
def test_conger_is_its_definition(rows):
    units = [[x for x in column if x is not None] for column in zip(*rows, strict=True)]
    pairs = [np.mean([x == y for x, y in itertools.permutations(unit, 2)]) for unit in units if len(unit) > 1]
    shares = [[np.mean([x == k for x in row if x is not None]) for k in range(3)] for row in rows if set(row) != {None}]
    expected = np.nan
    if pairs and len({x for unit in units for x in unit}) > 1:
        chance = np.mean([np.dot(p, q) for p, q in itertools.permutations(shares, 2)])
        expected = (np.mean(pairs) - chance) / (1 - chance)
    found = stats.conger_kappa(rows, interval=None)
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    if len(rows) == 2 and not any(None in row for row in rows):
        assert found.value == pytest.approx(stats.cohen_kappa(*rows, interval=None).value, nan_ok=True)


# irrCAC 0.4.4, CAC(ratings, weights=..., digits=8).gwet(): coefficient, standard error, lower end
@pytest.mark.parametrize(
    ("weights", "golden"),
    [
        (None, (0.77544407, 0.14294995, 0.46081335)),
        ("linear", (0.85873914, 0.11732902, 0.6004997)),
        ("quadratic", (0.91400072, 0.10396224, 0.68518137)),
        ("ordinal", (0.89893977, 0.10690352, 0.6636467)),
    ],
)
def test_gwets_coefficient_under_all_weights(cases, weights, golden):
    case = cases("oracles")["gwet-raw4"]
    found = stats.gwet_ac(np.array(case["input"]["units_x_raters"], dtype=float).T, weights, interval="analytic")
    assert [found.value, found.standard_error, found.low] == pytest.approx(golden, abs=1e-8)


def test_units_with_unequal_numbers_of_raters(cases):
    counts = cases("reports")["unequal-raters"]["input"]["counts"]
    # p_a = (1 + 1 + 1/3) / 3, π = (1 + 1 + 1/3) / 3 and 2/9: (63 - 53) / (81 - 53)
    assert stats.fleiss_kappa(counts, interval=None).value == pytest.approx(10 / 28)


def test_one_category_is_undefined_not_a_crash(cases):
    counts = cases("reports")["perfect-one-category"]["input"]["counts"]
    found = stats.fleiss_kappa(counts)
    assert np.isnan(found.value)
    assert "one category" in found.reason
    assert stats.percent_agreement([["x", "x"]] * 7, interval=None).value == 1.0
    assert stats.fleiss_kappa(counts, method="randolph", interval=None).value == 1.0  # two columns were declared
    assert "column for each" in stats.fleiss_kappa([[7], [7]], method="randolph").reason
    for two in (stats.cohen_kappa([1, 1], [1, 1]), stats.scott_pi([1, 1], [1, 1])):
        assert np.isnan([two.value, two.low, two.standard_error]).all()
        assert "one" in two.reason
    assert np.isnan(stats.cohen_kappa_test([1, 1], [1, 1]).p)
    # one category each, but not the same: no agreement, none expected
    assert stats.cohen_kappa([1, 1], [2, 2], interval=None).value == 0.0


def test_missing_is_no_category(cases):
    values = cases("reports")["none-as-label"]["input"]["values"]
    assert stats.fleiss_kappa(stats.rating_counts(values), interval=None).value == 1.0
    found = stats.cohen_kappa(["x", None, "y", "x"], ["x", "y", float("nan"), "x"])
    assert (found.n, found.n_dropped) == (2, 2)
    assert stats.cohen_kappa([None, 1], [1, None]).reason == "no unit was judged by both"
    assert stats.rating_counts([[None], [None]]).shape == (1, 0)


def test_counts_out_of_ratings():
    judged = Ratings("c", ("Ann", "Bo"), ("s",), ("i", "j"), [0, 1, 0], [0, 0, 0], [0, 0, 1], [3, 1, 3])
    counts = stats.rating_counts(judged, categories=[1, 2, 3])
    assert counts.columns.tolist() == [1, 2, 3]
    assert counts.to_numpy().tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.raises(OptionError, match=r"so also 3"):
        stats.rating_counts(judged, categories=[1, 2])


@pytest.mark.parametrize("measure", [stats.cohen_kappa, stats.scott_pi])
def test_shapes_of_two_raters(measure):
    with pytest.raises(ShapeError, match="3 and 2 judgments were given; equal numbers"):
        measure([1, 2, 3], [1, 2])
    with pytest.raises(ShapeError, match=r"shape \(2, 2\) was given; \(n_units,\) is allowed"):
        measure([[1, 2], [1, 2]], [1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "quadratc"}, "did you mean 'quadratic'"),
        ({"weights": "linear"}, "labels have none; declare their order"),
        ({"weights": "linear", "spacing": "index"}, "labels without an order"),
        ({"spacing": "values"}, "did you mean 'value'"),
        ({"categories": ["x"]}, "so also 'y'"),
        ({"categories": ["x", "y", "x"]}, "each category once"),
        ({"interval": "anlytic"}, "did you mean 'analytic'"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(OptionError, match=message):
        stats.cohen_kappa(["x", "y"], ["x", "x"], **options)


def test_counts_that_are_none():
    with pytest.raises(ShapeError, match=r"counts 0\.5, -1\.0 were given; whole numbers"):
        stats.fleiss_kappa([[0.5, 2], [-1, 2]])
    with pytest.raises(ShapeError, match=r"shape \(2,\) were given"):
        stats.fleiss_kappa([1, 2])
    with pytest.raises(OptionError, match="did you mean 'randolph'"):
        stats.fleiss_kappa([[1, 2]], method="randolf")


def test_the_bootstrap_of_kappa_is_that_of_pairs():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 200)
    b = np.where(rng.random(200) < 0.7, a, rng.integers(0, 3, 200))
    drawn = stats.cohen_kappa(a, b, interval="bootstrap", resamples=4000, rng=3)
    exact = stats.cohen_kappa(a, b)
    assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.06)
    assert [drawn.low, drawn.high] == pytest.approx([exact.low, exact.high], abs=0.02)


@pytest.mark.slow
def test_analytic_intervals_of_kappa_cover():
    rng = np.random.default_rng(2)
    share = np.array([0.5, 0.3, 0.2])
    # both say the truth with probability 0.8, else guess by the shares: kappa is 0.8² in the population
    covered = 0
    for _ in range(1500):
        truth = rng.choice(3, 150, p=share)
        a, b = (np.where(rng.random(150) < 0.8, truth, rng.choice(3, 150, p=share)) for _ in range(2))
        found = stats.cohen_kappa(a, b)
        covered += found.low <= 0.64 <= found.high
    assert 0.93 < covered / 1500 < 0.97
