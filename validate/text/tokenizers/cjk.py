"""``cjk``: every Chinese, Japanese and Korean character by itself, the rest by 13a."""

from __future__ import annotations

import unicodedata

from validate.text import _cut
from validate.text.tokenizers import mteval_13a
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer, prepared

HAN = (
    (0x2E80, 0x2FFF),  # radicals, description characters
    (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B),  # iteration mark, zero, Hangzhou numerals
    (0x31C0, 0x31EF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),  # the two ideographic planes whole, so that later extensions are in
)  # fmt: skip
KANA_AND_BOPOMOFO = (
    (0x3041, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),
)  # fmt: skip
HANGUL = ((0x1100, 0x115F), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xFFA0, 0xFFDC))
HANGUL_FINALS = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))  # vowels and finals, which continue a syllable
PUNCTUATION_AND_FORMS = (
    (0x3000, 0x303F), (0x3190, 0x319F), (0x3200, 0x33FF), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
    (0x16FE0, 0x16FFF), (0x1F200, 0x1F2FF),
)  # fmt: skip


def within(char: str, *blocks: tuple[tuple[int, int], ...]) -> bool:
    """Whether a character lies in one of the ranges."""
    return any(low <= ord(char) <= high for ranges in blocks for low, high in ranges)


def classify(char: str) -> int:
    """A CJK character stands alone with the marks and Hangul vowels and finals that follow it."""
    if char.isspace():
        return _cut.SPACE
    if unicodedata.category(char).startswith("M") or within(char, HANGUL_FINALS):
        return _cut.JOIN
    if within(char, HAN, KANA_AND_BOPOMOFO, HANGUL, PUNCTUATION_AND_FORMS):
        return _cut.ALONE
    return mteval_13a.classify(char)


def make(*, lowercase: bool = False) -> Tokenizer:
    """Extension planes, kana and Hangul included; a dash between Latin letters is left alone.

    >>> make()("東京タワー 가나 a–b 𠀀x 3.5。")
    ['東', '京', 'タ', 'ワ', 'ー', '가', '나', 'a–b', '𠀀', 'x', '3.5', '。']
    """
    name = "cjk|lower" if lowercase else "cjk"
    steps = (str.lower if lowercase else None, mteval_13a.join_and_unescape)
    return ByClass(name, classify, prepare=prepared(*steps))
