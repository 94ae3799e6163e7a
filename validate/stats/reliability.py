"""What noise in judgments does to correlations: reliability of means of more judgments, and correction for attenuation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from validate.errors import bad_value
from validate.schema import Estimate, FloatArray


def spearman_brown(r: float, factor: float = 2) -> float:
    """Reliability of a mean of ``factor`` times as many judgments: k r / (1 + (k - 1) r).

    Parameters
    ----------
    r : float
        Reliability as it is, such as the correlation of two halves of the annotators; NaN gives NaN.
    factor : float
        How many times as many; 2 for split halves, below 1 for fewer.

    Raises
    ------
    OptionError
        For a factor that is not above 0, a reliability outside -1 … 1, or one so far below 0 that the formula has no meaning.

    References
    ----------
    C. Spearman (1910). Correlation calculated from faulty data. doi:10.1111/j.2044-8295.1910.tb00206.x;
    W. Brown (1910). Some experimental results in the correlation of mental abilities. doi:10.1111/j.2044-8295.1910.tb00207.x

    Examples
    --------
    >>> round(spearman_brown(0.6), 12)  # 1.2 / 1.6
    0.75
    """
    who = "spearman_brown"
    if not 0 < factor < np.inf:
        raise bad_value(who, "factor", factor, "a number above 0, such as 2")
    if np.isnan(r):
        return float("nan")
    if not -1 <= r <= 1:
        raise bad_value(who, "r", r, "a reliability from -1 to 1")
    if 1 + (factor - 1) * r <= 0:
        raise bad_value(
            who,
            "r",
            r,
            f"above {-1 / (factor - 1):g} for factor={factor:g}; a reliability below 0 means no common ground",
        )
    return float(factor * r / (1 + (factor - 1) * r))


def stepped_up(r: FloatArray, share: float) -> FloatArray:
    """Reliability of the mean of all, from the correlation r (n,) of the means of two parts with shares p and 1 - p.

    The R that solves r² = p q R² / ((1 - q R) (1 - p R)): Horst (1951), and Spearman and Brown's 2 r / (1 + r) where p = q. NaN for
    r = -1, where the parts have nothing in common, and for NaN.

    >>> stepped_up(np.array([0.6]), 0.5).round(12).tolist()  # 1.2 / 1.6
    [0.75]
    """
    pq, square = share * (1 - share), r**2
    room = 2 * pq * (1 - square)
    whole = r * np.sqrt(square + 4 * pq * (1 - square)) - square
    stepped = np.divide(whole, room, out=np.ones_like(r), where=room > 0)
    return np.where(np.isnan(r) | (r <= -1), np.nan, stepped)


def corrected_for_attenuation(
    r: float | Estimate, reliability_human: float | Estimate, reliability_metric: float | Estimate = 1.0
) -> Estimate:
    """What a correlation would be without the noise of the judgments (and of the metric): r / √(ρ_human ρ_metric).

    An answer to another question, to be shown beside the correlation and never in its place: the corrected value belongs to scores
    that nobody has.

    Parameters
    ----------
    r : float or Estimate
        Correlation of a metric with the mean of human judgments. An interval is corrected along with it, the reliabilities being taken
        as known.
    reliability_human : float or Estimate
        Of the mean of human judgments that was correlated, such as ``noise_ceiling(…, method="split-half")`` at the same level and
        grouping.
    reliability_metric : float or Estimate
        1 for a metric that gives equal outputs equal scores.

    Returns
    -------
    Estimate
        It can lie above 1 or below -1, where the reliability is low by chance or its assumptions fail, and ``reason`` says so. NaN with a
        reason for a reliability that is undefined or not above 0.

    Raises
    ------
    OptionError
        For a correlation outside -1 … 1 or a reliability above 1.

    References
    ----------
    C. Spearman (1904). The proof and measurement of association between two things. American Journal of Psychology 15(1), 72–101.
    doi:10.2307/1412159

    Examples
    --------
    >>> corrected_for_attenuation(0.45, 0.81).value  # 0.45 / 0.9
    0.5
    """
    who = "corrected_for_attenuation"
    given = r if isinstance(r, Estimate) else Estimate(float(r))
    reliabilities = {"reliability_human": float(reliability_human), "reliability_metric": float(reliability_metric)}
    for name, reliability in reliabilities.items():
        if reliability > 1:
            raise bad_value(who, name, reliability, "a reliability of at most 1")
    if abs(given.value) > 1:
        raise bad_value(who, "r", given.value, "a correlation from -1 to 1")
    told = f"{given.method}; " if given.method else ""
    method = (
        f"{told}corrected for attenuation, reliability {', '.join(f'{value:.3g}' for value in reliabilities.values())}"
    )
    product = float(np.prod([max(value, 0.0) for value in reliabilities.values()]))
    corrected = Estimate(
        np.nan, confidence_level=given.confidence_level, method=method, n=given.n, n_dropped=given.n_dropped,
        n_resamples=given.n_resamples, seed=given.seed, n_groups=given.n_groups, n_undefined=given.n_undefined,
    )  # fmt: skip
    if np.isnan(given.value):
        return replace(corrected, reason=given.reason or "the correlation is undefined")
    if not product > 0:  # NaN as well
        return replace(corrected, reason="a reliability is undefined or not above 0: nothing can be corrected")
    value, low, high = (float(number / np.sqrt(product)) for number in (given.value, given.low, given.high))
    beyond = "beyond 1: the reliability is low by chance, or errors of both sides go together"
    reason = "; ".join(filter(None, [given.reason, beyond if abs(value) > 1 else ""]))
    return replace(corrected, value=value, low=low, high=high, reason=reason)
