"""A table of the study: typed columns beside the line of every row, so that each rule can say where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from validate.errors import Problem
from validate.formats.reading import column as any_column
from validate.loading.cells import Labels
from validate.loading.layout import LABEL, REFERENCES, SCORE, Layout
from validate.schema import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the study with typed columns.

    Parameters
    ----------
    layout : Layout
    file : str
        The file's name as messages show it; "" for a table that the study does not have.
    lines : (n,) int64
    labels : dict of str to Labels
    texts : dict of str to list of str
    references : list of list of str
        Empty except for items.
    score : (n,) float64
        Empty for tables without scores.
    extras : dict of str to list
        Columns without a meaning here, as they were.
    sound : (n,) bool
        Rows without any problem so far.
    damaged : (n,) bool
        Rows that could be read only in part; nothing more is said about them.
    complete : bool
        Whether the absence of a label proves anything: False where rows or labels are lost.
    given : frozenset of str
        The columns with a meaning that the file has.
    """

    layout: Layout
    file: str
    lines: IntArray
    labels: dict[str, Labels]
    texts: dict[str, list[str]]
    references: list[list[str]]
    score: FloatArray
    extras: dict[str, list[Any]]
    sound: NDArray[np.bool_]
    damaged: NDArray[np.bool_]
    complete: bool
    given: frozenset[str]

    @property
    def exists(self) -> bool:
        """Whether the study has a file for this table."""
        return bool(self.file)

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return Path(self.file).name

    def __len__(self) -> int:
        return len(self.lines)

    def problem(self, row: int, kind: str, column: str, value: str, message: str, remedy: str) -> Problem:
        """What is wrong in a cell, with the line on which its row begins."""
        return Problem(kind, self.file, int(self.lines[row]), column, value, message, remedy)

    def problems(
        self, rows: Iterable[int], kind: str, column: str, describe: Callable[[int], tuple[str, str, str]]
    ) -> list[Problem]:
        """A problem for each of these rows that is not damaged anyhow; ``describe`` gives a row's value, message and remedy."""
        return [self.problem(row, kind, column, *describe(row)) for row in rows if not self.damaged[row]]

    def label(self, column: str, row: int) -> str:
        """The label in a cell."""
        found = self.labels[column]
        return found.names[found.codes[row]]

    def only(self, kept: NDArray[np.bool_]) -> Table:
        """The table with some of its rows."""
        if kept.all():
            return self
        rows = np.flatnonzero(kept).tolist()
        return replace(
            self,
            lines=self.lines[kept],
            labels={name: found.only(kept) for name, found in self.labels.items()},
            texts={name: [values[row] for row in rows] for name, values in self.texts.items()},
            references=[self.references[row] for row in rows] if self.references else [],
            score=self.score[kept] if len(self.score) else self.score,
            extras={name: [values[row] for row in rows] for name, values in self.extras.items()},
            sound=self.sound[kept],
            damaged=self.damaged[kept],
        )

    def frame(self) -> pd.DataFrame:
        """The public form: columns with a meaning first, then the others."""
        columns: dict[str, Any] = {}
        for column in self.layout.columns:
            if column.kind == LABEL:
                columns[column.name] = self.labels[column.name].series()
            elif column.kind == SCORE:
                columns[column.name] = self.score
            elif column.kind == REFERENCES:
                columns[column.name] = pd.Series(self.references, dtype=object)
            else:
                columns[column.name] = pd.Series(self.texts[column.name], dtype="str")
        columns |= {name: any_column(values) for name, values in self.extras.items()}
        return pd.DataFrame(columns)
