"""When two scores are one score: the rule that keeps exact ties exact.

System means that are equal in exact arithmetic differ in the last bits when they are summed in another order
(0.1 + 0.2 + 0.3 against 0.3 + 0.2 + 0.1), and so do item scores that are the same fraction. Ranks must not see that.
Two scores are tied when they agree to 12 significant digits. Where a score takes both signs, terms can cancel and
leave only rounding behind; such scores are tied as well when they differ by less than 1e-14 of the largest.

Neighbours are compared and nothing is rounded: a rounded grid has borders, and equal scores can fall on both sides of one.
"""

from __future__ import annotations

import numpy as np

from validate.schema import FloatArray, IntArray

RELATIVE = 1e-12
CANCELLED = 1e-14


def slack(values: FloatArray) -> float:
    """The absolute difference below which scores are tied whatever their size: 0 where nothing can cancel."""
    finite = values[~np.isnan(values)]
    if not len(finite) or finite.min() >= 0.0 or finite.max() <= 0.0:
        return 0.0
    return CANCELLED * float(np.abs(finite).max())


def tie_codes(values: FloatArray, *, exact: bool = False) -> IntArray:
    """Dense ranks from 0 over the whole array, one code a distinct score; -1 for NaN.

    Parameters
    ----------
    values : float64 of any shape
    exact : bool
        Distinguish all floats instead of tying those that agree to 12 significant digits.

    Examples
    --------
    >>> tie_codes(np.array([0.3, 0.1 + 0.2, 0.2, np.nan]))
    array([ 1,  1,  0, -1])
    >>> tie_codes(np.array([0.3, 0.1 + 0.2, 0.2, np.nan]), exact=True)
    array([ 1,  2,  0, -1])
    """
    flat = values.ravel()
    order = np.argsort(flat)  # equal floats have one code, whichever comes first
    order = order[: len(order) - int(np.isnan(flat).sum())]  # NaN sorts last
    ascending = flat[order]
    tolerance = np.zeros(max(len(ascending) - 1, 0))
    if not exact:
        size = np.abs(ascending)
        tolerance = RELATIVE * np.maximum(size[:-1], size[1:]) + slack(flat)
    codes = np.full(flat.shape, -1, dtype=np.int64)
    codes[order] = np.concatenate([np.zeros(min(len(order), 1)), np.cumsum(np.diff(ascending) > tolerance)])
    return codes.reshape(values.shape)
