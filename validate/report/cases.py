"""The outputs on which a metric and people part most, as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from validate.report.numbers import number_text, percentile_text, real
from validate.report.reading import Reading
from validate.report.words import Name, sentence

LONG = 600  # characters: longer texts scroll
LONG_SOURCE = 300  # and a longer source is folded
MOST_REFERENCES = 4


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of the study under its heading; a folded one is opened by the reader."""

    heading: str
    text: str
    folded: bool = False

    @property
    def long(self) -> bool:
        return len(self.text) > LONG


@dataclass(frozen=True, slots=True)
class Case:
    """One output: who wrote it for which item, what people and the metric say, the texts.

    ``people`` and ``metric`` are percentiles from 0 to 100, 100 being best.
    """

    title: Markup
    verdict: Markup
    metric_name: str
    people: float
    metric: float
    source: Passage | None
    output: Passage
    references: list[Passage]


def cases(reading: Reading) -> list[Case]:
    """The cases of the results, in their order."""
    return [_case(reading, one) for one in reading.results.cases]


def _case(reading: Reading, one: dict[str, Any]) -> Case:
    verdict = sentence(
        "{} put it at the {} percentile by {} ({}), {} at the {} ({}).",
        reading.people.capitalize(), percentile_text(one["human_percentile"]), Name(one["criterion"]), number_text(one["human"]),
        Name(one["metric"]), percentile_text(one["metric_percentile"]), number_text(one["metric_score"]),
    )  # fmt: skip
    return Case(
        title=sentence("{}, item {}", Name(one["system"]), Name(one["item_id"])),
        verdict=verdict,
        metric_name=one["metric"],
        people=real(one["human_percentile"]),
        metric=real(one["metric_percentile"]),
        source=_source(str(one.get("source") or "")),
        output=Passage("Output", str(one["output"])),
        references=_references([str(reference) for reference in one.get("references") or []]),
    )


def _source(text: str) -> Passage | None:
    """What the system was given; folded when it is long."""
    return Passage("Source", text, folded=len(text) > LONG_SOURCE) if text else None


def _references(texts: list[str]) -> list[Passage]:
    """The references, of which all but the first few, or but the first long one, are folded."""
    headings = ["Reference"] if len(texts) == 1 else [f"Reference {j + 1}" for j in range(len(texts))]
    return [
        Passage(heading, text, folded=j >= MOST_REFERENCES or (j > 0 and len(text) > LONG))
        for j, (heading, text) in enumerate(zip(headings, texts, strict=True))
    ]
