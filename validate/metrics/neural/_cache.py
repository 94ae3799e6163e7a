"""Token embeddings on disk, so that a second run need not compute them and an interrupted one goes on where it stopped.

One SQLite file in the user's cache folder: ``ACCORD_CACHE``, else ``XDG_CACHE_HOME/accord``, else ``~/.cache/accord``. It takes at most
`LIMIT` bytes of embeddings (``ACCORD_CACHE_GB`` sets another limit); what was used longest ago goes first. Each entry carries a checksum;
one that does not fit it counts as missing, and a file that is no database any more is begun anew. Where the folder cannot be written, or
another process holds the file too long, work goes on without.

An entry's key is a hash of everything that decides the numbers: the model's files, the layer, the precision, the kind of device, the
versions of the libraries, and the token ids, which say what the tokenizer made of the text.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from validate.telling import tell

LIMIT = 4 * 2**30
_FORM = "1"  # of the entries; another one makes all keys new

Vectors = NDArray[np.float32]

_TABLES = """
CREATE TABLE IF NOT EXISTS used (key BLOB PRIMARY KEY, size INTEGER NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, checksum INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS oldest ON used (at);
"""


def folder() -> Path:
    """Where the cache lies."""
    if own := os.environ.get("ACCORD_CACHE"):
        return Path(own).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "accord"


def limit() -> int:
    """The most bytes of embeddings that are kept."""
    try:
        return int(float(os.environ.get("ACCORD_CACHE_GB", "")) * 2**30)
    except ValueError:
        return LIMIT


class Cache:
    """The embeddings of one model under one set of settings.

    Parameters
    ----------
    settings : str
        Everything but the token ids that decides the numbers.
    dim : int
        Length of a vector.
    path : Path, optional
        The file; by default ``embeddings.sqlite`` in `folder`.
    """

    def __init__(self, settings: str, dim: int, path: Path | None = None) -> None:
        self._settings = f"{_FORM}|{settings}|{dim}|".encode()
        self._dim = dim
        self.path = path or folder() / "embeddings.sqlite"

    def key(self, ids: NDArray[np.int32]) -> bytes:
        """The name of an entry."""
        return hashlib.sha256(self._settings + ids.astype("<i4").tobytes()).digest()[:20]

    def read(self, keys: Sequence[bytes]) -> Iterator[Vectors | None]:
        """The vectors under each key, (n_tokens, dim) float32; None where there are none, or none that can be trusted."""
        given = 0
        with self._guarded():
            if self.path.is_file():
                with self._open() as database:
                    for key in keys:
                        row = database.execute("SELECT checksum, data FROM vectors WHERE key = ?", (key,)).fetchone()
                        yield self._trusted(row)
                        given += 1
                    now = time.time()
                    database.executemany("UPDATE used SET at = ? WHERE key = ?", [(now, key) for key in keys])
        for _ in range(given, len(keys)):
            yield None

    def write(self, keys: Sequence[bytes], vectors: Sequence[Vectors]) -> None:
        """Keep vectors under their keys, all of them or, when something goes wrong, none; then make room."""
        now = time.time()
        blobs = [np.ascontiguousarray(one, dtype="<f4").tobytes() for one in vectors]
        with self._guarded(), self._open() as database:
            database.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(key, zlib.crc32(blob), blob) for key, blob in zip(keys, blobs, strict=True)],
            )
            database.executemany(
                "INSERT OR REPLACE INTO used VALUES (?, ?, ?)",
                [(key, len(blob), now) for key, blob in zip(keys, blobs, strict=True)],
            )
            _make_room(database, limit())

    def _trusted(self, row: tuple[int, bytes] | None) -> Vectors | None:
        if row is None or zlib.crc32(row[1]) != row[0] or len(row[1]) % (4 * self._dim):
            return None
        return np.frombuffer(row[1], dtype="<f4").reshape(-1, self._dim)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one piece of work, which is written when it went well."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=20)
        try:
            # A crash of the machine may cost the last entries or the file, never a number: entries have checksums.
            database.execute("PRAGMA synchronous = OFF")
            database.executescript(_TABLES)
            with database:
                yield database
        finally:
            database.close()

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Go on without the cache when it fails; a file that is no database is put away."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            tell(f"embeddings are not cached: {self.path}: {error}")
        except sqlite3.DatabaseError as error:
            tell(f"the cache of embeddings is begun anew: {self.path}: {error}")
            with contextlib.suppress(OSError):
                self.path.unlink()


def _make_room(database: sqlite3.Connection, most: int) -> None:
    """Let go of what was used longest ago, down to nine tenths of the limit, so that this is not done at every write."""
    (held,) = database.execute("SELECT coalesce(sum(size), 0) FROM used").fetchone()
    if held <= most:
        return
    gone = []
    for key, size in database.execute("SELECT key, size FROM used ORDER BY at"):
        if held <= most * 9 // 10:
            break
        gone.append((key,))
        held -= size
    database.executemany("DELETE FROM vectors WHERE key = ?", gone)
    database.executemany("DELETE FROM used WHERE key = ?", gone)
