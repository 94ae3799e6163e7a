"""The four distances of Krippendorff's alpha, and how one unit more of a kind moves alpha.

Each distance gives, for marginals n of shape (n_categories, b), two things:

    within  (n_kinds, 1 or b)     Σ_ck n_uc n_uk δ²(c, k) / (m_u - 1)     the disagreement inside a unit
    pull    (n_categories, b)     Σ_k n_k δ²(c, k)                        the distance of a category from all judgments

With weights w of the kinds, D = Σ_u w_u within_u and E = Σ_c n_c pull_c, alpha is 1 - (n - 1) D / E.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from validate.schema import FloatArray, IntArray
from validate.stats.agreement.units import UnitCounts, column_sums

_ROWS = 256  # rows of the distance matrix at a time

Disagreement = Callable[[UnitCounts, FloatArray], tuple[FloatArray, FloatArray]]


def nominal(units: UnitCounts, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """δ² is 0 or 1: m² - Σ n_uc² unequal pairs in a unit."""
    equal = units.counts.multiply(units.counts).sum(axis=1)
    within = (units.sizes**2 - equal) / (units.sizes - 1)
    return within[:, None], column_sums(marginals) - marginals


def interval(units: UnitCounts, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """δ² is the squared difference of values, here from the middle of the data, so that no digits are lost."""
    middle = np.average(units.values, weights=units.counts.T @ units.multiplicity)
    return _squared(units, marginals, (units.values - middle)[:, None])


def ordinal(units: UnitCounts, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """δ² is the squared difference of midranks among all judgments."""
    return _squared(units, marginals, _midranks(marginals))


def ratio(units: UnitCounts, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """δ² is ((c - k) / (c + k))²; it does not factor, so every pair of values is taken."""
    pull = np.empty_like(marginals)
    for start in range(0, len(marginals), _ROWS):
        rows = slice(start, start + _ROWS)
        distance = sparse.csr_array(_relative(units.values[rows, None], units.values[None, :]))
        pull[rows] = distance @ marginals
    within = pairs_within(units, lambda one, other: _relative(units.values[one], units.values[other]))
    return (within / (units.sizes - 1))[:, None], pull


DISAGREEMENTS: dict[str, Disagreement] = {"nominal": nominal, "ordinal": ordinal, "interval": interval, "ratio": ratio}


def _midranks(marginals: FloatArray) -> FloatArray:
    """(n_categories, b) Σ_{g<c} n_g + n_c / 2, from the middle of the ranks."""
    ranks: FloatArray = np.cumsum(marginals, axis=0) - marginals / 2 - column_sums(marginals) / 2
    return ranks


def _squared(units: UnitCounts, marginals: FloatArray, position: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Σ_ck n_c n_k (x_c - x_k)² = 2 (m Σ n x² - (Σ n x)²), inside units and over all judgments."""
    size = units.sizes[:, None]
    within = 2 * (size * (units.counts @ position**2) - (units.counts @ position) ** 2) / (size - 1)
    first, second = column_sums(marginals * position), column_sums(marginals * position**2)
    pull = column_sums(marginals) * position**2 - 2 * first * position + second
    return within, pull


def _relative(one: FloatArray, other: FloatArray) -> FloatArray:
    """((c - k) / (c + k))², 0 for two zeros."""
    total = one + other
    fraction = np.zeros(np.broadcast_shapes(one.shape, other.shape))
    np.divide(one - other, total, out=fraction, where=total > 0)
    return fraction**2


def pairs_within(units: UnitCounts, distance: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
    """(n_kinds,) Σ_{c≠k} n_uc n_uk distance(c, k), over ordered pairs: entries of a row with those one further, two further, …"""
    counts = units.counts
    kind = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    total = np.zeros(counts.shape[0])
    for step in range(1, int(np.diff(counts.indptr).max(initial=0))):
        same = kind[step:] == kind[:-step]
        products = counts.data[step:][same] * counts.data[:-step][same]
        distances = distance(counts.indices[step:][same], counts.indices[:-step][same])
        total += np.bincount(kind[step:][same], 2 * products * distances, len(total))
    return total


def influence(units: UnitCounts, measurement: str) -> FloatArray:
    """(n_kinds,) derivative of alpha with respect to the number of units of a kind.

    d log(1 - α) = dD / D + dn / (n - 1) - dE / E; at the ordinal level the distances move with the marginals, too.
    """
    weights = units.multiplicity[:, None].astype(np.float64)
    marginals = units.counts.T @ weights
    within, pull = DISAGREEMENTS[measurement](units, marginals)
    total, observed, expected = float(marginals.sum()), float((within * weights).sum()), float((marginals * pull).sum())
    if observed == 0 or expected == 0:
        return np.zeros(len(weights))
    moved, moved_expected = within[:, 0], 2 * (units.counts @ pull)[:, 0]
    if measurement == "ordinal":
        inside, among = _moving_ranks(units, weights, marginals)
        moved, moved_expected = moved + inside, moved_expected + among
    relative = moved / observed + units.sizes / (total - 1) - moved_expected / expected
    return -(total - 1) * observed / expected * relative


def _moving_ranks(units: UnitCounts, weights: FloatArray, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What a unit adds to D and E by moving the midranks R: Σ_c g_c dR_c with g = ∂D/∂R = 4 (n R - O R), ∂E/∂R = 4 n (n R - Σ n R).

    O R is the coincidence matrix times R, and dR_c is the unit's own Σ_{g<c} n_ug + n_uc / 2.
    """
    rank = _midranks(marginals)
    share = weights / (units.sizes[:, None] - 1)
    coincident = units.counts.T @ (share * (units.counts @ rank)) - (units.counts.T @ share) * rank
    by_rank_inside = 4 * (marginals * rank - coincident)
    by_rank_among = 4 * marginals * (marginals.sum() * rank - (marginals * rank).sum())

    def along(gradient: FloatArray) -> FloatArray:
        from_here_on = np.cumsum(gradient[::-1], axis=0)[::-1]
        moved: FloatArray = (units.counts @ (from_here_on - gradient / 2))[:, 0]
        return moved

    return along(by_rank_inside), along(by_rank_among)
