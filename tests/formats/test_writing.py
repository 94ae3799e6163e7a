"""A study folder is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from validate.errors import OptionError, ResultsError
from validate.formats import WRITERS, write_study
from validate.loading import load

TABLES = {"outputs": pd.DataFrame({"item_id": ["i"], "system": ["s"], "output": ["=1+1"]}), "ratings": pd.DataFrame()}


def test_empty_frames_get_no_file(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "deep" / "study", TABLES, settings='name = "x"\n')
    assert sorted(path.name for path in folder.iterdir()) == ["outputs.jsonl", "study.toml"]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["study"]


def test_an_empty_folder_is_taken_and_a_filled_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    folder = write_study(tmp_path / "study", TABLES)
    before = (folder / "outputs.jsonl").read_bytes()
    with pytest.raises(ResultsError, match=r"is a folder that holds files already; .* give another name"):
        write_study(folder, {"items": pd.DataFrame({"item_id": ["j"]})})
    assert [path.name for path in folder.iterdir()] == ["outputs.jsonl"]
    assert (folder / "outputs.jsonl").read_bytes() == before
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="is a file already"):
        write_study(tmp_path / "file", TABLES)


def test_nothing_is_left_when_a_table_cannot_be_written(tmp_path: Path) -> None:
    tables = TABLES | {"items": pd.DataFrame({"item_id": ["i", "j"], "meta": [{"a": 1}, 5]}, dtype=object)}
    with pytest.raises(Exception, match="meta"):
        write_study(tmp_path / "study", tables, format="parquet")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_the_result_does_not_pass(tmp_path: Path) -> None:
    seen = []

    def refuse(folder: Path) -> None:
        seen.append(sorted(path.name for path in folder.iterdir()))
        raise ResultsError("no")

    with pytest.raises(ResultsError, match="no"):
        write_study(tmp_path / "study", TABLES, verify=refuse)
    assert seen == [["outputs.jsonl"]]
    assert list(tmp_path.iterdir()) == []


def test_unknown_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="format='xml' was given; allowed: jsonl, csv, tsv, parquet"):
        write_study(tmp_path / "study", TABLES, format="xml")


@pytest.mark.parametrize("format", WRITERS)
def test_a_column_of_missing_values_stays_a_column(tmp_path: Path, format: str) -> None:
    scores = pd.DataFrame({"item_id": ["i"], "system": ["s"], "metric": ["m"], "score": [float("nan")]})
    study = load(write_study(tmp_path / "study", TABLES | {"metrics": scores}, format=format))
    assert study.metric_scores["score"].isna().all()
