"""The record of a table: its words and rounded numbers, nothing about how it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from validate.errors import ShapeError


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading and what stands below it.

    ``kind`` is ``"name"`` (the row's heading), ``"text"``, ``"number"`` or ``"meter"`` (a number between 0 and 1 with a bar),
    ``"word"`` (one word or two, which need little room), ``"code"`` (signatures and hashes) or ``"prose"`` (clauses, which need room).
    """

    label: str
    kind: str = "text"


def text(label: str) -> Column:
    """A column of words."""
    return Column(label, "text")


def number(label: str) -> Column:
    """A column of numbers."""
    return Column(label, "number")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report.

    Parameters
    ----------
    caption : str
        What it shows, as a title.
    columns : sequence of Column
    rows : sequence of sequence of str
        Cells are strings, names or quantities (`validate.report.numbers.Quantity`), one a column.
    note : str or Markup
        Below the table: how to read it, what was left out.
    marked : set of int
        Rows that stand out; the reason stands in a cell, since colour alone says nothing.
    sortable : bool
        Whether a reader may want another order.
    """

    caption: str | Markup
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    note: str | Markup = ""
    marked: frozenset[int] = field(default_factory=frozenset)
    sortable: bool = False

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows} - {len(self.columns)}
        if widths:
            raise ShapeError(
                f"Table {self.caption!r}: rows of {sorted(widths)} cells were given; {len(self.columns)} cells are allowed; give one a column"
            )

    def __bool__(self) -> bool:
        return bool(self.rows)


def without_empty(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> tuple[list[Column], list[list[str]]]:
    """Columns and rows without the columns in which no row says anything: all empty, or nothing but zeros."""
    listed = [list(row) for row in rows]
    kept = [
        j
        for j in range(len(columns))
        if columns[j].kind == "name" or any(row[j] not in ("", "–", "0") for row in listed)
    ]
    return [columns[j] for j in kept], [[row[j] for j in kept] for row in listed]
