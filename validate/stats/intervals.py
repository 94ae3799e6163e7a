"""Intervals of correlations: quantiles of replicates, formulas, and standard errors that count each source of chance once.

*Percentile* and *basic* take quantiles of the replicates; *BCa* moves these for bias and skewness. Of two resampled axes all three are too
wide: a study's correlation varies with its systems, its items, and with what is particular to each output; resampling both axes counts the
last three times and resampling one axis counts it once (Owen 2007). *Corrected* therefore is, on Fisher's z,

    atanh(r - b/2) ± t · sqrt(V_systems + V_items - V_outputs + d²),   V_outputs = V_both - V'_systems - V'_items,

where V_systems is the jackknife's variance over systems (the bootstrap's is too small with few), V_items the bootstrap's over items, V' the
bootstrap's over one axis under the multiplicities of the replicates of both, and t has Satterthwaite's degrees of freedom. b is the
jackknife's bias and d the way from the centre to r: Spearman's rho within an item is smaller with few systems than with many (its mean is
((n - 2) rho + 3 tau) / (n + 1), Moran 1948), so that what many systems would show and what as many systems show on average part; the interval is
centred between the two and counts half their difference as an error, and covers both. Over systems alone it is the same without items, over items alone it is
Fisher's z with the bootstrap's variance. `validate.stats.coverage` says how often each covers.

*Analytic* supposes independent pairs, which only systems are.

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
from scipy.special import ndtr, ndtri, stdtrit

from validate.errors import OptionError, bad_value
from validate.schema import Estimate, FloatArray
from validate.stats.coefficients import check_coefficient
from validate.stats.resampling import DECIMALS, Replicates
from validate.stats.support import settle_interval

VARIANCES = {"pearson": ("fisher",), "spearman": ("bonett-wright", "fieller"), "kendall": ("fieller",)}
_NEAR_ONE = 0.999  # replicates of a few systems that happen to agree perfectly would have an infinite z
_SAME = 10.0**-DECIMALS


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
        Without an interval, and with the reason, when r is undefined or n is too small. ``[r, r]`` when r is 1 or -1.

    Raises
    ------
    OptionError
        For unknown names and values outside what is allowed.

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
        return Bounds(*NONE[:2], f"no formula for fewer than {n - spare + 1} pairs")
    if coefficient == "spearman":
        scale = 1.06 if variance == "fieller" else 1.0 + r * r / 2.0
    else:
        scale = 0.437 if coefficient == "kendall" else 1.0
    if abs(r) >= 1.0:
        return Bounds(r, r)
    reach = float(ndtri((1.0 + confidence) / 2.0)) * math.sqrt(scale / spare)
    return Bounds(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))


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
    if math.isnan(plain.low) or (np.abs(defined - estimate) <= _SAME).all():
        return plain
    ties = float((np.abs(defined - estimate) <= _SAME).sum())
    share = (float((defined < estimate - _SAME).sum()) + ties / 2.0) / len(defined)
    if not 0.0 < share < 1.0:
        return plain._replace(reason="BCa undefined, all replicates lie on one side of the estimate: percentile")
    pulls = np.concatenate(
        [np.nanmean(axis) - axis[~np.isnan(axis)] for axis in without if (~np.isnan(axis)).any()] or [np.zeros(1)]
    )
    size = float((pulls**2).sum())
    if size <= _SAME**2:
        return plain._replace(reason="BCa undefined, no unit changes the estimate when it is left out: percentile")
    bias, skewness = float(ndtri(share)), float((pulls**3).sum()) / (6.0 * size**1.5)
    shares = []
    for z in ndtri([(1 - confidence) / 2, (1 + confidence) / 2]):
        stretch = 1.0 - skewness * (bias + z)
        if stretch <= 0.0:
            return plain._replace(reason="BCa undefined, too skewed: percentile")
        shares.append(float(ndtr(bias + (bias + z) / stretch)))
    return quantiles(draws, shares)


def fisher_z(r: FloatArray, estimate: float) -> FloatArray:
    """atanh of the defined values of r (n,), those close to 1 or -1 cut off."""
    most = max(_NEAR_ONE, abs(estimate))
    return np.arctanh(np.clip(r[~np.isnan(r)], -most, most))


def _jackknife_variance(z: FloatArray) -> float:
    """(n - 1) / n times the squared deviations of estimates with one of n units left out (Tukey 1958)."""
    return float((len(z) - 1) * z.var()) if len(z) else 0.0


class Spread(NamedTuple):
    """Centre and variance of Fisher's z, and the variance's degrees of freedom."""

    centre: float
    variance: float
    freedom: float


def spread(replicates: Replicates, c: int, m: int) -> Spread:
    """Of one coefficient and metric, each source of chance counted once; the variance is 0 when it cannot be told.

    What is particular to outputs is never less than nothing, and the whole never less than one of its axes.
    """
    estimate, support = float(replicates.point[c, m]), replicates.support
    if support is None:
        raise OptionError(
            f"corrected: the replicates were drawn for interval={replicates.interval!r}; correlations with single systems left out are needed; "
            "call resample(..., interval='corrected')"
        )
    draws, spare = replicates.values[c, m], max(support.n_units.get("items", 2) - 1.0, 1.0)
    if replicates.unit == "items":
        return Spread(math.atanh(estimate), _variance(draws, estimate) * (spare + 1.0) / spare, spare)
    centre, systems, freedom = _jackknife(support.without["systems"][c, m], estimate)
    between = (math.atanh(estimate) - centre) ** 2
    if replicates.unit == "systems":
        return Spread(centre, systems + between, freedom)
    along = {axis: _variance(alone[c, m], estimate) for axis, alone in support.along.items()}
    items, same_draws = along["items"], draws[: support.along["items"].shape[-1]]
    outputs = max(_variance(same_draws, estimate) - along["systems"] - items, 0.0)
    variance = max(systems + items - outputs, systems, items)
    parts = systems**2 / freedom + items**2 / spare
    return Spread(centre, variance + between, variance**2 / parts if parts > 0.0 else freedom)


def _variance(draws: FloatArray, estimate: float) -> float:
    """Of the z of the defined draws (n,)."""
    z = fisher_z(draws, estimate)
    return float(z.var()) if len(z) else 0.0


def _jackknife(left: FloatArray, estimate: float) -> tuple[float, float, float]:
    """Centre less half the bias, variance (Tukey 1958) and degrees of freedom out of n correlations (n,) with one unit left out."""
    defined = left[~np.isnan(left)]
    spare = len(defined) - 1.0
    if spare < 1.0:
        return math.atanh(estimate), 0.0, 1.0
    bias, most = spare * (float(defined.mean()) - estimate), max(_NEAR_ONE, abs(estimate))
    centre = math.atanh(min(most, max(-most, estimate - bias / 2.0)))
    return centre, spare * _variance(left, estimate), spare


def corrected(replicates: Replicates, c: int, m: int, confidence: float) -> Bounds:
    """Fisher's z and a standard error in which each source of chance counts once; see the module."""
    estimate, draws = float(replicates.point[c, m]), replicates.values[c, m]
    if math.isnan(estimate) or abs(estimate) >= 1.0:
        return Bounds(estimate, estimate)
    centre, variance, freedom = spread(replicates, c, m)
    if variance <= _SAME**2:
        same = bool(((np.abs(draws - estimate) <= _SAME) | np.isnan(draws)).all())
        reason = "" if same else "no standard error out of single units left out: percentile"
        return percentile(estimate, draws, confidence)._replace(reason=reason)
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * math.sqrt(variance)
    return Bounds(math.tanh(centre - reach), math.tanh(centre + reach))


def interval_of(replicates: Replicates, c: int, m: int, interval: str, confidence: float) -> Bounds:
    """The interval of that name of one coefficient and metric; percentile, with the reason, where that one is undefined."""
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
    found = analytic(estimate, replicates.facts[m].n_systems, replicates.coefficients[c], confidence)
    if math.isnan(found.low):
        return percentile(estimate, draws, confidence)._replace(reason=f"{found.reason}: percentile")
    return found


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
