"""``accord validate`` as a user runs it: a process of its own, files, exit codes, what is printed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from validate.results import COLUMNS, DOCUMENTS, PARQUET_COLUMNS

ROOT = Path(__file__).resolve().parent.parent.parent
QUICK = ["--resamples", "50", "--crosscheck", "10", "--metrics", "bleu, rouge1(stem=yes), length"]


def accord(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    code = "import sys; from validate.cli import main; main(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, cwd=cwd, env={**_environment(), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "COLUMNS": "100"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory, sample):
    out = tmp_path_factory.mktemp("cli") / "results"
    return out, accord("validate", sample, "--out", out, *QUICK)


def test_every_file_of_the_contract_is_written(ran):
    out, process = ran
    assert process.returncode == 0, process.stderr
    expected = {f"{name}.csv" for name in COLUMNS} | {f"{name}.parquet" for name in PARQUET_COLUMNS}
    expected |= {f"{name}.json" for name in DOCUMENTS} | {"report.html"}
    assert {entry.name for entry in out.iterdir()} == expected


def test_the_answer_and_the_place_of_the_page_are_printed(ran):
    out, process = ran
    assert "rouge1(stem=yes)" in process.stdout
    assert f"report: {out / 'report.html'}" in process.stdout
    assert "scoring the outputs" in process.stderr


def test_the_run_can_be_repeated_from_what_it_says(ran):
    out, _ = ran
    run = json.loads((out / "run.json").read_text())
    assert run["command"].startswith("accord validate ")
    assert run["options"]["resamples"] == 50
    assert set(run["inputs"]) >= {"items.jsonl", "outputs.jsonl", "ratings.jsonl", "comparisons.jsonl", "study.toml"}
    assert all(len(digest) == 64 for digest in run["inputs"].values())
    signatures = {metric["name"]: metric["signature"] for metric in run["metrics"]}
    assert "stem:yes" in signatures["rouge1(stem=yes)"]
    assert run["stages"][0]["stage"] == "reading the study"


def test_the_page_is_drawn_again_from_the_tables(ran):
    out, _ = ran
    before = (out / "report.html").read_text()
    assert accord("report", out).returncode == 0
    assert (out / "report.html").read_text() == before


def test_a_broken_study_is_refused_whole(tmp_path, sample):
    study = tmp_path / "study"
    shutil.copytree(sample, study)
    lines = (study / "ratings.jsonl").read_text().splitlines()
    lines[3] = lines[3].replace('"system": "', '"system": "no-')
    lines[7] = lines[7][:20]
    (study / "ratings.jsonl").write_text("\n".join(lines) + "\n")
    out = tmp_path / "out"
    process = accord("validate", study, "--out", out, *QUICK)
    assert process.returncode == 1
    assert "ratings.jsonl:4" in process.stderr
    assert "ratings.jsonl:8" in process.stderr
    assert "Traceback" not in process.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--metrics", "blue"], 2, "did you mean 'bleu'"),
        (["--metrics", "bleu(tokeniser=13a)"], 2, "did you mean 'tokenizer'"),
        (["--unit", "texts"], 2, "allowed: items, systems, both, annotators"),
        (["--crosscheck", "some"], 2, "a number of outputs, 'all' or 'none'"),
        (["--crosscheck", "²"], 2, "a number of outputs, 'all' or 'none'"),
        (["--metrics", " , "], 2, "names of metrics"),
        (["--seed", "-1"], 2, "seed=-1 was given; allowed: a whole number, 0 or more"),
        (["--resamples", "many"], 2, "valid integer"),
    ],
)
def test_a_wrong_command_says_what_is_allowed(sample, tmp_path, arguments, code, message):
    process = accord("validate", sample, "--out", tmp_path / "out", *arguments)
    assert process.returncode == code
    assert message in " ".join(process.stderr.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_there(tmp_path):
    process = accord("validate", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert process.returncode == 1
    assert "nowhere" in process.stderr


def test_other_peoples_folders_are_not_overwritten(tmp_path, sample):
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "chapter1.tex").write_text("text")
    process = accord("validate", sample, "--out", out, *QUICK)
    assert process.returncode == 1
    assert "choose another --out" in process.stderr
    assert [entry.name for entry in out.iterdir()] == ["chapter1.tex"]


def test_quiet_and_json(tmp_path, sample):
    quiet = accord("validate", sample, "--out", tmp_path / "one", *QUICK, "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    choice = json.loads(accord("validate", sample, "--out", tmp_path / "two", *QUICK, "--json").stdout)
    assert choice["primary"]["level"] in ("item", "system")


def test_a_study_of_judgments_only(tmp_path, sample):
    study = tmp_path / "study"
    study.mkdir()
    shutil.copy(sample / "comparisons.jsonl", study)
    out = tmp_path / "out"
    process = accord("validate", study, "--out", out, *QUICK)
    assert process.returncode == 0, process.stderr
    run = json.loads((out / "run.json").read_text())
    assert {entry["reason"] for entry in run["skipped"]} == {"the study has no outputs, only judgments"}
    assert "summ-large" in (out / "ranking.csv").read_text()
    assert "krippendorff_alpha" in (out / "agreement.csv").read_text()


def test_texts_of_models_are_shown_as_text(tmp_path):
    """HTML, script, a closing script tag and a formula, in outputs, references, sources and names."""
    hostile = '<script>alert("x")</script><img src=x onerror=alert(1)></script>=HYPERLINK("http://x")'
    study = tmp_path / "study"
    study.mkdir()
    systems = ["<b>one</b>", "two & three", '"four"']
    _lines(
        study / "items.jsonl",
        [{"item_id": f"i{k}", "source": hostile, "references": [f"reference {k}"]} for k in range(12)],
    )
    _lines(
        study / "outputs.jsonl",
        [
            {"item_id": f"i{k}", "system": s, "output": f"{hostile} reference {k * n}"}
            for k in range(12)
            for n, s in enumerate(systems)
        ],
    )
    _lines(
        study / "ratings.jsonl",
        [
            {"item_id": f"i{k}", "system": s, "annotator": a, "criterion": "good <i>", "score": (k * 7 + n * 3 + len(a)) % 5}
            for k in range(12) for n, s in enumerate(systems) for a in ("x", "yy")
        ],
    )  # fmt: skip
    out = tmp_path / "out"
    process = accord("validate", study, "--out", out, "--resamples", "50", "--crosscheck", "5")
    assert process.returncode == 0, process.stderr
    page = (out / "report.html").read_text()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<b>one</b>" not in page
    assert "&lt;script&gt;alert" in page


def _lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
