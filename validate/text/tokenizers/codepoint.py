"""``codepoint``: every code point, blanks too."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer


def make(*, strip: bool = False) -> Tokenizer:
    """With ``strip``, blanks at the ends of a text do not count.

    >>> make()("a é ")
    ['a', ' ', 'é', ' ']
    """
    name = "codepoint|strip" if strip else "codepoint"
    return ByClass(name, lambda char: _cut.ALONE, prepare=str.strip if strip else None)
