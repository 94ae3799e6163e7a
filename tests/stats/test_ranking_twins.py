"""The kernels of Bradley–Terry against plain numpy, draws against judgments one by one, symmetries, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

from validate import stats
from validate.errors import ShapeError
from validate.stats import multinomial
from validate.stats.ranking import _kernels
from validate.stats.ranking.cells import collapse
from validate.stats.ranking.clusters import Clusters, by_cluster, resampled_cells
from validate.stats.ranking.newton import LONGEST, MOST_STEPS, TOLERANCE, Problem, curvature, fit, probabilities
from validate.stats.ranking.separation import classes, even_judgments, weak_prior


@st.composite
def studies(draw, least=1):
    n = draw(st.integers(2, 6))
    pair = st.permutations(range(n)).map(lambda order: order[:2])
    rows = draw(st.lists(st.tuples(pair, st.sampled_from([1, 1, 0, -1])), min_size=least, max_size=30))
    return [row[0][0] for row in rows], [row[0][1] for row in rows], [row[1] for row in rows], n


def plain_reach(wins):
    """(n, n) who can be reached along a chain of taken points, by Warshall's algorithm."""
    reach = (wins > 0) | np.eye(len(wins), dtype=bool)
    for k in range(len(wins)):
        reach |= reach[:, [k]] & reach[[k]]
    return reach


def points(first, second, outcome, n):
    table = np.zeros((n, n))
    for i, j, result in zip(first, second, outcome, strict=True):
        table[i, j] += (1 + result) / 2
        table[j, i] += (1 - result) / 2
    return table


@given(studies())
def test_components_and_classes(study):
    first, second, outcome, n = study
    cells = collapse("test", first, second, outcome, n)
    table = points(*study)
    together = plain_reach(table + table.T)
    numbers = cells.components()
    assert ((numbers[:, None] == numbers) == together).all()
    mutual = plain_reach(table) & plain_reach(table).T
    found = classes(cells, np.stack([cells.counts, 2 * cells.counts]))
    assert ((found[0][:, None] == found[0]) == mutual).all()
    assert ((found[1][:, None] == found[1]) == mutual).all()
    roots = np.zeros(n, bool)
    roots[np.unique(numbers, return_index=True)[1]] = True
    finite = _kernels.has_maximum(cells.first, cells.second, cells.counts[None], roots)
    assert (
        finite.tolist() == _kernels.has_maximum.py_func(cells.first, cells.second, cells.counts[None], roots).tolist()
    )
    assert finite[0] == (mutual == together).all()


@given(studies())
def test_the_weak_prior_links_classes_and_nothing_else(study):
    cells = collapse("test", *study)
    numbers = classes(cells, cells.counts[None])
    pseudo = weak_prior(cells, numbers)[0]
    across = numbers[0][cells.first] != numbers[0][cells.second]
    assert (pseudo[~across] == 0).all()
    meetings = {
        frozenset(pair) for pair in zip(numbers[0][cells.first][across], numbers[0][cells.second][across], strict=True)
    }
    assert pseudo.sum() == pytest.approx(len(meetings))  # one judgment a meeting of two classes
    linked = classes(cells, even_judgments(cells.counts[None], pseudo[None]))[0]
    assert len(np.unique(linked)) == len(np.unique(cells.components()))


def plain_step(problem, counts, strengths, log_tie):
    """Newton's step in plain numpy, from `probabilities` and `curvature`."""
    judged = counts.sum(axis=-1)
    chances = probabilities(problem, strengths[None], np.array([log_tie]))
    surplus = (counts[:, 0] - counts[:, 2] - judged * (chances[0, :, 0] - chances[0, :, 2])) / 2
    gradient = problem.incidence @ surplus
    if problem.davidson:
        gradient = np.append(gradient, (counts[:, 1] - judged * chances[0, :, 1]).sum())
    return gradient, curvature(problem, judged[None], chances)[0]


def plain_climb(problem, counts, log_tie):
    strengths = np.zeros(problem.cells.n_systems)
    n = len(strengths)
    for _ in range(MOST_STEPS):
        step = np.linalg.solve(*plain_step(problem, counts, strengths, log_tie)[::-1])
        change = max(np.abs(problem.incidence.T @ step[:n]).max() / 2, abs(step[n]) if problem.davidson else 0.0)
        scale = min(1.0, LONGEST / change) if change else 1.0
        strengths = strengths + scale * step[:n]
        log_tie += scale * step[n] if problem.davidson else 0.0
        if change <= TOLERANCE:
            return strengths, log_tie, True
    return strengths, log_tie, False


@given(studies(least=4), st.booleans())
def test_the_kernel_climbs_as_plain_numpy_does(study, davidson):
    cells = collapse("test", *study)
    counts = even_judgments(
        cells.counts[None], np.ones((1, len(cells.first)))
    )  # a finite maximum for sure, under halves
    ties = counts[..., 1].sum()
    assume(not davidson or ties > 0)
    problem = Problem.of(cells, cells.components(), davidson=davidson)
    expected, log_tie, converged = plain_climb(problem, counts[0], 0.0 if davidson else -np.inf)
    found = fit(problem, counts)
    assert found.converged[0] == converged
    assert found.strengths[0] == pytest.approx(expected, abs=1e-8)
    assert found.log_tie[0] == pytest.approx(log_tie, abs=1e-8)


def test_the_compiled_kernel_is_its_python():
    rng = np.random.default_rng(0)
    first = rng.integers(5, size=80)
    cells = collapse("test", first, (first + rng.integers(1, 5, size=80)) % 5, rng.integers(-1, 2, 80), 5)
    for davidson in (False, True):
        problem = Problem.of(cells, cells.components(), davidson=davidson)
        start = [(np.zeros((1, 5)), np.array([0.0 if davidson else -np.inf])) for _ in range(2)]
        for climb, (strengths, log_tie) in zip((_kernels.climb, _kernels.climb.py_func), start, strict=True):
            assert climb(
                cells.first, cells.second, cells.counts[None], problem.anchor, davidson, strengths, log_tie,
                TOLERANCE, LONGEST, MOST_STEPS,
            ).all()  # fmt: skip
        assert start[0][0] == pytest.approx(start[1][0], abs=1e-12)


def test_the_curvature_is_the_second_derivative():
    rng = np.random.default_rng(1)
    first = rng.integers(4, size=50)
    cells = collapse("test", first, (first + rng.integers(1, 4, size=50)) % 4, rng.integers(-1, 2, 50), 4)
    problem = Problem.of(cells, cells.components(), davidson=True)
    at, step = np.array([0.3, -0.2, 0.1, -0.2, 0.4]), 1e-6
    _, hessian = plain_step(problem, cells.counts, at[:4], at[4])
    hessian[:4, :4] -= problem.anchor
    for k in range(5):
        change = step * np.eye(5)[k]
        more, less = (
            plain_step(problem, cells.counts, (at + s * change)[:4], (at + s * change)[4])[0] for s in (1, -1)
        )
        assert hessian[k] == pytest.approx((less - more) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_another_optimiser_finds_the_same(ties):
    rng = np.random.default_rng(2)
    first = rng.integers(5, size=300)
    second = (first + rng.integers(1, 5, size=300)) % 5
    outcome = rng.choice([1, 0, -1], 300, p=[0.45, 0.25, 0.3])

    def loss(at):
        gap = (at[first] - at[second]) / 2
        middle = np.full(300, at[5]) if ties == "davidson" else np.full(300, -np.inf)
        scores = np.stack([-gap, middle, gap])
        chosen = gap * outcome if ties == "half" else scores[outcome + 1, np.arange(300)]
        return np.logaddexp.reduce(scores).sum() - chosen.sum() + at[:5].sum() ** 2

    found = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-8}).x
    expected = stats.bradley_terry(first, second, outcome, 5, ties=ties, interval=None)
    assert found[:5] == pytest.approx(expected.strengths, abs=1e-4)


@given(studies(), st.randoms(use_true_random=False), st.sampled_from(["half", "davidson"]))
def test_renaming_systems_changes_only_their_places(study, random, ties):
    first, second, outcome, n = study
    order = list(range(n))
    random.shuffle(order)
    renamed = [[order[k] for k in side] for side in (first, second)]
    for rank, options in ((stats.bradley_terry, {"ties": ties}), (stats.win_rate, {})):
        one, other = rank(*study, **options), rank(*renamed, outcome, n, **options)
        assert other.converged == one.converged
        for name in ("strengths", "low", "high", "rank_low", "rank_high", "n", "separated"):
            np.testing.assert_allclose(getattr(other, name)[order], getattr(one, name), rtol=1e-6, atol=1e-6)


@given(studies(), st.randoms(use_true_random=False))
def test_order_and_sides_of_judgments_do_not_matter(study, random):
    first, second, outcome, n = study
    rows = list(zip(first, second, outcome, strict=True))
    random.shuffle(rows)
    turned = [(j, i, -result) if random.random() < 0.5 else (i, j, result) for i, j, result in rows]
    one, other = stats.bradley_terry(*study), stats.bradley_terry(*zip(*turned, strict=True), n)
    assert other.strengths.tolist() == pytest.approx(one.strengths.tolist(), abs=1e-9, nan_ok=True)
    assert other.low.tolist() == pytest.approx(one.low.tolist(), rel=1e-6, abs=1e-9, nan_ok=True)


@given(studies())
def test_turning_all_outcomes_turns_the_strengths(study):
    first, second, outcome, n = study
    one, other = stats.bradley_terry(*study), stats.bradley_terry(first, second, [-result for result in outcome], n)
    assert other.strengths.tolist() == pytest.approx((-one.strengths).tolist(), abs=1e-9, nan_ok=True)
    assert other.low.tolist() == pytest.approx((-one.high).tolist(), rel=1e-6, abs=1e-6, nan_ok=True)


@given(studies())
def test_intervals_hold_their_estimate_and_ranks_their_order(study):
    for rank in (stats.bradley_terry, stats.win_rate):
        found = rank(*study)
        known = ~np.isnan(found.low)
        assert (found.low[known] <= found.strengths[known] + 1e-12).all()
        assert (found.strengths[known] <= found.high[known] + 1e-12).all()
        ranked = ~np.isnan(found.rank_low)
        assert (found.rank_low[ranked] <= found.rank_high[ranked]).all()


def a_study(n=6, n_judgments=200, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.integers(n, size=n_judgments)
    second = (first + rng.integers(1, n, size=n_judgments)) % n
    return first, second, rng.choice([1, 0, -1], n_judgments, p=[0.5, 0.2, 0.3]), n


@pytest.mark.parametrize("rank", [stats.bradley_terry, stats.win_rate])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_bootstrap_is_that_of_judgments_drawn_one_by_one(rank, clustered):
    first, second, outcome, n = a_study()
    cells = collapse("test", first, second, outcome, n)
    cluster = np.arange(200) // 10 if clustered else None
    blocks = resampled_cells(
        cells, Clusters((cluster,)) if clustered else None, 30, np.random.default_rng(5), cells.counts.size
    )
    drawn = np.concatenate(list(blocks))
    assert (drawn.sum(axis=(1, 2)) == 200).all()
    replicates = []
    for counts in drawn.astype(int).reshape(30, -1):
        cell = np.repeat(np.arange(len(counts)), counts)
        pair = cell // 3
        replicates.append(rank(cells.first[pair], cells.second[pair], 1 - cell % 3, n, interval=None).strengths)
    found = rank(first, second, outcome, n, interval="bootstrap", resamples=30, cluster=cluster, rng=5)
    low, high = np.quantile(replicates, [0.025, 0.975], axis=0)
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)


def test_clusters_are_drawn_whole():
    first, second, outcome, n = a_study(n_judgments=60)
    cells = collapse("test", first, second, outcome, n)
    cluster = np.arange(60) // 20
    table = by_cluster(cells.cell, cells.counts.size, cluster).toarray()
    assert (table.sum(axis=0) == cells.counts.ravel()).all()
    possible = {
        tuple(table[[a, b, c]].sum(axis=0)) for a in range(3) for b in range(3) for c in range(3)
    }  # three clusters, drawn three times
    drawn = np.concatenate(list(resampled_cells(cells, Clusters((cluster,)), 50, np.random.default_rng(0), 1)))
    assert {tuple(counts.ravel()) for counts in drawn} <= possible


@pytest.mark.parametrize("rank", [stats.bradley_terry, stats.win_rate])
def test_the_size_of_blocks_changes_no_digit(monkeypatch, rank):
    study = a_study()
    whole = rank(*study, interval="bootstrap", resamples=101)
    for cells in (1, 2_000):
        monkeypatch.setattr(multinomial, "_CELLS", cells)
        again = rank(*study, interval="bootstrap", resamples=101)
        assert (again.low.tolist(), again.high.tolist()) == (whole.low.tolist(), whole.high.tolist())


def crossed_study(seed=0, n_judgments=150):
    rng = np.random.default_rng(seed)
    first, second, outcome, n = a_study(n=5, n_judgments=n_judgments, seed=seed)
    return first, second, outcome, n, rng.integers(12, size=n_judgments), rng.integers(5, size=n_judgments)


def plain_squares(scores, labels):
    """Σ s sᵀ over clusters, times K/(K-1)."""
    kinds = np.unique(labels)
    sums = [scores[labels == kind].sum(axis=0) for kind in kinds]
    return sum(np.outer(s, s) for s in sums) * len(kinds) / (len(kinds) - 1)


def test_two_kinds_of_clusters_by_the_book():
    first, second, outcome, n, item, annotator = crossed_study()
    cluster = {"item": item, "annotator": annotator}
    fit = stats.bradley_terry(first, second, outcome, n, cluster=cluster)
    chance = 1 / (1 + np.exp(fit.strengths[second] - fit.strengths[first]))
    surplus = (1 + outcome) / 2 - chance
    scores = np.zeros((len(first), n))
    scores[np.arange(len(first)), first] += surplus
    scores[np.arange(len(first)), second] -= surplus
    hessian = np.zeros((n, n))
    for i, j, p in zip(first, second, chance, strict=True):
        hessian[[i, j, i, j], [i, j, j, i]] += p * (1 - p) * np.array([1, 1, -1, -1])
    units = np.mean([min(len(np.unique(w[(first == s) | (second == s)])) for w in (item, annotator)) for s in range(n)])
    bread = np.linalg.pinv(hessian)
    # Cameron, Gelbach and Miller's eq. 2.11, but not below what clusters of both kinds at once give
    of_item, of_annotator, of_both = (
        np.diag(bread @ plain_squares(scores, labels) @ bread) for labels in (item, annotator, item * 1000 + annotator)
    )
    added = np.diag(bread @ hessian @ bread) / units
    variance = np.maximum(of_item + of_annotator - of_both, of_both) + added
    from scipy.special import stdtrit

    assert fit.high - fit.strengths == pytest.approx(stdtrit(4, 0.975) * np.sqrt(variance), rel=1e-6)
    assert fit.method.endswith("sandwich over clusters by item and annotator")
    swapped = stats.bradley_terry(first, second, outcome, n, cluster={"annotator": annotator, "item": item})
    assert swapped.low == pytest.approx(fit.low, abs=1e-9)


@pytest.mark.parametrize("rank", [stats.bradley_terry, stats.win_rate])
def test_two_kinds_that_are_one_are_one(rank):
    # every item has an annotator of its own: V + V - V
    first, second, outcome, n, item, _ = crossed_study()
    once, twice = (rank(first, second, outcome, n, cluster=c) for c in (item, {"item": item, "annotator": item + 5}))
    assert twice.low == pytest.approx(once.low, abs=1e-9)


@pytest.mark.parametrize("rank", [stats.bradley_terry, stats.win_rate])
def test_pigeonholes_are_judgments_written_out(rank):
    first, second, outcome, n, item, annotator = crossed_study()
    draws = []
    own = [np.random.default_rng(child) for child in np.random.default_rng(3).spawn(2)]
    weights = [
        np.concatenate(list(multinomial.resampled_counts(np.ones(k, np.int64), 40, rng)))
        for k, rng in zip((12, 5), own, strict=True)
    ]
    for of_item, of_annotator in zip(*weights, strict=True):
        times = (of_item[item] * of_annotator[annotator]).astype(int)
        again = [np.repeat(column, times) for column in (first, second, outcome)]
        draws.append(rank(*again, n, interval=None).strengths)
    found = rank(
        first, second, outcome, n, interval="bootstrap", resamples=40, rng=3,
        cluster={"item": item, "annotator": annotator},
    )  # fmt: skip
    low = [np.quantile(column[~np.isnan(column)], 0.025) for column in np.transpose(draws)]
    assert found.low == pytest.approx(low, abs=1e-8)


def test_kinds_of_clusters_that_make_no_sense():
    three = {"item": [1, 2], "annotator": [1, 2], "day": [1, 2]}
    with pytest.raises(ShapeError, match="3 kinds were given; one or two"):
        stats.bradley_terry([0, 0], [1, 1], [1, -1], 2, cluster=three)
    with pytest.raises(ShapeError, match=r"cluster of shape \(1,\) was given for 2 judgments"):
        stats.bradley_terry([0, 0], [1, 1], [1, -1], 2, cluster={"item": [1]})


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_units_are_tallied_as_bincount_does(kinds, seed):
    kind, drawn = np.sort(kinds), np.random.default_rng(seed).integers(len(kinds), size=(3, 9), dtype=np.uint32)
    counts = np.zeros((3, 7))
    multinomial.tally(kind, drawn, counts)
    assert counts.tolist() == [np.bincount(kind[row], minlength=7).tolist() for row in drawn]


@given(studies(least=6), st.integers(0, 2**32 - 1))
def test_chords_end_where_newton_does(study, seed):
    cells = collapse("test", *study)
    problem = Problem.of(cells, cells.components(), davidson=False)
    counts = even_judgments(cells.counts[None], np.ones((1, len(cells.first))))
    start = fit(problem, counts)
    shaken = counts * np.random.default_rng(seed).uniform(0.5, 2, size=(4, *counts.shape[1:]))
    near, afresh = fit(problem, shaken, start), fit(problem, shaken)
    assert near.converged.all()
    assert near.strengths == pytest.approx(afresh.strengths, abs=1e-8)


def test_the_seed_decides_and_is_told():
    study = a_study()
    one, again, other = (stats.bradley_terry(*study, interval="bootstrap", rng=seed) for seed in (1, 1, 2))
    assert one.low.tolist() == again.low.tolist() != other.low.tolist()
    assert (one.seed, one.n_resamples) == (1, 1000)
    assert (stats.bradley_terry(*study).seed, stats.bradley_terry(*study).n_resamples) == (None, 0)


def test_sandwich_by_the_book():
    # Two systems, ties as halves, w wins of m: H = m p q, G = Σ (y - p)² m/(m-1) + H / m; the strengths are ± δ/2
    outcome = np.array([1] * 9 + [0] * 4 + [-1] * 5)
    found = stats.bradley_terry([0] * 18, [1] * 18, outcome, 2)
    points = (1 + outcome) / 2
    p = points.mean()
    hessian = 18 * p * (1 - p)
    meat = ((points - p) ** 2).sum() * 18 / 17 + hessian / 18
    from scipy.special import stdtrit

    reach = stdtrit(17, 0.975) * np.sqrt(meat) / hessian / 2
    assert found.high - found.strengths == pytest.approx([reach, reach], abs=1e-9)


def simulated(rng, strength, n_judgments, effects, n_items=30):
    n = len(strength)
    first = rng.integers(n, size=n_judgments)
    second = (first + rng.integers(1, n, size=n_judgments)) % n
    item = rng.integers(n_items, size=n_judgments)
    noise = effects * rng.normal(size=(n_items, n))
    lead = strength[first] + noise[item, first] - strength[second] - noise[item, second]
    drawn = rng.logistic(size=n_judgments) + lead
    return first, second, np.where(np.abs(drawn) < 0.5, 0, np.sign(drawn)).astype(int), item


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "n_judgments", "effects"), [(6, 60, 0.0), (6, 300, 0.0), (15, 600, 0.0), (15, 1000, 0.7)]
)
def test_intervals_cover(n, n_judgments, effects):
    rng = np.random.default_rng([n, n_judgments])
    strength = 0.7 * rng.normal(size=n)
    large = simulated(rng, strength, 2_000_000, effects, n_items=50_000)
    for rank in (stats.bradley_terry, stats.win_rate):
        truth = rank(*large[:3], n, interval=None).strengths
        covered = {"sandwich": [], "bootstrap": []}
        for seed in range(300):
            *judged, item = simulated(rng, strength, n_judgments, effects)
            for interval, hits in covered.items():
                found = rank(*judged, n, interval=interval, resamples=300, rng=seed, cluster=item if effects else None)
                hits.append((found.low <= truth) & (truth <= found.high))
        # a binomial error of 300 studies times correlated systems: about a point
        assert 0.93 < np.mean(covered["sandwich"]) < 0.975
        assert 0.89 < np.mean(covered["bootstrap"]) < 0.975


@pytest.mark.slow
def test_intervals_cover_new_items_and_annotators():
    """Effects of items and of annotators; ignoring one or both leaves the intervals too narrow."""
    rng = np.random.default_rng(8)
    strength = 0.7 * rng.normal(size=8)

    def crossed(n_judgments, n_items, n_annotators):
        first, second, _, item = simulated(rng, strength, n_judgments, 0.0, n_items)
        annotator = rng.integers(n_annotators, size=n_judgments)
        effects = [0.6 * rng.normal(size=(k, 8)) for k in (n_items, n_annotators)]
        lead = strength + effects[0][item] + effects[1][annotator]
        rows = np.arange(n_judgments)
        drawn = rng.logistic(size=n_judgments) + lead[rows, first] - lead[rows, second]
        return first, second, np.where(np.abs(drawn) < 0.5, 0, np.sign(drawn)).astype(int), item, annotator

    large = crossed(1_000_000, 30_000, 30_000)
    for rank in (stats.bradley_terry, stats.win_rate):
        truth = rank(*large[:3], 8, interval=None).strengths
        covered = {"none": [], "item": [], "both": []}
        for _ in range(200):
            *judged, item, annotator = crossed(1_500, 100, 40)
            for name, cluster in zip(covered, (None, item, {"item": item, "annotator": annotator}), strict=True):
                found = rank(*judged, 8, cluster=cluster)
                covered[name].append((found.low <= truth) & (truth <= found.high))
        assert np.mean(covered["none"]) < 0.90
        assert np.mean(covered["item"]) < 0.93
        assert 0.93 < np.mean(covered["both"]) < 0.975
