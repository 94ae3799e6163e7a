"""``accord check``: what it prints, what it returns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from validate.cli.check import check

app = typer.Typer()
app.command()(check)

OUTPUTS = '{"item_id": "i1", "system": "[red]", "output": "x"}\n{"item_id": "i1", "system": "blue", "output": ""}\n'
RATING = '{"item_id": "i1", "system": "[red]", "annotator": "ann", "criterion": "fluency", "score": %s}\n'


def study(folder: Path, score: str = "3", n: int = 1) -> Path:
    (folder / "outputs.jsonl").write_text(OUTPUTS)
    (folder / "ratings.jsonl").write_text(RATING % score * n)
    return folder


def test_a_good_study(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(study(tmp_path))])
    assert result.exit_code == 0
    # the empty output, and agreement that cannot be computed with one annotator
    assert "no problems, but 2 warnings (!): read them before you trust a result" in result.output
    flat = " ".join(result.output.split())
    assert "1 item 2 systems 1 annotator 1 criterion 2 outputs 1 rating" in flat
    assert "! 1 output is empty or white space (50%): blue 1" in flat
    # warnings first, then notes
    marks = [line[0] for line in result.output.splitlines() if line[:2] in ("! ", "· ")]
    assert marks == sorted(marks, key="!·".index)


@pytest.mark.parametrize("width", ["80", "60"])
def test_nothing_but_problems_is_wider_than_the_terminal(
    tmp_path: Path, width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    result = CliRunner().invoke(app, [str(study(tmp_path))])
    assert max(map(len, result.output.splitlines()[1:])) <= int(width)


def test_a_broken_study(tmp_path: Path) -> None:
    folder = study(tmp_path, '"x"', n=25)
    result = CliRunner().invoke(app, [str(folder)])
    assert result.exit_code == 1
    assert "25 problems" in result.output
    assert f"{folder}/ratings.jsonl:1 [score] 'x': is text, where a number is needed" in result.output
    assert "ratings.jsonl:20 " in result.output
    assert "ratings.jsonl:21 " not in result.output
    assert "… and 5 more of this kind (score-not-a-number)" in result.output
    assert "no problems" not in result.output


def test_metrics_of_the_settings_that_do_not_exist(tmp_path: Path) -> None:
    """Said beside the other problems, in one run; the metrics of a file that cannot be read may exist."""
    folder = study(tmp_path, '"x"')
    (folder / "study.toml").write_text('metrics = ["blue"]\n[metric_options.theirs]\nhigher_is_better = false\n')
    result = CliRunner().invoke(app, [str(folder)])
    assert result.exit_code == 1
    assert "2 problems" in result.output
    assert (
        f"{folder}/study.toml:1 [metrics] 'blue': cannot be used (metrics: there is no metric 'blue'" in result.output
    )


def test_nothing_to_say_against_a_study(tmp_path: Path) -> None:
    text = RATING % 3 + (RATING % 3).replace('"ann"', '"bob"')
    (tmp_path / "ratings.jsonl").write_text(text)
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "no problems")


def test_markup_in_names_is_shown_as_it_is(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(study(tmp_path))])
    assert "[red]" in result.output


def test_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(study(tmp_path)), "--json"])
    answer = json.loads(result.output)
    assert result.exit_code == 0
    assert set(answer) == {"study", "ok", "problems", "facts", "counts"}
    assert (answer["study"], answer["ok"], answer["problems"]) == (str(tmp_path), True, [])
    assert answer["counts"] == {
        "items": 1,
        "systems": 2,
        "annotators": 1,
        "criteria": 1,
        "outputs": 2,
        "ratings": 1,
        "comparisons": 0,
        "metric-scores": 0,
    }
    empty = next(fact for fact in answer["facts"] if fact["name"] == "empty-outputs")
    assert (empty["count"], empty["weight"], empty["detail"]) == (1, "warning", {"blue": 1})


def test_json_of_a_broken_study(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(study(tmp_path, "1e999", n=30)), "--json"])
    answer = json.loads(result.output)
    assert (result.exit_code, answer["ok"], len(answer["problems"])) == (1, False, 30)
    assert answer["problems"][0] == {
        "kind": "score-not-finite",
        "file": str(tmp_path / "ratings.jsonl"),
        "line": 1,
        "column": "score",
        "value": "inf",
        "message": "is not finite",
        "remedy": "write a number, or leave the row out",
    }


def test_a_missing_folder(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(tmp_path / "none"), "--json"])
    answer = json.loads(result.output)
    assert (result.exit_code, answer["facts"], answer["problems"][0]["kind"]) == (1, [], "no-folder")


def test_real_studies_pass(shared: Path) -> None:
    for name in ("realsumm", "squality", "llmfao", "codegen_conala"):
        result = CliRunner().invoke(app, [str(shared / "data" / name)])
        assert result.exit_code == 0, result.output
