"""Ratings and comparisons become score matrices; every expected value is worked out by hand."""

import numpy as np
import pytest

import validate
from validate.errors import OptionError
from validate.human import preferences, ratings, targets
from validate.schema import Criterion, Settings

RATINGS = [
    ("i1", "A", "r1", "quality", 1.0),
    ("i1", "A", "r2", "quality", 4.0),
    ("i1", "B", "r1", "quality", 3.0),
    ("i2", "B", "r2", "quality", 2.0),
]
COMPARISONS = [
    ("i1", "A", "B", "r1", "a", "preference"),
    ("i1", "B", "A", "r2", "tie", "preference"),
    ("i1", "A", "C", "r1", "both_bad", "preference"),
    ("i2", "C", "A", "r2", "a", "preference"),
]


def test_the_mean_is_over_annotators_and_missing_stays_missing(make_study):
    matrix = validate.human_scores(make_study(ratings=RATINGS))
    # A on i1: (1 + 4) / 2; nobody rated A on i2
    np.testing.assert_array_equal(matrix.values, [[2.5, np.nan], [3.0, 2.0]])
    assert (matrix.systems, matrix.items) == (("A", "B"), ("i1", "i2"))


def test_z_scores_centre_and_scale_each_annotator(make_study):
    matrix = validate.human_scores(make_study(ratings=RATINGS), method="z-score")
    # r1 gave 1 and 3: mean 2, sd 1 → -1, 1. r2 gave 4 and 2: mean 3, sd 1 → 1, -1
    np.testing.assert_allclose(matrix.values, [[0.0, np.nan], [1.0, -1.0]])


def test_an_annotator_who_gave_one_score_throughout_says_nothing_about_differences(make_study):
    flat = [*RATINGS, ("i1", "A", "flat", "quality", 5.0), ("i2", "A", "flat", "quality", 5.0)]
    matrix = validate.human_scores(make_study(ratings=flat), method="z-score")
    np.testing.assert_allclose(matrix.values, [[0.0, np.nan], [1.0, -1.0]])


def test_win_rates_count_ties_and_both_bad_as_half(make_study):
    matrix = validate.human_scores(make_study(comparisons=COMPARISONS))
    # i1: A won, tied, both bad → (1 + ½ + ½) / 3; B lost, tied → ½ / 2; C both bad → ½. i2: C won against A
    np.testing.assert_allclose(matrix.values, [[2 / 3, 0.0], [0.25, np.nan], [0.5, 1.0]])
    assert matrix.systems == ("A", "B", "C")


def test_sides_carry_no_meaning(make_study):
    turned = [
        (item, b, a, who, {"a": "b", "b": "a"}.get(winner, winner), criterion)
        for item, a, b, who, winner, criterion in COMPARISONS
    ]
    straight, swapped = (make_study(comparisons=rows) for rows in (COMPARISONS, turned))
    here, there = validate.human_scores(straight), validate.human_scores(swapped)
    order = [there.systems.index(system) for system in here.systems]
    np.testing.assert_allclose(here.values, there.values[order])


def test_bradley_terry_gives_one_column(make_study):
    # A beat B twice and lost once: the log odds are ln 2, and the strengths have mean 0
    rows = [("i1", "A", "B", f"r{k}", winner, "preference") for k, winner in enumerate("aab")]
    matrix = validate.human_scores(make_study(comparisons=rows), method="bradley-terry")
    assert matrix.items == ("all",)
    np.testing.assert_allclose(matrix.values[:, 0], [np.log(2) / 2, -np.log(2) / 2], atol=1e-7)


@pytest.mark.parametrize(("rule", "expected"), [("last", 5.0), ("first", 1.0), ("all", 3.0)])
def test_repeated_ratings_follow_the_stated_rule(make_study, rule, expected):
    rows = [("i1", "A", "r1", "quality", 1.0), ("i1", "A", "r1", "quality", 5.0)]
    assert validate.human_scores(make_study(ratings=rows), duplicates=rule).values[0, 0] == expected


@pytest.mark.parametrize("rule", ["last", "first", "all", "error"])
def test_judgments_without_an_annotator_are_no_repetitions(make_study, rule):
    """Three unknown people, not one who judged three times: the mean is (1 + 2 + 6) / 3, and A won 2 of 3."""
    rated = [("i1", "A", "unknown", "quality", score) for score in (1.0, 2.0, 6.0)]
    compared = [("i1", "A", "B", "unknown", winner, "preference") for winner in "aba"]
    study = make_study(ratings=rated, comparisons=compared)
    assert validate.human_scores(study, "quality", duplicates=rule).values[0, 0] == 3.0
    assert validate.human_scores(study, "preference", duplicates=rule).values[0, 0] == 2 / 3


def test_a_pair_seen_from_the_other_side_is_a_repeat(make_study):
    rows = [("i1", "A", "B", "r1", "a", "preference"), ("i1", "B", "A", "r1", "a", "preference")]
    study = make_study(comparisons=rows)
    assert validate.human_scores(study).values[:, 0].tolist() == [0.0, 1.0]
    with pytest.raises(OptionError, match="1 judgment repeated by the same annotator"):
        validate.human_scores(study, duplicates="error")


def test_the_criterion_must_be_named_where_there_are_several(make_study):
    study = make_study(ratings=[*RATINGS, ("i1", "A", "r1", "fluency", 2.0)])
    with pytest.raises(OptionError, match="one of quality, fluency is allowed"):
        validate.human_scores(study)
    assert validate.human_scores(study, "fluency").values[0, 0] == 2.0


def test_names_that_do_not_exist_bring_the_nearest(make_study):
    study = make_study(ratings=RATINGS)
    with pytest.raises(OptionError, match="did you mean 'quality'"):
        validate.human_scores(study, "qualty")
    with pytest.raises(OptionError, match="did you mean 'z-score'"):
        validate.human_scores(study, method="zscore")
    with pytest.raises(OptionError, match="needs comparisons, and the study 'study' has none"):
        validate.human_scores(study, method="win-rate")


def test_a_criterion_that_was_rated_and_compared_gives_two_targets(make_study):
    compared = [("i1", "A", "B", "r1", "a", "quality")]
    found = targets(make_study(ratings=RATINGS, comparisons=compared))
    assert [(target.label, target.kind) for target in found] == [
        ("quality", "ratings"),
        ("quality (pairwise)", "comparisons"),
    ]
    assert found[1].judged.sum() == 2


def test_targets_have_labels_of_their_own(make_study):
    """A criterion may bear the name that the second target of another one would get."""
    rated = [*RATINGS, ("i1", "A", "r1", "quality (pairwise)", 2.0)]
    compared = [("i1", "A", "B", "r1", "a", "quality")]
    labels = [target.label for target in targets(make_study(ratings=rated, comparisons=compared))]
    assert labels == ["quality", "quality (pairwise)", "quality (pairwise) (pairwise)"]


def test_declared_directions_travel_with_the_scores(make_study):
    settings = Settings(criteria={"quality": Criterion("quality", (1.0, 5.0), higher_is_better=False)})
    study = make_study(settings, ratings=RATINGS)
    assert not validate.human_scores(study).higher_is_better
    assert ratings(study, "quality").scale == (1.0, 5.0)


def test_ratings_by_unit_are_raters_by_judged_outputs(make_study):
    by_unit = ratings(make_study(ratings=RATINGS), "quality").by_unit()
    # units in order of system, then item: A·i1, B·i1, B·i2
    np.testing.assert_array_equal(by_unit, [[1, 3, np.nan], [4, np.nan, 2]])


def test_preferences_keep_the_sides_as_they_were_shown(make_study):
    judged = preferences(make_study(comparisons=COMPARISONS), "preference")
    assert [judged.systems[k] for k in judged.first] == ["A", "B", "A", "C"]
    assert judged.outcome.tolist() == [1, 0, 0, 1]
    assert judged.both_bad.tolist() == [False, False, True, False]
