"""Every coefficient of agreement that judgments allow, as one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from validate.errors import AccordError
from validate.schema import Estimate, Preferences, Ratings
from validate.stats.agreement.cohen import cohen_kappa
from validate.stats.agreement.concordance import kendall_w
from validate.stats.agreement.fleiss import fleiss_kappa
from validate.stats.agreement.gwet import gwet_ac
from validate.stats.agreement.intraclass import MOST_RATERS, icc
from validate.stats.agreement.judgments import pairwise_ratings
from validate.stats.agreement.krippendorff import krippendorff_alpha
from validate.stats.agreement.percent import percent_agreement
from validate.stats.agreement.wmt import wmt_kappa

Measure = Callable[..., Estimate]

MOST_CATEGORIES = 25  # a declared scale with more steps is continuous
MOST_PAIRED = 50  # annotators: a correlation for each pair


def agreement_table(
    judged: Ratings | Preferences,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """How well annotators agree, by every coefficient that the judgments allow.

    Parameters
    ----------
    judged : Ratings or Preferences
        A declared scale of whole numbers, up to 25 steps, gives the categories of AC1 and AC2.
    resamples : int
    confidence : float
    rng : int or Generator

    Returns
    -------
    DataFrame
        One row a coefficient: ``statistic``, ``measurement``, ``estimate``, ``low``, ``high``, ``n_units``,
        ``n_annotators``, ``n_dropped``, ``reason``. Intervals are BCa over units, but F intervals of ICC and the analytic
        one of Cohen's kappa, which stands where there are two annotators. What is undefined or not allowed keeps its row,
        with the reason.

    Examples
    --------
    >>> from validate.schema import Ratings
    >>> judged = Ratings("c", ("Ann", "Bo"), ("s",), ("i", "j"), [0, 0, 1, 1], [0] * 4, [0, 1, 0, 1], [1, 2, 1, 3])
    >>> agreement_table(judged, resamples=100).query("statistic == 'percent'")["estimate"].tolist()
    [0.5]
    """
    wanted = _of_preferences(judged) if isinstance(judged, Preferences) else _of_ratings(judged)
    options: dict[str, Any] = {"resamples": resamples, "confidence": confidence}
    rows = []
    spawned = np.random.default_rng(rng).spawn(len(wanted))
    for (statistic, measurement, measure), own in zip(wanted, spawned, strict=True):
        try:
            found = measure(rng=own, **options)
        except AccordError as error:
            found = Estimate(float("nan"), reason=str(error))
        rows.append(
            {
                "statistic": statistic,
                "measurement": measurement,
                "estimate": found.value,
                "low": found.low,
                "high": found.high,
                "n_units": found.n,
                "n_annotators": len(judged.annotators),
                "n_dropped": found.n_dropped,
                "reason": found.reason,
            }
        )
    return pd.DataFrame(rows)


def _of_ratings(judged: Ratings) -> list[tuple[str, str, Measure]]:
    categories = _categories(judged)
    wanted: list[tuple[str, str, Measure]] = [
        ("percent", "nominal", _of(percent_agreement, judged)),
        *_alphas(judged, ("nominal", "ordinal", "interval", "ratio")),
        ("gwet_ac1", "nominal", _of(gwet_ac, judged, categories=categories)),
    ]
    if categories is not None:
        wanted.append(("gwet_ac2", "interval", _of(gwet_ac, judged, weights="quadratic", categories=categories)))
    wanted.append(("fleiss_kappa", "nominal", _of(fleiss_kappa, judged)))
    wanted += _of_two(judged, (None, "quadratic"))
    wanted.append(("kendall_w", "ordinal", _of(_w, judged)))
    two_way = len(judged.annotators) <= MOST_RATERS
    for form in ("ICC(2,1)", "ICC(3,1)", "ICC(2,k)") if two_way else ("ICC(1,1)", "ICC(1,k)"):
        wanted.append((form.lower(), "interval", _of(icc, judged, form=form)))
    return wanted


def _of_preferences(judged: Preferences) -> list[tuple[str, str, Measure]]:
    """Better, tie, worse have an order, but no distances and no zero."""
    labels = pairwise_ratings(judged)
    return [
        ("percent", "nominal", _of(percent_agreement, labels)),
        *_alphas(labels, ("nominal", "ordinal")),
        ("gwet_ac1", "nominal", _of(gwet_ac, labels, categories=(-1, 0, 1))),
        ("fleiss_kappa", "nominal", _of(fleiss_kappa, labels)),
        ("wmt_kappa", "nominal", _of(wmt_kappa, labels)),
        *_of_two(labels, (None,)),
    ]


def _alphas(judged: Ratings, measurements: tuple[str, ...]) -> list[tuple[str, str, Measure]]:
    return [
        ("krippendorff_alpha", measurement, _of(krippendorff_alpha, judged, measurement=measurement))
        for measurement in measurements
    ]


def _of_two(judged: Ratings, weights: tuple[str | None, ...]) -> list[tuple[str, str, Measure]]:
    """Cohen's kappa where there are two annotators; the first of them is rater a."""
    if len(judged.annotators) != 2:
        return []
    a, b = judged.by_unit()
    return [
        ("cohen_kappa", "nominal" if weight is None else "interval", _of(cohen_kappa, a, b, weights=weight))
        for weight in weights
    ]


def _w(judged: Ratings, **options: Any) -> Estimate:
    """W of the units that all judged; where there is none, out of the pairs of annotators, as the reason says."""
    found = kendall_w(judged, **options)
    if not np.isnan(found.value) or found.n > 1 or not 2 < len(judged.annotators) <= MOST_PAIRED:
        return found
    by_pairs = kendall_w(judged, missing="pairwise", **options)
    if np.isnan(by_pairs.value):
        return by_pairs
    told = "by pairs of annotators, since fewer than two units were judged by all; without an interval"
    return replace(by_pairs, reason="; ".join(filter(None, (told, by_pairs.reason))))


def _of(measure: Callable[..., Estimate], *judged: Any, **own: Any) -> Measure:
    """A coefficient of these judgments, still to be given the common options."""

    def measured(**options: Any) -> Estimate:
        return measure(*judged, **own, **options)

    return measured


def _categories(judged: Ratings) -> list[float] | None:
    """The steps of the declared scale where it has few and every rating is one of them."""
    if judged.scale is None:
        return None
    low, high = judged.scale
    whole = float(low).is_integer() and bool((judged.score[~np.isnan(judged.score)] % 1 == 0).all())
    if not whole or high - low >= MOST_CATEGORIES:
        return None
    return np.arange(low, high + 1).tolist()
