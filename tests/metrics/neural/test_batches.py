"""Batches by a budget of tokens, and what happens when memory runs out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate.errors import AccordError
from validate.metrics.neural._batches import cut, out_of_memory, through
from validate.telling import listening

lengths = st.lists(st.integers(0, 40), max_size=30).map(lambda some: np.array(some, dtype=np.int64))


@given(lengths, st.integers(1, 100))
def test_every_text_is_in_one_batch_and_batches_keep_the_budget(some, budget):
    batches = list(cut(some, budget))
    assert sorted(np.concatenate([*batches, np.zeros(0, np.int64)]).tolist()) == list(range(len(some)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * some[batch].max() <= max(budget, len(batch))
    assert [some[text] for batch in batches for text in batch] == sorted(some.tolist(), reverse=True)


def test_a_batch_that_does_not_fit_is_halved_and_so_are_those_after_it():
    tried = []

    def forward(batch):
        tried.append(len(batch))
        if len(batch) > 3:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes")
        seen.extend(batch.tolist())

    seen: list[int] = []
    pytest.importorskip("torch")
    through("m", np.full(20, 5), forward, budget=50)
    assert sorted(seen) == list(range(20))
    # Ten texts do not fit, so that at most 25 tokens are tried; nor do five, so that at most 12 tokens are tried, two texts.
    assert tried[:2] == [10, 5]
    assert max(tried[2:]) == 2


def test_one_text_that_does_not_fit_is_said():
    pytest.importorskip("torch")

    def forward(batch):
        raise MemoryError

    with pytest.raises(AccordError, match=r"m: memory does not suffice for one text of 7 tokens; a smaller model"):
        through("m", np.array([7]), forward)


def test_other_errors_are_passed_on():
    def forward(batch):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="mat1"):
        through("m", np.array([7]), forward)
    assert not out_of_memory(ValueError("out of memory"))


def test_the_pace_is_told():
    heard: list[str] = []
    with listening(heard.append):
        through("m", np.array([4, 4, 4]), lambda batch: None, budget=8, what="pairs")
    assert [line.split(",")[0] for line in heard] == ["m: 2 of 3 pairs", "m: 3 of 3 pairs"]
    assert all("a second" in line for line in heard)
