"""``grapheme``: what a reader takes for one character (extended grapheme clusters, Unicode Standard Annex 29)."""

from __future__ import annotations

import regex

from validate.text.tokenizers._tokenizer import BySplit, Tokenizer

_CLUSTER = regex.compile(r"\X")


def clusters(text: str) -> list[str]:
    """The clusters of a text."""
    return _CLUSTER.findall(text)


def stripped_clusters(text: str) -> list[str]:
    """The same without blanks at the ends."""
    return _CLUSTER.findall(text.strip())


def make(*, strip: bool = False) -> Tokenizer:
    """A letter with its marks, a flag, a family of emoji joined by zero-width joiners: one each.

    >>> [len(cluster) for cluster in make()("e\\u0301🇳🇱a")]
    [2, 2, 1]
    """
    return BySplit("grapheme|strip", stripped_clusters) if strip else BySplit("grapheme", clusters)
