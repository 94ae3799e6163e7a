"""Pearson, Spearman, Kendall: how far two scores of the same things go together.

All three are one quotient (see `validate.stats._kernels`), and the same compiled sums serve a single pair of arrays here and
millions of resampled groups in `validate.stats.grouping`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from validate.errors import AccordError, ShapeError, unknown_name
from validate.schema import COEFFICIENTS, Estimate, FloatArray, IntArray
from validate.stats._kernels import HumanSums, human_sums, kendall_sums, pearson_sums, spearman_sums
from validate.stats._pairs import Pairs, Sorted, human_levels, presort, unit_scaled
from validate.stats._ties import tie_codes
from validate.stats.facts import TOO_FEW

SUMS: dict[str, Callable[..., None]] = {"pearson": pearson_sums, "spearman": spearman_sums, "kendall": kendall_sums}
OTHER = {"pearson": "squares", "spearman": "rank_squares", "kendall": "untied"}


def pearson(x: ArrayLike, y: ArrayLike) -> Estimate:
    """Pearson's r: how close two scores come to a straight line, from -1 to 1.

    Parameters
    ----------
    x, y : (n,) float64
        Pairs in which a side is NaN are dropped and counted in ``n_dropped``. The values are taken as they are: floats that differ in
        their last bit differ (`correlation` ties scores that agree to 12 significant digits).

    Returns
    -------
    Estimate
        NaN with a reason when a side is constant or fewer than two pairs are left.

    Raises
    ------
    ShapeError
        When the arrays are not one-dimensional and equally long.

    References
    ----------
    Pearson, K. (1895). Note on regression and inheritance in the case of two parents. doi:10.1098/rspl.1895.0041

    Examples
    --------
    >>> pearson([1, 2, 3], [1, 2, 4]).value  # 3 / sqrt(2 * 14/3)
    0.98198...
    """
    return _estimate("pearson", x, y)


def spearman(x: ArrayLike, y: ArrayLike) -> Estimate:
    """Spearman's rho: Pearson's r of midranks, from -1 to 1.

    Parameters and results as in `pearson`. Tied scores share the mean of their ranks; the shortcut through squared
    differences of ranks, which is wrong with ties, is not used.

    References
    ----------
    Spearman, C. (1904). The proof and measurement of association between two things. doi:10.2307/1412159

    Examples
    --------
    >>> spearman([1, 1, 1, 1, 2], [5, 4, 3, 2, 1]).value  # -2 / sqrt(0.8 * 10); the shortcut says -0.25
    -0.70710...
    """
    return _estimate("spearman", x, y)


def kendall(x: ArrayLike, y: ArrayLike, *, variant: str = "b") -> Estimate:
    """Kendall's tau: concordant minus discordant pairs of pairs, from -1 to 1.

    Parameters
    ----------
    x, y : (n,) float64
        As in `pearson`.
    variant : {"b", "c"}
        ``"b"`` divides by the geometric mean of the pairs not tied in x and not tied in y. ``"c"`` (Stuart) divides by the largest
        difference that n pairs on a table with m = min(distinct x, distinct y) rows allow, n^2 (m - 1) / (2 m).

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. doi:10.1093/biomet/33.3.239
    Stuart, A. (1953). The estimation and comparison of strengths of association in contingency tables. doi:10.1093/biomet/40.1-2.105

    Examples
    --------
    >>> kendall([1, 2, 3, 3], [1, 3, 2, 4]).value  # 4 agree, 1 disagrees, 1 tied in x: 3 / sqrt(5 * 6)
    0.54772...
    >>> kendall([1, 2, 3, 3], [1, 3, 2, 4], variant="c").value  # 2 * 3 / (16 * 2/3)
    0.5625
    """
    if variant not in ("b", "c"):
        raise unknown_name("kendall", "variant", str(variant), ("b", "c"))
    return _estimate("kendall", x, y, stuart=variant == "c")


def check_coefficient(who: str, coefficient: str) -> str:
    """The name, or the error that lists what there is."""
    if coefficient not in COEFFICIENTS:
        raise unknown_name(who, "coefficient", str(coefficient), COEFFICIENTS)
    return coefficient


def _estimate(name: str, x: ArrayLike, y: ArrayLike, *, stuart: bool = False) -> Estimate:
    xs, ys, n_dropped = _paired(name, x, y)
    method = "kendall tau-c" if stuart else "kendall tau-b" if name == "kendall" else name
    counts: dict[str, Any] = {"method": method, "n": len(xs), "n_dropped": n_dropped}
    if len(xs) < 2:
        return Estimate(np.nan, reason=TOO_FEW, **counts)
    constant = [side for side, values in (("x", xs), ("y", ys)) if (values == values[0]).all()]
    if constant:
        return Estimate(np.nan, reason=f"{' and '.join(constant)} constant", **counts)
    cross, own, other = _one_group(name, xs, ys)
    if stuart:
        m = min(len(np.unique(xs)), len(np.unique(ys)))
        return Estimate(cross * m / (len(xs) ** 2 * (m - 1)), **counts)  # cross counts each pair of pairs twice
    return Estimate(min(1.0, max(-1.0, cross / float(np.sqrt(own * other)))), **counts)


def _paired(who: str, x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray, int]:
    """Both sides where both are there, and how many pairs were dropped."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape:
        raise ShapeError(
            f"{who}: arrays of shapes {xs.shape} and {ys.shape} were given; two arrays of one length (n,) are allowed; "
            "for (n_systems, n_items) matrices use stats.correlation"
        )
    if np.isinf(xs).any() or np.isinf(ys).any():
        raise AccordError(
            f"{who}: infinite values were given; numbers and NaN (missing) are allowed; replace or drop them"
        )
    kept = ~np.isnan(xs) & ~np.isnan(ys)
    return xs[kept], ys[kept], int((~kept).sum())


def _one_group(name: str, xs: FloatArray, ys: FloatArray) -> tuple[float, float, float]:
    """cross, own and other of one group in which each pair counts once."""
    here: IntArray = np.zeros(len(xs), dtype=np.int64)
    pairs = Pairs(here, here, here, 1)
    codes = tie_codes(ys, exact=True)
    levels = human_levels(pairs, codes)
    xs, ys, once = unit_scaled(xs), unit_scaled(ys), np.ones((1, 1))
    human = HumanSums.empty(levels.bounds, 1)
    human_sums(presort(pairs, codes, ys, ys, levels), once, once, human)
    cross, own = np.empty((1, 1)), np.empty((1, 1))
    metric: Sorted = presort(pairs, tie_codes(xs, exact=True), xs, ys, levels)
    SUMS[name](metric, once, once, human, cross, own)
    return float(cross[0, 0]), float(own[0, 0]), float(getattr(human, OTHER[name])[0, 0])
