"""SARI by hand, by published values, and beside a plain rewriting of the three programs in exact fractions.

None of the three programs can be installed from a registry: evaluate fetches its script from the network, EASSE and the authors'
SARI.py are on none. Their arithmetic was transcribed from their published sources once (2026-11-30) and gave the scores below and
the same scores as ours over 400 random sets of texts.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.errors import OptionError, ShapeError

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
rows = st.tuples(words, words, st.lists(words, min_size=1, max_size=3))

SOURCE = "About 95 species are currently accepted ."
REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]
OUTPUTS = ["About 95 you now get in .", "About 95 species are now agreed .", "About 95 species are currently agreed ."]


def score(output: str, references: list[str], source: str, **options: Any) -> float:
    return metrics.get("sari", **options).score([output], [references], [source]).system


def share(part: Any, whole: Any, of_nothing: int) -> Fraction:
    return Fraction(part) / Fraction(whole) if whole else Fraction(of_nothing)


def f(precision: Fraction, recall: Fraction) -> Fraction:
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def grams(text: str, n: int, times: int = 1) -> Counter[tuple[str, ...]]:
    tokens = text.split()
    counts = Counter(tuple(tokens[place : place + n]) for place in range(len(tokens) - n + 1))
    return Counter({gram: count * times for gram, count in counts.items()})


def plain(source: str, output: str, references: list[str], variant: str) -> Fraction:
    """The authors' program and evaluate's: shares averaged over distinct n-grams, then over n, then over the three kinds."""
    nothing, total = int(variant == "huggingface"), Fraction(0)
    for n in range(1, 5):
        before, after = grams(source, n, len(references)), grams(output, n, len(references))
        there = sum((grams(reference, n) for reference in references), Counter())
        kept, keepable = before & after, before & there
        right = kept & there
        precision = share(sum(Fraction(right[gram], kept[gram]) for gram in right), len(kept), nothing)
        if nothing:
            recall = share(right.total(), keepable.total(), nothing)
        else:
            recall = share(sum(Fraction(right[gram], keepable[gram]) for gram in right), len(keepable), nothing)
        deleted = before - after
        shares = [Fraction(count, deleted[gram]) for gram, count in (deleted - there).items()]
        added, addable = set(after) - set(before), set(there) - set(before)
        of_added = [share(len(added & addable), len(whole), nothing) for whole in (added, addable)]
        total += f(precision, recall) + share(sum(shares), len(deleted), nothing) + f(*of_added)
    return 100 * total / 12


def plain_easse(texts: list[tuple[str, str, list[str]]]) -> Fraction:
    """Counts of all items added up; F of each kind and n."""
    total = Fraction(0)
    for n in range(1, 5):
        sums = np.zeros((3, 3), dtype=int)
        for source, output, references in texts:
            before, after = grams(source, n, len(references)), grams(output, n, len(references))
            there = sum((grams(reference, n) for reference in references), Counter())
            done = [before & after, before - after, Counter(set(after) - set(before))]
            due = [before & there, before - there, Counter(set(there) - set(before))]
            for kind, (mine, theirs) in enumerate(zip(done, due, strict=True)):
                sums[kind] += (mine & theirs).total(), mine.total(), theirs.total()
        total += sum(f(share(int(r), int(d), 0), share(int(r), int(t), 0)) for r, d, t in sums)
    return 100 * total / 12


def test_by_hand() -> None:
    """Source "a b c", output "a b d", reference "a d d".

    n = 1: kept a and b, to be kept a: P 1/2, R 1, F 2/3. Deleted c, rightly: 1. Added d, rightly, and no other: 1.
    n = 2: kept "a b", nothing to be kept: 0 (F of 0/1 and 0/0). Deleted "b c", rightly: 1. Added "b d"; to be added "a d" and
    "d d": 0. n = 3: nothing kept (0), "a b c" rightly deleted (1), "a b d" added and "a d d" to be added (0). n = 4: nothing (0).
    """
    expected = 100 * (2 / 3 / 4 + 3 / 4 + 1 / 4) / 3
    assert score("a b d", ["a d d"], "a b c") == pytest.approx(expected, abs=1e-12)
    # evaluate: recall of nothing to be kept is 1, so that n = 3 keeps fully, and n = 4 has all three kinds fully.
    expected = 100 * ((2 / 3 + 0 + 1 + 1) / 4 + 4 / 4 + (1 + 0 + 0 + 1) / 4) / 3
    assert score("a b d", ["a d d"], "a b c", variant="huggingface") == pytest.approx(expected, abs=1e-12)
    # EASSE: to be deleted are b and c, so that F is 2/3; "a b" and "b c": 2/3; "a b c": 1.
    expected = 100 * (2 / 3 / 4 + (2 / 3 + 2 / 3 + 1) / 4 + 1 / 4) / 3
    assert score("a b d", ["a d d"], "a b c", variant="easse") == pytest.approx(expected, abs=1e-12)


def test_two_references_count_half_each() -> None:
    """ "a" and "b" are kept; both references keep "a" and one of them "b".

    n = 1: P is (2/2 + 1/2) / 2; R of the authors is 2/2, of evaluate 3/3; F 6/7. Nothing is deleted or added, but one reference
    adds c. n = 2: "a b" is kept, which one reference of two does: 1/2 and 1, F 2/3; the other adds "a c".
    """
    original = 100 * (6 / 7 + 2 / 3) / 4 / 3
    assert score("a b", ["a b", "a c"], "a b") == pytest.approx(original, abs=1e-12)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        # The three examples of the authors' SARI.py (github.com/cocoxu/simplification), by its transcription.
        ("original", [26.827824116980743, 58.89995423074248, 50.71608864657479]),
        # The first stands in the documentation of evaluate's metric sari; all by the transcription.
        ("huggingface", [26.953601953601954, 61.709656084656075, 50.88681849551415]),
    ],
)
def test_published_values(variant: str, expected: list[float]) -> None:
    found = [score(output, REFERENCES, SOURCE, variant=variant) for output in OUTPUTS]
    assert found == pytest.approx(expected, abs=1e-11)


def test_evaluates_wiki_split() -> None:
    """Documentation of evaluate's metric wiki_split: 21.805555555555557 for the first output and reference."""
    assert score(OUTPUTS[0], REFERENCES[:1], SOURCE, variant="huggingface") == pytest.approx(
        21.805555555555557, abs=1e-12
    )


def test_nothing_to_simplify() -> None:
    """An output that rightly repeats its source: one of three kinds fully for the authors and EASSE, all for evaluate."""
    text = "the old bridge is closed"
    assert score(text, [text], text) == pytest.approx(100 / 3)
    assert score(text, [text], text, variant="easse") == pytest.approx(100 / 3)
    assert score(text, [text], text, variant="huggingface") == pytest.approx(100)


@settings(max_examples=80)
@given(texts=st.lists(rows, min_size=1, max_size=4))
def test_the_programs_in_fractions(texts: list[tuple[str, str, list[str]]]) -> None:
    sources, outputs, references = map(list, zip(*texts, strict=True))
    for variant in ("original", "huggingface"):
        ours = metrics.get("sari", variant=variant).score(outputs, references, sources)
        expected = [float(plain(*row, variant)) for row in texts]
        assert ours.items.tolist() == pytest.approx(expected, abs=1e-10)
        assert ours.system == pytest.approx(np.mean(expected), abs=1e-10)
    ours = metrics.get("sari", variant="easse").score(outputs, references, sources)
    assert ours.items.tolist() == pytest.approx([float(plain_easse([row])) for row in texts], abs=1e-10)
    assert ours.system == pytest.approx(float(plain_easse(texts)), abs=1e-10)


def test_case_and_punctuation() -> None:
    assert score("A b.", ["a b ."], "a c.") == score("a b .", ["a b ."], "a c .")
    assert score("A b", ["a b"], "a c", lowercase=False) < score("A b", ["a b"], "a c")


def test_sources_are_needed() -> None:
    with pytest.raises(ShapeError, match="sari: no sources were given; it needs one source per output"):
        metrics.get("sari").score(["a"], [["a"]])
    with pytest.raises(OptionError, match="there is no variant 'paper'"):
        metrics.get("sari", variant="paper")
