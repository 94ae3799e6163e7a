"""JSON texts as values: read strictly, and how much two values have in common."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import numpy as np

INVALID: Final = object()
"""What a text that is no JSON is read as; None is the JSON value null."""

MAX_DEPTH = 128
"""Levels of nesting beyond which a text is not read: deeper ones would exhaust Python's stack, and no one writes them on purpose."""

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)

Key = Callable[[Any], object]
"""A value that is neither object nor list, as what is compared: equal keys, equal values."""


def read(text: str, *, fences: bool = False, exact: bool = False) -> Any:
    """The value of a JSON text by RFC 8259, or INVALID; ``NaN`` and ``Infinity`` are no JSON, a byte order mark is passed over.

    Parameters
    ----------
    text : str
    fences : bool
        Where the text holds a fenced block (three backticks, as models write it), the first one is read and the rest ignored.
    exact : bool
        Numbers as `Decimal`, as they are written; else as int and float.

    Notes
    -----
    Of a repeated key the last value counts, as in most parsers. JSON nested deeper than `MAX_DEPTH` is taken as invalid.

    Examples
    --------
    >>> read('Sure: ```json\\n{"a": [1]}\\n```', fences=True), read("NaN") is INVALID
    ({'a': [1]}, True)
    """
    block = _FENCE.search(text) if fences else None
    text = (block[1] if block else text).removeprefix("\ufeff")
    kinds: dict[str, Any] = (
        {"parse_int": _decimal, "parse_float": _decimal}
        if exact
        else {"parse_int": lambda digits: int(Decimal(digits))}
    )
    try:
        value = json.loads(text, parse_constant=_refuse, **kinds)
    except (json.JSONDecodeError, RecursionError, _NotJson):
        return INVALID
    deep = text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(value)
    return INVALID if deep else value


class _NotJson(Exception):
    """A constant that Python reads and JSON has not."""


def _refuse(constant: str) -> None:
    raise _NotJson(constant)


def _too_deep(value: Any) -> bool:
    """Level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            part for whole in level if _holds(whole) for part in (whole.values() if isinstance(whole, dict) else whole)
        ]
        if not level:
            return False
    return True


def _decimal(digits: str) -> Decimal:
    """The number as written; beyond any exponent that fits in a machine word it is infinite, or zero."""
    try:
        return Decimal(digits)
    except InvalidOperation:
        huge = "-" not in digits[1:]
        return Decimal(("-" if digits[0] == "-" else "") + ("Infinity" if huge else "0"))


def n_leaves(value: Any) -> int:
    """How many values a value holds: those that are neither object nor list; an empty object or list is one.

    >>> n_leaves({"a": 1, "b": [2, {"c": None}], "d": []})
    4
    """
    if isinstance(value, dict | list) and value:
        return sum(map(n_leaves, value.values() if isinstance(value, dict) else value))
    return 1


def n_matched(here: Any, there: Any, key: Key, as_sets: bool) -> int:
    """How many leaves of two values are equal and at the same path.

    Parameters
    ----------
    here, there : JSON values
    key : callable
    as_sets : bool
        Elements of lists are paired so that most leaves match, wherever they stand; else by position.

    Examples
    --------
    >>> n_matched({"a": [1, 2], "b": 3}, {"a": [2, 1], "b": 3}, repr, False), n_matched([1, 2], [2, 1], repr, True)
    (1, 2)
    """
    if isinstance(here, dict) and isinstance(there, dict):
        if not here and not there:
            return 1
        return sum(n_matched(value, there[name], key, as_sets) for name, value in here.items() if name in there)
    if isinstance(here, list) and isinstance(there, list):
        if not here and not there:
            return 1
        if as_sets:
            return _matched_sets(here, there, key)
        return sum(n_matched(one, other, key, as_sets) for one, other in zip(here, there, strict=False))
    return int(not _holds(here) and not _holds(there) and key(here) == key(there))


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list)


def _matched_sets(here: list[Any], there: list[Any], key: Key) -> int:
    """Equal elements are paired as often as both lists have them; what is left of objects and lists is assigned at best.

    Nothing is lost by pairing equals first: what a and x, and y and a, have in common is at most a and what y and x have in common.
    """
    wholes = [[_whole(value, key) for value in values] for values in (here, there)]
    same = Counter(wholes[0]) & Counter(wholes[1])
    value_of = dict(zip(wholes[0], here, strict=True))
    matched = sum(times * n_leaves(value_of[whole]) for whole, times in same.items())
    rows, columns = (_left(values, whole, same) for values, whole in zip((here, there), wholes, strict=True))
    if rows and columns:
        from scipy.optimize import linear_sum_assignment

        gains = np.array([[n_matched(row, column, key, True) for column in columns] for row in rows])
        matched += int(gains[linear_sum_assignment(gains, maximize=True)].sum())
    return matched


def _left(values: list[Any], wholes: list[object], same: Counter[object]) -> list[Any]:
    """The objects and lists that have no equal on the other side."""
    paired, left = same.copy(), []
    for value, whole in zip(values, wholes, strict=True):
        if paired[whole] > 0:
            paired[whole] -= 1
        elif _holds(value):
            left.append(value)
    return left


def _whole(value: Any, key: Key) -> object:
    """What is equal for values that are equal, lists taken as sets."""
    if isinstance(value, dict):
        return ("object", frozenset((name, _whole(part, key)) for name, part in value.items()))
    if isinstance(value, list):
        return ("list", frozenset(Counter(_whole(part, key) for part in value).items()))
    return key(value)


def leaf_key(*, fold: bool, written: bool) -> Key:
    """What of a leaf is compared.

    Parameters
    ----------
    fold : bool
        Strings without regard to case and runs of blanks.
    written : bool
        Numbers as they are written, so that 1 is not 1.0; else by value.

    Examples
    --------
    >>> key = leaf_key(fold=True, written=False)
    >>> key(" Two  WORDS") == key("two words"), key(Decimal("1")) == key(Decimal("1.0")), key(True) == key(Decimal(1))
    (True, True, False)
    """

    def key(value: Any) -> object:
        if isinstance(value, str):
            return ("string", " ".join(value.casefold().split()) if fold else value)
        if isinstance(value, Decimal):
            return ("number", value.as_tuple() if written else value)
        return ("constant", value)

    return key
