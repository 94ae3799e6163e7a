"""What the bytes of a file say before anything is parsed: checksum, encoding, line ends, marks."""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass
from pathlib import Path

CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class BadBytes:
    """Bytes of a line that are no UTF-8: the 1-based line, the 1-based byte within it, the bytes."""

    line: int
    byte: int
    found: bytes


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the bytes of one file say.

    Parameters
    ----------
    sha256 : str
    n_bytes : int
    byte_order_mark : bool
        The file begins with the UTF-8 mark.
    n_crlf : int
        Carriage return and line feed pairs, wherever they stand.
    wide : bool
        The bytes look like UTF-16 or UTF-32: their mark, or a quarter and more of NULs.
    bad : tuple of BadBytes
        The first bytes of each line that are no UTF-8; empty for a wide file, where every line would be listed.
    """

    sha256: str
    n_bytes: int
    byte_order_mark: bool
    n_crlf: int
    wide: bool
    bad: tuple[BadBytes, ...]


def checksum(path: Path) -> str:
    """sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path: Path) -> Fingerprint:
    """One pass over the bytes of a text file; a second one only where they are no UTF-8."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    n_bytes = n_crlf = n_nul = 0
    head, last, valid = b"", b"", True
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            head = head or chunk[:4]
            n_bytes += len(chunk)
            n_nul += chunk.count(b"\0")
            n_crlf += chunk.count(b"\r\n") + (last == b"\r" and chunk.startswith(b"\n"))
            last = chunk[-1:]
            valid = valid and _decodes(decoder, chunk)
    valid = valid and _decodes(decoder, b"", final=True)
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or n_nul * 4 > n_bytes
    bad = () if valid or wide else _bad_bytes(path)
    return Fingerprint(digest.hexdigest(), n_bytes, head.startswith(codecs.BOM_UTF8), n_crlf, wide, bad)


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _bad_bytes(path: Path) -> tuple[BadBytes, ...]:
    """The first wrong bytes of every line that has some."""
    found = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                found.append(BadBytes(number, error.start + 1, line[error.start : error.end]))
    return tuple(found)
