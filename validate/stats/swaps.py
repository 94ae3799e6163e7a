"""What two metrics swap under the hypothesis that it is chance which scores bear which name.

Only cells that both metrics have are swapped, so that the difference without a swap is the one that is reported. Scores are
standardised first, because metrics have scales of their own (Deutsch, Dror and Roth 2021, section 5.2).

References
----------
Deutsch, D., Dror, R., Roth, D. (2021). A statistical analysis of summarization evaluation metrics using resampling methods.
doi:10.1162/tacl_a_00417
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from validate.schema import FloatArray, IntArray
from validate.stats._pairs import unit_scaled
from validate.stats._swaps import Bytes
from validate.stats._ties import tie_codes
from validate.stats.panel import Mask

SCALES = ("z-score", "rank")


class Swaps(Protocol):
    """Differences of all pairs of metrics of a panel at one level and grouping, under masks of what is swapped."""

    n_rows: int

    def __call__(self, masks: Bytes) -> FloatArray:
        """(n_coefficients, n_pairs, n_lanes) under masks (n_rows + 1, n_lanes) of 0 and 1 whose last row is 0."""


@dataclass(frozen=True, slots=True)
class Family:
    """Pairs of metrics that can swap the same cells.

    ``pairs`` (n, 3) holds the number of each pair and its two metrics, ``common`` (n_cells,) where both have a score, ``row_of`` (n_cells,) the row of
    the masks that decides about a cell: the last one, which is never swapped, where not both have a score.
    """

    pairs: IntArray
    common: Mask
    row_of: NDArray[np.int32]

    def local(self) -> tuple[IntArray, IntArray]:
        """The metrics that occur, and each pair's two positions among them (n, 2)."""
        metrics, positions = np.unique(self.pairs[:, 1:], return_inverse=True)
        return metrics, positions.reshape(-1, 2)


def families(common: Mapping[tuple[int, int], Mask], row_of: IntArray, last: int) -> list[Family]:
    """Pairs of metrics, each with its common cells, by which cells these are."""
    sharing: dict[bytes, list[tuple[int, int, int]]] = {}
    for number, (pair, mask) in enumerate(common.items()):
        sharing.setdefault(mask.tobytes(), []).append((number, *pair))
    found = []
    for members in sharing.values():
        mask = common[members[0][1:]]
        found.append(Family(np.array(members), mask, np.where(mask, row_of, last).astype(np.int32)))
    return found


def standardised(values: FloatArray, used: Mask, scale: str = "z-score") -> FloatArray:
    """Scores with mean 0 and standard deviation 1 over the cells used, or their midranks between 0 and 1; NaN elsewhere.

    Scores that are tied get one value first, so that they stay tied. A constant becomes 0.

    Examples
    --------
    >>> standardised(np.array([[1.0, 3.0], [3.0, 5.0]]), np.array([[True, True], [True, False]]))  # mean 7/3, deviation sqrt(8/9)
    array([[-1.414...,  0.707...],
           [ 0.707...,         nan]])
    """
    out = np.full(values.shape, np.nan)
    scores = unit_scaled(values)[used]
    codes = tie_codes(scores)
    if not len(codes):
        return out
    if scale == "rank":
        out[used] = (scipy.stats.rankdata(codes) - 0.5) / len(codes)
        return out
    _, first = np.unique(codes, return_index=True)
    tied = scores[first][codes]
    centred = tied - tied.mean()
    spread = float(np.sqrt((centred**2).mean()))
    out[used] = centred / spread if len(first) > 1 else 0.0
    return out
