"""The page: parts in the order in which people read, put into one HTML file that asks nothing of any other place."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from validate.report import figures, notes
from validate.report.answer import answer, compared
from validate.report.cases import cases
from validate.report.figures import Figure
from validate.report.limits import limits
from validate.report.methods import methods
from validate.report.reading import Reading
from validate.report.tables import Table, judgments, metrics, pairs, provenance
from validate.results import Results

MOST_ROWS = 1_000  # of all tables of correlations together; a page is to be read


def render(results: Results) -> str:
    """The report of a validation as one self-contained HTML page.

    A pure function of the results: drawn again from the tables on disk, the page is the same. Every number on it comes out
    of the tables through `validate.report.numbers`; texts of the study are shown as text.

    Parameters
    ----------
    results : Results

    Returns
    -------
    str
        HTML with style, script and data inside, and a content security policy that forbids every request.
    """
    reading = Reading(results)
    scripts = [_bundle(), _resource("report.js")]
    parts = [part for part in _parts(reading) if part]
    return _environment().get_template("page.html.j2").render(
        reading=reading,
        parts=parts,
        answer=answer(reading),
        compared=compared(reading),
        limits=limits(reading),
        choices=metrics.choices(reading),
        style=Markup(_resource("report.css")),
        scripts=[Markup(script) for script in scripts],
        policy=_policy(scripts),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page: its heading and what stands under it, any of which may be empty.

    ``folded`` tables can be opened by a reader and stand under their caption. ``template`` names a block of the page's own.
    """

    name: str
    title: str
    sentences: Sequence[Markup] = ()
    figures: Sequence[Figure | None] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    note: str = ""
    template: str = ""
    content: Any = None

    def __bool__(self) -> bool:
        return any([any(self.figures), any(self.tables), any(self.folded), self.content, self.sentences])


def _parts(reading: Reading) -> Iterable[Part]:
    yield Part(
        "judgments", "How good the judgments are", notes.agreement(reading), tables=[provenance.criteria(reading), judgments.agreement(reading)],
        folded=[
            *(judgments.annotators(reading, name) for name in reading.criteria), judgments.repeats(reading), judgments.ceiling(reading),
        ],
    )  # fmt: skip
    yield from _about_metrics(reading)
    yield Part(
        "systems",
        "How people and metrics rank the systems",
        figures=[figures.ranking(reading), figures.scatter(reading)],
    )
    yield Part(
        "crosscheck",
        "Our scores beside the reference libraries",
        notes.crosscheck(reading),
        tables=[metrics.crosscheck(reading)],
    )
    yield Part(
        "cases", "Where the metric and people part most", notes.cases(reading), template="cases", content=cases(reading)
    )
    yield Part(
        "data", "What to know about the data", template="facts", content=notes.facts(reading),
        tables=[provenance.skipped(reading), provenance.held_out(reading)],
    )  # fmt: skip
    yield Part(
        "methods",
        "Methods",
        template="methods",
        content=methods(reading),
        folded=[provenance.intervals(reading), provenance.signatures(reading)],
    )
    yield Part(
        "provenance", "Provenance", template="command", content=reading.run.get("command"),
        tables=[provenance.options(reading), provenance.inputs(reading)], folded=[provenance.versions(reading), provenance.stages(reading)],
    )  # fmt: skip


def _about_metrics(reading: Reading) -> Iterable[Part]:
    """Correlations: the figure, the leading table, the others to be opened; then the paired differences."""
    if not reading.places:
        return
    leading = reading.primary if reading.primary in reading.places else reading.places[0]
    others = [place for place in reading.places if place != leading]
    shown = others[: max(MOST_ROWS // len(reading.metrics), 3)]
    yield Part(
        "correlations", "How each metric agrees with people", figures=[figures.forest(reading)],
        tables=[metrics.correlations(reading, leading)], folded=[metrics.correlations(reading, place) for place in shown],
        note=f"Tables of {len(others) - len(shown)} more criteria and levels are in correlations.csv." if len(shown) < len(others) else "",
    )  # fmt: skip
    tables = [pairs.pairs(reading, name) for name in reading.criteria]
    yield Part(
        "pairs",
        "How often metrics order two outputs as people do",
        notes.pairs(reading),
        tables=tables[:1],
        folded=tables[1:],
    )
    compared_at = [place for place in (reading.leading_place(name) for name in reading.criteria) if place]
    yield Part(
        "differences", "Which metrics cannot be told from the best", notes.differences(reading),
        folded=[table for place in compared_at if (table := metrics.differences(reading, place))],
    )  # fmt: skip


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("validate.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["json"] = json_text
    return environment


def json_text(document: Any) -> Markup:
    """JSON that can stand in a script element: no text in it can end the element or open a comment.

    >>> print(json_text({"a": "</script>"}))
    {"a":"\\u003c/script\\u003e"}
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


@cache
def _resource(name: str) -> str:
    return files("validate.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, which serves all figures."""
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(scripts: Sequence[str]) -> str:
    """The page may run these scripts and show its own images, and nothing else."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
