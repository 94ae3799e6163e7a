"""What NLTK's METEOR needs to run on this machine's WordNet, wherever that is and whether or not NLTK would find it."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from validate.text import wordnet

N_LEXNAMES = 45  # the lexicographers' files, which NLTK wants listed and METEOR never looks at


class _Nothing:
    """Knows no synonyms, and leaves words as they are."""

    def synsets(self, word: str) -> list[Any]:
        return []

    def stem(self, word: str) -> str:
        return word


def stemmer(wanted: bool) -> Any:
    """NLTK's Porter stemmer, or one that stems nothing."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer() if wanted else _Nothing()


@cache
def reader(wanted: bool) -> Any:
    """NLTK's reader over the WordNet that accord uses, or one that knows nothing."""
    if not wanted:
        return _Nothing()
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import PathPointer, SeekableUnicodeStreamReader

    source = wordnet.find()

    class Nowhere(PathPointer):
        """NLTK opens files below its own folders only; ours are handed to it."""

        def open(self, encoding: str | None = None) -> Any:
            raise FileNotFoundError

        def file_size(self) -> int:
            return 0

        def join(self, fileid: str) -> Any:
            return self

    class Reader(WordNetCorpusReader):
        """Takes its files from our source and maps to no other version."""

        def open(self, file: str) -> Any:
            content = "".join(f"{number:02d}\tname\t0\n" for number in range(N_LEXNAMES)).encode()
            return SeekableUnicodeStreamReader(
                io.BytesIO(content if file == "lexnames" else source.read(file)), "utf-8"
            )

        def map_wn(self, version: str = "") -> None:
            return None

    return Reader(Nowhere(), omw_reader=False)
