"""What can go wrong, as one tree.

    AccordError (ValueError)
    ├── StudyError             a study folder with problems; lists every one of them
    ├── OptionError            an option or name that does not exist, or a value outside what is allowed
    │   └── MissingModelError  a model that a metric needs is neither here nor to be fetched
    ├── ShapeError             lists or arrays whose shapes do not fit together
    ├── ResultsError           a results folder that cannot be read or must not be overwritten
    └── MissingExtraError      a library that an optional part needs is not installed

Every message says *who: what was got; what is allowed; what to do*.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

SHOWN_PER_KIND = 20
SHOWN_VALUES = 5


class AccordError(ValueError):
    """Base of every error that accord raises on purpose."""


class OptionError(AccordError):
    """An option or name that does not exist, or a value outside what is allowed."""


class ShapeError(AccordError):
    """Lists or arrays whose shapes do not fit together."""


class ResultsError(AccordError):
    """A results folder that cannot be read, or that must not be overwritten."""


class MissingExtraError(AccordError):
    """A library that an optional part needs is not installed."""

    def __init__(self, who: str, package: str, extra: str) -> None:
        super().__init__(
            f"{who}: the package {package!r} is not installed; it comes with accord's extra {extra!r}; "
            f"install accord with it: pip install '.[{extra}]' in accord's folder"
        )
        self.package = package
        self.extra = extra


class MissingModelError(OptionError):
    """A model that a metric needs is neither on this machine nor to be fetched."""


class AccordWarning(UserWarning):
    """What accord warns of: a result that stands, and says less than it seems to."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a study folder: where it stands, what was found, what to do.

    Parameters
    ----------
    kind : str
        Short stable name of the rule that was broken, such as ``"unknown-item"``; problems are grouped by it.
    file : str
        Path as the user gave it.
    line : int or None
        1-based line in the file (for CSV and TSV the line on which the row begins; for Parquet the row number); None when the file as a whole is meant.
    column : str or None
    value : str
        What was found there, shortened to something that fits on a line.
    message : str
        What is wrong, as a clause: "no such item in items.jsonl".
    remedy : str
        What to do about it.
    """

    kind: str
    file: str
    line: int | None
    column: str | None
    value: str
    message: str
    remedy: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        name = self.column or ""
        column = f" [{name if name.isprintable() else repr(name)}]" if name else ""
        value = f" {self.value}:" if self.value else ""
        return f"{place}{column}{value} {self.message}; {self.remedy}"


class StudyError(AccordError):
    """A study folder with problems. ``problems`` holds all of them, the message the first 20 of each kind.

    Parameters
    ----------
    path : str
        The study folder.
    problems : sequence of Problem
    """

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__(self.describe())

    def describe(self, shown_per_kind: int = SHOWN_PER_KIND) -> str:
        """All problems as readable lines, the first ``shown_per_kind`` of each kind and then a count."""
        head = f"{self.path}: {plural(len(self.problems), 'problem')}; nothing was written"
        return "\n".join([head, *problem_lines(self.problems, shown_per_kind)])


def problem_lines(problems: Iterable[Problem], shown_per_kind: int = SHOWN_PER_KIND) -> list[str]:
    """Problems as indented lines in the order given, the first ``shown_per_kind`` of each kind; then how many more there are."""
    seen: Counter[str] = Counter()
    lines = []
    for problem in problems:
        seen[problem.kind] += 1
        if seen[problem.kind] <= shown_per_kind:
            lines.append(f"  {problem}")
    return lines + [
        f"  … and {total - shown_per_kind:,} more of this kind ({kind})"
        for kind, total in seen.items()
        if total > shown_per_kind
    ]


def plural(count: int, noun: str, plural_noun: str | None = None) -> str:
    """``3 problems``, ``1 problem``."""
    return f"{count:,} {noun if count == 1 else plural_noun or noun + 's'}"


def listed(values: Collection[object], shown: int = SHOWN_VALUES) -> str:
    """At most ``shown`` values as text, then how many there are in all."""
    text = ", ".join(repr(value) for value in list(values)[:shown])
    return text if len(values) <= shown else f"{text}, … ({len(values):,} in all)"


def unknown_name(who: str, what: str, got: object, allowed: Iterable[str]) -> OptionError:
    """The error for a name that does not exist: the nearest right one and the whole list."""
    names = list(allowed)
    near = [name for name in names if name.lower() == str(got).lower()]
    near = near or difflib.get_close_matches(str(got), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return OptionError(f"{who}: there is no {what} {got!r}; {hint}allowed: {', '.join(names)}")


def bad_value(who: str, option: str, got: object, allowed: str) -> OptionError:
    """The error for an option whose value is outside what is allowed."""
    return OptionError(f"{who}: {option}={got!r} was given; allowed: {allowed}")
