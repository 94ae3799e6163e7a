"""Columns of plain values become columns of one type, and each cell that does not fit is named.

A whole column is converted at once; only where that fails are its cells looked at one by one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from validate.formats.rows import shown
from validate.schema import FloatArray, IntArray

LARGEST = 1e150
"""Scores beyond this are refused: their squares, and with them variances and correlations, would leave float64."""

STRING = pa.large_string()
NUL = "\0"

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*|\s*[+-]?(nan|inf(inity)?)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A cell that does not fit: its row, and the parts of a `Problem` that the cell knows."""

    row: int
    kind: str
    value: str
    message: str
    remedy: str


class Unfit(Exception):
    """Raised for one value that does not fit; its arguments are kind, message and remedy."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels as codes into their distinct names in the order of first occurrence; -1 where a row has none.

    ``n_numbers`` counts the cells that held a number and became text, ``n_filled`` those that were empty and got the default.
    """

    codes: IntArray
    names: tuple[str, ...]
    n_numbers: int = 0
    n_filled: int = 0

    def codes_in(self, names: Sequence[str]) -> IntArray:
        """(n,) the same labels as codes into other names; -1 for those that are not among them."""
        place = {name: code for code, name in enumerate(names)}
        return np.array([*(place.get(name, -1) for name in self.names), -1], dtype=np.int64)[self.codes]

    def where(self, truth: Callable[[str], bool]) -> NDArray[np.bool_]:
        """(n,) whether each row's label is one for which this is true; False where it has none."""
        return np.array([*map(truth, self.names), False], dtype=bool)[self.codes]

    def only(self, kept: NDArray[Any]) -> Labels:
        """The labels of some rows, with the names that occur in them."""
        names = [None if name != name else name for name in self.series()[kept].tolist()]
        return replace(_encoded(names), n_numbers=self.n_numbers, n_filled=self.n_filled)

    def series(self) -> pd.Series:
        """The labels as a column of strings, NaN where a row has none."""
        indices = pa.array(self.codes, mask=self.codes < 0)
        return pa.array(self.names, STRING).take(indices).to_pandas()


def _encoded(values: list[str | None]) -> Labels:
    encoded = pa.array(values, STRING).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    return Labels(codes, tuple(encoded.dictionary.to_pylist()))


def labels(values: list[Any], default: str | None) -> tuple[Labels, list[Fault]]:
    """Labels as text: 7 becomes "7". A row without one, or with a blank one, gets the default or is a fault."""
    faults: list[Fault] = []
    try:
        found = _encoded(values)
    except pa.ArrowException:
        numbers = sum(_is_number(value) and not _is_missing(value) for value in values)
        fitting, faults = _one_by_one(values, _label, None)
        found = replace(_encoded(fitting), n_numbers=numbers)
    found = _without_blanks(found)
    if default is not None:
        found = _filled(found, default)
    else:
        unfit = {fault.row for fault in faults}
        faults += [_no_value(row) for row in np.flatnonzero(found.codes < 0).tolist() if row not in unfit]
    with_nul = np.flatnonzero(found.where(lambda name: NUL in name)).tolist()
    faults += [_nul(row, found.names[found.codes[row]]) for row in with_nul]
    return found, faults


def _without_blanks(found: Labels) -> Labels:
    """A label of nothing but white space is none."""
    if all(name.strip() for name in found.names):
        return found
    names = [name for name in found.names if name.strip()]
    return replace(found, codes=found.codes_in(names), names=tuple(names))


def _filled(found: Labels, default: str) -> Labels:
    empty = found.codes < 0
    if not empty.any():
        return found
    names = found.names if default in found.names else (*found.names, default)
    codes = np.where(empty, names.index(default), found.codes)
    return replace(found, codes=codes, names=names, n_filled=int(empty.sum()))


def texts(values: list[Any], default: str | None) -> tuple[list[str], list[Fault]]:
    """Texts as they are; a row without one gets the default or is a fault."""
    if set(map(type, values)) <= {str}:
        return values, []
    return _one_by_one([default if _is_missing(value) else value for value in values], _text, "")


def scores(values: list[Any], textual: bool, nullable: bool) -> tuple[FloatArray, list[Fault]]:
    """Scores as float64; where they may be missing, no value and NaN are NaN."""
    if textual:
        values = [value if value.strip() else None for value in values]
    faults: list[Fault] = []
    try:
        array = _numbers_at_once(values, textual)
    except (pa.ArrowException, OverflowError, TypeError):
        fitting, faults = _one_by_one(values, _numeric if textual else _number, math.nan, missing=math.nan)
        array = np.array(fitting, dtype=np.float64)
    unfit = {fault.row for fault in faults}
    wrong = np.abs(array) > LARGEST if nullable else ~(np.abs(array) <= LARGEST)
    faults += [_no_score(row, values[row], array[row]) for row in np.flatnonzero(wrong).tolist() if row not in unfit]
    return np.where(wrong, np.nan, array), faults


def _numbers_at_once(values: list[Any], textual: bool) -> FloatArray:
    if textual:
        return pa.array(values, STRING).cast(pa.float64()).to_numpy(zero_copy_only=False)
    if not set(map(type, values)) <= {int, float, type(None)}:
        raise TypeError("not all numbers")
    return np.array(values, dtype=np.float64)  # None becomes NaN


def references(values: list[Any], textual: bool) -> tuple[list[list[str]], list[Fault]]:
    """Lists of reference texts; no value is an empty list. In CSV and TSV a cell holds a JSON list."""
    if textual:
        values = [None if isinstance(value, str) and not value.strip() else value for value in values]
        return _one_by_one(values, _json_references, [], missing=[])
    lists = [[] if _is_missing(value) else value for value in values]
    if set(map(type, lists)) <= {list} and set(map(type, chain.from_iterable(lists))) <= {str}:
        return lists, []
    return _one_by_one(lists, _references, [])


def gathered(columns: Iterable[list[Any]], textual: bool) -> tuple[list[list[str]], list[Fault]]:
    """References that stand in columns of their own, one a column; an empty cell of a CSV or TSV is no reference."""
    rows = [
        [cell for cell in row if not (_is_missing(cell) or (textual and cell == ""))]
        for row in zip(*columns, strict=True)
    ]
    return references(rows, textual=False)


def _one_by_one(
    values: Sequence[Any], convert: Callable[[Any], Any], unfit: Any, *, missing: Any = None
) -> tuple[list[Any], list[Fault]]:
    """Convert each value; those that do not fit become ``unfit`` and a fault, those that are missing ``missing``."""
    converted, faults = [], []
    for row, value in enumerate(values):
        if value is None and missing is not None:
            converted.append(missing)
            continue
        try:
            converted.append(convert(value))
        except Unfit as problem:
            kind, message, remedy = problem.args
            faults.append(Fault(row, kind, "" if value is None else shown(value), message, remedy))
            converted.append(unfit)
    return converted, faults


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_number(value: Any) -> bool:
    """Whether a plain value is a number; True and False are none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _label(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    if isinstance(value, float) and not math.isinf(value):
        return None if math.isnan(value) else str(int(value)) if value.is_integer() else repr(value)
    raise Unfit("wrong-type", f"is {_type_name(value)}, where a name is needed", "write it as text, in quotes")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        raise Unfit("no-value", "has no text", 'write "" for an empty one, or leave the row out')
    raise Unfit("wrong-type", f"is {_type_name(value)}, where a text is needed", "write it as text, in quotes")


def _number(value: Any) -> float:
    if _is_number(value):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    quoted = isinstance(value, str) and _NUMBER.fullmatch(value)
    remedy = "write it without the quotes" if quoted else "write a number, or leave the row out"
    raise Unfit("score-not-a-number", f"is {_type_name(value)}, where a number is needed", remedy)


def _numeric(value: str) -> float:
    if _NUMBER.fullmatch(value):
        return float(value)
    comma = _NUMBER.fullmatch(value.replace(",", "."))
    remedy = "use a decimal point" if comma else "write a number, or leave the row out"
    raise Unfit("score-not-a-number", "is not a number", remedy)


def _references(value: Any) -> list[str]:
    if not isinstance(value, list):
        message = f"is {_type_name(value)}, where a list of texts is needed"
        raise Unfit("wrong-type", message, 'write a list also for one reference: ["…"]')
    for place, text in enumerate(value, start=1):
        if not isinstance(text, str):
            message = f"has {_type_name(text)} as reference {place}, where a text is needed"
            raise Unfit("wrong-type", message, "write each reference as text, in quotes")
    return value


def _json_references(value: Any) -> list[str]:
    if not isinstance(value, str):
        return _references(value)
    try:
        parsed = json.loads(value)
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        remedy = 'write ["…", "…"], or name the column reference for plain text (reference_2 for a second)'
        raise Unfit("wrong-type", "is no JSON list", remedy) from None
    return _references(parsed)


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return "a number"
    names: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), f"a {type(value).__name__}")


def _no_value(row: int) -> Fault:
    return Fault(row, "no-value", "", "has no value", "fill it in, or leave the row out")


def _nul(row: int, name: str) -> Fault:
    return Fault(
        row, "nul-in-label", shown(name), "holds a NUL byte", "remove it; a name must be readable in every tool"
    )


def _no_score(row: int, value: object, score: float) -> Fault:
    """What is wrong with a number that is no score."""
    if _is_missing(value) and not isinstance(value, float):
        return _no_value(row)
    if math.isfinite(score) or type(value) is int:
        message = f"is too large to compute with; {LARGEST:g} is the limit"
        return Fault(row, "score-too-large", shown(value), message, "rescale the scores, or take their logarithms")
    return Fault(row, "score-not-finite", shown(value), "is not finite", "write a number, or leave the row out")
