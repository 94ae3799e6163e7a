"""The English stemmer of Snowball (Porter2), with which METEOR 1.5 stems.

R1 is what follows the first consonant after a vowel, R2 the same within R1; most suffixes may go only where they lie in one.

References
----------
Porter (2001), Snowball: a language for stemming algorithms, https://snowballstem.org/algorithms/english/stemmer.html, as it
stood until 2015.
"""

from __future__ import annotations

import re
from functools import lru_cache

WHOLE = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
    "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
KEPT = {"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"}  # after the plural is gone
REGION = re.compile("[aeiouy][^aeiouy]")
EARLY = ("gener", "commun", "arsen")
SHORT = re.compile("(?:^[aeiouy]|[^aeiouy][aeiouy](?![wxY]))[^aeiouy]$")
DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
VOWEL = re.compile("[aeiouy]")

# The longest suffix that fits is the one that is tried; what stands in its place, if it lies in R1.
STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize", "ization": "ize",
    "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "ogi": "og",
    "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
    "ative": "",
}  # fmt: skip
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "ion",
)  # fmt: skip


@lru_cache(maxsize=2**17)
def stem(word: str) -> str:
    """The stem of a lowercased word; words of one or two letters are their own.

    >>> [stem(word) for word in ("flies", "generously", "hopping", "happy", "early", "consign's", "day")]
    ['fli', 'generous', 'hop', 'happi', 'earli', 'consign', 'day']
    """
    if word in WHOLE:
        return WHOLE[word]
    if len(word) <= 2:
        return word
    word = re.sub("(^|[aeiouy])y", r"\1Y", word.removeprefix("'"))
    first, second = _regions(word)
    word = _plural(re.sub("'(?:s'?)?$", "", word))
    if word not in KEPT:
        word = _step_1c(_step_1b(word, first))
        word = _step_3(_step_2(word, first), first, second)
        word = _step_5(_step_4(word, second), first, second)
    return word.replace("Y", "y")


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin."""
    first = next((len(start) for start in EARLY if word.startswith(start)), -1)
    if first < 0:
        found = REGION.search(word)
        first = found.end() if found else len(word)
    found = REGION.search(word, first)
    return first, found.end() if found else len(word)


def _longest(word: str, suffixes: object) -> str:
    """The longest of the suffixes that a word has, or nothing."""
    return max((suffix for suffix in suffixes if word.endswith(suffix)), key=len, default="")  # type: ignore[attr-defined]


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, first: int) -> str:
    suffix = _longest(word, ("eed", "eedly", "ed", "edly", "ing", "ingly"))
    kept = word[: len(word) - len(suffix)]
    if suffix in ("eed", "eedly"):
        return kept + "ee" if len(kept) >= first else word
    if not suffix or not VOWEL.search(kept):
        return word
    if kept.endswith(("at", "bl", "iz")):
        return kept + "e"
    if kept.endswith(DOUBLE):
        return kept[:-1]
    return kept + "e" if len(kept) <= first and SHORT.search(kept) else kept


def _step_1c(word: str) -> str:
    ends_y = len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy"
    return word[:-1] + "i" if ends_y else word


def _step_2(word: str, first: int) -> str:
    suffix = _longest(word, STEP_2)
    kept = word[: len(word) - len(suffix)]
    before = {"ogi": "l", "li": "cdeghkmnrt"}.get(suffix)
    if not suffix or len(kept) < first or (before and not kept.endswith(tuple(before))):
        return word
    return kept + STEP_2[suffix]


def _step_3(word: str, first: int, second: int) -> str:
    suffix = _longest(word, STEP_3)
    kept = word[: len(word) - len(suffix)]
    if not suffix or len(kept) < (second if suffix == "ative" else first):
        return word
    return kept + STEP_3[suffix]


def _step_4(word: str, second: int) -> str:
    suffix = _longest(word, STEP_4)
    kept = word[: len(word) - len(suffix)]
    if not suffix or len(kept) < second or (suffix == "ion" and not kept.endswith(("s", "t"))):
        return word
    return kept


def _step_5(word: str, first: int, second: int) -> str:
    kept = word[:-1]
    if word.endswith("e"):
        return kept if len(kept) >= second or (len(kept) >= first and not SHORT.search(kept)) else word
    return kept if word.endswith("ll") and len(kept) >= second else word
