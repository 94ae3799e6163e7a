"""Kendall's tau within small groups: the signs of all pairs of pairs, looked up once and multiplied by what each pair counts.

Groups by item have the same rows, the systems; a pair of systems counts the product of their multiplicities in every group alike.
What a tree would find anew in every replicate is then one product of matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray, IntArray
from validate.stats._kernels import weighted_sums

MOST_ROWS = 20  # of a group: all pairs grow with the square, and beyond a tree over the human levels is quicker (48 rows: twice)
MOST_SIGNS = 32_000_000  # kept for all metrics together, some 32 MB

Signs = NDArray[np.int8]


class PairSigns(NamedTuple):
    """What is known of each group and pair of rows before any row counts more or less than once.

    ``alike`` (n_groups, n_pairs) is 1 where metric and people agree, -1 where they do not, 0 for ties and where a score is missing. ``present``
    (n_groups, n_rows) is 1 where there is a score. ``with_ties`` (k,) are the groups in which the metric ties rows, and ``tied`` (k, n_pairs) is 1 for those.
    """

    alike: Signs
    present: Signs
    complete: bool
    with_ties: IntArray
    tied: Signs

    def sums(
        self, rows: FloatArray, products: FloatArray, sizes: FloatArray, cross: FloatArray, own: FloatArray
    ) -> None:
        """Fill cross and own (n_groups, n_lanes) as `validate.stats._kernels.kendall_sums` does.

        rows (n_rows, n_lanes) and products (n_pairs, n_lanes) say how often each row and pair of rows counts, sizes (n_groups, n_lanes) how many there are.
        Pairs of copies of one row and pairs that the metric ties are not told apart: all others are its own.
        """
        sign_sums(self.alike, products.astype(np.float32), cross)
        if self.complete:
            own[:] = (rows * rows).sum(axis=0)
        else:
            weighted_sums(self.present, rows * rows, own)
        np.subtract(sizes * sizes, own, out=own)
        if len(self.with_ties):
            tied = np.empty((len(self.with_ties), products.shape[1]))
            weighted_sums(self.tied, products, tied)
            own[self.with_ties] -= 2.0 * tied


@kernel
def sign_sums(alike: Signs, products: NDArray[np.float32], out: FloatArray) -> None:
    """out (n_groups, n_lanes) = 2 alike (n_groups, n_pairs) @ products (n_pairs, n_lanes): whole numbers that 24 bits hold.

    In single precision a vector instruction serves twice as many replicates. Sums stay below the square of the rows of a group.
    """
    n_pairs, n_lanes = products.shape
    total = np.empty(n_lanes, dtype=np.float32)
    for group in range(len(alike)):
        total[:] = np.float32(0.0)
        pair = 0
        while pair + 4 <= n_pairs:
            one, two = np.float32(alike[group, pair]), np.float32(alike[group, pair + 1])
            three, four = np.float32(alike[group, pair + 2]), np.float32(alike[group, pair + 3])
            for b in range(n_lanes):
                near = total[b] + one * products[pair, b] + two * products[pair + 1, b]
                total[b] = near + three * products[pair + 2, b] + four * products[pair + 3, b]
            pair += 4
        while pair < n_pairs:
            sign = np.float32(alike[group, pair])
            for b in range(n_lanes):
                total[b] += sign * products[pair, b]
            pair += 1
        for b in range(n_lanes):
            out[group, b] = 2.0 * total[b]


def pair_signs(metric: IntArray, human: IntArray) -> PairSigns:
    """From codes (n_groups, n_rows) that order the scores and are -1 where one is missing, on both sides alike."""
    first, second = np.triu_indices(metric.shape[1], 1)
    present = metric >= 0
    both = present[:, first] & present[:, second]
    order, order_human = (np.sign(codes[:, first] - codes[:, second]) for codes in (metric, human))
    tied = both & (order == 0)
    with_ties = np.flatnonzero(tied.any(axis=1))
    return PairSigns(
        _signs(order * order_human * both), _signs(present), bool(present.all()), with_ties, _signs(tied[with_ties])
    )


def pair_products(rows: FloatArray) -> FloatArray:
    """(n_pairs, n_lanes) how often each pair of rows meets, of multiplicities (n_rows, n_lanes)."""
    first, second = np.triu_indices(len(rows), 1)
    return rows[first] * rows[second]


def _signs(values: NDArray[Any]) -> Signs:
    return np.ascontiguousarray(values, dtype=np.int8)
