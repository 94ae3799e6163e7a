"""CSV and TSV, with the quoting that spreadsheets and Python write: read with exact places, written so that every text survives."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from validate.errors import plural
from validate.formats.jsonl import plain
from validate.formats.rows import BLOCK, Rows, named, shown

Numbered = list[tuple[int, list[str]]]

_QUOTING = {
    "unexpected end of data": "opens a quoted field that is never closed",
    "',' expected after '\"'": "has a quote inside a quoted field that is not doubled",
    "'\t' expected after '\"'": "has a quote inside a quoted field that is not doubled",
    "';' expected after '\"'": "has a quote inside a quoted field that is not doubled",
}
_QUOTING_REMEDY = 'enclose the field in quotes and double each quote inside it: "she said ""yes"""'


def read_csv(path: Path, file: str) -> Rows:
    """A comma-separated file; one whose header has no comma but a semicolon is taken as semicolon-separated."""
    header = _first_line(path)
    return _read(path, file, ";" if ";" in header and "," not in header else ",")


def read_tsv(path: Path, file: str) -> Rows:
    """A tab-separated file, quoted like a CSV."""
    return _read(path, file, "\t")


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        return next((line for line in lines if line.strip()), "")


def _read(path: Path, file: str, delimiter: str) -> Rows:
    rows = Rows(file, textual=True)
    with _long_fields(), path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        blocks = _blocks(rows, csv.reader(lines, delimiter=delimiter, strict=True))
        header: list[str] | None = None
        first = 1
        for block in blocks:
            if header is None and block:
                first = block[0][0]
                header = _header(rows, *block.pop(0))
            _append(rows, header or [], block)
    if not _is_titled(rows, first, header or []):
        rows.blame_nameless(first, header or [])
    return rows


def _is_titled(rows: Rows, line: int, header: Sequence[str]) -> bool:
    """Whether a lone title stands above the header, so that every row has too many fields: one problem instead of all those."""
    if len(header) != 1 or not rows.lines or len(rows.damaged) < len(rows):
        return False
    message = f"is taken as the header and names one column, {shown(header[0])}, where every row below has more fields"
    rows.problems = [problem for problem in rows.problems if problem.kind != "field-count"]
    rows.problem(
        "nameless-columns", line, message, "remove it if it is a title, so that the names of the columns come first"
    )
    rows.columns.clear()
    return True


@contextmanager
def _long_fields() -> Iterator[None]:
    """Lift the limit of 131,072 characters that the csv module sets for all of Python on a field."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _blocks(rows: Rows, reader: Any) -> Iterator[Numbered]:
    """Rows with the line on which each begins, in blocks; blank lines passed over, lines with wrong quotes noted."""
    begins, more = 1, True
    while more:
        block: Numbered = []
        more = False
        try:
            for row in islice(reader, BLOCK):
                if row:
                    block.append((begins, row))
                begins = reader.line_num + 1
                more = True
        except csv.Error as error:
            message = _QUOTING.get(str(error), f"cannot be read ({error})")
            rows.problem("bad-quoting", begins, message, _QUOTING_REMEDY)
            rows.complete = False
            begins, more = reader.line_num + 1, True
        yield block


def _header(rows: Rows, line: int, names: Sequence[str]) -> list[str]:
    """The names of the columns: one without a name gets one, one that comes twice is a problem."""
    header = named(names)
    for name in sorted({name for name in header if header.count(name) > 1}):
        rows.problem(
            "repeated-column",
            line,
            f"names this column {header.count(name)} times",
            "give each column one name of its own",
            column=name,
        )
    for name in header:
        rows.columns.setdefault(name, [])
    return header


def _append(rows: Rows, header: list[str], block: Numbered) -> None:
    """Add a block, column by column; rows with a wrong number of fields are cut or filled and noted."""
    for position, (line, row) in enumerate(block):
        if len(row) != len(header):
            rows.damaged.add(len(rows) + position)
            _wrong_width(rows, line, row, header)
            row.extend([""] * (len(header) - len(row)))
    columns = zip(*[row[: len(header)] for _, row in block], strict=True)
    for name, values in dict(zip(header, columns, strict=False)).items():  # no columns where the block is empty
        rows.columns[name].extend(values)
    rows.lines.extend([line for line, _ in block])


def _wrong_width(rows: Rows, line: int, row: list[str], header: list[str]) -> None:
    few = len(row) < len(header)
    rows.problem(
        "field-count",
        line,
        f"has {plural(len(row), 'field')}, where the header has {len(header)}",
        "add the missing fields" if few else "enclose a field that holds the separator in quotes",
        value=shown(row[-1]),
    )


def write_csv(frame: pd.DataFrame, path: Path, delimiter: str = ",") -> None:
    """Text in quotes, so that every line end inside it survives; lists and mappings as JSON; a missing value as an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(list(frame.columns))
        for row in zip(*[plain(frame[name]) for name in frame.columns], strict=True):
            writer.writerow(["" if value is None else _cell(value) for value in row])


def write_tsv(frame: pd.DataFrame, path: Path) -> None:
    """As `write_csv`, with tabs between the fields."""
    write_csv(frame, path, delimiter="\t")


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value
