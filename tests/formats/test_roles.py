"""Columns are known by their names."""

from __future__ import annotations

from collections import Counter

import pytest

from validate.formats.roles import CRITERIA, METADATA, ROLES, names_an_output, normal, role_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *[("ID", "item_id"), ("Doc ID", "item_id"), ("segmentId", None), ("segment-id", "item_id"), ("src", "source")],
        *[
            ("Reference 2", "references"),
            ("ref1", "references"),
            ("Gold", "references"),
            ("target_text_2", "references"),
        ],
        *[("MODEL", "system"), ("Model Output", "output"), ("candidate", "output"), ("Rater", "annotator")],
        *[("aspect", "criterion"), ("Rating", "score"), ("model_a", "system_a"), ("response_b", "output_b")],
        *[("gpt-4", None), ("category", None), ("", None)],
    ],
)
def test_names_and_roles(name: str, role: str | None) -> None:
    expected = "item_id" if name == "segmentId" else role  # camel case is taken apart
    assert role_of(name) == expected


def test_no_name_says_two_things() -> None:
    names = [name for role in ROLES.values() for name in role] + [*CRITERIA, *METADATA]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert all(normal(name) == name for name in names)


@pytest.mark.parametrize("name", ["output_gpt4", "bart_summary", "System 3", "model_x"])
def test_names_of_outputs(name: str) -> None:
    assert names_an_output(name)


@pytest.mark.parametrize("name", ["output", "gpt4", "model", "model_id", "output_a"])
def test_names_that_do_not_say_whose_output(name: str) -> None:
    assert not names_an_output(name)
