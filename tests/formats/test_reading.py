"""Readers against the plain way of reading the same file, and the faults that only they can see."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.errors import OptionError, StudyError
from validate.formats import READERS, read_rows, read_table
from validate.formats.fingerprint import CHUNK, fingerprint
from validate.formats.rows import BLOCK

FRAGMENTS = ['{"a": 1}', '{"a": "x", "b": [1, 2]}', '{"b": null}', "{", '{"a": 1', "}", "[1]", '"a"', "", " ", "\t"]
FRAGMENTS += [
    '{"a": 1} {"b": 2}',
    '{"a": 1},{"b": 2}',
    '{"a": 1,',
    '"b": 2}',
    '{"a": "\\ud83d"}',
    '{"a": "\\ud83d\\ude00"}',
    "nul",
]


def plain_json(line: str) -> dict[str, Any] | None:
    """The object on a line as the json module reads it, None where there is none that can be written again."""
    try:
        value = json.loads(line)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@settings(max_examples=150, deadline=None)
@given(lines=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8), end=st.sampled_from(["\n", "\r\n"]))
def test_json_lines_are_read_as_one_by_one(tmp_path_factory: Any, lines: list[str], end: str) -> None:
    """Two lines that are broken each in its way must not be taken for a good one, however many are decoded at once."""
    path = tmp_path_factory.mktemp("lines") / "table.jsonl"
    path.write_text(end.join(lines), encoding="utf-8", newline="")
    rows, _ = read_rows(path)
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    bad = [number for number, line in filled if plain_json(line) is None]
    assert rows.lines == [number for number, _ in filled]
    assert [problem.line for problem in rows.problems if problem.kind != "empty-file"] == bad
    assert {rows.lines[row] for row in rows.damaged} == set(bad)
    for row, (_, line) in enumerate(filled):
        value = plain_json(line)
        if value is not None:
            assert {name: values[row] for name, values in rows.columns.items() if values[row] is not None} == {
                name: item for name, item in value.items() if item is not None
            }


@settings(max_examples=100, deadline=None)
@given(
    table=st.lists(st.lists(st.text('ab ,;"\n\r\t\0é', max_size=5), min_size=3, max_size=3), min_size=1, max_size=6),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_csv_is_read_as_by_the_csv_module(tmp_path_factory: Any, table: list[list[str]], quoting: Any) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    buffer = io.StringIO()
    csv.writer(buffer, quoting=quoting).writerows([["x", "y", "z"], *table])
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    rows, _ = read_rows(path)
    assert rows.problems == []
    assert [list(row) for row in zip(*rows.columns.values(), strict=True)] == table
    # A row begins on the line after all line ends before it, whether they end rows or stand inside fields.
    before = [[["x", "y", "z"], *table][:place] for place in range(1, len(table) + 1)]
    expected = []
    for earlier in before:
        part = io.StringIO()
        csv.writer(part, quoting=quoting).writerows(earlier)
        expected.append(len(part.getvalue().replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    assert rows.lines == expected


def test_rows_after_a_bad_quote_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b\n1,"x"y\n2,z\n\n"3",w,v\n', encoding="utf-8")
    rows, _ = read_rows(path)
    assert [(problem.kind, problem.line) for problem in rows.problems] == [("bad-quoting", 2), ("field-count", 5)]
    assert (rows.columns, rows.lines, rows.complete) == ({"a": ["2", "3"], "b": ["z", "w"]}, [3, 5], False)


def test_fields_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    before = csv.field_size_limit()
    path.write_text("a,b\n1," + "x" * 200_000 + "\n", encoding="utf-8")
    assert len(read_table(path)["b"][0]) == 200_000
    assert csv.field_size_limit() == before


def test_columns_may_begin_in_any_block(tmp_path: Path) -> None:
    lines = [json.dumps({"a": number} | ({"b": number} if number >= BLOCK + 3 else {})) for number in range(2 * BLOCK)]
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    rows, _ = read_rows(path)
    assert rows.columns["a"] == list(range(2 * BLOCK))
    assert rows.columns["b"] == [None] * (BLOCK + 3) + list(range(BLOCK + 3, 2 * BLOCK))


@pytest.mark.parametrize("shift", [-2, -1, 0, 1])
def test_fingerprint_sees_what_lies_across_its_chunks(tmp_path: Path, shift: int) -> None:
    path = tmp_path / "table.csv"
    body = b"a" * (CHUNK + shift) + b"\r\n" + "é".encode() + b"\r\n"
    path.write_bytes(body)
    mark = fingerprint(path)
    assert (mark.n_crlf, mark.bad, mark.n_bytes) == (2, (), len(body))


@pytest.mark.parametrize(
    ("raw", "bad"),
    [
        (b"ok\n\xff\xfe\nok\n", [(2, 1, b"\xff")]),
        (b"ok\nab\xc3", [(2, 3, b"\xc3")]),  # cut inside a character at the end of the file
        (b"\xed\xa0\x80\n", [(1, 1, b"\xed")]),  # a surrogate written as if it were a character
        (b"\xc0\x80\n", [(1, 1, b"\xc0")]),  # NUL in the long form that some tools write
    ],
)
def test_bytes_that_are_no_utf8(tmp_path: Path, raw: bytes, bad: list[tuple[int, int, bytes]]) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(raw)
    assert [(found.line, found.byte, found.found) for found in fingerprint(path).bad] == bad


def test_many_lines_that_are_no_utf8_are_one_problem(tmp_path: Path) -> None:
    """One remedy mends them all; the rows they stand in are damaged all the same."""
    path = tmp_path / "table.csv"
    path.write_bytes("a,b\n1,x\n2,Zoë\n3,é\n4,y\n5,é\n".encode("latin-1"))
    rows, _ = read_rows(path)
    (problem,) = rows.problems
    # 2,Zoë: the ë is the fifth byte of line 3; the lines 4 and 6 have an é
    assert (problem.kind, problem.line) == ("not-utf-8", 3)
    assert str(problem) == (
        f"{path}:3 EB: is no UTF-8 at byte 5 of the line, nor are 2 lines after it; "
        "save the file as UTF-8; it may be in Latin-1 or Windows-1252"
    )
    assert rows.damaged == {1, 2, 4}


TITLE = "is taken as the header and names 1 of the 3 columns with values: 'Our study'; remove it if it is a title"


def test_a_title_above_the_header(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\nOur study,,\nid,ref,sys\n1,r,x\n", encoding="utf-8")
    (problem,) = read_rows(path)[0].problems
    assert (problem.kind, problem.line) == ("nameless-columns", 2)
    assert TITLE in str(problem)
    book = workbook(tmp_path / "table.xlsx", [["Our study", None, None], [], ["id", "ref", "sys"], [1, "r", "x"]])
    (problem,) = read_rows(book)[0].problems
    assert (problem.kind, problem.line) == ("nameless-columns", 1)
    assert TITLE in str(problem)


def test_a_title_alone_on_its_line_is_one_problem_and_not_one_a_row(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Our study\nid,ref,sys\n1,r,x\n2,s,y\n", encoding="utf-8")
    (problem,) = read_rows(path)[0].problems
    assert (problem.kind, problem.line) == ("nameless-columns", 1)
    assert "names one column, 'Our study', where every row below has more fields; remove it" in str(problem)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (",id,output\n0,a,x\n", ["unnamed_1", "id", "output"]),  # the row numbers that pandas writes
        ("id,output,\na,x,\n", ["id", "output", "unnamed_3"]),  # a comma too much on every line
    ],
)
def test_columns_that_may_go_without_a_name(tmp_path: Path, text: str, columns: list[str]) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    rows, _ = read_rows(path)
    assert (rows.problems, list(rows.columns)) == ([], columns)


def test_text_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,when,flag,none\n007,2020-01-01,TRUE,NA\n", encoding="utf-8")
    assert read_table(path).to_dict("list") == {
        "id": ["007"],
        "when": ["2020-01-01"],
        "flag": ["TRUE"],
        "none": ["NA"],
    }


def test_a_list_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text('[{"a": 1}, {"a": 2, "b": "x"}]', encoding="utf-8")
    assert read_table(path)["a"].tolist() == [1, 2]
    path.write_text('[{"a": 1}, 5, {"a": "\\udfff"}]', encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read_table(path)
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [
        ("not-an-object", 2),
        ("lone-surrogate", 3),
    ]
    path.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(StudyError, match="no list, where a list of objects is needed"):
        read_table(path)
    path.write_text('[{"a": 1},\n{"a"', encoding="utf-8")
    with pytest.raises(StudyError, match=r"table\.json:2 .*no valid JSON"):
        read_table(path)


def workbook(path: Path, *sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook(tmp_path: Path) -> None:
    rows = [["id", "text", None], [7, "a\nb", None], [None, None, None], ["x", 1.5, None]]
    path = workbook(tmp_path / "table.xlsx", [], rows)
    found, _ = read_rows(path)
    assert found.problems == []
    assert found.columns == {"id": [7, "x"], "text": ["a\nb", 1.5]}
    assert found.lines == [2, 4]


def test_faults_of_a_workbook(tmp_path: Path) -> None:
    rows = [["id", "id", "text"], [1, 2, "#NAME?"], [3, 4, "y" * 32_767]]
    path = workbook(tmp_path / "table.xlsx", rows, [["more"]])
    found, _ = read_rows(path)
    assert [(problem.kind, problem.line, problem.column) for problem in found.problems] == [
        ("several-sheets", None, None),
        ("repeated-column", 1, "id"),
        ("spreadsheet-error", 2, "text"),
        ("cut-off-text", 3, "text"),
    ]
    (tmp_path / "broken.xlsx").write_bytes(b"PK and nothing")
    with pytest.raises(StudyError, match="is no readable workbook"):
        read_table(tmp_path / "broken.xlsx")


def test_parquet_keeps_lists_and_passes_over_the_index(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "refs": [["p"], []]}, index=pd.Index([5, 6]))
    frame["kind"] = frame["a"].astype("category")
    frame.to_parquet(tmp_path / "table.parquet")
    rows, _ = read_rows(tmp_path / "table.parquet")
    assert rows.columns == {"a": ["x", "y"], "refs": [["p"], []], "kind": ["x", "y"]}


def test_files_that_cannot_be_tables(tmp_path: Path) -> None:
    (tmp_path / "table.pdf").write_bytes(b"%PDF")
    with pytest.raises(OptionError, match=r"allowed: \.jsonl, \.csv, \.tsv, \.parquet, \.json, \.xlsx"):
        read_table(tmp_path / "table.pdf")
    with pytest.raises(OptionError, match="does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(OptionError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("suffix", [suffix for suffix in READERS if suffix not in (".xlsx", ".parquet", ".json")])
def test_an_empty_file_is_said_to_be(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"table{suffix}").touch()
    with pytest.raises(StudyError, match="is empty"):
        read_table(tmp_path / f"table{suffix}")
