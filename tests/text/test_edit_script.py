"""Edit scripts beside the plain dynamic programme and, script by script, beside RapidFuzz's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.text.corpus import Batch
from validate.text.edit_script import KINDS, edit_kinds, edit_script
from validate.text.tokenizers import get

short = st.text("abc", max_size=12)
longer = st.text("ab", min_size=55, max_size=140)  # across the word boundaries at 64 and 128
units = short | longer | st.text(max_size=10)


def table(reference: str, output: str) -> list[list[int]]:
    costs = [list(range(len(output) + 1))]
    for i, there in enumerate(reference):
        row = [i + 1]
        for j, here in enumerate(output):
            row.append(min(costs[i][j] + (there != here), costs[i][j + 1] + 1, row[j] + 1))
        costs.append(row)
    return costs


def plain(reference: str, output: str) -> list[str]:
    """The kind of each step: equal ends aside, back from the end a deletion before an insertion before a replacement."""
    head = 0
    while head < min(len(reference), len(output)) and reference[head] == output[head]:
        head += 1
    tail = 0
    while tail < min(len(reference), len(output)) - head and reference[-1 - tail] == output[-1 - tail]:
        tail += 1
    reference, output = reference[head : len(reference) - tail], output[head : len(output) - tail]
    costs, i, j, kinds = table(reference, output), len(reference), len(output), []
    while i and j:
        if costs[i - 1][j] == costs[i][j] - 1:
            kinds.append("delete")
            i -= 1
        elif j > 1 and costs[i][j - 1] == costs[i - 1][j - 1] - 1:
            kinds.append("insert")
            j -= 1
        else:
            i, j = i - 1, j - 1
            kinds.append("equal" if reference[i] == output[j] else "replace")
    return ["equal"] * head + ["insert"] * j + ["delete"] * i + kinds[::-1] + ["equal"] * tail


def steps(reference: Any, output: Any) -> list[str]:
    """Our stretches step by step; they follow on each other and end where the texts end."""
    found, there, here = [], 0, 0
    for kind, start, stop, begin, end in edit_script(reference, output):
        assert (start, begin) == (there, here)
        found += [kind] * max(stop - start, end - begin)
        there, here = stop, end
    assert (there, here) == (len(reference), len(output))
    return found


@given(reference=units, output=units)
def test_the_plain_way_back(reference: str, output: str) -> None:
    assert steps(reference, output) == plain(reference, output)


def fields(code: Any) -> tuple[Any, ...]:
    return code.tag, code.src_start, code.src_end, code.dest_start, code.dest_end


@given(reference=units, output=units)
def test_rapidfuzz(library: Any, reference: str, output: str) -> None:
    theirs = library("rapidfuzz.distance").Levenshtein.opcodes(reference, output)
    assert edit_script(reference, output) == [fields(code) for code in theirs]


def edited(reference: list[int], n_edits: int, rng: np.random.Generator) -> list[int]:
    output = list(reference)
    for _ in range(n_edits):
        place, what, unit = int(rng.integers(len(output))), rng.integers(3), int(rng.integers(12))
        output[place : place + int(what > 0)] = [] if what == 2 else [unit]
    return output


@pytest.mark.parametrize("n_units", [90, 700, 2500, 4200])
@pytest.mark.parametrize("share", [0.01, 0.2, 2.0])
def test_rapidfuzz_on_long_pairs(library: Any, n_units: int, share: float) -> None:
    """From some 2,000 units on both sides RapidFuzz cuts pairs in two before it looks for the script."""
    rng = np.random.default_rng(n_units)
    reference = rng.integers(12, size=n_units).tolist()
    output = edited(reference, int(share * n_units), rng)
    theirs = [fields(code) for code in library("rapidfuzz.distance").Levenshtein.opcodes(reference, output)]
    assert edit_script(reference, output) == theirs
    texts = [" ".join(map(str, text)) for text in (output, reference)]
    units = [sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in theirs if tag == kind) for kind in KINDS]
    assert edit_kinds(Batch.of(["0", texts[0]], [["1"], [texts[1]]]), get("none")).tolist() == [[0, 1, 0, 0], units]


@settings(max_examples=30)
@given(rows=st.lists(st.tuples(units, st.lists(units, max_size=3)), max_size=4))
def test_counts_of_a_batch(rows: list[tuple[str, list[str]]]) -> None:
    batch = Batch.of([output for output, _ in rows], [references for _, references in rows])
    found = edit_kinds(batch, get("codepoint")).tolist()
    pairs = [(reference, output) for output, references in rows for reference in references]
    assert found == [[steps(*pair).count(kind) for kind in KINDS] for pair in pairs]


def test_by_hand() -> None:
    """Equal beginnings are set aside first; then, from the end backwards, a deletion goes before a replacement."""
    assert edit_script(["a", "b", "a"], ["a"]) == [("equal", 0, 1, 0, 1), ("delete", 1, 3, 1, 1)]
    assert edit_script(["x", "a", "b", "a"], ["y", "a", "z"]) == [
        ("replace", 0, 1, 0, 1),
        ("equal", 1, 2, 1, 2),
        ("replace", 2, 3, 2, 3),
        ("delete", 3, 4, 3, 3),
    ]
    assert edit_script("", "ab") == [("insert", 0, 0, 0, 2)]
    assert edit_script([], []) == []
