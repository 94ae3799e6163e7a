"""What the tables of a study folder look like: the one place that names their columns."""

from __future__ import annotations

from dataclasses import dataclass

SUFFIXES = (".jsonl", ".csv", ".tsv", ".parquet")

LABEL, TEXT, REFERENCES, SCORE = "label", "text", "references", "score"

UNKNOWN_ANNOTATOR = "unknown"
"""The annotator of a judgment that names none. Data that say so themselves mean the same: who judged is not known."""

DEFAULT_CRITERION = "preference"
"""The criterion of a comparison that names none."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column with a meaning.

    Parameters
    ----------
    name : str
    kind : "label", "text", "references" or "score"
    default : str or None
        What a row without a value gets; None means that every row must have one.
    nullable : bool
        A score may be missing (NaN).
    """

    name: str
    kind: str = LABEL
    default: str | None = None
    nullable: bool = False

    @property
    def required(self) -> bool:
        """Whether the file must have this column."""
        return self.default is None and self.kind != REFERENCES


@dataclass(frozen=True, slots=True)
class Layout:
    """A table of the study folder.

    Parameters
    ----------
    name : str
        The file's name without its suffix.
    columns : tuple of Column
    key : tuple of str
        Columns that together may occur only once; empty where repetition is a fact and not a problem.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the label columns."""
        return tuple(column.name for column in self.columns if column.kind == LABEL)

    @property
    def system_columns(self) -> tuple[str, ...]:
        """The columns that name a system."""
        return tuple(name for name in self.labels if name.startswith("system"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns with a meaning."""
        return tuple(column.name for column in self.columns)


_ITEM, _SYSTEM = Column("item_id"), Column("system")
_ANNOTATOR = Column("annotator", default=UNKNOWN_ANNOTATOR)

LAYOUTS = (
    Layout("items", (_ITEM, Column("source", TEXT, default=""), Column("references", REFERENCES)), key=("item_id",)),
    Layout("outputs", (_ITEM, _SYSTEM, Column("output", TEXT)), key=("item_id", "system")),
    Layout("ratings", (_ITEM, _SYSTEM, _ANNOTATOR, Column("criterion"), Column("score", SCORE))),
    Layout(
        "comparisons",
        (
            _ITEM,
            Column("system_a"),
            Column("system_b"),
            _ANNOTATOR,
            Column("winner"),
            Column("criterion", default=DEFAULT_CRITERION),
        ),
    ),
    Layout(
        "metrics",
        (_ITEM, _SYSTEM, Column("metric"), Column("score", SCORE, nullable=True)),
        key=("item_id", "system", "metric"),
    ),
)
