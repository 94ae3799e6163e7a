"""``accord crosscheck`` as a user runs it."""

import json

import pytest
from typer.testing import CliRunner

from validate import metrics
from validate.cli import app
from validate.errors import OptionError


def run(*arguments):
    return CliRunner().invoke(app, ["crosscheck", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(autouse=True)
def libraries(library):
    for name in ("sacrebleu", "jiwer"):
        library(name)


def test_without_a_study_texts_in_many_scripts_are_scored():
    process = run("--json", "--metrics", "bleu, cer", "--limit", "60")
    assert process.exit_code == 0
    rows = json.loads(process.stdout)
    assert [row["metric"] for row in rows] == ["bleu", "cer"]
    assert {row["status"] for row in rows} == {"equal"}
    assert rows[0]["n"] > 40


def test_without_a_study_all_metrics_with_a_library_are_compared():
    rows = json.loads(run("--json", "--limit", "3").stdout)
    assert {row["metric"] for row in rows} == {name for name, entry in metrics.entries().items() if entry.references}


def test_a_study(sample):
    process = run(sample, "--json", "--metrics", "bleu(tokenizer=intl)", "--limit", "20")
    assert process.exit_code == 0
    (row,) = json.loads(process.stdout)
    assert (row["metric"], row["status"], row["n"]) == ("bleu(tokenizer=intl)", "equal", 20)


def test_the_table_says_what_equals_what():
    shown = run("--metrics", "cer", "--limit", "5").stdout
    assert "jiwer" in shown
    assert "equal" in shown


def test_a_difference_is_exit_1(monkeypatch):
    from dataclasses import replace

    from validate.metrics import _registry

    entry = metrics.entries()["bleu"]
    wrong = replace(entry.references[0], score=lambda metric, outputs, references: ([0.5] * len(outputs), 0.5))
    monkeypatch.setitem(_registry._entries, "bleu", replace(entry, references=(wrong,)))
    assert run("--metrics", "bleu", "--limit", "5").exit_code == 1


def test_an_unknown_metric_is_said():
    with pytest.raises(OptionError, match="did you mean 'bleu'"):
        run("--metrics", "blue")


@pytest.mark.parametrize("limit", [0, -3])
def test_comparing_nothing_is_a_wrong_command(limit):
    assert run("--metrics", "bleu", "--limit", limit).exit_code == 2
