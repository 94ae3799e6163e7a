"""Tokenizers, one a file: a text becomes a list of tokens. The name is all that an encoding is remembered by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A named function from a text to its tokens.

    The name must say everything that changes the tokens (``"13a"``, ``"13a|lower"``, ``"rouge-score|stem"``), because encodings are remembered by it.
    """

    name: str
    split: Callable[[str], list[str]]

    def __call__(self, text: str) -> list[str]:
        return self.split(text)
