"""Two correlations that share a variable, from the correlations alone: Williams' and Steiger's tests and Zou's interval.

For when only published coefficients are at hand. Where the scores are, `validate.stats.compare` needs none of the assumptions
made here: independent observations from a trivariate normal distribution, and Pearson's r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from validate.errors import OptionError, bad_value
from validate.schema import Estimate


@dataclass(frozen=True, slots=True)
class DependentTest:
    """A test of r12 = r13: ``statistic`` is positive where r12 is larger, ``p`` is two-sided, ``method`` says which, and ``reason`` why it is NaN."""

    statistic: float
    p: float
    method: str
    reason: str = ""


def williams(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Whether metric 2 correlates with people (1) more than metric 3 does: Williams' t with n - 3 degrees of freedom.

    Parameters
    ----------
    r12, r13 : float
        The two correlations that are compared; they share variable 1.
    r23 : float
        The correlation of the two others with each other.
    n : int
        Observations that all three were computed from, at least 4.

    Returns
    -------
    DependentTest
        ``statistic`` (its sign is that of r12 - r13), ``p`` (two-sided), ``method``, ``reason``. NaN where the three correlations
        leave no spread: two of the variables are one.

    Raises
    ------
    OptionError
        For correlations outside [-1, 1] or that no three variables can have, and for n below 4.

    References
    ----------
    Williams, E. J. (1959). The comparison of regression variables. JRSS B 21(2), 396-399.
    Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix, eq. 7. doi:10.1037/0033-2909.87.2.245
    Graham, Y., Baldwin, T. (2014). Testing for significance of increased correlation with human judgment. doi:10.3115/v1/D14-1020

    Examples
    --------
    >>> test = williams(0.4, 0.5, 0.1, n=103)
    >>> round(test.statistic, 2), round(test.p, 3)
    (-0.89, 0.375)
    """
    determinant = _check("williams", r12, r13, r23, n)
    mean = (r12 + r13) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if spread <= 0.0:
        return _undefined("Williams's t")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return DependentTest(t, 2 * float(special.stdtr(n - 3, -abs(t))), "Williams's t")


def steiger(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Whether metric 2 correlates with people (1) more than metric 3 does: Steiger's z with the two correlations pooled.

    Parameters, results and errors as in `williams`; also NaN where r12 or r13 is 1 or -1, which have no Fisher z.

    References
    ----------
    Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix, eq. 3 and 14. doi:10.1037/0033-2909.87.2.245

    Examples
    --------
    >>> test = steiger(0.4, 0.5, 0.1, n=103)
    >>> round(test.statistic, 4), round(test.p, 3)
    (-0.8887, 0.374)
    """
    _check("steiger", r12, r13, r23, n)
    if max(abs(r12), abs(r13)) == 1.0:
        return _undefined("Steiger's z")
    pooled = ((r12 + r13) / 2) ** 2
    covariance = r23 * (1 - 2 * pooled) - pooled * (1 - 2 * pooled - r23**2) / 2
    spread = 2 - 2 * covariance / (1 - pooled) ** 2
    if spread <= 0.0:
        return _undefined("Steiger's z")
    z = (math.atanh(r12) - math.atanh(r13)) * math.sqrt((n - 3) / spread)
    return DependentTest(z, 2 * float(special.ndtr(-abs(z))), "Steiger's z")


def zou_interval(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Estimate:
    """The difference r12 - r13 of two correlations that share a variable, with Zou's interval.

    Each correlation has its own Fisher interval, and the distances to their ends are combined with the correlation between r12 and r13, so
    that the interval may be lopsided as correlations near 1 want it.

    Parameters
    ----------
    r12, r13, r23, n
        As in `williams`.
    confidence : float

    Returns
    -------
    Estimate
        ``value`` r12 - r13 with ``low`` and ``high``, which are NaN with a reason where r12 or r13 is 1 or -1.

    Raises
    ------
    OptionError
        As in `williams`, and for a confidence that is not between 0 and 1.

    References
    ----------
    Zou, G. Y. (2007). Toward using confidence intervals to compare correlations, eq. 11 and 15. doi:10.1037/1082-989X.12.4.399

    Examples
    --------
    >>> difference = zou_interval(0.396, 0.179, 0.088, n=66)  # the worked example of the paper
    >>> round(difference.value, 3), round(difference.low, 3), round(difference.high, 3)
    (0.217, -0.093, 0.517)
    """
    _check("zou_interval", r12, r13, r23, n)
    if not 0.0 < confidence < 1.0:
        raise bad_value("zou_interval", "confidence", confidence, "a number between 0 and 1, 0.95 is usual")
    known = Estimate(r12 - r13, confidence_level=confidence, method="Zou's interval of r12 - r13", n=n)
    if max(abs(r12), abs(r13)) == 1.0:
        return Estimate(known.value, confidence_level=confidence, method=known.method, n=n, reason=_PERFECT)
    reach = float(special.ndtri((1 + confidence) / 2)) / math.sqrt(n - 3)
    low12, high12 = (math.tanh(math.atanh(r12) + side * reach) for side in (-1, 1))
    low13, high13 = (math.tanh(math.atanh(r13) + side * reach) for side in (-1, 1))
    shared = ((r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3) / ((1 - r12**2) * (1 - r13**2))
    down = _together(r12 - low12, high13 - r13, shared)
    up = _together(high12 - r12, r13 - low13, shared)
    return Estimate(
        known.value, known.value - down, known.value + up, confidence_level=confidence, method=known.method, n=n
    )


_PERFECT = "a correlation of 1 or -1 has no Fisher interval"


def _together(first: float, second: float, correlation: float) -> float:
    """sqrt(a^2 + b^2 - 2 c a b), which rounding may bring below 0 where c is 1."""
    return math.sqrt(max(0.0, first**2 + second**2 - 2 * correlation * first * second))


def _undefined(method: str) -> DependentTest:
    return DependentTest(math.nan, math.nan, method, "the three correlations leave no spread to compare with")


def _check(who: str, r12: float, r13: float, r23: float, n: int) -> float:
    """The determinant of the correlation matrix, at least 0, or the error that says what is allowed."""
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        if not -1.0 <= r <= 1.0:
            raise bad_value(who, name, r, "a correlation from -1 to 1")
    if n < 4:
        raise bad_value(who, "n", n, "4 or more observations")
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -1e-3:  # printed coefficients are rounded
        raise OptionError(
            f"{who}: r12={r12}, r13={r13}, r23={r23} were given; no three variables can have these correlations (determinant {determinant:.3f}); "
            "give three that were computed from the same observations"
        )
    return max(0.0, determinant)
