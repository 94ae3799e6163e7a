"""p-values of many tests: what each is worth when all of them are made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from validate.errors import AccordError, ShapeError, unknown_name
from validate.schema import FloatArray


def adjust_p(p: ArrayLike, *, method: str = "holm") -> FloatArray:
    """p-values adjusted for how many there are.

    Parameters
    ----------
    p : (n,) float64 in [0, 1]
        NaN is no test: it stays NaN and does not count.
    method : {"holm", "bonferroni", "hommel", "bh", "by"}
        The first three hold the chance of any false rejection; Benjamini-Hochberg and Benjamini-Yekutieli (any dependence) hold the share of
        false ones among the rejections.

    Returns
    -------
    (n,) float64

    Raises
    ------
    AccordError
        For an unknown method, values outside [0, 1], or an array that is not one-dimensional.

    References
    ----------
    Holm (1979), jstor:4615733. Hommel (1988), doi:10.1093/biomet/75.2.383. Wright (1992), doi:10.2307/2532694. Benjamini and
    Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x. Benjamini and Yekutieli (2001), doi:10.1214/aos/1013699998.

    Examples
    --------
    >>> adjust_p([0.01, np.nan, 0.03], method="bh")  # 0.01 * 2 / 1, 0.03 * 2 / 2
    array([0.02,  nan, 0.03])
    """
    check_adjustment("adjust_p", method)
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ShapeError(
            f"adjust_p: an array of shape {values.shape} was given; (n,) is allowed; adjust one family of tests at a time"
        )
    defined = ~np.isnan(values)
    if ((values[defined] < 0.0) | (values[defined] > 1.0)).any():
        raise AccordError("adjust_p: values outside [0, 1] were given; p-values and NaN are allowed; pass p-values")
    adjusted = np.full(values.shape, np.nan)
    order = np.flatnonzero(defined)[np.argsort(values[defined], kind="stable")]
    if len(order):
        adjusted[order] = np.minimum(ADJUSTMENTS[method](values[order]), 1.0)
    return adjusted


def _bonferroni(p: FloatArray) -> FloatArray:
    return p * len(p)


def _holm(p: FloatArray) -> FloatArray:
    """Step down: p_(i) times how many are not smaller, never less than before."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Step up: p_(i) n / i, never more than after."""
    n = len(p)
    return np.minimum.accumulate((p * n / np.arange(1, n + 1))[::-1])[::-1]


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    return _benjamini_hochberg(p) * (1.0 / np.arange(1, len(p) + 1)).sum()


def _hommel(p: FloatArray) -> FloatArray:
    """Closed testing with Simes' test: p_(i) is rejected when every set of m hypotheses that holds it is, for all m.

    The worst set of m that holds the i-th are it and the m - 1 largest others. Its Simes value is min_k m p_(k) / k over that set, and
    among the m largest it is the set itself, whichever of them is meant.
    """
    n = len(p)
    adjusted = p.copy()
    for m in range(2, n + 1):
        ranks = np.arange(1, m + 1)
        among_largest = float((m * p[n - m :] / ranks).min())
        outside = np.minimum(m * p[: n - m], float((m * p[n - m + 1 :] / ranks[1:]).min()))
        adjusted[n - m :] = np.maximum(adjusted[n - m :], among_largest)
        adjusted[: n - m] = np.maximum(adjusted[: n - m], outside)
    return adjusted


ADJUSTMENTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "hommel": _hommel,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}


def check_adjustment(who: str, method: str) -> None:
    """The name of a method, or the error that lists what there is."""
    if method not in ADJUSTMENTS:
        raise unknown_name(who, "method of adjustment", str(method), ADJUSTMENTS)
