"""Folders that are exchanged whole: a power cut leaves the old one or the new one, never half.

A new folder is written beside the old one, flushed to the disk, and exchanged with it in one step of the file system.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS


@contextlib.contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """A fresh folder to write into, which takes the place of ``target`` when the block ends without an error.

    Files of the old folder that the new one does not have are carried over. On an error nothing of ``target`` has changed
    and the fresh folder is removed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
        if target.exists():
            _carry_over(target, fresh)
        _flush(fresh)
        if target.exists():
            _exchange(fresh, target)
        else:
            fresh.rename(target)
        _flush_entry(target.parent)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _carry_over(old: Path, fresh: Path) -> None:
    """Copy what only the old folder holds: a reader's notes must not vanish with a new run."""
    for entry in old.iterdir():
        place = fresh / entry.name
        if place.exists():
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, place, symlinks=True)
        else:
            shutil.copy2(entry, place, follow_symlinks=False)


def _flush(folder: Path) -> None:
    """Bring every file and folder below to the disk before its name becomes visible."""
    for root, _, files in os.walk(folder):
        for name in files:
            _flush_entry(Path(root) / name)
        _flush_entry(Path(root))


def _flush_entry(path: Path) -> None:
    if path.is_symlink() or (path.is_dir() and os.name == "nt"):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(fresh: Path, target: Path) -> None:
    """Swap two folders in one step where the file system can, else by two renames that `recover` can finish."""
    if not _exchange_in_one_step(fresh, target):
        aside = target.with_name(f".{target.name}.previous")
        shutil.rmtree(aside, ignore_errors=True)
        target.rename(aside)
        fresh.rename(target)
        shutil.rmtree(aside, ignore_errors=True)


def _exchange_in_one_step(fresh: Path, target: Path) -> bool:
    source, destination = os.fsencode(fresh.absolute()), os.fsencode(target.absolute())
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if platform.system() == "Linux":
            return int(library.renameat2(_AT_FDCWD, source, _AT_FDCWD, destination, _RENAME_EXCHANGE)) == 0
        if platform.system() == "Darwin":
            return int(library.renamex_np(source, destination, _RENAME_SWAP)) == 0
    except (OSError, AttributeError, TypeError):  # no such call in this C library
        return False
    return False


def recover(target: Path) -> None:
    """Put back a folder that a power cut between the two renames of `_exchange` left aside."""
    aside = target.with_name(f".{target.name}.previous")
    if aside.is_dir() and not target.exists():
        aside.rename(target)


def replace_file(target: Path, text: str) -> None:
    """Write a text file whole: whoever opens it meanwhile, or after a power cut, finds the old text or the new one."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.chmod(0o644)
        fresh.replace(target)
        _flush_entry(target.parent)
    finally:
        fresh.unlink(missing_ok=True)
