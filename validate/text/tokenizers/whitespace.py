"""``whitespace``, which sacreBLEU calls ``none``: words as Unicode blanks part them."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer


def classify(char: str) -> int:
    """Blanks, among them tab, line feed, no-break and ideographic space, separate; all else makes words."""
    return _cut.SPACE if char.isspace() else _cut.PLAIN


def make(*, lowercase: bool = False) -> Tokenizer:
    """What ``str.split`` gives.

    >>> make()("a\\tb\\xa0c, d")
    ['a', 'b', 'c,', 'd']
    """
    return ByClass(
        "whitespace|lower" if lowercase else "whitespace", classify, prepare=str.lower if lowercase else None
    )
