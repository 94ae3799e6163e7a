"""``intl``: the international tokenization of mteval-v14, by Unicode categories."""

from __future__ import annotations

import regex

from validate.text import _cut
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer, prepared

_NUMBER, _PUNCTUATION, _SYMBOL = (regex.compile(rf"\p{{{category}}}") for category in "NPS")


def classify(char: str) -> int:
    """Punctuation is a stop unless it stands between numbers; symbols stand alone."""
    if char.isspace():
        return _cut.SPACE
    if _NUMBER.match(char):
        return _cut.DIGIT
    if _PUNCTUATION.match(char):
        return _cut.STOP
    return _cut.ALONE if _SYMBOL.match(char) else _cut.PLAIN


def make(*, lowercase: bool = False) -> Tokenizer:
    """The ends of a text are no blanks: a full stop after a final number stays with it, as in the original.

    >>> make()("«It's 3.14 €» in 2023.")
    ['«', 'It', "'", 's', '3.14', '€', '»', 'in', '2023.']
    """
    name = "intl|lower" if lowercase else "intl"
    return ByClass(name, classify, prepare=prepared(str.lower if lowercase else None, str.rstrip), padded=False)
