"""Agreement on pairs of outputs: how often a metric orders two outputs as people do, and by how much.

Pairs are formed within groups: of one item, of one system, or of everything. `validate.stats.wmt` has the variants of WMT's metrics tasks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from validate.schema import Estimate
from validate.stats._pairs import unit_scaled
from validate.stats.coefficients import paired
from validate.stats.facts import constant
from validate.stats.pair_groups import FEW, TieEstimate, outputs_in_groups
from validate.stats.pair_tables import ACCURACY, PairCounts, check_threshold, one_group, quotient
from validate.stats.panel import Scores

METHOD = "pairwise difference pearson"


def pair_counts(metric: ArrayLike, human: ArrayLike, *, tie_threshold: float = 0.0) -> PairCounts:
    """How the pairs of n outputs fall: agreeing, disagreeing, tied for people only, for the metric only, for both.

    Parameters
    ----------
    metric, human : (n,) float64
        Outputs without a score on either side are left out. Values are taken as they are, as in `pearson`.
    tie_threshold : float
        Metric scores at most so far apart count as tied.

    Returns
    -------
    PairCounts
        ``.accuracy`` is the share of pairs seen alike, ties included; ``.kendall("10" | "13" | "14" | "23")`` are WMT's variants.

    Raises
    ------
    AccordError
        For shapes that do not fit, infinite scores, a negative threshold.

    Examples
    --------
    >>> counts = pair_counts([1, 1, 2], [1, 2, 2])  # tied for the metric, agreeing, tied for people
    >>> counts
    PairCounts(concordant=1, discordant=0, tied_human=1, tied_metric=1, tied_both=0)
    >>> counts.kendall("14"), counts.kendall("23")  # 1 / (1 + 1) and (1 - 1 - 1) / 3
    (0.5, -0.333...)
    """
    threshold = check_threshold("pair_counts", "tie_threshold", tie_threshold)
    xs, ys, _ = paired("pair_counts", metric, human)
    return PairCounts(*map(int, one_group(xs, ys, exact=True).counts(threshold)[0]))


def pairwise_accuracy(
    metric: Scores,
    human: Scores,
    *,
    grouping: str = "item",
    tie_threshold: str | float = "calibrate",
) -> TieEstimate:
    """The share of pairs of outputs that metric and people see alike, ties as ties, from 0 to 1.

    Parameters
    ----------
    metric, human : (n_systems, n_items) float64, or ScoreMatrix
        As in `correlation`.
    grouping : {"item", "system", "none"}
        Pairs of outputs for the same item, or by the same system, and the mean over these; or all pairs of outputs.
    tie_threshold : "calibrate" or float
        Metric scores at most so far apart count as tied. ``"calibrate"`` takes the threshold that gives the highest value on these very data,
        found exactly over all pairs; a metric with real-valued scores can else never say that two outputs are equally good. 0 ties equal scores only.

    Returns
    -------
    Estimate
        With ``threshold``. ``n`` outputs entered; groups of fewer than two have no pairs, are left out of the mean and counted in ``n_undefined``.

    Raises
    ------
    AccordError
        For unknown names, shapes that do not fit, infinite scores, a negative threshold.

    Notes
    -----
    A calibrated value is a maximum over thresholds, thus a little flattering, most so where there are few pairs.
    Outside a group a pair is never formed, and groups weigh alike whatever the number of their pairs.

    References
    ----------
    Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration.
    doi:10.18653/v1/2023.emnlp-main.798

    Examples
    --------
    Two systems, three items; people see a tie on the first, where the metric differs by 0.1.

    >>> metric, human = np.array([[0.5, 0.2, 0.9], [0.6, 0.8, 0.1]]), np.array([[3, 1, 5], [3, 2, 1]])
    >>> pairwise_accuracy(metric, human, tie_threshold=0.0).value
    0.666...
    >>> calibrated = pairwise_accuracy(metric, human)
    >>> calibrated.value, round(calibrated.threshold, 12)
    (1.0, 0.1)
    """
    who = "pairwise_accuracy"
    laid = outputs_in_groups(who, metric, human, grouping)
    threshold = laid.threshold(who, tie_threshold)
    accuracy = quotient(laid.table.counts(threshold), *ACCURACY)
    return laid.mean(accuracy, "pairwise accuracy with ties", threshold)


def pairwise_difference_pearson(metric: Scores, human: Scores, *, grouping: str = "item") -> Estimate:
    """Pearson's r of the differences between outputs: do larger gaps in the metric mean larger gaps for people? From -1 to 1.

    All pairs within a group enter, in both orders, and those of all groups together make one correlation. What outputs of a group have in common
    (a hard item) drops out, and groups with larger differences weigh more.

    Parameters
    ----------
    metric, human, grouping
        As in `pairwise_accuracy`. With ``"none"`` it is Pearson's r of the scores.

    Returns
    -------
    Estimate
        ``n`` outputs entered. NaN with a reason when a side is constant within every group.

    Notes
    -----
    The differences of both orders have mean 0, and sums over pairs are n times the centred sums over outputs, so no pair need be formed.

    References
    ----------
    DiIanni, C., Deutsch, D. (2025). Don't sweat the small stuff: segment-level meta-evaluation based on pairwise difference correlation.
    EMNLP 2025. arXiv:2509.25546

    Examples
    --------
    >>> metric, human = np.array([[0, 5], [1, 5], [3, 6]]), np.array([[0, 1], [2, 1], [3, 2]])
    >>> pairwise_difference_pearson(metric, human).value  # products 2 + 9 + 2 and 1 + 1; squares 1 + 9 + 4 + 2, 4 + 9 + 1 + 2
    0.9375
    """
    laid = outputs_in_groups("pairwise_difference_pearson", metric, human, grouping)
    flat = laid.constant()
    reason = constant(*flat) if (laid.table.sizes > 1).any() else FEW
    if reason:
        return laid.pooled(np.nan, METHOD, reason=reason)
    dx, dy = (laid.centred(unit_scaled(side)) for side in (laid.metric, laid.human))
    size = laid.table.sizes[laid.group].astype(np.float64)
    xy, xx, yy = (float((size * a * b).sum()) for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    return laid.pooled(min(1.0, max(-1.0, xy / float(np.sqrt(xx * yy)))), METHOD)
