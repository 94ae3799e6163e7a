"""Each annotator against the others, so that one who judges carelessly, or by another scale, stands out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from validate.schema import FloatArray, IntArray, Preferences, Ratings
from validate.stats.agreement.judgments import Judgments, judgments


def annotator_table(judged: Ratings | Preferences) -> pd.DataFrame:
    """How much each annotator judged, how, and how well in agreement with the rest.

    Parameters
    ----------
    judged : Ratings or Preferences
        Preferences are read as labels 1, 0, -1 of a pair on an item, as `pairwise_ratings` makes them, so that a mean above
        0 leans to the first side. Repeated judgments of one annotator are resolved first: the mean of ratings, the last of
        preferences.

    Returns
    -------
    DataFrame
        One row an annotator in the order of ``judged.annotators``:

        ========== =====================================================================================================
        annotator  the label
        n          units judged
        mean, sd   of the annotator's judgments; the standard deviation divides by n - 1
        n_shared   units that somebody else judged, too: what the following columns are made of
        bias       mean of the annotator's judgment minus the mean of the others'; above 0 is lenient
        loo_correlation  Pearson correlation with the mean of the others; NaN below three shared units or without variation
        agreement  share of the other judgments of a unit that are equal to the annotator's, averaged over units
        ========== =====================================================================================================

    Examples
    --------
    Cy judges against Ann and Bo, who agree:

    >>> from validate.schema import Ratings
    >>> n = [0, 1, 2] * 3
    >>> judged = Ratings("fluency", ("Ann", "Bo", "Cy"), ("s",), ("i", "j", "k"), [0] * 3 + [1] * 3 + [2] * 3, [0] * 9, n,
    ...                  [1, 2, 3, 1, 2, 3, 3, 2, 1])
    >>> annotator_table(judged)[["annotator", "n", "loo_correlation", "agreement"]].round(2)
      annotator  n  loo_correlation  agreement
    0       Ann  3              NaN       0.67
    1        Bo  3              NaN       0.67
    2        Cy  3             -1.0       0.33
    """
    given = judgments("annotator_table", judged)
    score = given.values[given.category]
    others = _others(given, score)
    shared = others.count > 0
    mine, theirs, who = score[shared], others.mean[shared], given.annotator[shared]
    names = judged.annotators
    n, mean, variance = _moments(given.annotator, score, len(names))
    n_shared, bias, _ = _moments(who, mine - theirs, len(names))
    return pd.DataFrame(
        {
            "annotator": list(names),
            "n": n,
            "mean": mean,
            "sd": np.sqrt(variance),
            "n_shared": n_shared,
            "bias": bias,
            "loo_correlation": _correlations(who, mine, theirs, len(names)),
            "agreement": _moments(who, others.equal[shared], len(names))[1],
        }
    )


def hardly_agree(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Which annotators of an `annotator_table` surely agree with the rest less than half as much as is usual.

    Their correlation with the others has a 99 % interval (Fisher's z) that ends below half the median of all annotators, of
    whom there are three or more with a correlation. Few judgments alone do not put anybody there.

    Examples
    --------
    >>> rows = {"loo_correlation": [0.61, 0.58, 0.60, 0.05, 0.05], "n_shared": [200, 150, 99, 200, 12]}
    >>> hardly_agree(pd.DataFrame(rows)).tolist()
    [False, False, False, True, False]
    """
    r, n = table["loo_correlation"].to_numpy(np.float64), table["n_shared"].to_numpy(np.float64)
    told = ~np.isnan(r) & (n > 3)
    found = np.zeros(len(r), bool)
    if told.sum() > 2:
        upper = np.tanh(np.arctanh(np.clip(r[told], -0.999999, 0.999999)) + special.ndtri(0.995) / np.sqrt(n[told] - 3))
        found[told] = upper < np.median(r[told]) / 2
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Others:
    """What the other annotators said of the unit of each judgment: how many, their mean, the share equal to this judgment."""

    count: IntArray
    mean: FloatArray
    equal: FloatArray


def _others(given: Judgments, score: FloatArray) -> _Others:
    """Sums over each unit without the judgment itself; NaN where there is no other."""
    count = np.bincount(given.unit, minlength=given.n_units)[given.unit] - 1
    centre = score.mean() if len(score) else 0.0
    total = np.bincount(given.unit, score - centre, given.n_units)[given.unit] - (score - centre)
    _, cell = np.unique(given.unit * len(given.values) + given.category, return_inverse=True)
    alike = np.bincount(cell)[cell] - 1 if len(cell) else count
    return _Others(count, centre + _ratio(total, count), _ratio(alike, count))


def _ratio(numerator: FloatArray | IntArray, denominator: IntArray) -> FloatArray:
    """NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)


def _moments(group: IntArray, values: FloatArray, n_groups: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Number, mean and variance (n - 1) of the values in each group; NaN where there are too few."""
    n = np.bincount(group, minlength=n_groups)
    mean = _ratio(np.bincount(group, values, n_groups), n)
    variance = _ratio(np.bincount(group, (values - mean[group]) ** 2, n_groups), n - 1)
    return n, mean, variance


def _correlations(group: IntArray, one: FloatArray, other: FloatArray, n_groups: int) -> FloatArray:
    """(n_groups,) Pearson correlations; NaN below three values or where one side does not vary."""
    n, mean_one, variance_one = _moments(group, one, n_groups)
    _, mean_other, variance_other = _moments(group, other, n_groups)
    products = np.bincount(group, (one - mean_one[group]) * (other - mean_other[group]), n_groups)
    scale = np.sqrt(variance_one * variance_other) * (n - 1)
    found = np.full(n_groups, np.nan)
    varied = _varied(mean_one, variance_one) & _varied(mean_other, variance_other)
    np.divide(products, scale, out=found, where=(n > 2) & varied)
    return found


def _varied(mean: FloatArray, variance: FloatArray) -> NDArray[np.bool_]:
    """Whether a variance is more than the rounding of a mean of equal values."""
    varied: NDArray[np.bool_] = variance > 1e-24 * mean**2
    return varied
