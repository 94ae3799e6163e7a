"""The Porter stemmer with the extensions of NLTK, which rouge-score and METEOR stem with.

The algorithm strips English suffixes in eight steps. Which suffix may go depends on the *measure* of what stays: how
many times a run of vowels is followed by a run of consonants.

References
----------
Porter (1980), An algorithm for suffix stripping, Program 14(3), doi:10.1108/eb046814. The extensions (irregular words,
``-ies`` and ``-ied`` after one letter, ``-y`` after a consonant, ``-bli``, ``-alli`` twice, ``-fulli``, ``-logi``) are
those of ``nltk.stem.PorterStemmer`` in its default mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

Rule = tuple[str, str]
Condition = Callable[[str], bool]

IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "inning": "inning", "innings": "inning", "outing": "outing", "outings": "outing", "canning": "canning",
    "cannings": "canning", "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip

# Each step takes the first rule whose suffix fits; if what stays is too short then, the word is left alone.
STEP_1A: Sequence[Rule] = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
STEP_2: Sequence[Rule] = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
STEP_3: Sequence[Rule] = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
STEP_4: Sequence[Rule] = tuple(
    (suffix, "")
    for suffix in (
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
        "ous", "ive", "ize",
    )
)  # fmt: skip


@lru_cache(maxsize=2**17)
def stem(word: str) -> str:
    """The stem of a lowercased word, remembered; words of one or two letters are their own.

    >>> [stem(word) for word in ("flies", "dies", "relational", "hopping", "happy", "enjoy", "controlling")]
    ['fli', 'die', 'relat', 'hop', 'happi', 'enjoy', 'control']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5a, _step_5b):
        word = step(word)
    return word


def stem_long(word: str) -> str:
    """The stem of a word of more than three letters; shorter words stay, as ROUGE-1.5.5 has it.

    >>> [stem_long(word) for word in ("flies", "dies", "is")]
    ['fli', 'die', 'is']
    """
    return stem(word) if len(word) > 3 else word


def _shape(word: str) -> str:
    """The word as c and v: y is a vowel after a consonant, and a consonant elsewhere."""
    shape = ""
    for char in word:
        vowel = char in "aeiou" or (char == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """m in [C](VC){m}[V]."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Ends consonant, vowel, consonant other than w, x, y; or is just a vowel and a consonant."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _ends_double(word: str) -> bool:
    """Ends in one consonant twice."""
    return len(word) >= 2 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _apply(word: str, rules: Sequence[Rule], allowed: Condition) -> str:
    """The word under the first rule whose suffix it has, if ``allowed`` holds of what stays."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            kept = word.removesuffix(suffix)
            return kept + replacement if allowed(kept) else word
    return word


def _step_1a(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _apply(word, STEP_1A, lambda kept: True)


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        kept = word.removesuffix(suffix)
        if kept != word and "v" in _shape(kept):
            return _mend(kept)
    return word


def _mend(word: str) -> str:
    """What the loss of -ed or -ing leaves: conflat(ed) → conflate, hopp(ing) → hop, fil(ing) → file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _step_1c(word: str) -> str:
    return _apply(word, (("y", "i"),), lambda kept: len(kept) > 1 and _shape(kept)[-1] == "c")


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):  # the l counts with the stem, so that geologi goes as archaeologi does
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _apply(word, STEP_2, lambda kept: _measure(kept) > 0)


def _step_3(word: str) -> str:
    return _apply(word, STEP_3, lambda kept: _measure(kept) > 0)


def _step_4(word: str) -> str:
    only_after_st = word.endswith("ion")
    return _apply(word, STEP_4, lambda kept: _measure(kept) > 1 and (not only_after_st or kept[-1] in "st"))


def _step_5a(word: str) -> str:
    if not word.endswith("e"):
        return word
    kept = word[:-1]
    measure = _measure(kept)
    return kept if measure > 1 or (measure == 1 and not _ends_short(kept)) else word


def _step_5b(word: str) -> str:
    return _apply(word, (("ll", "l"),), lambda kept: _measure(kept + "l") > 1)
