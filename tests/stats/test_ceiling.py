"""The human ceiling: worked values, a written-out twin, what is undefined; Spearman–Brown."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import optimize

from validate import stats
from validate.errors import AccordError, OptionError
from validate.schema import Estimate, Preferences, Ratings

PLACES = [("system", "none"), ("item", "none"), ("item", "item"), ("item", "system")]


def ratings(values):
    """Ratings out of an (n_annotators, n_systems, n_items) array, NaN where nobody judged."""
    annotator, system, item = np.nonzero(~np.isnan(values))
    names = [tuple(f"{kind}{k}" for k in range(n)) for kind, n in zip("asi", values.shape, strict=True)]
    return Ratings("c", *names, annotator, system, item, values[annotator, system, item])


def a_study(seed=0, shape=(4, 5, 12), missing=0.4):
    rng = np.random.default_rng(seed)
    values = np.round(2 * rng.normal(size=shape[1:]) + rng.normal(size=shape) + np.arange(shape[1])[:, None])
    values[rng.random(shape) < missing] = np.nan
    return values


def plain_ceiling(values, coefficient, level, grouping):
    """Annotator by annotator, through the public correlation."""
    total, mass = 0.0, 0.0
    for annotator in range(len(values)):
        rest = np.delete(values, annotator, axis=0)
        count = (~np.isnan(rest)).sum(axis=0)
        others = np.divide(np.nansum(rest, axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)
        shared = ~np.isnan(values[annotator]) & ~np.isnan(others)
        if not shared.any():
            continue
        found = stats.correlation(values[annotator], others, coefficient=coefficient, level=level, grouping=grouping)
        if not np.isnan(found.value):
            total, mass = total + shared.sum() * found.value, mass + shared.sum()
    return total / mass if mass else np.nan


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize(("level", "grouping"), PLACES)
def test_it_is_the_plain_computation(level, grouping, coefficient):
    values = a_study()
    found = stats.noise_ceiling(ratings(values), coefficient=coefficient, level=level, grouping=grouping, interval=None)
    assert found.value == pytest.approx(plain_ceiling(values, coefficient, level, grouping), abs=1e-12)
    assert found.n_groups == 4


@pytest.mark.parametrize(("level", "grouping"), PLACES)
def test_the_interval_is_that_of_items_drawn_one_by_one(level, grouping):
    from validate.stats import multinomial

    values = a_study(shape=(3, 4, 9))
    drawn = np.concatenate(list(multinomial.resampled_counts(np.ones(9, np.int64), 60, np.random.default_rng(2))))
    ceilings = [resampled_ceiling(values, counts.astype(int), level, grouping) for counts in drawn]
    found = stats.noise_ceiling(ratings(values), level=level, grouping=grouping, resamples=60, rng=2)
    assert [found.low, found.high] == pytest.approx(list(np.nanquantile(ceilings, [0.025, 0.975])), abs=1e-11)
    assert (found.n_resamples, found.seed) == (60, 2)


def resampled_ceiling(values, counts, level, grouping):
    """Items repeated as often as they were drawn; an annotator keeps the weight of the whole study."""
    total, mass = 0.0, 0.0
    for annotator in range(len(values)):
        rest = np.delete(values, annotator, axis=0)
        count = (~np.isnan(rest)).sum(axis=0)
        others = np.divide(np.nansum(rest, axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)
        shared = (~np.isnan(values[annotator]) & ~np.isnan(others)).sum()
        own, theirs = (np.repeat(side, counts, axis=1) for side in (values[annotator], others))
        if not (~np.isnan(own) & ~np.isnan(theirs)).any():
            continue
        found = stats.correlation(own, theirs, level=level, grouping=grouping).value
        if not np.isnan(found):
            total, mass = total + shared * found, mass + shared
    return total / mass if mass else np.nan


def test_annotators_who_say_the_same_reach_one():
    values = np.broadcast_to(np.arange(12.0).reshape(3, 4), (3, 3, 4))
    for level, grouping in PLACES:
        found = stats.noise_ceiling(ratings(values), level=level, grouping=grouping)
        assert found.value == pytest.approx(1.0)
        assert found.low == pytest.approx(1.0)


def test_preferences_are_shares_of_points():
    # Ann: x beats y, x beats z, y beats z on item i: x 1, y 1/2, z 0. Bo the other way round
    first, second = [0, 0, 1] * 2, [1, 2, 2] * 2
    judged = Preferences(
        "q", ("Ann", "Bo"), ("x", "y", "z"), ("i",), first, second, [0] * 6, [0] * 3 + [1] * 3, [1] * 3 + [-1] * 3,
        [False] * 6,
    )  # fmt: skip
    found = stats.noise_ceiling(judged, interval=None)
    assert found.value == -1.0
    assert found.n == 6  # three outputs, each judged by two


def test_only_chosen_systems_and_items_count():
    values = a_study()
    part = ratings(values[:, 1:4, 2:9])
    whole = stats.noise_ceiling(
        ratings(values), systems=["s1", "s2", "s3"], items=[f"i{k}" for k in range(2, 9)], interval=None
    )
    assert whole.value == stats.noise_ceiling(part, interval=None).value
    with pytest.raises(OptionError, match=r"systems 's9' are not in the judgments"):
        stats.noise_ceiling(ratings(values), systems=["s9"])


def test_one_annotator_has_nobody_to_hold_against():
    found = stats.noise_ceiling(ratings(a_study()[:1]))
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.reason == "one annotator: there is nobody to hold against"


def test_annotators_who_share_nothing():
    values = np.full((2, 2, 2), np.nan)
    values[0, :, 0], values[1, :, 1] = [1, 2], [2, 1]
    found = stats.noise_ceiling(ratings(values))
    assert np.isnan(found.value)
    assert found.reason == "no output was judged by two annotators"
    assert (found.n, found.n_dropped) == (0, 4)


def test_a_constant_annotator_is_left_out_and_counted():
    values = a_study(missing=0.0)
    values[2] = 3.0
    found = stats.noise_ceiling(ratings(values), interval=None)
    assert found.n_undefined == 1
    assert found.reason == "1 of 4 annotators has no correlation with the others"


def test_repeated_ratings_count_once():
    once = Ratings(
        "c", ("A", "B"), ("s", "t", "u"), ("i",), [0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0] * 6, [1, 2, 3, 1, 3, 2]
    )
    again = Ratings(
        "c",
        ("A", "B"),
        ("s", "t", "u"),
        ("i",),
        [0, 0, 0, 1, 1, 1, 0],
        [0, 1, 2] * 2 + [0],
        [0] * 7,
        [0, 2, 3, 1, 3, 2, 2],
    )  # 0 and 2 of the first output are a 1
    assert (
        stats.noise_ceiling(once, coefficient="pearson").value
        == stats.noise_ceiling(again, coefficient="pearson").value
    )


def test_the_seed_decides():
    judged = ratings(a_study())
    one, again = (repr(stats.noise_ceiling(judged, rng=4)) for _ in range(2))  # no ==: NaN is not equal to NaN
    assert one == again
    assert stats.noise_ceiling(judged, rng=4).low != stats.noise_ceiling(judged, rng=5).low


def plain_split_half(values, level, grouping):
    """All splits one by one through the public correlation, stepped up by a root found numerically."""
    n = len(values)
    total, mass = 0.0, 0.0
    for half in itertools.combinations(range(n), n // 2):
        if n % 2 == 0 and 0 not in half:
            continue
        sides = [np.delete(values, half, axis=0), values[list(half)]]
        counts = [(~np.isnan(side)).sum(axis=0) for side in sides]
        means = [
            np.divide(np.nansum(s, axis=0), c, out=np.full(c.shape, np.nan), where=c > 0)
            for s, c in zip(sides, counts, strict=True)
        ]
        shared = (~np.isnan(means[0]) & ~np.isnan(means[1])).sum()
        found = stats.correlation(*means, level=level, grouping=grouping).value if shared else np.nan
        if not np.isnan(found):
            total, mass = total + shared * found, mass + shared
    r, p = total / mass, (n // 2) / n

    def too_much(whole):
        # Spearman and Brown down to both parts: their reliabilities multiply to r²
        parts = [stats.spearman_brown(whole, share) for share in (p, 1 - p)]
        return parts[0] * parts[1] - r**2

    return optimize.brentq(too_much, 0, 1)


@pytest.mark.parametrize("n_annotators", [2, 3, 4, 5])
@pytest.mark.parametrize(("level", "grouping"), PLACES)
def test_split_halves_are_the_plain_computation(level, grouping, n_annotators):
    values = a_study(shape=(n_annotators, 5, 12), missing=0.2)
    found = stats.noise_ceiling(ratings(values), level=level, grouping=grouping, method="split-half", interval=None)
    assert found.value == pytest.approx(plain_split_half(values, level, grouping), abs=1e-10)
    assert found.n_groups == {2: 1, 3: 3, 4: 3, 5: 10}[n_annotators]
    assert found.method.startswith("split half (mean of ")


def test_two_annotators_split_into_themselves():
    values = a_study(shape=(2, 5, 30), missing=0.0)
    halves = stats.noise_ceiling(
        ratings(values), coefficient="pearson", level="item", grouping="none", method="split-half"
    )
    r = stats.pearson(values[0].ravel(), values[1].ravel()).value
    assert halves.value == pytest.approx(2 * r / (1 + r))
    assert halves.low < halves.value < halves.high
    # the same resampled items: each replicate is stepped up
    alone = stats.noise_ceiling(ratings(values), coefficient="pearson", level="item", grouping="none")
    assert halves.low == pytest.approx(stats.spearman_brown(alone.low), abs=1e-6)


@pytest.mark.parametrize("n_annotators", [3, 4, 7])
def test_split_halves_find_the_reliability_of_the_mean(n_annotators):
    # quality has variance 1, one judgment's noise 2: the mean of n has reliability 1 / (1 + 2 / n)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1, 10, 400)) + np.sqrt(2) * rng.normal(size=(n_annotators, 10, 400))
    found = stats.noise_ceiling(
        ratings(values), coefficient="pearson", grouping="none", method="split-half", interval=None, rng=1
    )
    assert found.value == pytest.approx(1 / (1 + 2 / n_annotators), abs=0.025)


def test_halves_without_common_ground_are_undefined():
    values = np.stack([np.arange(6.0).reshape(3, 2), -np.arange(6.0).reshape(3, 2)])
    found = stats.noise_ceiling(ratings(values), method="split-half")
    assert np.isnan(found.value)
    assert found.reason == "the halves correlate -1: they have nothing in common"


def test_halves_of_preferences():
    rng = np.random.default_rng(0)
    first = rng.integers(3, size=400)
    second = (first + rng.integers(1, 3, size=400)) % 3
    outcome = np.where(rng.random(400) < 0.8, np.sign(second - first), np.sign(first - second))
    judged = Preferences(
        "q", tuple("abcd"), tuple("xyz"), tuple(map(str, range(10))), first, second, rng.integers(10, size=400),
        rng.integers(4, size=400), outcome, np.zeros(400, bool),
    )  # fmt: skip
    found = stats.noise_ceiling(judged, method="split-half", level="item", grouping="none")
    assert 0.5 < found.low < found.value < found.high < 1


def test_random_splits_are_drawn_by_the_seed():
    judged = ratings(a_study(shape=(8, 4, 10), missing=0.2))
    few = [
        stats.noise_ceiling(judged, method="split-half", splits=5, interval=None, rng=seed).value for seed in (1, 1, 2)
    ]
    assert few[0] == few[1] != few[2]
    every = stats.noise_ceiling(judged, method="split-half", splits=35, interval=None)  # 8 choose 4, over 2
    assert "mean of 35 splits" in every.method
    assert every.value == stats.noise_ceiling(judged, method="split-half", splits=99, interval=None, rng=5).value


def test_correction_for_attenuation():
    found = stats.corrected_for_attenuation(Estimate(0.45, 0.36, 0.54, method="pearson", n=9), 0.9, 0.9)
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.4, 0.6))
    assert (found.method, found.n) == ("pearson; corrected for attenuation, reliability 0.9, 0.9", 9)
    beyond = stats.corrected_for_attenuation(0.9, 0.5)
    assert beyond.value == pytest.approx(0.9 / np.sqrt(0.5))
    assert beyond.reason.startswith("beyond 1")
    for undefined in (stats.corrected_for_attenuation(0.5, 0.0), stats.corrected_for_attenuation(0.5, np.nan)):
        assert np.isnan(undefined.value)
        assert "not above 0" in undefined.reason
    assert stats.corrected_for_attenuation(Estimate(np.nan, reason="x constant"), 0.5).reason == "x constant"
    with pytest.raises(AccordError, match=r"reliability_human=1.2"):
        stats.corrected_for_attenuation(0.5, 1.2)
    with pytest.raises(AccordError, match="a correlation from -1 to 1"):
        stats.corrected_for_attenuation(1.5, 0.5)


def test_correction_undoes_the_noise_of_judgments():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(1, 8, 500))
    metric = quality[0] + rng.normal(size=(8, 500))
    values = quality + 1.5 * rng.normal(size=(3, 8, 500))
    place = {"coefficient": "pearson", "grouping": "none"}
    noisy = stats.correlation(metric, values.mean(axis=0), **place)
    reliability = stats.noise_ceiling(ratings(values), **place, method="split-half", interval=None)
    assert stats.corrected_for_attenuation(noisy, reliability).value == pytest.approx(np.sqrt(0.5), abs=0.02)


def test_spearman_brown(cases):
    case = cases("oracles")["spearman-brown"]
    assert stats.spearman_brown(case["input"]["r_half"]) == pytest.approx(case["expected"], abs=case["tol"])
    assert stats.spearman_brown(0.5, 3) == pytest.approx(1.5 / 2)
    # down and up again
    assert stats.spearman_brown(stats.spearman_brown(0.7, 1 / 4), 4) == pytest.approx(0.7)
    assert np.isnan(stats.spearman_brown(np.nan))


@pytest.mark.parametrize(
    ("r", "factor", "message"),
    [(1.2, 2, "from -1 to 1"), (0.5, 0, "factor=0 was given"), (-1.0, 2, "no common ground"), (-0.6, 3, "above -0.5")],
)
def test_spearman_brown_without_meaning(r, factor, message):
    with pytest.raises(AccordError, match=message):
        stats.spearman_brown(r, factor)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coefficient": "spearmn"}, "did you mean 'spearman'"),
        ({"level": "systems"}, "did you mean 'system'"),
        ({"interval": "bca"}, "allowed: bootstrap, None"),
        ({"confidence": 1.5}, "confidence=1.5"),
        ({"resamples": 0}, "resamples=0"),
        ({"method": "split-hlaf"}, "did you mean 'split-half'"),
        ({"splits": 0}, "splits=0"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(AccordError, match=message):
        stats.noise_ceiling(ratings(a_study()), **options)
