"""pass@k out of recorded test results."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordError, AccordWarning, OptionError
from validate.metrics.pass_at_k import pass_at_k

passes = st.lists(st.booleans(), min_size=1, max_size=8)


def score(*outputs: str, k: int = 1) -> Any:
    return metrics.get("pass_at_k", k=k).score(list(outputs))


def test_by_hand() -> None:
    """Five samples, two passed. k=1: 2/5. k=2: 1 - C(3, 2) / C(5, 2) = 1 - 3/10. k=4: every four hold one."""
    record = "[true, false, true, false, false]"
    assert [score(record, k=k).system for k in (1, 2, 4, 5)] == [2 / 5, 7 / 10, 1, 1]
    assert score("[false, false]", k=2).system == 0


@given(passed=passes, k=st.integers(1, 8))
def test_it_is_the_share_of_draws_that_hold_a_pass(passed: list[bool], k: int) -> None:
    found = pass_at_k(len(passed), sum(passed), k)
    draws = list(combinations(passed, k))
    assert np.isnan(found) if not draws else found == float(Fraction(sum(map(any, draws)), len(draws)))


@given(n=st.integers(1, 300), data=st.data())
def test_the_papers_product(n: int, data: Any) -> None:
    """The product of Chen et al. 2021, figure 3, which is also Hugging Face evaluate's code_eval; it rounds at every step."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    product = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
    assert pass_at_k(n, c, k) == pytest.approx(product, abs=1e-13)


def test_the_mean_over_problems() -> None:
    """1/2 and 1/4, whatever the numbers of samples."""
    found = score("1 0", "1 0 0 0")
    assert found.items.tolist() == [1 / 2, 1 / 4]
    assert found.system == 3 / 8


@pytest.mark.parametrize(
    "record",
    ["[true, false]", "[1, 0]", '["pass", "fail"]', '["Passed", "FAILED"]', "pass fail", "passed, failed", "1,0", "1\n0\n", "True False"],
)  # fmt: skip
def test_ways_to_write_a_record(record: str) -> None:
    assert score(record).system == 1 / 2


def test_too_few_samples_are_undefined_and_said() -> None:
    """Hugging Face's code_eval leaves such a k out without a word."""
    with pytest.warns(AccordWarning, match="pass_at_k: 2 problems with fewer than k=2 samples: undefined"):
        found = score("1", "", "1 1", k=2)
    assert np.isnan(found.items).tolist() == [True, True, False]
    assert found.system == 1


@pytest.mark.parametrize("record", ["[1, 2]", "maybe", "{}", "[null]", "1.0", "10", "[[true]]", "[true"])
def test_what_is_no_record(record: str) -> None:
    with pytest.raises(
        AccordError,
        match=r"pass_at_k: 1 output that no record of samples can be read from \(rows 1: .*pass, passed, true",
    ):
        score("1", record)


def test_k_is_a_whole_number() -> None:
    with pytest.raises(OptionError, match="pass_at_k: k=0 was given; allowed: a whole number, 1 or more"):
        metrics.get("pass_at_k", k=0)
