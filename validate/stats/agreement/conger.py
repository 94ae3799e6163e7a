"""Conger's kappa: Cohen's for more than two raters, each with habits of his or her own."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from validate.schema import Estimate, FloatArray, IntArray
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.judgments import Judgments, Values, judgments
from validate.stats.agreement.units import column_sums

_CERTAIN = 1e-12  # chance agreement this close to 1 is 1 but for rounding


def conger_kappa(
    values: Values,
    *,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Conger's κ = (p_a - p_e) / (1 - p_e), where p_e is the mean chance agreement of two different raters with their own shares.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers or labels; NaN or None where a rater did not judge.
    interval : {"bootstrap", "percentile", "analytic"} or None
        Over units: bias-corrected accelerated bootstrap, percentile bootstrap, or Gwet's variance with Student's t.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement; for two raters without missing judgments Cohen's kappa. ``n`` counts the units
        with two judgments or more, ``n_dropped`` the others, which still count in the raters' shares. NaN with a reason when
        no unit has two judgments, or when all judgments are one category.

    References
    ----------
    A. J. Conger (1980). Integration and generalization of kappas for multiple raters. Psychological Bulletin 88, 322–328.
    doi:10.1037/0033-2909.88.2.322. With missing judgments and the variance: K. L. Gwet (2014). Handbook of Inter-Rater
    Reliability, 4th ed., ch. 5.

    Examples
    --------
    Of four units, three are judged alike. Shares of "x": 3/4 and 1/2, so p_e = 3/8 + 1/8.

    >>> round(conger_kappa([["x", "x", "x", "y"], ["x", "x", "y", "y"]], interval=None).value, 4)  # (3/4 - 1/2) / (1/2)
    0.5
    """
    given = judgments("conger_kappa", values)
    table = _Raters(given)
    coefficient = Coefficient(
        "Conger kappa",
        table,
        table.value,
        table.influence,
        "all judgments are one category: chance agreement cannot be told from real agreement",
    )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


class _Raters:
    """Raters' categories as a function of how often each unit occurs; units that nobody judged are left out."""

    def __init__(self, given: Judgments) -> None:
        units, unit = np.unique(given.unit, return_inverse=True)
        raters, rater = np.unique(given.annotator, return_inverse=True)
        self.n_raters, self.q, n = len(raters), len(given.values), len(units)
        ones = np.ones(len(unit))
        # row g q + k: which units rater g gave category k
        self.gave = sparse.csr_array((ones, (rater * self.q + given.category, unit)), shape=(self.n_raters * self.q, n))
        counts = sparse.csr_array((ones, (unit, given.category)), shape=(n, self.q))
        counts.sum_duplicates()
        self.size = np.bincount(unit, minlength=n).astype(np.float64)
        self.pairs = self.size > 1
        equal = counts.multiply(counts).sum(axis=1) - self.size
        self.agreement = np.divide(equal, self.size * (self.size - 1), out=np.zeros(n), where=self.pairs)
        self.n_dropped = given.n_units - int(self.pairs.sum())

    @property
    def multiplicity(self) -> IntArray:
        return np.ones(len(self.size), np.int64)

    @property
    def n_pairable(self) -> int:
        return int(self.pairs.sum())

    @property
    def width(self) -> int:
        return self.n_raters * self.q

    def _shares(self, drawn: FloatArray) -> FloatArray:
        """(n_raters, q, b) shares of each rater's categories; 0 for one who judged nothing of what was drawn."""
        counts = (self.gave @ drawn).reshape(self.n_raters, self.q, -1)
        judged = counts.sum(axis=1, keepdims=True)
        return np.divide(counts, judged, out=np.zeros_like(counts), where=judged > 0)

    def value(self, drawn: FloatArray) -> FloatArray:
        """p_e = (|Σ p_g|² - Σ |p_g|²) / (r (r - 1))."""
        shares = self._shares(drawn)
        raters = (shares.sum(axis=1) > 0).sum(axis=0)
        together = column_sums(shares.sum(axis=0) ** 2) - column_sums((shares**2).sum(axis=0))
        pairs = raters * (raters - 1)
        by_chance = np.divide(together, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
        units = column_sums(self.pairs[:, None] * drawn)
        agreeing = column_sums(self.agreement[:, None] * drawn)
        observed = np.divide(agreeing, units, out=np.full(len(units), np.nan), where=units > 0)
        room = 1 - by_chance
        return np.divide(observed - by_chance, room, out=np.full(len(room), np.nan), where=room > _CERTAIN)

    def influence(self) -> FloatArray:
        """n dκ = (n/n' (a_u - p_e) - 2 (1 - κ) Σ_g n/n_g (Σ p - p_g)·(e_ug - p_g) / (r (r - 1))) / (1 - p_e) - κ."""
        ones = np.ones((len(self.size), 1))
        n, r, shares = len(self.size), self.n_raters, self._shares(ones)[:, :, 0]
        kappa = float(self.value(ones)[0])
        rest = shares.sum(axis=0) - shares
        by_chance = float((rest * shares).sum()) / (r * (r - 1))
        judged = np.asarray(self.gave.sum(axis=1)).reshape(r, self.q).sum(axis=1, keepdims=True)
        pull = n / judged * (rest - (rest * shares).sum(axis=1, keepdims=True)) / (r * (r - 1))
        expected = self.gave.T @ pull.ravel()
        observed = np.where(self.pairs, self.agreement - by_chance, 0.0) * (n / self.n_pairable)
        effect: FloatArray = (observed - 2 * (1 - kappa) * expected) / (1 - by_chance) - kappa
        return effect / n
