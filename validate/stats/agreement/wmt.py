"""Agreement on pairwise judgments as the WMT shared tasks published it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from validate.errors import unknown_name
from validate.schema import Estimate, FloatArray, Preferences, Ratings
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.judgments import BothBad, pairwise_ratings
from validate.stats.agreement.percent import agreeing_pairs
from validate.stats.agreement.units import UnitCounts, column_sums, unit_counts

Chance = Literal["empirical", "uniform"]


def wmt_kappa(
    judged: Preferences | Ratings,
    *,
    chance: Chance = "empirical",
    both_bad: BothBad = "tie",
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """κ = (P(A) - P(E)) / (1 - P(E)) on better, equal, worse, the way in which WMT reported agreement on pairwise judgments.

    P(A) is the share of agreeing pairs among all pairs of judgments of one unit (a pair of systems on an item, whichever
    stood first), so that units with many judgments weigh more. P(E) is what chance expects.

    Parameters
    ----------
    judged : Preferences or Ratings
        Pairwise judgments, or their labels 1, 0, -1 as `pairwise_ratings` and `repeated_ratings` make them; the latter for
        agreement of annotators with themselves.
    chance : {"empirical", "uniform"}
        P(E) = t² + 2 ((1 - t) / 2)² with t the share of ties among all judgments, as in the later years; or 1/3, as in the
        first ones.
    both_bad : {"tie", "category", "missing"}
        As in `pairwise_ratings`; as a category it counts as no tie.
    interval : {"bootstrap", "percentile", "analytic"} or None
        Over units: bias-corrected accelerated bootstrap, percentile bootstrap, or Student's t with the infinitesimal jackknife.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement; ``n`` counts the units with two judgments or more, ``n_dropped`` the others. NaN
        with a reason when no unit has two judgments, or when all judgments are ties.

    Notes
    -----
    Better and worse are expected alike by chance, so that which side a system is on cannot matter, unlike with
    `krippendorff_alpha` on the labels of `pairwise_ratings`. WMT's own script took A–B and B–A for different units.

    References
    ----------
    O. Bojar et al. (2014). Findings of the 2014 Workshop on Statistical Machine Translation. WMT, 12–58, section on
    agreement. doi:10.3115/v1/W14-3302. P(E) = 1/3: C. Callison-Burch et al. (2007). (Meta-) evaluation of machine
    translation. WMT, 136–158.

    Examples
    --------
    Two annotators of four units: they agree on a tie and on two wins, not on the fourth. P(A) = 3/4, t = 2/8.

    >>> from validate.schema import Preferences
    >>> seen = Preferences("quality", ("Ann", "Bo"), ("A", "B"), tuple("ijkl"), [0] * 8, [1] * 8, [0, 0, 1, 1, 2, 2, 3, 3],
    ...                    [0, 1] * 4, [0, 0, 1, 1, -1, -1, 1, -1], [False] * 8)
    >>> round(wmt_kappa(seen, interval=None).value, 4)  # P(E) = 1/16 + 2 * 9/64 = 11/32: (24 - 11) / (32 - 11)
    0.619
    """
    who = "wmt_kappa"
    if chance not in get_args(Chance):
        raise unknown_name(who, "chance agreement", str(chance), get_args(Chance))
    labels = pairwise_ratings(judged, both_bad=both_bad) if isinstance(judged, Preferences) else judged
    units = unit_counts(who, labels)
    kappa = _Pooled(units, chance == "empirical")
    coefficient = Coefficient(
        f"WMT kappa ({chance} chance)",
        units,
        kappa.value,
        kappa.influence,
        "all judgments are ties: chance alone agrees",
    )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


class _Pooled:
    """Kappa of pooled pairs as a function of how often each kind of unit occurs."""

    def __init__(self, units: UnitCounts, empirical: bool) -> None:
        self.units, self.empirical = units, empirical
        self.pairs = units.sizes * (units.sizes - 1)
        self.agreeing = np.zeros(len(self.pairs))
        self.agreeing[self.pairs > 0] = agreeing_pairs(units.pairable()) * self.pairs[self.pairs > 0]
        ties = np.flatnonzero(units.values == 0)
        self.ties = units.counts[:, ties].sum(axis=1) if len(ties) else np.zeros(len(self.pairs))

    def value(self, drawn: FloatArray) -> FloatArray:
        pairs, agreeing = column_sums(self.pairs[:, None] * drawn), column_sums(self.agreeing[:, None] * drawn)
        observed = np.divide(agreeing, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
        room = 1 - self._by_chance(self._tied(drawn))
        return np.divide(observed - (1 - room), room, out=np.full(len(room), np.nan), where=room > 0)

    def _tied(self, drawn: FloatArray) -> FloatArray:
        """The share of ties among all judgments."""
        share: FloatArray = column_sums(self.ties[:, None] * drawn) / column_sums(self.units.sizes[:, None] * drawn)
        return share

    def _by_chance(self, tied: FloatArray) -> FloatArray:
        """t² + 2 ((1 - t) / 2)², or 1/3."""
        return tied**2 + (1 - tied) ** 2 / 2 if self.empirical else np.full_like(tied, 1 / 3)

    def influence(self) -> FloatArray:
        """dκ = dP(A) / (1 - P(E)) - (1 - P(A)) dP(E) / (1 - P(E))², with dP(E) = (3 t - 1) dt."""
        weight = self.units.multiplicity.astype(np.float64)
        pairs, judgments = float(weight @ self.pairs), float(weight @ self.units.sizes)
        observed = float(weight @ self.agreeing) / pairs
        tied = self._tied(weight[:, None])
        room = 1 - float(self._by_chance(tied)[0])
        to_observed = (self.agreeing - observed * self.pairs) / pairs
        to_tied = (self.ties - tied[0] * self.units.sizes) / judgments
        to_chance = (3 * tied[0] - 1) * to_tied if self.empirical else np.zeros_like(to_tied)
        effect: FloatArray = to_observed / room - (1 - observed) * to_chance / room**2
        return effect
