"""``13a``: the tokenization of mteval-v13a, which WMT and sacreBLEU score with."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer, prepared

PUNCTUATION = frozenset('!"#$%&()*+/:;<=>?@[\\]^_`{|}~')


def classify(char: str) -> int:
    """ASCII punctuation stands alone; full stop, comma and hyphen look at their neighbours; the rest makes words."""
    if char.isspace():
        return _cut.SPACE
    if char in "0123456789":
        return _cut.DIGIT
    if char in ".,":
        return _cut.STOP
    if char == "-":
        return _cut.DASH
    return _cut.ALONE if char in PUNCTUATION else _cut.PLAIN


def join_and_unescape(text: str) -> str:
    """Undo line-end hyphens and four entities; ``&amp;lt;`` becomes ``<``, as the original's order has it."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    if "&" in text:
        for entity, char in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, char)
    return text


def make(*, lowercase: bool = False) -> Tokenizer:
    """ASCII only: ``“ … 。`` are never split off.

    >>> make()("It costs 3.14, i.e. 10-20 &quot;co-ops&quot;.")
    ['It', 'costs', '3.14', ',', 'i', '.', 'e', '.', '10', '-', '20', '"', 'co-ops', '"', '.']
    """
    name = "13a|lower" if lowercase else "13a"
    return ByClass(name, classify, prepare=prepared(str.lower if lowercase else None, join_and_unescape))
