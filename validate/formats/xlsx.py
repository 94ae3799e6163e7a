"""Excel workbooks: the first sheet that holds anything, through openpyxl. Read only."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from validate.errors import listed
from validate.formats.rows import Rows, named, shown

FULL_CELL = 32_767
"""Excel's limit of characters in a cell; longer texts are cut off there without a word."""


def read(path: Path, file: str) -> Rows:
    """Rows under the header in the first row that is not empty; "line" is the row in the sheet.

    A second sheet with cells, a cell that holds an Excel error, and a text that Excel cut off are problems.
    """
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    rows = Rows(file)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError) as error:
        rows.problem("unreadable-file", None, f"is no readable workbook ({error})", "save it again as .xlsx or .csv")
        return rows
    try:
        filled = [(sheet.title, cells) for sheet in book.worksheets if (cells := list(_cells(sheet)))]
    finally:
        book.close()
    if len(filled) > 1:
        names = listed([title for title, _ in filled])
        rows.problem("several-sheets", None, f"has several sheets with cells: {names}", "keep one sheet in the file")
    if filled:
        _fill(rows, filled[0][1])
    return rows


def _cells(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet that are not empty, each with its number."""
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if any(cell.value is not None for cell in row):
            yield number, [_Failed(cell.value) if cell.data_type == "e" else cell.value for cell in row]


class _Failed(str):
    """The text of a cell in which Excel shows an error."""


def _fill(rows: Rows, cells: list[tuple[int, list[Any]]]) -> None:
    _, names = cells[0]
    header = named(names)
    for name in sorted({name for name in header if header.count(name) > 1}):
        rows.problem("repeated-column", cells[0][0], "occurs more than once", "give each column one name", column=name)
    rows.columns = {name: [] for name in header}
    objects = [dict(zip(header, values, strict=False)) for _, values in cells[1:]]
    rows.extend(objects, [number for number, _ in cells[1:]])
    rows.blame_nameless(cells[0][0], header)
    for name in [name for name in header if name.startswith("unnamed_")]:
        if all(value is None for value in rows.columns[name]):
            del rows.columns[name]
    for name, values in rows.columns.items():
        for line, value in zip(rows.lines, values, strict=True):
            _check_cell(rows, line, name, value)


def _check_cell(rows: Rows, line: int, column: str, value: object) -> None:
    if isinstance(value, _Failed):
        remedy = "a text that begins with = was read as a formula; set the cells to Text before pasting"
        rows.problem("spreadsheet-error", line, "is an error of the spreadsheet", remedy, column=column, value=value)
    elif isinstance(value, str) and len(value) >= FULL_CELL:
        message = f"fills a cell to Excel's limit of {FULL_CELL:,} characters, so its end was cut off"
        rows.problem(
            "cut-off-text", line, message, "export as CSV or JSON Lines instead", column=column, value=shown(value)
        )
