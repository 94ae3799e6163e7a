"""Krippendorff's alpha: how far observed disagreement falls short of that expected by chance."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from validate.errors import OptionError, listed, unknown_name
from validate.schema import Estimate, FloatArray
from validate.stats.agreement.disagreement import DISAGREEMENTS, influence
from validate.stats.agreement.estimate import Coefficient, Interval, estimate
from validate.stats.agreement.judgments import Values
from validate.stats.agreement.units import UnitCounts, column_sums, unit_counts

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
MEASUREMENTS: tuple[str, ...] = get_args(Measurement)

MOST_RATIO_VALUES = 20_000  # distances at the ratio level do not factor: they are taken between all pairs of values


def krippendorff_alpha(
    values: Values,
    measurement: Measurement = "nominal",
    *,
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Krippendorff's α = 1 - D_o / D_e, disagreement observed within units over that expected between any two judgments.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers, or labels at the nominal level; NaN or None where a rater did not judge. The records need no dense array.
    measurement : {"nominal", "ordinal", "interval", "ratio"}
        Which distance between categories counts: equal or not; how many judgments lie between; difference; relative
        difference. The ordinal distance is Krippendorff's cumulative one.
    interval : {"bootstrap", "percentile", "analytic"} or None
        For the population of units: bias-corrected accelerated bootstrap, percentile bootstrap, or Student's t for
        log(1 - α) with the infinitesimal jackknife.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, which is perfect agreement; 0 is agreement by chance. ``n`` counts the units with two judgments or
        more, ``n_dropped`` the others, ``n_undefined`` the replicates without an interval. NaN with a reason when no unit
        has two judgments, or when all those judgments are one category: nothing tells agreement from chance then.

    Raises
    ------
    OptionError
        For an unknown measurement, for labels above the nominal level, for negative numbers at the ratio level.

    Notes
    -----
    Coverage of nominal 95 % intervals over 50 units, by simulation (24 designs: nominal with 2 and 3 categories, ordinal
    and interval with 5, two to five raters, α from 0.09 to 0.75, 1,000 studies each): BCa 94.2 % on average (90.6 to
    97.8), analytic 93.5 % (89.7 to 95.4), percentile 93.0 % (89.4 to 95.2). The lowest are two categories of which one has
    80 %. The interval is for other units judged by the same kind of people, not for other people.

    A low α beside a high percent agreement means that one category prevails: the few other judgments are about as often
    disputed as chance would have it. Show both, with Gwet's AC1.

    References
    ----------
    K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania,
    repository.upenn.edu/asc_papers/43. B. Efron (1987). Better bootstrap confidence intervals. JASA 82, 171–185.
    doi:10.1080/01621459.1987.10478410.

    Examples
    --------
    Two raters who swap two labels. D_o = 1; of the 12 ordered pairs of the 4 judgments 8 differ, so D_e = 2/3.

    >>> krippendorff_alpha([["A", "B"], ["B", "A"]], interval=None).value  # 1 - 1 / (2/3)
    -0.5
    """
    who = "krippendorff_alpha"
    if measurement not in MEASUREMENTS:
        raise unknown_name(who, "measurement", str(measurement), MEASUREMENTS)
    units = unit_counts(who, values).pairable()
    _check_level(who, units, measurement)
    disagreement = DISAGREEMENTS[measurement]

    def value(weights: FloatArray) -> FloatArray:
        marginals = units.counts.T @ weights
        within, pull = disagreement(units, marginals)
        total = column_sums(marginals)
        observed, expected = column_sums(within * weights), column_sums(marginals * pull)
        alpha = np.full(len(total), np.nan)
        varied = (marginals > 0).sum(axis=0) > 1
        np.divide((total - 1) * observed, expected, out=alpha, where=varied)
        return 1 - alpha

    coefficient = Coefficient(
        f"Krippendorff alpha ({measurement})",
        units,
        value,
        lambda: influence(units, measurement),
        "all judgments are one category: chance agreement cannot be told from real agreement",
        skewed=True,
    )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def _check_level(who: str, units: UnitCounts, measurement: str) -> None:
    """Numbers above the nominal level, none below 0 at the ratio level."""
    if measurement == "nominal":
        return
    if np.isnan(units.values).any():
        raise OptionError(
            f"{who}: the values are labels and measurement={measurement!r}; labels allow 'nominal'; give numbers"
        )
    if measurement == "ratio" and len(units.values):
        if units.values[0] < 0:
            negative = units.values[units.values < 0].tolist()
            raise OptionError(
                f"{who}: values {listed(negative)} and measurement='ratio'; 0 and above is allowed; use 'interval'"
            )
        if len(units.values) > MOST_RATIO_VALUES:
            raise OptionError(
                f"{who}: {len(units.values):,} different values and measurement='ratio'; up to {MOST_RATIO_VALUES:,} are allowed, "
                "because every pair of values has its own distance; round the values or use 'interval'"
            )
