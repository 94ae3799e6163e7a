"""Parquet, through pyarrow. A "line" is the 1-based number of the row."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from validate.formats.rows import Rows


def read(path: Path, file: str) -> Rows:
    """All columns as plain values; the index that pandas may have stored is passed over."""
    rows = Rows(file)
    try:
        # ParquetFile reads this one file; read_table would also take partition names out of the path.
        table = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        rows.problem("unreadable-file", None, f"is no readable Parquet file ({reason})", "write the file again")
        rows.complete = False
        return rows
    for name in sorted({name for name in table.column_names if table.column_names.count(name) > 1}):
        rows.problem(
            "repeated-column", None, "occurs more than once", "give each column one name of its own", column=name
        )
    for position, name in enumerate(table.column_names):
        if not name.startswith("__index_level_"):
            rows.columns[name] = table.column(position).to_pylist()
    rows.lines = list(range(1, table.num_rows + 1))
    return rows


def write(frame: pd.DataFrame, path: Path) -> None:
    """All columns without an index; a column that Parquet has no type for is an error of pyarrow's."""
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
