"""Several references for one output: which of them counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.schema import FloatArray, IntArray
from validate.text.corpus import Batch


def best_pair(batch: Batch, values: NDArray[Any]) -> IntArray:
    """(n,) place of the pair with the greatest of the (m,) values in each row; the first of equals; -1 without references.

    >>> best_pair(Batch.of(["a", "b"], [["x", "y", "z"], []]), np.array([1, 3, 3])).tolist()
    [1, -1]
    """
    counts = batch.n_references
    some = counts > 0
    places = np.full(len(batch), -1, dtype=np.int64)
    if some.any():
        greatest = np.maximum.reduceat(values, batch.reference_offsets[:-1][some])
        rows = np.repeat(np.arange(len(greatest)), counts[some])
        reached = np.flatnonzero(values == greatest[rows])
        places[some] = reached[np.unique(rows[reached], return_index=True)[1]]
    return places


def chosen(values: NDArray[Any], places: IntArray) -> FloatArray:
    """The values of the chosen pairs as floats, NaN where no pair was there to choose (place -1)."""
    result = np.full((len(places), *values.shape[1:]), np.nan)
    result[places >= 0] = values[places[places >= 0]]
    return result


def mean_of_pairs(batch: Batch, values: FloatArray) -> FloatArray:
    """(n,) mean of the (m,) values over the references of each row, NaN without references."""
    counts = batch.n_references
    means = np.full(len(batch), np.nan)
    if (counts > 0).any():
        means[counts > 0] = np.add.reduceat(values, batch.reference_offsets[:-1][counts > 0]) / counts[counts > 0]
    return means


def closest_length(batch: Batch, lengths: IntArray) -> FloatArray:
    """(n,) length of the reference whose length is nearest to the output's; of two as near, the shorter.

    An empty reference is never chosen where one that is not empty exists: a blank field is no reference that an output
    could be too long for. NaN without references.

    Parameters
    ----------
    batch : Batch
    lengths : (n_texts,) int64
        Length of every text of the corpus.
    """
    outputs, references = batch.pairs
    there = lengths[references]
    scale = lengths.max(initial=0) + 1
    cost = np.abs(lengths[outputs] - there) * scale + there + np.where(there == 0, scale * scale, 0)
    return chosen(there, best_pair(batch, -cost))


def streams(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Rows of references as sacreBLEU takes them: one list per reference position, None where a row has fewer.

    >>> streams([["a", "b"], ["c"]])
    [['a', 'c'], ['b', None]]
    """
    width = max(map(len, references), default=0)
    return [[row[place] if place < len(row) else None for row in references] for place in range(width)]
