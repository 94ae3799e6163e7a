"""``jiwer``: words as jiwer 4 parts them, at spaces only."""

from __future__ import annotations

import re

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer

_SEVERAL = re.compile(r"\s\s+")


def classify(char: str) -> int:
    """Only the space itself separates."""
    return _cut.SPACE if char == " " else _cut.PLAIN


def collapse(text: str) -> str:
    """Several blanks, of whatever kind, become one space; a single tab or line feed stays."""
    return _SEVERAL.sub(" ", text).strip()


def make() -> Tokenizer:
    """A single tab, line feed or no-break space does not separate.

    >>> make()("a\\tb c\\n\\nd")
    ['a\\tb', 'c', 'd']
    """
    return ByClass("jiwer", classify, prepare=collapse)
