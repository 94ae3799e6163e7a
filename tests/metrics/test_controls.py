"""The controls: length, length ratio, chance."""

from __future__ import annotations

import numpy as np
import pytest

from validate import metrics


def test_length_needs_no_references() -> None:
    assert metrics.get("length").score(["a b", "", "é\u0301"]).items.tolist() == [2, 0, 1]
    assert metrics.get("length", unit="codepoint").score(["é\u0301"]).system == 2
    assert metrics.get("length", unit="grapheme").score(["é\u0301"]).system == 1


def test_length_ratio_pools() -> None:
    """1 of 2 and 3 of 4 words: 4/6."""
    score = metrics.get("length_ratio").score(["a", "a b c"], [["x y"], ["x y z w"]])
    assert score.items.tolist() == [1 / 2, 3 / 4]
    assert score.system == 4 / 6


def test_length_ratio_of_the_closest_reference_and_of_none() -> None:
    score = metrics.get("length_ratio").score(["a b c", "a", "a"], [["x", "x y z w"], [""], []])
    assert score.items.tolist() == pytest.approx([3 / 4, np.nan, np.nan], nan_ok=True)
    assert score.system == 3 / 4


def test_random_hangs_on_seed_and_output_alone() -> None:
    outputs = [f"text {number}" for number in range(2000)]
    items = metrics.get("random").score(outputs).items
    assert items.tolist() == metrics.get("random").score(outputs[::-1]).items[::-1].tolist()
    assert ((items >= 0) & (items < 1)).all()
    assert abs(items.mean() - 0.5) < 0.03
    other = metrics.get("random", seed=1).score(outputs).items
    assert abs(np.corrcoef(items, other)[0, 1]) < 0.1


def test_random_is_the_same_on_every_machine() -> None:
    """blake2b of "0", a zero byte and "a", 8 bytes, first 53 bits: a change here changes every published table."""
    import hashlib

    digest = hashlib.blake2b(b"0\x00a", digest_size=8).hexdigest()
    expected = int(digest, 16) // 2**11 / 2**53
    assert metrics.get("random").score(["a"]).items[0] == expected


def test_they_are_marked() -> None:
    assert {row["name"] for row in metrics.describe() if row["control"]} == {"length", "length_ratio", "random"}
