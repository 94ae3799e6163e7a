"""Rows in groups and blocks: every row once, within the bounds, rows of one item together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from validate.metrics.neural._blocks import blocks
from validate.metrics.neural._groups import groups
from validate.text.corpus import Batch

rows = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.lists(st.sampled_from("uvwxyz"), max_size=3)), min_size=1, max_size=20
)


def batch_of(given_):
    return Batch.of([output for output, _ in given_], [texts for _, texts in given_])


@given(rows, st.integers(1, 40))
def test_every_row_with_references_is_in_one_group_within_the_bound(given_, most):
    batch = batch_of(given_)
    lengths = np.arange(1, len(batch.corpus) + 1)
    found = list(groups(batch, lengths, most))
    assert sorted(np.concatenate([*found, np.zeros(0, np.int64)]).tolist()) == np.flatnonzero(batch.n_references).tolist()  # fmt: skip
    for group in found:
        part = batch.take(group)
        held = np.unique(np.concatenate([part.outputs, part.references]))
        assert len(group) == 1 or lengths[held].sum() <= most


def test_rows_of_one_item_stay_together():
    batch = Batch.of(["a", "b", "c", "d"], [["x"], ["y"], ["x"], ["y"]])
    assert [group.tolist() for group in groups(batch, np.full(6, 1), 3)] == [[0, 2], [1, 3]]


@given(rows, st.integers(1, 60))
def test_every_row_is_in_one_block_of_its_references(given_, cells):
    batch = batch_of(given_)
    lengths = np.arange(1, len(batch.corpus) + 1)
    some = np.flatnonzero(batch.n_references)
    found = list(blocks(batch, some, lengths, cells))
    assert sorted(np.concatenate([*(block.rows for block in found), np.zeros(0, np.int64)]).tolist()) == some.tolist()
    for block in found:
        for row, output in zip(block.rows, block.outputs, strict=True):
            assert batch.outputs[row] == output
            begin, end = batch.reference_offsets[row], batch.reference_offsets[row + 1]
            assert batch.references[begin:end].tolist() == block.references.tolist()
        size = lengths[block.outputs].sum() * lengths[block.references].sum()
        assert len(block.rows) == 1 or size <= cells + lengths[block.outputs].max() * lengths[block.references].sum()
