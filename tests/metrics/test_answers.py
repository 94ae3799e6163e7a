"""Exact match and token F1 of short answers."""

from __future__ import annotations

from typing import Any

import pytest

from validate import metrics


def score(name: str, output: str, *references: str, **options: Any) -> float:
    return metrics.get(name, **options).score([output], [list(references)]).system


def test_squads_normalisation() -> None:
    assert score("exact_match", "The  U.S.!", "us") == 1
    assert score("exact_match", "co-op", "coop") == 1
    assert score("exact_match", "“us”", "us") == 0  # only ASCII punctuation goes
    assert score("exact_match", "US", "us", normalization="none") == 0


def test_f1_by_hand() -> None:
    """ "cat cat sat" against "cat sat down": 2 in common of 3 and 3."""
    assert score("token_f1", "the cat cat sat", "a cat sat down") == pytest.approx(2 / 3)
    assert score("token_f1", "The cat", "cat", normalization="none") == pytest.approx(2 / 3)


def test_an_answer_that_normalisation_empties(cases: Any) -> None:
    case = cases("reports")["gold-article-empty"]["input"]
    for name in ("exact_match", "token_f1"):
        assert score(name, case["output"], case["reference"]) == 0
        assert score(name, "a", "a") == 1
        assert score(name, "A", "cat") == 0
    # The published scripts: SQuAD 1.1 gives EM 1 and F1 0.
    assert score("exact_match", case["output"], case["reference"], normalization="squad-original") == 1
    assert score("token_f1", case["output"], case["reference"], normalization="squad-original") == 0


def test_the_words_as_they_are_when_a_side_is_emptied() -> None:
    """ "the" against "the cat": nothing is left of the output, so "the" of "the", "cat" is found: P = 1, R = 1/2."""
    assert score("token_f1", "the", "the cat") == pytest.approx(2 / 3)


@pytest.mark.parametrize("normalization", ["squad", "none"])
def test_two_empty_answers_are_equal(normalization: str) -> None:
    assert score("exact_match", "", "", normalization=normalization) == 1
    assert score("token_f1", "", "", normalization=normalization) == 1
    assert score("token_f1", "", "a b", normalization=normalization) == 0


def test_any_reference_will_do() -> None:
    assert score("exact_match", "b", "a", "b") == 1
    assert score("token_f1", "b c", "a", "b") == pytest.approx(2 / 3)
