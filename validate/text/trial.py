"""Texts to try metrics on where there is no study: sentences in many scripts, and what becomes of them when words are lost, doubled,
moved or spoiled. Only good for comparing one implementation with another; nothing about quality can be learnt from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SENTENCES = (
    ("The ferry leaves at 7.45, not at 8.", "The 7:45 ferry is the last one; there is none at eight.", "Ferry leaves at 7.45 instead of 8!"),
    ("“Don't open the co-op's doors,” she said, “it's -10 °C outside.”", "She said: don't open the co-op doors, it is ten below outside."),
    ("R&amp;D costs rose by 3,400.50 &lt;in May&gt;; sales\nfell.", "Costs of R&D rose by 3400.5 in May. Sales fell."),
    ("Café, naïve, Straße: ÀÉÎ — “ñandú” … 50%", "cafe\u0301, nai\u0308ve, STRASSE: àéî – ñandú... 50 %"),
    ("Поезд ушёл раньше, чем мы думали.", "Поезд отправился раньше, чем ожидалось."),
    ("Το τρένο έφυγε νωρίτερα, όχι αργότερα.", "Νωρίτερα έφυγε το τρένο."),
    ("القطار غادر قبل الموعد، لا بعده.", "غادر القطار مبكراً عن موعده."),
    ("\u200fהרכבת יצאה מוקדם מהצפוי.\u200e", "הרכבת הקדימה לצאת."),
    ("गाड़ी समय से पहले निकल गई।", "ट्रेन जल्दी चली गई थी।"),
    ("รถไฟออกก่อนเวลา", "รถไฟออกเร็วกว่ากำหนด"),
    ("火车比预定时间早开了十分钟。", "列车提前10分钟出发了。"),
    ("電車は予定より十分早く出ました。", "電車が10分早く発車した。"),
    ("기차가 예정보다 10분 일찍 떠났다.", "열차는 십 분 먼저 출발했습니다."),
    ("👩\u200d🔧 fixes it 👍🏽, then 🇳🇱 waves", "the mechanic 👩\u200d🔧 fixes it 👍, and 🇳🇱 waves back"),
    ("word " * 60, "word " * 57 + "words words words"),
    ("a", "A"),
    ("", "Something should have been said here."),
)  # fmt: skip


class TrialTexts(NamedTuple):
    """Outputs with their references and sources, one list of references per output."""

    outputs: list[str]
    references: list[list[str]]
    sources: list[str]


def trial_texts(n: int, rng: int | np.random.Generator = 0) -> TrialTexts:
    """``n`` outputs, their references and sources.

    Examples
    --------
    >>> outputs, references, sources = trial_texts(40, rng=1)
    >>> len(outputs), len(references), sources[0] == SENTENCES[0][0]
    (40, 40, True)
    """
    generator = np.random.default_rng(rng)
    found = TrialTexts([], [], [])
    for row in range(n):
        source, *references = SENTENCES[row % len(SENTENCES)]
        spoilt = references[int(generator.integers(len(references)))] if generator.random() < 0.7 else source
        for _ in range(int(generator.integers(0, 4))):
            spoilt = _EDITS[int(generator.integers(len(_EDITS)))](spoilt, generator)
        found.outputs.append(spoilt)
        found.references.append(references)
        found.sources.append(source)
    return found


Edit = Callable[[str, np.random.Generator], str]


def _lose(text: str, rng: np.random.Generator) -> str:
    """Every word but about a fifth of them."""
    return " ".join(word for word in text.split(" ") if rng.random() < 0.8)


def _double(text: str, rng: np.random.Generator) -> str:
    """Some words twice."""
    return " ".join(f"{word} {word}" if rng.random() < 0.2 else word for word in text.split(" "))


def _move(text: str, rng: np.random.Generator) -> str:
    """What stood behind comes first."""
    words = text.split(" ")
    cut = int(rng.integers(len(words) + 1))
    return " ".join([*words[cut:], *words[:cut]])


def _spoil(text: str, rng: np.random.Generator) -> str:
    """Characters swapped with their neighbours, which tears code points of one letter apart."""
    letters = list(text)
    for place in range(len(letters) - 1):
        if rng.random() < 0.08:
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def _shout(text: str, rng: np.random.Generator) -> str:
    """Upper case."""
    return text.upper()


_EDITS: tuple[Edit, ...] = (_lose, _double, _move, _spoil, _shout)
