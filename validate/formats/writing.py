"""A study folder is written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from validate.errors import ResultsError, bad_value
from validate.files import replace_folder
from validate.formats import delimited, jsonl, parquet

WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "jsonl": jsonl.write,
    "csv": delimited.write_csv,
    "tsv": delimited.write_tsv,
    "parquet": parquet.write,
}


def write_study(
    folder: Path | str,
    tables: Mapping[str, pd.DataFrame],
    *,
    settings: str = "",
    format: str = "jsonl",
    verify: Callable[[Path], object] | None = None,
) -> Path:
    """Write tables as a new study folder: everything into a folder beside it, which then gets its name in one step.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet, or an empty one.
    tables : mapping of str to DataFrame
        By name: items, outputs, ratings, comparisons, metrics. Empty frames get no file.
    settings : str
        The text of study.toml; no such file when it is empty.
    format : "jsonl", "csv", "tsv" or "parquet"
    verify : callable, optional
        Called with the complete folder before it gets its name; what it raises is passed on, and nothing is left.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ResultsError
        When the folder exists and holds anything.
    OptionError
        For a format that a study folder cannot have.
    """
    folder = Path(folder)
    if format not in WRITERS:
        raise bad_value("write_study", "format", format, ", ".join(WRITERS))
    refuse_filled(folder)
    with replace_folder(folder) as fresh:
        for name, frame in tables.items():
            if len(frame):
                WRITERS[format](frame, fresh / f"{name}.{format}")
        if settings:
            (fresh / "study.toml").write_text(settings, encoding="utf-8", newline="\n")
        if verify is not None:
            verify(fresh)
    return folder


def refuse_filled(folder: Path) -> None:
    """Raise unless the path is free or an empty folder."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        what = "a folder that holds files" if folder.is_dir() else "a file"
        raise ResultsError(
            f"{folder}: is {what} already; a study is written into a new or an empty folder; give another name, or remove it first"
        )
