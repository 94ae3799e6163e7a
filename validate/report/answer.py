"""The answer at the top of the page: what to use and how sure that is, in two sentences written from choice.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from validate.report import words
from validate.report.numbers import Quantity, coefficient_text, count_text, real, share_text
from validate.report.reading import Place, Reading
from validate.report.words import Name, listing, sentence


def answer(reading: Reading) -> list[Markup]:
    """Two sentences about the primary choice: what to use, and how sure that is."""
    place = reading.primary
    choice = reading.choices.get(place) if place else None
    if place is None or choice is None or not reading.rivals:
        return [_no_metric(reading), _judgments(reading)]
    return [_what_to_use(reading, place, choice), _how_sure(reading, place, choice)]


def _no_metric(reading: Reading) -> Markup:
    """Nothing could be chosen, and why."""
    if not reading.criteria:
        return sentence("No metric could be held against {} in this study: it has no judgments.", reading.people)
    text = sentence("No metric could be held against {} in this study", reading.people)
    for left in reading.run.get("skipped") or []:
        if left.get("reason"):
            return text + sentence("; {}, for one, was left out because {}.", Name(left["what"]), left["reason"])
    return text + "."


def _judgments(reading: Reading) -> Markup:
    """What there is instead."""
    for criterion in reading.criteria:
        systems = [str(name) for name in reading.human_ranking(criterion)["system"]]
        if systems:
            text = "What follows is about the judgments: by {}, {} comes first of {}."
            return sentence(text, Name(criterion), Name(systems[0]), count_text(len(systems), "system"))
    if not reading.criteria:
        return sentence("What follows are the metrics' scores alone, which say nothing about quality.")
    return sentence("What follows is about the judgments themselves.")


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
        "correlation": correlation_text(choice["coefficient"], best) + _shared(reading, place, choice),
        "share": share_text(best.get("share_first")),
        "rivals": _rivals(choice),
        "people": reading.people,
        "why": _why_none(choice),
        "systems": count_text(choice.get("n_systems"), "system"),
    }
    return sentence(_SENTENCES[_case(choice)], **parts)


def _shared(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup:
    """Who else has the highest correlation, so that the metric named is but the first in a list."""
    others = reading.equals(place, choice["best"]["metric"], choice["coefficient"])
    return sentence(" (shared by {})", count_text(len(others), "other metric")) if others else Markup("")


def _case(choice: Mapping[str, Any]) -> str:
    """Which sentence a choice asks for: that of its verdict, unless it had one candidate or fell short for want of systems."""
    verdict = str(choice["verdict"])
    if words.only_candidate(choice):
        return "alone, none" if verdict == "none" else "alone"
    if verdict == "open" and real((choice.get("best") or {}).get("share_first")) > MOSTLY:
        return "few systems"
    return verdict


MOSTLY = 0.5  # first in more than this share of the resamples, a metric is open only because the systems are too few
_SENTENCES = {
    "clear": "{aim}, use {metric}: its correlation with {people} is {correlation}, and it comes first in {share} of the resamples; "
    "{rivals}.",
    "likely": "{aim}, {metric} is the likely choice: its correlation with {people} is {correlation}, and it comes first in {share} of "
    "the resamples, but {rivals}.",
    "open": "{aim}, no single metric can be named: {metric} correlates best with {people}, {correlation}, but comes first in only "
    "{share} of the resamples, and {rivals}.",
    "few systems": "{aim}, no metric can be named from {systems}: {metric} correlates best with {people}, {correlation}, and comes first in "
    "{share} of the resamples, but so few systems can fall into its order by chance.",
    "none": "{aim}, none of the metrics can be recommended: the best of them, {metric}, correlates with {people} at {correlation}, {why}.",
    "alone": "{aim}, {metric} was the only candidate: its correlation with {people} is {correlation}, and nothing here says whether "
    "another metric would do better.",
    "alone, none": "{aim}, the only candidate, {metric}, cannot be recommended: it correlates with {people} at {correlation}, {why}.",
}


def _why_none(choice: Mapping[str, Any]) -> Markup:
    """What keeps the best metric from being recommended."""
    if _control_as_good(choice):
        control = choice["best_control"]
        text = "and the control {} does as well, {}"
        return sentence(text, Name(control["metric"]), correlation_text(choice["coefficient"], control))
    reaches = real((choice.get("best") or {}).get("low")) <= 0
    return sentence("an interval that reaches zero" if reaches else "and nothing tells that from no agreement at all")


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
    value = coefficient_text(one.get("estimate"), one.get("low"), one.get("high"))
    return sentence('<span class="whole">{} = {}</span>', words.SYMBOLS.get(coefficient, coefficient), value)


def _how_sure(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup:
    """What was resampled, the control to beat, and what people reach among themselves."""
    if not choice.get("best"):
        return sentence("What follows is about the judgments themselves.")
    basis = sentence(
        "This rests on {} and {}, with {} resampled",
        count_text(choice.get("n_systems"), "system"), count_text(choice.get("n_items"), "item"), words.unit_name(str(choice.get("unit"))),
    )  # fmt: skip
    return Markup("; ").join(filter(None, [basis, _control(choice), _ceiling(reading, place, choice)])) + "."


def _control(choice: Mapping[str, Any]) -> Markup | None:
    control = choice.get("best_control")
    if not control or not choice.get("best") or _control_as_good(choice):
        return None  # a control that does as well stands in the first sentence
    return sentence(
        "the best metric {} the best control, {} ({})",
        "beats" if choice.get("beats_controls") else "cannot be told from",
        Name(control["metric"]),
        correlation_text(choice["coefficient"], control),
    )


def _control_as_good(choice: Mapping[str, Any]) -> bool:
    """Whether a control correlates with people as well as the best metric."""
    best, control = choice.get("best"), choice.get("best_control")
    return bool(best and control and control["estimate"] >= best["estimate"])


def _ceiling(reading: Reading, place: Place, choice: Mapping[str, Any]) -> Markup | None:
    ceiling = reading.ceiling(place, choice["coefficient"])
    if ceiling is None:
        return None
    text = "one annotator reaches {} against the others{}"
    only_items = "" if choice.get("unit") == "items" else " (here only items are resampled)"
    return sentence(text, coefficient_text(*ceiling), only_items)


def compared(reading: Reading) -> Markup:
    """One line: what was compared with what."""
    counts = reading.run.get("counts") or {}
    n_controls = len(reading.metrics) - len(reading.rivals)
    judgments = [
        count_text(counts.get(key), one)
        for key, one in (("ratings", "rating"), ("comparisons", "comparison"))
        if counts.get(key)
    ]
    held = [(len(reading.rivals), "metric"), (n_controls, "control")]
    subject = [count_text(n, one) for n, one in held if n]
    return sentence(
        "{}{} of {} on {} by {}, {}.",
        _joined(subject) + " against " if subject else "", _joined(judgments), count_text(counts.get("systems"), "system"),
        count_text(counts.get("items"), "item"), count_text(counts.get("annotators"), "annotator"),
        count_text(len(reading.criteria), "criterion", "criteria"),
    )  # fmt: skip


def _joined(parts: list[Quantity]) -> Markup:
    return Markup(" and ").join(parts) if parts else Markup("no judgments")
