"""``accord score`` as a user runs it."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import validate
from validate.cli import app
from validate.cli.score import _blocks
from validate.errors import OptionError, ResultsError

QUICK = ["--metrics", "bleu, rouge1(stem=yes)"]


def run(*arguments, **keywords):
    return CliRunner().invoke(app, ["score", *map(str, arguments)], catch_exceptions=False, **keywords)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_the_file_is_a_metrics_file_of_a_study(sample, tmp_path, ending):
    import shutil

    study = tmp_path / "study"
    shutil.copytree(sample, study)
    out = study / f"metrics.{ending}"
    assert run(sample, *QUICK, "--out", out).exit_code == 0
    given = validate.load(study).metric_scores
    assert set(given["metric"]) == {"bleu", "rouge1(stem=yes)"}
    by_hand = validate.metrics.get("bleu").score(["x"], [["x"]])
    assert by_hand.items.shape == (1,)
    first = given[given["metric"] == "bleu"].iloc[0]
    output = validate.load(sample).outputs
    text = output[(output["item_id"] == first["item_id"]) & (output["system"] == first["system"])]["output"].iloc[0]
    items = validate.load(sample).items
    references = items[items["item_id"] == first["item_id"]]["references"].iloc[0]
    assert first["score"] == validate.metrics.get("bleu").score([text], [list(references)]).items[0]


def test_systems_as_json(sample):
    found = json.loads(run(sample, *QUICK, "--json").stdout)
    rows = pd.DataFrame(found["systems"])
    assert list(rows.columns) == ["metric", "system", "score", "n", "signature"]
    assert set(rows["n"]) == {60}
    study = validate.load(sample)
    one = rows[(rows["metric"] == "bleu") & (rows["system"] == "lead")]["score"].item()
    outputs = study.outputs[study.outputs["system"] == "lead"]
    references = dict(zip(study.items["item_id"], study.items["references"], strict=True))
    whole = validate.metrics.get("bleu").score(
        outputs["output"].tolist(), [list(references[item]) for item in outputs["item_id"]]
    )
    assert one == whole.system


def test_what_cannot_be_scored_is_said(make_study, tmp_path, sample):
    import shutil

    study = tmp_path / "study"
    shutil.copytree(sample, study)
    lines = [json.loads(line) for line in (study / "items.jsonl").read_text().splitlines()]
    text = "".join(json.dumps({**line, "references": []}) + "\n" for line in lines)
    (study / "items.jsonl").write_text(text)
    process = run(study, "--metrics", "bleu, length")
    assert process.exit_code == 1
    assert "bleu: it needs references, and no item has any" in process.stdout
    assert "length" in process.stdout


def test_a_name_without_a_format_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(OptionError, match=r"ends in .jsonl, .csv, .tsv, .parquet"):
        run(tmp_path / "nothing", "--out", tmp_path / "scores.doc")


def test_nothing_is_left_where_writing_fails(sample, tmp_path):
    with pytest.raises(ResultsError, match="could not be written"):
        run(sample, *QUICK, "--out", tmp_path / "nowhere" / "scores.csv")
    assert list(tmp_path.iterdir()) == []


def test_columns_go_into_tables_that_fit():
    assert _blocks(["bleu", "chrf", "rouge1(stem=yes)"], beside=10, width=40) == [
        ["bleu", "chrf"],
        ["rouge1(stem=yes)"],
    ]
    assert _blocks(["a" * 90, "b"], beside=4, width=40) == [["a" * 90], ["b"]]
    assert _blocks([], beside=4, width=40) == []


def test_scores_are_shown_short(sample):
    shown = run(sample, *QUICK).stdout
    study = validate.load(sample)
    assert all(system in shown for system in study.systems)
    assert np.char.find(shown, "15.59") > 0  # summ-large's BLEU of 15.585…


def test_a_metric_that_is_asked_for_and_cannot_be_had_is_exit_2(sample):
    pytest.importorskip("torch")
    process = run(sample, "--metrics", "bleu, bertscore(model=no/such/model, layer=1)")
    assert process.exit_code == 2
    assert "no/such/model" in process.stdout.replace("\n", "")
    assert "15.59" in process.stdout  # the others are scored


def test_a_metric_that_does_not_exist_is_said_before_the_study_is_read(tmp_path):
    with pytest.raises(OptionError, match="did you mean 'bleu'"):
        run(tmp_path / "no study", "--metrics", "blue")
