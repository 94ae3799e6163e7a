"""Embeddings on disk: what is kept, what is noticed, what goes first."""

import sqlite3

import numpy as np
import pytest

from validate.metrics.neural import _cache
from validate.metrics.neural._cache import Cache
from validate.telling import listening

ONE = np.arange(6, dtype=np.float32).reshape(2, 3)
IDS = [np.array([1, at, 2], dtype=np.int32) for at in range(9)]


@pytest.fixture
def cache(tmp_path):
    return Cache("model|5|float32", 3, tmp_path / "deep" / "embeddings.sqlite")


def filled(cache, n=3):
    keys = [cache.key(ids) for ids in IDS[:n]]
    cache.write(keys, [ONE + at for at in range(n)])
    return keys


def held(cache, keys):
    return [None if one is None else one.tolist() for one in cache.read(keys)]


def test_what_was_written_is_read_and_the_rest_is_missing(cache):
    assert held(cache, [cache.key(IDS[0])]) == [None]
    keys = filled(cache)
    assert held(cache, [keys[2], cache.key(IDS[5]), keys[0]]) == [(ONE + 2).tolist(), None, ONE.tolist()]


def test_a_key_depends_on_the_settings_and_the_tokens(cache, tmp_path):
    other = Cache("model|4|float32", 3, cache.path)
    keys = {
        cache.key(IDS[0]),
        cache.key(IDS[1]),
        other.key(IDS[0]),
        Cache("model|5|float32", 4, cache.path).key(IDS[0]),
    }
    assert len(keys) == 4


def test_a_corrupt_entry_counts_as_missing(cache):
    keys = filled(cache)
    with sqlite3.connect(cache.path) as database:
        (data,) = database.execute("SELECT data FROM vectors WHERE key = ?", (keys[1],)).fetchone()
        database.execute("UPDATE vectors SET data = ? WHERE key = ?", (data[:-1] + b"\x00", keys[1]))
        database.execute("UPDATE vectors SET data = ? WHERE key = ?", (b"short", keys[2]))
    database.close()
    assert held(cache, keys) == [ONE.tolist(), None, None]


def test_a_file_that_is_no_database_is_begun_anew(cache):
    keys = filled(cache)
    cache.path.write_bytes(b"no database" * 1000)
    heard = []
    with listening(heard.append):
        assert held(cache, keys) == [None] * 3
    assert "begun anew" in heard[0]
    assert held(cache, filled(cache)) == [(ONE + at).tolist() for at in range(3)]


def test_what_was_used_longest_ago_goes_first(cache, monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(_cache.time, "time", lambda: next(clock))
    monkeypatch.setattr(_cache, "limit", lambda: 4 * ONE.nbytes)
    keys = [cache.key(ids) for ids in IDS[:5]]
    for key in keys[:4]:
        cache.write([key], [ONE])
    held(cache, [keys[0]])  # used again, so that the second is the oldest
    cache.write([keys[4]], [ONE])
    # Five entries are over the limit of four; nine tenths of it hold three.
    assert [one is not None for one in held(cache, keys)] == [True, False, False, True, True]


def test_a_folder_that_cannot_be_written_is_said_and_does_not_stop_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    cache = Cache("model", 3, tmp_path / "file" / "embeddings.sqlite")
    heard = []
    with listening(heard.append):
        assert held(cache, filled(cache)) == [None] * 3
    assert "embeddings are not cached" in heard[0]


def test_nothing_of_a_write_that_fails_is_kept(cache, monkeypatch):
    keys = filled(cache, 1)

    def fails(database, most):
        raise sqlite3.OperationalError("disk is full")

    monkeypatch.setattr(_cache, "_make_room", fails)
    cache.write([cache.key(IDS[1])], [ONE])
    assert held(cache, [keys[0], cache.key(IDS[1])]) == [ONE.tolist(), None]


def test_the_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("ACCORD_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _cache.folder() == tmp_path / "accord"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert _cache.folder().parts[-2:] == (".cache", "accord")
    monkeypatch.setenv("ACCORD_CACHE", str(tmp_path / "own"))
    assert Cache("m", 3).path == tmp_path / "own" / "embeddings.sqlite"


def test_the_limit_is_stated_and_can_be_set(monkeypatch):
    monkeypatch.delenv("ACCORD_CACHE_GB", raising=False)
    assert _cache.limit() == 4 * 2**30
    monkeypatch.setenv("ACCORD_CACHE_GB", "0.5")
    assert _cache.limit() == 2**29
