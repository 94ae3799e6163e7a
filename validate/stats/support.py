"""What intervals need beside replicates: correlations with one unit left out, and replicates of one axis alone.

How large it is depends on the study and not on how many replicates there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from validate.errors import OptionError, unknown_name
from validate.schema import FloatArray, IntArray

INTERVALS = ("auto", "percentile", "basic", "bca", "corrected", "analytic")
ALONG_LANES = 320  # replicates of one axis: variances to within some 8 %, widths to within 4 %
MOST_LEFT_OUT = 128  # items are left out in at most so many blocks

Axes = Mapping[str, FloatArray]
Lanes = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Support:
    """Of every coefficient and metric, by axis (``"systems"``, ``"items"``, ``"annotators"``).

    ``without``: (n_coefficients, n_metrics, n_left_out) correlations with one system, one annotator, or one item, cluster or block of items left out.
    ``along``: (n_coefficients, n_metrics, at most 320) replicates in which this axis alone is resampled, with the same
    multiplicities as in the first replicates of both. ``n_units``: how many systems, and how many items or clusters, there are to draw from.
    """

    without: Axes
    along: Axes
    n_units: Mapping[str, int]


def settle_interval(who: str, interval: str, level: str, unit: str) -> str:
    """The name of an interval, checked against what is resampled; ``"auto"`` becomes the one that covers best (`validate.stats.coverage`).

    Raises
    ------
    OptionError
        For an unknown name, and for a formula where none holds.
    """
    if interval not in INTERVALS:
        raise unknown_name(who, "interval", str(interval), INTERVALS)
    if interval == "auto":
        at_system_level = {"items": "percentile", "annotators": "corrected"}.get(unit, "analytic")
        return at_system_level if level == "system" else "corrected"
    if interval == "analytic" and (level != "system" or unit not in ("systems", "both")):
        raise OptionError(
            f"{who}: interval='analytic' with level={level!r} and unit={unit!r} was given; the formulas suppose independent pairs, which "
            "only systems are: level='system' with unit='systems' or 'both' is allowed; use interval='auto'"
        )
    return interval


def axes_of(unit: str) -> tuple[str, ...]:
    """What a unit resamples."""
    return ("systems", "items") if unit == "both" else (unit,)


def axes_without(interval: str, unit: str) -> tuple[str, ...]:
    """Along which axes an interval wants units left out."""
    if interval == "corrected":
        return {"both": ("systems",), "items": ()}.get(unit, (unit,))
    return axes_of(unit) if interval == "bca" else ()


def axes_along(interval: str, unit: str) -> tuple[str, ...]:
    """Of which axes an interval wants replicates of their own."""
    return ("systems", "items") if interval == "corrected" and unit == "both" else ()


def blocks(n: int, most: int = MOST_LEFT_OUT) -> IntArray:
    """(n,) which of at most so many blocks of nearly one size each unit belongs to."""
    return np.arange(n) * min(n, most) // max(n, 1)


def leave_out(correlations: Lanes, groups: IntArray, n_lanes: int) -> FloatArray:
    """(n_coefficients, n_metrics, n_groups): correlations with the units of one group left out at a time; ``groups`` (n_units,)."""
    n_groups = int(groups.max(initial=-1)) + 1
    found = []
    for start in range(0, n_groups, n_lanes):
        lanes = np.arange(start, min(start + n_lanes, n_groups))
        found.append(correlations((groups[:, None] != lanes).astype(np.float64)))
    return np.concatenate(found, axis=-1)
