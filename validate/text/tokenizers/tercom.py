"""``tercom``: the words that translation edit rate moves about, in the four ways that Tercom knows."""

from __future__ import annotations

import re

from validate.text import _cut
from validate.text.tokenizers import mteval_13a, whitespace
from validate.text.tokenizers._tokenizer import ByClass, Rewritten, Tokenizer, prepared

# In the end these are all that sacreBLEU's patterns split: its range of enclosed letters runs on to U+3F22, and those for runs
# of kana can match nothing, because the text has been given a blank at each end by then.
ASIAN = (
    (0x2E80, 0x2EFF), (0x31C0, 0x31EF), (0x3200, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
)  # fmt: skip
PUNCTUATION = '.,?:;!"()'
ASIAN_PUNCTUATION = "".join(map(chr, [*range(0x3008, 0x3012), *range(0x3014, 0x3020), *range(0xFF61, 0xFF66)]))
ASIAN_PUNCTUATION += "、。・．，？：；！＂（）"

_POSSESSIVE = re.compile(rf"'s(?=[ \n{re.escape(''.join(sorted(mteval_13a.PUNCTUATION)))}]|\Z)")
_NO_PUNCTUATION = str.maketrans("", "", PUNCTUATION)
_NO_ASIAN_PUNCTUATION = str.maketrans("", "", PUNCTUATION + ASIAN_PUNCTUATION)


def classify_asian(char: str) -> int:
    """Ideographs and marks of East Asian texts stand alone, the rest goes by 13a."""
    if char in ASIAN_PUNCTUATION or any(low <= ord(char) <= high for low, high in ASIAN):
        return _cut.ALONE
    return mteval_13a.classify(char)


def join_and_unescape(text: str) -> str:
    """Undo hyphens after line ends (13a: before them) and four entities, and part the possessive ``'s`` from its word."""
    text = text.rstrip().replace("\n-", "")
    if "&" in text:
        for entity, char in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, char)
    return _POSSESSIVE.sub(" 's", text) if "'s" in text else text


def without_punctuation(text: str) -> str:
    """Without the marks of ``PUNCTUATION``, inside words too: 3.14 becomes 314."""
    return text.translate(_NO_PUNCTUATION)


def without_asian_punctuation(text: str) -> str:
    """Without those of East Asian texts either."""
    return text.translate(_NO_ASIAN_PUNCTUATION)


def make(
    *, normalized: bool = False, no_punct: bool = False, asian_support: bool = False, case_sensitive: bool = False
) -> Tokenizer:
    """Words between blanks, lowercased; ``asian_support`` does something only beside one of the two options before it.

    >>> make(normalized=True)("The dog's 3.5 bones, &amp; so on.")
    ['the', 'dog', "'s", '3.5', 'bones', ',', '&', 'so', 'on', '.']
    >>> make(normalized=True, no_punct=True, asian_support=True)("東京、3.5。")
    ['東', '京', '35']
    """
    lower = None if case_sensitive else str.lower
    remove = (without_asian_punctuation if asian_support else without_punctuation) if no_punct else None
    flags = {"lower": not case_sensitive, "norm": normalized, "no-punct": no_punct, "asian": asian_support}
    name = "|".join(["tercom", *(flag for flag, given in flags.items() if given)])
    if normalized:
        classify = classify_asian if asian_support else mteval_13a.classify
        with_marks = name.replace("|no-punct", "")
        words: Tokenizer = ByClass(with_marks, classify, prepare=prepared(lower, join_and_unescape))
        return words if remove is None else Rewritten(name, words, remove, drop="")
    if remove is None:
        return whitespace.make(lowercase=not case_sensitive)
    return ByClass(name, whitespace.classify, prepare=prepared(lower, remove))
