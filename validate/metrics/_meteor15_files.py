"""What METEOR 1.5 reads: lists inside the user's own ``meteor-1.5.jar`` and the table of paraphrases beside it.

Nothing of them comes with accord. They are in the package ``pycocoevalcap``, or wherever the user says.
"""

from __future__ import annotations

import gzip
import importlib.util
import zipfile
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from validate.errors import MissingExtraError, OptionError

JAR = "meteor-1.5.jar"
PARAPHRASES = Path("data") / "paraphrase-en.gz"
LONGEST_PHRASE = 7  # words, in the table of METEOR 1.5
NEWLINE = 10

# Endings that METEOR 1.5 takes off to find the base of a word, and what it puts in their place, in its order.
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip


def find_jar(who: str, jar: str | None) -> Path:
    """The jar that the user names, or that of pycocoevalcap.

    Raises
    ------
    OptionError
        When the named one is not there, or has no table of paraphrases beside it.
    MissingExtraError
        Without pycocoevalcap.
    """
    if jar is not None:
        path = Path(jar)
        if not path.is_file() or not (path.parent / PARAPHRASES).is_file():
            raise OptionError(
                f"{who}: jar={jar!r} was given; the path of {JAR} is allowed, with {PARAPHRASES} beside it, as METEOR 1.5 is "
                "unpacked; or leave it out to use that of pycocoevalcap"
            )
        return path
    package = importlib.util.find_spec("pycocoevalcap")
    for folder in map(Path, package.submodule_search_locations or ()) if package else ():
        if (folder / "meteor" / JAR).is_file():
            return folder / "meteor" / JAR
    raise MissingExtraError(who, "pycocoevalcap", "crosscheck")


@dataclass(frozen=True, slots=True)
class Lists:
    """The small lists: words without content, abbreviations, bases of irregular forms, synsets of words.

    ``prefixes`` says of an abbreviation whether it keeps its full stop before a number only.
    """

    function_words: frozenset[str]
    prefixes: dict[str, bool]
    bases: dict[str, list[str]]
    senses: dict[str, str]

    def synsets(self, word: str) -> frozenset[str]:
        """The numbers of the synsets of a word and of its bases."""
        own = self._of(word)
        if word in self.bases:
            return own.union(*map(self._of, self.bases[word]))
        return own | self._of(self._base(word))

    def _of(self, word: str) -> frozenset[str]:
        return frozenset(self.senses.get(word, "").split())

    def _base(self, word: str) -> str:
        """The first form that has synsets once an ending is off; the word itself where it ends in ss or is short."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        forms = (word[: len(word) - len(old)] + new for old, new in ENDINGS if word.endswith(old))
        return next((form for form in forms if form in self.senses), "")


@cache
def lists(jar: Path) -> Lists:
    """The lists of a jar, read once."""
    with zipfile.ZipFile(jar) as archive:

        def lines(name: str) -> list[str]:
            return archive.read(name).decode("utf-8").splitlines()

        bases: dict[str, list[str]] = {}
        exceptions = lines("synonym/english.exceptions")
        for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
        synsets = lines("synonym/english.synsets")
        prefixes = {
            words[0]: words[1:2] == ["#NUMERIC_ONLY#"]
            for words in map(str.split, lines("nonbreaking/english.prefixes"))
            if words and not words[0].startswith("#")
        }
        return Lists(
            frozenset(lines("function/english.words")),
            prefixes,
            bases,
            dict(zip(synsets[::2], synsets[1::2], strict=True)),
        )


class Paraphrases:
    """The table of paraphrases, some five million pairs, kept as it is: three lines a pair, sorted by the first phrase.

    Parameters
    ----------
    path : Path
        The gzip file.
    """

    def __init__(self, path: Path) -> None:
        with gzip.open(path) as file:
            self._table = file.read()
        ends = np.flatnonzero(np.frombuffer(self._table, dtype=np.uint8) == NEWLINE)
        self._starts, self._middles, self._ends = (ends[line::3].astype(np.uint32) for line in range(3))
        self.of = lru_cache(maxsize=2**18)(self._of)

    def _phrase(self, pair: int) -> bytes:
        return self._table[int(self._starts[pair]) + 1 : int(self._middles[pair])]

    def _of(self, phrase: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
        """What a phrase can be said as, in the order of the table, and whether longer phrases begin with it."""
        wanted = phrase.encode("utf-8", "surrogatepass")
        pair = bisect_left(range(len(self._ends)), wanted, key=self._phrase)
        found = []
        while pair < len(self._ends) and self._phrase(pair) == wanted:
            said = self._table[int(self._middles[pair]) + 1 : int(self._ends[pair])].decode("utf-8")
            found.append(tuple(said.split()))
            pair += 1
        longer = pair < len(self._ends) and self._phrase(pair).startswith(wanted + b" ")
        return tuple(found), longer

    def at(self, words: list[str], place: int) -> list[tuple[int, tuple[str, ...]]]:
        """What the phrases that begin at a place can be said as, each with the length of the phrase, shortest phrase first."""
        found: list[tuple[int, tuple[str, ...]]] = []
        for length in range(1, min(LONGEST_PHRASE, len(words) - place) + 1):
            said, longer = self.of(" ".join(words[place : place + length]))
            found += [(length, other) for other in said]
            if not longer:
                break
        return found


@cache
def paraphrases(jar: Path) -> Paraphrases:
    """The table beside a jar, read once: some four seconds and 350 MB."""
    return Paraphrases(jar.parent / PARAPHRASES)
