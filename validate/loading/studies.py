"""The whole way from a folder to a checked study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from validate.errors import Problem, StudyError
from validate.formats.rows import Rows
from validate.loading import checks, columns, folder, settings
from validate.loading.facts import gather
from validate.loading.facts.labels import names
from validate.loading.folder import Folder
from validate.loading.intake import Understanding
from validate.loading.layout import LAYOUTS
from validate.loading.reshape import reshape
from validate.loading.tables import Table
from validate.schema import Fact, Settings, Study


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """What was found in a study folder.

    Parameters
    ----------
    study : Study or None
        None where there are problems.
    problems : tuple of Problem
        Every one, file by file and line by line.
    facts : tuple of Fact
        Where there are problems: of the rows that have none.
    settings : Settings
        What study.toml says, as far as it could be read.
    """

    study: Study | None
    problems: tuple[Problem, ...]
    facts: tuple[Fact, ...]
    settings: Settings = field(default_factory=Settings)


def load(path: Path | str) -> Study:
    """Read a study folder and check everything in it.

    Parameters
    ----------
    path : Path or str
        A folder with study.toml and items, outputs, ratings, comparisons and metrics in JSONL, CSV, TSV or Parquet; each
        file is optional, but there must be outputs or judgments.

    Returns
    -------
    Study
        Without an items file, ``items`` holds the ids that the other tables name, without source and references. Labels
        that were given as numbers are text: 7 and "7" are the same, "007" is another. A judgment without an annotator
        has the annotator "unknown", a comparison without a criterion the criterion "preference".

    Raises
    ------
    StudyError
        When anything is wrong, with every problem: file, line, column, value, what to do.
    """
    found = examine(path)
    if found.study is None:
        raise StudyError(str(path), found.problems)
    return found.study


def examine(path: Path | str) -> Examination:
    """Read a study folder and say all that is to be said about it, problems or not."""
    read = folder.read(Path(path))
    problems = in_order([*read.problems, *checks.problems(read)])
    sound = replace(read, tables={name: table.only(table.sound) for name, table in read.tables.items()})
    if not sound.tables["items"].exists:
        sound.tables["items"] = _items_of_the_others(sound)
    facts = gather(sound) if any(table.exists for table in sound.tables.values()) else ()
    return Examination(None if problems else _study(sound, facts), problems, facts, read.settings)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems in the order of the files (study.toml, then items, which others name, and so on) and of their lines.

    Those of a file as a whole come before those of its lines, and what is wrong on one line stays in its order.
    """
    places = {Path(settings.FILE).stem: 0} | {layout.name: place for place, layout in enumerate(LAYOUTS, start=1)}

    def place(problem: Problem) -> tuple[int, str, int]:
        return places.get(Path(problem.file).stem.lower(), -1), problem.file, problem.line or 0

    return tuple(sorted(problems, key=place))


def tables_of(rows: Rows, found: Understanding) -> dict[str, pd.DataFrame]:
    """The tables of a study that somebody else's table holds, checked like a study.

    Raises
    ------
    StudyError
        With every problem, on the lines and by the columns of the file that was given.
    """
    made = reshape(rows, found)
    new = Folder(Path(rows.file))
    for layout in LAYOUTS:
        if layout.name in made:
            new.tables[layout.name], problems = columns.build(layout, made[layout.name])
            new.problems += problems
        else:
            new.tables[layout.name] = columns.absent(layout)
    if every := in_order([*new.problems, *checks.problems(new)]):
        raise StudyError(rows.file, [replace(problem, column=_own_name(problem.column, found)) for problem in every])
    return {name: new.tables[name].frame() for name in made}


def _own_name(column: str | None, found: Understanding) -> str | None:
    """Columns of a study under the names that the given file has for them."""
    return column and ", ".join(found.column(role) or role for role in column.split(", "))


def _items_of_the_others(sound: Folder) -> Table:
    """A table of items with nothing but the ids that the other tables name."""
    ids = names(sound, "item")
    rows = Rows("", columns={"item_id": list(ids)}, lines=list(range(1, len(ids) + 1)))
    return columns.build(LAYOUTS[0], rows)[0]


def _study(sound: Folder, facts: tuple[Fact, ...]) -> Study:
    frames = {name: table.frame() for name, table in sound.tables.items()}
    return Study(
        path=sound.path,
        settings=sound.settings,
        items=frames["items"],
        outputs=frames["outputs"],
        ratings=frames["ratings"],
        comparisons=frames["comparisons"],
        metric_scores=frames["metrics"],
        systems=names(sound, "system"),
        criteria=names(sound, "criterion"),
        item_ids=names(sound, "item"),
        facts=facts,
        files=dict(sorted(sound.checksums.items())),
    )
