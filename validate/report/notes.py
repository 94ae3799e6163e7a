"""What the parts of the page say before their tables: sentences written from the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from validate.report.limits import LOW_ALPHA, alphas
from validate.report.numbers import count_text, estimate_text, number_text, real, small_text
from validate.report.reading import Reading
from validate.report.tables.judgments import outliers
from validate.report.words import Name, listing, sentence

SPELLED_OUT = 4  # criteria whose agreement stands in the sentence; a table has all


def agreement(reading: Reading) -> list[Markup]:
    """How far annotators agree, and who stands out."""
    return [_alpha(reading), *_outliers(reading)]


def _alpha(reading: Reading) -> Markup:
    found = alphas(reading)
    if not found:
        return sentence(
            "How well annotators agree cannot be computed here: nothing was judged by two of them, or all judgments are alike."
        )
    weakest = min(alpha.value for _, alpha in found.values())
    ground = "firm" if weakest >= 0.8 else "tentative" if weakest >= LOW_ALPHA else "weak"
    parts = [
        sentence("{} ({}) for {}", estimate_text(*alpha), measurement, Name(name))
        for name, (measurement, alpha) in list(found.items())[:SPELLED_OUT]
    ]
    rest = len(found) - SPELLED_OUT
    more = sentence(" (the table has {} more)", count_text(rest)) if rest > 0 else Markup("")
    return sentence(
        "Krippendorff’s α is {}{}: {} ground for comparing metrics.", Markup(", ").join(parts), more, ground
    )


def _outliers(reading: Reading) -> list[Markup]:
    """Annotators who agree far less than the others, by criterion."""
    by_annotator: dict[str, list[Any]] = {}
    for criterion in reading.criteria:
        for annotator, value in outliers(reading, criterion):
            by_annotator.setdefault(annotator, []).append(sentence("{} for {}", value, Name(criterion)))
    if not by_annotator:
        return []
    if len(by_annotator) > SPELLED_OUT:
        text = "{} agree far less with the others than is usual; the tables mark them."
        return [sentence(text, count_text(len(by_annotator), "annotator"))]
    parts = [sentence("{} ({})", Name(name), Markup(", ").join(found)) for name, found in by_annotator.items()]
    return [sentence("Far below the other annotators in agreement with the rest: {}.", Markup("; ").join(parts))]


def differences(reading: Reading) -> list[Markup]:
    """Which metrics cannot be told from the best, a sentence a criterion."""
    found = []
    for criterion in reading.criteria[:SPELLED_OUT]:
        place = reading.leading_place(criterion)
        choice = reading.choices.get(place) if place else None
        if place and choice and choice.get("best"):
            found.append(_apart(place.name.lower(), criterion, choice))
    return found


def _apart(place: str, criterion: str, choice: dict[str, Any]) -> Markup:
    best, others, worse = choice["best"]["metric"], choice.get("equivalent") or [], int(choice.get("worse") or 0)
    if not others:
        return sentence(
            "For {} at the {}, {} is told from {}.",
            Name(criterion),
            place,
            Name(best),
            count_text(worse, "other metric"),
        )
    return sentence(
        "For {} at the {}, {} of {} cannot be told from {}: {}.",
        Name(criterion), place, count_text(len(others)), count_text(len(others) + worse, "other metric"), Name(best), listing(others, 12),
    )  # fmt: skip


def crosscheck(reading: Reading) -> list[Markup]:
    """The largest difference to a reference library."""
    frame = reading.results.crosscheck
    frame = frame[frame["max_abs_difference"].notna()]
    if not len(frame):
        return []
    worst = frame.loc[frame["max_abs_difference"].astype(float).idxmax()]
    text = "{} compared with a reference library on texts of this study; the largest difference is {}, of {} to {}."
    compared = count_text(frame["metric"].nunique(), "metric was", "metrics were")
    return [
        sentence(
            text, compared, small_text(worst["max_abs_difference"]), Name(worst["metric"]), Name(worst["reference"])
        )
    ]


def cases(reading: Reading) -> list[Markup]:
    """How far apart they are."""
    listed = reading.results.cases
    if not listed:
        return []
    gaps = [abs(real(one["gap"])) for one in listed]
    above = sum(real(one["gap"]) > 0 for one in listed)
    generous = "all" if above == len(listed) else count_text(above) if above else "none"
    return [
        sentence(
            "{}, one an item, on which the percentiles differ most: by {} to {} points. The metric is the more generous in {} of them. On each line from worst to best, "
            "the disc is people and the square the metric.",
            count_text(len(listed), "output"), number_text(min(gaps)), number_text(max(gaps)), generous,
        )
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """A fact or warning: its weight (0 a note, 3 the heaviest) and what it says."""

    weight: int
    text: str


TOTALS = ("items", "systems", "annotators", "criteria", "outputs", "ratings", "comparisons", "metric-scores")


def facts(reading: Reading) -> list[Note]:
    """Warnings of the run and facts of the data together, the heaviest first; nothing twice, and not what the tables below say."""
    below = {f"{one.get('what')}: {one.get('reason')}." for one in reading.run.get("skipped") or []}
    weights: dict[str, int] = {}
    totals = []
    for one in reading.run.get("facts") or []:
        if one.get("name") not in TOTALS:
            weights[str(one["text"])] = int(one.get("weight") == "warning")
        elif one.get("count"):
            totals.append(str(one["text"]))
    for one in reading.run.get("warnings") or []:
        if str(one["text"]) not in below:
            weights[str(one["text"])] = int(one.get("weight") or 1)
    if totals:
        weights[", ".join(totals)] = 0
    return [Note(weight, text) for text, weight in sorted(weights.items(), key=lambda one: -one[1])]
