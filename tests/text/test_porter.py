"""The Porter stemmer: examples of the paper, and NLTK's, word for word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.text import porter

# Porter (1980), examples beside the rules, where the extensions do not change them and later steps leave them.
PAPER = {
    "caresses": "caress", "ponies": "poni", "cats": "cat", "feed": "feed", "plastered": "plaster", "bled": "bled",
    "motoring": "motor", "sing": "sing", "conflated": "conflat", "troubled": "troubl", "hopping": "hop", "tanned": "tan",
    "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi",
    "relational": "relat", "conditional": "condit", "vietnamization": "vietnam", "operator": "oper", "triplicate": "triplic",
    "electrical": "electr", "hopeful": "hope", "goodness": "good", "revival": "reviv", "allowance": "allow",
    "replacement": "replac", "adoption": "adopt", "communism": "commun", "probate": "probat", "rate": "rate",
    "cease": "ceas", "controlling": "control", "rolling": "roll",
}  # fmt: skip

SUFFIXES = [
    *(suffix for rules in (porter.STEP_1A, porter.STEP_2, porter.STEP_3, porter.STEP_4) for suffix, _ in rules),
    *("eed", "ed", "ing", "ied", "y", "logi", "alli", "e", "ll"),
]
words = st.builds("".join, st.tuples(st.text("aeiouybdlstwxz7", max_size=5), *[st.sampled_from(["", *SUFFIXES])] * 2))


@pytest.mark.parametrize(("word", "expected"), PAPER.items())
def test_the_papers_examples(word: str, expected: str) -> None:
    assert porter.stem(word) == expected


@settings(max_examples=1000)
@given(word=words.filter(bool))
def test_nltk_parity(library: Any, word: str) -> None:
    nltk = library("nltk.stem.porter")
    assert porter.stem(word) == nltk.PorterStemmer().stem(word)


def test_every_irregular_word(library: Any) -> None:
    nltk = library("nltk.stem.porter")
    assert nltk.PorterStemmer().pool == porter.IRREGULAR


@given(words)
def test_a_stem_is_never_empty(word: str) -> None:
    assert porter.stem_long(word) or not word
