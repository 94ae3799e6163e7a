"""Tokenizers, one a file, and the list of their names.

>>> get("13a")("Hello, world.")
['Hello', ',', 'world', '.']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from validate.errors import unknown_name
from validate.text.tokenizers import (
    char,
    chrf_words,
    cjk,
    codepoint,
    grapheme,
    intl,
    jiwer,
    mecab,
    mteval_13a,
    rouge_score,
    squad,
    tercom,
    unicode_words,
    whitespace,
    zh,
)
from validate.text.tokenizers._tokenizer import ByClass, BySplit, Rewritten, Tokenizer

__all__ = ["TOKENIZERS", "ByClass", "BySplit", "Rewritten", "Tokenizer", "get"]

TOKENIZERS: dict[str, Callable[..., Tokenizer]] = {
    "13a": mteval_13a.make,
    "intl": intl.make,
    "char": char.make,
    "zh": zh.make,
    "cjk": cjk.make,
    "ja-mecab": mecab.make_ja,
    "ko-mecab": mecab.make_ko,
    "none": whitespace.make,  # sacreBLEU's name
    "whitespace": whitespace.make,
    "rouge-score": rouge_score.make,
    "unicode": unicode_words.make,
    "jiwer": jiwer.make,
    "codepoint": codepoint.make,
    "grapheme": grapheme.make,
    "chrf-words": chrf_words.make,
    "squad": squad.make,
    "tercom": tercom.make,
}


def get(name: str, **options: Any) -> Tokenizer:
    """The tokenizer of that name under these options.

    Raises
    ------
    OptionError
        For an unknown name or option: the nearest right one and the whole list.
    """
    if name not in TOKENIZERS:
        raise unknown_name("text", "tokenizer", name, TOKENIZERS)
    allowed = list(inspect.signature(TOKENIZERS[name]).parameters)
    for option in options:
        if option not in allowed:
            raise unknown_name(f"tokenizer {name!r}", "option", option, allowed)
    return TOKENIZERS[name](**options)
