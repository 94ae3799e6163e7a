"""NIST by hand and beside NLTK, whose information weights come from the references of what is scored."""

from __future__ import annotations

from math import exp, log, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import alike, row

from validate import metrics
from validate.text.tokenizers import get

close = st.tuples(alike, st.lists(alike, min_size=1, max_size=3))
Rows = list[tuple[str, list[str]]]


def both(rows: Rows) -> tuple[list[str], list[list[str]]]:
    return [output for output, _ in rows], [references for _, references in rows]


def test_by_hand() -> None:
    """Six words in the collection: "a" three times, "b" twice, "c" once; "a b" twice after three "a".

    Of the output "a b c", "a", "b" and "a b" match: log2(6/3) + log2(6/2) in three words, log2(3/2) in two pairs. It has three
    words and the reference two, so that there is no penalty.
    """
    metric = metrics.get("nist", n=2).fit([["a b", "a b"], ["a c"]])
    expected = (log2(6 / 3) + log2(6 / 2)) / 3 + log2(3 / 2) / 2
    score = metric.score(["a b c"], [["a b"]])
    assert score.system == pytest.approx(expected, abs=1e-12)
    assert score.statistics[0].tolist() == pytest.approx([log2(2) + log2(3), log2(1.5), 3, 2, 4, 6])


def test_an_output_of_two_thirds_loses_half() -> None:
    """Two words of three, of one in three each: log2(3/1) a word, times 1/2."""
    score = metrics.get("nist", n=1).score(["a b"], [["a b c"]])
    assert score.system == pytest.approx(log2(3) / 2, abs=1e-12)
    assert metrics.get("nist", n=1).score(["a"], [["a b c"]]).system == pytest.approx(
        log2(3) * exp(log(0.5) * (log(1 / 3) / log(1.5)) ** 2), abs=1e-12
    )


def test_a_corpus_adds_up() -> None:
    """Every word once among four: 2 bits each. 2 + 1 matches of 2 + 2 words, lengths equal: 6/4."""
    score = metrics.get("nist", n=1).score(["a b", "c x"], [["a b"], ["c d"]])
    assert score.items.tolist() == [2, 1]
    assert score.system == 6 / 4


def test_outputs_too_short_for_an_n_and_empty_texts() -> None:
    """NLTK divides by zero here. One word of one: log2(2/1), and nothing for n = 2 … 5."""
    metric = metrics.get("nist").fit([["a"], ["b"]])
    assert metric.score(["a"], [["a"]]).system == 1
    assert metric.score([""], [["a"]]).system == 0
    assert metric.score(["a"], [[""]]).system == 0
    assert metrics.get("nist").score([""], [[""]]).system == 0


def test_what_the_collection_has_not_counts_as_seen_once() -> None:
    """ "z" is new: log2(2/1), as if it were one of the two words."""
    metric = metrics.get("nist", n=2).fit([["a b"]])
    assert metric.score(["z"], [["z"]]).system == 1
    assert metric.score(["z z"], [["z z"]]).system == 1 + 0


def test_the_best_reference_of_each_order() -> None:
    """For words the first reference is better, for pairs the second; both lengths go into the sum of lengths."""
    metric = metrics.get("nist", n=2).fit([["a b c q q"], ["x a b"]])
    # Eight words: "a" and "b" tell log2(8/2), "c" log2(8/1); "a b" and "b c" log2(2/2) and log2(2/1).
    statistics = metric.statistics(["x c b a b"], [["a b c q q", "x a b"]])[0]
    # Words: 2 + 2 + 3 = 7 bits against the first, log2(8/1) + 2 + 2 = 7 against the second: equal, the longer counts.
    assert statistics.tolist() == [7, 0, 5, 4, 5 + 5, 5 + 5]


def test_nltks_example(library: Any) -> None:
    """The docstring of nltk.translate.nist_score 3.10.4 gives 3.3709… and 1.4619…."""
    references = [
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    ]
    outputs = [
        "It is a guide to action which ensures that the military always obeys the commands of the party",
        "It is to insure the troops forever hearing the activity guidebook that party direct",
    ]
    found = [metrics.get("nist").score([output], [references]).system for output in outputs]
    assert [int(score * 1e4) for score in found] == [33709, 14619]


def nltk_score(library: Any, rows: Rows, n: int) -> float | None:
    """None where NLTK divides by zero."""
    outputs, references = both(rows)
    split = get("13a")
    try:
        return library("nltk.translate.nist_score").corpus_nist(
            [[split(text) for text in texts] for texts in references], [split(text) for text in outputs], n
        )
    except ZeroDivisionError:
        return None


@settings(max_examples=80)
@given(rows=st.lists(close | row, min_size=1, max_size=4), n=st.integers(1, 5))
def test_nltk(library: Any, rows: Rows, n: int) -> None:
    expected = nltk_score(library, rows, n)
    ours = metrics.get("nist", n=n).score(*both(rows))
    if expected is not None:
        assert ours.system == pytest.approx(expected, abs=1e-11)
    for output, references in rows:
        alone = nltk_score(library, [(output, references)], n)
        if alone is not None:
            assert metrics.get("nist", n=n).score([output], [references]).items[0] == pytest.approx(alone, abs=1e-11)


@settings(max_examples=40)
@given(rows=st.lists(close, min_size=1, max_size=4), more=st.lists(close, min_size=1, max_size=3))
def test_the_adapter_of_the_cross_check(library: Any, rows: Rows, more: Rows) -> None:
    """NLTK counts n-grams in our collection, and scores two systems on each item by it."""
    library("nltk")
    outputs, references = both(rows)
    (reference,) = metrics.entries()["nist"].references
    metric = metrics.get("nist", n=2).fit([*both(more)[1], *references])
    items, corpus = reference.score(metric, outputs * 2, references * 2)
    ours = metric.score(outputs * 2, references * 2)
    compared = ~np.isnan(items)
    assert ours.items[compared].tolist() == pytest.approx(items[compared].tolist(), abs=1e-11)
    if not np.isnan(corpus):
        assert ours.system == pytest.approx(corpus, abs=1e-11)


def test_the_adapter_compares_something(library: Any) -> None:
    library("nltk")
    (reference,) = metrics.entries()["nist"].references
    outputs, references = ["a b c", "b c d"], [["a b d"], ["b c d"]]
    items, corpus = reference.score(metrics.get("nist", n=2).fit([*references, ["a a"]]), outputs, references)
    assert not np.isnan([*items, corpus]).any()
    # References that the collection has not: NLTK knows no weight for them.
    items, corpus = reference.score(metrics.get("nist", n=2).fit([["a b d"]]), outputs, references)
    assert np.isnan(items).tolist() == [False, True]
    assert np.isnan(corpus)
