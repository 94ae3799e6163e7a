"""Resampling things that look alike all at once.

Of n units many are equal to each other: the same labels from the raters, the same outcome of the same pair. Drawing n of
them with replacement is one multinomial draw over the distinct kinds, so that a bootstrap costs by kinds, not by units.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray

_DRAWN = 100_000  # units drawn at a time, which a processor's cache holds
_CELLS = 2_000_000  # numbers held at a time: memory does not grow with the number of replicates


def resampled_counts(
    multiplicity: IntArray, resamples: int, rng: np.random.Generator, *, width: int = 0
) -> Iterator[FloatArray]:
    """How often each kind of unit is drawn in each replicate, (at most so many replicates as fit into memory, n_kinds) at a time.

    Parameters
    ----------
    multiplicity : (n_kinds,) int64
        How many units there are of each kind; as many units are drawn as there are.
    resamples : int
    rng : Generator
    width : int
        How many numbers the caller holds per replicate, where that is more than the number of kinds.

    Notes
    -----
    The blocks change no number: replicates are drawn one after the other whatever their size.
    """
    n_units, n_kinds = int(multiplicity.sum()), len(multiplicity)
    by_unit = n_units < 25 * n_kinds  # a unit drawn costs some 4 ns, a binomial number some 150 ns
    block = max(1, _CELLS // max(n_kinds, width, 1))
    kind_of_unit = np.repeat(np.arange(n_kinds), multiplicity) if by_unit else None
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if kind_of_unit is None:
            yield rng.multinomial(n_units, multiplicity / n_units, size=size).astype(np.float64)
        else:
            counts, at_once = np.zeros((size, n_kinds)), max(1, _DRAWN // max(n_units, 1))
            for begin in range(0, size, at_once):
                part = counts[begin : begin + at_once]
                tally(kind_of_unit, rng.integers(n_units, size=(len(part), n_units), dtype=np.uint32), part)
            yield counts


@kernel
def tally(kind_of_unit: IntArray, drawn: NDArray[np.uint32], counts: FloatArray) -> None:
    """counts (b, n_kinds) += how often units of each kind are among the units drawn (b, n_units)."""
    for replicate in range(len(drawn)):
        for unit in drawn[replicate]:
            counts[replicate, kind_of_unit[unit]] += 1.0
