"""Variance components of judgments, units by raters, with or without missing cells.

Score x of a unit by a rater is mean + unit + rater + error. The components come from Henderson's method III (fitting
constants): sums of squares of nested least-squares fits set equal to what is expected of them. Without missing cells these
are the mean squares of the analysis of variance. Everything is a function of weights of the units, so that a bootstrap
over units is the same computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from validate.schema import FloatArray, IntArray
from validate.stats.agreement.judgments import Judgments
from validate.stats.agreement.units import column_sums, distinct_rows

_ROUNDING = 1e-12  # a share of the sum of squares that is rounding


class Components(NamedTuple):
    """Variance of units, of raters and of the rest, per column of weights; degrees of freedom of raters and of the rest."""

    unit: FloatArray
    rater: FloatArray
    error: FloatArray
    df_rater: FloatArray
    df_error: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Judgments as sums per unit and as sparse matrices of raters by units.

    Parameters
    ----------
    size, mean, within, square : (n_units,) float64
        Per unit: judgments, their mean, squares around it, squares around the middle of the data.
    given, score, deviation : (n_raters, n_units) sparse
        1 where there is a judgment; the judgment from the middle of the data; from the mean of its unit.
    patterns : Patterns or None
        None where every rater judged every unit.
    n_dropped : int
        Units without any judgment.
    """

    size: FloatArray
    mean: FloatArray
    within: FloatArray
    square: FloatArray
    given: sparse.csr_array
    score: sparse.csr_array
    deviation: sparse.csr_array
    patterns: Patterns | None
    n_dropped: int

    @property
    def multiplicity(self) -> IntArray:
        """Every unit is a kind of its own."""
        return np.ones(len(self.size), np.int64)

    @property
    def n_pairable(self) -> int:
        """Units with a judgment; 0 when none has two."""
        return len(self.size) if (self.size > 1).any() else 0

    @property
    def width(self) -> int:
        """Numbers held per replicate of a bootstrap."""
        n_raters = int(self.given.shape[0])
        return n_raters if self.complete else n_raters**2

    @property
    def complete(self) -> bool:
        """Whether every rater judged every unit."""
        return self.patterns is None


def cells(given: Judgments) -> Cells:
    """The sums of judgments, from the middle of the data so that no digits are lost far from zero."""
    units, unit = np.unique(given.unit, return_inverse=True)
    raters, rater = np.unique(given.annotator, return_inverse=True)
    x = given.values[given.category]
    n_units, shape = len(units), (len(raters), len(units))
    if 0 < len(x) == len(raters) * len(units):  # an annotator and unit occur once
        whole = np.empty(shape)
        whole[rater, unit] = x
        return whole_cells(whole, given.n_units - n_units)
    x = x - (np.median(x) if len(x) else 0.0)

    def per_unit(entries: FloatArray) -> FloatArray:
        return np.bincount(unit, entries, n_units).astype(np.float64)

    size = per_unit(np.ones(len(x)))
    mean = per_unit(x) / size
    deviation = x - mean[unit]

    def matrix(entries: FloatArray) -> sparse.csr_array:
        return sparse.csr_array((entries, (rater, unit)), shape=shape)

    patterns = _patterns(unit, rater, size.astype(np.int64), len(raters))
    return Cells(
        size, mean, per_unit(deviation**2), per_unit(x**2),
        matrix(np.ones(len(x))), matrix(x), matrix(deviation), patterns, given.n_units - n_units,
    )  # fmt: skip


def whole_cells(values: FloatArray, n_dropped: int = 0) -> Cells:
    """The sums of judgments (n_raters, n_units) none of which is missing: nothing has to be sorted."""
    n_raters, n_units = values.shape
    x = values - np.median(values)
    mean = x.sum(axis=0) / n_raters
    deviation = x - mean
    unit, row = np.tile(np.arange(n_units), n_raters), np.arange(0, x.size + 1, n_units)

    def matrix(entries: FloatArray) -> sparse.csr_array:
        return sparse.csr_array((entries.ravel(), unit, row), shape=x.shape)

    return Cells(
        np.full(n_units, float(n_raters)), mean, (deviation**2).sum(axis=0), (x**2).sum(axis=0),
        matrix(np.ones(x.size)), matrix(x), matrix(deviation), None, n_dropped,
    )  # fmt: skip


class Patterns(NamedTuple):
    """Who judged the same units.

    ``of_units`` (n_patterns, n_units) sparse is 1 for the units that were judged by the same people, ``together`` (n_raters * n_raters, n_patterns)
    sparse 1 / size for each pair of these people.
    """

    of_units: sparse.csr_array
    together: sparse.csr_array


def _patterns(unit: IntArray, rater: IntArray, size: IntArray, n_raters: int) -> Patterns:
    """Units sorted by who judged them."""
    order = np.lexsort((rater, unit))
    ordered, start = rater[order], np.cumsum(size) - size
    number, pairs, columns, entries, n_patterns = np.zeros(len(size), np.int64), [], [], [], 0
    for k in np.unique(size):
        members = np.flatnonzero(size == k)
        rows, which = distinct_rows(ordered[start[members][:, None] + np.arange(k)], n_raters)
        number[members] = n_patterns + which
        pairs.append((rows[:, :, None] * n_raters + rows[:, None, :]).ravel())
        columns.append(np.repeat(n_patterns + np.arange(len(rows)), k * k))
        entries.append(np.full(rows.shape[0] * k * k, 1 / k))
        n_patterns += len(rows)
    empty: list[Any] = [np.zeros(0, np.int64)]
    places = (np.concatenate(pairs or empty), np.concatenate(columns or empty))
    together = sparse.csr_array((np.concatenate(entries or [np.zeros(0)]), places), shape=(n_raters**2, n_patterns))
    each = (np.ones(len(size)), (number, np.arange(len(size))))
    return Patterns(sparse.csr_array(each, shape=(n_patterns, len(size))), together)


def one_way(table: Cells, weights: FloatArray) -> Components:
    """Units against all else: E[MS within] = σ², E[SS between] = (n - 1) σ² + (N - Σ k² / N) σ_u²."""
    n, total = column_sums(weights), column_sums(table.size[:, None] * weights)
    within = column_sums(table.within[:, None] * weights)
    error = _over(within, total - n)
    unit = _over(_between(table, weights) - (n - 1) * error, _one_way_size(table, weights))
    return Components(unit, np.zeros_like(n), error, np.zeros_like(n), total - n)


def _between(table: Cells, weights: FloatArray) -> FloatArray:
    """Σ w k mean² - (Σ w k mean)² / N."""
    size = table.size[:, None] * weights
    total = column_sums(size)
    raw, first = column_sums(size * table.mean[:, None] ** 2), column_sums(size * table.mean[:, None])
    return _cleaned(raw - first**2 / total, raw)


def _one_way_size(table: Cells, weights: FloatArray) -> FloatArray:
    """N - Σ w k² / N."""
    total = column_sums(table.size[:, None] * weights)
    size: FloatArray = total - column_sums(table.size[:, None] ** 2 * weights) / total
    return size


def two_way(table: Cells, weights: FloatArray) -> Components:
    """Units and raters by Henderson's method III.

    With N judgments of n units by m raters and r the rank of raters after units: E[SS error] = (N - n - r) σ²,
    E[R(raters | units)] = r σ² + (N - n) σ_r², E[R(units | raters)] = (n + r - m) σ² + (N - m) σ_u².
    """
    n, total = column_sums(weights), column_sums(table.size[:, None] * weights)
    present = table.given @ weights
    raters, rank, _ = _raters_after_units(table, weights)
    within = column_sums(table.within[:, None] * weights)
    residual = _cleaned(within - raters, within)
    m = (present > 0).sum(axis=0)
    error = _over(residual, total - n - rank)
    units = _around_raters(table, weights, present) - residual
    unit = _over(units - (n + rank - m) * error, total - m)
    rater = _over(raters - rank * error, total - n)
    return Components(unit, rater, error, rank, total - n - rank)


def _raters_after_units(table: Cells, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """b' Q⁺ b, the rank of Q, and the raters' effects Q⁺ b of the least-squares fit, where Q is the normal matrix of raters after units."""
    if table.patterns is None:
        return _all_raters_after_units(table, weights)
    present = table.given @ weights
    b = (table.deviation @ weights).T
    m = len(present)
    normal = -(table.patterns.together @ (table.patterns.of_units @ weights)).T.reshape(-1, m, m)
    normal[:, np.arange(m), np.arange(m)] += present.T
    values, vectors = np.linalg.eigh(normal)
    kept = values > 1e-9 * np.maximum(values[:, -1:], 1e-300)
    along = np.einsum("bij,bi->bj", vectors, b)
    scaled = np.divide(along, values, out=np.zeros_like(along), where=kept)
    effects: FloatArray = np.einsum("bij,bj->bi", vectors, scaled)
    return (along * scaled).sum(axis=1), kept.sum(axis=1).astype(np.float64), effects


def _all_raters_after_units(table: Cells, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same where all judged everything: Q is n times what takes the mean away, and an effect a rater's mean deviation."""
    b, n = table.deviation @ weights, column_sums(weights)
    centred = b - column_sums(b) / len(b)
    effects = centred / n
    return column_sums(centred * effects), np.full(len(n), len(b) - 1.0), effects.T


def _around_raters(table: Cells, weights: FloatArray, present: FloatArray) -> FloatArray:
    """Squares around the raters' own means."""
    raw, sums = column_sums(table.square[:, None] * weights), table.score @ weights
    means = np.divide(sums, present, out=np.zeros_like(sums), where=present > 0)
    return _cleaned(raw - column_sums(sums * means), raw)


def _cleaned(squares: FloatArray, out_of: FloatArray) -> FloatArray:
    """A sum of squares got by subtraction, 0 where it is rounding."""
    return np.where(squares > _ROUNDING * out_of, squares, 0.0)


def _over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """NaN where there are no degrees of freedom."""
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)


class Moves(NamedTuple):
    """(n_units,) derivatives of the components with respect to the weight of a unit."""

    unit: FloatArray
    rater: FloatArray
    error: FloatArray


def one_way_moves(table: Cells) -> Moves:
    """How one unit more of a kind moves the one-way components."""
    weights = np.ones((len(table.size), 1))
    found = one_way(table, weights)
    unit, error, k = float(found.unit[0]), float(found.error[0]), table.size
    n, total, squares = len(k), k.sum(), (k**2).sum()
    to_error = (table.within - error * (k - 1)) / (total - n)
    grand = float((k * table.mean).sum() / total)
    to_size = k - k**2 / total + squares * k / total**2
    to_between = k * (table.mean - grand) ** 2
    size = float(_one_way_size(table, weights)[0])
    return Moves((to_between - error - (n - 1) * to_error - unit * to_size) / size, np.zeros(n), to_error)


def two_way_moves(table: Cells) -> Moves:
    """How one unit more of a kind moves the two-way components: a least-squares sum moves by the unit's own residuals."""
    weights = np.ones((len(table.size), 1))
    unit, rater, error, rank, df_error = (float(part[0]) for part in two_way(table, weights))
    n, total, m = len(table.size), table.size.sum(), table.given.shape[0]
    residual = _residuals(table, _raters_after_units(table, weights)[2][0])
    to_error = (residual - error * (table.size - 1)) / df_error
    to_rater = (table.within - residual - rank * to_error - rater * (table.size - 1)) / (total - n)
    means = (table.score @ weights)[:, 0] / (table.given @ weights)[:, 0]
    around = table.square - 2 * (table.score.T @ means) + table.given.T @ means**2
    df_unit = n + rank - m
    to_unit = (around - residual - error - df_unit * to_error - unit * table.size) / (total - m)
    return Moves(to_unit, to_rater, to_error)


def _residuals(table: Cells, effects: FloatArray) -> FloatArray:
    """(n_units,) Σ (deviation - effect + mean effect of the unit's raters)²."""
    first, second = table.given.T @ effects, table.given.T @ effects**2
    squares: FloatArray = table.within - 2 * (table.deviation.T @ effects) + second - first**2 / table.size
    return squares
