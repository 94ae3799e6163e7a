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

from validate.errors import ResultsError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS


@contextlib.contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """A fresh folder to write into, which takes the place of ``target`` when the block ends without an error.

    Files of the old folder that the new one does not have are carried over. Where ``target`` is a link, the folder that it
    points to is replaced and the link stays. On an error nothing of ``target`` has changed and the fresh folder is removed.

    Raises
    ------
    ResultsError
        When the place cannot be exchanged (see `check_exchangeable`), or writing fails: no room, no permission.
    """
    check_exchangeable(target)
    place = Path(os.path.realpath(target))
    with _said_plainly(target):
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=_beside(place), dir=place.parent))
        try:
            fresh.chmod(0o755)
            yield fresh
            if place.exists():
                _carry_over(place, fresh)
            _flush(fresh)
            _take_the_name(fresh, place)
            _flush_entry(place.parent)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def check_exchangeable(target: Path) -> None:
    """Refuse a place where no folder can be exchanged; asked before long work begins, too.

    Raises
    ------
    ResultsError
    """
    with _said_plainly(target):
        place = Path(os.path.realpath(target))
        above = next(folder for folder in (place, *place.parents) if folder.exists())
        reason = _why_not(place, above)
    if reason:
        raise ResultsError(f"{target}: {reason}")


def _why_not(place: Path, above: Path) -> str:
    """What keeps a folder from being exchanged; ``above`` is the nearest one that exists."""
    with contextlib.suppress(OSError):
        if Path.cwd().is_relative_to(place):
            return (
                "is the current folder or lies above it, and it would be exchanged under your feet; "
                "a folder elsewhere or below is allowed; give such a path"
            )
    if os.path.ismount(place):
        return (
            "is where a file system is mounted, which cannot be exchanged; a folder in it is allowed; give such a path"
        )
    if not _is_utf8(os.fsencode(place)):
        return "has a name that is no UTF-8; any other name is allowed; give one"
    beside = above if above != place else place.parent
    if not beside.is_dir():
        return f"{beside} is a file, where a folder is needed; choose another path"
    if not os.access(beside, os.W_OK | os.X_OK):
        return (
            f"nothing can be written into {beside}; the permission to do so is needed; get it, or choose another path"
        )
    return ""


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@contextlib.contextmanager
def _said_plainly(target: Path) -> Iterator[None]:
    """What the file system refuses, as an error that says where and what to do."""
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise ResultsError(
            f"{target}: could not be written ({error.strerror or error}{where}); room and the permission to write are "
            "needed; nothing has changed there; make room, or choose another path"
        ) from error


def _beside(place: Path) -> str:
    """How hidden names beside a folder begin; cut, because a name has 255 bytes at most."""
    return f".{place.name[:40]}."


def _take_the_name(fresh: Path, place: Path) -> None:
    """Give the fresh folder its name, also where another run gave it to a folder of its own this very moment."""
    try:
        if not place.exists():
            fresh.rename(place)
            return
    except OSError:
        if not place.exists():
            raise
    _exchange(fresh, place)


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
        aside = _aside(target)
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
    with contextlib.suppress(OSError):  # what stands in the way is told when the folder is written
        place = Path(os.path.realpath(target))
        aside = _aside(place)
        if aside.is_dir() and not place.exists():
            aside.rename(place)


def _aside(place: Path) -> Path:
    return place.parent / f".{place.name}.previous"


@contextlib.contextmanager
def fresh_file(target: Path) -> Iterator[Path]:
    """The path of a new file beside the target, which takes its name when the block ends: whoever opens the target meanwhile, or after
    a power cut, finds the old content or the new one. Nothing is left when the block raises.

    Raises
    ------
    ResultsError
        When writing fails: no room, no permission.
    """
    with _said_plainly(target):
        handle, name = tempfile.mkstemp(prefix=_beside(target), suffix=target.suffix, dir=target.parent)
        os.close(handle)
        fresh = Path(name)
        try:
            yield fresh
            fresh.chmod(0o644)
            _flush_entry(fresh)
            fresh.replace(target)
            _flush_entry(target.parent)
        finally:
            fresh.unlink(missing_ok=True)


def replace_file(target: Path, text: str) -> None:
    """Write a text file whole, see `fresh_file`."""
    with fresh_file(target) as fresh:
        fresh.write_text(text, encoding="utf-8", newline="\n")
