"""Files of other tools in, study folders out: one file a format.

A reader takes a path and the name to show in messages, and gives `Rows`; a writer takes a frame and a path. A new format
is one file with either or both, and a line in `reading.READERS` or `writing.WRITERS`.
"""

from __future__ import annotations

from validate.formats.reading import READERS, read_rows, read_table
from validate.formats.writing import WRITERS, write_study

__all__ = ["READERS", "WRITERS", "read_rows", "read_table", "write_study"]
