"""Bit-parallel alignment beside the plain dynamic programmes, across the word boundaries at 64 and 128 tokens."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.text import alignment
from validate.text.corpus import Batch
from validate.text.tokenizers import get

short = st.text("abc", max_size=12)
pairs = st.lists(st.tuples(short, short), max_size=6)
lines = st.lists(st.text("ab c", max_size=8), max_size=4).map("\n".join)


def lcs_table(one: list[str], other: list[str]) -> list[list[int]]:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table


def edit_distance(one: list[str], other: list[str]) -> int:
    row = list(range(len(other) + 1))
    for i, left in enumerate(one):
        previous, row = row, [i + 1]
        for j, right in enumerate(other):
            row.append(min(previous[j] + (left != right), previous[j + 1] + 1, row[j] + 1))
    return row[-1]


def lcs_places(reference: list[str], output: list[str]) -> set[int]:
    """The places of the reference on the way back that rouge-score takes: at ties, back in the reference."""
    table, i, j, places = lcs_table(reference, output), len(reference), len(output), set()
    while i and j:
        if reference[i - 1] == output[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def union_hits(reference: str, output: str) -> int:
    sentences = [line.split() for line in reference.split("\n")]
    others = [line.split() for line in output.split("\n")]
    left = [Counter(token for sentence in text for token in sentence) for text in (sentences, others)]
    hits = 0
    for sentence in sentences:
        for place in sorted(set().union(*(lcs_places(sentence, other) for other in others))):
            if all(counts[sentence[place]] > 0 for counts in left):
                hits += 1
                for counts in left:
                    counts[sentence[place]] -= 1
    return hits


def batch_of(rows: list[tuple[str, str]]) -> Batch:
    return Batch.of([output for output, _ in rows], [[reference] for _, reference in rows])


@given(pairs)
def test_lcs_is_its_plain_twin(rows: list[tuple[str, str]]) -> None:
    expected = [lcs_table(list(output), list(reference))[-1][-1] for output, reference in rows]
    assert alignment.lcs_lengths(batch_of(rows), get("codepoint")).tolist() == expected


@given(pairs)
def test_edit_distance_is_its_plain_twin(rows: list[tuple[str, str]]) -> None:
    expected = [edit_distance(list(output), list(reference)) for output, reference in rows]
    assert alignment.edit_distances(batch_of(rows), get("codepoint")).tolist() == expected


@settings(max_examples=200)
@given(st.lists(st.tuples(lines, lines), max_size=4))
def test_union_lcs_is_its_plain_twin(rows: list[tuple[str, str]]) -> None:
    expected = [union_hits(reference, output) for output, reference in rows]
    assert alignment.union_lcs_hits(batch_of(rows), get("rouge-score", lines=True)).tolist() == expected


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 200])
def test_across_words(length: int) -> None:
    rng = np.random.default_rng(length)
    drawn = ["".join(rng.choice(list("abcd"), size)) for size in (length, length + 3, length - 5)]
    rows = [(one, other) for one in drawn for other in drawn]
    batch = batch_of(rows)
    assert alignment.lcs_lengths(batch, get("codepoint")).tolist() == [
        lcs_table(list(one), list(other))[-1][-1] for one, other in rows
    ]
    assert alignment.edit_distances(batch, get("codepoint")).tolist() == [
        edit_distance(list(one), list(other)) for one, other in rows
    ]
    spaced = [(" ".join(one), " ".join(other)) for one, other in rows]
    hits = alignment.union_lcs_hits(batch_of(spaced), get("rouge-score", lines=True)).tolist()
    assert hits == [union_hits(other, one) for one, other in spaced]


def test_distances_are_shared_within_a_batch() -> None:
    batch = batch_of([("a", "b")])
    assert alignment.edit_distances(batch, get("none")) is alignment.edit_distances(batch, get("whitespace"))
