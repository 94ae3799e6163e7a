"""WordNet 3.0: the synsets of a word, the lemmas of a synset, the synonyms of a word.

Read from the files that the user has (`validate.text.wordnet.source`), each when it is first needed; what was asked once is
remembered. Nothing of WordNet comes with accord.

References
----------
Miller (1995), WordNet: a lexical database for English, Communications of the ACM 38(11), doi:10.1145/219717.219748. The
format of the files is that of wndb(5WN), the rules of inflection those of morphy(7WN).
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import NamedTuple

from validate.text.wordnet.source import Source, find

__all__ = ["POS", "Source", "Synset", "WordNet", "find", "load"]

POS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

# Endings that a rule takes off and what it puts in their place, in the order of morphy(7WN).
ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip


class Synset(NamedTuple):
    """One synset: its part of speech (n, v, a, r; satellites of adjectives are a) and where its line begins in that file."""

    pos: str
    offset: int


@cache
def load(who: str = "WordNet") -> WordNet:
    """The WordNet of this machine, read once.

    Raises
    ------
    MissingExtraError
        Where there is none; the message says what to install.
    """
    return _shared(find(who))


@cache
def _shared(source: Source) -> WordNet:
    return WordNet(source)


class WordNet:
    """WordNet 3.0 as three questions; answers come in WordNet's own order, most frequent sense first.

    Words are looked up in lower case; blanks inside a phrase are written ``_``.

    Parameters
    ----------
    source : Source
        Where its files are.

    Examples
    --------
    >>> words = load()  # doctest: +SKIP
    >>> words.morphy("geese", "n"), words.synsets("automobiles", "n")  # doctest: +SKIP
    (('goose',), (Synset(pos='n', offset=2958343),))
    >>> words.lemmas(Synset("n", 2958343))  # doctest: +SKIP
    ('car', 'auto', 'automobile', 'machine', 'motorcar')
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._synsets: dict[tuple[str, str | None], tuple[Synset, ...]] = {}
        self._lemmas: dict[Synset, tuple[str, ...]] = {}
        self._synonyms: dict[str, frozenset[str]] = {}
        self._files: dict[str, bytes] = {}

    def synsets(self, word: str, pos: str | None = None) -> tuple[Synset, ...]:
        """Every sense of a word in any of its inflected forms; of one part of speech (n, v, a, r) or of all."""
        key = (word, pos)
        known = self._synsets.get(key)
        if known is None:
            kinds = POS if pos is None else (pos,)
            known = tuple(
                Synset(kind, offset)
                for kind in kinds
                for form in self.morphy(word, kind)
                for offset in _offsets(self._index[kind][form])
            )
            self._synsets[key] = known
        return known

    def lemmas(self, synset: Synset) -> tuple[str, ...]:
        """The words and phrases of a synset, in WordNet's spelling."""
        known = self._lemmas.get(synset)
        if known is None:
            known = self._lemmas[synset] = _lemmas(self._data(synset.pos), synset.offset)
        return known

    def synonyms(self, word: str) -> frozenset[str]:
        """Every lemma of every synset of a word, the word's own lemmas among them; empty for what WordNet does not know."""
        known = self._synonyms.get(word)
        if known is None:
            known = frozenset(lemma for synset in self.synsets(word) for lemma in self.lemmas(synset))
            self._synonyms[word] = known
        return known

    def morphy(self, word: str, pos: str) -> tuple[str, ...]:
        """The lemmas of which a word can be a form: itself, then its irregular bases or else what the endings leave."""
        word, index = word.lower(), self._index[pos]
        bases = self._exceptions[pos].get(word)
        if bases is None:
            bases = [word[: -len(old)] + new for old, new in ENDINGS[pos] if word.endswith(old)]
        return tuple(dict.fromkeys(form for form in (word, *bases) if form in index))

    @cached_property
    def _index(self) -> dict[str, dict[str, str]]:
        """Part of speech → lemma → the rest of its line; lines are taken apart when they are asked for."""
        return {pos: _lines(self.source.read(f"index.{name}")) for pos, name in POS.items()}

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        """Part of speech → irregular form → its bases."""
        return {
            pos: {form: rest.split() for form, rest in _lines(self.source.read(f"{name}.exc")).items()}
            for pos, name in POS.items()
        }

    def _data(self, pos: str) -> bytes:
        """The file of the synsets of a part of speech."""
        if pos not in self._files:
            self._files[pos] = self.source.read(f"data.{POS[pos]}")
        return self._files[pos]


def _lines(file: bytes) -> dict[str, str]:
    """First word of every line → the rest of it; the licence at the head of a file is indented."""
    lines = file.decode("utf-8").split("\n")
    return dict(line.split(" ", 1) for line in lines if line and line[0] != " ")


def _offsets(line: str) -> list[int]:
    """The synsets of a line of an index: ``n 1 5 @ ~ … 1 1 02958343``, whose second word says how many there are."""
    fields = line.split()
    return [int(field) for field in fields[-int(fields[1]) :]]


def _lemmas(file: bytes, offset: int) -> tuple[str, ...]:
    """The words of the synset that begins there: ``02958343 06 n 05 car 0 auto 0 …``, whose fourth word says how many, in hex.

    Adjectives can bear a mark of where they stand, as in ``galore(ip)``, which belongs to no spelling.
    """
    fields = file[offset : file.index(b"|", offset)].decode("utf-8").split()
    words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
    return tuple(word.partition("(")[0] if word.endswith(")") else word for word in words)
