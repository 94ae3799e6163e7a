"""Two correlations that share a variable: published values, symmetries, what is undefined, coverage and level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from validate import stats
from validate.errors import OptionError

Case = dict[str, Any]


def test_published_values(cases: Callable[[str], dict[str, Case]]) -> None:
    known = cases("oracles")["williams"]
    test = stats.williams(**known["input"])
    assert test.p == pytest.approx(known["expected"]["p_two_sided"], abs=known["tol"])
    assert round(test.statistic, 2) == known["expected"]["t"]
    known = cases("oracles")["steiger-overlap"]
    test = stats.steiger(**known["input"])
    assert test.statistic == pytest.approx(known["expected"], abs=known["tol"])
    assert test.p == pytest.approx(2 * scipy.stats.norm.sf(0.8887185), abs=1e-6)


def test_williams_by_hand() -> None:
    """r12 = 0.8, r13 = 0.6, r23 = 0.5, n = 23: |R| = 1 - 0.64 - 0.36 - 0.25 + 0.48 = 0.23; mean 0.7.

    t = 0.2 sqrt(22 * 1.5 / (2 * 0.23 * 22/20 + 0.49 * 0.125)) = 0.2 sqrt(33 / 0.56725)
    """
    test = stats.williams(0.8, 0.6, 0.5, 23)
    assert test.statistic == pytest.approx(0.2 * np.sqrt(33 / 0.56725))
    assert test.p == pytest.approx(2 * scipy.stats.t.sf(test.statistic, 20))


def test_zou_by_hand() -> None:
    """Independent estimates (the shared part is 0 when r23 = 0 and r12 r13 = 0): the ends are the root of summed squared distances."""
    found = stats.zou_interval(0.5, 0.0, 0.0, 28)
    reach = scipy.stats.norm.ppf(0.975) / 5
    low12, high12 = np.tanh(np.arctanh(0.5) - reach), np.tanh(np.arctanh(0.5) + reach)
    end = np.tanh(reach)
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - np.hypot(0.5 - low12, end))
    assert found.high == pytest.approx(0.5 + np.hypot(high12 - 0.5, end))
    assert (found.n, found.confidence_level) == (28, 0.95)


@pytest.mark.parametrize("test", [stats.williams, stats.steiger])
def test_exchanging_the_two_turns_the_sign(test: Callable[..., Any]) -> None:
    forth, back = test(0.7, 0.4, 0.3, 40), test(0.4, 0.7, 0.3, 40)
    assert forth.statistic == -back.statistic > 0
    assert forth.p == back.p
    assert test(0.5, 0.5, 0.2, 10).p == 1.0


def test_exchanging_the_two_mirrors_the_interval() -> None:
    forth, back = stats.zou_interval(0.7, 0.4, 0.3, 40), stats.zou_interval(0.4, 0.7, 0.3, 40)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low))
    wide = stats.zou_interval(0.7, 0.4, 0.3, 40, confidence=0.99)
    assert wide.low < forth.low < forth.value < forth.high < wide.high


def test_undefined_is_nan_with_a_reason() -> None:
    for test in (stats.williams, stats.steiger):
        same = test(0.5, 0.5, 1.0, 20)  # metric 2 is metric 3
        assert np.isnan([same.statistic, same.p]).all()
        assert same.reason
    assert np.isnan(stats.steiger(1.0, 0.5, 0.5, 20).p)
    perfect = stats.zou_interval(1.0, 0.5, 0.5, 20)
    assert perfect.value == 0.5
    assert np.isnan([perfect.low, perfect.high]).all()
    assert perfect.reason


def test_input_is_checked() -> None:
    with pytest.raises(OptionError, match=r"williams: r12=1\.2"):
        stats.williams(1.2, 0.5, 0.5, 20)
    with pytest.raises(OptionError, match="steiger: n=3"):
        stats.steiger(0.2, 0.5, 0.5, 3)
    with pytest.raises(OptionError, match=r"no three variables can have these correlations \(determinant -2\.888"):
        stats.zou_interval(0.9, -0.9, 0.9, 20)
    with pytest.raises(OptionError, match="zou_interval: confidence=95"):
        stats.zou_interval(0.9, 0.8, 0.9, 20, confidence=95)


@pytest.mark.slow
def test_level_and_coverage() -> None:
    """r12 = r13 = 0.6, r23 = 0.4, n = 30, 2,000 samples: p uniform (Kolmogorov-Smirnov), the interval covers. Found: see the asserts."""
    rng = np.random.default_rng(1)
    matrix = np.array([[1, 0.6, 0.6], [0.6, 1, 0.4], [0.6, 0.4, 1]])
    p: dict[str, list[float]] = {"williams": [], "steiger": []}
    covered = 0
    for _ in range(2000):
        r = np.corrcoef(rng.multivariate_normal(np.zeros(3), matrix, size=30).T)
        p["williams"].append(stats.williams(r[0, 1], r[0, 2], r[1, 2], 30).p)
        p["steiger"].append(stats.steiger(r[0, 1], r[0, 2], r[1, 2], 30).p)
        interval = stats.zou_interval(r[0, 1], r[0, 2], r[1, 2], 30)
        covered += interval.low <= 0 <= interval.high
    for values in p.values():
        assert scipy.stats.kstest(values, "uniform").pvalue > 0.01
    assert 0.94 <= covered / 2000 <= 0.96
