"""Kendall's W: hand values, ties, rules for missing judgments, the bootstrap, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from validate import stats
from validate.errors import OptionError
from validate.stats import multinomial
from validate.stats.agreement.concordance import _Rankings


def plain_w(values):
    """12 S / (m² (n³ - n) - m Σ T) with scipy's ranks."""
    m, n = values.shape
    ranks = np.array([scipy_stats.rankdata(row) for row in values])
    squares = ((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    ties = sum((t**3 - t).sum() for t in (np.unique(row, return_counts=True)[1] for row in values))
    room = m * m * (n**3 - n) - m * ties
    return 12 * squares / room if room else np.nan


tables = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=2, max_size=5)
)


@given(tables)
def test_w_is_its_definition(rows):
    found = stats.kendall_w(rows, interval=None)
    assert found.value == pytest.approx(plain_w(np.array(rows)), abs=1e-12, nan_ok=True)
    assert np.isnan(found.value) == bool(found.reason)


def test_w_with_ties_by_hand():
    # ranks 1, 2.5, 2.5 and 1, 2, 3: sums 2, 4.5, 5.5 around 4: S = 4 + 1/4 + 9/4; T = 2³ - 2
    found = stats.kendall_w([[1, 2, 2], [1, 2, 3]], interval=None)
    assert found.value == pytest.approx(12 * 6.5 / (4 * 24 - 2 * 6))


def test_w_and_friedman_are_one():
    # Friedman's chi-square is m (n - 1) W, ties corrected
    values = np.random.default_rng(0).integers(0, 5, (4, 9))
    friedman = scipy_stats.friedmanchisquare(*values.T).statistic
    assert stats.kendall_w(values, interval=None).value == pytest.approx(friedman / (4 * 8))


def test_rules_for_missing_judgments():
    nan = np.nan
    values = np.array([[1, 2, 3, 4, nan], [2, 1, 3, 4, nan], [1, nan, 2, 3, nan]])
    whole = stats.kendall_w(values[:, [0, 2, 3]], interval=None).value
    by_units = stats.kendall_w(values, interval=None)
    assert (by_units.value, by_units.n, by_units.n_dropped) == (whole, 3, 2)
    by_raters = stats.kendall_w(values, missing="raters", interval=None)
    assert by_raters.value == pytest.approx(plain_w(values[:2, :4]))
    assert (by_raters.n, by_raters.n_dropped) == (4, 1)
    by_pairs = stats.kendall_w(values, missing="pairwise")
    # 1 and 2: 1 - 6 * 2 / (4 * 15) = 0.8; the third ranks what it has like both
    assert by_pairs.value == pytest.approx((1 + 2 * (0.8 + 1 + 1) / 3) / 3)
    assert (by_pairs.n_groups, by_pairs.n_undefined) == (3, 0)
    with pytest.raises(OptionError, match=r"4 of 15 cells are empty and missing='error'"):
        stats.kendall_w(values, missing="error")


def test_without_missing_judgments_the_rules_agree():
    values = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]])
    expected = stats.kendall_w(values)
    assert [stats.kendall_w(values, missing=rule) for rule in ("raters", "pairwise", "error")] == [expected] * 3


def test_pairs_of_raters_without_a_correlation_are_counted():
    nan = np.nan
    found = stats.kendall_w([[1, 2, 3, nan], [1, 2, nan, nan], [nan, nan, 1, 2]], missing="pairwise")
    assert found.value == 1.0  # the one pair with a correlation
    assert (found.n_groups, found.n_undefined) == (1, 2)
    assert "2 pairs of raters of 3" in found.reason


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1, 1, 1], [2, 2, 2]], "no rater tells"),
        ([[1, 2, 3]], "fewer than two raters or units"),
        ([[1, np.nan], [np.nan, 2]], "missing='pairwise'"),
        (np.full((2, 2), np.nan), "fewer than two"),
    ],
)
def test_what_is_undefined_says_why(values, reason):
    found = stats.kendall_w(values)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert reason in found.reason


def test_the_influence_is_the_derivative():
    rng = np.random.default_rng(0)
    table = _Rankings(np.round(rng.normal(size=(4, 15)) + rng.normal(size=15)), 0)
    for unit, expected in enumerate(table.influence()):
        change = np.zeros((15, 1))
        change[unit] = 1e-5
        more, less = (table.value(1 + sign * change)[0] for sign in (1, -1))
        assert expected == pytest.approx((more - less) / 2e-5, abs=1e-8)


def test_the_bootstrap_ranks_anew(monkeypatch):
    values = np.random.default_rng(1).integers(0, 6, (3, 12)).astype(float)
    drawn = np.concatenate(list(multinomial.resampled_counts(np.ones(12, np.int64), 50, np.random.default_rng(3))))
    plain = [plain_w(np.repeat(values, counts.astype(int), axis=1)) for counts in drawn]
    found = stats.kendall_w(values, interval="percentile", resamples=50, rng=3)
    assert [found.low, found.high] == pytest.approx(list(np.quantile(plain, [0.025, 0.975])), abs=1e-12)
    monkeypatch.setattr(multinomial, "_CELLS", 30)
    assert stats.kendall_w(values, interval="percentile", resamples=50, rng=3) == found


def test_wrong_ways_to_ask():
    with pytest.raises(OptionError, match="labels; numbers are allowed"):
        stats.kendall_w([["a", "b"], ["a", "b"]])
    with pytest.raises(OptionError, match="did you mean 'units'"):
        stats.kendall_w([[1, 2], [1, 2]], missing="unit")


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["bootstrap", "percentile", "analytic"])
def test_intervals_cover(interval):
    rng = np.random.default_rng(4)

    def study(n):
        return np.round(rng.normal(size=n) + rng.normal(size=(4, n)))

    truth = stats.kendall_w(study(300_000), interval=None).value
    found = [stats.kendall_w(study(150), interval=interval, resamples=300, rng=seed) for seed in range(400)]
    # binomial error of 400 studies: 1.1 points
    assert 0.925 < np.mean([one.low <= truth <= one.high for one in found]) < 0.975
