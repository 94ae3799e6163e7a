"""Intervals of correlations: quantiles of replicates, formulas, and standard errors that count each source of chance once.

*Percentile* and *basic* take quantiles of the replicates; *BCa* moves these for bias and skewness. *Corrected* takes Fisher's z and a standard error in
which each source of chance counts once (`validate.stats.spread`): over two resampled axes the other three are too wide for some coefficients and lie
beside the truth for others. *Analytic* supposes independent pairs, which only systems are.

References
----------
Fisher, R. A. (1921). On the "probable error" of a coefficient of correlation deduced from a small sample. Metron 1.
Moran, P. A. P. (1948). Rank correlation and product-moment correlation. doi:10.1093/biomet/35.1-2.203
Fieller, E. C., Hartley, H. O., Pearson, E. S. (1957). Tests for rank correlation coefficients I. doi:10.1093/biomet/44.3-4.470
Bonett, D. G., Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall and Spearman correlations. doi:10.1007/BF02294183
Efron, B. (1987). Better bootstrap confidence intervals. doi:10.1080/01621459.1987.10478410
Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122
Tukey, J. W. (1958). Bias and confidence in not quite large samples. doi:10.1214/aoms/1177706647
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from validate.errors import OptionError, bad_value
from validate.schema import Estimate, FloatArray
from validate.stats.coefficients import check_coefficient
from validate.stats.resampling import Replicates
from validate.stats.spread import SAME, of_difference, of_metric, spread
from validate.stats.support import settle_interval

VARIANCES = {"pearson": ("fisher",), "spearman": ("bonett-wright", "fieller"), "kendall": ("fieller",)}


class Bounds(NamedTuple):
    """Both ends, and why they are not what was asked for, where they are not."""

    low: float
    high: float
    reason: str = ""


NONE = Bounds(float("nan"), float("nan"))


def analytic_interval(
    r: float, n: int, *, coefficient: str = "spearman", variance: str | None = None, confidence: float = 0.95
) -> Estimate:
    """The interval of a correlation of n independent pairs by a formula: tanh(atanh(r) ± z sqrt(v)).

    Parameters
    ----------
    r : float
        From -1 to 1.
    n : int
        Pairs; at system level, systems. Outputs of the same systems are not independent, so that nothing here holds of them.
    coefficient : {"spearman", "pearson", "kendall"}
    variance : str, optional
        v is 1 / (n - 3) for Pearson (``"fisher"``), (1 + r² / 2) / (n - 3) (``"bonett-wright"``) or 1.06 / (n - 3) (``"fieller"``) for Spearman, and
        0.437 / (n - 4) (``"fieller"``) for Kendall. The first one of a coefficient where nothing is said.
    confidence : float

    Returns
    -------
    Estimate
        Without an interval, and with the reason, when r is undefined or n is too small.

    Raises
    ------
    OptionError
        For unknown names and values outside what is allowed.

    Notes
    -----
    atanh(1) is infinite, and ``[1, 1]`` would say that six systems in the same order leave no doubt about a seventh. A rank correlation of 1 or
    -1 stands for all that round to it: the formula takes the middle between it and the next that n pairs can have, 1 - 6 / (n³ - n) for Spearman and
    1 - 2 / (n (n - 1)) for Kendall, and the far end is 1 or -1. Of 95 % intervals over 6 systems, 93 % covered without this and 97 % do with it
    (Spearman; `validate.stats.coverage`). Pearson's r is 1 only on a line, and keeps ``[r, r]``.

    References
    ----------
    Fisher (1921). Fieller, Hartley, Pearson (1957), doi:10.1093/biomet/44.3-4.470. Bonett, Wright (2000), equation 4, doi:10.1007/BF02294183.

    Examples
    --------
    >>> found = analytic_interval(0.5, 28, coefficient="pearson")  # atanh 0.5 = 0.549306, half a width 1.959964 / 5
    >>> round(found.low, 4), round(found.high, 4)  # tanh 0.157313, tanh 0.941299
    (0.156, 0.7358)
    """
    who = "analytic_interval"
    name = check_coefficient(who, coefficient)
    formula = VARIANCES[name][0] if variance is None else variance
    if formula not in VARIANCES[name]:
        raise bad_value(who, "variance", variance, f"one of {', '.join(VARIANCES[name])} for {name}")
    if not (math.isnan(r) or -1.0 <= r <= 1.0):
        raise bad_value(who, "r", r, "a correlation from -1 to 1")
    check_confidence(who, confidence)
    low, high, reason = analytic(r, n, name, confidence, formula)
    return Estimate(r, low, high, confidence, f"{name}, Fisher's z, {formula}", n=n, reason=reason)


def analytic(r: float, n: int, coefficient: str, confidence: float, variance: str = "") -> Bounds:
    """By formula, see `analytic_interval`."""
    if math.isnan(r):
        return Bounds(*NONE[:2], "the correlation is undefined")
    spare = n - (4 if coefficient == "kendall" else 3)
    if spare < 1:
        return Bounds(*NONE[:2], f"no interval from fewer than {n - spare + 1} pairs")
    if coefficient == "spearman":
        scale = 1.06 if variance == "fieller" else 1.0 + r * r / 2.0
    else:
        scale = 0.437 if coefficient == "kendall" else 1.0
    reach = float(ndtri((1.0 + confidence) / 2.0)) * math.sqrt(scale / spare)
    if abs(r) < 1.0:
        return Bounds(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
    step = {"spearman": 6.0 / (n**3 - n), "kendall": 2.0 / (n * (n - 1))}.get(coefficient)
    if step is None:
        return Bounds(r, r)
    near = math.tanh(math.atanh(1.0 - step) - reach)
    return Bounds(near, 1.0) if r > 0 else Bounds(-1.0, -near)


def quantiles(draws: FloatArray, shares: Sequence[float]) -> Bounds:
    """Those of the defined draws (n_resamples,); NaN when there are none."""
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return NONE
    low, high = np.quantile(defined, shares)
    return Bounds(float(low), float(high))


def percentile(estimate: float, draws: FloatArray, confidence: float) -> Bounds:
    """The middle of the defined draws (n_resamples,)."""
    return NONE if math.isnan(estimate) else quantiles(draws, [(1 - confidence) / 2, (1 + confidence) / 2])


def basic(estimate: float, draws: FloatArray, confidence: float) -> Bounds:
    """The percentile interval mirrored at the estimate."""
    low, high, _ = percentile(estimate, draws, confidence)
    return Bounds(2 * estimate - high, 2 * estimate - low)


def bca(estimate: float, draws: FloatArray, without: Sequence[FloatArray], confidence: float) -> Bounds:
    """Quantiles moved for bias and skewness (Efron 1987); percentiles, with the reason, where these are undefined.

    ``without`` holds one array (n_left_out,) an axis; skewness of several axes as of several samples (DiCiccio and Efron 1996, section 2).
    """
    plain, defined = percentile(estimate, draws, confidence), draws[~np.isnan(draws)]
    if math.isnan(plain.low) or (np.abs(defined - estimate) <= SAME).all():
        return plain
    ties = float((np.abs(defined - estimate) <= SAME).sum())
    share = (float((defined < estimate - SAME).sum()) + ties / 2.0) / len(defined)
    if not 0.0 < share < 1.0:
        return plain._replace(reason="BCa undefined, all replicates lie on one side of the estimate: percentile")
    pulls = np.concatenate(
        [np.nanmean(axis) - axis[~np.isnan(axis)] for axis in without if (~np.isnan(axis)).any()] or [np.zeros(1)]
    )
    size = float((pulls**2).sum())
    if size <= SAME**2:
        return plain._replace(reason="BCa undefined, no unit changes the estimate when it is left out: percentile")
    bias, skewness = float(ndtri(share)), float((pulls**3).sum()) / (6.0 * size**1.5)
    shares = []
    for z in ndtri([(1 - confidence) / 2, (1 + confidence) / 2]):
        stretch = 1.0 - skewness * (bias + z)
        if stretch <= 0.0:
            return plain._replace(reason="BCa undefined, too skewed: percentile")
        shares.append(float(ndtr(bias + (bias + z) / stretch)))
    return quantiles(draws, shares)


def corrected(replicates: Replicates, c: int, m: int, confidence: float) -> Bounds:
    """Fisher's z and a standard error in which each source of chance counts once; see `validate.stats.spread`."""
    estimate, draws = float(replicates.point[c, m]), replicates.values[c, m]
    if math.isnan(estimate) or abs(estimate) >= 1.0:
        return _of_few_systems(replicates, c, m, confidence) or Bounds(estimate, estimate)
    centre, variance, freedom = spread(replicates, of_metric(replicates, c, m))
    if variance <= SAME**2:
        same = bool(((np.abs(draws - estimate) <= SAME) | np.isnan(draws)).all())
        reason = "" if same else "no standard error out of single units left out: percentile"
        return percentile(estimate, draws, confidence)._replace(reason=reason)
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * math.sqrt(variance)
    return Bounds(math.tanh(centre - reach), math.tanh(centre + reach))


def _of_few_systems(replicates: Replicates, c: int, m: int, confidence: float) -> Bounds | None:
    """By formula where systems are the witnesses, so that a perfect correlation of a few of them is not taken for certain."""
    if replicates.level != "system" or replicates.unit not in ("systems", "both"):
        return None
    found = replicates.facts[m].n_systems
    return analytic(float(replicates.point[c, m]), found, replicates.coefficients[c], confidence)


class Difference(NamedTuple):
    """Ends and two-sided p of a difference of two correlations."""

    low: float
    high: float
    p: float
    reason: str = ""


def corrected_difference(replicates: Replicates, c: int, a: int, b: int, confidence: float = 0.95) -> Difference:
    """How much more metric a agrees with people than metric b: the corrected interval, and the p of the same pivot.

    Both come from (difference - centre) / error against t, so that p < 1 - confidence exactly where the interval excludes 0.

    Parameters
    ----------
    replicates : Replicates
        Drawn with ``interval="corrected"``.
    c, a, b : int
        Which coefficient, and which two metrics.
    confidence : float

    Returns
    -------
    Difference
        NaN where a metric is undefined. Metrics that agree equally well whatever is drawn have ``[0, 0]`` and p 1.
    """
    sources = of_difference(replicates, c, a, b)
    if math.isnan(sources.estimate):
        return Difference(*NONE[:2], float("nan"), "the correlation is undefined")
    centre, variance, freedom = spread(replicates, sources)
    if variance <= SAME**2:
        same = abs(sources.estimate) <= SAME and bool((np.abs(sources.values[~np.isnan(sources.values)]) <= SAME).all())
        reason = "" if same else "no standard error out of single units left out"
        return Difference(0.0, 0.0, 1.0) if same else Difference(*NONE[:2], float("nan"), reason)
    error = math.sqrt(variance)
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * error
    return Difference(centre - reach, centre + reach, 2.0 * float(stdtr(freedom, -abs(centre) / error)))


def interval_of(replicates: Replicates, c: int, m: int, interval: str, confidence: float) -> Bounds:
    """The interval of that name of one coefficient and metric; where BCa or a corrected one is undefined percentile, with the reason, and none
    by formula where there are too few systems for it: resampling three systems says nothing of a fourth."""
    estimate, draws = float(replicates.point[c, m]), replicates.values[c, m]
    name = settle_interval("interval", interval, replicates.level, replicates.unit)
    if name == "percentile" or math.isnan(estimate):
        return percentile(estimate, draws, confidence)
    if name == "basic":
        return basic(estimate, draws, confidence)
    if name == "corrected":
        return corrected(replicates, c, m, confidence)
    if name == "bca":
        return bca(estimate, draws, _without(replicates, c, m), confidence)
    return analytic(estimate, replicates.facts[m].n_systems, replicates.coefficients[c], confidence)


def _without(replicates: Replicates, c: int, m: int) -> list[FloatArray]:
    if replicates.support is None or not replicates.support.without:
        raise OptionError(
            "bca: the replicates were drawn for another interval; leave-one-out correlations are needed; call resample(..., interval='bca')"
        )
    return [axis[c, m] for axis in replicates.support.without.values()]


def check_confidence(who: str, confidence: float) -> None:
    """A level between 0 and 1."""
    if not 0.0 < confidence < 1.0:
        raise bad_value(who, "confidence", confidence, "a number between 0 and 1, 0.95 is usual")
