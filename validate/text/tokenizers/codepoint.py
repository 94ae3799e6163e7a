"""``codepoint``: every code point, blanks too."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer


def classify(char: str) -> int:
    """All stand alone."""
    return _cut.ALONE


def make(*, strip: bool = False) -> Tokenizer:
    """With ``strip``, blanks at the ends of a text do not count.

    >>> make()("a é ")
    ['a', ' ', 'é', ' ']
    """
    name = "codepoint|strip" if strip else "codepoint"
    return ByClass(name, classify, prepare=str.strip if strip else None)
