"""The record of a figure: one or more drawings, and the data and sentence of each view that a reader can choose.

A figure is drawn by Vega-Lite in the reader's browser. Its *specs* hold no data; a *view* (a criterion, say) is a row of
*panels*, each of which names a spec and carries its rows. So every number is in the page once, and narrow screens stack
the panels. Colours are the page's own custom properties, so that figures follow dark mode and print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from validate.report.tables import Table

FONT_SIZE = 12
Row = Sequence[Any]
Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing: its heading, rows per data set of its spec, the height of its inner area in pixels, and which spec."""

    title: str
    data: Mapping[str, Sequence[Row]]
    height: int
    spec: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What one setting of the choices shows, and the sentence that says what to see in it."""

    choice: Mapping[str, str]
    sentence: Markup
    panels: Sequence[Panel]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report.

    Parameters
    ----------
    name : str
        Its identifier on the page.
    title : str
    specs : sequence of dict
        Vega-Lite, without data.
    columns : mapping of str to sequence of str
        The columns of each data set, in the order of the rows' values.
    views : sequence of View
        The first is shown; a reader chooses among them by their choices.
    legend : sequence of (str, str)
        Marks and what they mean: a key of the template's drawn marks, and words.
    tables : sequence of Table
        The numbers behind it.
    note : str or Markup
        What was left out of the drawing.
    wide : bool
        Whether panels stand two in a row at most (rows with labels) or three.
    """

    name: str
    title: str
    specs: Sequence[Spec]
    columns: Mapping[str, Sequence[str]]
    views: Sequence[View]
    legend: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = field(default=())
    note: str | Markup = ""
    wide: bool = True

    def choices(self) -> dict[str, list[str]]:
        """What a reader can choose: names and their values, where there is more than one."""
        found: dict[str, list[str]] = {}
        for view in self.views:
            for name, value in view.choice.items():
                found.setdefault(name, [])
                if value not in found[name]:
                    found[name].append(value)
        return {name: values for name, values in found.items() if len(values) > 1}

    def document(self) -> dict[str, Any]:
        """What the page's script draws from."""
        views = [
            {
                "choice": dict(view.choice),
                "panels": [
                    {"title": panel.title, "spec": panel.spec, "height": panel.height, "data": dict(panel.data)}
                    for panel in view.panels
                ],
            }
            for view in self.views
        ]
        return {"title": self.title, "specs": list(self.specs), "columns": dict(self.columns), "views": views}
