"""Scores that are equal in exact arithmetic stay equal, scores that are not do not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from validate.stats._ties import slack, tie_codes


def test_the_order_of_a_sum_does_not_matter() -> None:
    sums = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.2 + 0.2 + 0.2, 0.5 + 0.6 + 0.7])
    assert len(set(sums.tolist())) > 2  # as floats they differ
    assert tie_codes(sums).tolist() == [0, 0, 0, 1]
    assert tie_codes(sums, exact=True).max() > 1


def test_cancelled_terms_leave_a_tie_at_zero() -> None:
    cancelled = np.array([0.1 + 0.2 - 0.3, 0.0, 0.5, -0.5])  # 5.6e-17, 0
    assert tie_codes(cancelled).tolist() == [1, 1, 2, 0]


def test_small_scores_beside_large_ones_are_told_apart_where_nothing_can_cancel() -> None:
    perplexities = np.array([5.0, 5.000001, 1e9])
    assert slack(perplexities) == 0.0
    assert tie_codes(perplexities).tolist() == [0, 1, 2]


def test_missing_scores_have_no_code_and_empty_arrays_no_codes() -> None:
    assert tie_codes(np.array([[np.nan, 2.0], [1.0, np.nan]])).tolist() == [[-1, 1], [0, -1]]
    assert tie_codes(np.array([])).tolist() == []
    assert tie_codes(np.array([np.nan])).tolist() == [-1]


@given(st.lists(st.lists(st.integers(-50, 50), min_size=3, max_size=3), min_size=1, max_size=12))
def test_codes_of_float_means_are_the_ranks_of_exact_means(rows: list[list[int]]) -> None:
    exact = [Fraction(sum(row), 30) for row in rows]
    order = sorted(set(exact))
    floats = np.array([(row[0] / 10 + row[1] / 10 + row[2] / 10) / 3 for row in rows])
    assert tie_codes(floats).tolist() == [order.index(mean) for mean in exact]
