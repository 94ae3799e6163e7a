"""Win rates and Bradley–Terry: published values, reports of users, groups that never met, systems nobody beat, errors."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from validate import stats
from validate.errors import OptionError, ShapeError

RANKINGS = (stats.bradley_terry, stats.win_rate)


def judgments(wins, ties=None):
    """first, second, outcome out of (n, n) tables of wins and ties."""
    rows = [(i, j, 1) for i, row in enumerate(wins) for j, times in enumerate(row) for _ in range(times)]
    rows += [(i, j, 0) for i, row in enumerate(ties or []) for j, times in enumerate(row) for _ in range(times)]
    return [list(column) for column in zip(*rows, strict=True)]


def pudding(case):
    rows = case["input"]["i,j,w_ij,w_ji,t_ij"]
    return [
        list(column)
        for column in zip(
            *[
                (i - 1, j - 1, s)
                for i, j, *n in rows
                for s, times in zip((1, -1, 0), n, strict=True)
                for _ in range(times)
            ],
            strict=True,
        )
    ]


def test_textbook_strengths(cases):
    case = cases("oracles")["bt-4"]
    fit = stats.bradley_terry(*judgments(case["input"]["wins"]), 4)
    assert np.exp(fit.strengths) == pytest.approx(case["expected"], abs=case["tol"])  # geometric mean 1
    assert fit.converged
    assert fit.reason == ""
    assert fit.n.tolist() == [10, 13, 12, 9]


def test_davidsons_puddings(cases):
    case = cases("oracles")["davidson-pudding"]
    first, second, outcome = pudding(case)
    fit = stats.bradley_terry(first, second, outcome, 6, ties="davidson")
    worth = np.exp(fit.strengths)
    assert worth / worth.sum() == pytest.approx(case["expected"]["pi"], abs=case["tol"])
    assert fit.tie_parameter == pytest.approx(case["expected"]["nu"], abs=1e-6)
    one, other = worth[first], worth[second]
    odds = np.stack([other, fit.tie_parameter * np.sqrt(one * other), one])  # outcome -1, 0, 1
    likelihood = np.log(odds[np.add(outcome, 1), np.arange(len(outcome))] / odds.sum(axis=0)).sum()
    assert likelihood == pytest.approx(case["expected"]["loglik"], abs=1e-4)


def test_an_unbeaten_system_is_said_and_the_rest_is_exact(cases):
    case = cases("oracles")["bt-separation"]
    fit = stats.bradley_terry(*judgments(case["input"]["wins"]), 3, names="ABC")
    assert np.argsort(-fit.strengths).tolist() == [0, 1, 2]
    assert fit.strengths[1] - fit.strengths[2] == pytest.approx(np.log(5), abs=1e-8)
    # half a win and half a loss added between {A} and {B, C}: 5.5 to 0.5
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(np.log(11), abs=1e-8)
    assert fit.separated.tolist() == [True, False, False]
    assert "{A}" in fit.reason
    assert "half a win and half a loss" in fit.reason
    # 5 wins of 5 are likely enough (-2 log p = 3.84) where A leads by ln(1 / (e^(3.84 / 10) - 1)) or more, and without end
    assert fit.high[0] == np.inf
    least = -np.log(np.expm1(3.841459 / 10))
    assert fit.low[0] <= fit.strengths[1] + least + 1e-6


def test_only_wins_whatever_the_names(cases):
    case = cases("reports")["only-wins"]["input"]
    fit = stats.bradley_terry(case["first"], case["second"], case["outcome"], case["n"], interval="bootstrap")
    assert np.isfinite(fit.strengths).all()
    assert fit.separated.all()
    assert fit.n_undefined == 1000
    assert "1,000 replicates of 1,000 had no finite solution" in fit.reason
    order = [2, 0, 1]  # system k is now called order[k]
    turned = [[order[k] for k in case[side]] for side in ("first", "second")]
    renamed = stats.bradley_terry(*turned, case["outcome"], case["n"])
    assert renamed.strengths[order].tolist() == fit.strengths.tolist()
    assert renamed.separated[order].tolist() == fit.separated.tolist()


def test_groups_that_never_met_are_not_ranked_together(cases):
    case = cases("reports")["disconnected"]["input"]
    fit = stats.bradley_terry(case["first"], case["second"], case["outcome"], case["n"], names="ABCD", interval=None)
    assert fit.components.tolist() == [0, 0, 1, 1]
    assert fit.strengths[:2].tolist() == [0.0, 0.0]
    assert fit.strengths[2:].sum() == 0.0
    assert fit.rank_low.tolist() == [1, 1, 1, 2]  # A and B share ranks, C is before D
    assert fit.rank_high.tolist() == [2, 2, 1, 2]
    assert "2 groups of systems never met" in fit.reason
    assert "{A, B}, {C, D}" in fit.reason


def test_a_system_without_judgments_is_undefined():
    for rank in RANKINGS:
        fit = rank([0, 0], [1, 1], [1, -1], 3)
        for values in (fit.strengths, fit.low, fit.high, fit.rank_low, fit.rank_high):
            assert np.isnan(values).tolist() == [False, False, True]
        assert fit.n.tolist() == [2, 2, 0]
        assert "no judgment of {2}" in fit.reason


@pytest.mark.parametrize("rank", RANKINGS)
def test_no_judgments_at_all(rank):
    for interval in ("bootstrap", "sandwich", None):
        fit = rank([], [], [], 2, interval=interval)
        assert np.isnan(fit.strengths).all()
        assert fit.reason == "no judgment of {0, 1}"


def test_it_solves_its_equations_to_eight_digits():
    # points that each system took equal the points expected of it, which tools that stop early miss
    rng = np.random.default_rng(3)
    first = rng.integers(7, size=400)
    second = (first + rng.integers(1, 7, size=400)) % 7
    outcome = rng.choice([1, 0, -1], size=400, p=[0.5, 0.2, 0.3])
    for ties in ("half", "davidson"):
        fit = stats.bradley_terry(first, second, outcome, 7, ties=ties, interval=None)
        worth = np.exp(fit.strengths)
        tie = 0.0 if ties == "half" else fit.tie_parameter * np.sqrt(worth[first] * worth[second])
        expected = (worth[first] + tie / 2) / (worth[first] + worth[second] + tie)
        surplus = (1 + outcome) / 2 - expected
        balance = np.bincount(first, surplus, 7) - np.bincount(second, surplus, 7)
        assert np.abs(balance).max() < 1e-6  # times 400 judgments: 1e-8 in a strength
        assert np.abs(fit.strengths.sum()) < 1e-9


def test_systems_that_are_equal_by_symmetry_are_equal_exactly():
    wins = [[0, 3, 5, 2], [3, 0, 5, 2], [1, 1, 0, 4], [2, 2, 3, 0]]  # the first two are interchangeable
    fit = stats.bradley_terry(*judgments(wins), 4, interval=None)
    assert fit.strengths[0] == fit.strengths[1]
    assert fit.rank_low[0] == fit.rank_low[1]


def test_davidson_without_ties_is_bradley_terry():
    wins = [[0, 3, 5], [2, 0, 4], [1, 2, 0]]
    davidson = stats.bradley_terry(*judgments(wins), 3, ties="davidson")
    assert davidson.tie_parameter == 0.0
    assert davidson.strengths.tolist() == stats.bradley_terry(*judgments(wins), 3).strengths.tolist()


def test_only_ties_are_equal_systems():
    fit = stats.bradley_terry([0, 0, 0], [1, 1, 1], [0, 0, 0], 2)
    assert fit.strengths.tolist() == [0.0, 0.0]
    assert fit.low[0] < -1  # three ties do not make it certain
    davidson = stats.bradley_terry([0, 0, 0], [1, 1, 1], [0, 0, 0], 2, ties="davidson")
    assert davidson.tie_parameter == np.inf
    assert "every judgment is a tie" in davidson.reason


def test_davidson_without_a_finite_solution_is_undefined():
    # one win and two ties fit ever better as all three gaps and the ties grow
    fit = stats.bradley_terry([0, 0, 1], [1, 2, 2], [1, 0, 0], 3, ties="davidson")
    assert not fit.converged
    assert np.isnan(fit.strengths).all()
    assert "no finite strengths fit best" in fit.reason


def test_a_prior_pulls_together():
    wins = [[0, 9, 8], [1, 0, 6], [0, 2, 0]]
    spread = [
        np.ptp(stats.bradley_terry(*judgments(wins), 3, prior=p, interval=None).strengths) for p in (0, 1, 10, 1000)
    ]
    assert spread == sorted(spread, reverse=True)
    assert spread[-1] < 0.05
    # two systems, 3 to 1 and one pseudo-judgment: 3.5 to 1.5
    fit = stats.bradley_terry([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, -1], 2, prior=1, interval=None)
    assert np.ptp(fit.strengths) == pytest.approx(np.log(3.5 / 1.5), abs=1e-9)
    assert "prior of 1 judgments a system" in fit.method


def test_a_prior_by_name_bounds_an_unbeaten_system():
    fit = stats.bradley_terry([0, 0, 0], [1, 1, 1], [1, 1, 1], 2, prior=1)
    assert np.ptp(fit.strengths) == pytest.approx(np.log(3.5 / 0.5), abs=1e-9)
    assert np.isfinite(fit.high).all()
    assert fit.separated.all()
    assert "unbeaten or winless" in fit.reason


def test_the_open_side_of_intervals():
    # {0, 1} beat {2, 3, 4} always and each other sometimes; 5 lost to 2 always
    first = [0, 1, 0, 1, 2, 3, 2, 3, 4, 2]
    second = [1, 0, 2, 3, 3, 2, 4, 4, 2, 5]
    outcome = [1] * 10
    fit = stats.bradley_terry(first, second, outcome, 6)
    assert fit.separated.tolist() == [True, True, False, False, False, True]
    assert np.isposinf(fit.high).tolist() == [True, True, False, False, False, False]
    assert np.isneginf(fit.low).tolist() == [False] * 5 + [True]
    assert fit.rank_low.tolist() == [1] * 6


def test_a_chain_of_wins_is_open_on_both_sides_in_the_middle():
    fit = stats.bradley_terry([0, 1], [1, 2], [1, 1], 3)
    assert fit.strengths == pytest.approx([np.log(3), 0, -np.log(3)])  # 1.5 to 0.5 twice
    assert (np.isinf(fit.low).tolist(), np.isinf(fit.high).tolist()) == ([False, True, True], [True, True, False])


def test_ranks_respect_intervals():
    rng = np.random.default_rng(0)
    strength = np.array([2.0, 0.1, 0.0, -2.0])
    first = rng.integers(4, size=600)
    second = (first + rng.integers(1, 4, size=600)) % 4
    outcome = np.where(rng.random(600) < 1 / (1 + np.exp(strength[second] - strength[first])), 1, -1)
    for rank in RANKINGS:
        fit = rank(first, second, outcome, 4)
        assert fit.rank_low.tolist() == [1, 2, 2, 4]
        assert fit.rank_high.tolist() == [1, 3, 3, 4]


def test_win_rates_by_hand():
    # A: win, tie, win (B seen first); B: loss, tie against A, win of C, loss
    fit = stats.win_rate([0, 0, 1, 1], [1, 1, 2, 0], [1, 0, 1, -1], 3, interval=None)
    assert fit.strengths.tolist() == [2.5 / 3, 1.5 / 4, 0.0]
    assert fit.n.tolist() == [3, 4, 1]
    assert fit.rank_low.tolist() == [1, 2, 3]


def test_a_win_rate_of_one_is_not_certain():
    for interval in ("sandwich", "bootstrap"):
        fit = stats.win_rate([0] * 4, [1] * 4, [1] * 4, 2, interval=interval)
        # Wilson for 4 of 4 with Student's t of 3 degrees of freedom: 1 / (1 + t² / 4)
        assert fit.low[0] == pytest.approx(1 / (1 + 3.182446**2 / 4), abs=1e-5)
        assert (fit.high[0], fit.low[1]) == (1.0, 0.0)


def test_win_rates_of_systems_that_a_replicate_misses():
    fit = stats.win_rate([0, 0, 0, 0, 2], [1, 1, 1, 1, 0], [1, -1, 1, 0, 1], 3, interval="bootstrap", resamples=2000)
    assert fit.n_undefined / 2000 == pytest.approx(0.8**5, abs=0.04)  # the last judgment is not drawn
    assert "a system had no judgment" in fit.reason


@pytest.mark.parametrize("rank", RANKINGS)
def test_clusters_widen_what_is_not_independent(rank):
    # every judgment repeated ten times by the same annotator
    rng = np.random.default_rng(1)
    first, second, outcome = rng.integers(3, size=60), np.zeros(60, int), rng.choice([1, -1], 60)
    second = (first + rng.integers(1, 3, size=60)) % 3
    once = rank(first, second, outcome, 3)
    many = [np.repeat(column, 10) for column in (first, second, outcome)]
    annotator = np.repeat(np.arange(60), 10)
    for interval in ("sandwich", "bootstrap"):
        alone = rank(*many, 3, interval=interval)
        together = rank(*many, 3, interval=interval, cluster=annotator)
        assert (alone.high - alone.low)[0] < 0.5 * (together.high - together.low)[0]
        assert (together.high - together.low) == pytest.approx(once.high - once.low, rel=0.25)
        assert "clusters" in together.method


@pytest.mark.parametrize("rank", RANKINGS)
def test_one_cluster_gives_no_interval(rank):
    fit = rank([0, 0, 0], [1, 1, 1], [1, -1, 0], 2, cluster=["Ann"] * 3)
    assert np.isnan(fit.low).all()
    assert "no interval can be made" in fit.reason
    assert np.isfinite(fit.strengths).all()


@pytest.mark.parametrize("rank", RANKINGS)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([0, 0], [1], [1, 1], 2), ShapeError, "three arrays of one length"),
        (([0], [1], [2], 2), OptionError, r"outcomes 2 were given; 1 \(win of the first\), 0 \(tie\) and -1"),
        (([0], [1], [np.nan], 2), OptionError, "outcomes nan were given"),
        (([0], [5], [1], 2), OptionError, "systems 5 were given; whole numbers from 0 to n - 1 = 1"),
        (([-1], [1], [1], 2), OptionError, "systems -1 were given"),
        (([1], [1], [1], 2), OptionError, "systems 1 are compared with themselves"),
        (([], [], [], 0), OptionError, "n=0 was given"),
    ],
)
def test_judgments_that_make_no_sense(rank, arguments, error, message):
    with pytest.raises(error, match=message):
        rank(*arguments)


@pytest.mark.parametrize("rank", RANKINGS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "bootstrp"}, "did you mean 'bootstrap'"),
        ({"confidence": 1.0}, "confidence=1.0"),
        ({"resamples": 0}, "resamples=0"),
        ({"cluster": [1]}, "one label a judgment is allowed"),
        ({"names": ["A"]}, "1 names were given for 2 systems"),
    ],
)
def test_options_that_make_no_sense(rank, options, message):
    with pytest.raises((OptionError, ShapeError), match=message):
        rank([0, 0], [1, 1], [1, -1], 2, **options)


def test_options_of_bradley_terry():
    with pytest.raises(OptionError, match="did you mean 'davidson'"):
        stats.bradley_terry([0], [1], [1], 2, ties="davidsn")
    with pytest.raises(OptionError, match="prior=-1"):
        stats.bradley_terry([0], [1], [1], 2, prior=-1)


@pytest.fixture(scope="module")
def llmfao(shared):
    rows = [json.loads(line) for line in (shared / "data/llmfao/comparisons.jsonl").read_text("utf-8").splitlines()]
    systems = sorted({row[side] for row in rows for side in ("system_a", "system_b")})
    place = {system: k for k, system in enumerate(systems)}
    first, second = ([place[row[side]] for row in rows] for side in ("system_a", "system_b"))
    outcome = [{"a": 1, "b": -1, "tie": 0}[row["winner"]] for row in rows]
    return systems, first, second, outcome, [row["annotator"] for row in rows]


def test_the_published_strengths_of_llmfao(llmfao):
    systems, first, second, outcome, annotator = llmfao
    started = time.perf_counter()
    fit = stats.bradley_terry(first, second, outcome, len(systems), interval="bootstrap", cluster=annotator)
    assert time.perf_counter() - started < 5
    share = np.exp(fit.strengths) / np.exp(fit.strengths).sum()
    best = np.argsort(-share)[:8]
    # ../shared/data/llmfao/README.md: leaderboard.ipynb of the study, normalised to sum 1, with the judgments of a system
    published = [0.041218, 0.029233, 0.028852, 0.027150, 0.026384, 0.026259, 0.025871, 0.025849]
    assert share[best].round(6).tolist() == published
    assert [systems[k] for k in best[:3]] == ["GPT 4", "Platypus-2 Instruct (70B)", "command"]
    assert fit.n[best].tolist()[:5] == [158, 159, 322, 153, 161]
    assert fit.converged
    assert fit.reason == ""
    assert fit.rank_low[best[0]] == 1


@pytest.mark.slow
def test_a_million_and_a_half_judgments_take_seconds(cases):
    n_judgments = cases("reports")["slow-bt-bootstrap"]["input"]["n"]
    rng = np.random.default_rng(0)
    first = rng.integers(60, size=n_judgments)
    second = (first + rng.integers(1, 60, size=n_judgments)) % 60
    strength = rng.normal(size=60)
    win = rng.random(n_judgments) < 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(n_judgments) < 0.2, 0, np.where(win, 1, -1))
    stats.bradley_terry([0, 1], [1, 0], [1, 1], 2, interval="bootstrap")  # compiles
    started = time.perf_counter()
    fit = stats.bradley_terry(first, second, outcome, 60, interval="bootstrap", resamples=100)
    assert time.perf_counter() - started < 5  # 0.25 s on a free machine
    assert np.corrcoef(fit.strengths, strength)[0, 1] > 0.99


@pytest.mark.parametrize(
    "study",
    [
        # 0 won against and tied with both others and never lost: its strength and the tie parameter run away together
        ([0, 0, 0, 0], [1, 1, 2, 2], [1, 0, 1, 0], 3),
        ([0, 0, 0, 0, 0], [1, 1, 1, 2, 2], [1, 1, 0, 1, 0], 3),
    ],
)
def test_davidson_without_a_finite_maximum_says_so(study):
    found = stats.bradley_terry(*study, ties="davidson")
    assert not found.converged
    assert np.isnan(found.strengths).all()
    assert "no finite strengths fit best" in found.reason


def test_davidson_with_one_loss_more_is_finite():
    """0 against 1: two wins, a tie, a loss. λ0 - λ1 = ln 2, and ν = 1 / √2 from n_tie² = ν² n_win n_loss."""
    found = stats.bradley_terry([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, -1], 2, ties="davidson", interval=None)
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(2), abs=1e-8)
    assert found.tie_parameter == pytest.approx(1 / np.sqrt(2), abs=1e-8)


def test_a_log_of_seven_systems_is_solved_to_the_last_digits(cases):
    """reports.json, loose-convergence: tools differ because each stops early. At the maximum every system has the points it is expected to have."""
    assert "converge to 1e-8" in cases("reports")["loose-convergence"]["right"]
    rng = np.random.default_rng(7)
    first = rng.integers(7, size=400)
    second = (first + rng.integers(1, 7, size=400)) % 7
    strength = np.linspace(3, -3, 7)  # far apart, where a loose tolerance stops early
    won = rng.random(400) < 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(400) < 0.1, 0, np.where(won, 1, -1))
    found = stats.bradley_terry(first, second, outcome, 7, interval=None).strengths
    expected = 1 / (1 + np.exp(found[second] - found[first]))
    points, wanted = (
        np.bincount(first, share, 7) + np.bincount(second, 1 - share, 7) for share in ((1 + outcome) / 2, expected)
    )
    np.testing.assert_allclose(points, wanted, atol=1e-6)
