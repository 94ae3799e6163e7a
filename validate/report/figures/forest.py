"""The forest plot: every metric's correlation with people, with its interval, beside what people reach themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from markupsafe import Markup

from validate.report import words
from validate.report.figures import theme
from validate.report.figures._figure import Figure, Panel, View
from validate.report.numbers import coefficient_text, count_text, for_chart
from validate.report.reading import Place, Range, Reading
from validate.report.words import Name, listing, sentence
from validate.results import LEAVE_ONE_OUT

MOST_METRICS = 36
MOST_CONTROLS = 4
NUMBERS_WIDTH = 128
KINDS = ("best", "unclear", "metric", "control")
COLUMNS = {
    "rows": ["metric", "estimate", "low", "high", "text", "kind", "reason"],
    "ceiling": ["estimate", "low", "high"],
}


def forest(reading: Reading) -> Figure | None:
    """The forest plot, with a view for each criterion and coefficient; None without correlations."""
    if not reading.places:
        return None
    coefficients = words.in_order([reading.coefficient, *reading.coefficients], [reading.coefficient])
    views = [
        _view(reading, criterion, coefficient)
        for criterion in dict.fromkeys(place.criterion for place in reading.places)
        for coefficient in coefficients
    ]
    n_metrics = len(reading.metrics)
    note = f"Drawn are the {MOST_METRICS} metrics that correlate best, of {n_metrics}, and the controls; the tables below have all."
    return Figure(
        name="forest",
        title="Correlation of every metric with people",
        specs=[_spec(_domain(reading))],
        columns=COLUMNS,
        views=views,
        legend=_legend(views),
        note=note if len(_shown(reading, reading.places[0])) < n_metrics else "",
    )


def _view(reading: Reading, criterion: str, coefficient: str) -> View:
    places = [place for place in reading.places if place.criterion == criterion]
    leading = reading.leading_place(criterion) or places[0]
    order = _shown(reading, leading)
    panels = [_panel(reading, place, coefficient, order) for place in places]
    choice = {"Criterion": criterion, "Coefficient": words.coefficient_name(coefficient)}
    return View(choice, _sentence(reading, leading, coefficient), panels)


def _shown(reading: Reading, place: Place) -> list[str]:
    """The metrics that are drawn, in the order of the leading place, so that all panels have the same rows."""
    ranked = reading.ranked(place)
    best = [name for name in ranked if name not in reading.controls][:MOST_METRICS]
    controls = [name for name in ranked if name in reading.controls][:MOST_CONTROLS]
    return [name for name in ranked if name in {*best, *controls}]


def _panel(reading: Reading, place: Place, coefficient: str, order: list[str]) -> Panel:
    cells = reading.correlations(place, coefficient)
    equal = reading.not_told_apart(place, coefficient)
    rows = []
    for metric in order:
        value = reading.correlation(place, coefficient, metric)
        kind = "control" if metric in reading.controls else _kind(value) if metric in equal else "metric"
        reason = words.told(cells[metric].reason) if metric in cells else "not computed"
        rows.append([metric, *map(for_chart, value), str(coefficient_text(*value)), kind, reason])
    ceiling = reading.ceiling(place, coefficient)
    return Panel(
        place.name,
        {"rows": rows, "ceiling": [list(map(for_chart, ceiling))] if ceiling else []},
        theme.ROW_HEIGHT * len(rows),
    )


def _kind(value: Range) -> str:
    """How a metric that cannot be told from the best is marked: as good only if it can be told from no agreement."""
    return "best" if value.low > 0 else "unclear"


def _domain(reading: Reading) -> list[float]:
    """One scale for all panels and views: what the intervals and ceilings need, with zero."""
    frame, ceilings = reading.results.correlations, reading.results.ceiling
    ends = [
        *frame["low"].dropna(),
        *frame["high"].dropna(),
        *frame["estimate"].dropna(),
        *ceilings.loc[ceilings["method"].str.startswith(LEAVE_ONE_OUT), "high"].dropna(),
    ]
    numbers = [float(end) for end in ends] or [0.0, 1.0]
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    return [max(-1.0, round(low - 0.02, 2)), min(1.0, round(high + 0.02, 2))]


def _spec(domain: list[float]) -> dict[str, Any]:
    """Rows of metrics: interval, point, numbers; a band and a rule for the ceiling; zero."""
    x = theme.field("estimate", scale={"domain": domain, "nice": False}, axis={"title": None, "labelFlush": False})
    y = theme.row_of("metric")
    by_kind = {"domain": list(KINDS)}
    stroke = theme.field(
        "kind", "nominal", legend=None, scale={**by_kind, "range": [theme.BLUE, theme.BLUE, theme.SOFT, theme.ORANGE]}
    )
    fill = theme.field("kind", "nominal", legend=None, scale={**by_kind, "range": [theme.BLUE, *[theme.PAPER] * 3]})
    shapes = ["circle", "diamond", "circle", "square"]
    shape = theme.field("kind", "nominal", legend=None, scale={**by_kind, "range": shapes})
    tooltip = theme.told(metric="metric", correlation="text", reason="reason")
    return theme.spec(
        [
            {  # first, since it has every row: so the order of rows is that of the data
                "mark": {"type": "text", "align": "right", "dx": NUMBERS_WIDTH, "color": theme.INK},
                "encoding": {"y": y, "x": {"value": "width"}, "text": theme.field("text", "nominal"), "tooltip": tooltip},
            },
            {
                "data": {"name": "ceiling"},
                "mark": {"type": "rect", "color": theme.GREEN, "opacity": 0.16},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "data": {"name": "ceiling"},
                "mark": {"type": "rule", "color": theme.GREEN, "strokeDash": [5, 3], "strokeWidth": 1.5},
                "encoding": {"x": x},
            },
            {"data": {"values": [{}]}, "mark": {"type": "rule", "color": theme.SOFT}, "encoding": {"x": {"datum": 0}}},
            {
                "mark": {"type": "rule", "strokeWidth": 1.6},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": stroke},
            },
            {
                "mark": {"type": "point", "size": 46, "opacity": 1, "strokeWidth": 1.6},
                "encoding": {"y": y, "x": x, "stroke": stroke, "fill": fill, "shape": shape, "tooltip": tooltip},
            },
        ],
        data={"name": "rows"},
        padding={"left": 2, "right": 4, "top": 2, "bottom": 4},
    )  # fmt: skip


def _legend(views: list[View]) -> list[tuple[str, str]]:
    """Only the marks that occur."""
    kinds = {row[5] for view in views for panel in view.panels for row in panel.data["rows"]}
    words_of = {
        "best": "the best metric, and those not told from it, with intervals above zero",
        "unclear": "not told from the best, though the interval reaches zero or below",
        "metric": "other metrics",
        "control": "controls, which a metric has to beat",
    }
    found = [(kind, words_of[kind]) for kind in KINDS if kind in kinds]
    if any(panel.data["ceiling"] for view in views for panel in view.panels):
        found.append(("ceiling", "human ceiling: one annotator against the others (items resampled)"))
    return found


def _sentence(reading: Reading, place: Place, coefficient: str) -> Markup:
    """Who is first, how many are at all above zero, which come up to the ceiling."""
    unfit = reading.unfit(place)
    ranked = [name for name in reading.ranked(place, coefficient) if name not in {*reading.controls, *unfit}]
    values = {name: reading.correlation(place, coefficient, name) for name in ranked}
    defined = [name for name in ranked if values[name].value == values[name].value]
    if not defined:
        return sentence("At the {}, no metric has a defined correlation with {}.", place.name.lower(), reading.people)
    above = [name for name in defined if values[name].low > 0]
    others = reading.equals(place, defined[0], coefficient)
    best = sentence(
        "{} and {} share the highest correlation" if others else "{} correlates best",
        Name(defined[0]), count_text(len(others), "other"),
    )  # fmt: skip
    alike = len({str(coefficient_text(*values[name])) for name in (defined[0], *others)}) == 1
    text = sentence(
        "At the {}, {} with {}: {}{}. The intervals of {} of {} lie above zero",
        place.name.lower(), best, reading.people, coefficient_text(*values[defined[0]]),
        "" if alike else sentence(" for {}", Name(defined[0])), count_text(len(above)), count_text(len(ranked), "metric"),
    )  # fmt: skip
    return text + _at_ceiling(reading, place, coefficient, values) + _not_considered(unfit)


def _at_ceiling(reading: Reading, place: Place, coefficient: str, values: Mapping[str, Range]) -> Markup:
    """The metrics of which the estimate, and else those of which the interval at least, comes up to what one annotator reaches."""
    ceiling = reading.ceiling(place, coefficient)
    if ceiling is None:
        return Markup(".")
    reached = [name for name, one in values.items() if one.value >= ceiling.value]
    human = sentence("the human ceiling, {}", coefficient_text(*ceiling))
    if reached:
        estimates, verb = ("estimate", "comes") if len(reached) == 1 else ("estimates", "come")
        return sentence("; the {} of {} {} up to {}.", estimates, listing(reached, 3), verb, human)
    near = sum(one.high >= ceiling.value for one in values.values())
    if not near:
        return sentence("; no estimate comes up to {}, and no interval reaches it.", human)
    return sentence(
        "; no estimate comes up to {}, but {} it.", human, count_text(near, "interval reaches", "intervals reach")
    )


def _not_considered(unfit: Collection[str]) -> Markup:
    """Whose points rest on few groups."""
    return (
        sentence(" Not considered, since constant in most groups: {}.", listing(sorted(unfit))) if unfit else Markup("")
    )
