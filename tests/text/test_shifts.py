"""Edits with shifts beside a plain twin: the banded table in full for every move, over lengths on both sides of each limit."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.text.corpus import Batch
from validate.text.shifts import shift_edits
from validate.text.tokenizers import get

Words = list[str]


def table(output: Words, reference: Words) -> tuple[list[list[float]], list[list[str]]]:
    """Costs and last edits within the band: s(ame), r(eplace), d(elete), i(nsert)."""
    n, m = len(output), len(reference)
    costs: list[list[float]] = [list(range(m + 1)), *([math.inf] * (m + 1) for _ in range(n))]
    ops = [["i"] * (m + 1) for _ in range(n + 1)]
    steep = m / n if n else 1
    half = math.ceil(steep / 2 + 25) if steep / 2 > 25 else 25
    for i in range(1, n + 1):
        diagonal = math.floor(i * steep)
        for j in range(max(0, diagonal - half), m + 1 if i == n else min(m + 1, diagonal + half)):
            same = j > 0 and output[i - 1] == reference[j - 1]
            ways = [(costs[i - 1][j - 1] + (not same), "s" if same else "r")] if j else []
            ways.append((costs[i - 1][j] + 1, "d"))
            ways += [(costs[i][j - 1] + 1, "i")] if j else []
            costs[i][j], ops[i][j] = min(ways, key=lambda way: way[0])  # the first of equals
    return costs, ops


def aligned(ops: list[list[str]]) -> tuple[dict[int, int], set[int], set[int]]:
    """Where each reference word stands in the output, and which words of the two match nothing."""
    i, j = len(ops) - 1, len(ops[0]) - 1
    align, wrong_here, wrong_there = {}, set(), set()
    while i or j:
        op = ops[i][j]
        if op != "d":
            j -= 1
            align[j] = i - 1
            if op != "s":
                wrong_there.add(j)
        if op != "i":
            i -= 1
            if op != "s":
                wrong_here.add(i)
    return align, wrong_here, wrong_there


def move(words: Words, start: int, length: int, target: int) -> Words:
    span, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:
        target -= length
    return rest[:target] + span + rest[target:]


def candidates(output: Words, reference: Words) -> list[tuple[int, int, int]]:
    """(start, length, target) of every move that Tercom looks at, repeats too."""
    align, wrong_here, wrong_there = aligned(table(output, reference)[1])
    found = []
    for start in range(len(output)):
        for there in range(len(reference)):
            for length in range(1, 11):
                span = output[start : start + length]
                if abs(start - there) > 50 or len(span) < length or span != reference[there : there + length]:
                    break
                wrong = wrong_here & set(range(start, start + length)), wrong_there & set(range(there, there + length))
                if not all(wrong) or start <= align[there] < start + length:
                    continue
                targets = [0 if place < 0 else align[place] + 1 for place in range(there - 1, there + length)]
                found += [
                    (start, length, target)
                    for place, target in enumerate(targets)
                    if targets[place - 1 : place] != [target]
                ]
                if len(found) >= 1000:  # only as many as could matter; the caller counts over all rounds
                    return found
    return found


def twin(output: Words, reference: Words) -> int:
    if not reference:
        return len(output)
    checked = shifts = 0
    while True:
        distance = int(table(output, reference)[0][-1][-1])
        moves = candidates(output, reference)
        checked += len(moves)
        if checked >= 1000 or not moves:
            return shifts + distance
        ranked = [
            (distance - table(move(output, *one), reference)[0][-1][-1], one[1], -one[0], -one[2], one)
            for one in set(moves)
        ]
        saved, *_, best = max(ranked)
        if saved <= 0:
            return shifts + distance
        output, shifts = move(output, *best), shifts + 1


def ours(output: Words, reference: Words) -> int:
    return int(shift_edits(Batch.of([" ".join(output)], [[" ".join(reference)]]), get("none"))[0])


def disturbed(words: Words, rng: random.Random, moves: int) -> Words:
    """Some stretches moved, some words changed, some left out."""
    words = list(words)
    for _ in range(moves):
        start, target = rng.randrange(len(words)), rng.randrange(len(words))
        words = move(words, start, min(rng.randrange(1, 8), len(words) - start), target)
        words[rng.randrange(len(words))] = "w0"
        del words[-1 if len(words) > 1 and rng.random() < 0.3 else len(words) :]
    return words


few = st.lists(st.sampled_from("abcd"), max_size=14)


@given(output=few, reference=few)
def test_short_texts(output: Words, reference: Words) -> None:
    assert ours(output, reference) == twin(output, reference)


@settings(max_examples=25)
@given(length=st.integers(2, 70), types=st.integers(3, 80), moves=st.integers(0, 4), seed=st.integers(0, 2**32))
def test_longer_texts_with_moves(length: int, types: int, moves: int, seed: int) -> None:
    rng = random.Random(seed)
    reference = [f"w{rng.randrange(types)}" for _ in range(length)]
    output = disturbed(reference, rng, moves)
    assert ours(output, reference) == twin(output, reference)


# Around the limits: band 25, ratio 25 from which bits are not used, ratio 50 from which the band is widened, word size 64.
LENGTHS = [
    (1, 24),
    (2, 51),
    (2, 49),
    (3, 170),
    (5, 130),
    (24, 26),
    (26, 90),
    (63, 64),
    (66, 65),
    (90, 26),
    (130, 5),
    (120, 1),
]


@pytest.mark.parametrize(("n_out", "n_ref"), LENGTHS)
def test_uneven_texts(n_out: int, n_ref: int) -> None:
    rng = random.Random(n_out * 1000 + n_ref)
    for types in (2 * (n_out + n_ref), (n_out + n_ref) // 2 + 1):
        reference = [f"w{rng.randrange(types)}" for _ in range(n_ref)]
        output = [rng.choice([*reference, "new"]) for _ in range(n_out)]
        assert ours(output, reference) == twin(output, reference)


def test_a_stretch_moved_is_one_edit() -> None:
    assert ours(list("deabc"), list("abcde")) == 1
    assert ours(list("abcde"), list("abcde")) == 0


def test_a_move_that_saves_nothing_is_not_made() -> None:
    """One word next to its place: moving it costs 1, and so do the 2 edits less 1 that are left without; 2 edits become 1."""
    assert ours(list("ba"), list("ab")) == 1
    assert ours(list("bx"), list("ab")) == 2


def test_stretches_of_more_than_ten_words_take_two_moves() -> None:
    """Eleven words behind thirty others: a move of ten and a move of one."""
    long, rest = [f"l{place}" for place in range(11)], [f"r{place}" for place in range(30)]
    assert ours(rest + long, long + rest) == 2
    assert ours(rest + long[:10], long[:10] + rest) == 1


def test_nothing_is_moved_over_more_than_fifty_places() -> None:
    rest = [f"r{place}" for place in range(51)]
    assert ours([*rest, "a"], ["a", *rest]) == 2  # deleted and inserted
    assert ours([*rest[:50], "a"], ["a", *rest[:50]]) == 1


def test_the_round_in_which_candidates_run_out_moves_nothing() -> None:
    """Words that repeat so often that a thousand moves are looked at: the edits are those of the texts as they stand."""
    rng = random.Random(1)
    output, reference = rng.choices("ab", k=80), rng.choices("ab", k=80)
    assert len(candidates(output, reference)) >= 1000
    assert ours(output, reference) == twin(output, reference) == table(output, reference)[0][-1][-1]


def test_sacrebleus_own_search(library: object) -> None:
    """The twin is not ours alone: both are what sacreBLEU 2.6 does."""
    theirs = library("sacrebleu.metrics.lib_ter").translation_edit_rate  # type: ignore[operator]
    rng = random.Random(7)
    for _ in range(60):
        reference = [f"w{rng.randrange(12)}" for _ in range(rng.randrange(1, 40))]
        output = disturbed(reference, rng, 3) if len(reference) > 8 else [rng.choice(reference) for _ in range(5)]
        assert ours(output, reference) == twin(output, reference) == theirs(output, reference)[0]


def test_pairs_do_not_see_each_other() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdef"), size)) for size in rng.integers(0, 30, 24)]
    references = [list(texts[place : place + 3]) for place in range(12)]
    together = shift_edits(Batch.of(texts[:12], references), get("none")).tolist()
    assert together == [ours(texts[row].split(), text.split()) for row in range(12) for text in references[row]]
