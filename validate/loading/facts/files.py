"""Facts about the files themselves."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from validate.errors import plural
from validate.formats.roles import role_of
from validate.loading.facts.wording import are, present
from validate.loading.folder import Folder
from validate.loading.layout import LABEL, LAYOUTS, SUFFIXES
from validate.loading.tables import Table
from validate.schema import Fact


def facts(folder: Folder) -> list[Fact]:
    """All facts of this room that are about something."""
    return present([byte_order_marks(folder), crlf_line_ends(folder), extra_columns(folder), unread_files(folder)])


def byte_order_marks(folder: Folder) -> Fact:
    """Files that begin with the UTF-8 mark that some editors write; it is passed over."""
    names = [name for name, mark in folder.marks.items() if mark.byte_order_mark]
    verb = "begins" if len(names) == 1 else "begin"
    text = f"{plural(len(names), 'file')} {verb} with a byte order mark, which is passed over: {', '.join(names)}"
    return Fact("byte-order-marks", len(names), text, "note", {"files": names})


def crlf_line_ends(folder: Folder) -> Fact:
    """Line ends of Windows, as every spreadsheet writes them: accepted, and kept inside quoted texts."""
    detail = {name: mark.n_crlf for name, mark in folder.marks.items() if mark.n_crlf and not name.endswith(".parquet")}
    total = sum(detail.values())
    text = f"{plural(len(detail), 'file')} with line ends of Windows (CRLF), which is fine"
    return Fact("crlf-line-ends", total, text, "note", detail)


def extra_columns(folder: Folder) -> Fact:
    """Columns without a meaning here, kept as metadata; those that mean something elsewhere are named with it.

    A label under another name is not among them, because that is a problem.
    """
    detail = {table.name: list(table.extras) for table in folder.tables.values() if table.extras}
    meant = [
        f"{name!r} in {table.name} may be meant as {role}"
        for table in folder.tables.values()
        for name in table.extras
        if (role := role_of(name)) in _may_be_absent(table) - table.given
    ]
    total = sum(len(names) for names in detail.values())
    described = "; ".join(f"{file}: {', '.join(names)}" for file, names in detail.items())
    text = f"{are(total, 'further column')} kept as metadata ({described})" + "".join(f"; {hint}" for hint in meant)
    return Fact("extra-columns", total, text, "warning" if meant else "note", detail)


def _may_be_absent(table: Table) -> set[str]:
    """The columns of texts that a file need not have."""
    return {column.name for column in table.layout.columns if column.kind != LABEL and not column.required}


def unread_files(folder: Folder) -> Fact:
    """Files in the folder that are none of the study's."""
    absent = [layout.name for layout in LAYOUTS if not folder.tables[layout.name].exists]
    meant = [
        f"{name} may be meant as {near[0]}{Path(name).suffix}"
        for name in folder.unread
        if Path(name).suffix.lower() in SUFFIXES
        and (near := get_close_matches(Path(name).stem.lower(), absent, n=1, cutoff=0.7))
    ]
    text = f"{are(len(folder.unread), 'file')} not read: {', '.join(folder.unread[:5])}" + "".join(
        f"; {hint}" for hint in meant
    )
    weight = "warning" if meant else "note"
    return Fact("unread-files", len(folder.unread), text, weight, {"files": list(folder.unread)})
