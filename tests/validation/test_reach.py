"""Where a test that counts cannot find anything whatever the scores are, the run says so."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from validate.results import COLUMNS
from validate.validation import Options
from validate.validation.reach import out_of_reach


def tables(n_pairs: int, test: str, n_systems: int = 25) -> tuple[pd.DataFrame, pd.DataFrame]:
    place = {"criterion": "good", "level": "item", "grouping": "item", "coefficient": "pearson"}
    significance = [{**dict.fromkeys(COLUMNS["significance"]), **place, "p": 0.5, "test": test} for _ in range(n_pairs)]
    correlations = [{"criterion": "good", "n_systems": n_systems, "n_items": 100}]
    return pd.DataFrame(significance), pd.DataFrame(correlations)


def said(n_pairs: int, told: str, n_systems: int = 25, **options: Any) -> list[str]:
    return out_of_reach(*tables(n_pairs, told, n_systems), Options(**options))


@pytest.mark.parametrize(("resamples", "enough"), [(199, True), (198, False)])
def test_permutations_must_be_as_many_as_pairs_want(resamples: int, enough: bool) -> None:
    """Ten pairs at 0.05: 10 / (B + 1) is 0.05 for B = 199."""
    found = said(10, "permutation over systems", test="permutation", resamples=resamples)
    assert (found == []) == enough
    assert all("198 permutations are too few for 10 pairs" in one and "200 (--resamples)" in one for one in found)


@pytest.mark.parametrize(("n_systems", "enough"), [(9, True), (8, False)])
def test_systems_must_be_as_many_as_pairs_want(n_systems: int, enough: bool) -> None:
    """Ten pairs at 0.05: 20 / 2 to the 9 is 0.039, 20 / 2 to the 8 is 0.078."""
    found = said(10, "permutation over systems", n_systems, test="permutation", resamples=999)
    assert (found == []) == enough
    assert all("good: exchanging the scores of 8 systems cannot give" in one for one in found)


def test_items_are_counted_where_items_are_exchanged() -> None:
    assert said(10, "permutation over items", 3, test="permutation", unit="items", resamples=999) == []


def test_a_p_by_formula_can_be_as_small_as_it_likes() -> None:
    assert said(500, "bootstrap over systems and items, corrected") == []
    (found,) = said(500, "bootstrap over items", interval="percentile")
    assert found.startswith("1,000 resamples are too few for 500 pairs")
