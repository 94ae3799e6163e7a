"""What two different categories are worth to each other: weights on a declared scale."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from validate.schema import FloatArray

Weights = Literal["linear", "quadratic", "ordinal"]
WEIGHTS: tuple[str, ...] = get_args(Weights)


def penalty(difference: FloatArray, scale: FloatArray, weights: str | None) -> FloatArray:
    """1 - credit for two different categories at that difference of values, or of places on the scale for ordinal weights."""
    q = len(scale)
    if weights is None:
        return np.ones_like(difference)
    if weights == "ordinal":
        return difference * (difference + 1) / (q * (q - 1))
    relative = difference / (scale[-1] - scale[0])
    return relative if weights == "linear" else relative**2


def credit_matrix(scale: FloatArray, weights: str | None) -> FloatArray:
    """(q, q) credit of each category for each other, 1 on the diagonal; ``scale`` ascends."""
    position = np.arange(len(scale), dtype=np.float64) if weights == "ordinal" else scale
    distance = np.abs(position[:, None] - position)
    credit = np.eye(len(scale))
    apart = distance > 0
    credit[apart] = 1 - penalty(distance[apart], scale, weights)
    return credit
