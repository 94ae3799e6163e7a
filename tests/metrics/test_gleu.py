"""GLEU by hand and by NLTK's examples; live parity is in test_parity.py."""

from __future__ import annotations

import pytest

from validate import metrics
from validate.errors import OptionError


def score(output: str, *references: str, **options: object) -> float:
    return metrics.get("gleu", **options).score([output], [list(references)]).system


def test_by_hand() -> None:
    """ "a b" of "a b c": 2 + 1 of 2 + 1 n-grams, and of 3 + 2 + 1; the lower of the two shares is 3/6, either way round."""
    assert score("a b", "a b c") == 3 / 6
    assert score("a b c", "a b") == 3 / 6
    assert score("a b c", "a b", min_order=2, max_order=2) == 1 / 2


def test_a_corpus_adds_up() -> None:
    """3 of 3 n-grams, and 1 of 3: 4/6."""
    ours = metrics.get("gleu").score(["a b", "a"], [["a b"], ["a c"]])
    assert ours.items.tolist() == [1, 1 / 3]
    assert ours.system == 4 / 6
    assert ours.statistics.tolist() == [[3, 3], [1, 3]]


def test_the_best_reference() -> None:
    assert score("a b", "a b c", "a") == 3 / 6
    assert score("a", "", "a b") == 1 / 3


def test_nothing_at_all() -> None:
    assert score("", "") == 0
    assert score("", "a") == 0
    assert score("a", "") == 0
    assert score("a", "a", min_order=2) == 0


def test_nltks_examples() -> None:
    """The docstring of nltk.translate.gleu_score 3.10.4: 1/11, 0.4393…, 0.1206…, and 0.5673… for a corpus."""
    assert score("the the the the the the the", "the cat is on the mat") == pytest.approx(2 / 22)
    first = "It is a guide to action that ensures that the military will forever heed Party commands"
    outputs = [
        "It is a guide to action which ensures that the military always obeys the commands of the party",
        "It is to insure the troops forever hearing the activity guidebook that party direct",
    ]
    assert [int(1e4 * score(output, first)) for output in outputs] == [4393, 1206]
    others = [
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    ]
    references = [[first, *others], ["he was interested in world history because he read the book"]]
    corpus = [outputs[0], "he read the book because he was interested in world history"]
    assert int(1e4 * metrics.get("gleu").score(corpus, references).system) == 5673


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match=r"max_order=1 was given; allowed: min_order \(2\) or more"):
        metrics.get("gleu", min_order=2, max_order=1)


def test_an_empty_reference_does_not_hide_another_from_an_empty_output() -> None:
    """The second reference has one n-gram that the empty output lacks: 0 of 1, and 1 of 1 for the second item."""
    scores = metrics.get("gleu").score(["", "a"], [["", "a"], ["a"]])
    assert scores.items.tolist() == [0.0, 1.0]
    assert scores.system == 0.5
