"""What every reader hands over: columns of plain values, the line of each row, and what could not be read.

A row that is damaged (a truncated line, a field too many) stays in with what could be read of it, so that the checks
that follow do not blame other files for its absence; the study is refused anyhow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from validate.errors import Problem, listed

BLOCK = 256
"""Rows that are turned into columns at once. Few enough that Python's cycle collector never walks a block twice: blocks of
16,384 rows take three times as long."""

SHOWN_CHARACTERS = 60

_UNNAMED = re.compile(r"unnamed_\d+")


def shown(value: object) -> str:
    """A value as it is quoted in a message: ``repr``, cut to something that fits on a line.

    >>> shown("a" * 80)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'"
    >>> shown(7)
    '7'
    """
    if isinstance(value, str):
        cut = value if len(value) <= SHOWN_CHARACTERS else value[: SHOWN_CHARACTERS - 3] + "…"
        return repr(cut)
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def named(names: Sequence[object]) -> list[str]:
    """The names of a header; one that is blank becomes ``unnamed_3``, after its place.

    >>> named(["id", "", None])
    ['id', 'unnamed_2', 'unnamed_3']
    """
    texts = ["" if name is None else str(name) for name in names]
    return [text if text.strip() else f"unnamed_{place}" for place, text in enumerate(texts, start=1)]


@dataclass(slots=True)
class Rows:
    """The rows of one file, column by column, in the order of the file.

    Parameters
    ----------
    file : str
        The file's name as messages show it.
    columns : dict of str to list
        Equal lengths; None where a row has no such value. Insertion order is the order of first occurrence.
    lines : list of int
        1-based line on which each row begins (Parquet and spreadsheets: the row).
    textual : bool
        Every value is text because the format has nothing else (CSV, TSV); an empty cell then means "no value" wherever
        a label or a number is expected.
    problems : list of Problem
    damaged : set of int
        Positions of rows of which only a part could be read.
    complete : bool
        False where rows are lost altogether: what is not in here may still have been in the file.
    """

    file: str
    textual: bool = False
    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    damaged: set[int] = field(default_factory=set)
    complete: bool = True

    def __len__(self) -> int:
        return len(self.lines)

    def extend(self, rows: Sequence[Mapping[str, Any]], lines: Iterable[int]) -> None:
        """Append rows that are mappings; columns that are new are None in all rows before."""
        layouts = dict.fromkeys(map(tuple, rows))
        for name in dict.fromkeys(chain.from_iterable(layouts)):
            if name not in self.columns:
                self.columns[name] = [None] * len(self)
        if list(layouts) == [tuple(self.columns)]:  # by far the most usual: every row has all columns in one order
            blocks: Iterable[Sequence[Any]] = zip(*[row.values() for row in rows], strict=True)
        else:
            blocks = [[row.get(name) for row in rows] for name in self.columns]
        for values, more in zip(self.columns.values(), blocks, strict=True):
            values.extend(more)
        self.lines.extend(lines)

    def problem(
        self,
        kind: str,
        line: int | None,
        message: str,
        remedy: str,
        *,
        column: str | None = None,
        value: str = "",
    ) -> None:
        """Note something that is wrong with this file."""
        self.problems.append(Problem(kind, self.file, line, column, value, message, remedy))

    def blame_nameless(self, line: int, header: Sequence[str]) -> None:
        """A problem where columns hold values under no name, because the row taken as the header may be a title.

        One that stands first among several names is passed over: many programs write their row numbers so.
        """
        names = [name for name in header if not _UNNAMED.fullmatch(name)]
        filled = [
            name
            for name in header
            if _UNNAMED.fullmatch(name) and any(value not in (None, "") for value in self.columns.get(name, ()))
        ]
        if not filled or (filled == ["unnamed_1"] and names):
            return
        message = (
            f"is taken as the header and names {len(names)} of the {len(names) + len(filled)} columns with values: "
            f"{listed(names) or 'none'}"
        )
        remedy = "remove it if it is a title, so that the names of the columns come first; else name every column"
        self.problem("nameless-columns", line, message, remedy)
