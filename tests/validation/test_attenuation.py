"""Correlations without the noise of the judgments: by hand, and with a reason wherever nothing can be corrected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from validate.results import COLUMNS, table
from validate.validation.attenuation import attenuation_rows

PLACE = {"criterion": "c", "level": "item", "grouping": "item", "coefficient": "pearson"}


def correlations(**given: Any) -> pd.DataFrame:
    row = {
        **PLACE, "metric": "m", "estimate": 0.45, "low": 0.36, "high": 0.63, "n_systems": 5, "n_items": 9, "n_groups": 9,
        "n_undefined": 0, "unit": "both", "resamples": 10, "seed": 0, "reason": "", **given,
    }  # fmt: skip
    return table("correlations", [row])


def ceiling(**given: Any) -> pd.DataFrame:
    rows = [
        {**PLACE, "estimate": 0.3, "low": 0.2, "high": 0.4, "n_annotators": 4, "method": "leave one annotator out, pearson", "reason": ""},
        {**PLACE, "estimate": 0.81, "low": 0.7, "high": 0.9, "n_annotators": 4, "method": "split half (mean of 3 splits)", "reason": "", **given},
    ]  # fmt: skip
    return table("ceiling", rows)


def corrected(correlation: dict[str, Any], reliability: dict[str, Any], human: str = "mean") -> dict[str, Any]:
    (row,) = attenuation_rows(correlations(**correlation), ceiling(**reliability), human=human)
    assert set(row) == set(COLUMNS["attenuation"])
    return row


def test_the_root_of_the_reliability_divides() -> None:
    row = corrected({}, {})  # √0.81 = 0.9: 0.45, 0.36 and 0.63 become 0.5, 0.4 and 0.7
    assert (row["estimate"], row["reliability"], row["reason"]) == (0.45, 0.81, "")
    assert [row[end] for end in ("corrected", "low", "high")] == pytest.approx([0.5, 0.4, 0.7], abs=1e-15)


def test_it_can_exceed_1_and_says_so() -> None:
    row = corrected({"estimate": 0.6}, {"estimate": 0.25})
    assert row["corrected"] == pytest.approx(1.2)
    assert "beyond 1" in row["reason"]


@pytest.mark.parametrize(
    ("correlation", "reliability", "human", "reason"),
    [
        ({"estimate": np.nan, "low": np.nan, "high": np.nan, "reason": "metric constant"}, {}, "mean", "metric constant"),
        ({}, {"estimate": np.nan, "reason": "one annotator: there is nobody to hold against"}, "mean", "one annotator"),
        ({}, {"estimate": -0.1}, "mean", "not above 0"),
        ({}, {"method": "leave one annotator out, again"}, "mean", "no reliability was computed"),
        ({}, {}, "z-score", "the reliability of z-scores is not known"),
    ],
)  # fmt: skip
def test_what_cannot_be_corrected_is_undefined_with_a_reason(
    correlation: dict[str, Any], reliability: dict[str, Any], human: str, reason: str
) -> None:
    row = corrected(correlation, reliability, human)
    assert np.isnan([row["corrected"], row["low"], row["high"]]).all()
    assert reason in row["reason"]


def test_a_reliability_that_may_be_chance_is_said_to_be() -> None:
    row = corrected({}, {"low": -0.02})
    assert row["corrected"] == pytest.approx(0.5)
    assert row["reason"] == "the interval of the reliability reaches zero: it may be chance altogether"


def test_kendall_is_not_corrected() -> None:
    assert attenuation_rows(correlations(coefficient="kendall"), ceiling(coefficient="kendall"), human="mean") == []
