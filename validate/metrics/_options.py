"""Checks of option values, made when a metric is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from numbers import Integral, Real
from typing import Any

from validate.errors import bad_value, unknown_name
from validate.text import tokenizers
from validate.text.tokenizers import Tokenizer


def one_of(who: str, option: str, value: object, allowed: Collection[str]) -> str:
    """One of the names; None stands for ``"none"`` where that is one of them."""
    if value is None and "none" in allowed:
        return "none"
    if not isinstance(value, str):
        raise bad_value(who, option, value, "one of " + ", ".join(map(repr, allowed)))
    if value not in allowed:
        raise unknown_name(who, option, value, allowed)
    return value


LONGEST = 100  # n-grams: beyond that columns of counts fill the memory and nothing matches


def whole(who: str, option: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number, at least ``low`` and at most ``high``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise bad_value(who, option, value, f"a whole number, {low} or more")
    if high is not None and int(value) > high:
        raise bad_value(who, option, value, f"a whole number from {low} to {high}")
    return int(value)


def number(who: str, option: str, value: object, low: float) -> float:
    """A finite number, at least ``low``; whole numbers stay whole, so that signatures read as they were written."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) < float("inf"):
        raise bad_value(who, option, value, f"a number, {low:g} or more")
    return int(value) if isinstance(value, Integral) else float(value)


def yes_or_no(who: str, option: str, value: object) -> bool:
    """True or False, and nothing that only counts as such."""
    if not isinstance(value, bool):
        raise bad_value(who, option, value, "True or False")
    return value


UNITS: Mapping[str, str] = {"word": "whitespace", "codepoint": "codepoint", "grapheme": "grapheme"}


def unit_tokenizer(who: str, unit: object, allowed: Collection[str] = tuple(UNITS), **options: Any) -> Tokenizer:
    """The tokenizer behind ``unit="word"``, ``"codepoint"`` or ``"grapheme"``."""
    return tokenizers.get(UNITS[one_of(who, "unit", unit, allowed)], **options)
