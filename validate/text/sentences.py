"""Sentences of a text, one a line: where lines end, or where a splitter finds that sentences do."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from validate.errors import AccordError, MissingExtraError
from validate.text.encoded import Encoded
from validate.text.tokenizers import Tokenizer

EXTRAS = {"nupunkt": "sentences", "nltk": "crosscheck"}
SPLITTERS = ("newline", *EXTRAS)


def _splitter(name: str) -> Callable[[str], Sequence[str]]:
    """The library's function from a text to its sentences."""
    try:
        library: Any = importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"split={name!r}", name, EXTRAS[name]) from error
    return library.sent_tokenize


def as_lines(text: str, name: str) -> str:
    """The text with one sentence a line, and blanks for the line breaks that it had itself.

    Raises
    ------
    MissingExtraError
        When the splitter is not installed.
    AccordError
        When NLTK has no data to split by.

    >>> as_lines("One.\\nTwo.", "newline")
    'One.\\nTwo.'
    """
    if name == "newline":
        return text
    try:
        return "\n".join(sentence.replace("\n", " ") for sentence in _splitter(name)(text))
    except LookupError as error:
        raise AccordError(
            "split='nltk': NLTK has no data to find sentences by; its package 'punkt_tab' is needed; run "
            "python -m nltk.downloader punkt_tab, or use split='nupunkt', which needs none"
        ) from error


class BySentence(Tokenizer):
    """A tokenizer that makes line breaks tokens, given one sentence a line.

    Parameters
    ----------
    lines : Tokenizer
    splitter : str
        One of ``SPLITTERS``; "newline" leaves texts as they are.
    """

    def __init__(self, lines: Tokenizer, splitter: str) -> None:
        super().__init__(f"{lines.name}|{splitter}")
        self._lines = lines
        self._splitter = splitter
        as_lines("", splitter)

    def encode(self, texts: Sequence[str]) -> Encoded:
        return self._lines.encode([as_lines(text, self._splitter) for text in texts])
