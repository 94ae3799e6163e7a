"""Folders are exchanged whole: whatever happens, the old one or the new one is there."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from validate import files
from validate.files import recover, replace_folder

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
