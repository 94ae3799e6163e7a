"""Cohen's kappa: agreement of two raters beyond what their own habits would bring about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from validate.schema import Estimate, FloatArray
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.scales import Weights
from validate.stats.agreement.two_raters import CrossTable, Spacing, credits, cross_table
from validate.stats.agreement.units import column_sums

_CERTAIN = 1e-12  # chance agreement this close to 1 is 1 but for rounding


def cohen_kappa(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Weights | ArrayLike | None = None,
    categories: Sequence[Any] | None = None,
    spacing: Spacing = "value",
    interval: Interval | None = "analytic",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Cohen's κ = (p_o - p_e) / (1 - p_e), where p_e is what the two raters' own shares of the categories would give by chance.

    Parameters
    ----------
    a, b : (n_units,) array
        The categories, numbers or labels, that each of the two gave; NaN or None where one did not judge.
    weights : {None, "linear", "quadratic", "ordinal"} or (q, q) array
        Credit for two categories: 1 or 0; by the distance of their values; by its square; by how many categories lie
        between, Gwet's 1 - C(d + 1, 2) / C(q, 2); or a matrix of credits, 1 on the diagonal, in the order of ``categories``.
    categories : sequence, optional
        The scale as it was declared, in its order; without it, the categories that occur.
    spacing : {"value", "index"}
        Whether the distance of two categories is that of their values, or how many steps of the scale lie between. They
        differ on 1, 2, 10; with ``"index"`` declare the scale, or the labels that happen to occur decide.
    interval : {"analytic", "bootstrap", "percentile"} or None
        ``"analytic"`` is the asymptotic variance of Fleiss, Cohen and Everitt with the normal distribution; the others
        resample units: bias-corrected accelerated, percentile.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement; 0 is agreement by chance. ``standard_error`` is that of the interval. ``n``
        counts the units that both judged, ``n_dropped`` the others. NaN with a reason when there is none, or when both
        raters gave one and the same category throughout: chance alone agrees then.

    Raises
    ------
    ShapeError
        When the lists have different lengths, or the matrix does not fit.
    OptionError
        For unknown weights, for values outside ``categories``, for distances between labels.

    References
    ----------
    J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 37–46.
    doi:10.1177/001316446002000104. J. Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213–220.
    doi:10.1037/h0026256. J. L. Fleiss, J. Cohen, B. S. Everitt (1969). Large sample standard errors of kappa and weighted
    kappa. Psychological Bulletin 72, 323–327. doi:10.1037/h0028106. Its eq. 13.

    Examples
    --------
    Of four units, three are judged alike. Shares of "x": 3/4 and 1/2, so p_e = 3/8 + 1/8.

    >>> cohen_kappa(["x", "x", "x", "y"], ["x", "x", "y", "y"], interval=None).value  # (3/4 - 1/2) / (1/2)
    0.5
    """
    who = "cohen_kappa"
    table = cross_table(who, a, b, categories)
    kappa = _Kappa(table, credits(who, table, weights, spacing, categories is not None))
    named = "own" if not (weights is None or isinstance(weights, str)) else weights
    coefficient = Coefficient(
        "Cohen kappa" if named is None else f"Cohen kappa ({named} weights)",
        table,
        kappa.value,
        kappa.influence,
        "both raters gave one and the same category throughout: chance agreement cannot be told from real agreement",
        large_sample=True,
        nothing="no unit was judged by both",
    )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


@dataclass(frozen=True, slots=True)
class KappaTest:
    """Whether kappa differs from 0: z, its two-sided p-value, and the standard error under independence."""

    statistic: float
    p: float
    standard_error: float


def cohen_kappa_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Weights | ArrayLike | None = None,
    categories: Sequence[Any] | None = None,
    spacing: Spacing = "value",
) -> KappaTest:
    """Whether two raters agree beyond chance: κ over its standard error under independence, held against the normal.

    Parameters
    ----------
    a, b, weights, categories, spacing
        As in `cohen_kappa`.

    Returns
    -------
    KappaTest
        ``statistic``, ``p`` (two-sided), ``standard_error``; NaN where kappa is undefined.

    References
    ----------
    Fleiss, Cohen and Everitt (1969), eq. 14. doi:10.1037/h0028106.

    Examples
    --------
    >>> round(cohen_kappa_test(["x", "x", "x", "y"], ["x", "x", "y", "y"]).statistic, 4)  # 0.5 / √(0.1875 / 4 / 0.5²)
    1.1547
    """
    who = "cohen_kappa_test"
    table = cross_table(who, a, b, categories)
    kappa = _Kappa(table, credits(who, table, weights, spacing, categories is not None))
    if not table.n_pairable:
        return KappaTest(np.nan, np.nan, np.nan)
    value = float(kappa.value(table.multiplicity[:, None].astype(np.float64))[0])
    error = kappa.null_error()
    if np.isnan(value) or error == 0:
        return KappaTest(np.nan, np.nan, error)
    z = value / error
    return KappaTest(z, float(2 * special.ndtr(-abs(z))), error)


class _Kappa:
    """Kappa of a cross table as a function of how often each cell occurs; ``credit`` None stands for the identity."""

    def __init__(self, table: CrossTable, credit: FloatArray | None) -> None:
        self.table = table
        n_kinds, q = len(table.multiplicity), len(table.categories)
        cells = np.arange(n_kinds)
        self.first = sparse.csr_array((np.ones(n_kinds), (table.one, cells)), shape=(q, n_kinds))
        self.second = sparse.csr_array((np.ones(n_kinds), (table.other, cells)), shape=(q, n_kinds))
        self.credit: Any = sparse.eye_array(q, format="csr") if credit is None else sparse.csr_array(credit)
        self.agreement = (
            (table.one == table.other).astype(np.float64) if credit is None else credit[table.one, table.other]
        )

    def value(self, drawn: FloatArray) -> FloatArray:
        """1 - (1 - p_o) / (1 - p_e)."""
        n = column_sums(drawn)
        observed = column_sums(self.agreement[:, None] * drawn) / n
        by_chance = column_sums((self.first @ drawn) * (self.credit @ (self.second @ drawn))) / n**2
        room = 1 - by_chance
        missed = np.divide(1 - observed, room, out=np.full(len(room), np.nan), where=room > _CERTAIN)
        value: FloatArray = 1 - missed
        return value

    def _chance(self) -> tuple[float, FloatArray, FloatArray, FloatArray, FloatArray]:
        """p_e, the raters' shares, and the mean credit of a category against the other rater: w̄_i· and w̄_·j."""
        share = self.table.multiplicity / self.table.n_pairable
        one, other = self.first @ share, self.second @ share
        of_one, of_other = self.credit @ other, self.credit.T @ one
        return float(one @ of_one), one, other, of_one, of_other

    def influence(self) -> FloatArray:
        """n dκ = ((w - p_o) (1 - p_e) - (1 - p_o) (w̄_i· + w̄_·j - 2 p_e)) / (1 - p_e)² for one more unit in a cell."""
        table = self.table
        by_chance, _, _, of_one, of_other = self._chance()
        observed = float((self.agreement * table.multiplicity).sum()) / table.n_pairable
        pull = of_one[table.one] + of_other[table.other] - 2 * by_chance
        effect: FloatArray = (self.agreement - observed) / (1 - by_chance) - (1 - observed) * pull / (
            1 - by_chance
        ) ** 2
        return effect / table.n_pairable

    def null_error(self) -> float:
        """√((Σ p_i p_j (w - w̄_i· - w̄_·j)² - p_e²) / n) / (1 - p_e), the standard error of kappa 0."""
        by_chance, one, other, of_one, of_other = self._chance()
        if 1 - by_chance <= _CERTAIN:
            return np.nan
        spread = self.credit.toarray() - of_one[:, None] - of_other
        variance = float(one @ spread**2 @ other) - by_chance**2
        return float(np.sqrt(max(variance, 0.0) / self.table.n_pairable) / (1 - by_chance))
