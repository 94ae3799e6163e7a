"""The answer at the top of the page: what to use and how sure that is, in two sentences written from choice.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from validate.report import words
from validate.report.numbers import Quantity, count_text, estimate_text, share_text
from validate.report.reading import Place, Reading
from validate.report.words import Name, listing, sentence


def answer(reading: Reading) -> list[Markup]:
    """Two sentences about the primary choice: what to use, and how sure that is."""
    place = reading.primary
    choice = reading.choices.get(place) if place else None
    if place is None or choice is None:
        return _without_choice(reading)
    return [_what_to_use(reading, place, choice), _how_sure(reading, place, choice)]


def _without_choice(reading: Reading) -> list[Markup]:
    """Nothing was chosen: say so, and what there is instead."""
    reasons = [str(one["reason"]) for one in reading.run.get("skipped") or [] if one.get("reason")]
    because = sentence(" ({})", reasons[0]) if reasons else ""
    first = sentence("No metric could be held against {} in this study{}.", reading.people, because)
    criterion = next(iter(reading.criteria), None)
    leaders = reading.human_ranking(criterion)["system"].tolist()[:1] if criterion else []
    if not leaders:
        return [first, sentence("What follows is about the judgments themselves.")]
    second = sentence(
        "What follows is about the judgments: by {}, {} comes first of {}.",
        Name(criterion or ""), Name(leaders[0]), count_text(len(reading.human_ranking(criterion or "")), "system"),
    )  # fmt: skip
    return [first, second]


def _what_to_use(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup:
    aim = sentence(
        "To {} by {} as {} do", words.purpose(place.level, place.grouping), Name(place.criterion), reading.people
    )
    best = choice.get("best")
    if not best:
        return sentence(
            "{}, this study cannot recommend a metric: {}.", aim, choice.get("reason") or "no correlation is defined"
        )
    parts = {
        "aim": aim,
        "metric": sentence("<strong>{}</strong>", Name(best["metric"])),
        "correlation": correlation_text(choice["coefficient"], best),
        "share": share_text(best.get("share_first")),
        "rivals": _rivals(choice),
        "people": reading.people,
    }
    return sentence(_FIRST[choice["verdict"]], **parts)


_FIRST = {
    "clear": "{aim}, use {metric}: its correlation with {people} is {correlation}, and it comes first in {share} of the resamples.",
    "likely": "{aim}, {metric} is the likely choice: its correlation with {people} is {correlation}, and it comes first in {share} of "
    "the resamples, but {rivals}.",
    "open": "{aim}, no single metric can be named: {metric} correlates best with {people}, {correlation}, but comes first in only "
    "{share} of the resamples, and {rivals}.",
    "none": "{aim}, none of the metrics can be recommended: the best of them, {metric}, reaches a correlation with {people} of {correlation}.",
}


def _rivals(choice: Mapping[str, Any]) -> Markup:
    """How many others cannot be told from the best, by name."""
    others = list(choice.get("equivalent") or [])
    worse = int(choice.get("worse") or 0)
    if not others:
        return sentence("each of the other {} is told from it", count_text(worse, "metric"))
    return sentence(
        "{} of the {} cannot be told from it ({})",
        count_text(len(others)), count_text(len(others) + worse, "other metric"), listing(others, 3),
    )  # fmt: skip


def correlation_text(coefficient: str, one: Mapping[str, Any]) -> Markup:
    """A coefficient with its value and interval, kept together on a line."""
    value = estimate_text(one.get("estimate"), one.get("low"), one.get("high"))
    return sentence('<span class="whole">{} = {}</span>', words.SYMBOLS.get(coefficient, coefficient), value)


def _how_sure(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup:
    """What was resampled, the control to beat, and what people reach among themselves."""
    basis = sentence(
        "This rests on {} and {}, with {} resampled",
        count_text(choice.get("n_systems"), "system"), count_text(choice.get("n_items"), "item"), words.unit_name(str(choice.get("unit"))),
    )  # fmt: skip
    return Markup("; ").join(filter(None, [basis, _control(choice), _ceiling(reading, place, choice)])) + "."


def _control(choice: Mapping[str, Any]) -> Markup | None:
    control = choice.get("best_control")
    if not control or not choice.get("best"):
        return None
    verb = "beats" if choice.get("beats_controls") else "cannot be told from"
    return sentence(
        "the best metric {} the best control, {} ({})",
        verb,
        Name(control["metric"]),
        correlation_text(choice["coefficient"], control),
    )


def _ceiling(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup | None:
    ceiling = reading.ceiling(place, choice["coefficient"])
    if ceiling is None:
        return None
    return sentence("one annotator reaches {} against the others on the same footing", estimate_text(*ceiling))


def compared(reading: Reading) -> Markup:
    """One line: what was compared with what."""
    counts = reading.run.get("counts") or {}
    n_controls = len(reading.controls & set(reading.metrics))
    n_metrics = len(reading.metrics) - n_controls
    judgments = [
        count_text(counts.get(key), one)
        for key, one in (("ratings", "rating"), ("comparisons", "comparison"))
        if counts.get(key)
    ]
    subject = [
        count_text(n_metrics, "metric"),
        *([count_text(n_controls, "control")] if n_controls else []),
    ]
    return sentence(
        "{} against {} of {} on {} by {}, {}.",
        _joined(subject), _joined(judgments), count_text(counts.get("systems"), "system"), count_text(counts.get("items"), "item"),
        count_text(counts.get("annotators"), "annotator"), count_text(len(reading.criteria), "criterion", "criteria"),
    )  # fmt: skip


def _joined(parts: list[Quantity]) -> Markup:
    return Markup(" and ").join(parts) if parts else Markup("no judgments")
