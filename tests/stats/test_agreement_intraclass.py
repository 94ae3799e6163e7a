"""Intraclass correlations: published values, both names, missing cells against written-out least squares, intervals, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import stats
from validate.errors import OptionError, ShapeError
from validate.schema import Ratings
from validate.stats import multinomial
from validate.stats.agreement import components, intraclass
from validate.stats.agreement.judgments import judgments

NAMES = dict(zip(intraclass.FORMS, intraclass.ALSO_CALLED, strict=True))


def shrout_fleiss(cases):
    case = cases("oracles")["shrout-fleiss"]
    return np.array(case["input"]["targets_x_judges"], dtype=float).T, case


def test_shrout_and_fleiss_own_example(cases):
    values, case = shrout_fleiss(cases)
    for form, expected in case["expected"].items():
        if form != "CI95":
            assert stats.icc(values, form=form).value == pytest.approx(expected, abs=case["tol"])
    for form, ends in case["expected"]["CI95"].items():
        found = stats.icc(values, form=form)
        assert [round(found.low, 2), round(found.high, 2)] == ends


# pingouin 0.6.1, intraclass_corr: rows in the order of FORMS; it rounds intervals to two digits
ONE = [[0.55, 0.57, -0.08], [0.12, 1.22, 1.17], [-0.35, 1.79, 1.19], [-6.05, -4.66, -3.26], [0.65, 1.86, 1.55], [2.27, -0.38, 0.03],
       [0.23, -0.59, -0.89], [-0.09, -0.65, 0.85], [0.1, -0.66, -0.44], [-0.22, -0.52, 0.01], [-0.58, -0.07, -0.93], [0.95, 1.82, 0.93]]  # fmt: skip
GOLDEN = {
    "ICC(1,1)": (0.7815867583390453, 0.54, 0.92),
    "ICC(2,1)": (0.7804889579749208, 0.53, 0.92),
    "ICC(3,1)": (0.7688949743447573, 0.51, 0.92),
    "ICC(1,k)": (0.9147879610023354, 0.78, 0.97),
    "ICC(2,k)": (0.9142862417290059, 0.77, 0.97),
    "ICC(3,k)": (0.9089345334610602, 0.76, 0.97),
}


@pytest.mark.parametrize("form", GOLDEN)
def test_values_and_intervals_of_pingouin(form):
    found = stats.icc(np.transpose(ONE), form=form)
    value, low, high = GOLDEN[form]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (round(found.low, 2), round(found.high, 2)) == (low, high)


@pytest.mark.parametrize("form", NAMES)
def test_both_names_are_one_form(cases, form):
    values, _ = shrout_fleiss(cases)
    one, other = stats.icc(values, form=form), stats.icc(values, form=NAMES[form])
    assert one == other
    assert one.method.startswith(f"{form} = {NAMES[form]} (")
    assert stats.icc(values, form=form.lower().replace(",", ", ")) == one


def test_the_mean_of_any_number_of_raters_is_spearman_brown(cases):
    values, _ = shrout_fleiss(cases)
    for form in ("ICC(1,{})", "ICC(A,{})", "ICC(C,{})"):
        single = stats.icc(values, form=form.format(1))
        for k in (2, 10):
            mean = stats.icc(values, form=form.format(k))
            expected = stats.spearman_brown(single.value, factor=k)
            assert mean.value == pytest.approx(float(expected))
            assert mean.high == pytest.approx(k * single.high / (1 + (k - 1) * single.high))
    # the lower end of ICC(1,1) is -0.13: the mean of ten would need 1 + 9 * -0.13 > 0
    assert stats.icc(values, form="ICC(1,10)").low == -np.inf


def test_a_rater_who_is_always_one_above():
    # σ_u² = 1 (1, 2, 3), σ_r² = 1/2 (levels 0 and 1), no error
    values = [[1, 2, 3], [2, 3, 4]]
    assert stats.icc(values, form="ICC(3,1)").value == 1.0
    assert (stats.icc(values, form="ICC(3,1)").low, stats.icc(values, form="ICC(3,1)").high) == (1.0, 1.0)
    assert stats.icc(values, form="ICC(2,1)").value == pytest.approx(2 / 3)
    assert stats.icc(values, form="ICC(2,k)").value == pytest.approx(4 / 5)


def test_missing_cells_by_hand():
    # Units (1, 2, 3), (2, 4, -), one-way. MS within = (2 + 2) / 3 = 4/3; means 2 and 3, grand 12/5:
    # SS between = 3 (2/5)² + 2 (3/5)² = 6/5; N - Σ k²/N = 5 - 13/5 = 12/5; σ_u² = (6/5 - 4/3) / (12/5) = -1/18
    found = stats.icc([[1, 2], [2, 4], [3, np.nan]], form="ICC(1,1)", interval=None)
    assert found.value == pytest.approx((-1 / 18) / (4 / 3 - 1 / 18))
    assert (found.n, found.n_dropped) == (2, 0)


def plain_components(values):
    """Henderson's method III with least squares on dummies, and its expectations by traces."""
    rater, unit = np.nonzero(~np.isnan(values))
    y = values[rater, unit]
    units, raters = np.eye(values.shape[1])[unit], np.eye(values.shape[0])[rater]
    full = np.hstack([units, raters])

    def fit(design):
        return design @ np.linalg.pinv(design)

    hat, by_units, by_raters = fit(full), fit(units), fit(raters)
    rest = np.eye(len(y)) - hat
    error = y @ rest @ y / np.trace(rest)

    def component(removed, design):
        quadratic = hat - removed
        return (y @ quadratic @ y - error * np.trace(quadratic)) / np.trace(quadratic @ design @ design.T)

    return component(by_raters, units), component(by_units, raters), error


@st.composite
def studies(draw):
    n_raters, n_units = draw(st.integers(2, 5)), draw(st.integers(3, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    values = np.round(rng.normal(size=(n_raters, n_units)) * 2 + rng.normal(size=n_units) * draw(st.integers(0, 3)), 1)
    values[rng.random(values.shape) < draw(st.sampled_from([0, 0.2, 0.5]))] = np.nan
    return values


@given(studies(), st.sampled_from(["ICC(2,1)", "ICC(3,1)"]))
def test_components_are_hendersons(values, form):
    kept = values[~np.isnan(values).all(axis=1)][:, ~np.isnan(values).all(axis=0)]
    found = stats.icc(values, form=form, interval=None)
    if np.isnan(found.value):
        assert found.reason
        return
    unit, rater, error = plain_components(kept)
    noise = error + rater if form == "ICC(2,1)" else error
    assert found.value == pytest.approx(unit / (unit + noise), rel=1e-6, abs=1e-8)


@given(studies(), st.sampled_from(intraclass.FORMS), st.sampled_from([0.01, 1000.0]))
def test_scale_and_place_do_not_matter(values, form, factor):
    one = stats.icc(values, form=form)
    other = stats.icc(values * factor - 3 * factor, form=form)
    if abs(one.value) < 10:  # near the pole where all variances cancel, rounding is all there is
        assert [one.value, one.low] == pytest.approx([other.value, other.low], rel=1e-5, abs=1e-7, nan_ok=True)


def test_digits_hold_far_from_zero():
    near = np.array([[1, 2, 3, 3], [1, 3, 3, 2], [2, 2, 4, np.nan]])
    for form in intraclass.FORMS:
        far = stats.icc(near / 1024 + 4e6, form=form).value  # exact in binary
        assert far == pytest.approx(stats.icc(near, form=form).value, rel=1e-8)


@pytest.mark.parametrize("form", intraclass.FORMS)
def test_the_influence_is_the_derivative(form):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5, 20)) + rng.normal(size=20) + rng.normal(size=(5, 1))
    values[rng.random(values.shape) < 0.4] = np.nan
    table, wanted = components.cells(judgments("test", values)), intraclass._parse("test", form)
    for unit, expected in enumerate(intraclass._influence(table, wanted)):
        change = np.zeros((len(table.size), 1))
        change[unit] = 1e-5
        more, less = (intraclass._value(table, 1 + sign * change, wanted)[0] for sign in (1, -1))
        assert expected == pytest.approx((more - less) / 2e-5, abs=1e-8)


@pytest.mark.parametrize("form", ["ICC(1,k)", "ICC(A,1)"])
def test_the_bootstrap_is_that_of_columns_drawn_one_by_one(form):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 12)) + rng.normal(size=12)
    values[0, :4] = np.nan
    drawn = np.concatenate(list(multinomial.resampled_counts(np.ones(12, np.int64), 40, np.random.default_rng(3))))
    plain = [
        stats.icc(np.repeat(values, counts.astype(int), axis=1), form=form, interval=None).value for counts in drawn
    ]
    found = stats.icc(values, form=form, interval="percentile", resamples=40, rng=3)
    assert [found.low, found.high] == pytest.approx(list(np.quantile(plain, [0.025, 0.975])), abs=1e-9)


def test_the_size_of_blocks_changes_no_digit(monkeypatch):
    values = np.random.default_rng(2).normal(size=(4, 60)).round(1)
    values[0, :20] = np.nan
    whole = [stats.icc(values, form=form, interval="bootstrap", resamples=50) for form in intraclass.FORMS]
    for size in (1, 500):
        monkeypatch.setattr(multinomial, "_CELLS", size)
        assert [stats.icc(values, form=form, interval="bootstrap", resamples=50) for form in intraclass.FORMS] == whole


def test_ratings_are_taken_as_they_are(cases):
    values, _ = shrout_fleiss(cases)
    annotator, item = np.nonzero(values > 0)
    judged = Ratings("c", tuple("abcd"), ("s",), tuple("ijklmn"), annotator, [0] * 24, item, values[annotator, item])
    assert stats.icc(judged, form="ICC(2,1)") == stats.icc(values, form="ICC(2,1)")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1, 1, 1], [1, 1, 1]], "do not vary"),
        ([[1, 2, 3]], "no unit has two judgments"),
        (np.full((2, 3), np.nan), "no unit has two judgments"),
        (
            [[1, np.nan], [2, np.nan], [np.nan, 3]],
            "too few overlap",
        ),  # two judgments of one unit by two raters: no error left
        ([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], "do not vary"),
    ],
)
def test_what_is_undefined_says_why(values, reason):
    found = stats.icc(values)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert reason in found.reason


def test_wrong_ways_to_ask():
    with pytest.raises(OptionError, match=r"did you mean 'ICC\(2,1\)'.*ICC\(A,1\)"):
        stats.icc([[1, 2], [1, 2]], form="ICC2,1")
    with pytest.raises(OptionError, match="labels; numbers are allowed"):
        stats.icc([["a", "b"], ["a", "b"]])
    with pytest.raises(ShapeError, match="one row a rater"):
        stats.icc([1, 2, 3])
    with pytest.raises(OptionError, match="did you mean 'analytic'"):
        stats.icc([[1, 2], [1, 3]], interval="analytc")


@pytest.mark.slow
@pytest.mark.parametrize("design", ["all", "holes", "three of twelve", "uneven"])
def test_f_intervals_cover_with_and_without_missing_cells(design):
    rng = np.random.default_rng(5)
    n_raters, n_units = {"three of twelve": (12, 60), "uneven": (6, 60)}.get(design, (5, 50))
    truth = {"ICC(A,1)": 1 / 2.3, "ICC(C,1)": 1 / 2}  # variances 1 of units, 0.3 of raters, 1 of error
    covered = dict.fromkeys(truth, 0)
    for _ in range(600):
        values = rng.normal(size=(n_raters, n_units)) + rng.normal(size=n_units)
        values += rng.normal(size=(n_raters, 1)) * np.sqrt(0.3)
        place = np.argsort(np.argsort(rng.random(values.shape), axis=0), axis=0)
        kept = {"all": n_raters, "three of twelve": 3, "uneven": rng.choice([1, 2, 5], n_units)}.get(design)
        values[rng.random(values.shape) < 0.3 if kept is None else place >= kept] = np.nan
        for form, expected in truth.items():
            found = stats.icc(values, form=form)
            covered[form] += found.low <= expected <= found.high
    for form in truth:
        assert 0.925 < covered[form] / 600 < 0.98, (form, covered[form])
