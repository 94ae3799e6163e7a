"""What stands beside a correlation: how often such intervals cover, its rank among metrics, and what it would be without noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from validate.report import words
from validate.report.numbers import MISSING, Quantity, coefficient_text, count_text, real
from validate.report.reading import Place, Reading
from validate.report.words import sentence
from validate.stats import coverage_note

OUTSIDE = ("too narrow", "too wide", "too low")


def intervals(reading: Reading, place: Place) -> list[Mapping[str, Any]]:
    """What run.json says of the intervals at a place, one a coefficient."""
    listed = reading.run.get("intervals") or []
    return [one for one in listed if (one["criterion"], one["level"], one["grouping"]) == tuple(place)]


def coverage(reading: Reading, place: Place) -> list[Markup]:
    """How often such intervals covered in simulation, each sentence once; nothing where that was 93 to 97 % in studies of this size.

    Coefficients of which the intervals are objected to are named; where only the size of the study is, one sentence speaks of all.
    """
    found = intervals(reading, place)
    outside = [one for one in found if one["verdict"] in OUTSIDE]
    if any(one["unit"] == "annotators" for one in found):
        return [sentence("{}", note) for note in dict.fromkeys(one["coverage"] for one in found) if note]
    if outside:
        return [sentence("{}: {}", words.coefficient_name(one["coefficient"]), one["coverage"]) for one in outside]
    small = [one for one in found if one["verdict"]]
    return [sentence("{}", _pooled(small[0]))] if small else []


def _pooled(one: Mapping[str, Any]) -> str:
    """The sentence about all coefficients together."""
    names = ("level", "grouping", "unit", "interval", "n_systems", "n_items")
    return coverage_note(*(one[name] for name in names))


def coverage_of_answer(reading: Reading) -> str:
    """The sentence about the interval on which the answer rests; empty where there is nothing to object to."""
    place = reading.primary
    choice = reading.choices.get(place) if place else None
    if place is None or not choice or not choice.get("best"):
        return ""
    found = [one for one in intervals(reading, place) if one["coefficient"] == choice["coefficient"]]
    objected = [one for one in found if one["verdict"] or one["unit"] == "annotators"]
    return str(objected[0]["coverage"]) if objected else ""


def ranks(reading: Reading, place: Place, coefficient: str) -> dict[str, Quantity]:
    """The rank of each metric that has one and was considered, equal where no test tells two apart."""
    frame, unfit = _at(reading, "metric_ranks", place, coefficient), reading.unfit(place)
    told = zip(frame["metric"], frame["rank"].astype("float64"), strict=True)  # <NA> becomes NaN
    return {str(metric): count_text(rank) for metric, rank in told if rank == rank and metric not in unfit}


def corrected(reading: Reading, place: Place, coefficient: str) -> dict[str, Quantity]:
    """Correlations corrected for attenuation, by metric; none where the reliability cannot be told from zero."""
    if not reliable(reading, place, coefficient):
        return {}
    rows = _at(reading, "attenuation", place, coefficient).itertuples(index=False)
    return {
        str(row.metric): coefficient_text(row.corrected, row.low, row.high)
        if real(row.corrected) == real(row.corrected)
        else Quantity(MISSING)
        for row in rows
    }


def reliable(reading: Reading, place: Place, coefficient: str) -> bool:
    """Whether the reliability of the mean judgment is surely above zero."""
    found = reading.reliability(place, coefficient)
    return found is not None and found.low > 0


def _at(reading: Reading, name: str, place: Place, coefficient: str) -> pd.DataFrame:
    """The rows of a table of results at one place and coefficient."""
    frame: pd.DataFrame = getattr(reading.results, name)
    wanted = dict(zip(("criterion", "level", "grouping", "coefficient"), (*place, coefficient), strict=True))
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def how_to_read(reading: Reading, place: Place, coefficient: str) -> list[Markup]:
    """What ranks and corrected correlations mean, where they are shown."""
    symbol, said = words.SYMBOLS.get(coefficient, coefficient), []
    if ranked := ranks(reading, place, coefficient):
        said.append(
            sentence(
                "Metrics that share a rank by {} do not differ significantly (Holm’s correction for the number of pairs), which does not "
                "make them equally good.{}",
                symbol,
                _sharing_rank(reading, ranked),
            )
        )
    if corrected(reading, place, coefficient):
        found = reading.reliability(place, coefficient)
        said.append(
            sentence(
                "{} corrected is {} divided by the root of the reliability of the mean judgment, {} by split halves of the annotators: what {} "
                "would be if the judgments had no noise. It is about scores that nobody has, stands beside {} and not in its place, and can "
                "exceed 1 where the reliability is low by chance.",
                symbol, symbol, coefficient_text(*found) if found else MISSING, symbol, symbol,
            )
        )  # fmt: skip
    return said


def _sharing_rank(reading: Reading, ranked: Mapping[str, Quantity]) -> Markup:
    """How many share the first rank, since a study of little power gives it to metrics that are far apart."""
    first = [name for name, rank in ranked.items() if rank == "1"]
    n_controls = sum(name in reading.controls for name in first)
    if len(first) < 2:
        return Markup("")
    held = [(len(first) - n_controls, "metric"), (n_controls, "control")]
    shared = Markup(" and ").join(count_text(n, one) for n, one in held if n)
    text = (
        " {} share rank 1: with p adjusted for all the pairs, this study has too little power to tell them apart, however far apart their "
        "estimates lie; the interval of a single pair, which decides what is told from the best, may still do so."
    )
    return sentence(text, shared)
