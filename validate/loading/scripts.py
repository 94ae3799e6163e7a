"""Which script a text is written in, from the names that Unicode gives its letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

READ = 1_000
"""Characters of a text that are looked at; the script of its beginning is the script of the text."""

BLOCK = 4_096
"""Texts whose characters are counted at once."""

_LATIN_LETTER = re.compile("[A-Za-z]")
_RENAMED = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}
_N_CODE_POINTS = 0x110000


def script_of(character: str) -> str | None:
    """The script of a letter, None for everything that is no letter.

    The name of a letter begins with its script, once compatibility forms (full-width, mathematical) are taken back.

    >>> [script_of(character) for character in "añЖ漢かカ한ＡΩ9 ."]
    ['Latin', 'Latin', 'Cyrillic', 'Han', 'Kana', 'Kana', 'Hangul', 'Latin', 'Greek', None, None, None]
    """
    plain = unicodedata.normalize("NFKC", character)[0]
    if unicodedata.category(plain) not in ("Lu", "Ll", "Lt", "Lo"):
        return None
    word = unicodedata.name(plain, "").split(" ")[0].split("-")[0]
    return _RENAMED.get(word, word.capitalize()) or None


def dominant_scripts(texts: Sequence[str]) -> list[str | None]:
    """The script of most letters in each text's first 1,000 characters; None for a text without letters.

    Han and kana together are Japanese where at least one letter in ten is kana.

    >>> dominant_scripts(["Hello Ωorld", "Привет", "漢字", "漢字かな", "42 !"])
    ['Latin', 'Cyrillic', 'Han', 'Japanese', None]
    """
    counting = _Counting()
    found: list[str | None] = ["Latin" if _LATIN_LETTER.search(text) else None for text in texts]
    others = [place for place, text in enumerate(texts) if not text.isascii()]
    for start in range(0, len(others), BLOCK):
        places = others[start : start + BLOCK]
        for place, script in zip(places, counting.dominant([texts[place][:READ] for place in places]), strict=True):
            found[place] = script
    return found


class _Counting:
    """Counts letters by script; the script of each code point is looked up once."""

    def __init__(self) -> None:
        self.names = ["", "Han", "Kana"]
        self.code = np.full(_N_CODE_POINTS, -1, dtype=np.int16)

    def dominant(self, texts: Sequence[str]) -> list[str | None]:
        points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
        self._learn(points)
        text = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        n = len(self.names)
        counts = np.bincount(text * n + self.code[points], minlength=len(texts) * n).reshape(len(texts), n)
        counts[:, 0] = 0
        han, kana = counts[:, 1], counts[:, 2]
        japanese = kana * 9 >= han
        kana[japanese] += han[japanese]
        han[japanese] = 0
        names = [*self.names[:2], "Japanese", *self.names[3:]]
        return [names[best] or None for best in counts.argmax(axis=1)]

    def _learn(self, points: np.ndarray) -> None:
        new = np.flatnonzero(np.bincount(points, minlength=1)[:_N_CODE_POINTS])
        for point in new[self.code[new] < 0].tolist():
            script = script_of(chr(point)) or ""
            if script not in self.names:
                self.names.append(script)
            self.code[point] = self.names.index(script)
