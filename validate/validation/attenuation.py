"""What correlations would be without the noise of the judgments: rows for attenuation.csv."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from validate.results import SPLIT_HALF
from validate.schema import Estimate
from validate.stats import corrected_for_attenuation

CORRECTED = ("pearson", "spearman")
"""The coefficients that noise divides by √reliability: of Pearson's r by its definition, nearly so of Spearman's ρ, of Kendall's τ not."""

PLACE = ["criterion", "level", "grouping", "coefficient"]


def attenuation_rows(correlations: pd.DataFrame, ceiling: pd.DataFrame, *, human: str) -> list[dict[str, Any]]:
    """Each correlation corrected by the reliability of the mean judgment: that of split halves at the same place by the same coefficient.

    Parameters
    ----------
    correlations, ceiling : DataFrame
        The tables of these names.
    human : {"mean", "z-score"}
        Which human score was correlated; of z-scores the reliability is not known.
    """
    halves = ceiling[ceiling["method"].str.startswith(SPLIT_HALF)]
    known = {tuple(getattr(row, name) for name in PLACE): row for row in halves.itertuples(index=False)}
    rows = correlations[correlations["coefficient"].isin(CORRECTED)]
    return [_row(row, known.get(tuple(getattr(row, name) for name in PLACE)), human) for row in rows.itertuples()]


def _row(row: Any, reliability: Any, human: str) -> dict[str, Any]:
    value, told = _reliability(reliability, human)
    r, low, high = np.clip([row.estimate, row.low, row.high], -1.0, 1.0).tolist()  # rounding can lift an end over 1
    found = corrected_for_attenuation(Estimate(r, low, high, reason=row.reason if np.isnan(r) else ""), value)
    return {
        **{name: getattr(row, name) for name in PLACE},
        "metric": row.metric,
        "estimate": row.estimate,
        "corrected": found.value,
        "low": found.low,
        "high": found.high,
        "reliability": value,
        "reason": "; ".join(filter(None, [found.reason, told])),
    }


def _reliability(row: Any, human: str) -> tuple[float, str]:
    """The reliability of the mean judgment, and what is to be known about it."""
    if human != "mean":
        return float("nan"), "the reliability of z-scores is not known"
    if row is None:
        return float("nan"), "no reliability was computed"
    told = (
        "the interval of the reliability reaches zero: it may be chance altogether"
        if row.low <= 0 < row.estimate
        else ""
    )
    return min(float(row.estimate), 1.0), "; ".join(filter(None, [str(row.reason), told]))
