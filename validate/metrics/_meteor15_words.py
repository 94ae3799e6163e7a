"""How METEOR 1.5 cuts a text into words under ``-norm``: Moses' rules and some of its own, lowercased at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

LETTERS = "A-Za-zÀ-ÖØ-öø-žŸ\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"  # of the West, Cyrillic, phonetic
BLANKS = re.compile(r"[ \t\n\r\f]+")  # Java's
WIDE_BLANKS = re.compile("[\xa0\u2000-\u200a\u202f\u205f\u3000]")
DOTS = "\uffff"  # stands for each dot of a row of dots while single dots are looked at

# What is put apart or made the same, one rule after the other.
RULES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (rf"([^0-9{LETTERS} \t\n\x0b\f\r.'`,\-‘’])", r" \1 "),
    (r"\.\.+", lambda found: f" {DOTS * len(found[0])} "),
    (r"([^0-9]),([^0-9])", r"\1 , \2"),
    (r"([0-9]),([^0-9])", r"\1 , \2"),
    (r"([^0-9]),([0-9])", r"\1 , \2"),
    (r"[`‘’]", "'"),
    (r"[“”]|''", ' " '),
    (r"–", "-"),
    (r"--", "-"),
    (rf"([0-9{LETTERS}.])-([0-9{LETTERS}])", r"\1 \2"),
    (rf"([^{LETTERS}])'([^{LETTERS}])", r"\1 ' \2"),
    (rf"([^{LETTERS}0-9])'([{LETTERS}])", r"\1 ' \2"),
    (rf"([{LETTERS}])'([^{LETTERS}])", r"\1 ' \2"),
    (rf"([{LETTERS}])'([{LETTERS}])", r"\1 '\2"),
    (r"([0-9])'(s)", r"\1 '\2"),
]
COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in RULES]
LETTER = re.compile(f"[{LETTERS}]")


def words(text: str, prefixes: Mapping[str, bool]) -> list[str]:
    """The words of an English text.

    Parameters
    ----------
    text : str
    prefixes : mapping
        Abbreviations that keep their full stop; True where they do so before a number only.

    Examples
    --------
    >>> words("The well-known U.S. firm isn't Acme Inc.", {})
    ['the', 'well', 'known', 'us', 'firm', 'isn', "'t", 'acme', 'inc', '.']
    """
    text = f" {text} "
    for pattern, replacement in COMPILED:
        text = pattern.sub(replacement, text)
    pieces = [piece for piece in BLANKS.split(text) if piece]
    following = [*pieces[1:], ""][: len(pieces)]
    line = " ".join(_without_stop(piece, after, prefixes) for piece, after in zip(pieces, following, strict=True))
    return [word for word in BLANKS.split(WIDE_BLANKS.sub(" ", line.replace(DOTS, ".")).lower()) if word]


def _without_stop(piece: str, after: str, prefixes: Mapping[str, bool]) -> str:
    """A piece with the full stop at its end put apart, unless it is part of it."""
    if len(piece) < 2 or not piece.endswith("."):
        return piece
    stem = piece[:-1]
    if "." in stem and LETTER.search(stem):
        return piece.replace(".", "")  # U.S. becomes US
    only_before_numbers = prefixes.get(stem)
    if only_before_numbers is False or re.match("[a-z]", after) or (only_before_numbers and re.match("[0-9]", after)):
        return piece
    return f"{stem} ."
