"""The systems, as people and the best metrics rank them."""

from __future__ import annotations

from typing import Any

from validate.report import words
from validate.report.numbers import MISSING, Quantity, count_text, estimate_text, range_text, real
from validate.report.reading import Reading
from validate.report.tables._table import Column, Table, number, without_empty
from validate.report.words import Name

COMPARED = 4  # metrics whose ranking of systems stands beside that of people


def compared_metrics(reading: Reading, criterion: str, n_metrics: int = COMPARED) -> list[str]:
    """The metrics that agree best with people about this criterion, controls left out."""
    place = reading.place(criterion, "system") or reading.leading_place(criterion)
    ranked = reading.ranked(place) if place else []
    return [name for name in ranked if name not in reading.controls and reading.system_scores(name)][:n_metrics]


def ranking_metrics(reading: Reading, criterion: str, n_metrics: int = COMPARED) -> list[str]:
    """The best metrics that score every ranked system: ranks among fewer systems are other ranks."""
    systems = {str(name) for name in reading.human_ranking(criterion)["system"]}
    ranked = compared_metrics(reading, criterion, len(reading.metrics))
    return [name for name in ranked if systems <= set(reading.system_scores(name))][:n_metrics]


def ranking(reading: Reading, criterion: str) -> Table:
    """Systems as people rank them, beside the ranks that the best metrics give."""
    frame = reading.human_ranking(criterion)
    systems = [str(name) for name in frame["system"]]
    metrics = ranking_metrics(reading, criterion)
    ranks = {name: reading.system_ranks(name, systems) for name in metrics}
    method = words.told(frame["method"].iloc[0]) if len(frame) else ""
    columns = [
        Column("System", "name"), number(f"People ({method})"), number("Judgments"), number("Rank by people"),
        *(number(name) for name in metrics),
    ]  # fmt: skip
    rows = [
        (
            Name(row.system),
            estimate_text(row.estimate, row.low, row.high),
            count_text(row.n),
            range_text(row.rank_low, row.rank_high),
            *(_rank_cell(ranks[name].get(str(row.system)), row) for name in metrics),
        )
        for row in frame.itertuples(index=False)
    ]
    note = (
        "Rank by people: the range of ranks that the intervals allow. Columns of metrics hold the ranks that they give; † marks a rank "
        "outside the range by people."
    )
    return Table(
        words.sentence("Systems: {}", Name(criterion)), *without_empty(columns, rows), note=note, sortable=len(rows) > 2
    )


def _rank_cell(rank: int | None, row: Any) -> Quantity:
    if rank is None:
        return Quantity(MISSING)
    outside = rank < real(row.rank_low) or rank > real(row.rank_high)
    return Quantity(f"{rank}{' †' if outside else ''}", rank)
