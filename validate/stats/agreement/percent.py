"""Percent agreement: how often two people who judged the same thing say the same."""

from __future__ import annotations

import numpy as np

from validate.schema import Estimate, FloatArray
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.judgments import Values
from validate.stats.agreement.units import UnitCounts, column_sums, unit_counts


def percent_agreement(
    values: Values,
    *,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """How often two annotators of a unit give it the same category.

    The share of agreeing pairs of annotators in a unit, averaged over the units with two judgments or more, each unit
    counting alike.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers or labels; NaN or None where a rater did not judge. The records need no dense array, so that a million
        judgments fit into memory.
    interval : {"bootstrap", "percentile", "analytic"} or None
        Over units: bias-corrected accelerated bootstrap, percentile bootstrap, or Student's t.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        Between 0 and 1, higher is more agreement; ``n`` counts the units with two judgments or more, ``n_dropped`` the
        others. NaN with a reason when no unit has two judgments.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British
    Journal of Mathematical and Statistical Psychology 61, 29–48. doi:10.1348/000711006X126600. Its p_a.

    Examples
    --------
    Three raters: all agree on the first unit, one pair of three on the second, nobody is left to compare on the third.

    >>> round(percent_agreement([[1, 1, 2], [1, 1, None], [1, 2, None]], interval=None).value, 4)  # (1 + 1/3) / 2
    0.6667
    """
    units = unit_counts("percent_agreement", values).pairable()
    share = agreeing_pairs(units)

    def value(weights: FloatArray) -> FloatArray:
        return column_sums(share[:, None] * weights) / column_sums(weights)

    def influence() -> FloatArray:
        return share / units.n_pairable

    coefficient = Coefficient("percent agreement", units, value, influence, "")
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def agreeing_pairs(units: UnitCounts) -> FloatArray:
    """(n_kinds,) share of the pairs of judgments of a unit that are equal: Σ n(n-1) / m(m-1)."""
    equal = units.counts.multiply(units.counts).sum(axis=1) - units.sizes
    share: FloatArray = equal / (units.sizes * (units.sizes - 1))
    return share
