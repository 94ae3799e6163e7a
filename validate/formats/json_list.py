"""JSON: one list of objects, as many tools export. Read only; a study folder uses JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

from validate.formats.jsonl import LONE_SURROGATE, RepeatedKey, has_lone_surrogate, once
from validate.formats.rows import Rows, shown


def read(path: Path, file: str) -> Rows:
    """The objects of the list; "line" is the 1-based place in the list."""
    rows = Rows(file)
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"), object_pairs_hook=once)
    except RepeatedKey as error:
        message = f"has an object that gives the key {shown(str(error))} twice"
        rows.problem("repeated-key", None, message, "keep one of both; only you know which is right")
        return rows
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        rows.problem("invalid-json", line, f"is no valid JSON ({error})", "write a list of objects, or JSON Lines")
        return rows
    if not isinstance(value, list):
        rows.problem(
            "not-a-list",
            None,
            "holds one JSON value that is no list, where a list of objects is needed",
            'write [{"column": value, …}, …], or JSON Lines',
            value=shown(value),
        )
        return rows
    objects = [(place, element) for place, element in enumerate(value, start=1) if _is_fit(rows, place, element)]
    rows.extend([element for _, element in objects], [place for place, _ in objects])
    return rows


def _is_fit(rows: Rows, place: int, element: object) -> bool:
    """Whether an element of the list is a row; if not, the problem is noted."""
    if not isinstance(element, dict):
        message = "is no object; the list must hold one object a row"
        rows.problem("not-an-object", place, message, "write {…} for each row", value=shown(element))
        return False
    if has_lone_surrogate(element):
        rows.problem("lone-surrogate", place, *LONE_SURROGATE, value=shown(element))
        return False
    return True
