"""Scores of the metrics against scores of people: one small plot a metric, the best six and the controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from validate.report import words
from validate.report.figures import theme
from validate.report.figures._figure import Figure, Panel, Row, View
from validate.report.figures.labels import placed
from validate.report.numbers import coefficient_text, count_text, for_chart, number_text, ordinal_text
from validate.report.reading import Reading
from validate.report.tables import Column, Table, number
from validate.report.tables.systems import compared_metrics
from validate.report.words import Name, sentence

BEST = 6
CONTROLS = 3
FEWEST_SYSTEMS = 3
LABELLED = 14  # points that may ask for a label in one plot
MOST_VIEWS = 6
HEIGHT = 220
_LEGEND = (("dot", "a system, by a metric"), ("square", "a system, by a control"))
COLUMNS = {"rows": ["name", "metric", "people", "side", "metric_text", "people_text"]}


def scatter(reading: Reading) -> Figure | None:
    """Scatter plots of systems, with a view for each criterion; None where fewer than three systems have both scores."""
    criteria = [name for name in reading.criteria if len(reading.human_means(name)) >= FEWEST_SYSTEMS]
    views = [view for name in criteria[:MOST_VIEWS] if (view := _view(reading, name)).panels]
    if not views:
        return None
    note = _selection(reading, criteria[0])
    note += (
        "Names are written where they fit; hovering shows the others. Every system and number drawn is in the table."
    )
    if len(criteria) > MOST_VIEWS:
        note += f" Drawn are the first {MOST_VIEWS} of {len(criteria)} criteria."
    return Figure(
        name="scatter",
        title="Systems: scores of metrics against scores of people",
        specs=[_spec(control=False), _spec(control=True)],
        columns=COLUMNS,
        views=views,
        legend=[("dot", "a system, by a metric")]
        + ([("square", "a system, by a control")] if reading.controls else []),
        tables=[_table(reading, view.choice["Criterion"]) for view in views],
        note=note,
        wide=False,
    )


def _selection(reading: Reading, criterion: str) -> str:
    """Which metrics and controls are drawn, where that is not all of them."""
    scored = compared_metrics(reading, criterion, len(reading.metrics))
    n_controls = sum(bool(reading.system_scores(name)) for name in reading.controls)
    parts = []
    if len(scored) > BEST:
        place = reading.place(criterion, "system") or reading.leading_place(criterion)
        cut = place is not None and scored[BEST] in reading.equals(place, scored[BEST - 1])
        equal = " (of equal ones the first by name)" if cut else ""
        parts.append(f"the {BEST} of {len(scored)} metrics that correlate best{equal}")
    if n_controls > CONTROLS:
        parts.append(f"the {CONTROLS} of {n_controls} controls that do")
    if not parts:
        return ""
    everything = ", and the controls" if n_controls and len(parts) == 1 and len(scored) > BEST else ""
    return f"Drawn are {' and '.join(parts)}{everything}; system_scores.csv has all. "


def shown_metrics(reading: Reading, criterion: str) -> list[str]:
    """The metrics that get a plot: the best for this criterion, then the controls."""
    place = reading.place(criterion, "system") or reading.leading_place(criterion)
    if place is None:
        return []
    controls = [name for name in reading.ranked(place) if name in reading.controls and reading.system_scores(name)]
    return compared_metrics(reading, criterion, BEST) + controls[:CONTROLS]


def _view(reading: Reading, criterion: str) -> View:
    people = reading.human_means(criterion)
    panels = []
    for metric in shown_metrics(reading, criterion):
        rows = _rows(reading.system_scores(metric), people)
        if len(rows) >= FEWEST_SYSTEMS:
            title = _title(reading, criterion, metric)
            panels.append(Panel(title, {"rows": rows}, HEIGHT, spec=int(metric in reading.controls)))
    return View({"Criterion": criterion}, _sentence(reading, criterion), panels)


def _title(reading: Reading, criterion: str, metric: str) -> str:
    place = reading.place(criterion, "system")
    turned = "" if reading.higher_is_better(metric) else " (lower is better)"
    value = reading.correlation(place, reading.coefficient, metric) if place else None
    if value is None or value.value != value.value:
        return f"{words.isolated(metric)}{turned}"
    return f"{words.isolated(metric)}{turned}: {words.SYMBOLS.get(reading.coefficient, '')} {coefficient_text(*value)}"


def _rows(scores: Mapping[str, float], people: Mapping[str, float]) -> list[Row]:
    """One row a system that has both scores, the side of its label among them."""
    systems = [name for name in people if name in scores]
    if not systems:
        return []
    x, y = [scores[name] for name in systems], [people[name] for name in systems]
    sides = placed(x, y, systems, _most_telling(x, y)[:LABELLED])
    return [
        [name, for_chart(a), for_chart(b), side, str(number_text(a)), str(number_text(b))]
        for name, a, b, side in zip(systems, x, y, sides, strict=True)
    ]


def _most_telling(x: list[float], y: list[float]) -> list[int]:
    """Points in the order in which a reader wants their names: those at which the two rankings part most first."""
    places = [_order(values) for values in (x, y)]
    return sorted(range(len(x)), key=lambda j: (-abs(places[0][j] - places[1][j]), -places[1][j]))


def _order(values: list[float]) -> list[int]:
    found = [0] * len(values)
    for place, j in enumerate(sorted(range(len(values)), key=lambda j: values[j])):
        found[j] = place
    return found


def _spec(*, control: bool) -> dict[str, Any]:
    """Points, each with its label on the side that `placed` found."""
    x = theme.field("metric", scale={"zero": False, "nice": True}, axis={"title": "metric", "tickCount": 4})
    y = theme.field("people", scale={"zero": False, "nice": True}, axis={"title": "people", "tickCount": 4})
    tooltip = theme.told(system="name", metric="metric_text", people="people_text")
    point = {
        "type": "point", "size": 42, "opacity": 0.9, "fill": theme.PAPER if control else theme.BLUE, "strokeWidth": 1.5,
        "stroke": theme.ORANGE if control else theme.BLUE, "shape": "square" if control else "circle",
    }  # fmt: skip
    labels = {"mark": _LABEL, "encoding": {"x": x, "y": y}}
    return theme.spec(
        [labels, {"mark": point, "encoding": {"x": x, "y": y, "tooltip": tooltip}}], data={"name": "rows"}
    )


_LABEL: dict[str, Any] = {
    "type": "text", "color": theme.SOFT, "fontSize": 10.5, "limit": 150,
    "text": {"expr": "datum.side ? datum.name : ''"},
    "align": {"expr": "datum.side === 'right' ? 'left' : datum.side === 'left' ? 'right' : 'center'"},
    "dx": {"expr": "datum.side === 'right' ? 7 : datum.side === 'left' ? -7 : 0"},
    "dy": {"expr": "datum.side === 'above' ? -11 : datum.side === 'below' ? 11 : 0"},
}  # fmt: skip


def _sentence(reading: Reading, criterion: str) -> Markup:
    """Where the best metric places a system most unlike people do."""
    metric = next(iter(shown_metrics(reading, criterion)), None)
    people = reading.human_means(criterion)
    turn = 1 if reading.criterion_facts.get(criterion, {}).get("higher_is_better", True) else -1
    by_people = {
        name: 1 + sum(turn * other > turn * score for other in people.values()) for name, score in people.items()
    }
    by_metric = reading.system_ranks(metric, list(people)) if metric else {}
    if metric is None or not by_metric:
        return sentence("No metric has system scores beside those of people.")
    worst = max(by_metric, key=lambda name: (abs(by_metric[name] - by_people[name]), name))
    if by_metric[worst] == by_people[worst]:
        return sentence(
            "{} puts all {} in the order that {} do.",
            Name(metric),
            count_text(len(by_metric), "system"),
            reading.people,
        )
    return sentence(
        "{} departs most from {} on {}: {} for {}, {} for the metric, of {}.",
        Name(metric), reading.people, Name(worst), ordinal_text(by_people[worst]), reading.people, ordinal_text(by_metric[worst]),
        count_text(len(by_metric), "system"),
    )  # fmt: skip


def _table(reading: Reading, criterion: str) -> Table:
    people = reading.human_means(criterion)
    metrics = shown_metrics(reading, criterion)
    scores = {name: reading.system_scores(name) for name in metrics}
    columns = [Column("System", "name"), number("People"), *(number(name) for name in metrics)]
    rows = [
        (Name(system), number_text(score), *(number_text(scores[name].get(system)) for name in metrics))
        for system, score in people.items()
    ]
    return Table(words.sentence("Scores of systems: {}", Name(criterion)), columns, rows, sortable=len(rows) > 2)
