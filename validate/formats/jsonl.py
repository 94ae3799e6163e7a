"""JSON Lines: one object a line, read with exact places and written one row a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice
from json.scanner import make_scanner
from pathlib import Path
from typing import Any

import pandas as pd

from validate.formats.rows import BLOCK, Rows, shown


class RepeatedKey(ValueError):
    """An object that gives a key twice; Python's parser would keep the last value without a word."""


def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of a JSON object as a mapping, each key once.

    Raises
    ------
    RepeatedKey
    """
    found = dict(members)
    if len(found) < len(members):
        keys = [key for key, _ in members]
        raise RepeatedKey(next(key for key in keys if keys.count(key) > 1))
    return found


# What raw_decode calls: one value and where it ends; StopIteration where none begins. (Typeshed has the argument wrong.)
_scan = make_scanner(json.JSONDecoder(object_pairs_hook=once))  # type: ignore[arg-type]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MEMBER = re.compile(r'("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?=\s*[,}]))')


def read(path: Path, file: str) -> Rows:
    """Every line that is an object; a line of white space is passed over, any other is a problem.

    Line ends are LF or CRLF; a byte order mark is passed over.
    """
    rows = Rows(file)
    number = 1
    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as lines:
        while block := list(islice(lines, BLOCK)):
            objects, numbers = _objects(rows, block, number)
            rows.extend(objects, numbers)
            number += len(block)
    return rows


def _objects(rows: Rows, block: list[str], number: int) -> tuple[list[dict[str, Any]], Iterable[int]]:
    """The objects of a block of lines and the lines they stand on."""
    text = "".join(block)
    if "\\u" in text and _SURROGATE.search(text):
        return _one_by_one(rows, block, number)
    try:
        decoded = [_scan(line, 0) for line in block]
    except (ValueError, RecursionError, StopIteration):
        return _one_by_one(rows, block, number)
    objects = [value for value, _ in decoded]
    tails = {line[end:] for line, (_, end) in zip(block, decoded, strict=True)}
    if set(map(type, objects)) != {dict} or "".join(tails).strip():
        return _one_by_one(rows, block, number)
    return objects, range(number, number + len(block))


def _one_by_one(rows: Rows, block: list[str], number: int) -> tuple[list[dict[str, Any]], list[int]]:
    """As `_objects`, where some line of the block may be none."""
    objects: list[dict[str, Any]] = []
    numbers = []
    for line_number, line in enumerate(block, start=number):
        if not line.strip():
            continue
        value = _object(rows, line, line_number)
        if value is None:
            rows.damaged.add(len(rows) + len(objects))
            value = _salvaged(line)
        objects.append(value)
        numbers.append(line_number)
    return objects, numbers


def _object(rows: Rows, line: str, number: int) -> dict[str, Any] | None:
    """The object on a line, or None with the problem noted."""
    found = shown(line.strip())
    try:
        value = json.loads(line, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        kind = "repeated-key" if isinstance(error, RepeatedKey) else "invalid-json"
        rows.problem(kind, number, *_what_is_wrong(line, error), value=found)
        return None
    if not isinstance(value, dict):
        message = f"is a JSON {_kind(value)}, where an object is needed"
        rows.problem("not-an-object", number, message, 'write {"column": value, …} on each line', value=found)
        return None
    if has_lone_surrogate(value):
        rows.problem("lone-surrogate", number, *LONE_SURROGATE, value=found)
        return None
    return value


LONE_SURROGATE = (
    "holds half of a character (a lone surrogate such as \\ud83d)",
    "the text was cut inside a character; cut it again by characters, or remove the half",
)


def has_lone_surrogate(value: object) -> bool:
    """Whether a text anywhere in a JSON value cannot be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _what_is_wrong(line: str, error: Exception) -> tuple[str, str]:
    """Message and remedy for a line that is no JSON."""
    if isinstance(error, RepeatedKey):
        return f"gives the key {shown(str(error))} twice", "keep one of both; only you know which is right"
    if not isinstance(error, json.JSONDecodeError):
        return "is JSON that nests too deep or holds a number too long", "write the line again"
    text = line.rstrip()
    if not text.endswith("}") and (error.pos >= len(text) or error.msg.startswith("Unterminated")):
        return "is cut off before its object ends", "the file was probably not written to its end; write it again"
    return (
        f"is no valid JSON ({error.msg.removesuffix(' at')} at character {error.pos + 1})",
        "write one JSON object on each line",
    )


def _kind(value: object) -> str:
    names = {list: "array", str: "string", bool: "literal", type(None): "null"}
    return names.get(type(value), "number")


def _salvaged(line: str) -> dict[str, Any]:
    """The complete simple members of a broken line: ``{"item_id": "7", "outp`` still names its item."""
    salvaged: dict[str, Any] = {}
    for member in _MEMBER.findall(line):
        try:
            key, value = map(json.loads, member)
        except ValueError:
            continue
        if not has_lone_surrogate([key, value]):
            salvaged.setdefault(key, value)
    return salvaged


def write(frame: pd.DataFrame, path: Path) -> None:
    """One object a row; a missing value is null."""
    names = list(frame.columns)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in zip(*[plain(frame[name]) for name in names], strict=True):
            file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=str) + "\n")


def plain(column: pd.Series) -> list[Any]:
    """A column as plain Python values, None where missing."""
    return [None if _is_missing(value) else value for value in column.tolist()]


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)
