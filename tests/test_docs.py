"""The README says what is: its table of metrics, its commands and its code."""

import re
from pathlib import Path

import pytest

from validate.results import COLUMNS, DOCUMENTS, PARQUET_COLUMNS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_metrics_is_that_of_the_registry():
    from validate.cli.metrics import markdown_table
    from validate.metrics import describe

    _, _, rest = README.partition("<!-- metrics: accord metrics --markdown -->\n")
    shown, _, _ = rest.partition("<!-- /metrics -->")
    assert shown.strip() == markdown_table(describe()), "put the output of 'accord metrics --markdown' into the README"


def test_every_file_of_the_results_is_explained():
    files = [f"{name}.csv" for name in COLUMNS] + [f"{name}.parquet" for name in PARQUET_COLUMNS]
    files += [f"{name}.json" for name in DOCUMENTS] + ["report.html"]
    assert [name for name in files if f"`{name}`" not in README] == []


def test_every_command_that_is_named_exists():
    from validate.cli import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    named = set(re.findall(r"\baccord ([a-z]+)", README))
    assert named - known <= {"holds"}  # "accord holds every metric against …" is prose


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", README)) <= targets | {"sure"}


def test_the_python_code_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code.replace("validate.run(study)", "validate.run(study, quick)"), "README.md", "exec"), _quick(names))
    assert names["people"].values.shape == (6, 60)  # type: ignore[attr-defined]
    assert names["scores"].system == pytest.approx(names["scores"].items[0])  # type: ignore[attr-defined]


def _quick(names: dict[str, object]) -> dict[str, object]:
    from validate.validation import Options

    names["quick"] = Options(resamples=20, crosscheck_rows=0, metrics=("bleu", "length"))
    return names


def test_the_study_settings_shown_are_understood(tmp_path):
    from validate.loading.settings import read

    (block,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "study.toml").write_text(block, encoding="utf-8")
    settings, problems = read(tmp_path / "study.toml", "study.toml")
    assert not problems
    assert settings.metrics == ("default", "bleu(tokenizer=intl)", "meteor")
    assert settings.criteria["adequacy"].scale == (1.0, 5.0)
