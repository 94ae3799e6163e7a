"""Agreement corrected for chance, (p_a - p_e) / (1 - p_e), where the raters of a unit are exchangeable.

Scott's pi, Fleiss' and Randolph's kappa and Gwet's AC differ in one thing only: what they expect by chance. All of them
can be written p_e = Σ_k π_k e_k(π), with π the mean shares of the categories.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from validate.schema import FloatArray
from validate.stats.agreement.estimate import Coefficient
from validate.stats.agreement.units import UnitCounts, column_sums

_CERTAIN = 1e-12  # chance agreement this close to 1 is 1 but for rounding


def chance_corrected(
    name: str, units: UnitCounts, agreement: FloatArray, expected: Callable[[FloatArray], FloatArray], undefined: str
) -> Coefficient:
    """The coefficient out of the agreement inside each kind of unit and what chance expects.

    Parameters
    ----------
    name : str
    units : UnitCounts
        Units with one judgment count in π only.
    agreement : (n_kinds,) float64
        Mean credit of the pairs of judgments of a unit; not read where there is no pair.
    expected : callable
        Shares π of shape (n_categories, n) → e of that shape.
    undefined : str
        The reason where chance agreement is certain, or NaN.
    """
    pairable = units.sizes > 1
    agreement = np.where(pairable, agreement, 0.0)
    shares = units.counts.multiply(1 / units.sizes[:, None]).tocsr()

    def value(drawn: FloatArray) -> FloatArray:
        observed = _ratio(column_sums(agreement[:, None] * drawn), column_sums(pairable[:, None] * drawn))
        prevalence = (shares.T @ drawn) / column_sums(drawn)
        by_chance = column_sums(prevalence * expected(prevalence))
        room = 1 - by_chance
        return np.divide(observed - by_chance, room, out=np.full(len(room), np.nan), where=room > _CERTAIN)

    def influence() -> FloatArray:
        return _influence(units, agreement, shares, expected)

    return Coefficient(name, units, value, influence, undefined)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """NaN where a replicate drew no unit with two judgments."""
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)


def _influence(
    units: UnitCounts, agreement: FloatArray, shares: sparse.csr_array, expected: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """(n_kinds,) effect of one unit of a kind on the coefficient, whose squares sum to Gwet's variance (2014, eq. 5.3.11).

    With K units, of which K' have a pair: K dκ = (K/K' (a_u - p_e) - 2 (1 - κ) (p_e,u - p_e)) / (1 - p_e) - κ, where
    a_u - p_e is 0 for units without a pair and p_e,u is Σ_k π_uk e_k(π).
    """
    weight = units.multiplicity.astype(np.float64)
    n_units, n_pairable = weight.sum(), units.n_pairable
    prevalence = shares.T @ weight / n_units
    pull = expected(prevalence[:, None])[:, 0]
    by_chance = float((prevalence * pull).sum())
    coefficient = (float((agreement * weight).sum()) / n_pairable - by_chance) / (1 - by_chance)
    observed = np.where(units.sizes > 1, agreement - by_chance, 0.0) * (n_units / n_pairable)
    effect: FloatArray = (observed - 2 * (1 - coefficient) * (shares @ pull - by_chance)) / (
        1 - by_chance
    ) - coefficient
    return effect / n_units
