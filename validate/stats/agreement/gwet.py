"""Gwet's AC1 and AC2: agreement corrected for chance in a way that does not break down when one category prevails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validate.errors import OptionError, bad_value, listed, unknown_name
from validate.schema import Estimate, FloatArray, IntArray
from validate.stats.agreement.chance import chance_corrected
from validate.stats.agreement.disagreement import pairs_within
from validate.stats.agreement.estimate import Interval, estimate
from validate.stats.agreement.judgments import Values
from validate.stats.agreement.scales import WEIGHTS, Weights, penalty
from validate.stats.agreement.units import UnitCounts, unit_counts


def gwet_ac(
    values: Values,
    weights: Weights | None = None,
    *,
    categories: Sequence[float] | None = None,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Gwet's AC1 = (p_a - p_e) / (1 - p_e), or AC2 where weights give credit for being close.

    Chance agreement is p_e = T_w Σ π (1 - π) / (q (q - 1)) with q categories, π their mean shares over all judged units
    and T_w the sum of the weights. It is small where one category prevails, unlike that of kappa and alpha.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers, or labels without weights; NaN or None where a rater did not judge.
    weights : {None, "linear", "quadratic", "ordinal"}
        Credit for two categories: 1 or 0; by the distance of their values; by its square; by how many categories lie
        between, Gwet's 1 - C(d + 1, 2) / C(q, 2).
    categories : sequence of float, optional
        The scale as it was declared; without it, the categories that occur.
    interval : {"bootstrap", "percentile", "analytic"} or None
        For the population of units; ``"analytic"`` is Gwet's variance with Student's t.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement. ``n`` counts the units with two judgments or more, ``n_dropped`` the others;
        units with one judgment still count in π, as Gwet has it. NaN with a reason when no unit has two judgments or there
        is only one category.

    Raises
    ------
    OptionError
        For unknown weights, for weights on labels, for values outside ``categories``.

    Notes
    -----
    Gwet's variance takes the number of units with a pair as fixed. Where many units have one judgment only, it is larger
    than the variance under resampling (0.143 and 0.125 as standard errors on his own example with 12 units).

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British
    Journal of Mathematical and Statistical Psychology 61, 29–48. doi:10.1348/000711006X126600. With missing judgments:
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., ch. 5.

    Examples
    --------
    Two raters, four units, three times "a" twice and once "a" and "b": p_a = 3/4, π = 7/8 and 1/8, p_e = 7/32.

    >>> round(gwet_ac([["a", "a", "a", "a"], ["a", "a", "a", "b"]], interval=None).value, 4)  # (24/32 - 7/32) / (25/32)
    0.68
    """
    who = "gwet_ac"
    if weights is not None and weights not in WEIGHTS:
        raise unknown_name(who, "weights", str(weights), ("None", *WEIGHTS))
    units = unit_counts(who, values)
    scale = _scale(who, units, weights, categories)
    chance_weight = _chance_weight(scale, weights)

    def expected(prevalence: FloatArray) -> FloatArray:
        return chance_weight * (1 - prevalence)

    coefficient = chance_corrected(
        "Gwet AC1" if weights is None else f"Gwet AC2 ({weights})",
        units,
        _agreement(units, scale, weights),
        expected,
        "there is only one category: chance agreement is not defined; declare the scale with categories=[...]",
    )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def _scale(who: str, units: UnitCounts, weights: str | None, categories: Sequence[float] | None) -> FloatArray:
    """(q,) the categories' values in ascending order, as declared or as they occur."""
    labelled = bool(np.isnan(units.values).any())
    if labelled and (weights is not None or categories is not None):
        raise OptionError(
            f"{who}: the values are labels and weights={weights!r}, categories={categories!r}; labels allow neither; give numbers"
        )
    if categories is None:
        return units.values
    declared = np.unique(np.asarray(categories, dtype=np.float64))
    outside = np.setdiff1d(units.values, declared)
    if len(outside):
        raise bad_value(
            who, "categories", declared.tolist(), f"all categories that occur, so also {listed(outside.tolist())}"
        )
    return declared


def _chance_weight(scale: FloatArray, weights: str | None) -> float:
    """T_w / (q (q - 1)), the factor of Σ π (1 - π) in chance agreement; NaN for one category."""
    q = len(scale)
    if q < 2:
        return np.nan
    position = np.arange(q, dtype=np.float64) if weights == "ordinal" else scale
    penalties = (
        q * (q - 1) if weights is None else sum(penalty(np.abs(position - p), scale, weights).sum() for p in position)
    )
    return float(q * q - penalties) / (q * (q - 1))


def _agreement(units: UnitCounts, scale: FloatArray, weights: str | None) -> FloatArray:
    """(n_kinds,) mean credit of the pairs of judgments of a unit; 1 where there is no pair."""
    position = np.searchsorted(scale, units.values).astype(np.float64) if weights == "ordinal" else units.values

    def distance(one: IntArray, other: IntArray) -> FloatArray:
        return penalty(np.abs(position[one] - position[other]), scale, weights)

    pairs = np.maximum(units.sizes * (units.sizes - 1), 1)
    return 1 - pairs_within(units, distance) / pairs
