"""TER: counts by hand, its four options, several references, edges; the search itself is under tests/text/test_shifts.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from validate import metrics
from validate.errors import OptionError


def ter(output: str, *references: str, **options: Any) -> float:
    return metrics.get("ter", **options).score([output], [list(references)]).system


def test_by_hand() -> None:
    """One replacement on four words; one shift and one insertion on five."""
    assert ter("a b x d", "a b c d") == 25
    assert ter("d a b c", "a b c d e") == 100 * 2 / 5


# sacreBLEU 2.6.0, `TER().sentence_score(hypothesis, references).score`, run 2026-11-30. The first is of the tests of Tercom's port:
# one replacement, one insertion, one shift on six words; by hand, too.
@pytest.mark.parametrize(
    ("output", "references", "expected"),
    [
        ("a b c d x f", ["d a b c e f"], 100 * 2 / 6),
        ("the cat sat on the mat", ["the cat is sitting on the mat"], 100 * 2 / 7),
    ],
)
def test_worked_pairs(output: str, references: list[str], expected: float) -> None:
    assert ter(output, *references) == pytest.approx(expected, rel=1e-12)


def test_rates_above_100_are_not_clipped(cases: Any) -> None:
    case = cases("reports")["ter-over-100"]["input"]
    metric = metrics.get("ter")
    assert metric.score(case["outputs"], case["references"]).system == 500
    assert metric.bounds == (0.0, float("inf"))


def test_fewest_edits_by_the_mean_length() -> None:
    """1 edit to "a b c", 3 to "x y z v w": 1 by (3 + 5) / 2."""
    assert ter("a b d", "a b c", "x y z v w") == 100 * 1 / 4


def test_a_corpus_pools_edits_and_lengths() -> None:
    """1 edit on 1 word and 0 on 3: 1/4, not the mean of 1 and 0."""
    assert metrics.get("ter").score(["x", "a b c"], [["y"], ["a b c"]]).system == 25


@pytest.mark.parametrize(
    ("output", "references", "expected"),
    [("", [""], 0), ("a b c", [""], 100), ("", ["a b"], 100), ("a", ["", " "], 100)],
)
def test_nothing_on_a_side(output: str, references: list[str], expected: float) -> None:
    assert ter(output, *references) == expected


def test_an_empty_reference_within_a_corpus_adds_its_edits_only() -> None:
    """2 edits on 0 words and 1 on 2."""
    assert metrics.get("ter").score(["a b", "c x"], [[""], ["c d"]]).system == 150


def test_case() -> None:
    assert ter("The Cat", "the cat") == 0
    assert ter("The Cat", "the cat", case_sensitive=True) == 100


def test_normalized() -> None:
    assert ter("the dog's bone, &amp; so on", "the dog 's bone , & so on", normalized=True) == 0
    assert ter("a\n-b", "ab", normalized=True) == 0
    assert ter("a, b", "a , b") == 100 * (2 / 3)


def test_no_punct_goes_into_words_and_numbers() -> None:
    assert ter("3.14 (a)!", "314 a", no_punct=True) == 0
    assert ter("3.14 a , b", "314 a b", no_punct=True, normalized=True) == 0
    assert ter("、 a", "a", no_punct=True) == 100
    assert ter("、 a", "a", no_punct=True, asian_support=True) == 0


def test_asian_support_parts_ideographs_only_when_normalized() -> None:
    assert ter("大桥", "大 桥") == 100
    assert ter("大桥", "大 桥", asian_support=True) == 100
    assert ter("大桥", "大 桥", normalized=True) == 100
    assert ter("大桥。", "大 桥 。", asian_support=True, normalized=True) == 0


def test_options() -> None:
    with pytest.raises(OptionError, match="ter: normalized='yes' was given; allowed: True or False"):
        metrics.get("ter", normalized="yes")
    options = {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}
    assert metrics.get("ter", **options).signature.startswith(
        "ter|normalized:yes|no_punct:yes|asian_support:yes|case_sensitive:yes|accord:"
    )


def test_a_long_corpus_to_the_last_bit(library: Any) -> None:
    """Mean lengths of three references are thirds: sums of 300 of them in sacreBLEU's order."""
    scorer = library("sacrebleu").TER()
    rng = np.random.default_rng(0)
    outputs, *streams = (
        [" ".join(rng.choice(list("abcde"), size)) for size in rng.integers(0, 9, 300)] for _ in range(4)
    )
    rows = [list(row) for row in zip(*streams, strict=True)]
    assert metrics.get("ter").score(outputs, rows).system == scorer.corpus_score(outputs, streams).score
