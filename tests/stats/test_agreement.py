"""Percent agreement, Krippendorff's alpha and Gwet's AC: published values, reports of users, what is undefined, errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError
from validate.schema import Preferences, Ratings

MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")
COEFFICIENTS = (stats.percent_agreement, stats.krippendorff_alpha, stats.gwet_ac)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_krippendorffs_own_example(cases, measurement):
    case = cases("oracles")["kripp-canonical"]
    found = stats.krippendorff_alpha(case["input"]["raters_x_units"], measurement)
    assert found.value == pytest.approx(case["expected"][measurement], abs=case["tol"])
    assert (found.n, found.n_dropped) == (11, 1)  # the last unit has one judgment
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", ["kripp-binary", "kripp-2x2-swap"])
def test_published_alphas(cases, name):
    case = cases("oracles")[name]
    found = stats.krippendorff_alpha(case["input"]["raters_x_units"], "nominal")
    assert found.value == pytest.approx(case["expected"], abs=case["tol"])


def test_gwets_own_example(cases):
    case = cases("oracles")["gwet-raw4"]
    values = np.array(case["input"]["units_x_raters"], dtype=float).T
    expected, tolerance = case["expected"], case["tol"]
    ac1 = stats.gwet_ac(values, interval="analytic")
    value, error = expected["AC1"]
    assert ac1.value == pytest.approx(value, abs=tolerance)
    # Gwet's variance with Student's t for the 12 units
    assert (ac1.value - ac1.low) / special.stdtrit(11, 0.975) == pytest.approx(error, abs=tolerance)
    assert ac1.high == 1.0  # 0.775 + 2.2 * 0.143 is more than there can be
    assert stats.percent_agreement(values).value == pytest.approx(expected["percent"], abs=1e-7)
    assert stats.krippendorff_alpha(values).value == pytest.approx(expected["krippendorff"][0], abs=tolerance)


def test_ordinal_alpha_is_krippendorffs(cases):
    # fast-krippendorff once gave 0.789, and irrCAC's "ordinal" is another quantity, 0.834
    values = cases("oracles")["kripp-canonical"]["input"]["raters_x_units"]
    assert cases("reports")["ordinal-alpha"]["right"] == "0.815"
    assert round(stats.krippendorff_alpha(values, "ordinal").value, 3) == 0.815


def test_one_category_left_is_undefined_with_a_reason(cases):
    values = cases("reports")["one-pairable-unit"]["input"]["values"]
    found = stats.krippendorff_alpha(values)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert "one category" in found.reason
    assert (found.n, found.n_dropped) == (1, 3)


def test_prevalence_alpha_as_it_is_and_the_others_beside(cases):
    values = cases("reports")["prevalence-paradox"]["input"]["values"]
    # one unit of five has 4 x 3 and 1 x 1, the rest are 5 x 3: pairs that agree 4*1 + (4*3)/(5*4) = 4.6 of 5 units
    assert stats.percent_agreement(values).value == pytest.approx(4.6 / 5)
    # D_o: that unit has 8 unequal ordered pairs / (5 - 1) = 2, over 25 judgments; D_e: 2 * 24 * 1 / (25 * 24)
    assert stats.krippendorff_alpha(values).value == pytest.approx(1 - (2 / 25) / (2 / 25))
    # AC1: shares 24/25 and 1/25, p_e = 2 * 24/625 = 48/625
    assert stats.gwet_ac(values).value == pytest.approx((0.92 - 0.0768) / (1 - 0.0768))


def test_missing_is_no_label(cases):
    values = cases("reports")["none-as-label"]["input"]["values"]
    assert stats.krippendorff_alpha(values).value == 1.0
    assert stats.percent_agreement(values).value == 1.0
    labels = [["x", "x", "y"], ["x", "x", None], [None, "x", "y"]]
    assert stats.krippendorff_alpha(labels).value == 1.0
    assert stats.krippendorff_alpha(np.array(labels, dtype=object)).value == 1.0


@pytest.mark.parametrize("interval", ["bootstrap", "percentile", "analytic"])
def test_perfect_agreement_is_certain(interval):
    found = stats.krippendorff_alpha([[1, 2, 3, 2], [1, 2, 3, 2]], "interval", interval=interval)
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_ordinal_alpha_by_hand():
    # units (1, 1), (2, 3): n = 2, 1, 1, midranks 1, 2.5, 3.5. D = 2 * 1 = 2 (m - 1 = 1).
    # E = 2 * (2 * 1.5² + 2 * 2.5² + 1²) = 2 * (4.5 + 12.5 + 1) = 36. alpha = 1 - 3 * 2 / 36 = 5/6
    assert stats.krippendorff_alpha([[1, 2], [1, 3]], "ordinal", interval=None).value == pytest.approx(5 / 6)


def test_interval_alpha_keeps_its_digits_far_from_zero():
    near = [[1, 2, 3, 3], [1, 3, 3, 2]]
    far = (np.array(near) / 1024 + 4e6).tolist()  # exact in binary
    expected = stats.krippendorff_alpha(near, "interval", interval=None).value
    assert stats.krippendorff_alpha(far, "interval", interval=None).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        # units (1, 2), (3, 3), (1, 3) on the scale 1, 2, 3; shares 2/6, 1/6, 3/6: Σ π (1 - π) = 8/36 + 5/36 + 9/36 = 22/36
        (None, (1 / 3 - 22 / 72) / (1 - 22 / 72)),  # p_a = 1/3, T_w = 3: p_e = 3/6 * 22/36
        # credits 1/2 for one step, 0 for two: p_a = (1/2 + 1 + 0) / 3, T_w = 3 + 4/2 = 5
        ("linear", (1.5 / 3 - 110 / 216) / (1 - 110 / 216)),
        # 3/4 for one step: p_a = 1.75 / 3, T_w = 3 + 4 * 3/4 = 6
        ("quadratic", (1.75 / 3 - 132 / 216) / (1 - 132 / 216)),
        # 1 - C(2, 2) / C(3, 2) = 2/3 for one step, 1 - C(3, 2) / C(3, 2) = 0 for two: p_a = (5/3) / 3, T_w = 3 + 4 * 2/3
        ("ordinal", (5 / 9 - (17 / 3) * 22 / 216) / (1 - (17 / 3) * 22 / 216)),
    ],
)
def test_gwets_weights_by_hand(weights, expected):
    values = [[1, 3, 1], [2, 3, 3]]
    assert stats.gwet_ac(values, weights, interval=None).value == pytest.approx(expected)


def test_a_declared_scale_decides_not_the_categories_that_occur():
    # everybody says 5 of 1 … 5: undefined without the scale, perfect with it
    values = [[5, 5, 5], [5, 5, 5]]
    alone = stats.gwet_ac(values)
    assert np.isnan(alone.value)
    assert "only one category" in alone.reason
    assert stats.gwet_ac(values, categories=[1, 2, 3, 4, 5]).value == 1.0
    # weights use values: a step from 1 to 2 on 1 … 10 costs 1/9, on 1, 2 all
    judged = [[1, 2, 1], [2, 2, 1]]
    wide = stats.gwet_ac(judged, "linear", categories=range(1, 11), interval=None).value
    assert wide > stats.gwet_ac(judged, "linear", interval=None).value


@pytest.mark.parametrize("measure", COEFFICIENTS)
@pytest.mark.parametrize("values", [np.full((2, 3), np.nan), np.empty((3, 0)), [[1.0, 2.0, 1.0]]])
def test_nothing_to_compare_is_undefined(measure, values):
    found = measure(values)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.reason == "no unit has two judgments"
    assert (found.n, found.n_dropped) == (0, np.shape(values)[1])


def test_undefined_replicates_are_counted_and_left_out():
    # in a replicate of 5 units, all five are (1, 1) with probability (4/5)^5 = 0.33
    found = stats.krippendorff_alpha([[1, 1, 1, 1, 2], [1, 1, 1, 1, 2]], resamples=2000)
    assert found.n_undefined / 2000 == pytest.approx(0.8**5, abs=0.04)
    assert f"{found.n_undefined:,} replicates of 2,000 undefined and left out" in found.reason
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize("measure", COEFFICIENTS)
def test_the_seed_decides_and_is_told(measure):
    values = np.random.default_rng(5).integers(1, 4, (3, 40)).astype(float)
    one, again, other = measure(values, rng=7), measure(values, rng=7), measure(values, rng=8)
    assert one == again
    assert (one.seed, one.n_resamples, one.confidence_level) == (7, 1000, 0.95)
    assert (one.low, one.high) != (other.low, other.high)
    assert measure(values, rng=np.random.default_rng(7)).seed is None
    narrow = measure(values, rng=7, confidence=0.5)
    assert one.low < narrow.low < narrow.high < one.high


@pytest.mark.parametrize("measure", COEFFICIENTS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "bootstap"}, "did you mean 'bootstrap'"),
        ({"confidence": 95}, "confidence=95 was given; allowed: a number between 0 and 1"),
        ({"resamples": 0}, "resamples=0 was given"),
    ],
)
def test_options_that_do_not_exist(measure, options, message):
    with pytest.raises(OptionError, match=message):
        measure([[1, 2], [1, 2]], **options)


@pytest.mark.parametrize("measure", COEFFICIENTS)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, 3], "give one row a rater"),
        ([[1, 2], [1]], "equal lengths are allowed"),
        (np.ones((2, 2, 2)), r"shape \(2, 2, 2\) were given; \(n_raters, n_units\) is allowed"),
        ([[1, np.inf], [1, 2]], "infinite number"),
    ],
)
def test_values_of_another_shape(measure, values, message):
    with pytest.raises(ShapeError, match=message):
        measure(values)


def test_levels_that_the_values_do_not_allow():
    labels = [["a", "b"], ["a", "a"]]
    with pytest.raises(OptionError, match="labels allow 'nominal'; give numbers"):
        stats.krippendorff_alpha(labels, "ordinal")
    with pytest.raises(OptionError, match=r"values -1.0 and measurement='ratio'; 0 and above is allowed"):
        stats.krippendorff_alpha([[-1, 2], [1, 1]], "ratio")
    with pytest.raises(OptionError, match="did you mean 'nominal'"):
        stats.krippendorff_alpha(labels, "nominl")
    with pytest.raises(OptionError, match="labels allow neither"):
        stats.gwet_ac(labels, "linear")
    with pytest.raises(OptionError, match="did you mean 'quadratic'"):
        stats.gwet_ac([[1, 2], [1, 2]], "quadratc")
    with pytest.raises(OptionError, match=r"so also 7.0"):
        stats.gwet_ac([[1, 7], [1, 2]], categories=[1, 2, 3])


def test_a_ratio_alpha_that_would_take_hours_is_refused():
    values = np.arange(40_002, dtype=float).reshape(2, -1)
    with pytest.raises(AccordError, match="40,002 different values"):
        stats.krippendorff_alpha(values, "ratio")


def test_records_and_arrays_say_the_same():
    ratings = Ratings(
        "fluency", ("Ann", "Bo", "Cy"), ("s", "t"), ("i", "j"),
        annotator=[0, 1, 2, 0, 1, 0, 2, 2], system=[0, 0, 0, 1, 1, 0, 0, 1], item=[0, 0, 0, 0, 0, 1, 1, 1],
        score=[1, 1, 2, 3, 4, 4, 4, 1],
    )  # fmt: skip
    for measurement in MEASUREMENTS:
        assert stats.krippendorff_alpha(ratings, measurement) == stats.krippendorff_alpha(
            ratings.by_unit(), measurement
        )
    assert stats.gwet_ac(ratings, "ordinal") == stats.gwet_ac(ratings.by_unit(), "ordinal")
    assert stats.percent_agreement(ratings) == stats.percent_agreement(ratings.by_unit())


def test_repeated_ratings_are_averaged_as_by_unit_does():
    ratings = Ratings("f", ("A", "B"), ("s",), ("i", "j"), [0, 0, 1, 0, 1], [0] * 5, [0, 0, 0, 1, 1], [1, 3, 2, 5, 5])
    # the first annotator's 1 and 3 of the first item are a 2
    assert stats.percent_agreement(ratings, interval=None).value == 1.0
    assert stats.krippendorff_alpha(ratings, "interval") == stats.krippendorff_alpha(ratings.by_unit(), "interval")


def seen(first, second, item, annotator, outcome, both_bad=None, systems=("A", "B", "C")):
    return Preferences(
        "quality", ("Ann", "Bo", "Cy"), systems, ("i", "j"), first, second, item, annotator, outcome,
        [False] * len(first) if both_bad is None else both_bad,
    )  # fmt: skip


def test_a_pair_seen_from_either_side_is_one_unit():
    judged = seen([0, 1, 0], [1, 0, 1], [0, 0, 0], [0, 1, 2], [1, -1, 1])
    assert stats.pairwise_ratings(judged).by_unit().tolist() == [[1.0], [1.0], [1.0]]
    assert stats.percent_agreement(judged, interval=None).value == 1.0
    # first shown as B–A: the label 1 then means B
    turned = seen([1, 0], [0, 1], [0, 0], [0, 1], [1, -1])
    assert stats.pairwise_ratings(turned).by_unit().tolist()[:2] == [[1.0], [1.0]]


def test_pairs_of_different_items_or_systems_are_different_units():
    judged = seen([0, 0, 0], [1, 1, 2], [0, 1, 0], [0, 0, 0], [1, 0, -1])
    ratings = stats.pairwise_ratings(judged)
    assert ratings.systems == ("A – B", "A – C")
    assert ratings.by_unit()[0].tolist() == [1.0, 0.0, -1.0]


@pytest.mark.parametrize(
    ("both_bad", "agree"),
    [("tie", 1.0), ("category", 0.0), ("missing", np.nan)],  # a tie and "both bad" of one unit
)
def test_both_bad_is_what_it_is_said_to_be(both_bad, agree):
    judged = seen([0, 0], [1, 1], [0, 0], [0, 1], [0, 0], [False, True])
    ratings = stats.pairwise_ratings(judged, both_bad=both_bad)
    found = stats.percent_agreement(ratings, interval=None).value
    assert found == pytest.approx(agree, nan_ok=True)


def test_of_several_judgments_of_one_pair_the_last_counts():
    judged = seen([0, 0, 1], [1, 1, 0], [0, 0, 0], [0, 1, 0], [1, -1, 1])  # Ann first A, then B
    assert stats.pairwise_ratings(judged).by_unit()[:2].tolist() == [[-1.0], [-1.0]]


def test_an_unknown_meaning_of_both_bad():
    with pytest.raises(OptionError, match="did you mean 'category'"):
        stats.pairwise_ratings(seen([0], [1], [0], [0], [1]), both_bad="categry")
