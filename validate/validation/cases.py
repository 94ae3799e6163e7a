"""The outputs on which a metric and people part most: where a reader can see what the metric does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from validate.schema import FloatArray, ScoreMatrix, Study
from validate.validation.scoring import Rows

MOST_CHARACTERS = 20_000  # of one text: some ten pages


def parting_cases(
    study: Study, rows: Rows, metric: ScoreMatrix, human: ScoreMatrix, criterion: str, n_cases: int = 10
) -> list[dict[str, Any]]:
    """The ``n_cases`` items on which percentiles of the metric and of people differ most, one output an item.

    Percentiles are over all outputs that both scored; both are turned so that 100 is best.

    Returns
    -------
    list of dict
        Largest gap first: criterion, metric, item_id, system, output, references, source, human, metric_score,
        human_percentile, metric_percentile, gap (metric minus people).
    """
    both = ~np.isnan(metric.values) & ~np.isnan(human.values)
    if both.sum() < 2:
        return []
    by_metric, by_people = (_percentiles(matrix, both) for matrix in (metric, human))
    gap = np.where(both, by_metric - by_people, 0.0)
    worst = np.abs(gap).argmax(axis=0)
    items = np.argsort(-np.abs(gap).max(axis=0), kind="stable")[:n_cases]
    row_of = {
        (system, item): row
        for row, (system, item) in enumerate(zip(rows.system.tolist(), rows.item.tolist(), strict=True))
    }
    found = []
    for item in items.tolist():
        system = int(worst[item])
        row = row_of.get((system, item))
        if row is None or not both[system, item]:
            continue
        found.append(
            {
                "criterion": criterion,
                "metric": metric.name,
                "item_id": study.item_ids[item],
                "system": study.systems[system],
                "output": _readable(rows.outputs[row]),
                "references": [_readable(reference) for reference in rows.references[row]],
                "source": _readable(rows.sources[row]) if rows.sources else "",
                "human": float(human.values[system, item]),
                "metric_score": float(metric.values[system, item]),
                "human_percentile": float(by_people[system, item]),
                "metric_percentile": float(by_metric[system, item]),
                "gap": float(gap[system, item]),
            }
        )
    return found


def _readable(text: str) -> str:
    """A text as far as a page can show it; what is cut off is counted."""
    left = len(text) - MOST_CHARACTERS
    return text if left <= 0 else f"{text[:MOST_CHARACTERS]} … ({left:,} more characters)"


def _percentiles(matrix: ScoreMatrix, both: Any) -> FloatArray:
    """(n_systems, n_items) midrank percentiles, 0 worst and 100 best, NaN outside ``both``."""
    scores = matrix.values[both] * (1 if matrix.higher_is_better else -1)
    found = np.full(matrix.values.shape, np.nan)
    found[both] = 100 * (rankdata(np.round(scores, 12)) - 0.5) / len(scores)
    return found
