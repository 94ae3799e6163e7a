"""Which reader a file gets, and what its bytes say before it is parsed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from validate.errors import OptionError, Problem, StudyError, plural
from validate.formats import delimited, json_list, jsonl, parquet, xlsx
from validate.formats.fingerprint import BadBytes, Fingerprint, fingerprint
from validate.formats.rows import Rows

READERS: dict[str, Callable[[Path, str], Rows]] = {
    ".jsonl": jsonl.read,
    ".csv": delimited.read_csv,
    ".tsv": delimited.read_tsv,
    ".parquet": parquet.read,
    ".json": json_list.read,
    ".xlsx": xlsx.read,
}
BINARY = (".parquet", ".xlsx")

_AS_UTF8 = "save the file as UTF-8"


def read_rows(path: Path, file: str | None = None) -> tuple[Rows, Fingerprint]:
    """All rows of a file with everything that is wrong in it as a file, and what its bytes say.

    Parameters
    ----------
    path : Path
        Its suffix, in small or capital letters, names the format.
    file : str, optional
        The name that messages show; the path by default.
    """
    file = file or str(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        known = ", ".join(READERS)
        raise OptionError(f"{file}: is in a format that cannot be read; allowed: {known}; export it as one of these")
    mark = fingerprint(path)
    if suffix not in BINARY and mark.wide:
        problem = _wide(file, mark)
        return Rows(file, problems=[problem], complete=False), mark
    rows = READERS[suffix](path, file)
    if suffix not in BINARY and mark.bad:
        rows.problems.insert(0, _not_utf8(file, mark.bad))
        rows.damaged |= {bisect_right(rows.lines, bad.line) - 1 for bad in mark.bad} - {-1}
    if not rows.lines and not rows.problems:
        what = "has a header and no row" if rows.columns else "is empty"
        rows.problem("empty-file", None, what, "fill it, or remove it from the folder if the study has no such table")
        rows.complete = False
    return rows, mark


def _wide(file: str, mark: Fingerprint) -> Problem:
    return Problem(
        "not-utf-8", file, None, None, "", f"is no UTF-8 but looks like UTF-16 ({mark.n_bytes:,} bytes)", _AS_UTF8
    )


def _not_utf8(file: str, bad: Sequence[BadBytes]) -> Problem:
    """One problem for the whole file, because one remedy mends it: the first place, and how many lines are alike."""
    first, others = bad[0], len(bad) - 1
    message = f"is no UTF-8 at byte {first.byte} of the line"
    if others:
        message += f", nor {'is' if others == 1 else 'are'} {plural(others, 'line')} after it"
    remedy = f"{_AS_UTF8}; it may be in Latin-1 or Windows-1252"
    return Problem("not-utf-8", file, first.line, None, first.found.hex(" ").upper(), message, remedy)


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a CSV, TSV, JSONL, JSON (a list of objects), XLSX or Parquet file as it is: text stays text.

    Returns
    -------
    DataFrame
        One column a column of the file, None where a row has no value. CSV and TSV give text only: "007" stays "007".

    Raises
    ------
    StudyError
        With everything in the file that cannot be read, each with its line.
    OptionError
        When the suffix names no format that can be read.
    """
    path = Path(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise OptionError(f"{path}: {what}; a file is needed; give the path of a table")
    rows, _ = read_rows(path)
    if rows.problems:
        raise StudyError(str(path), rows.problems)
    return pd.DataFrame({name: column(values) for name, values in rows.columns.items()})


def column(values: list[Any]) -> pd.Series:
    """Values as a column of a type that changes none of them: ``[1, None]`` does not become 1.0 and NaN.

    >>> column([1, 2]).dtype, column([1, None]).tolist(), column(["007", "8"]).dtype
    (dtype('int64'), [1, None], <StringDtype(na_value=nan)>)
    """
    series = pd.Series(values, dtype=object)
    types = set(map(type, values))
    return series if type(None) in types and types != {str, type(None)} else series.infer_objects()
