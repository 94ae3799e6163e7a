"""What ``accord validate`` leaves on the terminal: the answer, the best metrics, and where the page is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from validate.results import Results

SHOWN_METRICS = 12


def print_summary(results: Results, folder: Path) -> None:
    """The answer in words, a table of the leading metrics at the primary place, and the path of the page."""
    from validate.report.answer import answer
    from validate.report.beside import coverage_of_answer
    from validate.report.reading import Reading
    from validate.report.words import plain

    console = Console()
    reading = Reading(results)
    for sentence in answer(reading):
        console.print(plain(sentence), highlight=False, markup=False)
    place = results.choice.get("primary")
    if place:
        console.print()
        console.print(_leaders(results, place))
    if covered := coverage_of_answer(reading):
        console.print(f"\n{covered}", highlight=False, markup=False)
    few = _few_systems(results)
    if few:
        console.print(f"\n{few}", highlight=False, markup=False)
    if _unchecked(results):
        console.print(
            "\nThe scores were not checked against the reference libraries, which are not installed (extra 'crosscheck')."
        )
    console.print(f"\nreport: {folder / 'report.html'}", highlight=False, markup=False, soft_wrap=True)


def _few_systems(results: Results) -> str:
    """What to do when intervals are wide because there are few systems; empty otherwise."""
    from validate.choose import FEW_SYSTEMS

    place = results.choice.get("primary")
    if not place or results.run["options"]["unit"] != "both":
        return ""
    n = next(choice["n_systems"] for choice in results.choice["choices"] if place.items() <= choice.items())
    if n >= FEW_SYSTEMS:
        return ""
    return f"The intervals speak of other systems, too, and {n} systems say little of those; --unit items speaks of these alone."


def _unchecked(results: Results) -> bool:
    """Whether a cross-check was wanted and no metric could be compared, because libraries are missing."""
    status = results.crosscheck["status"]
    return bool(status.str.contains("not installed").any() and not status.isin(["equal", "differs"]).any())


def _leaders(results: Results, place: dict[str, str]) -> Table:
    """The metrics in order of their Spearman correlation, with the other two coefficients beside it."""
    from validate.report.numbers import estimate_text

    frame = results.correlations
    here = frame[
        (frame["criterion"] == place["criterion"])
        & (frame["level"] == place["level"])
        & (frame["grouping"] == place["grouping"])
    ]
    unfit = next(choice["unfit"] for choice in results.choice["choices"] if place.items() <= choice.items())
    order = here[here["coefficient"] == results.choice["coefficient"]].sort_values("estimate", ascending=False)
    order = order.assign(last=order["metric"].isin(unfit)).sort_values("last", kind="stable")
    coefficients = list(dict.fromkeys(here["coefficient"]))
    grouping = "" if place["grouping"] == "none" else f", grouped by {place['grouping']}"
    shown = Table(
        title=f"{place['criterion']}: agreement with people at {place['level']} level{grouping}",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    shown.add_column("metric", overflow="fold")
    for coefficient in coefficients:
        shown.add_column(coefficient.capitalize(), justify="right")
    for name in order["metric"].head(SHOWN_METRICS):
        cells = []
        for coefficient in coefficients:
            row = here[(here["metric"] == name) & (here["coefficient"] == coefficient)].iloc[0]
            cells.append(estimate_text(row["estimate"], row["low"], row["high"]))
        shown.add_row(name, *cells)
    if len(order) > SHOWN_METRICS:
        shown.caption = f"and {len(order) - SHOWN_METRICS} more in correlations.csv"
    return shown


def print_frame(frame: pd.DataFrame) -> None:
    """A frame as a plain table."""
    shown = Table(box=None, pad_edge=False)
    for column in frame.columns:
        shown.add_column(str(column).replace("_", " "), overflow="fold")
    for row in frame.itertuples(index=False):
        shown.add_row(*map(_cell, row))
    Console(markup=False).print(shown)  # an extra in square brackets is no markup


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "–" if value != value else f"{value:.3g}"
    return str(value) or "–"
