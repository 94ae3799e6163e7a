"""Edit distance and longest common subsequence as metrics."""

from __future__ import annotations

from typing import Any

import pytest

from validate import metrics


@pytest.mark.parametrize("case", ["lcs-order", "lcs-empty", "edit-empty"])
def test_worked_values(cases: Any, case: str) -> None:
    worked = cases("worked_values")[case]
    left, right = worked["inputs"]["left"], worked["inputs"]["right"]
    for key, expected in worked["expect"].items():
        name = {"length": "lcs", "edit_distance": "edit_distance"}[key]
        assert metrics.get(name).score([left], [[right]]).system == expected
        assert metrics.get(name).score([right], [[left]]).system == expected


def test_units() -> None:
    output, reference = "e\u0301a b", "eb"
    # Code points e, acute, a, space, b: three deletions; graphemes é, a, space, b against e, b: two deletions, one substitution.
    assert metrics.get("edit_distance", unit="codepoint").score([output], [[reference]]).system == 3
    assert metrics.get("edit_distance", unit="grapheme").score([output], [[reference]]).system == 3
    assert metrics.get("lcs", unit="codepoint").score([output], [[reference]]).system == 2
    assert metrics.get("lcs", unit="grapheme").score([output], [[reference]]).system == 1
    assert metrics.get("lcs", unit="word").score([output], [[reference]]).system == 0


def test_shares_of_the_longer_text() -> None:
    distance, common = (metrics.get(name, normalize=True) for name in ("edit_distance", "lcs"))
    assert distance.score(["a b c d"], [["a x"]]).system == 3 / 4
    assert common.score(["a b c d"], [["a x"]]).system == 1 / 4
    assert distance.bounds == common.bounds == (0.0, 1.0)
    assert distance.score([""], [[""]]).system == 0
    assert common.score([""], [[""]]).system == 1


def test_the_best_reference() -> None:
    assert metrics.get("edit_distance").score(["a b"], [["x y z", "a"]]).system == 1
    assert metrics.get("lcs").score(["a b"], [["x y z", "a"]]).system == 1
    # As shares: 1 of 2 against "a", 2 of 6 against the long one.
    assert metrics.get("lcs", normalize=True).score(["a b"], [["a b c d e f", "a"]]).system == 1 / 2


def test_a_system_is_the_mean_of_its_items() -> None:
    score = metrics.get("edit_distance").score(["a", "a b c"], [["b"], ["a"]])
    assert score.items.tolist() == [1, 2]
    assert score.system == 1.5
