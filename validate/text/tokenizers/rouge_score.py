"""``rouge-score``: lowercased runs of a–z and 0–9, by option Porter-stemmed; what ROUGE is usually reported with."""

from __future__ import annotations

import string

from validate.text import _cut
from validate.text.porter import stem_long
from validate.text.tokenizers._tokenizer import ByClass, Rewritten, Tokenizer

_KEPT = frozenset(string.ascii_lowercase + string.digits)


def classify(char: str) -> int:
    """Everything but ASCII letters and digits separates."""
    return _cut.PLAIN if char in _KEPT else _cut.SPACE


def classify_lines(char: str) -> int:
    """The same, with each line break a token, so that sentences can be told apart."""
    return _cut.BREAK if char == "\n" else classify(char)


def make(*, stem: bool = False, lines: bool = False) -> Tokenizer:
    """Letters beyond ASCII separate, so that a text in another script has no tokens; see ``unicode`` for those.

    >>> make()("Café naïve, the flies'")
    ['caf', 'na', 've', 'the', 'flies']
    >>> make(stem=True, lines=True)("The flies\\nwalking")
    ['the', 'fli', '\\n', 'walk']
    """
    name = "rouge-score|lines" if lines else "rouge-score"
    with_lines = ByClass("rouge-score|lines", classify_lines, prepare=str.lower)
    plain = with_lines if lines else Rewritten(name, with_lines, str, drop="\n")
    return Rewritten(f"{name}|stem", plain, stem_long) if stem else plain
