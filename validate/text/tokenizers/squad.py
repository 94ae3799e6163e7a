"""``squad``: the words that SQuAD's evaluation script compares."""

from __future__ import annotations

import re
import string

from validate.text.tokenizers import whitespace
from validate.text.tokenizers._tokenizer import ByClass, Tokenizer

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Lowercase, without ASCII punctuation, articles and extra blanks; ``co-op`` becomes ``coop``.

    >>> normalized("The  U.S. Co-op")
    'us coop'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def make() -> Tokenizer:
    """Words of the normalised text.

    >>> make()("A cat, the hat!")
    ['cat', 'hat']
    """
    return ByClass("squad", whitespace.classify, prepare=normalized)
