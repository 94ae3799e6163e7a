"""The files of a study folder: which are there, which stand in the way, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from validate.errors import Problem, listed
from validate.formats.fingerprint import Fingerprint, checksum
from validate.formats.reading import read_rows
from validate.loading import columns, settings
from validate.loading.layout import LAYOUTS, SUFFIXES, Layout
from validate.loading.tables import Table
from validate.schema import Settings

OTHER_FORMATS = (".json", ".ndjson", ".xlsx", ".xls", ".ods", ".txt", ".gz", ".zip", ".feather", ".arrow", ".pkl")
"""Formats in which a table may lie in the folder by mistake; a README or a backup is nobody's mistake."""


@dataclass(slots=True)
class Folder:
    """Everything that was read from a study folder.

    Parameters
    ----------
    path : Path
    settings : Settings
    tables : dict of str to Table
        All five; those without a file are empty.
    marks : dict of str to Fingerprint
        What the bytes of each table's file say, by the file's name.
    checksums : dict of str to str
        sha256 of every file that was read, study.toml included.
    unread : tuple of str
        Names of the other files in the folder that look like tables.
    problems : list of Problem
        What is wrong inside the single files.
    """

    path: Path
    settings: Settings = field(default_factory=Settings)
    tables: dict[str, Table] = field(default_factory=dict)
    marks: dict[str, Fingerprint] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)

    def blame(self, kind: str, name: str, message: str, remedy: str) -> None:
        """Note what is wrong with a file of the folder as a whole."""
        self.problems.append(Problem(kind, str(self.path / name), None, None, "", message, remedy))


def read(path: Path) -> Folder:
    """Read study.toml and the tables of a study folder."""
    folder = Folder(path)
    if not path.is_dir():
        folder.problems.append(_no_folder(path))
        folder.tables = {layout.name: columns.absent(layout) for layout in LAYOUTS}
        return folder
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        folder.blame("unreadable-file", "", f"cannot be read ({error.strerror})", "allow reading it")
        entries = []
    names = [entry.name for entry in entries if entry.is_file()]
    _blame_what_is_no_file(folder, [entry for entry in entries if not entry.is_file()])
    if settings.FILE in names:
        _read_settings(folder)
    chosen = {layout.name: _file_of(folder, layout, names) for layout in LAYOUTS}
    for layout in LAYOUTS:
        folder.tables[layout.name] = _table(folder, layout, chosen[layout.name])
    tabular = (*SUFFIXES, *OTHER_FORMATS)
    others = [name for name in names if name not in folder.checksums and not name.startswith(".")]
    folder.unread = tuple(name for name in others if Path(name).suffix.lower() in tabular)
    return folder


def _blame_what_is_no_file(folder: Folder, entries: list[Path]) -> None:
    """A folder, a link to nothing or a pipe under the name of a table: to pass it over would be to lose the table."""
    expected = {settings.FILE, *(layout.name + suffix for layout in LAYOUTS for suffix in SUFFIXES)}
    for entry in entries:
        if entry.name.lower() in expected:
            what = "is a folder" if entry.is_dir() else "is a link to nothing" if entry.is_symlink() else "is no file"
            remedy = "put the file there, or give this another name"
            folder.blame("no-file", entry.name, f"{what}, where a file is needed", remedy)


def _read_settings(folder: Folder) -> None:
    path = folder.path / settings.FILE
    try:
        folder.settings, problems = settings.read(path, str(path))
        folder.checksums[settings.FILE] = checksum(path)
    except OSError as error:
        folder.blame("unreadable-file", settings.FILE, f"cannot be read ({error.strerror})", "allow reading it")
    else:
        folder.problems += problems


def _no_folder(path: Path) -> Problem:
    if path.exists():
        message, remedy = "is a file, where a study folder is needed", f"give the folder it lies in: {path.parent}"
        return Problem("no-folder", str(path), None, None, "", message, remedy)
    siblings = [entry.name for entry in path.parent.iterdir() if entry.is_dir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, siblings, n=1, cutoff=0.6)
    hint = f"; did you mean {path.parent / near[0]}?" if near else ""
    remedy = "give the path of a study folder, or make one: accord init DIR --from FILE"
    return Problem("no-folder", str(path), None, None, "", f"is not there: there is no such folder{hint}", remedy)


def _file_of(folder: Folder, layout: Layout, names: list[str]) -> str | None:
    """The file of a table; a second one, or one in a format that a study cannot have, is a problem."""
    of_table = [name for name in names if name.split(".")[0].lower() == layout.name]
    readable = [name for name in of_table if name.lower().removeprefix(layout.name) in SUFFIXES]
    foreign = [name for name in of_table if Path(name).suffix.lower() in OTHER_FORMATS]
    if len(readable) > 1:
        message = f"the table {layout.name} is given {len(readable)} times: {listed(readable)}"
        folder.blame("two-formats", readable[1], message, "keep one of the files")
    if foreign and not readable:
        message = f"is in a format that a study cannot have; allowed: {', '.join(SUFFIXES)}"
        folder.blame(
            "unknown-format", foreign[0], message, "save it in one of these, or make a study of it: accord init"
        )
    return readable[0] if readable else None


def _table(folder: Folder, layout: Layout, name: str | None) -> Table:
    if name is None:
        return columns.absent(layout)
    try:
        rows, mark = read_rows(folder.path / name, str(folder.path / name))
    except OSError as error:
        folder.blame("unreadable-file", name, f"cannot be read ({error.strerror})", "allow reading it")
        return columns.absent(layout)
    table, problems = columns.build(layout, rows)
    folder.problems += problems
    folder.marks[name] = mark
    folder.checksums[name] = mark.sha256
    return table
