"""The command line where streams are closed, full, or not in UTF-8."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
STUDY = {
    "outputs.jsonl": '{"item_id": "i", "system": "Ωmega 😀", "output": "x"}\n',
    "ratings.jsonl": '{"item_id": "i", "system": "Ωmega 😀", "annotator": "a", "criterion": "q", "score": 3}\n',
}


def accord(*arguments: object, prelude: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    code = f"import os, sys\n{prelude}\nfrom validate.cli import main\nmain(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for name, text in STUDY.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_that_cannot_take_a_character_gets_an_escape(study, encoding):
    process = accord("check", study, PYTHONIOENCODING=encoding)
    assert process.returncode == 0, process.stderr
    assert b"\\u03a9mega \\ud83d\\ude00" in process.stdout


def test_json_stays_json_on_such_a_stream(study):
    process = accord("check", study, "--json", PYTHONIOENCODING="ascii")
    facts = {fact["name"]: fact for fact in json.loads(process.stdout)["facts"]}
    assert facts["judgments-per-system"]["detail"] == {"Ωmega 😀": 1}


def test_closed_streams_stop_no_run(study, tmp_path):
    out = tmp_path / "results"
    quick = ("--resamples", 20, "--crosscheck", "none", "--metrics", "length")
    process = accord("validate", study, "--out", out, *quick, prelude="sys.stdout = sys.stderr = None")
    assert process.returncode == 0, process.stderr
    assert (out / "report.html").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_under_the_output_is_an_error_in_one_line(study):
    code = "import sys; from validate.cli import main; main(sys.argv[1:])"
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-c", code, "check", str(study)],
            stdout=full, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.startswith(b"error: ")
    assert b"No space left on device" in process.stderr
    assert b"Traceback" not in process.stderr


def test_the_version():
    process = accord("--version")
    assert process.returncode == 0
    assert process.stdout.startswith(b"accord ")
