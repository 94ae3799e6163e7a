"""Tables about the judgments: agreement, annotators, the human ceiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from validate.report import words
from validate.report.numbers import Quantity, count_text, estimate_text, number_text, real
from validate.report.reading import Reading
from validate.report.tables._table import Column, Table, number, text, without_empty
from validate.report.words import Name

MOST_ANNOTATORS = 24
FAR_BELOW = 3.5  # robust standard deviations below the median (Iglewicz and Hoaglin 1993)
WORTH_SAYING = 0.1  # and at least so far below it, since among very even annotators every small gap is many deviations


def agreement(reading: Reading) -> Table:
    """Agreement among annotators, a row a criterion and statistic."""
    frame = reading.results.agreement
    columns = [
        Column("Criterion", "name"), text("Statistic"), text("Measurement"), number("Estimate"), number("Annotators"),
        number("Units"), number("Dropped"), text("Why undefined"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.criterion),
            words.statistic_name(row.statistic),
            words.told(row.measurement),
            estimate_text(row.estimate, row.low, row.high),
            count_text(row.n_annotators),
            count_text(row.n_units),
            count_text(row.n_dropped),
            words.told(row.reason),
        )
        for row in frame.itertuples(index=False)
    ]
    note = (
        "A unit is what several annotators judged: an output, or a pair of outputs. 1 is perfect agreement; for α and AC1, "
        "0 is what chance gives. Krippendorff takes conclusions from α below 0.667 to be unsafe and from 0.8 up to be sound. "
        "Dropped are units with a single judgment, which say nothing about agreement."
    )
    return Table("Agreement among annotators", *without_empty(columns, rows), note=note)


def stands_out(agreements: list[float]) -> list[bool]:
    """Which annotators agree far less with the others than is usual among them.

    Far below is more than 3.5 robust standard deviations (of the median absolute deviation) and 0.1 below the median, among at
    least four annotators.

    >>> stands_out([0.71, 0.68, 0.74, 0.70, 0.12])
    [False, False, False, False, True]
    >>> stands_out([0.7, 0.1, 0.6])
    [False, False, False]
    """
    values = np.array(agreements, dtype=np.float64)
    defined = values[np.isfinite(values)]
    if len(defined) < 4:
        return [False] * len(values)
    middle = float(np.median(defined))
    spread = 1.4826 * float(np.median(np.abs(defined - middle)))
    limit = middle - max(FAR_BELOW * spread, WORTH_SAYING)
    return [bool(value < limit) for value in values.tolist()]


def annotators(reading: Reading, criterion: str) -> Table:
    """The annotators of one criterion, those who agree least with the others first."""
    frame = reading.results.annotators
    frame = frame[frame["criterion"] == criterion]
    rows = sorted(frame.itertuples(index=False), key=_least_agreement)
    flags = stands_out([real(row.agreement) for row in rows])
    kept = [j for j, flag in enumerate(flags) if flag or j < MOST_ANNOTATORS]
    rated = (
        reading.criterion_facts.get(criterion, {}).get("kind") != "comparisons"
    )  # whose mean depends on who was shown first
    columns = [
        Column("Annotator", "name"), Column("Agreement", "meter"), text("Remark"), number("Judgments"), number("Shared units"),
        number("Mean"), number("SD"),
    ]  # fmt: skip
    cells = [
        (
            Name(rows[j].annotator),
            number_text(rows[j].agreement),
            "far below the others" if flags[j] else "",
            count_text(rows[j].n),
            count_text(rows[j].n_shared),
            number_text(rows[j].mean) if rated else "",
            number_text(rows[j].sd) if rated else "",
        )
        for j in kept
    ]
    marked = frozenset(place for place, j in enumerate(kept) if flags[j])
    return Table(
        words.sentence("Annotators: {}", Name(criterion)),
        *without_empty(columns, cells),
        note=_annotators_note(rows, len(kept)),
        marked=marked,
        sortable=len(kept) > 5,
    )


def _least_agreement(row: Any) -> tuple[bool, float, str]:
    value = real(row.agreement)
    return (value != value, value if value == value else 0.0, str(row.annotator))


def _annotators_note(rows: list[Any], n_shown: int) -> str:
    """How to read the agreement of one annotator, and how many are not shown."""
    measures = sorted({words.told(row.agreement_with) for row in rows} - {""})
    note = f"Agreement: {' or '.join(measures)}. " if measures else ""
    note += "“Far below the others” means more than 3.5 robust standard deviations, and more than 0.1, below the median annotator."
    if n_shown < len(rows):
        note += f" Shown are the {n_shown} who agree least, of {len(rows):,}; annotators.csv has all."
    return note


def outliers(reading: Reading, criterion: str) -> list[tuple[str, Quantity]]:
    """The annotators of a criterion who stand out, with their agreement."""
    frame = reading.results.annotators
    rows = list(frame[frame["criterion"] == criterion].itertuples(index=False))
    flags = stands_out([real(row.agreement) for row in rows])
    return [(str(row.annotator), number_text(row.agreement)) for row, flag in zip(rows, flags, strict=True) if flag]


def ceiling(reading: Reading) -> Table:
    """How well one annotator agrees with the others, held against them as a metric is."""
    frame = reading.results.ceiling
    columns = [
        Column("Criterion", "name"), text("Level"), text("Coefficient"), number("Ceiling"), number("Annotators"),
        text("How"), text("Why undefined"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.criterion),
            words.place_name(row.level, row.grouping),
            words.coefficient_name(row.coefficient),
            estimate_text(row.estimate, row.low, row.high),
            count_text(row.n_annotators),
            _HOW.get(how := words.told(row.method).split(",")[0], how),
            words.told(row.reason),
        )
        for row in frame.itertuples(index=False)
    ]
    note = (
        "The human ceiling is what one annotator reaches against the others, at the same level and with the same coefficient as a metric. "
        "Its intervals resample items only, whatever those of the metrics resample. A metric at the ceiling agrees with the annotators as "
        "well as one of them does; where they disagree much, that is little."
    )
    return Table("Human ceiling", *without_empty(columns, rows), note=note)


_HOW = {"leave one annotator out": "each annotator against the mean of the others"}
