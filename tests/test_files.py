"""Folders are exchanged whole: whatever happens, the old one or the new one is there."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from validate import files
from validate.errors import ResultsError
from validate.files import check_exchangeable, recover, replace_file, replace_folder

ROOT = Path(__file__).resolve().parent.parent


def _fill(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in ("a", "b"):
        (folder / name).write_text(text)


def _contents(folder: Path) -> dict[str, str]:
    return {entry.name: entry.read_text() for entry in folder.iterdir()}


@pytest.mark.parametrize("one_step", [True, False])
def test_the_new_folder_takes_the_place_of_the_old(tmp_path, monkeypatch, one_step):
    if not one_step:
        monkeypatch.setattr(files, "_exchange_in_one_step", lambda fresh, target: False)
    target = tmp_path / "results"
    _fill(target, "old")
    with replace_folder(target) as fresh:
        _fill(fresh, "new")
    assert _contents(target) == {"a": "new", "b": "new"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


def test_an_error_leaves_the_old_folder_and_nothing_else(tmp_path):
    target = tmp_path / "results"
    _fill(target, "old")

    def write_half() -> None:
        with replace_folder(target) as fresh:
            (fresh / "a").write_text("new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_half()
    assert _contents(target) == {"a": "old", "b": "old"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


def test_what_only_the_old_folder_holds_is_carried_over(tmp_path):
    target = tmp_path / "results"
    _fill(target, "old")
    (target / "notes.txt").write_text("mine")
    (target / "figures").mkdir()
    (target / "figures" / "one.svg").write_text("drawn")
    with replace_folder(target) as fresh:
        (fresh / "a").write_text("new")
    assert (target / "a").read_text() == "new"
    assert (target / "notes.txt").read_text() == "mine"
    assert (target / "figures" / "one.svg").read_text() == "drawn"


def test_a_folder_left_aside_between_two_renames_is_put_back(tmp_path):
    aside = tmp_path / ".results.previous"
    _fill(aside, "old")
    recover(tmp_path / "results")
    assert _contents(tmp_path / "results") == {"a": "old", "b": "old"}


def test_a_link_stays_a_link_and_what_it_points_to_is_replaced(tmp_path):
    target, link = tmp_path / "disk" / "results", tmp_path / "results"
    target.parent.mkdir()
    link.symlink_to(target)  # points to nothing yet
    for text in ("old", "new"):
        with replace_folder(link) as fresh:
            _fill(fresh, text)
        assert link.is_symlink()
        assert _contents(target) == {"a": text, "b": text}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["disk", "results"]


def test_of_two_first_runs_at_the_same_moment_both_end_well(tmp_path, monkeypatch):
    """Between the look whether the name is free and the taking of it, another run takes it."""
    target = tmp_path / "results"
    with replace_folder(target) as fresh:
        _fill(fresh, "mine")
        looks = iter([False, False])
        there = Path.exists
        monkeypatch.setattr(Path, "exists", lambda path: next(looks, True) if path == target else there(path))
        _fill(target, "theirs")
    assert _contents(target) == {"a": "mine", "b": "mine"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


@pytest.mark.parametrize("write", [lambda place: replace_folder(place).__enter__(), check_exchangeable])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is the current folder or lies above it"),
        ("..", "is the current folder or lies above it"),
        ("file/results", "file is a file, where a folder is needed"),
        ("x" * 300, "File name too long"),
        (os.fsdecode(b"na\xefve"), "has a name that is no UTF-8"),
    ],
)
def test_places_where_no_folder_can_be_exchanged(tmp_path, monkeypatch, write, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=message):
        write(Path(name))
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_place_where_a_file_system_is_mounted(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(ResultsError, match=r"is where a file system is mounted, .* a folder in it is allowed"):
        check_exchangeable(tmp_path / "volume")


def test_a_name_of_the_greatest_length(tmp_path):
    target = tmp_path / ("é" * 127)  # 254 bytes of the 255 that a name may have
    for text in ("old", "new"):
        recover(target)
        with replace_folder(target) as fresh:
            _fill(fresh, text)
    assert _contents(target) == {"a": "new", "b": "new"}


def test_a_full_disk_is_said_plainly_and_changes_nothing(tmp_path):
    target = tmp_path / "results"
    _fill(target, "old")

    def fill_up() -> None:
        with replace_folder(target) as fresh:
            (fresh / "a").write_text("new")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(fresh / "b"))

    with pytest.raises(ResultsError, match=r"could not be written .No space left on device: .*; make room"):
        fill_up()
    assert _contents(target) == {"a": "old", "b": "old"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


def test_a_file_that_cannot_be_written_is_said_plainly(tmp_path):
    with pytest.raises(ResultsError, match=r"could not be written .No such file or directory"):
        replace_file(tmp_path / "nowhere" / "page.html", "text")


@pytest.mark.skipif(sys.platform != "linux", reason="the exchange in one step is a call of Linux")
def test_killed_at_any_moment_the_folder_is_whole(tmp_path):
    """A writer that exchanges the folder without end is killed again and again; each time both files must agree."""
    target = tmp_path / "results"
    _fill(target, "0")
    writer = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from validate.files import replace_folder
        target = Path(sys.argv[1])
        round = 0
        while True:
            round += 1
            with replace_folder(target) as fresh:
                (fresh / "a").write_text(str(round))
                (fresh / "b").write_text(str(round))
            print(round, flush=True)
        """
    )
    for attempt in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", writer, str(target)],
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.003 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        contents = _contents(target)
        assert contents["a"] == contents["b"] != "0"
