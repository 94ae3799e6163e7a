"""Results come back from their files as they were written, whatever the names in them look like."""

import json

import numpy as np
import pandas as pd
import pytest

from validate.errors import ResultsError
from validate.results import COLUMNS, PARQUET_COLUMNS, Results, read, table, write

NAMES = ["01", "1e5", "NA", "nan", "True", "null", "a\rb", "c\r\nd", 'say "x", or', "=cmd()", "\u202eRTL", ""]


def _results(names: list[str]) -> Results:
    """Results that hold nothing but a ranking of systems with these names."""
    tables = {name: table(name, []) for name in (*COLUMNS, *PARQUET_COLUMNS)}
    ranking = {
        "criterion": "2.0", "system": names, "estimate": np.arange(len(names)) / 3, "low": 0.1 + 0.2, "high": np.nan,
        "rank_low": 1.0, "rank_high": 2.0, "method": "mean", "n": 3,
    }  # fmt: skip
    return Results(**tables | {"ranking": pd.DataFrame(ranking)}, choice={"primary": None}, run={"seed": 0})


@pytest.mark.parametrize("names", [NAMES, ["01", "02"], ["True", "False"], ["NA", "nan"], ["1.0", "1.10"]])
def test_names_that_look_like_something_else_stay_names(tmp_path, names):
    results = _results(names)
    back = read(write(results, tmp_path / "out", "<html></html>")).ranking
    assert back["system"].tolist() == names
    assert set(back["criterion"]) == {"2.0"}
    numbers = ["estimate", "low", "high", "n"]
    np.testing.assert_array_equal(back[numbers].to_numpy(float), results.ranking[numbers].to_numpy(float))


def test_texts_are_quoted_only_where_they_must_be(tmp_path):
    write(_results(["A", "B"]), tmp_path / "out", "")
    assert '"' not in (tmp_path / "out" / "ranking.csv").read_text()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ranking.csv", None, "ranking.csv is missing"),
        ("ranking.csv", b"", "ranking.csv cannot be read .No columns to parse"),
        ("ranking.csv", b'criterion\n"', "ranking.csv cannot be read"),
        ("ranking.csv", b"criterion,\xff\n", "ranking.csv cannot be read"),
        ("ranking.csv", b"criterion,system\nq,A\n", "ranking has the columns .* give exactly these"),
        ("scores.parquet", b"PAR1", "scores.parquet cannot be read"),
        ("run.json", b"{", "run.json cannot be read"),
        ("run.json", b"[]", "run.json cannot be read .it holds a list, where a dict is needed"),
        ("cases.json", b"{}", "cases.json cannot be read .it holds a dict, where a list is needed"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content, message):
    out = write(_results(["A"]), tmp_path / "out", "")
    (out / name).unlink()
    if content is not None:
        (out / name).write_bytes(content)
    with pytest.raises(ResultsError, match=message) as caught:
        read(out)
    assert str(out) in str(caught.value)


def test_what_is_undefined_is_null_in_json(tmp_path):
    out = write(_results(["A"]), tmp_path / "out", "")
    assert json.loads((out / "choice.json").read_text()) == {"primary": None}
