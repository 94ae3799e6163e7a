"""How figures look: the page's colours by their names, few lines, text of one size."""

from __future__ import annotations

from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif'
)
INK, SOFT, FAINT, PAPER = "var(--ink)", "var(--soft)", "var(--faint)", "var(--paper)"
BLUE, ORANGE, GREEN = "var(--blue)", "var(--orange)", "var(--green)"
ROW_HEIGHT = 17


def spec(layers: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A drawing as wide as its place on the page, without data."""
    return {
        "$schema": SCHEMA,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
        "layer": layers,
        **more,
    }


CONFIG: dict[str, Any] = {
    "aria": False,  # the figure as a whole is described, and its numbers stand in a table
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": SOFT, "titleFontWeight": "normal", "labelFontSize": 11.5, "titleFontSize": 11.5,
        "domain": False, "ticks": False, "gridColor": FAINT, "tickCount": 5, "labelPadding": 6,
    },
    "axisY": {"titlePadding": 8},
    "text": {"fontSize": 11.5},
}  # fmt: skip


def field(name: str, kind: str = "quantitative", **more: Any) -> dict[str, Any]:
    """An encoding of one column."""
    return {"field": name, "type": kind, **more}


def row_of(name: str, *, padding: float = 0.2) -> dict[str, Any]:
    """The vertical place of a row: in the order of the data, with ``padding`` rows above the first and below the last."""
    return field(
        name, "nominal", sort=None, scale={"padding": padding},
        axis={"title": None, "grid": False, "labelColor": INK},
    )  # fmt: skip


def told(**columns: str) -> list[dict[str, Any]]:
    """What hovering shows: the column behind each title."""
    return [field(column, "nominal", title=title.replace("_", " ")) for title, column in columns.items()]
