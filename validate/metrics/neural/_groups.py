"""Rows in groups whose texts fit into memory together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validate.schema import IntArray
from validate.text.corpus import Batch


def groups(batch: Batch, lengths: IntArray, most: int) -> Iterator[IntArray]:
    """Rows that have references, in groups whose distinct texts have at most ``most`` tokens; one row that has more goes alone.

    Rows with the same first reference stay beside each other, so that few texts fall into several groups.

    Parameters
    ----------
    batch : Batch
    lengths : (len(corpus),) int64
        Tokens of each text.
    most : int

    Examples
    --------
    >>> batch = Batch.of(["a", "b", "c"], [["x"], ["y"], ["x"]])
    >>> [group.tolist() for group in groups(batch, np.full(5, 2), 6)]
    [[0, 2], [1]]
    """
    some = np.flatnonzero(batch.n_references > 0)
    ordered = some[np.argsort(batch.references[batch.reference_offsets[some]], kind="stable")]
    group: list[int] = []
    held: set[int] = set()
    total = 0
    for row in ordered.tolist():
        begin, end = batch.reference_offsets[row], batch.reference_offsets[row + 1]
        texts = {int(batch.outputs[row]), *batch.references[begin:end].tolist()}
        added = int(sum(lengths[text] for text in texts - held))
        if group and total + added > most:
            yield np.array(group, dtype=np.int64)
            group, held, total = [], set(), 0
            added = int(sum(lengths[text] for text in texts))
        group.append(row)
        held |= texts
        total += added
    if group:
        yield np.array(group, dtype=np.int64)
