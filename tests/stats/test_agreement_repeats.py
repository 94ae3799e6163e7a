"""Annotators against themselves, and agreement on pairs as WMT published it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import human, stats
from validate.errors import OptionError
from validate.schema import Preferences, Ratings
from validate.stats.agreement.judgments import pairwise_ratings
from validate.stats.agreement.units import unit_counts
from validate.stats.agreement.wmt import _Pooled


def seen(rows, annotators=("Ann", "Bo"), both_bad=()):
    """Preferences out of rows (first, second, item, annotator, outcome)."""
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 5
    flags = [place in both_bad for place in range(len(rows))]
    return Preferences("quality", annotators, ("A", "B", "C"), ("i", "j"), *columns, flags)


ROWS = [
    (0, 1, 0, 0, 1),  # Ann: A over B
    (1, 0, 0, 0, -1),  # Ann, swapped: A over B again
    (0, 1, 1, 0, 1),  # Ann: A over B
    (1, 0, 1, 0, 1),  # Ann, swapped: B over A, the first side both times
    (0, 2, 0, 1, 0),  # Bo: a tie
    (0, 2, 0, 1, 0),  # Bo, not swapped: a tie again
    (1, 2, 0, 1, 1),  # Bo: once
]


def test_swapped_sides_are_taken_into_account():
    found = stats.self_consistency(seen(ROWS), interval=None)
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)
    table = stats.repeat_table(seen(ROWS)).set_index("annotator")
    assert table.loc["Ann"].tolist() == [2, 0.5, 1.0, 2, 0.5, 0.5, 0.0]  # differences 0 and 2
    assert table.loc["Bo", ["n", "same", "n_swapped"]].tolist() == [1, 1.0, 0]
    assert np.isnan(table.loc["Bo", "same_swapped"])


def test_three_judgments_of_one_unit_are_three_pairs():
    judged = Ratings("c", ("Ann",), ("s",), ("i", "j"), [0] * 5, [0] * 5, [0, 1, 0, 1, 0], [1, 4, 1, 4, 2])
    # (1, 1, 2): 1 of 3 pairs; (4, 4): 1 of 1
    assert stats.self_consistency(judged, interval=None).value == pytest.approx((1 / 3 + 1) / 2)
    row = stats.repeat_table(judged).iloc[0]
    assert (row["n"], row["same"], row["n_swapped"]) == (2, pytest.approx(2 / 3), 0)
    assert row["difference"] == pytest.approx((2 / 3 + 0) / 2)
    times = stats.repeated_ratings(judged)
    assert times.annotators == ("time 1", "time 2", "time 3")
    assert times.by_unit().tolist()[0] == [1.0, 4.0]
    assert stats.icc(times, form="ICC(1,1)", interval=None).value > 0.8


def test_both_bad_twice_is_the_same():
    rows = [(0, 1, 0, 0, 0), (1, 0, 0, 0, 0)]
    assert stats.self_consistency(seen(rows, both_bad=(0, 1)), both_bad="category", interval=None).value == 1.0
    assert stats.self_consistency(seen(rows, both_bad=(0,)), both_bad="category", interval=None).value == 0.0
    assert stats.self_consistency(seen(rows, both_bad=(0,)), interval=None).value == 1.0  # a tie
    assert stats.self_consistency(seen(rows, both_bad=(0,)), both_bad="missing").n == 0


def test_without_repeats_there_is_nothing_to_say():
    for judged in (seen(ROWS[:1]), seen([]), Ratings("c", ("Ann",), ("s",), ("i",), [0], [0], [0], [1.0])):
        found = stats.self_consistency(judged)
        assert np.isnan(found.value)
        assert found.reason == "no annotator judged anything twice"
        assert len(stats.repeat_table(judged)) == 0


def test_repeats_of_a_study(make_study):
    study = make_study(
        items=[("i", "", []), ("j", "", [])],
        comparisons=[
            ("i", "A", "B", "Ann", "a", "quality"),
            ("i", "B", "A", "Ann", "b", "quality"),
            ("j", "A", "B", "Ann", "both_bad", "quality"),
            ("j", "A", "B", "Ann", "tie", "quality"),
        ],
    )
    judged = human.preferences(study, "quality", duplicates="all")
    assert stats.self_consistency(judged, interval=None).value == 1.0
    assert stats.self_consistency(judged, both_bad="category", interval=None).value == 0.5


judgment = st.tuples(
    st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 0)]), st.integers(0, 1), st.integers(0, 3), st.integers(-1, 1)
)


def plain_wmt(rows, chance):
    """As published, from a list of (unit, label) with the sides put in one order; the last of an annotator's repeats counts."""
    last = {}
    for (first, second), item, annotator, outcome in rows:
        last[min(first, second), max(first, second), item, annotator] = outcome if first < second else -outcome
    pairs = [one == other for (a, one), (b, other) in itertools.combinations(last.items(), 2) if a[:3] == b[:3]]
    ties = np.mean([label == 0 for label in last.values()])
    expected = ties**2 + 2 * ((1 - ties) / 2) ** 2 if chance == "empirical" else 1 / 3
    return (np.mean(pairs) - expected) / (1 - expected) if pairs and expected < 1 else np.nan


@given(st.lists(judgment, min_size=1, max_size=25), st.sampled_from(["empirical", "uniform"]))
def test_wmt_is_its_definition(rows, chance):
    judged = seen([(*pair, *rest) for pair, *rest in rows], annotators=tuple("abcd"))
    found = stats.wmt_kappa(judged, chance=chance, interval=None)
    assert found.value == pytest.approx(plain_wmt(rows, chance), abs=1e-12, nan_ok=True)
    assert np.isnan(found.value) == bool(found.reason)


@given(st.lists(judgment, min_size=1, max_size=25))
def test_sides_do_not_matter(rows):
    def judged(turn):
        return seen([(*pair[::turn], item, who, turn * outcome) for pair, item, who, outcome in rows], tuple("abcd"))

    one, other = (stats.wmt_kappa(judged(turn), interval=None).value for turn in (1, -1))
    assert one == pytest.approx(other, nan_ok=True)


def test_wmt_of_repeats_is_agreement_with_oneself():
    # P(A) = 2 of 3 pairs, ties 2 of 6: P(E) = 1/9 + 2 * (1/3)² = 1/3
    found = stats.wmt_kappa(stats.repeated_ratings(seen(ROWS)), interval=None)
    assert found.value == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))


def test_the_influence_of_wmt_is_its_derivative():
    rng = np.random.default_rng(0)
    rows = [(*rng.permutation(3)[:2], rng.integers(2), who, rng.integers(-1, 2)) for who in range(8) for _ in range(5)]
    units = unit_counts("test", pairwise_ratings(seen(rows, tuple("abcdefgh"))))
    for empirical in (True, False):
        kappa = _Pooled(units, empirical)
        for kind, expected in enumerate(kappa.influence()):
            change = np.zeros((len(units.multiplicity), 1))
            change[kind] = 1e-5
            more, less = (kappa.value(units.multiplicity[:, None] + sign * change)[0] for sign in (1, -1))
            assert expected == pytest.approx((more - less) / 2e-5, abs=1e-8)


def test_wmt_all_ties_is_undefined():
    found = stats.wmt_kappa(seen([(0, 1, 0, 0, 0), (0, 1, 0, 1, 0)]))
    assert np.isnan(found.value)
    assert "all judgments are ties" in found.reason
    with pytest.raises(OptionError, match="did you mean 'empirical'"):
        stats.wmt_kappa(seen(ROWS), chance="empircal")
    with pytest.raises(OptionError, match="did you mean 'missing'"):
        stats.wmt_kappa(seen(ROWS), both_bad="missin")
