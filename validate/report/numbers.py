"""The one place where numbers are rounded: digits follow the interval, and every text keeps the numbers behind it.

A `Quantity` is a plain string everywhere; on the page it becomes a ``<data>`` element whose ``value`` holds the unrounded
numbers, so that a reader, a program or a test can find each of them in the tables.
"""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

UNDEFINED = "undefined"
MISSING = "–"
MINUS = "\u2212"
MAX_DECIMALS = 6
SMALLEST_P = 0.001
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Quantity(str):
    """The rounded text of one or more numbers, with the numbers themselves as ``values``.

    >>> quantity = Quantity("0.41", 0.4123)
    >>> str(quantity), quantity.values
    ('0.41', (0.4123,))
    >>> quantity.__html__()
    Markup('<data value="0.4123">0.41</data>')
    """

    values: tuple[float, ...]

    def __new__(cls, text: str, *values: float) -> Quantity:
        made = super().__new__(cls, text)
        made.values = values
        return made

    def __html__(self) -> Markup:
        if not self.values:
            return Markup.escape(str(self))
        return Markup('<data value="{}">{}</data>').format(" ".join(map(_plain, self.values)), str(self))


def real(value: Any) -> float:
    """A number out of a table or a document, where undefined may be None, NaN or an empty cell.

    >>> real(None), real(""), real("2.5")
    (nan, nan, 2.5)
    """
    return float("nan") if value is None or value == "" else float(value)


def decimals(low: float, high: float) -> int | None:
    """How many decimals the width of an interval allows; None when it allows no statement (no interval, or width 0).

    The last digit shown is between a tenth and a hundredth of the width.

    >>> decimals(0.33, 0.49), decimals(-0.5, 0.9), decimals(12.0, 57.0)
    (2, 1, 0)
    """
    width = high - low
    if not math.isfinite(width) or width <= 0:
        return None
    return min(max(math.ceil(-math.log10(width)) + 1, 0), MAX_DECIMALS)


def estimate_text(value: Any, low: Any = None, high: Any = None, *, least: int = 0) -> Quantity:
    """A number with its interval, rounded by the interval's width, to ``least`` decimals or more.

    >>> print(estimate_text(0.4123, 0.3312, 0.4891))
    0.41 [0.33, 0.49]
    >>> print(estimate_text(-0.02, -0.31, 0.25), estimate_text(None), estimate_text(0.5), sep="; ")
    −0.02 [−0.31, 0.25]; undefined; 0.500
    """
    value, low, high = real(value), real(low), real(high)
    if not math.isfinite(value):
        return Quantity(UNDEFINED)
    if not (math.isfinite(low) and math.isfinite(high)):
        return number_text(value)
    digits = decimals(low, high)
    if digits is None:
        digits = _decimals_for(max(abs(value), abs(low), abs(high)))
    shown = [_fixed(number, max(digits, least)) for number in (value, low, high)]
    return Quantity(f"{shown[0]} [{shown[1]}, {shown[2]}]", value, low, high)


def coefficient_text(value: Any, low: Any = None, high: Any = None) -> Quantity:
    """A correlation with its interval: two decimals or more, since 0.79 above a 0.8 that is 0.76 looks like a mistake.

    >>> print(coefficient_text(0.7612, -0.112, 0.974))
    0.76 [−0.11, 0.97]
    """
    return estimate_text(value, low, high, least=2)


def number_text(value: Any) -> Quantity:
    """A number without an interval: three significant digits, and no more than three decimals.

    >>> [str(number_text(x)) for x in (0.041234, 34.567, 12345.6, -0.0001, float("nan"))]
    ['0.041', '34.6', '12,346', '0.000', '–']
    """
    value = real(value)
    if not math.isfinite(value):
        return Quantity(MISSING)
    return Quantity(_fixed(value, min(_decimals_for(value), 3)), value)


def exact_text(value: Any) -> Quantity:
    """A number that somebody chose, such as the end of a scale: as it was written.

    >>> print(exact_text(5.0), exact_text(0.95))
    5 0.95
    """
    value = real(value)
    return Quantity(f"{value:g}".replace("-", MINUS), value) if math.isfinite(value) else Quantity(MISSING)


def small_text(value: Any) -> Quantity:
    """A difference that should be zero: its size matters, not its digits.

    >>> [str(small_text(x)) for x in (0.0, 1.42e-14, 0.25)]
    ['0', '1.4 × 10⁻¹⁴', '0.250']
    """
    value = real(value)
    if not math.isfinite(value):
        return Quantity(MISSING)
    if value == 0:
        return Quantity("0", value)
    if abs(value) >= 0.01:
        return number_text(value)
    mantissa, exponent = f"{value:.1e}".split("e")
    mantissa = mantissa.replace("-", MINUS)
    return Quantity(f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}", value)


def p_text(p: Any) -> Quantity:
    """A p-value, never "0.000".

    >>> [str(p_text(p)) for p in (0.0004, 0.0312, 0.4499, 1.0)]
    ['< 0.001', '0.031', '0.45', '1.00']
    """
    p = real(p)
    if not math.isfinite(p):
        return Quantity(MISSING)
    if p < SMALLEST_P:
        return Quantity(f"< {SMALLEST_P}", p)
    return Quantity(_fixed(p, 3 if p < 0.1 else 2), p)


def count_text(n: Any, one: str = "", many: str = "") -> Quantity:
    """A count with its noun in the right number.

    >>> [str(count_text(*given)) for given in ((1, "system"), (2500, "output"), (2, "study", "studies"), (7,))]
    ['1 system', '2,500 outputs', '2 studies', '7']
    """
    n = real(n)
    if not math.isfinite(n):
        return Quantity(MISSING)
    noun = one if n == 1 or not one else many or f"{one}s"
    return Quantity(f"{int(n):,} {noun}".strip(), int(n))


def share_text(share: Any) -> Quantity:
    """A share in per cent; only all is 100 % and only none is 0 %.

    >>> [str(share_text(x)) for x in (0.973, 1, 0.9999, 0.0004, 0)]
    ['97%', '100%', 'over 99%', 'under 1%', '0%']
    """
    share = real(share)
    if not math.isfinite(share):
        return Quantity(MISSING)
    if 0 < share < 0.01:
        return Quantity("under 1%", share)
    if 0.99 < share < 1:
        return Quantity("over 99%", share)
    return Quantity(f"{100 * share:.0f}%", share)


def ordinal_text(number: Any) -> Quantity:
    """A rank or percentile as an ordinal.

    >>> [str(ordinal_text(n)) for n in (1, 2, 3.2, 11, 92.4)]
    ['1st', '2nd', '3rd', '11th', '92nd']
    """
    value = real(number)
    if not math.isfinite(value):
        return Quantity(MISSING)
    n = round(value)
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return Quantity(f"{n}{ending}", value)


def percentile_text(percentile: Any) -> Quantity:
    """A percentile between the 1st and the 99th, which is as far as percentiles go.

    >>> [str(percentile_text(p)) for p in (0.2, 52.1, 99.9)]
    ['1st', '52nd', '99th']
    """
    value = real(percentile)
    return Quantity(ordinal_text(min(max(value, 1), 99)), value) if math.isfinite(value) else Quantity(MISSING)


def range_text(low: Any, high: Any) -> Quantity:
    """The first and last of a range of ranks.

    >>> print(range_text(3, 7), range_text(2, 2))
    3–7 2
    """
    low, high = real(low), real(high)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Quantity(MISSING)
    return Quantity(f"{low:g}" if low == high else f"{low:g}–{high:g}", low, high)


def seconds_text(seconds: Any) -> Quantity:
    """How long something took.

    >>> print(seconds_text(0.0312), seconds_text(12.34), seconds_text(200), sep="; ")
    0.03 s; 12.3 s; 200 s
    """
    seconds = real(seconds)
    if not math.isfinite(seconds):
        return Quantity(MISSING)
    return Quantity(f"{_fixed(seconds, 2 if seconds < 1 else 1 if seconds < 100 else 0)} s", seconds)


def memory_text(megabytes: Any) -> Quantity:
    """How much memory something needed.

    >>> print(memory_text(812.4), memory_text(2048), sep="; ")
    812 MB; 2.0 GB
    """
    megabytes = real(megabytes)
    if not math.isfinite(megabytes):
        return Quantity(MISSING)
    text = f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1024:.1f} GB"
    return Quantity(text, megabytes)


def for_chart(value: Any) -> float | None:
    """A number as a figure needs it: five significant digits, None where undefined."""
    value = real(value)
    return float(f"{value:.5g}") if math.isfinite(value) else None


def _decimals_for(value: float) -> int:
    """Decimals that leave three significant digits."""
    return 2 if value == 0 else min(max(2 - math.floor(math.log10(abs(value))), 0), MAX_DECIMALS)


def _fixed(value: float, digits: int) -> str:
    """Fixed decimals with a real minus sign, which a number that rounds to zero does not carry."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _plain(value: float) -> str:
    """The shortest decimal that reads back as the same number."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
