"""``char``: every character that is no blank, as sacreBLEU's tokenizer of that name and as chrF counts them."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer


def classify(char: str) -> int:
    """Blanks vanish, all else stands alone."""
    return _cut.SPACE if char.isspace() else _cut.ALONE


def make(*, lowercase: bool = False) -> Tokenizer:
    """Combining marks are characters of their own.

    >>> make()("a bc")
    ['a', 'b', 'c']
    """
    return ByClass("char|lower" if lowercase else "char", classify, prepare=str.lower if lowercase else None)
