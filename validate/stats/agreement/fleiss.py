"""Fleiss' and Randolph's kappa and Scott's pi: agreement of exchangeable raters beyond chance, out of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse

from validate.errors import ShapeError, bad_value, listed, unknown_name
from validate.schema import Estimate, FloatArray, Preferences, Ratings
from validate.stats.agreement.chance import chance_corrected
from validate.stats.agreement.estimate import Interval, estimate
from validate.stats.agreement.judgments import Values, judgments
from validate.stats.agreement.percent import agreeing_pairs
from validate.stats.agreement.two_raters import cross_table
from validate.stats.agreement.units import UnitCounts, unit_counts

Method = Literal["fleiss", "randolph"]

_ONE_CATEGORY = "all judgments are one category: chance agreement cannot be told from real agreement; show percent agreement and AC1"


def fleiss_kappa(
    counts: ArrayLike | Ratings | Preferences,
    *,
    method: Method = "fleiss",
    interval: Interval | None = "bootstrap",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Fleiss' κ = (p_a - p_e) / (1 - p_e), or Randolph's, which expects every category equally often by chance.

    p_a is the share of agreeing pairs of judgments in a unit, averaged over the units with two judgments or more. Units may
    have different numbers of judgments.

    Parameters
    ----------
    counts : (n_units, n_categories) array, Ratings or Preferences
        How often each category was given to each unit, as `rating_counts` makes them out of ratings; or the judgments
        themselves, of which no dense array is made.
    method : {"fleiss", "randolph"}
        Chance agreement: Σ π², with π the categories' shares in a unit, averaged over units; or 1 / q, with q the number of
        columns, also known as Brennan and Prediger's. Declare the whole scale for the latter, with empty columns.
    interval : {"bootstrap", "percentile", "analytic"} or None
        For the population of units: bias-corrected accelerated bootstrap, percentile bootstrap, or Gwet's variance with
        Student's t.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement; 0 is agreement by chance. ``n`` counts the units with two judgments or more,
        ``n_dropped`` the others; those with one judgment still count in π. NaN with a reason when no unit has two
        judgments, or when all judgments are one category (with Randolph's: when there is one column).

    Raises
    ------
    ShapeError
        When the counts are not a table of whole numbers of 0 and above.
    OptionError
        For an unknown method.

    Notes
    -----
    With unequal numbers of judgments definitions differ. Here each unit counts alike in p_a and in π, as in Gwet's book and
    in irrCAC. With equal numbers it is Fleiss' own formula.

    References
    ----------
    J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378–382.
    doi:10.1037/h0031619. J. J. Randolph (2005). Free-marginal multirater kappa. ERIC ED490661. R. L. Brennan, D. J. Prediger
    (1981). Coefficient kappa. Educational and Psychological Measurement 41, 687–699. doi:10.1177/001316448104100307. Unequal
    numbers and the variance: K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., ch. 5.

    Examples
    --------
    Three, two and three raters. p_a = (1 + 1 + 1/3) / 3 = 7/9, π = (1 + 1 + 1/3) / 3 and 2/9, p_e = 53/81.

    >>> round(fleiss_kappa([[3, 0], [2, 0], [1, 2]], interval=None).value, 4)  # (63 - 53) / (81 - 53)
    0.3571
    """
    who = "fleiss_kappa"
    if method not in get_args(Method):
        raise unknown_name(who, "method", str(method), get_args(Method))
    units = unit_counts(who, counts) if isinstance(counts, Ratings | Preferences) else _units_of_counts(who, counts)
    if method == "fleiss":
        coefficient = chance_corrected("Fleiss kappa", units, _agreeing(units), _shares, _ONE_CATEGORY)
    else:
        coefficient = chance_corrected(
            "Randolph kappa",
            units,
            _agreeing(units),
            _equally,
            "there is one category only; give a column for each of the scale",
        )
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def scott_pi(
    a: ArrayLike,
    b: ArrayLike,
    *,
    interval: Interval | None = "analytic",
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
) -> Estimate:
    """Scott's π = (p_o - p_e) / (1 - p_e), where p_e comes from the shares of the categories over both raters together.

    Parameters
    ----------
    a, b : (n_units,) array
        The categories, numbers or labels, that each of the two gave; NaN or None where one did not judge.
    interval : {"analytic", "bootstrap", "percentile"} or None
        ``"analytic"`` is Gwet's variance for two raters with Student's t; the others resample units.
    confidence : float
    resamples : int
    rng : int or Generator

    Returns
    -------
    Estimate
        At most 1, higher is more agreement. ``n`` counts the units that both judged, ``n_dropped`` the others. NaN with a
        reason when there is none, or when all judgments are one category.

    References
    ----------
    W. A. Scott (1955). Reliability of content analysis. Public Opinion Quarterly 19, 321–325. doi:10.1086/266577. The
    variance: K. L. Gwet (2008), doi:10.1348/000711006X126600.

    Examples
    --------
    Of four units, three are judged alike; "x" has 5 of the 8 judgments, so p_e = 25/64 + 9/64 = 34/64.

    >>> round(scott_pi(["x", "x", "x", "y"], ["x", "x", "y", "y"], interval=None).value, 4)  # (48 - 34) / (64 - 34)
    0.4667
    """
    table = cross_table("scott_pi", a, b, None)
    n_kinds, q = len(table.multiplicity), len(table.categories)
    cells = np.tile(np.arange(n_kinds), 2)
    given = np.concatenate([table.one, table.other])
    counts = sparse.coo_array((np.ones(2 * n_kinds), (cells, given)), shape=(n_kinds, q)).tocsr()
    sizes = np.full(n_kinds, 2.0)
    units = UnitCounts(counts, sizes, table.multiplicity, np.full(q, np.nan), table.n_dropped)
    coefficient = chance_corrected("Scott pi", units, _agreeing(units), _shares, _ONE_CATEGORY)
    return estimate(coefficient, interval=interval, confidence=confidence, resamples=resamples, rng=rng)


def rating_counts(values: Values, *, categories: Sequence[Any] | None = None) -> pd.DataFrame:
    """How often each category was given to each unit: what `fleiss_kappa` takes.

    Parameters
    ----------
    values : (n_raters, n_units) array, Ratings or Preferences
        Numbers or labels; NaN or None, which are no category, where a rater did not judge.
    categories : sequence, optional
        The scale as it was declared; without it, the categories that occur: numbers in ascending order, labels as they come.

    Returns
    -------
    DataFrame
        (n_units, n_categories) whole numbers, one column a category. A unit that nobody judged has zeros.

    Raises
    ------
    OptionError
        When a category occurs that is not declared.

    Examples
    --------
    >>> rating_counts([["x", "y", None], ["x", "x", "y"]]).to_numpy().tolist()
    [[2, 0], [1, 1], [0, 1]]
    """
    who = "rating_counts"
    given = judgments(who, values)
    occurring = list(given.values.tolist() if given.labels is None else given.labels)
    columns = pd.Index(occurring if categories is None else list(categories))
    place = columns.get_indexer(pd.Index(occurring))
    if (place < 0).any():
        outside = [label for label, where in zip(occurring, place, strict=True) if where < 0]
        raise bad_value(who, "categories", list(columns), f"all categories that occur, so also {listed(outside)}")
    cells = given.unit * len(columns) + place[given.category]
    counts = np.bincount(cells, minlength=given.n_units * len(columns)).reshape(given.n_units, len(columns))
    return pd.DataFrame(counts, columns=columns)


def _units_of_counts(who: str, counts: ArrayLike) -> UnitCounts:
    """The distinct rows of a table of counts."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2:
        raise ShapeError(
            f"{who}: counts of shape {table.shape} were given; (n_units, n_categories) is allowed; make them with rating_counts"
        )
    wrong = table[~(np.isfinite(table) & (table >= 0) & (table == np.floor(table)))]
    if len(wrong):
        raise ShapeError(
            f"{who}: counts {listed(wrong.tolist())} were given; whole numbers of 0 and above are allowed; make them out of ratings with rating_counts"
        )
    sizes = table.sum(axis=1)
    rows, multiplicity = np.unique(table[sizes > 0], axis=0, return_counts=True)
    return UnitCounts(
        sparse.csr_array(rows),
        rows.sum(axis=1),
        multiplicity.astype(np.int64),
        np.full(table.shape[1], np.nan),
        int((sizes < 2).sum()),
    )


def _agreeing(units: UnitCounts) -> FloatArray:
    """Share of agreeing pairs per kind; 0 where a unit has no pair."""
    share = np.zeros(len(units.sizes))
    share[units.sizes > 1] = agreeing_pairs(units.pairable())
    return share


def _shares(prevalence: FloatArray) -> FloatArray:
    """p_e = Σ π π."""
    return prevalence


def _equally(prevalence: FloatArray) -> FloatArray:
    """p_e = Σ π / q."""
    return np.full_like(prevalence, 1 / max(len(prevalence), 1))
