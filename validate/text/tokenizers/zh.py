"""``zh``: sacreBLEU's Chinese tokenization, with its faulty ranges, for parity; `cjk` has right ones."""

from __future__ import annotations

from validate.text import _cut
from validate.text.tokenizers import mteval_13a
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer, prepared

# The fourth line is where sacreBLEU goes wrong. It writes '\u20000' for U+20000, which Python reads as two characters, so
# that its ranges of the extension planes cover dashes, quotes, arrows and mathematics instead of ideographs.
SPLIT = (
    (0x3400, 0x4DB5), (0x4E00, 0x9FA5), (0x9FA6, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9),
    (0xFF00, 0xFFEF), (0x2E80, 0x2EFF), (0x3000, 0x303F), (0x31C0, 0x31EF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF),
    (0x3100, 0x312F), (0x31A0, 0x31BF), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0x3200, 0x32FF), (0x3300, 0x33FF),
    (0x2001, 0x2A6D), (0x2F81, 0x2FA1),
)  # fmt: skip


def classify(char: str) -> int:
    """What sacreBLEU takes for Chinese stands alone, the rest goes by 13a."""
    if char.isspace():
        return _cut.SPACE
    if any(low <= ord(char) <= high for low, high in SPLIT):
        return _cut.ALONE
    return mteval_13a.classify(char)


def make(*, lowercase: bool = False) -> Tokenizer:
    """Kana and ideographs beyond U+FFFF are not split, dashes and curly quotes are.

    >>> make()("我有3.5元–OK タワー 𠀀x")
    ['我', '有', '3.5', '元', '–', 'OK', 'タワー', '𠀀x']
    """
    name = "zh|lower" if lowercase else "zh"
    return ByClass(name, classify, prepare=prepared(str.lower if lowercase else None, str.strip), padded=False)
