"""How often metrics order two outputs, or two systems, as people do."""

from __future__ import annotations

import math
from typing import Any

from validate.report import words
from validate.report.numbers import MISSING, Quantity, count_text, number_text, real, small_text
from validate.report.reading import Reading
from validate.report.tables._table import Column, Table, number, without_empty
from validate.report.words import Name

WITHIN, ANY = ("pairwise_accuracy", "item"), ("pairwise_accuracy", "none")
DIFFERENCES, SYSTEMS = ("pairwise_difference_pearson", "item"), ("soft_pairwise_accuracy", "none")
Found = dict[tuple[str, str], Any]


def pairs(reading: Reading, criterion: str) -> Table:
    """The metrics of one criterion by their accuracy on pairs of outputs for one item, best first."""
    found = _by_metric(reading, criterion)
    numbers = {int(row.n) for rows in found.values() for row in rows.values()}
    columns = [
        Column("Metric", "name"), number("Pairs of one item"), number("Tied up to"), number("Pairs of any outputs"), number("Tied up to (any)"),
        number("r of differences"), number("Pairs of systems, soft"), number("Outputs"), Column("Left out", "prose"),
    ]  # fmt: skip
    rows = []
    for metric in sorted(found, key=lambda name: (_descending(_value(found[name], WITHIN)), name)):
        own = found[metric]
        label = f"{metric} (control)" if metric in reading.controls else metric
        rows.append(
            [
                Name(label), number_text(_value(own, WITHIN)), _threshold(own, WITHIN), number_text(_value(own, ANY)), _threshold(own, ANY),
                number_text(_value(own, DIFFERENCES)), number_text(_value(own, SYSTEMS)),
                MISSING if len(numbers) == 1 else count_text(max(int(row.n) for row in own.values())), _reasons(own),
            ]
        )  # fmt: skip
    caption = words.sentence("Pairs: {}", Name(criterion))
    if len(numbers) == 1:
        caption += words.sentence(" ({})", count_text(numbers.pop(), "output"))
    return Table(caption, *without_empty(columns, rows), sortable=len(rows) > 2)


def _by_metric(reading: Reading, criterion: str) -> dict[str, Found]:
    """The rows of pairwise.csv by metric, statistic and grouping."""
    frame = reading.results.pairwise
    found: dict[str, Found] = {}
    for row in frame[frame["criterion"] == criterion].itertuples(index=False):
        found.setdefault(str(row.metric), {})[str(row.statistic), str(row.grouping)] = row
    return found


def _value(rows: Found, key: tuple[str, str]) -> float:
    return real(rows[key].estimate) if key in rows else float("nan")


def _descending(value: float) -> float:
    """A key by which the highest comes first and NaN last."""
    return math.inf if math.isnan(value) else -value


def _threshold(rows: Found, key: tuple[str, str]) -> Quantity:
    """A distance of scores, of which the size matters."""
    value = real(rows[key].threshold) if key in rows else float("nan")
    return Quantity(f"{value:.2g}", value) if 1e-4 <= value < 0.01 else small_text(value)


def _reasons(rows: Found) -> str:
    return "; ".join(dict.fromkeys(reason for row in rows.values() if (reason := words.told(row.reason))))
