"""The ranking of systems: what people give each with its interval, and where the best metrics put it."""

from __future__ import annotations

from typing import Any

import pandas as pd
from markupsafe import Markup

from validate.report import words
from validate.report.figures import theme
from validate.report.figures._figure import Figure, Panel, View
from validate.report.numbers import count_text, estimate_text, for_chart, range_text, real, share_text
from validate.report.reading import Reading
from validate.report.tables.systems import ranking as ranking_table
from validate.report.tables.systems import ranking_metrics
from validate.report.words import Name, sentence

DRAWN = 3  # metrics whose ranks are drawn; more marks than these nobody keeps apart
MARKS = ("first", "second", "third")
ORDINALS = ("best", "second best", "third best")
ROW_HEIGHT = 24  # room for a mark of each metric above the other
APART = "datum.mark === 'first' ? -6 : datum.mark === 'third' ? 6 : 0"  # pixels, so that equal ranks do not cover each other
COLUMNS = {
    "rows": ["system", "estimate", "low", "high", "text"],
    "ranges": ["system", "rank_low", "rank_high", "text"],
    "marks": ["system", "rank", "mark", "metric"],
}
METHODS = {
    "mean": "mean score",
    "win-rate": "win rate",
    "bradley-terry": "Bradley–Terry strength",
    "z-score": "mean z-score",
}


def ranking(reading: Reading) -> Figure | None:
    """The ranking by people beside that of the best metrics, with a view for each criterion; None where nobody ranked."""
    criteria = [name for name in reading.criteria if len(reading.human_ranking(name))]
    if not criteria:
        return None
    metrics = ranking_metrics(reading, criteria[0], DRAWN)
    views = [_view(reading, criterion) for criterion in criteria]
    several = len(criteria) > 1
    legend = [("people", f"by {reading.people}: the range of ranks that the intervals allow")] if metrics else []
    equal = any(_equals(reading, name, metric) for name in criteria for metric in ranking_metrics(reading, name, DRAWN))
    for j, mark in enumerate(MARKS[: len(metrics)]):
        if several:
            told = f"{mark} metric by correlation, equal ones by name" if equal else f"{ORDINALS[j]} metric"
        else:
            told = _place_among(reading, criteria[0], metrics, j)
        legend.append((mark, told))
    return Figure(
        name="ranking",
        title="Systems, as people and as metrics rank them",
        specs=[_strengths_spec(), _ranks_spec()],
        columns=COLUMNS,
        views=views,
        legend=legend,
        tables=[ranking_table(reading, criterion) for criterion in criteria],
    )


def _equals(reading: Reading, criterion: str, metric: str) -> list[str]:
    """The metrics that correlate with people as this one does, where the best are chosen."""
    place = reading.place(criterion, "system") or reading.leading_place(criterion)
    return reading.equals(place, metric) if place else []


def _place_among(reading: Reading, criterion: str, metrics: list[str], j: int) -> str:
    """Which of the best metrics the one at ``j`` is, where others are as good with how many."""
    others = _equals(reading, criterion, metrics[j])
    place = next((i for i in range(j) if metrics[i] in others), j)
    shared = f", equal to {count_text(len(others), 'other')}" if others else ""
    return f"{ORDINALS[place]} metric{shared}: {metrics[j]}"


def _view(reading: Reading, criterion: str) -> View:
    frame = reading.human_ranking(criterion)
    method = words.told(frame["method"].iloc[0])
    rows = [
        [
            row.system,
            for_chart(row.estimate),
            for_chart(row.low),
            for_chart(row.high),
            str(estimate_text(row.estimate, row.low, row.high)),
        ]
        for row in frame.itertuples(index=False)
    ]
    panels = [Panel(f"By people: {METHODS.get(method, method)}", {"rows": rows}, ROW_HEIGHT * len(rows))]
    metrics = ranking_metrics(reading, criterion, DRAWN)
    if metrics:
        panels.append(_ranks(reading, frame, metrics))
    return View({"Criterion": criterion}, _sentence(reading, criterion, frame, metrics), panels)


def _ranks(reading: Reading, frame: pd.DataFrame, metrics: list[str]) -> Panel:
    systems = [str(name) for name in frame["system"]]
    ranges = [
        [row.system, for_chart(row.rank_low), for_chart(row.rank_high), str(range_text(row.rank_low, row.rank_high))]
        for row in frame.itertuples(index=False)
    ]
    marks = [
        [system, rank, mark, metric]
        for mark, metric in zip(MARKS, metrics, strict=False)
        for system, rank in reading.system_ranks(metric, systems).items()
    ]
    return Panel(
        f"Ranks: {', '.join(map(words.isolated, metrics))}",
        {"ranges": ranges, "marks": marks},
        ROW_HEIGHT * len(systems),
        spec=1,
    )


def _strengths_spec() -> dict[str, Any]:
    """Point and interval a system, the numbers at the right."""
    y = theme.row_of("system", padding=0.5)
    x = theme.field("estimate", scale={"zero": False}, axis={"title": None})
    tooltip = theme.told(system="system", people="text")
    return theme.spec(
        [
            {
                "mark": {"type": "text", "align": "right", "dx": 128, "color": theme.INK},
                "encoding": {"y": y, "x": {"value": "width"}, "text": theme.field("text", "nominal")},
            },
            {
                "mark": {"type": "rule", "color": theme.INK, "strokeWidth": 1.6},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 46, "color": theme.INK, "opacity": 1},
                "encoding": {"y": y, "x": x, "tooltip": tooltip},
            },
        ],
        data={"name": "rows"},
        padding={"left": 2, "right": 4, "top": 2, "bottom": 4},
    )  # fmt: skip


def _ranks_spec() -> dict[str, Any]:
    """The range of ranks by people as a bar, the ranks by metrics as marks upon it."""
    y = theme.row_of("system", padding=0.5)
    x = theme.field(
        "rank",
        scale={"zero": False, "nice": False, "padding": 12},
        axis={"title": "rank", "tickMinStep": 1, "format": "d"},
    )
    colours = [theme.BLUE, theme.ORANGE, theme.INK]
    colour = theme.field("mark", "nominal", legend=None, scale={"domain": list(MARKS), "range": colours})
    shape = theme.field(
        "mark", "nominal", legend=None, scale={"domain": list(MARKS), "range": ["circle", "square", "triangle-up"]}
    )
    return theme.spec(
        [
            {
                "data": {"name": "ranges"},
                "transform": [
                    {"calculate": "datum.rank_low - 0.25", "as": "from"},
                    {"calculate": "datum.rank_high + 0.25", "as": "to"},
                ],
                "mark": {"type": "rule", "strokeWidth": 18, "color": theme.FAINT},
                "encoding": {
                    "y": y, "x": {**x, "field": "from"}, "x2": {"field": "to"},
                    "tooltip": theme.told(system="system", ranks_by_people="text"),
                },
            },
            {
                "data": {"name": "marks"},
                "mark": {"type": "point", "strokeWidth": 1.6, "opacity": 1, "size": 24, "yOffset": {"expr": APART}},
                "encoding": {
                    "y": y, "x": x, "color": colour, "shape": shape,
                    "tooltip": theme.told(system="system", metric="metric", rank="rank"),
                },
            },
        ],
        padding={"left": 2, "right": 8, "top": 2, "bottom": 4},
    )  # fmt: skip


def _sentence(reading: Reading, criterion: str, frame: pd.DataFrame, metrics: list[str]) -> Markup:
    """How sharply people separate the systems, and how often the best metric stays within their range."""
    first = frame.iloc[0]
    n_first = sum(real(low) <= 1 for low in frame["rank_low"])
    people = reading.people
    text = sentence(
        "For {}, {} put {} first", Name(criterion), people, Name(first["system"])
    ) + (sentence(", and {} may hold that place", count_text(n_first, "system")) if n_first > 1 else sentence(", and no other system may hold that place"))  # fmt: skip
    if not metrics:
        return text + "."
    ranks = reading.system_ranks(metrics[0], [str(name) for name in frame["system"]])
    within = [
        real(row.rank_low) <= ranks[row.system] <= real(row.rank_high)
        for row in frame.itertuples()
        if row.system in ranks
    ]
    share = share_text(sum(within) / len(within))
    return text + sentence("; {} ranks {} of the systems within the range by {}.", Name(metrics[0]), share, people)
