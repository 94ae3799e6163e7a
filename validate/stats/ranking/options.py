"""What every ranking is asked: which interval, how sure, how many replicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import special

from validate.errors import ShapeError, bad_value, unknown_name
from validate.schema import FloatArray
from validate.stats.ranking.clusters import Clusters

Interval = Literal["bootstrap", "sandwich"]
INTERVALS: tuple[str, ...] = get_args(Interval)


@dataclass(frozen=True, slots=True)
class Options:
    """Checked options of an interval."""

    interval: Interval | None
    confidence: float
    resamples: int
    rng: int | np.random.Generator

    @classmethod
    def checked(
        cls,
        who: str,
        interval: Interval | None,
        confidence: float,
        resamples: int,
        rng: int | np.random.Generator,
    ) -> Options:
        """The options, or an `OptionError` that says what is allowed."""
        if interval is not None and interval not in INTERVALS:
            raise unknown_name(who, "interval", str(interval), (*INTERVALS, "None"))
        if not 0 < confidence < 1:
            raise bad_value(who, "confidence", confidence, "a number between 0 and 1, such as 0.95")
        if resamples < 1:
            raise bad_value(who, "resamples", resamples, "1 or more; 1,000 is usual")
        return cls(interval, confidence, resamples, rng)

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.rng)

    def seed(self) -> int | None:
        """The seed, where there is one to repeat."""
        return int(self.rng) if self.interval == "bootstrap" and isinstance(self.rng, (int, np.integer)) else None

    def student(self, clusters: Clusters | None, n_judgments: int) -> float:
        """The quantile of Student's t for K - 1 degrees of freedom, K being clusters or judgments; NaN for one."""
        k = n_judgments if clusters is None else clusters.n
        return float(special.stdtrit(k - 1, (1 + self.confidence) / 2)) if k > 1 else np.nan


def quantiles(draws: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """(n,) both ends over the defined replicates of (b, n) draws; NaN where there is none."""
    low, high = np.full(draws.shape[1], np.nan), np.full(draws.shape[1], np.nan)
    for place, column in enumerate(draws.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            low[place], high[place] = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return low, high


def system_names(who: str, names: Sequence[str] | None, n: int) -> tuple[str, ...]:
    """Names for the reasons: those given, or the numbers."""
    if names is None:
        return tuple(map(str, range(n)))
    if len(names) != n:
        raise ShapeError(
            f"{who}: {len(names):,} names were given for {n:,} systems; one a system is allowed; give n names"
        )
    return tuple(names)
