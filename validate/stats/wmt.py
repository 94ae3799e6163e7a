"""The Kendall variants of WMT's metrics tasks, for comparison with what they published."""

from __future__ import annotations

from validate.errors import bad_value
from validate.schema import Estimate
from validate.stats.pair_groups import TieEstimate, outputs_in_groups
from validate.stats.pair_tables import TIE_VARIANTS, check_threshold, check_variant, quotient
from validate.stats.panel import Scores


def wmt_kendall(
    metric: Scores,
    human: Scores,
    *,
    variant: str = "23",
    grouping: str = "item",
    tie_threshold: str | float = 0.0,
) -> TieEstimate:
    """Kendall's tau as WMT's metrics tasks have defined it over the years, by the year: mean over groups, from -1 to 1.

    With C pairs that agree, D that disagree, and H, M, B tied for people only, for the metric only, for both:

    ===== ============================== ==========================================
    "10"  (C - D - M) / (C + D + M)       a metric's tie is as bad as disagreement
    "13"  (C - D) / (C + D)               ties are left out
    "14"  (C - D) / (C + D + M)           a metric's tie earns nothing
    "23"  (C + B - D - H - M) / all       a common tie is agreement
    ===== ============================== ==========================================

    Parameters
    ----------
    metric, human, grouping
        As in `pairwise_accuracy`. "10" and "14" are not symmetric: only ties of the metric count.
    variant : {"23", "14", "13", "10"}
    tie_threshold : float or "calibrate"
        As in `pairwise_accuracy`; it can be calibrated for "23" alone, which is twice the accuracy less one: the others only lose by ties.

    Returns
    -------
    Estimate
        With ``threshold``. A group without a pair that enters is left out and counted in ``n_undefined``.

    References
    ----------
    Macháček, M., Bojar, O. (2014). Results of the WMT14 metrics shared task. doi:10.3115/v1/W14-3336
    Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter. doi:10.18653/v1/2023.emnlp-main.798

    Examples
    --------
    >>> import numpy as np
    >>> metric, human = np.array([[1], [1], [2]]), np.array([[1], [2], [2]])  # C = H = M = 1
    >>> [round(wmt_kendall(metric, human, variant=year).value, 3) for year in ("10", "13", "14", "23")]
    [0.0, 1.0, 0.5, -0.333]
    """
    who = "wmt_kendall"
    check_variant(who, variant)
    laid = outputs_in_groups(who, metric, human, grouping)
    if tie_threshold == "calibrate" and variant != "23":
        raise bad_value(
            who, "tie_threshold", tie_threshold, f"a number for variant {variant!r}; only '23' can gain from ties"
        )
    threshold = laid.threshold(who, tie_threshold)
    taus = quotient(laid.table.counts(threshold), *TIE_VARIANTS[variant])
    return laid.mean(taus, f"kendall tau of WMT{variant}", threshold)


def kendall_like(metric: Scores, human: Scores, *, human_threshold: float = 25.0, grouping: str = "item") -> Estimate:
    """WMT's Kendall-like formula on pairs that people clearly tell apart (daRR, 2017 to 2020), from -1 to 1.

    (C - D) / (C + D), summed over all groups before dividing, as WMT does. D includes the pairs that the metric ties.

    Parameters
    ----------
    metric, human, grouping
        As in `pairwise_accuracy`.
    human_threshold : float
        Pairs count when human scores are at least so far apart; 25 is for direct assessment from 0 to 100. With 0 all that differ count.

    Returns
    -------
    Estimate
        NaN with a reason when no pair is far enough apart.

    References
    ----------
    Ma, Q., Bojar, O., Graham, Y. (2018). Results of the WMT18 metrics shared task. doi:10.18653/v1/W18-6450

    Examples
    --------
    >>> import numpy as np
    >>> kendall_like(np.array([[1], [1], [2]]), np.array([[0], [30], [60]])).value  # 2 agree, 1 tied by the metric
    0.333...
    """
    who = "kendall_like"
    threshold = check_threshold(who, "human_threshold", human_threshold)
    laid = outputs_in_groups(who, metric, human, grouping)
    counts = laid.table.counts(0.0, threshold)
    value = quotient(counts.sum(axis=0, keepdims=True), (1, -1, 0, -1, 0), (1, 1, 0, 1, 0))
    reason = "" if counts[:, [0, 1, 3]].any() else f"no pair of human scores at least {threshold:g} apart"
    return laid.pooled(float(value[0]), f"kendall-like, human scores at least {threshold:g} apart", reason=reason)
