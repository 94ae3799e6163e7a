"""Pearson, Spearman, Kendall and its relatives: how far two scores of the same things go together.

The first three are one quotient (see `validate.stats._kernels`), and the same compiled sums serve a single pair of arrays here and
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
from validate.stats._pair_kernels import concordance
from validate.stats._pairs import Pairs, Sorted, human_levels, presort, unit_scaled
from validate.stats._ties import tie_codes
from validate.stats.facts import TOO_FEW
from validate.stats.pair_tables import TIE_VARIANTS, one_group, quotient

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
    variant : {"b", "c", "10", "13", "14", "23"}
        ``"b"`` divides by the geometric mean of the pairs not tied in x and not tied in y. ``"c"`` (Stuart) divides by the largest
        difference that n pairs on a table with m = min(distinct x, distinct y) rows allow, n^2 (m - 1) / (2 m). The years are WMT's ways with
        ties, x being the metric and y the human side; see `validate.stats.wmt_kendall`.

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
    if variant not in ("b", "c", *TIE_VARIANTS):
        raise unknown_name("kendall", "variant", str(variant), ("b", "c", *TIE_VARIANTS))
    if variant in TIE_VARIANTS:
        return _tie_variant(variant, x, y)
    return _estimate("kendall", x, y, stuart=variant == "c")


def somers_d(x: ArrayLike, y: ArrayLike) -> Estimate:
    """Somers' D of y given x: how well the order of x predicts that of y, from -1 to 1.

    Concordant minus discordant pairs over the pairs not tied in x, the predictor: with a metric as x and human scores as y, pairs that
    the metric ties do not count against it. It is not symmetric; tau-b is the geometric mean of both directions.

    Parameters
    ----------
    x, y : (n,) float64
        Predictor and what is predicted; as in `pearson`.

    References
    ----------
    Somers, R. H. (1962). A new asymmetric measure of association for ordinal variables. doi:10.2307/2090408

    Examples
    --------
    >>> somers_d([1, 2, 3, 3], [1, 3, 2, 4]).value, somers_d([1, 3, 2, 4], [1, 2, 3, 3]).value  # 4 agree, 1 disagrees: 3 / 5, 3 / 6
    (0.6, 0.5)
    """
    return _estimate("somers_d", x, y)


def weighted_tau(x: ArrayLike, y: ArrayLike) -> Estimate:
    """Vigna's weighted tau: Kendall's tau in which pairs with a high score count more, from -1 to 1.

    A pair counts the sum of what its two sides weigh, 1 / (r + 1) for rank r from 0 at the highest score. Ranks follow x and then y, or y and then
    x; the result is the mean of both (``rank=True`` with additive hyperbolic weights in scipy).

    Parameters
    ----------
    x, y : (n,) float64
        As in `pearson`.

    References
    ----------
    Vigna, S. (2015). A weighted correlation index for rankings with ties. doi:10.1145/2736277.2741088

    Examples
    --------
    The lowest two are exchanged: the pairs weigh 1 + 1/2, 1 + 1/3 and 1/2 + 1/3, and 3/2 + 4/3 - 5/6 = 2 of 11/3 remain.

    >>> weighted_tau([3, 2, 1], [3, 1, 2]).value
    0.545...
    """
    return _estimate("weighted_tau", x, y)


def check_coefficient(who: str, coefficient: str) -> str:
    """The name, or the error that lists what there is."""
    if coefficient not in COEFFICIENTS:
        raise unknown_name(who, "coefficient", str(coefficient), COEFFICIENTS)
    return coefficient


def _estimate(name: str, x: ArrayLike, y: ArrayLike, *, stuart: bool = False) -> Estimate:
    xs, ys, n_dropped = paired(name, x, y)
    method = {"kendall": "kendall tau-c" if stuart else "kendall tau-b", "somers_d": "somers d of y given x"}.get(
        name, name
    )
    counts: dict[str, Any] = {"method": method.replace("_", " "), "n": len(xs), "n_dropped": n_dropped}
    if len(xs) < 2:
        return Estimate(np.nan, reason=TOO_FEW, **counts)
    constant = [side for side, values in (("x", xs), ("y", ys)) if (values == values[0]).all()]
    if constant:
        return Estimate(np.nan, reason=f"{' and '.join(constant)} constant", **counts)
    if name == "weighted_tau":
        return Estimate((_weighted(xs, ys) + _weighted(ys, xs)) / 2.0, **counts)
    cross, own, other = _one_group("kendall" if name == "somers_d" else name, xs, ys)
    if stuart:
        m = min(len(np.unique(xs)), len(np.unique(ys)))
        return Estimate(cross * m / (len(xs) ** 2 * (m - 1)), **counts)  # cross counts each pair of pairs twice
    scale = own if name == "somers_d" else float(np.sqrt(own * other))
    return Estimate(min(1.0, max(-1.0, cross / scale)), **counts)


def _tie_variant(variant: str, x: ArrayLike, y: ArrayLike) -> Estimate:
    xs, ys, n_dropped = paired("kendall", x, y)
    value = float(quotient(one_group(xs, ys, exact=True).counts(), *TIE_VARIANTS[variant])[0])
    reason = "" if not np.isnan(value) else TOO_FEW if len(xs) < 2 else "no pair enters"
    return Estimate(value, method=f"kendall tau of WMT{variant}", n=len(xs), n_dropped=n_dropped, reason=reason)


def _weighted(xs: FloatArray, ys: FloatArray) -> float:
    """With weights by the rank of x, then y: sums over pairs of w_i + w_j are sums over i of w_i times what i has with all others."""
    order = np.lexsort((-ys, -xs))
    weights = np.empty(len(xs))
    weights[order] = 1.0 / np.arange(1, len(xs) + 1)
    balance = _balance(xs, ys)
    untied = [len(side) - np.bincount(codes)[codes] for side in (xs, ys) for codes in [tie_codes(side, exact=True)]]
    value = (weights @ balance) / float(np.sqrt((weights @ untied[0]) * (weights @ untied[1])))
    return min(1.0, max(-1.0, float(value)))


def _balance(xs: FloatArray, ys: FloatArray) -> FloatArray:
    """(n,) with how many others each pair of scores agrees, minus with how many it disagrees."""
    table = one_group(xs, ys, exact=True)
    balance = np.empty(len(xs))
    balance[table.points.col] = concordance(table.points, len(table.level_values))
    return balance


def paired(who: str, x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray, int]:
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
