"""The numbers that a text states, as exact fractions."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import Any

import regex

DECIMAL = {"point": ".", "comma": ","}
PERCENT = ("written", "hundredths")
GROUPS = ("sign", "units", "above", "below", "whole", "mark", "part", "bare", "exponent", "percent")
LONGEST = 1000  # characters; a longer row of digits is no number that anybody means

_MINUS = "−－-"  # the hyphen last, so that it means itself in a set of characters
_SIGN = rf"(?<![\w\p{{Pe}}%])(?P<sign>[+{_MINUS}])"
_TIMES_TEN = regex.compile(rf"(?<=\d)\s?(?:[×x*·]|\\times)\s?10(?:\^|\*\*)\{{?([+{_MINUS}]?\d{{1,3}})\}}?(?!\d)")
_POWER_OF_TEN = regex.compile(rf"(?<![\w.,])10(?:\^|\*\*)\{{?([+{_MINUS}]?\d{{1,3}})\}}?(?!\d)")
_RAISED = regex.compile(r"(?<=10)[⁺⁻]?[⁰¹²³⁴-⁹]+")
_FROM_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_VULGAR = regex.compile(r"(\d?)([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])(?=([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞\d]?))")
_ARABIC_MARKS = {"point": str.maketrans("٫٬", ".,"), "comma": str.maketrans("٫٬", ",.")}


def numbers(
    text: str, *, decimal: str = "point", percent: str = "written", fractions: bool = True
) -> tuple[Fraction, ...]:
    """Every number of a text, in the order of the text.

    Digits of any script; thousands parted by comma (by full stop where the comma is the decimal mark), apostrophe or no-break
    space; ``1.5e3`` and ``1.5 × 10^3``; a sign, a currency sign before, a percent sign behind. Digits that follow a cased letter
    belong to a word (``H2O``). Numbers in words, Roman numerals and units (``10k``, ``3 million``) are not interpreted.

    >>> [str(number) for number in numbers("-$1,234.50 of 3/4, H2O and 20%")]
    ['-2469/2', '3/4', '20']
    """
    if not any(map(str.isnumeric, text)):
        return ()
    pattern = _pattern(DECIMAL[decimal], fractions)
    found = (_value(match, percent) for match in pattern.finditer(_plain(text, decimal, fractions)))
    return tuple(number for number in found if number is not None)


def _plain(text: str, decimal: str, fractions: bool) -> str:
    """The text with ASCII digits and marks, powers of ten as ``e3``, and ``1½`` as ``1 1/2``."""
    if not text.isascii():
        text = regex.sub(r"[^\P{Nd}0-9]", lambda digit: str(unicodedata.digit(digit[0])), text)
        text = text.translate(_ARABIC_MARKS[decimal])
        text = _RAISED.sub(lambda raised: "^" + raised[0].translate(_FROM_RAISED), text)
        if fractions:
            text = _VULGAR.sub(_spelled_out, text)
    return _POWER_OF_TEN.sub(r"1e\1", _TIMES_TEN.sub(r"e\1", text))


def _spelled_out(match: Any) -> str:
    before, after = f"{match[1]} " if match[1] else "", " " if match[3] else ""
    return before + unicodedata.normalize("NFKC", match[2]).replace("\u2044", "/") + after


@lru_cache(maxsize=4)
def _pattern(point: str, fractions: bool) -> Any:
    """A sign, a currency sign, then a fraction or a decimal number, then a percent sign; quantifiers with + never give back."""
    mark = "[.'’\xa0\u202f\u2009]" if point == "," else "[,'’\xa0\u202f\u2009]"
    point = regex.escape(point)
    fraction = (
        r"(?<!\d[.,/])(?:(?P<units>\d{1,3})[ ])?(?P<above>\d++)/(?P<below>0*+[1-9]\d*+)(?![/.,]\d)|"
        if fractions
        else r"(?:(?!)(?P<units>)(?P<above>)(?P<below>))|"
    )
    whole = rf"(?P<whole>[1-9]\d{{0,2}}(?P<mark>{mark})(?:\d{{2,3}}(?P=mark))*\d{{3}}(?!\d)|\d++)(?:{point}(?P<part>\d++))?+"
    bare = rf"(?<!\w){point}(?P<bare>\d++)"
    exponent = rf"(?:[eE](?P<exponent>[+{_MINUS}]?\d{{1,3}})(?!\w))?+(?![eE][+{_MINUS}]?\d)"
    body = rf"(?:{fraction}(?:{whole}|{bare}){exponent})"
    begins = rf"(?=[0-9.,+{_MINUS}\p{{Sc}}])"  # most places begin no number, and are left at once
    return regex.compile(rf"{begins}(?:{_SIGN}\p{{Sc}}?)?(?<![\p{{Lu}}\p{{Ll}}_\d]){body}(?P<percent>\s?[%٪％])?")


def _value(match: Any, percent: str) -> Fraction | None:
    """What was matched as a number; None where it is too long to be one."""
    if match.end() - match.start() > LONGEST:
        return None
    sign, units, above, below, whole, mark, part, bare, exponent, percent_sign = match.group(*GROUPS)
    if above:
        number = int(units or 0) + Fraction(int(above), int(below))
    else:
        digits = (whole.replace(mark, "") if mark else whole or "0") + (part or bare or "")
        number = _scaled(int(digits), _exponent(exponent) - len(part or bare or ""))
    if sign and sign in _MINUS:
        number = -number
    return number / 100 if percent_sign and percent == "hundredths" else number


def _exponent(written: str | None) -> int:
    return int(written.replace("−", "-").replace("－", "-")) if written else 0


def _scaled(number: int, exponent: int) -> Fraction:
    """number · 10 ^ exponent"""
    return Fraction(number * 10**exponent) if exponent >= 0 else Fraction(number, 10**-exponent)
