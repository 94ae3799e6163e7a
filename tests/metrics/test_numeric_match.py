"""The numbers of a text, and answers that state them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import text

from validate import metrics
from validate.errors import OptionError
from validate.metrics._numbers import numbers


def read(of: str, **options: Any) -> list[str]:
    return [str(number) for number in numbers(of, **options)]


def score(output: str, *references: str, **options: Any) -> float:
    return float(metrics.get("numeric_match", **options).score([output], [list(references)]).items[0])


@pytest.mark.parametrize(
    ("of", "found"),
    [
        ("The answer is 42.", ["42"]),
        ("#### 42", ["42"]),
        ("**7**, \\boxed{12}", ["7", "12"]),
        ("1,234,567.89 and 1,00,000", ["123456789/100", "100000"]),
        ("1,2,3 and 2019,2020", ["1", "2", "3", "2019", "2020"]),
        ("0,123 1,2345", ["0", "123", "1", "2345"]),
        ("12\xa0000 1'000 1’000", ["12000", "1000", "1000"]),
        ("x = -5, −3 and -$4.50, $-2", ["-5", "-3", "-9/2", "-2"]),
        ("10-20, 3 - 4, a-5, (5)-6", ["10", "20", "3", "4", "5", "5", "6"]),
        (".5 -.5", ["1/2", "-1/2"]),
        ("1.5e3 2E-2 2e 3e4x", ["1500", "1/50", "2"]),
        ("1.5 × 10^3, 2·10⁸, 10^6, 10⁻³, 3 \\times 10^{2}", ["1500", "200000000", "1000000", "1/1000", "300"]),
        ("1e1000", []),
        ("3/4, 1 1/2, 1½, ½, -3/4", ["3/4", "3/2", "3/2", "1/2", "-3/4"]),
        ("3/4/2024, 5/0", ["3", "4", "2024", "5", "0"]),
        ("20%, 5 %", ["20", "5"]),
        ("H2O, GPT-4, B2B, 5km, 3rd, 共5个", ["4", "5", "3", "5"]),
        ("m², ①", []),
        ("½½ ½5", ["1/2", "1/2", "1/2", "5"]),
        ("١٢٣٫٥ ١٬٢٣٤ १२ １２", ["247/2", "1234", "12", "12"]),
        ("9" * 2000, []),
        ("", []),
    ],
)  # fmt: skip
def test_numbers_of_a_text(of: str, found: list[str]) -> None:
    assert read(of) == found


def test_the_comma_as_decimal_mark() -> None:
    assert read("1.234,5 und 3,14", decimal="comma") == ["2469/2", "157/50"]
    assert read("٣٫٥", decimal="comma") == ["7/2"]


def test_percent_as_hundredths_and_fractions_apart() -> None:
    assert read("20% of 3/4", percent="hundredths", fractions=False) == ["1/5", "3", "4"]
    assert read("1½", fractions=False) == ["1"]


@given(value=st.decimals(-1000000, 1000000, places=3))
def test_python_reads_the_same(value: Any) -> None:
    for written in (f"{value}", f"{value:,}", f"{value:e}", f"so {value}."):
        assert numbers(written) == (Fraction(value),)


@given(of=text)
def test_no_text_breaks_it(of: str) -> None:
    for decimal in ("point", "comma"):
        assert all(isinstance(number, Fraction) for number in numbers(of, decimal=decimal))


@given(of=st.text("0123456789.,/-+%e ^x×½'$ ", max_size=40))
def test_no_digits_break_it(of: str) -> None:
    assert len(numbers(of)) <= len(of)


def test_the_last_number_counts() -> None:
    assert score("3 boxes of 4 are 12", "#### 12") == 1
    assert score("12 = 3 boxes of 4", "#### 12") == 0
    assert score("12 = 3 boxes of 4", "#### 12", numbers="first") == 1


def test_all_numbers_in_any_order_each_once() -> None:
    assert score("2 and 1", "1, 2", numbers="all") == 1
    assert score("2, 1, 1", "1, 2", numbers="all") == 0
    assert score("2.1 and 0.9", "1, 2", numbers="all", tolerance=0.1) == 1


def test_equal_numbers_however_they_are_written() -> None:
    assert score("It is 0.75", "3/4") == 1
    assert score("1,000", "1000.0") == 1
    assert score("0.1 + 0.2 = 0.3", "0.30") == 1


def test_the_tolerance_is_exact() -> None:
    """0.8 - 0.7 is 0.10000000000000009 in floats, and 0.1 in truth."""
    assert score("0.8", "0.7", tolerance=0.1) == 1
    assert score("0.81", "0.7", tolerance=0.1) == 0
    assert score("105", "100", tolerance=0.05, relative=True) == 1
    assert score("100", "105", tolerance=0.047, relative=True) == 0  # 5/105 = 0.0476…
    assert score("-95", "-100", tolerance=0.05, relative=True) == 1
    assert score("0", "0", tolerance=0.05, relative=True) == 1


def test_what_states_no_number() -> None:
    metric = metrics.get("numeric_match")
    outputs, references = ["none", "7", "7"], [["7"], ["seven"], ["seven", "7"]]
    found = metric.score(outputs, references)
    assert found.items.tolist() == pytest.approx([0, float("nan"), 1], nan_ok=True)
    assert found.system == 0.5
    facts = metric.notes(metric._batch(outputs, references, None))
    assert [(fact.name, fact.count) for fact in facts] == [
        ("outputs-without-number", 1),
        ("references-without-number", 1),
    ]
    assert facts[1].text == "numeric_match: 1 item whose references state no number: undefined"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": -1}, "tolerance=-1 was given; allowed: a number, 0 or more"),
        ({"tolerance": 1, "relative": True}, "tolerance=1 was given; allowed: a share below 1 with relative=True"),
        ({"numbers": "any"}, "there is no numbers 'any'"),
        ({"decimal": ","}, "there is no decimal ','.*allowed: point, comma"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"numeric_match: {message}"):
        metrics.get("numeric_match", **options)
