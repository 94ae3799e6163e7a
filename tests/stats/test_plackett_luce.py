"""Plackett–Luce and Elo: values of other programs, Bradley–Terry as a special case, twins, symmetries, errors; both bad."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from validate import stats
from validate.errors import AccordError, OptionError
from validate.schema import Preferences
from validate.stats.ranking import _rankings_kernels
from validate.stats.ranking.elo import POINTS, play
from validate.stats.ranking.rankings import collapse_rankings

# fmt: off
RANKINGS = [[0, 1, 2, 3], [1, 0, 3], [2, 0, 1], [3, 2], [0, 3, 1, 2], [4, 0, 2], [1, 4, 3, 0], [2, 4], [0, 1, 4, 2, 3],
            [3, 1, 0], [0, 2, 4]]
# fmt: on


@st.composite
def studies(draw):
    n = draw(st.integers(2, 5))
    ranking = st.permutations(range(n)).flatmap(lambda order: st.integers(2, n).map(lambda k: order[:k]))
    return draw(st.lists(ranking, min_size=1, max_size=15)), n


def plain_log_likelihood(rankings, strengths):
    """The definition: the best of those left is drawn with P ∝ e^λ, place by place."""
    return sum(
        strengths[ranking[place]] - np.logaddexp.reduce([strengths[k] for k in ranking[place:]])
        for ranking in rankings
        for place in range(len(ranking) - 1)
    )


def test_it_is_what_choix_finds():
    # choix 0.4.1, ilsr_rankings(5, RANKINGS, max_iter=10000, tol=1e-13), centred; mm_rankings gives the same eight digits
    expected = [0.42151021, 0.51206157, -0.38025615, -0.44692052, -0.10639511]
    fit = stats.plackett_luce(RANKINGS, 5)
    assert fit.strengths == pytest.approx(expected, abs=1e-8)
    assert fit.converged
    assert fit.n.tolist() == [9, 7, 8, 7, 5]
    assert (fit.method, fit.reason) == ("Plackett-Luce; sandwich over rankings", "")


def test_three_rankings_by_hand():
    # ABC, BCA, CAB: by symmetry all equal
    assert stats.plackett_luce([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3).strengths.tolist() == [0.0, 0.0, 0.0]


def test_another_optimiser_finds_the_same():
    found = optimize.minimize(lambda at: at @ at - plain_log_likelihood(RANKINGS, at), np.zeros(5), tol=1e-10).x
    # with the penalty the maximum has mean 0 as well; without it, the gradient of the plain likelihood vanishes at ours
    fit = stats.plackett_luce(RANKINGS, 5, interval=None).strengths
    assert found.sum() == pytest.approx(0.0, abs=1e-5)
    gradient = optimize.approx_fprime(fit, lambda at: plain_log_likelihood(RANKINGS, at), 1e-7)
    assert gradient == pytest.approx(np.zeros(5), abs=1e-5)


@pytest.mark.parametrize("options", [{}, {"prior": 1.5}, {"cluster": np.arange(40) // 4}])
def test_rankings_of_two_are_bradley_terry(options):
    rng = np.random.default_rng(0)
    first = rng.integers(4, size=40)
    second = (first + rng.integers(1, 4, size=40)) % 4
    outcome = rng.choice([1, -1], 40)
    pairs = [[a, b] if s == 1 else [b, a] for a, b, s in zip(first, second, outcome, strict=True)]
    one, other = stats.plackett_luce(pairs, 4, **options), stats.bradley_terry(first, second, outcome, 4, **options)
    for name in ("strengths", "low", "high", "rank_low", "rank_high", "n"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-8)


def test_separation_of_rankings_of_two_is_bradley_terrys():
    wins = [(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]  # 0 unbeaten, 3 winless
    one = stats.plackett_luce(wins, 4)
    other = stats.bradley_terry(*np.transpose(wins), [1] * 5, 4)
    assert one.strengths == pytest.approx(other.strengths, abs=1e-8)
    assert one.separated.tolist() == other.separated.tolist() == [True, False, False, True]
    for name in ("low", "high"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-6)
    assert one.reason == other.reason


def test_an_unbeaten_system_among_rankings_is_said():
    fit = stats.plackett_luce([[0, 1, 2], [0, 2, 1], [0, 1, 2]], 3, names="ABC")
    assert fit.separated.tolist() == [True, False, False]
    assert fit.high[0] == np.inf
    assert np.isfinite(fit.low[0])
    assert "{A}" in fit.reason
    assert (
        0 < fit.strengths[1] - fit.strengths[2] < math.log(2)
    )  # 2 to 1, drawn together by the pseudo-judgments with A
    # three times first of three is likely enough (-2 log p = 3.84) where A has e^(-3.84 / 6) of the worth or more, and without end
    rest = np.exp(fit.strengths[1:]).sum()
    assert np.exp(fit.low[0]) / rest <= 1 / np.expm1(3.841459 / 6) + 1e-6
    found = stats.plackett_luce([[0, 1, 2], [0, 2, 1], [0, 1, 2]], 3, interval="bootstrap", resamples=50)
    assert found.n_undefined == 50


def test_groups_that_never_met():
    fit = stats.plackett_luce([[0, 1], [1, 0], [2, 3, 4], [4, 3, 2]], 6)
    assert fit.components.tolist() == [0, 0, 1, 1, 1, 2]
    assert fit.strengths[:2].sum() == pytest.approx(0.0, abs=1e-9)
    assert fit.strengths[2:5].sum() == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(fit.strengths[5])
    assert "2 groups of systems never met" in fit.reason


@given(studies())
def test_the_kernels_are_the_definition(study):
    rankings, n = study
    strengths = np.random.default_rng(n).normal(size=n)
    found = collapse_rankings("test", rankings, n)
    entries, logs = np.empty(len(found.order)), np.empty(found.n_distinct)
    _rankings_kernels.ranking_scores(found.order, found.starts, strengths, entries, logs)
    assert found.times @ logs == pytest.approx(plain_log_likelihood(rankings, strengths), abs=1e-10)
    gradient, hessian = np.empty(n), np.empty((n, n))
    _rankings_kernels.ranking_derivatives(
        found.order, found.starts, found.times.astype(float), strengths, gradient, hessian
    )
    of_places = np.repeat(found.times, np.diff(found.starts)) * entries
    assert gradient == pytest.approx(np.bincount(found.order, of_places, n), abs=1e-10)
    step, expected = 1e-5, np.empty((2, n, n))
    for sign, rows in zip((1, -1), expected, strict=True):
        for k in range(n):
            _rankings_kernels.ranking_derivatives(
                found.order, found.starts, found.times.astype(float), strengths + sign * step * np.eye(n)[k],
                rows[k], np.empty((n, n)),
            )  # fmt: skip
    assert hessian == pytest.approx((expected[1] - expected[0]) / (2 * step), abs=1e-6)


def test_the_compiled_kernels_are_their_python():
    found = collapse_rankings("test", RANKINGS, 5)
    weights = found.times[None].astype(float)
    ends = []
    for climb in (_rankings_kernels.climb_rankings, _rankings_kernels.climb_rankings.py_func):
        strengths = np.zeros((1, 5))
        assert climb(found.order, found.starts, weights, np.ones((5, 5)), strengths, 1e-9, 0.75, 50).all()
        ends.append(strengths)
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


@given(studies(), st.randoms(use_true_random=False))
def test_order_of_rankings_and_names_do_not_matter(study, random):
    rankings, n = study
    order = list(range(n))
    random.shuffle(order)
    renamed = [[order[k] for k in ranking] for ranking in rankings]
    random.shuffle(renamed)
    one, other = stats.plackett_luce(rankings, n), stats.plackett_luce(renamed, n)
    for name in ("strengths", "low", "high", "rank_low", "rank_high", "n", "separated"):
        np.testing.assert_allclose(getattr(other, name)[order], getattr(one, name), rtol=1e-5, atol=1e-6)


def test_the_bootstrap_is_that_of_rankings_drawn_one_by_one():
    from validate.stats import multinomial

    found = collapse_rankings("test", RANKINGS, 5)
    drawn = np.concatenate(list(multinomial.resampled_counts(found.times, 20, np.random.default_rng(5))))
    places = [found.order[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]
    draws = []
    for counts in drawn.astype(int):
        again = [ranking for ranking, times in zip(places, counts, strict=True) for _ in range(times)]
        draws.append(stats.plackett_luce(again, 5, interval=None).strengths)
    fit = stats.plackett_luce(RANKINGS, 5, interval="bootstrap", resamples=20, rng=5)
    known = ~np.isnan(draws).any(axis=0)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    separated = "had no finite solution" in fit.reason
    assert separated
    assert fit.low[known] == pytest.approx(
        low[known], abs=0.2
    )  # a replicate's weak prior is spread as the study's judgments are
    assert (fit.seed, fit.n_resamples) == (5, 20)
    assert high.shape == fit.high.shape


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ([[0, [1, 2]]], r"ranking 0 \(\[0, \[1, 2\]\]\) holds more than one system in a place"),
        ([[0, 1], [0]], "ranking 1 holds 0; two or more systems"),
        ([[0, 1, 0]], "each once, are allowed"),
        ([[0, 3]], "whole numbers from 0 to n - 1 = 2"),
        ([[0.5, 1]], "ranking 0 holds 0.5, 1.0"),
    ],
)
def test_rankings_that_make_no_sense(rankings, message):
    with pytest.raises(OptionError, match=message):
        stats.plackett_luce(rankings, 3)


def test_no_rankings_at_all():
    for interval in ("sandwich", "bootstrap", None):
        fit = stats.plackett_luce([], 2, interval=interval)
        assert np.isnan(fit.strengths).all()
        assert fit.reason == "no judgment of {0, 1}"


@pytest.mark.slow
def test_intervals_of_plackett_luce_cover():
    rng = np.random.default_rng(1)
    strength = rng.normal(size=8)
    strength -= strength.mean()
    covered = {"sandwich": [], "bootstrap": []}
    for seed in range(200):
        rankings = []
        for _ in range(120):
            chosen = rng.choice(8, 4, replace=False)
            rankings.append(chosen[np.argsort(-(strength[chosen] + rng.gumbel(size=4)))])
        for interval, hits in covered.items():
            fit = stats.plackett_luce(rankings, 8, interval=interval, resamples=200, rng=seed)
            hits.append((fit.low <= strength) & (strength <= fit.high))
    assert 0.93 < np.mean(covered["sandwich"]) < 0.97
    assert 0.91 < np.mean(covered["bootstrap"]) < 0.97


FIRST, SECOND, OUTCOME = [0, 1, 2, 0, 3, 1, 2, 3, 0], [1, 2, 0, 3, 1, 0, 3, 2, 2], [1, 1, -1, 0, 1, 0, 1, -1, 1]


def test_one_order_is_evalicas_elo():
    # evalica 0.4.2, elo(xs, ys, winners, initial=0, k=32), divided by 400 / ln 10
    expected = [0.2416813058, -0.0760006445, -0.0654426968, -0.1002379644]
    low = np.minimum(FIRST, SECOND)
    turned = np.where(np.array(FIRST) == low, OUTCOME, -np.array(OUTCOME))
    ratings = np.zeros(4)
    pairs = np.arange(9)  # every judgment is a pair of its own here
    play(low, np.maximum(FIRST, SECOND), pairs * 3 + 1 - turned, 32 / POINTS, ratings)
    assert ratings == pytest.approx(expected, abs=1e-9)


def test_bradley_terry_is_evalicas():
    # evalica 0.4.2, bradley_terry(tolerance=1e-14), logarithms centred
    expected = [1.06556317, -0.25150616, -0.30075257, -0.51330444]
    assert stats.bradley_terry(FIRST, SECOND, OUTCOME, 4).strengths == pytest.approx(expected, abs=1e-7)


def test_elo_over_all_orders():
    from itertools import permutations

    ratings = []
    for order in permutations(range(4)):
        own = np.zeros(3)
        for place in order:
            i, j, points = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 0.5), (0, 1, 0.0)][place]
            change = 0.5 * (points - 1 / (1 + math.exp(own[j] - own[i])))
            own[i], own[j] = own[i] + change, own[j] - change
        ratings.append(own)
    found = stats.elo([0, 1, 2, 0], [1, 2, 0, 1], [1, 1, 0, -1], 3, k=0.5 * POINTS, orders=4000)
    assert found.strengths == pytest.approx(np.mean(ratings, axis=0), abs=0.005)
    assert found.low == pytest.approx(np.min(ratings, axis=0), abs=0.02)
    assert "not of what is known" in found.method
    assert (found.seed, found.n_resamples) == (0, 4000)


def test_the_order_of_judgments_does_not_matter_to_elo():
    one = stats.elo(FIRST, SECOND, OUTCOME, 4, orders=50)
    other = stats.elo(SECOND[::-1], FIRST[::-1], [-result for result in OUTCOME[::-1]], 4, orders=50)
    assert one.strengths.tolist() == other.strengths.tolist()
    assert one.strengths.sum() == pytest.approx(0.0, abs=1e-9)
    assert stats.elo(FIRST, SECOND, OUTCOME, 4, orders=50, rng=1).strengths.tolist() != one.strengths.tolist()


def test_elo_of_resampled_judgments_is_wider():
    # one judgment an item again and again: orders matter little with a small k, judgments much
    rng = np.random.default_rng(0)
    outcome = rng.choice([1, -1], 200, p=[0.6, 0.4])
    orders, resampled, clustered = (
        np.subtract(*(getattr(found, end)[0] for end in ("high", "low")))
        for found in (
            stats.elo([0] * 200, [1] * 200, outcome, 2, k=1, orders=300),
            stats.elo([0] * 200, [1] * 200, outcome, 2, k=1, orders=300, interval="bootstrap"),
            stats.elo(
                [0] * 200, [1] * 200, np.sort(outcome), 2, k=1, orders=300, interval="bootstrap",
                cluster=np.arange(200) // 20,
            ),
        )
    )  # fmt: skip
    assert orders < 0.5 * resampled < resampled < 0.6 * clustered


def test_ranks_of_elo_and_groups():
    found = stats.elo([0, 0, 2], [1, 1, 3], [1, 1, -1], 5, interval=None)
    assert found.components.tolist() == [0, 0, 1, 1, 2]
    assert found.rank_low.tolist()[:4] == [1, 2, 2, 1]
    assert "2 groups of systems never met" in found.reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0 was given"),
        ({"orders": 0}, "orders=0"),
        ({"interval": "sandwich"}, "allowed: orders, bootstrap, None"),
    ],
)
def test_options_of_elo(options, message):
    with pytest.raises(AccordError, match=message):
        stats.elo([0], [1], [1], 2, **options)


def test_both_bad_is_mapped_by_name():
    judged = Preferences(
        "q", ("Ann", "Bo"), ("x", "y"), ("i", "j", "k"), [0, 0, 1], [1, 1, 0], [0, 1, 2], [0, 1, 1], [1, 0, 0],
        [False, True, False],
    )  # fmt: skip
    tie, drop = stats.outcomes(judged), stats.outcomes(judged, both_bad="drop")
    assert tie.outcome.tolist() == [1, 0, 0]
    assert (drop.outcome.tolist(), drop.item.tolist(), drop.annotator.tolist()) == ([1, 0], [0, 2], [0, 1])
    assert tie.n_both_bad == drop.n_both_bad == 1
    rates = [stats.win_rate(*found[:3], 2, interval=None).strengths[0] for found in (tie, drop)]
    assert rates == [2 / 3, 3 / 4]
    assert list(drop.cluster) == ["item", "annotator"]
    with pytest.raises(OptionError, match="there is no rule for both_bad 'loss'; allowed: tie, drop"):
        stats.outcomes(judged, both_bad="loss")
