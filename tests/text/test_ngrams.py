"""Clipped n-gram matches beside their plain twin."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from validate.text import ngrams
from validate.text.corpus import Batch
from validate.text.tokenizers import get

texts = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)
studies = st.lists(st.tuples(texts, st.lists(texts, max_size=3)), max_size=5)


def counted(text: str, n: int) -> Counter[tuple[str, ...]]:
    tokens = text.split()
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


@given(studies, st.integers(1, 6))
def test_pairs_are_their_plain_twin(study: list[tuple[str, list[str]]], order: int) -> None:
    batch = Batch.of([output for output, _ in study], [references for _, references in study])
    expected = [
        [sum((counted(output, n) & counted(reference, n)).values()) for n in range(1, order + 1)]
        for output, references in study
        for reference in references
    ]
    assert ngrams.pair_matches(batch, get("none"), order).tolist() == expected


@given(studies, st.integers(1, 6))
def test_rows_are_their_plain_twin(study: list[tuple[str, list[str]]], order: int) -> None:
    batch = Batch.of([output for output, _ in study], [references for _, references in study])
    expected = []
    for output, references in study:
        row = []
        for n in range(1, order + 1):
            greatest: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                greatest |= counted(reference, n)
            row.append(sum((counted(output, n) & greatest).values()))
        expected.append(row)
    assert ngrams.row_matches(batch, get("none"), order).tolist() == expected


def test_more_orders_are_counted_when_they_are_asked_for() -> None:
    batch = Batch.of(["a b c d"], [["a b c d"]])
    assert ngrams.pair_matches(batch, get("none"), 1).tolist() == [[4]]
    assert ngrams.pair_matches(batch, get("none"), 4).tolist() == [[4, 3, 2, 1]]
    assert ngrams.pair_matches(batch, get("none"), 2).tolist() == [[4, 3]]


def test_long_texts_of_many_types() -> None:
    rng = np.random.default_rng(1)
    one, other = (" ".join(map(str, rng.integers(0, 3000, 4000))) for _ in range(2))
    batch = Batch.of([one], [[other]])
    expected = [sum((counted(one, n) & counted(other, n)).values()) for n in (1, 2, 3)]
    assert ngrams.pair_matches(batch, get("none"), 3).tolist() == [expected]
