"""The standard error of a correlation, or of a difference of two, in which each source of chance counts once.

A study's correlation varies with its systems, its items, and with what is particular to each output. Resampling both axes counts the last three
times, resampling one axis counts it once (Owen 2007). So the interval *corrected* is, on Fisher's z (a difference stays as it is),

    z(r - b/2) ± t · sqrt(V_systems + V_items - V_outputs + d²),   V_outputs = V_both - V'_systems - V'_items,

where V_systems is the jackknife's variance over systems (the bootstrap's is too small with few), V_items the bootstrap's over items, V' the
bootstrap's over one axis under the multiplicities of the replicates of both, and t has Satterthwaite's degrees of freedom.

b is the jackknife's bias, and d the way from the centre to z(r). Spearman's rho within an item is smaller with few systems than with many (its mean is
((n - 2) rho + 3 tau) / (n + 1), Moran 1948), so that what many systems would show and what as many systems show on average part; the interval is
centred between the two, counts half their difference as an error, and covers both.

Over systems alone it is the same without items; over items alone, z with the bootstrap's variance; over annotators, z with the jackknife's: it stands
for as many other annotators (the mean of more would be less noisy and correlate higher).

References
----------
Moran, P. A. P. (1948). Rank correlation and product-moment correlation. doi:10.1093/biomet/35.1-2.203
Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122
Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. doi:10.2307/3002019
Tukey, J. W. (1958). Bias and confidence in not quite large samples. doi:10.1214/aoms/1177706647
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from validate.errors import OptionError
from validate.schema import FloatArray
from validate.stats.resampling import DECIMALS, Replicates
from validate.stats.support import Axes, Support

SAME = 10.0**-DECIMALS
_NEAR_ONE = 0.999  # replicates of a few systems that happen to agree perfectly would have an infinite z


class Sources(NamedTuple):
    """One number, its replicates (n_resamples,), those of one axis, and itself with single units left out; ``scale`` is where errors are added."""

    estimate: float
    values: FloatArray
    without: Axes
    along: Axes
    scale: Callable[[FloatArray], FloatArray]


class Spread(NamedTuple):
    """Centre and variance on the scale of the sources, and the variance's degrees of freedom."""

    centre: float
    variance: float
    freedom: float


def of_metric(replicates: Replicates, c: int, m: int) -> Sources:
    """A correlation, on Fisher's z; those close to 1 or -1 are cut off there."""
    support, estimate = _support(replicates), float(replicates.point[c, m])
    most = max(_NEAR_ONE, abs(estimate))
    return Sources(
        estimate,
        replicates.values[c, m],
        {axis: left[c, m] for axis, left in support.without.items()},
        {axis: alone[c, m] for axis, alone in support.along.items()},
        lambda r: np.arctanh(np.clip(r, -most, most)),
    )


def of_difference(replicates: Replicates, c: int, a: int, b: int) -> Sources:
    """The correlation of metric a less that of metric b."""
    support = _support(replicates)
    return Sources(
        float(replicates.point[c, a] - replicates.point[c, b]),
        replicates.values[c, a] - replicates.values[c, b],
        {axis: left[c, a] - left[c, b] for axis, left in support.without.items()},
        {axis: alone[c, a] - alone[c, b] for axis, alone in support.along.items()},
        lambda difference: difference,
    )


def spread(replicates: Replicates, sources: Sources) -> Spread:
    """Each source of chance once, see the module; the variance is 0 when it cannot be told.

    What is particular to outputs is never less than nothing, and the whole never less than one of its axes.
    """
    spare = max(_support(replicates).n_units.get("items", 2) - 1.0, 1.0)
    centre = float(sources.scale(np.array([sources.estimate]))[0])
    if replicates.unit == "items":
        return Spread(centre, _variance(sources.values, sources) * (spare + 1.0) / spare, spare)
    if replicates.unit == "annotators":
        return _jackknife(sources.without["annotators"], sources)._replace(centre=centre)
    middle, systems, freedom = _jackknife(sources.without["systems"], sources)
    between = (centre - middle) ** 2
    if replicates.unit == "systems":
        return Spread(middle, systems + between, freedom)
    alone, items = _variance(sources.along["systems"], sources), _variance(sources.along["items"], sources)
    both = _variance(sources.values[: len(sources.along["items"])], sources)
    variance = max(systems + items - max(both - alone - items, 0.0), systems, items)
    parts = systems**2 / freedom + items**2 / spare
    return Spread(middle, variance + between, variance**2 / parts if parts > 0.0 else freedom)


def _variance(draws: FloatArray, sources: Sources) -> float:
    """Of the defined draws (n,) on the scale of the sources."""
    defined = draws[~np.isnan(draws)]
    return float(sources.scale(defined).var()) if len(defined) else 0.0


def _jackknife(left: FloatArray, sources: Sources) -> Spread:
    """Centre less half the bias, variance (Tukey 1958) and degrees of freedom out of n estimates (n,) with one unit left out."""
    defined = left[~np.isnan(left)]
    spare = len(defined) - 1.0
    half_bias = spare * (float(defined.mean()) - sources.estimate) / 2.0 if spare >= 1.0 else 0.0
    centre = float(sources.scale(np.array([sources.estimate - half_bias]))[0])
    return Spread(centre, spare * _variance(defined, sources) if spare >= 1.0 else 0.0, max(spare, 1.0))


def _support(replicates: Replicates) -> Support:
    if replicates.support is None:
        raise OptionError(
            f"corrected: the replicates were drawn for interval={replicates.interval!r}; correlations with single units left out are needed; "
            "call resample(..., interval='corrected')"
        )
    return replicates.support
