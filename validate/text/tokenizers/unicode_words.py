"""``unicode``: lowercased words of any script; scripts that write no blanks go by character."""

from __future__ import annotations

import unicodedata

from validate.text import _cut
from validate.text.porter import stem_long
from validate.text.tokenizers import cjk
from validate.text.tokenizers._tokenizer import ByClass, Rewritten, Tokenizer

# Thai, Lao, Tibetan, Myanmar, Khmer: letters by themselves, their marks with them.
UNSPACED = ((0x0E00, 0x0EFF), (0x0F00, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F))
JOINERS = "\u200c\u200d"  # join letters of one word in Persian and in Indic scripts


def classify(char: str) -> int:
    """Letters, numbers and marks make words; punctuation, symbols and blanks separate."""
    category = unicodedata.category(char)
    if category.startswith("M") or char in JOINERS:
        return _cut.JOIN
    if category[0] not in "LN":
        return _cut.SPACE
    return _cut.ALONE if cjk.within(char, cjk.HAN, cjk.KANA_AND_BOPOMOFO, UNSPACED) else _cut.PLAIN


def classify_lines(char: str) -> int:
    """The same, with each line break a token."""
    return _cut.BREAK if char == "\n" else classify(char)


def _stem_ascii(token: str) -> str:
    """Porter's rules are about English; a word with other letters stays as it is."""
    return stem_long(token) if token.isascii() else token


def make(*, stem: bool = False, lines: bool = False) -> Tokenizer:
    """Korean, which writes blanks, goes by word.

    >>> make()("Ein Café, 東京 और, ไทย")
    ['ein', 'café', '東', '京', 'और', 'ไ', 'ท', 'ย']
    """
    name = "unicode|lines" if lines else "unicode"
    with_lines = ByClass("unicode|lines", classify_lines, prepare=str.lower)
    plain = with_lines if lines else Rewritten(name, with_lines, str, drop="\n")
    return Rewritten(f"{name}|stem", plain, _stem_ascii) if stem else plain
