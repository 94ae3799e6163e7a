"""Which references an output is held against, where people who wrote references are among the systems."""

import pytest

from validate.errors import OptionError
from validate.schema import Settings
from validate.validation.references import held_against, reference_writers

ITEMS = [("i1", "", ["one", "two", "three"]), ("i2", "", ["four"]), ("i3", "", ["five", "six"])]
OUTPUTS = [
    ("i1", "human", "one"),
    ("i2", "human", "four"),
    ("i3", "human", "six"),
    ("i1", "model", "uno"),
    ("i2", "model", "four"),
    ("i3", "model", "cinque"),
]


def test_a_system_all_of_whose_outputs_are_references_writes_references(make_study):
    assert reference_writers(make_study(items=ITEMS, outputs=OUTPUTS)) == ("human",)


def test_a_model_that_hits_a_reference_keeps_its_merit(make_study):
    references, _ = held_against(make_study(items=ITEMS, outputs=OUTPUTS))
    assert references[4] == ["four"]


def test_a_writer_is_held_against_the_others_references(make_study):
    references, held_out = held_against(make_study(items=ITEMS, outputs=OUTPUTS))
    assert references == [["two", "three"], [], ["five"], ["one", "two", "three"], ["four"], ["five", "six"]]
    (human,) = held_out
    assert (human.system, human.n_outputs, human.n_left_out) == ("human", 3, 1)


def test_equal_gives_other_systems_equally_many(make_study):
    references, _ = held_against(make_study(items=ITEMS, outputs=OUTPUTS), "equal")
    assert references[3:] == [["two", "three"], [], ["five"]]


def test_equal_takes_turns_where_several_wrote_references(make_study):
    items = [("i1", "", ["one", "two"]), ("i2", "", ["three", "four"])]
    outputs = [
        ("i1", "w1", "one"), ("i2", "w1", "three"), ("i1", "w2", "two"), ("i2", "w2", "four"),
        ("i1", "m", "x"), ("i2", "m", "y"),
    ]  # fmt: skip
    references, held_out = held_against(make_study(items=items, outputs=outputs), "equal")
    assert references[4:] == [["two"], ["three"]]  # w1's is lost on the first item, w2's on the second
    assert [held.system for held in held_out] == ["w1", "w2"]


def test_an_empty_output_is_no_sign_against_a_writer(make_study):
    outputs = [*OUTPUTS[:2], ("i3", "human", ""), *OUTPUTS[3:]]
    study = make_study(items=ITEMS, outputs=outputs)
    assert reference_writers(study) == ("human",)
    assert held_against(study)[0][2] == ["five", "six"]


def test_the_study_may_name_its_writers_or_say_that_there_are_none(make_study):
    rows = {"items": ITEMS, "outputs": OUTPUTS}
    named = make_study(Settings(reference_writers=("model",)), **rows)
    assert held_against(named)[0] == [
        ["one", "two", "three"],
        ["four"],
        ["five", "six"],
        ["one", "two", "three"],
        [],
        ["five", "six"],
    ]
    assert held_against(make_study(Settings(reference_writers="none"), **rows))[1] == []
    with pytest.raises(OptionError, match="did you mean 'human'"):
        reference_writers(make_study(Settings(reference_writers=("humans",)), **rows))


def test_an_unknown_policy_is_refused(make_study):
    with pytest.raises(OptionError, match="no policy 'some'; allowed: all, equal"):
        held_against(make_study(items=ITEMS, outputs=OUTPUTS), "some")
