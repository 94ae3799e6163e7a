"""chrF and chrF++: values by hand, edges, several references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from validate import metrics
from validate.errors import OptionError, ShapeError

H, R = "the cat sat on the mat", "the cat is sitting on the mat"


def test_by_hand() -> None:
    """Orders 1 and 2 of "abc" against "abd": P = R = (2/3 + 1/2) / 2 = 7/12, so F is 7/12 too."""
    assert metrics.get("chrf", char_order=2).score(["abc"], [["abd"]]).system == pytest.approx(100 * 7 / 12)


def test_recall_weighs_beta_times() -> None:
    """P = 1, R = 3/4: F2 = 5 · 0.75 / 4.75, F1 = 6/7."""
    assert metrics.get("chrf", char_order=1).score(["abc"], [["abcd"]]).system == pytest.approx(100 * 3.75 / 4.75)
    assert metrics.get("chrf", char_order=1, beta=1).score(["abc"], [["abcd"]]).system == pytest.approx(600 / 7)


# sacreBLEU 2.6.0, `CHRF(eps_smoothing=…).sentence_score(H, [R]).score`, run 2026-11-30.
@pytest.mark.parametrize(("eps", "expected"), [(False, 46.950), (True, 46.944)])
def test_one_pair(eps: bool, expected: float) -> None:
    assert metrics.get("chrf", eps_smoothing=eps).score([H], [[R]]).system == pytest.approx(expected, abs=0.0005)


@pytest.mark.parametrize(
    ("text", "eps", "expected"), [("a", True, 100 / 6), ("ab", True, 200 / 6), ("a", False, 100), ("ab", False, 100)]
)
def test_short_identical_texts(text: str, eps: bool, expected: float) -> None:
    assert metrics.get("chrf", eps_smoothing=eps).score([text], [[text]]).system == pytest.approx(expected)


def test_chrf_plus_plus_counts_pairs_of_words() -> None:
    """Six characters and one word match in full; the pair of words that neither has is left out, or counts 0."""
    assert metrics.get("chrf++").score(["abcdef"], [["abcdef"]]).system == pytest.approx(100)
    smoothed = metrics.get("chrf++", eps_smoothing=True)
    assert smoothed.score(["abcdef"], [["abcdef"]]).system == pytest.approx(87.5)
    assert metrics.get("chrf++").options["word_order"] == 2
    assert metrics.get("chrf++", word_order=1).options["word_order"] == 1


def test_garbage_does_not_raise_the_corpus(cases: Any) -> None:
    case = cases("reports")["garbage-raises-corpus"]["input"]
    assert metrics.get("chrf").score(case["outputs"], case["references"]).system == pytest.approx(34.19, abs=0.005)
    smoothed = metrics.get("chrf", eps_smoothing=True)
    assert smoothed.score(case["outputs"], case["references"]).system == pytest.approx(33.80, abs=0.005)


def test_the_best_reference_counts_the_first_of_equals() -> None:
    score = metrics.get("chrf").score(["abc", "abc"], [["xyz", "abcd"], ["ab", "ab"]])
    alone = metrics.get("chrf").score(["abc", "abc"], [["abcd"], ["ab"]])
    assert score.items.tolist() == alone.items.tolist()
    assert score.system == alone.system


@pytest.mark.parametrize(("output", "reference"), [("", "a"), ("a", ""), ("", ""), (" ", "\n")])
def test_nothing_on_a_side_scores_0(output: str, reference: str) -> None:
    for name in ("chrf", "chrf++"):
        assert metrics.get(name).score([output], [[reference]]).items[0] == 0


def test_blanks_do_not_count_and_case_by_option() -> None:
    assert metrics.get("chrf").score(["a b\nc"], [["abc"]]).items[0] == pytest.approx(100)
    assert metrics.get("chrf").score(["ABC"], [["abc"]]).items[0] == 0
    assert metrics.get("chrf", lowercase=True).score(["ABC"], [["abc"]]).items[0] == pytest.approx(100)


def test_undefined_rows_stay_undefined_in_any_shape() -> None:
    metric = metrics.get("chrf")
    statistics = metric.statistics(["ab", "b"], [["ab"], []])
    scores = metric.divide(np.stack([statistics, statistics[::-1]]))
    assert np.isnan(scores).tolist() == [[False, True], [True, False]]


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="chrf: beta=-1 was given; allowed: a number, 0 or more"):
        metrics.get("chrf", beta=-1)
    with pytest.raises(OptionError, match="char_order=0 was given"):
        metrics.get("chrf", char_order=0)


def test_a_string_in_place_of_references_is_refused(cases: Any) -> None:
    case = cases("reports")["string-as-references"]["input"]
    for name in ("chrf", "chrf++", "bleu", "rouge1", "wer"):
        with pytest.raises(ShapeError, match="references is one string, which would be read as characters"):
            metrics.get(name).score(case["outputs"], case["references"])
