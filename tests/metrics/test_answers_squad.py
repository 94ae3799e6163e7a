"""Exact match and token F1 beside a plain rewriting of SQuAD's two evaluation scripts, on texts in many scripts."""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import text

from validate import metrics

# Texts of which little or nothing is left once articles and punctuation are gone.
short = st.lists(st.sampled_from(["a", "the", "An", "cat", "Cat", "co-op", "coop", ".", "…", " "]), max_size=4)
answer = short.map(" ".join) | text
rows = st.tuples(answer, st.lists(answer, min_size=1, max_size=3))


def words(text: str) -> list[str]:
    """Lowercase, no ASCII punctuation, no articles: both scripts alike."""
    kept = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def f1(output: list[str], reference: list[str]) -> float:
    """Version 1.1: two sides without words have nothing in common."""
    common = sum((Counter(output) & Counter(reference)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(output), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def f1_of_version_2(output: list[str], reference: list[str]) -> float:
    return f1(output, reference) if output and reference else float(output == reference)


@given(row=rows)
def test_version_1_1(row: tuple[str, list[str]]) -> None:
    output, references = row
    found = {
        name: metrics.get(name, normalization="squad-original").score([output], [references]).system
        for name in ("exact_match", "token_f1")
    }
    assert found["exact_match"] == max(float(words(output) == words(reference)) for reference in references)
    assert found["token_f1"] == max(f1(words(output), words(reference)) for reference in references)


@given(row=rows)
def test_version_2_0(row: tuple[str, list[str]]) -> None:
    output, references = row
    gold = [words(reference) for reference in references if words(reference)] or [[]]  # "" stands for no answer
    found = {
        name: metrics.get(name, normalization="squad-v2").score([output], [references]).system
        for name in ("exact_match", "token_f1")
    }
    assert found["exact_match"] == max(float(words(output) == answer) for answer in gold)
    assert found["token_f1"] == max(f1_of_version_2(words(output), answer) for answer in gold)


@pytest.mark.parametrize(
    ("normalization", "exact", "f"),
    [("squad", 0.0, 0.0), ("squad-original", 1.0, 0.0), ("squad-v2", 1.0, 1.0), ("none", 0.0, 0.0)],
)
def test_the_and_a(normalization: str, exact: float, f: float) -> None:
    """SQuAD's own 1.1 says EM 1 and F1 0, its 2.0 and torchmetrics F1 1 (Hugging Face evaluate 0.4.6 and torchmetrics 1.9.0, run 2026-11-30)."""
    assert metrics.get("exact_match", normalization=normalization).score(["the"], [["a"]]).system == exact
    assert metrics.get("token_f1", normalization=normalization).score(["the"], [["a"]]).system == f


def test_no_answer_is_an_empty_reference() -> None:
    """An unanswerable question: only an output of which nothing is left is right."""
    for name in ("exact_match", "token_f1"):
        metric = metrics.get(name, normalization="squad-v2")
        assert metric.score(["", "cat"], [[""], [""]]).items.tolist() == [1, 0]
        assert metric.score([""], [["", "cat"]]).items.tolist() == [0]  # an answer exists
