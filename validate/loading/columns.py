"""The rows of a file become a table: its columns are found and typed, and every cell that does not fit is named."""

from __future__ import annotations

import re
from difflib import get_close_matches

import numpy as np

from validate.errors import Problem, listed
from validate.formats.roles import normal, with_role
from validate.formats.rows import Rows
from validate.loading import cells
from validate.loading.cells import Fault, Labels
from validate.loading.layout import LABEL, REFERENCES, SCORE, TEXT, Column, Layout
from validate.loading.tables import Table
from validate.schema import FloatArray

CERTAIN, LIKELY = 0.85, 0.6
"""How alike two names must be (difflib's ratio) for one to be taken as the other misspelt: where the column may be absent, where not."""

_NUMBERED = re.compile(r"reference(?:_(\d+))?")


def absent(layout: Layout) -> Table:
    """The table of a file that the study does not have."""
    return build(layout, Rows(""))[0]


def build(layout: Layout, rows: Rows) -> tuple[Table, list[Problem]]:
    """Type the columns of a file's rows; all that does not fit becomes problems, in the order of the lines.

    The rows are used up: their columns are taken out one by one, so that they are not in memory twice.
    """
    misnamed = _wrong_columns(layout, rows)
    given = frozenset(["references"] if _numbered(rows) else []) | (rows.columns.keys() & set(layout.names))
    typing = _Typing(layout, rows)
    damaged = np.zeros(len(rows), dtype=bool)
    damaged[list(rows.damaged)] = True
    sound = ~damaged
    sound[[fault.row for _, fault in typing.faults]] = False
    table = Table(
        layout=layout,
        file=rows.file,
        lines=np.array(rows.lines, dtype=np.int64),
        labels=typing.labels,
        texts=typing.texts,
        references=typing.references,
        score=typing.score,
        extras=rows.columns,
        sound=sound & (not (typing.lost or any(problem.kind == "misnamed-column" for problem in misnamed))),
        damaged=damaged,
        complete=rows.complete and typing.tells_all(damaged),
        given=given,
    )
    faulty = [
        table.problem(fault.row, fault.kind, column, fault.value, fault.message, fault.remedy)
        for column, fault in typing.faults
        if not damaged[fault.row]
    ]
    return table, sorted([*rows.problems, *misnamed, *faulty], key=lambda problem: problem.line or 0)


class _Typing:
    """The typed columns of some rows, and the cells that did not fit, each with the name of its column."""

    def __init__(self, layout: Layout, rows: Rows) -> None:
        self.rows = rows
        self.key = layout.key
        self.labels: dict[str, Labels] = {}
        self.texts: dict[str, list[str]] = {}
        self.references: list[list[str]] = []
        self.score: FloatArray = np.empty(0)
        self.faults: list[tuple[str, Fault]] = []
        self.lost = False
        kinds = {LABEL: self._add_label, TEXT: self._add_text, SCORE: self._add_score, REFERENCES: self._add_references}
        for column in layout.columns:
            self.lost |= column.required and column.name not in rows.columns
            kinds[column.kind](column)

    def _take(self, column: Column) -> list[object]:
        return self.rows.columns.pop(column.name, None) or [None] * len(self.rows)

    def _blame(self, column: str, faults: list[Fault]) -> None:
        self.faults += [(column, fault) for fault in faults]

    def _add_label(self, column: Column) -> None:
        here = column.name in self.rows.columns
        self.labels[column.name], faults = cells.labels(self._take(column), column.default)
        self._blame(column.name, faults if here else [])  # that the column is missing is said once, not in every row

    def _add_text(self, column: Column) -> None:
        here = column.name in self.rows.columns
        self.texts[column.name], faults = cells.texts(self._take(column), column.default)
        self._blame(column.name, faults if here else [])

    def _add_score(self, column: Column) -> None:
        if column.name in self.rows.columns:
            self.score, faults = cells.scores(self._take(column), self.rows.textual, column.nullable)
            self._blame(column.name, faults)
        else:
            self.score = np.full(len(self.rows), np.nan)

    def _add_references(self, column: Column) -> None:
        numbered = _numbered(self.rows)
        if numbered:
            lists = [self.rows.columns.pop(name) for name in numbered]
            self.references, faults = cells.gathered(lists, self.rows.textual)
        else:
            self.references, faults = cells.references(self._take(column), self.rows.textual)
        self._blame(numbered[0] if numbered else column.name, faults)

    def tells_all(self, damaged: np.ndarray) -> bool:
        """Whether every row's key could be read, so that what is not here was not in the file."""
        keys = [self.labels[name] for name in self.key]
        broken = [found.where(lambda name: "\ufffd" in name) & damaged for found in keys]
        return all((found.codes >= 0).all() for found in keys) and not any(rows.any() for rows in broken)


def _numbered(rows: Rows) -> list[str]:
    """The columns reference, reference_2, … in the order of their numbers."""
    found = {name: match for name in rows.columns if (match := _NUMBERED.fullmatch(name))}
    return sorted(found, key=lambda name: int(found[name][1] or 1))


def _wrong_columns(layout: Layout, rows: Rows) -> list[Problem]:
    """Columns that are missing, each with the column that may be meant; references given in two ways."""
    if len(rows.damaged) == len(rows) and not (rows.textual and rows.columns):
        return []  # nothing sound says which columns there are
    line = 1 if rows.textual else None
    numbered = _numbered(rows) if "references" in layout.names else []
    others = [name for name in rows.columns if name not in (*layout.names, *numbered)]
    problems = []
    if numbered and "references" in rows.columns:
        message = f"references are given in a list and in columns of their own ({listed(numbered)})"
        problems.append(Problem("references-twice", rows.file, line, "references", "", message, "keep one of both"))
    for column in layout.columns:
        if column.name in rows.columns or (column.kind == REFERENCES and numbered):
            continue
        near = _nearest(column, others)
        if near is not None:
            others.remove(near)
            message = f"column {near!r} is not known; did you mean {column.name}?"
            problems.append(
                Problem("misnamed-column", rows.file, line, near, "", message, f"rename it to {column.name}")
            )
        elif column.required:
            here = (
                f"the columns are {listed(list(rows.columns))}" if rows.columns else "its rows have no columns at all"
            )
            message = f"there is no column {column.name!r}; {here}"
            problems.append(Problem("missing-column", rows.file, line, column.name, "", message, "add it"))
    return problems


def _nearest(column: Column, names: list[str]) -> str | None:
    """The name that is this column misspelt, or one that means the same.

    A column of labels is looked for by its other names even where it may be absent: three raters under the name of none
    would be taken as repetitions of one.
    """
    forms = {normal(name): name for name in names}
    near = get_close_matches(column.name, forms, n=1, cutoff=LIKELY if column.required else CERTAIN)
    same = with_role(column.name, names) if column.required or column.kind == LABEL else []
    return next(iter([*(forms[form] for form in near), *same]), None)
