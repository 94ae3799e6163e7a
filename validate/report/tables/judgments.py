"""Tables about the judgments: agreement, annotators, their repeats, the human ceiling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from validate.report import words
from validate.report.numbers import coefficient_text, count_text, estimate_text, number_text, real, share_text
from validate.report.reading import Reading
from validate.report.tables._table import Column, Table, number, text, without_empty
from validate.report.words import Name
from validate.results import LEAVE_ONE_OUT, SPLIT_HALF
from validate.stats.agreement.annotators import hardly_agree

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
        "0 is what chance gives. Krippendorff takes conclusions from α below 0.667 to be unsafe and from 0.8 up to be sound."
    )
    if (frame["n_dropped"] > 0).any():
        note += " Dropped are units with a single judgment, which say nothing about agreement."
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


def far_below(frame: pd.DataFrame) -> list[bool]:
    """Which annotators of a table with ``loo_correlation``, ``same`` and ``n_shared`` agree far less with the others than is usual.

    By the correlation with the mean of the others or by the share of equal judgments, or because the correlation is surely below
    half of what is usual, which a table of three annotators can show, too.
    """
    flags = [stands_out(frame[name].tolist()) for name in ("loo_correlation", "same")]
    flags.append(hardly_agree(frame).tolist())
    return [any(one) for one in zip(*flags, strict=True)]


def annotators(reading: Reading, criterion: str) -> Table:
    """The annotators of one criterion, those far below the others first, then those who agree least."""
    rows = _annotators(reading, criterion)
    kept = [row for j, row in enumerate(rows) if row.far_below or j < MOST_ANNOTATORS]
    rated = reading.criterion_facts.get(criterion, {}).get("kind") != "comparisons"
    columns = [
        Column("Annotator", "name"), Column("Agreement", "meter"), text("Remark"), number("Same" if rated else "r with the others"),
        number("Bias"), number("Judgments"), number("Shared units"), number("Mean"), number("SD"),
    ]  # fmt: skip
    cells = [
        (
            Name(row.annotator), number_text(row.agreement), "far below the others" if row.far_below else "",
            share_text(row.same) if rated else number_text(row.loo_correlation), number_text(row.bias) if rated else "",
            count_text(row.n), count_text(row.n_shared), number_text(row.mean) if rated else "", number_text(row.sd) if rated else "",
        )
        for row in kept
    ]  # fmt: skip
    return Table(
        words.sentence("Annotators: {}", Name(criterion)),
        *without_empty(columns, cells),
        note=_annotators_note(rows, len(kept), rated=rated),
        marked=frozenset(place for place, row in enumerate(kept) if row.far_below),
        sortable=len(kept) > 5,
    )


def _annotators(reading: Reading, criterion: str) -> list[Any]:
    """The rows of a criterion in the order of the table, with ``far_below``."""
    frame = reading.results.annotators
    frame = frame[frame["criterion"] == criterion]
    return sorted(frame.assign(far_below=far_below(frame)).itertuples(index=False), key=_least_agreement)


def _least_agreement(row: Any) -> tuple[bool, bool, float, str]:
    value = real(row.agreement)
    return (not row.far_below, value != value, value if value == value else 0.0, str(row.annotator))


def _annotators_note(rows: list[Any], n_shown: int, *, rated: bool) -> str:
    """How to read the agreement of one annotator, and how many are not shown."""
    measures = sorted({words.told(row.agreement_with) for row in rows} - {""})
    note = f"Agreement: {' or '.join(measures)}. " if measures else ""
    if rated:
        note += (
            "Same: share of the others’ judgments that are equal. Bias: how far the annotator’s mean lies above that of the others on the "
            "same units. "
        )
    note += (
        "“Far below the others” means, in one of the two measures of agreement, more than 3.5 robust standard deviations and more than 0.1 "
        "below the median annotator, or a correlation that is surely less than half of the median."
    )
    if n_shown < len(rows):
        note += f" Shown are the {n_shown} who agree least, of {len(rows):,}; annotators.csv has all."
    return note


def outliers(reading: Reading, criterion: str) -> list[tuple[str, Markup]]:
    """The annotators of a criterion who stand out, with the measure of agreement by which they do."""
    rows = _annotators(reading, criterion)
    by_same = dict(zip((row.annotator for row in rows), stands_out([real(row.same) for row in rows]), strict=True))
    by_r = dict(
        zip((row.annotator for row in rows), stands_out([real(row.loo_correlation) for row in rows]), strict=True)
    )
    return [
        (str(row.annotator), _measure(row, by_same[row.annotator] and not by_r[row.annotator]))
        for row in rows
        if row.far_below
    ]


def _measure(row: Any, by_same: bool) -> Markup:
    """The share of equal judgments, or the correlation with the mean of the others."""
    if by_same:
        return words.sentence("{} of judgments the same", share_text(row.same))
    return words.sentence("r = {}", number_text(row.loo_correlation))


def repeats(reading: Reading) -> Table:
    """Annotators against themselves: what they judged again, those who changed their minds most first."""
    frame = reading.results.repeats.sort_values(["same", "n"], ascending=[True, False], kind="stable")
    columns = [
        Column("Annotator", "name"), text("Criterion"), number("Judged again"), number("Same"), number("Mean difference"),
        number("With sides swapped"), number("Same, swapped"), number("First side twice"), number("Second side twice"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.annotator), Name(row.criterion), count_text(row.n), share_text(row.same), number_text(row.difference),
            count_text(row.n_swapped), share_text(row.same_swapped), share_text(row.first_side), share_text(row.second_side),
        )
        for row in frame.head(MOST_ANNOTATORS).itertuples(index=False)
    ]  # fmt: skip
    note = (
        "Same: share of the repeated judgments that came out alike. First or second side twice: of pairs that were shown once more with "
        "their sides swapped, the share in which the place decided and not the text."
    )
    if len(frame) > len(rows):
        note += f" Shown are {len(rows)} of {len(frame):,}; repeats.csv has all."
    return Table("Annotators’ own repeats", *without_empty(columns, rows), note=note)


def ceiling(reading: Reading) -> Table:
    """How well one annotator agrees with the others, held against them as a metric is, and how reliable the mean of all is."""
    frame = reading.results.ceiling
    columns = [
        Column("Criterion", "name"), text("Level"), text("Coefficient"), text("What"), number("Estimate"), number("Annotators"),
        text("Left out"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.criterion),
            words.place_name(row.level, row.grouping),
            words.coefficient_name(row.coefficient),
            _what(words.told(row.method)),
            coefficient_text(row.estimate, row.low, row.high),
            count_text(row.n_annotators),
            words.told(row.reason),
        )
        for row in frame.itertuples(index=False)
    ]
    note = (
        "The ceiling is what one annotator reaches against the mean of the others, at the same level and with the same coefficient as a metric. "
        "A metric at the ceiling agrees with the annotators as well as one of them does; where they disagree much, that is little. "
        "The reliability is that of the mean of all annotators: halves of them held against each other, stepped up to all by Spearman "
        "and Brown’s formula. Intervals resample items only, whatever those of the metrics resample."
    )
    return Table("Human ceiling and reliability", *without_empty(columns, rows), note=note)


def _what(method: str) -> str:
    """What was found by a method, in a word; the method itself where it is another."""
    return next((told for way, told in _WHAT.items() if method.startswith(way)), method)


_WHAT = {LEAVE_ONE_OUT: "ceiling", SPLIT_HALF: "reliability"}
