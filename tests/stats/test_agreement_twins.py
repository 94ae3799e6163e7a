"""Agreement against written-out twins and the krippendorff package, its intervals against draws one by one, its size and coverage."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import stats
from validate.stats import multinomial
from validate.stats.agreement.disagreement import influence
from validate.stats.agreement.units import unit_counts

MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")

judged = st.one_of(st.just(np.nan), st.integers(0, 4).map(float), st.sampled_from([0.5, 2.25]))


@st.composite
def studies(draw):
    n_raters, n_units = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    return np.array(
        draw(st.lists(st.lists(judged, min_size=n_units, max_size=n_units), min_size=n_raters, max_size=n_raters))
    )


def plain_alpha(values, measurement):
    """Alpha from the definition: all ordered pairs of judgments, inside units and at large."""
    units = [column[~np.isnan(column)] for column in values.T]
    units = [unit for unit in units if len(unit) > 1]
    pool = np.concatenate([np.zeros(0), *units])

    def distance(a, b):
        if measurement == "nominal":
            return float(a != b)
        if measurement == "interval":
            return (a - b) ** 2
        if measurement == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        low, high = min(a, b), max(a, b)
        between = sum(low <= x <= high for x in pool) - (sum(pool == low) + sum(pool == high)) / 2
        return between**2 if low < high else 0.0

    n = len(pool)
    observed = sum(sum(distance(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    expected = sum(distance(a, b) for a, b in itertools.permutations(pool, 2))
    return 1 - (n - 1) * observed / expected if expected else np.nan


def plain_ac(values, weights=None):
    """Gwet's coefficient from the definition."""
    scale = np.unique(values[~np.isnan(values)])
    q = len(scale)
    place = {value: k for k, value in enumerate(scale)}

    def credit(a, b):
        if weights is None or a == b:
            return float(a == b)
        if weights == "ordinal":
            steps = abs(place[a] - place[b])
            return 1 - (steps + 1) * steps / (q * (q - 1))
        relative = abs(a - b) / (scale[-1] - scale[0])
        return 1 - (relative if weights == "linear" else relative**2)

    units = [column[~np.isnan(column)] for column in values.T]
    pairs = [np.mean([credit(a, b) for a, b in itertools.permutations(unit, 2)]) for unit in units if len(unit) > 1]
    if not pairs or q < 2:
        return np.nan
    shares = [np.mean([(unit == value).mean() for unit in units if len(unit)]) for value in scale]
    total = sum(credit(a, b) for a in scale for b in scale)
    chance = total * sum(share * (1 - share) for share in shares) / (q * (q - 1))
    return (np.mean(pairs) - chance) / (1 - chance)


def plain_percent(values):
    units = [column[~np.isnan(column)] for column in values.T]
    pairs = [np.mean([a == b for a, b in itertools.permutations(unit, 2)]) for unit in units if len(unit) > 1]
    return np.mean(pairs) if pairs else np.nan


@given(studies(), st.sampled_from(MEASUREMENTS))
def test_alpha_is_its_definition(values, measurement):
    found = stats.krippendorff_alpha(values, measurement, interval=None)
    assert found.value == pytest.approx(plain_alpha(values, measurement), abs=1e-12, nan_ok=True)
    assert np.isnan(found.value) == bool(found.reason)


@given(studies(), st.sampled_from([None, "linear", "quadratic", "ordinal"]))
def test_ac_is_its_definition(values, weights):
    found = stats.gwet_ac(values, weights, interval=None)
    assert found.value == pytest.approx(plain_ac(values, weights), abs=1e-12, nan_ok=True)


@given(studies())
def test_percent_agreement_is_its_definition(values):
    found = stats.percent_agreement(values, interval=None)
    assert found.value == pytest.approx(plain_percent(values), abs=1e-12, nan_ok=True)


@given(studies(), st.sampled_from(MEASUREMENTS))
def test_alpha_equals_the_krippendorff_package(library, values, measurement):
    package = library("krippendorff")
    expected = np.nan
    sizes = (~np.isnan(values)).sum(axis=0)
    if len(np.unique(values[:, sizes > 1][~np.isnan(values[:, sizes > 1])])) > 1:  # else it raises or divides 0 by 0
        expected = package.alpha(values, level_of_measurement=measurement)
    found = stats.krippendorff_alpha(values, measurement, interval=None)
    assert found.value == pytest.approx(expected, abs=1e-10, nan_ok=True)


@given(studies(), st.sampled_from(MEASUREMENTS), st.randoms(use_true_random=False))
def test_order_of_raters_and_units_does_not_matter(values, measurement, random):
    rows, columns = list(range(values.shape[0])), list(range(values.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    one = stats.krippendorff_alpha(values, measurement, interval=None).value
    other = stats.krippendorff_alpha(values[rows][:, columns], measurement, interval=None).value
    assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


@given(studies())
def test_what_a_measurement_ignores_changes_nothing(values):
    def alpha(changed, measurement):
        return pytest.approx(stats.krippendorff_alpha(changed, measurement, interval=None).value, abs=1e-9, nan_ok=True)

    assert alpha(values, "nominal") == stats.krippendorff_alpha(10 - values, interval=None).value
    assert alpha(values, "ordinal") == stats.krippendorff_alpha(np.exp(values), "ordinal", interval=None).value
    assert alpha(values, "interval") == stats.krippendorff_alpha(3 * values - 7, "interval", interval=None).value
    assert alpha(values, "ratio") == stats.krippendorff_alpha(3 * values, "ratio", interval=None).value


def a_study(seed=0, n_raters=4, n_units=25):
    rng = np.random.default_rng(seed)
    values = np.clip(rng.integers(0, 4, n_units) + rng.integers(-1, 2, (n_raters, n_units)), 0, 4).astype(float)
    values[rng.random(values.shape) < 0.3] = np.nan
    return values


def coincident_alpha(units, weight, measurement):
    """Alpha from the matrix of coincidences, for any weights of the kinds of units."""
    table = sum(
        w * (np.outer(row, row) - np.diag(row)) / (row.sum() - 1)
        for w, row in zip(weight, units.counts.toarray(), strict=True)
    )
    n = table.sum(axis=0)
    position = np.cumsum(n) - n / 2 if measurement == "ordinal" else units.values
    difference = position[:, None] - position
    if measurement == "nominal":
        difference = (difference != 0).astype(float)
    if measurement == "ratio":
        total = position[:, None] + position
        difference = np.divide(difference, total, out=np.zeros_like(total), where=total > 0)
    return 1 - (n.sum() - 1) * (table * difference**2).sum() / (np.outer(n, n) * difference**2).sum()


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_the_influence_is_the_derivative(measurement):
    units = unit_counts("test", a_study()).pairable()
    found, step = influence(units, measurement), 1e-6
    for kind, expected in enumerate(found):
        change = np.zeros(len(found))
        change[kind] = step
        more, less = (coincident_alpha(units, units.multiplicity + sign * change, measurement) for sign in (1, -1))
        assert expected == pytest.approx((more - less) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@pytest.mark.parametrize("n_units", [8, 2000])  # drawn unit by unit, and kind by kind
def test_the_bootstrap_is_that_of_units_drawn_one_by_one(measurement, n_units):
    units = unit_counts("test", a_study(n_units=n_units, n_raters=2)).pairable()
    drawn = np.concatenate(list(multinomial.resampled_counts(units.multiplicity, 60, np.random.default_rng(3))))
    assert (drawn.sum(axis=1) == units.n_pairable).all()
    alphas = [coincident_alpha(units, counts, measurement) for counts in drawn]
    values = a_study(n_units=n_units, n_raters=2)
    found = stats.krippendorff_alpha(values, measurement, interval="percentile", resamples=60, rng=3)
    assert [found.low, found.high] == pytest.approx(list(np.nanquantile(alphas, [0.025, 0.975])), abs=1e-12)


def test_counts_are_drawn_as_often_as_units_occur():
    for multiplicity in (np.array([500, 300, 200]), np.array([3, 2, 1])):  # by kinds, by units
        drawn = np.concatenate(list(multinomial.resampled_counts(multiplicity, 4000, np.random.default_rng(0))))
        n = multiplicity.sum()
        share = multiplicity / n
        error = np.sqrt(n * share * (1 - share) / 4000)
        assert (np.abs(drawn.mean(axis=0) - multiplicity) < 4 * error).all()
        covariance = -n * share[0] * share[1]
        assert np.cov(drawn.T)[0, 1] == pytest.approx(covariance, rel=0.15)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_the_size_of_blocks_changes_no_digit(monkeypatch, measurement):
    values = a_study(n_units=300)
    whole = [stats.krippendorff_alpha(values, measurement, resamples=101), stats.gwet_ac(values, resamples=101)]
    for cells in (1, 700, 5_000):
        monkeypatch.setattr(multinomial, "_CELLS", cells)
        assert [
            stats.krippendorff_alpha(values, measurement, resamples=101),
            stats.gwet_ac(values, resamples=101),
        ] == whole


def test_bca_by_the_book():
    # Efron (1987): ends at Φ(z0 + (z0 ± z) / (1 - a (z0 ± z))), here with everything from plain sums
    from scipy.stats import norm

    values = a_study(n_units=60, n_raters=2)
    values = values[:, ~np.isnan(values).any(axis=0)]
    agree = (values[0] == values[1]).astype(float)
    units = unit_counts("test", values)
    drawn = np.concatenate(list(multinomial.resampled_counts(units.multiplicity, 500, np.random.default_rng(0))))
    share = (np.diff(units.counts.indptr) == 1).astype(float)
    replicates = drawn @ share / len(agree)
    estimate = agree.mean()
    below = np.mean(replicates < estimate - 1e-9) + np.mean(np.abs(replicates - estimate) < 1e-9) / 2
    bias, pull = norm.ppf(below), agree - estimate
    acceleration = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    ends = [bias + norm.ppf(tail) for tail in (0.025, 0.975)]
    tails = [norm.cdf(bias + end / (1 - acceleration * end)) for end in ends]
    found = stats.percent_agreement(values, resamples=500)
    assert [found.low, found.high] == pytest.approx(list(np.quantile(replicates, tails)))


def test_a_thousand_replicates_of_ten_thousand_units_in_no_time():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 10_000)
    values = np.where(rng.random((5, 10_000)) < 0.6, truth, rng.integers(1, 6, (5, 10_000))).astype(float)
    stats.krippendorff_alpha(values)
    started = time.perf_counter()
    stats.krippendorff_alpha(values, "ordinal")
    assert time.perf_counter() - started < 0.5  # 0.02 s on a free machine


_LARGE = """
from pathlib import Path
import numpy as np
def peak():  # of this process image; ru_maxrss would hold that of the process that started it as well
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")) / 1024
from validate import stats
from validate.schema import Ratings
rng = np.random.default_rng(0)
n_outputs, n_annotators = 500_000, 10_000  # a dense array would take 40 GB
output = np.repeat(np.arange(n_outputs), 2)
latent = rng.normal(size=n_outputs)[output] + rng.normal(size=len(output))
ratings = Ratings("c", tuple(map(str, range(n_annotators))), ("a", "b"), tuple(map(str, range(n_outputs // 2))),
                  rng.integers(n_annotators // 2, size=len(output)) * 2 + np.tile([0, 1], n_outputs), output % 2, output // 2,
                  np.clip(np.round(latent * 10 + 50), 0, 100))
before = peak()
for measure in (stats.percent_agreement, stats.krippendorff_alpha, stats.gwet_ac):
    assert measure(ratings).n == n_outputs
assert stats.krippendorff_alpha(ratings, "ordinal").value > 0.4
assert len(stats.annotator_table(ratings)) == n_annotators
print(peak() - before)
"""


@pytest.mark.slow
def test_a_million_judgments_need_no_dense_array():
    done = subprocess.run([sys.executable, "-c", _LARGE], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 500  # MB on top of the judgments themselves


def a_population(kind, n, n_raters, q, reliability, rng):
    """Raters who copy the unit's class or guess; or who see a latent value with noise."""
    if kind == "nominal":
        shares = {2: [0.8, 0.2], 3: [0.6, 0.3, 0.1]}[q]
        truth, guess = rng.choice(q, size=n, p=shares), rng.choice(q, size=(n_raters, n), p=shares)
        return np.where(rng.random((n_raters, n)) < reliability, truth, guess).astype(float)
    latent = rng.normal(size=n) * np.sqrt(reliability) + rng.normal(size=(n_raters, n)) * np.sqrt(1 - reliability)
    return np.searchsorted([-0.84, -0.25, 0.25, 0.84], latent).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("reliability", [0.3, 0.8])
@pytest.mark.parametrize(
    ("kind", "q", "n_raters", "measurement"),
    [("nominal", 3, 3, "nominal"), ("ordinal", 5, 2, "ordinal"), ("ordinal", 5, 5, "interval")],
)
def test_intervals_cover_at_fifty_units(kind, q, n_raters, measurement, reliability):
    rng = np.random.default_rng([q, n_raters, int(10 * reliability)])
    truth = stats.krippendorff_alpha(
        a_population(kind, 400_000, n_raters, q, reliability, rng), measurement, interval=None
    ).value
    covered = {"bootstrap": 0, "percentile": 0, "analytic": 0}
    for seed in range(600):
        values = a_population(kind, 50, n_raters, q, reliability, rng)
        for interval in covered:
            found = stats.krippendorff_alpha(values, measurement, interval=interval, resamples=500, rng=seed)
            covered[interval] += found.low <= truth <= found.high
    # binomial error of 600 studies: 0.9 points
    assert covered["bootstrap"] / 600 > 0.92
    assert covered["bootstrap"] / 600 < 0.975
    assert covered["analytic"] / 600 > 0.91
    assert covered["percentile"] / 600 > 0.90
