"""The one place where numbers become text: digits by the interval, and nothing rounded to a lie."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from validate.report import numbers

FINITE = st.floats(-1e6, 1e6)
WIDTHS = st.floats(1e-4, 1e3)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.41234, 0.3312, 0.4891, "0.41 [0.33, 0.49]"),  # width 0.16: hundredths
        (0.41234, 0.40, 0.43, "0.412 [0.400, 0.430]"),  # width 0.03: thousandths
        (0.4, -0.5, 0.9, "0.4 [−0.5, 0.9]"),  # width 1.4: tenths, more would be a claim
        (34.57, 30.1, 41.9, "35 [30, 42]"),  # width 11.8: units
        (1234.5, 1100, 1400, "1,234 [1,100, 1,400]"),
        (-0.0004, -0.3, 0.3, "0.00 [−0.30, 0.30]"),  # zero has no sign
        (0.5, 0.5, 0.5, "0.500 [0.500, 0.500]"),  # an interval without width says nothing about digits
        (0.5, None, float("nan"), "0.500"),
        (None, 0.1, 0.2, "undefined"),
    ],
)
def test_an_estimate_is_rounded_by_its_interval(value: object, low: object, high: object, text: str) -> None:
    assert str(numbers.estimate_text(value, low, high)) == text


@given(FINITE, WIDTHS)
def test_the_last_digit_is_between_a_tenth_and_a_hundredth_of_the_width(low: float, width: float) -> None:
    digits = numbers.decimals(low, low + width)
    got = (low + width) - low
    if digits is None:
        assert got <= 0
    elif 0 < digits < numbers.MAX_DECIMALS:
        assert got / 100 * 0.999 <= 10.0**-digits <= got / 10 * 1.001


@given(FINITE, FINITE, FINITE)
def test_every_text_keeps_the_numbers_behind_it(value: float, low: float, high: float) -> None:
    html = escape(numbers.estimate_text(value, low, high))
    held = re.search(r'value="([^"]+)"', html)
    assert held is not None
    assert [float(one) for one in held.group(1).split()] == [value, low, high]


@given(st.floats(0, 1))
def test_a_p_value_is_never_zero(p: float) -> None:
    text = str(numbers.p_text(p))
    shown = float(text.removeprefix("< "))
    assert shown > 0
    if not text.startswith("<"):
        assert abs(shown - p) <= 0.005 + 1e-12  # half a hundredth, and what floats add to it at 0.875


@given(st.floats(0, 1))
def test_only_all_is_a_hundred_per_cent_and_only_none_is_none(share: float) -> None:
    text = str(numbers.share_text(share))
    assert (text == "100%") == (share == 1)
    assert (text == "0%") == (share == 0)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_what_is_undefined_is_never_shown_as_a_number(value: float) -> None:
    for text in (
        numbers.number_text,
        numbers.small_text,
        numbers.p_text,
        numbers.count_text,
        numbers.share_text,
        numbers.ordinal_text,
    ):
        shown = text(value)
        assert bool(shown.values) == math.isfinite(value)
        assert (shown == numbers.MISSING) == (not math.isfinite(value))


def test_a_quantity_is_text_to_python_and_data_to_the_page() -> None:
    quantity = numbers.count_text(2500, "output")
    assert quantity == "2,500 outputs"
    assert Markup("{}").format(quantity) == Markup('<data value="2500">2,500 outputs</data>')
