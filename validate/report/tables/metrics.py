"""Tables about the metrics: choices, correlations, paired differences, cross-check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from validate.choose import FEW_SYSTEMS
from validate.report import beside, words
from validate.report.numbers import (
    MISSING,
    Quantity,
    coefficient_text,
    count_text,
    exact_text,
    number_text,
    p_text,
    real,
    small_text,
)
from validate.report.reading import Place, Reading
from validate.report.tables._table import Column, Table, number, text, without_empty
from validate.report.words import Name


def choices(reading: Reading) -> Table:
    """What to use for each criterion and level, and how sure that is."""
    columns = [
        Column("Criterion", "name"), text("Level"), Column("Best", "word"), Column("Verdict", "word"), number("Correlation"),
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
                _best(reading, place, choice) if best else MISSING,
                _verdict(choice),
                coefficient_text(best.get("estimate"), best.get("low"), best.get("high")),
                words.listing(others, 3) if others else MISSING,
                _control(control) if control else MISSING,
                _ceiling(reading, place, choice),
            )
        )
    note = words.sentence(
        "Correlations are {}. A verdict is clear when the best metric comes first in at least 95% of the resamples and is told from every "
        "other metric considered: no interval of their paired differences reaches zero. It is likely when the best comes first in more than half "
        "of the resamples, and open when it does in half or fewer, or at the system level when there are fewer than {} systems. "
        "It is none when the best cannot be told from no agreement at all, or when a control does as well. The intervals of ceilings resample items only.{}",
        words.coefficient_name(reading.coefficient),
        FEW_SYSTEMS,
        _unfit(reading),
    )
    return Table("The choice for every criterion and level", *without_empty(columns, rows), note=note)


def _best(reading: Reading, place: Place, choice: dict[str, Any]) -> str:
    """The best metric, and how many correlate exactly as it does."""
    name = choice["best"]["metric"]
    others = reading.equals(place, name, choice["coefficient"])
    return words.sentence("{} and {}", Name(name), count_text(len(others), "other")) if others else Name(name)


def _verdict(choice: dict[str, Any]) -> str:
    """The verdict, unless there was nothing to choose between."""
    verdict = str(choice["verdict"])
    return "only candidate" if verdict != "none" and words.only_candidate(choice) else verdict


def _control(control: dict[str, Any]) -> Markup:
    """A control with its correlation, the numbers kept together on a line."""
    value = coefficient_text(control.get("estimate"), control.get("low"), control.get("high"))
    return words.sentence('{} <span class="whole">{}</span>', Name(control["metric"]), value)


def _unfit(reading: Reading) -> Markup:
    """Which metrics were not considered, because they are constant in most groups."""
    names = sorted({name for place in reading.choices for name in reading.unfit(place)})
    if not names:
        return Markup()
    return words.sentence(
        " Where a metric gives one score to all outputs of most groups it is not considered: {}.", words.listing(names)
    )


def _ceiling(reading: Reading, place: Place, choice: dict[str, Any]) -> Quantity:
    """The human ceiling with its interval where the table has it."""
    found = reading.ceiling(place, choice["coefficient"])
    return coefficient_text(*found) if found else number_text(choice.get("ceiling"))


def correlations(reading: Reading, place: Place) -> Table:
    """Every metric at one place, all coefficients side by side."""
    used = [name for name in reading.coefficients if len(reading.correlations(place, name))]
    lead = reading.coefficient if reading.coefficient in used else used[0]
    cells = reading.correlations(place, lead)
    basis = {(real(row.n_systems), real(row.n_items)) for row in cells.values()}
    ranks, corrected = beside.ranks(reading, place, lead), beside.corrected(reading, place, lead)
    symbol = words.SYMBOLS.get(lead, lead)
    columns = [
        Column("Metric", "name"), *(number(words.coefficient_name(name)) for name in used), number(f"Rank by {symbol}"),
        number(f"{symbol} corrected"), number("Systems\u00a0×\u00a0items"), Column("Left out", "prose"),
    ]  # fmt: skip
    rows = []
    for metric in reading.ranked(place, lead):
        row = cells[metric]
        rests_on = MISSING if len(basis) == 1 else _by(row.n_systems, row.n_items)
        label = f"{metric} (control)" if metric in reading.controls else metric
        estimates = [coefficient_text(*reading.correlation(place, name, metric)) for name in used]
        aside = [ranks.get(metric, MISSING), corrected.get(metric, MISSING)]
        rows.append([Name(label), *estimates, *aside, rests_on, _left_out(reading, place, used, metric)])
    caption = words.sentence("{}: {}", Name(place.criterion), place.name.lower())
    notes = [
        *beside.coverage(reading, place), *beside.how_to_read(reading, place, lead), Markup(_undefined_note(cells.values())),
    ]  # fmt: skip
    return Table(
        caption + _basis(basis),
        *without_empty(columns, rows),
        note=Markup(" ").join(filter(None, notes)),
        sortable=len(rows) > 2,
    )


def _basis(basis: set[tuple[float, float]]) -> Markup:
    """What all rows rest on, for the caption; nothing where rows differ."""
    if len(basis) != 1:
        return Markup("")
    ((n_systems, n_items),) = basis
    return words.sentence(" ({}, {})", count_text(n_systems, "system"), count_text(n_items, "item"))


def _by(n_systems: Any, n_items: Any) -> Quantity:
    return Quantity(f"{count_text(n_systems)} × {count_text(n_items)}", real(n_systems), real(n_items))


def _left_out(reading: Reading, place: Place, used: list[str], metric: str) -> str:
    """Why the coefficients of one metric are undefined, or rest on fewer groups."""
    rows = [row for name in used if (row := reading.correlations(place, name).get(metric))]
    return "; ".join(filter(None, dict.fromkeys(words.told(row.reason) for row in rows)))


def _undefined_note(rows: Iterable[Any]) -> str:
    """How many groups had no correlation, over all metrics."""
    counts = [(real(row.n_groups), real(row.n_undefined)) for row in rows]
    n_groups, n_undefined = (int(sum(n for n in column if n == n)) for column in zip(*counts, strict=True))
    if not n_undefined:
        return ""
    return (
        f"Of {n_groups:,} groups over all metrics, {n_undefined:,} have no correlation, because one side is the same "
        "throughout the group or too few outputs were judged. They are left out of the mean."
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
            coefficient_text(*gap),
            p_text(p),
            p_text(adjusted),
            "yes" if gap.low > 0 else "no",
        )
        for other, gap, p, adjusted, _ in found
    ]
    tests = ", ".join(dict.fromkeys(test for *_, test in found if test))
    note = f"p: {tests}. " if tests else ""
    note += (
        "Two metrics are told apart when the interval of their difference leaves zero out. Interval and p are about one pair; p adjusted "
        "allows for all the pairs compared."
    )
    caption = words.sentence(
        "{} beside the other metrics: {}, {}", Name(best), Name(place.criterion), place.name.lower()
    )
    return Table(caption, *without_empty(columns, rows), note=note, sortable=len(rows) > 5)


def crosscheck(reading: Reading) -> Table:
    """Our metrics beside the reference libraries, on the texts of this study; the sentences above it name those without one."""
    columns = [
        Column("Metric", "name"), text("Status"), text("Reference"), Column("Version", "word"), number("Outputs compared"),
        number("Largest difference"), number("Allowed"),
    ]  # fmt: skip
    rows = [
        (
            Name(row.metric), words.told(row.status), words.told(row.reference), str(row.version), count_text(row.n),
            small_text(row.max_abs_difference), _tolerance(row.tolerance),
        )
        for row in reading.results.crosscheck.itertuples(index=False)
        if words.told(row.reference)
    ]  # fmt: skip
    return Table("Our scores beside those of the reference libraries", *without_empty(columns, rows))


def _tolerance(value: Any) -> Quantity:
    """A tolerance as it was set: 1e-12 has no further digits."""
    value = real(value)
    return small_text(value) if 0 < value < 1e-3 else exact_text(value)
