"""From a coefficient to an estimate: its value, and an interval for the population that the units stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

import numpy as np
from scipy import special

from validate.errors import bad_value, plural, unknown_name
from validate.schema import Estimate, FloatArray, IntArray
from validate.stats.multinomial import resampled_counts

Interval = Literal["bootstrap", "percentile", "analytic"]
INTERVALS: tuple[str, ...] = get_args(Interval)


class Units(Protocol):
    """What is resampled: how many units there are of each kind, how many count, how many do not, and the room a replicate takes."""

    @property
    def multiplicity(self) -> IntArray: ...
    @property
    def n_pairable(self) -> int: ...
    @property
    def n_dropped(self) -> int: ...
    @property
    def width(self) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Coefficient:
    """A coefficient of agreement as a function of how often each kind of unit occurs.

    Parameters
    ----------
    name : str
    units : Units
    value : callable
        (n_kinds, n) weights → (n,) coefficients, NaN where undefined.
    influence : callable
        () → (n_kinds,) derivatives of the coefficient with respect to the weight of one unit of each kind.
    undefined : str
        Why the coefficient is NaN, where it is.
    skewed : bool
        Whether the analytic interval is made on the scale of log(1 - coefficient), on which it is closer to normal.
    large_sample : bool
        Whether the analytic interval is the published one for large samples: the variance of the delta method without the
        factor K / (K - 1), and the normal instead of Student's distribution.
    nothing : str
        Why the coefficient is NaN when no unit counts.
    """

    name: str
    units: Units
    value: Callable[[FloatArray], FloatArray]
    influence: Callable[[], FloatArray]
    undefined: str
    skewed: bool = False
    large_sample: bool = False
    nothing: str = "no unit has two judgments"


def estimate(
    coefficient: Coefficient,
    *,
    interval: Interval | None,
    confidence: float,
    resamples: int,
    rng: int | np.random.Generator,
) -> Estimate:
    """The coefficient with its interval; undefined replicates are counted and left out."""
    _check(coefficient.name, interval, confidence, resamples)
    units = coefficient.units
    value = float(coefficient.value(units.multiplicity[:, None].astype(np.float64))[0]) if units.n_pairable else np.nan
    plain = Estimate(
        value,
        confidence_level=confidence,
        method=coefficient.name,
        n=units.n_pairable,
        n_dropped=units.n_dropped,
    )
    if np.isnan(value):
        return replace(plain, reason=coefficient.undefined if units.n_pairable else coefficient.nothing)
    if interval is None:
        return plain
    if units.n_pairable < 2:
        return replace(plain, reason="a single unit says nothing about others: no interval")
    if interval == "analytic":
        error = standard_error(coefficient)
        low, high = _analytic(coefficient, value, error, confidence)
        method = f"{coefficient.name}; analytic over units"
        return replace(plain, low=low, high=high, standard_error=error, method=method)
    draws = _replicates(coefficient, resamples, rng)
    defined = draws[~np.isnan(draws)]
    n_undefined = resamples - len(defined)
    low, high = _bootstrap_ends(coefficient, value, defined, interval, confidence)
    return replace(
        plain,
        low=low,
        high=high,
        standard_error=float(defined.std(ddof=1)) if len(defined) > 1 else np.nan,
        method=f"{coefficient.name}; bootstrap over units, {'BCa' if interval == 'bootstrap' else 'percentile'}",
        n_resamples=resamples,
        seed=rng if isinstance(rng, int) else None,
        n_undefined=n_undefined,
        reason=f"{plural(n_undefined, 'replicate')} of {resamples:,} undefined and left out" if n_undefined else "",
    )


def _check(who: str, interval: str | None, confidence: float, resamples: int) -> None:
    if interval is not None and interval not in INTERVALS:
        raise unknown_name(who, "interval", str(interval), (*INTERVALS, "None"))
    if not 0 < confidence < 1:
        raise bad_value(who, "confidence", confidence, "a number between 0 and 1, such as 0.95")
    if resamples < 1:
        raise bad_value(who, "resamples", resamples, "1 or more; 1,000 is usual")


def _replicates(coefficient: Coefficient, resamples: int, rng: int | np.random.Generator) -> FloatArray:
    """(resamples,) coefficients of resampled units."""
    units = coefficient.units
    generator = np.random.default_rng(rng)
    blocks = resampled_counts(units.multiplicity, resamples, generator, width=units.width)
    return np.concatenate([coefficient.value(np.ascontiguousarray(block.T)) for block in blocks])


def _bootstrap_ends(
    coefficient: Coefficient, value: float, draws: FloatArray, interval: str, confidence: float
) -> tuple[float, float]:
    """Percentile or bias-corrected accelerated ends; NaN when no replicate is defined."""
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if len(draws) == 0:
        return np.nan, np.nan
    if interval == "bootstrap":
        tails = _bca_tails(value, draws, _centred_influence(coefficient), coefficient.units.multiplicity, tails)
    low, high = np.quantile(draws, tails)
    return float(low), float(high)


def _bca_tails(
    value: float, draws: FloatArray, influence: FloatArray, multiplicity: IntArray, tails: FloatArray
) -> FloatArray:
    """The tails that BCa reads off (Efron 1987, eq. 2.3 and 6.6); the plain ones where all replicates are on one side."""
    tolerance = 1e-12 * max(1.0, abs(value))
    below = np.mean(draws < value - tolerance) + np.mean(np.abs(draws - value) <= tolerance) / 2
    if not 0 < below < 1:
        return tails
    bias = special.ndtri(below)
    spread = float((multiplicity * influence**2).sum())
    acceleration = float((multiplicity * influence**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    shifted = bias + special.ndtri(tails)
    shrink = 1 - acceleration * shifted
    if (shrink <= 0).any():
        return tails
    corrected: FloatArray = special.ndtr(bias + shifted / shrink)
    return corrected


def _centred_influence(coefficient: Coefficient) -> FloatArray:
    """(n_kinds,) influence of a unit, with mean 0 over units."""
    influence = coefficient.influence()
    return influence - np.average(influence, weights=coefficient.units.multiplicity)


def standard_error(coefficient: Coefficient) -> float:
    """√(K/(K-1) Σ influence²) over the K units, without the factor for large samples; NaN for one unit."""
    multiplicity = coefficient.units.multiplicity
    n_units = int(multiplicity.sum())
    if n_units < 2:
        return np.nan
    factor = 1.0 if coefficient.large_sample else n_units / (n_units - 1)
    return float(np.sqrt((multiplicity * _centred_influence(coefficient) ** 2).sum() * factor))


def _analytic(coefficient: Coefficient, value: float, error: float, confidence: float) -> tuple[float, float]:
    """Student's t, or the normal, on the coefficient's scale or on that of log(1 - coefficient); never above 1."""
    n_units = int(coefficient.units.multiplicity.sum())
    if n_units < 2:
        return np.nan, np.nan
    tail = (1 + confidence) / 2
    reach = error * float(special.ndtri(tail) if coefficient.large_sample else special.stdtrit(n_units - 1, tail))
    if not coefficient.skewed:
        return value - reach, min(1.0, value + reach)
    if value >= 1:
        return value, value
    factor = float(np.exp(reach / (1 - value)))
    return 1 - (1 - value) * factor, 1 - (1 - value) / factor
