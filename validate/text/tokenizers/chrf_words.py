"""``chrf-words``: the words that chrF++ counts, with one punctuation mark cut off."""

from __future__ import annotations

import string

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer


def classify(char: str) -> int:
    """ASCII punctuation can be cut off a word's edge."""
    if char.isspace():
        return _cut.SPACE
    return _cut.EDGE if char in string.punctuation else _cut.PLAIN


def make(*, lowercase: bool = False) -> Tokenizer:
    """One mark at the end of a word, or else one at its beginning, and never both.

    >>> make()("(hi) wait... 'tis")
    ['(hi', ')', 'wait..', '.', "'", 'tis']
    """
    return ByClass(
        "chrf-words|lower" if lowercase else "chrf-words", classify, prepare=str.lower if lowercase else None
    )
