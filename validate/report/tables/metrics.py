"""Tables about the metrics: choices, correlations, paired differences, cross-check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from validate.report import words
from validate.report.numbers import (
    MISSING,
    Quantity,
    count_text,
    estimate_text,
    exact_text,
    number_text,
    p_text,
    real,
    small_text,
)
from validate.report.reading import Place, Reading
from validate.report.tables._table import Column, Table, number, text, without_empty
from validate.report.words import Name

VERDICTS = {
    "clear": "clear",
    "likely": "likely",
    "open": "open: several cannot be told apart",
    "none": "none can be recommended",
    "undefined": "undefined",
}


def choices(reading: Reading) -> Table:
    """What to use for each criterion and level, and how sure that is."""
    columns = [
        Column("Criterion", "name"), text("Level"), text("Best"), number("Correlation"), text("Verdict"),
        text("Cannot be told from it"), text("Best control"), number("Human ceiling"),
    ]  # fmt: skip
    rows = []
    for place, choice in reading.choices.items():
        best, control = choice.get("best") or {}, choice.get("best_control") or {}
        others = choice.get("equivalent") or []
        rows.append(
            (
                Name(place.criterion),
                place.name,
                Name(best["metric"]) if best else MISSING,
                estimate_text(best.get("estimate"), best.get("low"), best.get("high")),
                VERDICTS.get(choice["verdict"], choice["verdict"]),
                words.listing(others, 3) if others else MISSING,
                words.sentence("{}: {}", Name(control["metric"]), number_text(control["estimate"]))
                if control
                else MISSING,
                _ceiling(reading, place, choice),
            )
        )
    note = words.sentence(
        "Correlations are {}. A verdict is clear when the best metric comes first in at least 95% of the resamples, likely when it "
        "does in more than half of them, and open when it does in fewer. None can be recommended when the best cannot be told "
        "from no agreement at all or from a control.",
        words.coefficient_name(reading.coefficient),
    )
    return Table("The choice for every criterion and level", *without_empty(columns, rows), note=note)


def _ceiling(reading: Reading, place: Place, choice: dict[str, Any]) -> Quantity:
    """The human ceiling with its interval where the table has it."""
    found = reading.ceiling(place, choice["coefficient"])
    return estimate_text(*found) if found else number_text(choice.get("ceiling"))


def correlations(reading: Reading, place: Place) -> Table:
    """Every metric at one place, all coefficients side by side."""
    used = [name for name in reading.coefficients if len(reading.correlations(place, name))]
    lead = reading.coefficient if reading.coefficient in used else used[0]
    columns = [
        Column("Metric", "name"), *(number(words.coefficient_name(name)) for name in used), number("Systems"),
        number("Items"), number("Groups"), number("Undefined groups"), text("Left out"),
    ]  # fmt: skip
    rows = [_correlation_row(reading, place, used, lead, metric) for metric in reading.ranked(place, lead)]
    return Table(
        words.sentence("{}: {}", Name(place.criterion), place.name.lower()),
        *without_empty(columns, rows),
        note=_undefined_note(reading.correlations(place, lead).values()),
        sortable=len(rows) > 2,
    )


def _correlation_row(reading: Reading, place: Place, used: list[str], lead: str, metric: str) -> list[str]:
    """The coefficients of one metric, what they rest on, and why any of them is undefined."""
    frames = [reading.correlations(place, name) for name in used]
    estimates = [estimate_text(*reading.correlation(place, name, metric)) for name in used]
    reasons = dict.fromkeys(words.told(frame[metric].reason) for frame in frames if metric in frame)
    row = reading.correlations(place, lead)[metric]
    groups = [MISSING, MISSING] if place.grouping == "none" else [count_text(row.n_groups), count_text(row.n_undefined)]
    label = f"{metric} (control)" if metric in reading.controls else metric
    return [
        Name(label), *estimates, count_text(row.n_systems), count_text(row.n_items), *groups, "; ".join(filter(None, reasons)),
    ]  # fmt: skip


def _undefined_note(rows: Iterable[Any]) -> str:
    """How many groups had no correlation, over all metrics."""
    counts = [(real(row.n_groups), real(row.n_undefined)) for row in rows]
    n_groups, n_undefined = (int(sum(n for n in column if n == n)) for column in zip(*counts, strict=True))
    if not n_undefined:
        return ""
    return (
        f"Of {n_groups:,} groups over all metrics, {n_undefined:,} have no correlation, because one side is the same "
        "throughout the group or too few outputs were judged. They are left out of the mean and counted as undefined groups."
    )


def differences(reading: Reading, place: Place) -> Table:
    """The best metric of a place beside each other metric, in pairs over the same resamples."""
    chosen = (reading.choices.get(place) or {}).get("best") or {}
    best = chosen.get("metric") or next((m for m in reading.ranked(place) if m not in reading.controls), "")
    found = reading.differences(place, reading.coefficient, best)
    columns = [
        Column("Metric", "name"), number("Best minus this"), number("p"), number("p adjusted"), text("Told apart"),
    ]  # fmt: skip
    rows = [
        (
            Name(f"{other} (control)" if other in reading.controls else other),
            estimate_text(*gap),
            p_text(p),
            p_text(adjusted),
            "yes" if gap.low > 0 else "no",
        )
        for other, gap, p, adjusted, _ in found
    ]
    tests = ", ".join(dict.fromkeys(test for *_, test in found if test))
    note = f"p: {tests}. " if tests else ""
    note += "Two metrics are told apart when the interval of their difference leaves zero out."
    caption = words.sentence(
        "{} beside the other metrics: {}, {}", Name(best), Name(place.criterion), place.name.lower()
    )
    return Table(caption, *without_empty(columns, rows), note=note, sortable=len(rows) > 5)


def crosscheck(reading: Reading) -> Table:
    """Our metrics beside the reference libraries, on the texts of this study."""
    columns = [
        Column("Metric", "name"), text("Reference"), text("Version"), number("Values compared"), number("Largest difference"),
        number("Allowed"), text("Status"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.metric),
            words.told(row.reference),
            words.told(row.version),
            count_text(row.n),
            small_text(row.max_abs_difference),
            _tolerance(row.tolerance),
            words.told(row.status),
        )
        for row in reading.results.crosscheck.itertuples(index=False)
    ]
    return Table("Our scores beside those of the reference libraries", *without_empty(columns, rows))


def _tolerance(value: Any) -> Quantity:
    """A tolerance as it was set: 1e-12 has no further digits."""
    value = real(value)
    return small_text(value) if 0 < value < 1e-3 else exact_text(value)
