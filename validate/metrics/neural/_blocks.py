"""Rows with the same references as one block, so that all their similarities are one product of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from validate.schema import FloatArray, IntArray
from validate.text.corpus import Batch

CELLS = 2**23  # similarities at a time


class Block(NamedTuple):
    """Some rows of a batch with the same references: (n_rows,) rows, their outputs, and (k,) the references, as text ids."""

    rows: IntArray
    outputs: IntArray
    references: IntArray


def blocks(batch: Batch, rows: IntArray, lengths: IntArray, cells: int = CELLS) -> Iterator[Block]:
    """The rows as blocks of at most ``cells`` token pairs; a row that has more goes alone.

    Examples
    --------
    >>> batch = Batch.of(["a", "b", "c"], [["x", "y"], ["y"], ["x", "y"]])
    >>> [block.rows.tolist() for block in blocks(batch, np.arange(3), np.full(5, 2))]
    [[0, 2], [1]]
    """
    same: dict[tuple[int, ...], list[int]] = {}
    for row in rows.tolist():
        begin, end = batch.reference_offsets[row], batch.reference_offsets[row + 1]
        same.setdefault(tuple(batch.references[begin:end].tolist()), []).append(row)
    for texts, members in same.items():
        references = np.array(texts, dtype=np.int64)
        width = max(1, int(lengths[references].sum()))
        chosen = np.array(members, dtype=np.int64)
        filled = np.cumsum(lengths[batch.outputs[chosen]]) * width // cells
        for part in np.split(chosen, np.flatnonzero(np.diff(filled)) + 1):
            yield Block(part, batch.outputs[part], references)


def of_pairs(batch: Batch, block: Block, values: FloatArray, result: FloatArray) -> None:
    """Write (n_rows, k, …) values of a block to the pairs that they belong to, pairs standing row after row."""
    places = batch.reference_offsets[block.rows][:, None] + np.arange(len(block.references))
    result[places] = values
