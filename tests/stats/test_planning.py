"""Planning: widths known from theory, worlds recovered from pilots, planned against achieved, options."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from validate import stats
from validate.errors import AccordError, ShapeError
from validate.schema import Preferences, Ratings
from validate.stats.planning import World, judgment_noise
from validate.stats.planning.doubts import Doubt, doubts_at
from validate.stats.planning.pilot import _doubts
from validate.stats.planning.studies import Sizes, Studies, by_study
from validate.stats.planning.world import draw_studies

PLACES = [("system", "none"), ("item", "item"), ("item", "system"), ("item", "none")]


def studies(world, place, coefficient="pearson", n=400, seed=0):
    return Studies(world, coefficient, place, 0.95, n, seed)


def a_pilot(world, sizes, rng, annotators=3):
    """Ratings by so many annotators, and one metric, written out system by system."""
    people, metric, other = np.moveaxis(
        np.stack(
            [
                sum(np.sqrt(variance) * draw for variance, draw in zip(parts, draws, strict=True))
                for parts, draws in zip(
                    (world.human, world.metric, world.metric), _standard(world, sizes, rng), strict=True
                )
            ]
        ),
        0,
        0,
    )
    judged = people + np.sqrt(world.noise) * rng.normal(size=(annotators, *sizes))
    return judged, metric, other


def _standard(world, sizes, rng):
    """Standard normal parts (systems, items, outputs) of people and two metrics."""
    shapes = [(sizes[0], 1), (1, sizes[1]), sizes]
    people = [rng.normal(size=shape) for shape in shapes]
    first = [rng.normal(size=shape) for shape in shapes]
    second = [world.overlap * e + np.sqrt(1 - world.overlap**2) * rng.normal(size=e.shape) for e in first]

    def metric(errors):
        return [rho * p + np.sqrt(1 - rho**2) * e for rho, p, e in zip(world.rho, people, errors, strict=True)]

    return people, metric(first), metric(second)


def ratings(judged):
    names = [tuple(f"{kind}{k}" for k in range(n)) for kind, n in zip("asi", judged.shape, strict=True)]
    annotator, system, item = np.nonzero(~np.isnan(judged))
    return Ratings("c", *names, annotator, system, item, judged[annotator, system, item])


def test_the_width_at_system_level_is_fishers():
    # ρ = 0.6 in both parts and endless items: z has variance 1 / (m - 3)
    world = stats.assumed_world(rho=0.6)
    for m in (20, 60):
        found = studies(world, ("system", "none"), n=4000).reached(Sizes(m, 10**6, 3))
        low, high = np.tanh(np.arctanh(0.6) + np.array([-1.96, 1.96]) / np.sqrt(m - 3))
        assert found.low == pytest.approx(low, abs=0.03)
        assert found.high == pytest.approx(high, abs=0.02)


def test_pooled_outputs_without_systems_and_items():
    # nearly all variance in the outputs, no noise: n pairs, z has variance 1 / (n - 3)
    world = stats.assumed_world(rho=0.5, noise=0.0, systems=1e-9, items=0.0)
    found = studies(world, ("item", "none"), n=2000).reached(Sizes(5, 40, 1))
    expected = np.diff(np.tanh(np.arctanh(0.5) + np.array([-1.96, 1.96]) / np.sqrt(197)))[0]
    assert found.width == pytest.approx(expected, rel=0.08)
    assert found.estimate == pytest.approx(0.5, abs=0.01)


def test_noise_of_judgments_attenuates():
    # outputs only: ρ √(1 / (1 + noise / a))
    world = stats.assumed_world(rho=0.5, noise=2.0, systems=1e-9, items=0.0)
    for annotators in (1, 4):
        found = studies(world, ("item", "none"), n=200).reached(Sizes(10, 60, annotators))
        assert found.estimate == pytest.approx(0.5 / np.sqrt(1 + 2 / annotators), abs=0.015)


def test_power_is_that_of_a_test_with_the_right_level():
    # two metrics that are equal are told apart in 5 % of the studies; power grows with systems
    same = studies(stats.assumed_world(), ("system", "none"), n=2000)
    assert same.reached(Sizes(12, 100, 3)).power == pytest.approx(0.05, abs=0.012)
    apart = studies(stats.assumed_world(), ("system", "none"), n=1000)
    apart.weaker = 0.5
    powers = [apart.reached(Sizes(m, 100, 3)).power for m in (10, 20, 40, 80)]
    assert powers == sorted(powers)
    assert powers[0] < 0.35
    assert powers[-1] > 0.8


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("place", PLACES)
def test_the_stack_of_studies_is_each_study_through_correlation(place, coefficient):
    sizes, rng = (5, 7, 2), np.random.default_rng(0)
    drawn = draw_studies(stats.assumed_world(), sizes, place, (1.0, 0.5), 4, rng)
    found = by_study(drawn, coefficient)
    for k, (people, *metrics) in enumerate(np.moveaxis(drawn, 1, 0)):
        for m, metric in enumerate(metrics):
            grouping = "none" if metric.shape[1] == 1 else "item"
            pairs = (metric, people) if grouping == "item" else (metric.reshape(1, -1), people.reshape(1, -1))
            expected = stats.correlation(*pairs, coefficient=coefficient, level="item", grouping=grouping).value
            assert found[m, k] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_world_is_recovered_from_pilots(missing):
    world = World((1.0, 0.5, 2.0), (0.3, 0.4, 0.5), (0.8, -0.3, 0.4), 1.5, 0.7)
    rng, found = np.random.default_rng(1), []
    for _ in range(25):
        judged, metric, other = a_pilot(world, (30, 60), rng)
        judged[rng.random(judged.shape) < missing] = np.nan
        count = (~np.isnan(judged)).sum(axis=0)
        human = np.divide(np.nansum(judged, axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)
        one = stats.world_of_pilot(metric, human, ratings(judged), others=[other])
        found.append([*one.human, *one.metric, *one.rho, one.noise, one.overlap])
        assert (one.notes, one.doubts) == ((), ())
    expected = np.array([*world.human, *world.metric, *world.rho, world.noise, world.overlap])
    error = np.std(found, axis=0) / 5  # of the mean of 25 pilots
    assert np.abs(np.mean(found, axis=0) - expected).max() < 0.15
    assert (np.abs(np.mean(found, axis=0) - expected) < 3.5 * error + 0.02).all()


def test_noise_of_judgments():
    # two outputs, judged 1 3 and 2 2 5: squares 2 and 6 over 1 + 2; 2 / (1/2 + 1/3) judgments an output
    judged = Ratings(
        "c", ("a", "b", "d"), ("s", "t"), ("i",), [0, 1, 0, 1, 2], [0, 0, 1, 1, 1], [0] * 5, [1, 3, 2, 2, 5]
    )
    assert judgment_noise(judged) == pytest.approx((8 / 3, 2.4))
    # everybody judged everything, one is stricter by 2 and nothing else differs: no noise
    strict = Ratings("c", ("a", "b"), ("s", "t"), ("i",), [0, 0, 1, 1], [0, 1, 0, 1], [0] * 4, [1, 2, 3, 4])
    assert judgment_noise(strict) == pytest.approx((0.0, 2.0))
    # x wins and loses against y: points 1 and 0 of each
    pairs = Preferences("c", ("a", "b"), ("x", "y"), ("i",), [0, 0], [1, 1], [0, 0], [0, 1], [1, -1], [False, False])
    assert judgment_noise(pairs) == pytest.approx((0.5, 2.0))
    once = Ratings("c", ("a",), ("s", "t"), ("i",), [0, 0], [0, 1], [0, 0], [1, 2])
    assert np.isnan(judgment_noise(once)[0])


def test_small_pilots_are_said_to_be_small():
    rng = np.random.default_rng(0)
    human = rng.normal(size=(4, 5))
    found = stats.world_of_pilot(2 * human + 1, human)
    assert max(map(abs, found.rho)) <= 0.98
    assert any("came out at 1.00 and is taken as 0.98" in doubt.note for doubt in found.doubts)
    assert any("annotators cannot be planned" in note for note in found.notes)
    planned = stats.plan(found, n_systems=4, n_items=5, simulations=100)
    assert "annotators" not in set(planned.needed["varied"])
    with pytest.raises(ShapeError, match="three systems and items"):
        stats.world_of_pilot(human[:2], human[:2])


@pytest.mark.parametrize(("width", "power"), [(0.1, 0.8), (0.02, 0.06), (0.6, 0.99)])
@pytest.mark.parametrize("axis", ["items", "annotators"])
def test_both_goals_are_told_at_the_largest_size_of_their_curve(axis, width, power):
    # where one search ends early and the other goes on, both sentences must speak of the last row
    found = stats.plan(
        stats.assumed_world(rho=0.9), n_systems=5, n_items=20, n_annotators=3, width=width, power=power, simulations=100
    )
    last = found.curve[found.curve["varied"] == axis].iloc[-1]
    rows = found.needed[(found.needed["varied"] == axis) & ~found.needed["reached"]].to_dict("records")
    assert rows
    for row in rows:
        assert row["best"] == last[row["goal"]]
        assert f"{last['n_' + axis]} {axis}, the most that were tried" in row["note"]


FLAT_SYSTEMS = np.array([[1.0, 2, 3, 6], [2, 1, 6, 3], [3, 6, 1, 2], [6, 3, 2, 1]])  # each row and column sums to 12


def test_what_cannot_be_estimated_is_a_doubt_where_it_is_in_use():
    # neither systems nor items differ in people's scores: S = 0 - outputs / 4 < 0
    rng = np.random.default_rng(0)
    world = stats.world_of_pilot(FLAT_SYSTEMS + rng.normal(size=(4, 4)), FLAT_SYSTEMS)
    assert {doubt.part for doubt in world.doubts if doubt.unknown} == {0, 1}
    assert "systems could not be told from 0: it is taken as 1 % of the whole" in world.doubts[0].note
    options = {"n_systems": 4, "n_items": 4, "simulations": 100}
    with pytest.raises(ShapeError, match="too small or too noisy to plan from at system level: how much"):
        stats.plan(world, **options)
    for grouping, others in (("item", "items"), ("system", "systems")):
        notes = stats.plan(world, **options, level="item", grouping=grouping).notes
        assert notes[0].endswith(f"at item level, grouped by {grouping}: all figures are rough")
        assert not any(f"belongs to the {others} " in note for note in notes)  # the same throughout a group
    assert all(
        f"the {part} " in " ".join(stats.plan(world, **options, level="item", grouping="none").notes)
        for part in ("systems", "items")
    )


@pytest.mark.parametrize(
    ("correlation", "unknown"), [(0.97, None), (1.1, False), (-1.1, False), (1.3, True), (-2.8, True)]
)
def test_correlations_beyond_one_are_doubts_and_far_beyond_unknown(correlation, unknown):
    found = _doubts(0, False, correlation, float(np.clip(correlation, -0.98, 0.98)))
    assert [doubt.unknown for doubt in found] == ([] if unknown is None else [unknown])


def test_no_plan_where_all_parts_in_use_are_unknown():
    known, systems, outputs = (Doubt(1, "i", True),), Doubt(0, "s", True), Doubt(2, "o", True)
    assert doubts_at("plan", known, ("system", "none")) == []
    assert doubts_at("plan", (outputs,), ("system", "none"))[1:] == ["o"]
    assert doubts_at("plan", (systems._replace(unknown=False),), ("system", "none")) == ["s"]
    with pytest.raises(ShapeError, match="grouped by item: s; o; give a larger pilot"):
        doubts_at("plan", (systems, *known, outputs), ("item", "item"))


def test_needed_sizes_reach_their_goals():
    world = stats.assumed_world(rho=0.8)
    found = stats.plan(
        world,
        n_systems=10,
        n_items=50,
        n_annotators=2,
        coefficient="pearson",
        width=0.3,
        difference=0.2,
        simulations=300,
    )
    assert list(found.needed["varied"]) == [
        a for a in ("systems", "items", "annotators", "systems and items") for _ in "ab"
    ]
    systems = found.needed.set_index(["varied", "goal"])
    width, power = systems.loc[("systems", "width")], systems.loc[("systems", "power")]
    assert (width["n_items"], width["n_annotators"]) == (50, 2)
    again = studies(world, ("system", "none"), n=2000, seed=9)
    assert again.reached(Sizes(width["n_systems"], 50, 2)).width == pytest.approx(0.3, rel=0.12)
    # 30 % of the variance is the systems'; endless annotators and items would bring the rest to 0
    attenuated = 0.8 * 0.3 / np.sqrt((0.3 + 0.4 / 50) * (0.3 + 0.4 / 50 + 1 / 100))
    m = 3 + (1.96 * 2 * (1 - attenuated**2) / 0.3) ** 2  # delta method
    assert width["n_systems"] == pytest.approx(m, rel=0.25)
    assert power["reached"]
    items = systems.loc[("items", "width")]
    assert not items["reached"]
    assert "more items alone do not bring the width to 0.3" in items["note"]
    for row in found.needed[~found.needed["reached"]].to_dict("records"):
        last = found.curve[found.curve["varied"] == row["varied"]].iloc[
            -1
        ]  # the sentence speaks of the curve's last row
        assert row["best"] == last[row["goal"]]
        assert f"it is {last[row['goal']]:.2f} with {last['n_' + row['varied']]:,} " in row["note"]
    curve = found.curve[found.curve["varied"] == "systems"].sort_values("n_systems")
    assert curve["width"].iloc[0] > 1.5 * curve["width"].iloc[-1]


def test_a_pilot_that_is_larger_than_needed_is_told_what_would_do():
    found = stats.plan(
        stats.assumed_world(),
        n_systems=60,
        n_items=20,
        coefficient="pearson",
        width=0.8,
        difference=0.5,
        simulations=200,
    )
    row = found.needed.iloc[0]
    assert row["reached"]
    assert 5 < row["n_systems"] < 40


def test_a_difference_that_cannot_be():
    found = stats.plan(stats.assumed_world(rho=0.1), n_systems=8, n_items=20, difference=0.9, simulations=100)
    assert any("would disagree with people more" in note for note in found.notes)


def test_the_seed_decides():
    options = {"n_systems": 8, "n_items": 10, "simulations": 100, "level": "system"}
    one, again, other = (stats.plan(stats.assumed_world(), **options, rng=seed).curve for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)


def test_progress_is_told():
    said = []
    stats.plan(stats.assumed_world(), n_systems=8, n_items=10, simulations=100, progress=said.append)
    assert "8 systems, 10 items, 1 annotators" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0.0}, "width=0.0"),
        ({"power": 0.01}, "power=0.01 was given; allowed: above the level of the test"),
        ({"difference": 1.0}, "difference=1.0"),
        ({"simulations": 10}, "simulations=10"),
        ({"n_systems": 2}, "n_systems=2"),
        ({"level": "systems"}, "did you mean 'system'"),
        ({"coefficient": "spearmn"}, "did you mean 'spearman'"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(AccordError, match=message):
        stats.plan(stats.assumed_world(), **{"n_systems": 8, "n_items": 10, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rho": 1.0}, "rho=1.0"),
        ({"noise": -1.0}, "noise=-1.0"),
        ({"systems": 0.7, "items": 0.4}, "together less than 1"),
    ],
)
def test_assumptions_that_make_no_sense(options, message):
    with pytest.raises(AccordError, match=message):
        stats.assumed_world(**options)


@pytest.mark.slow
def test_planned_widths_are_those_that_intervals_have():
    """Pilot after pilot of one world, the width planned from each, and the width of the intervals of real studies of that size."""
    world = World((1.0, 0.5, 1.0), (1.0, 0.5, 1.0), (0.7, 0.5, 0.5), 1.0, 0.5)
    rng = np.random.default_rng(3)
    sizes = (24, 60)
    planned = []
    for seed in range(30):
        judged, metric, other = a_pilot(world, (15, 60), rng)
        found = stats.world_of_pilot(metric, judged.mean(axis=0), ratings(judged), others=[other])
        planned.append(studies(found, ("system", "none"), seed=seed).reached(Sizes(*sizes, 3)).width)
    achieved = []
    for _ in range(300):
        judged, metric, _ = a_pilot(world, sizes, rng)
        r = stats.correlation(metric, judged.mean(axis=0), coefficient="pearson", level="system").value
        reach = special.ndtri(0.975) / np.sqrt(sizes[0] - 3)
        achieved.append(np.diff(np.tanh(np.arctanh(r) + np.array([-reach, reach])))[0])
    known = studies(world, ("system", "none"), n=4000).reached(Sizes(*sizes, 3)).width
    assert known == pytest.approx(np.mean(achieved), rel=0.05)
    assert np.mean(planned) == pytest.approx(np.mean(achieved), rel=0.2)  # 15 systems tell only roughly what there is


@pytest.mark.slow
def test_planned_power_is_that_of_williams():
    """The share of simulated studies in which Williams' test, which has the right level for normal scores, tells two metrics apart."""
    found = studies(stats.assumed_world(rho=0.8), ("system", "none"), n=4000)
    found.weaker = 0.6
    sizes = Sizes(20, 200, 3)
    drawn = draw_studies(found.world, sizes, found.place, (1.0, 0.6), 1500, np.random.default_rng(4))
    hits = 0
    for people, strong, weak in np.moveaxis(drawn[..., 0], 1, 0):
        r12, r13, r23 = (np.corrcoef(*pair)[0, 1] for pair in ((people, strong), (people, weak), (strong, weak)))
        hits += stats.williams(r12, r13, r23, sizes.systems).p < 0.05
    assert found.reached(sizes).power == pytest.approx(hits / 1500, abs=0.05)
