"""What may not be concluded, and what a reviewer would ask: cautions written from the numbers, the heaviest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from validate.choose import FEW_SYSTEMS
from validate.report import words
from validate.report.beside import coverage_of_answer
from validate.report.checks import Checks
from validate.report.numbers import coefficient_text, count_text, estimate_text, number_text, real
from validate.report.reading import Range, Reading
from validate.report.words import Name, listing, sentence

LOW_ALPHA = 0.667  # Krippendorff 2004, p. 241: below it no conclusion


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing that may not be concluded: a short name for it and the sentence."""

    name: str
    text: Markup


def limits(reading: Reading) -> list[Caution]:
    """All cautions that this study gives cause for."""
    return [
        *_simulated(reading), *_unchecked(reading), *_from_choice(reading), *_agreement(reading), *_alone(reading), *_always(reading),
    ]  # fmt: skip


def _simulated(reading: Reading) -> Iterator[Caution]:
    if reading.simulated:
        yield Caution(
            "Simulated judgments",
            sentence(
                "No person judged anything here: a program made these judgments. The page shows how a study is read; nothing on it "
                "says which metric agrees with people."
            ),
        )


def _unchecked(reading: Reading) -> Iterator[Caution]:
    """Scores that differ from those of their reference library, or that no library was asked about."""
    checks = Checks.of(reading)
    if checks.differing:
        text = "{}: the score is not that of the reference library, or the library broke down. Nothing said of it here is safe."
        yield Caution("Scores that differ", sentence(text, listing(checks.differing)))
    if checks.unasked:
        text = "{}: not held against a reference library in this run, so that an error in the score would not show."
        yield Caution("Scores not checked", sentence(text, listing(checks.unasked)))


def _from_choice(reading: Reading) -> Iterator[Caution]:
    choice = reading.choices.get(reading.primary) if reading.primary else None
    if choice is None or reading.primary is None or not choice.get("best"):
        return
    n_systems, best = choice.get("n_systems"), choice["best"]
    if text := _UNITS.get(str(choice.get("unit"))):
        yield Caution("Reach of the intervals", sentence(text, count_text(n_systems, "system")))
    if covered := coverage_of_answer(reading):
        yield Caution("Coverage of the intervals", sentence("{}", covered))
    if real(n_systems) < FEW_SYSTEMS:
        yield Caution("Few systems", _few_systems(reading, choice))
    ceiling = reading.ceiling(reading.primary, choice["coefficient"])
    if ceiling and real(best.get("high")) >= ceiling.value:
        yield Caution("Human ceiling", _ceiling_reached(reading, best, ceiling))
    if choice.get("beats_controls") is False:
        text = "{} does not beat the control {}, which knows nothing about quality."
        yield Caution(
            "Control not beaten", sentence(text, Name(best["metric"]), Name(choice["best_control"]["metric"]))
        )
    if choice.get("unfit"):
        text = "{}: one score for all outputs of most groups, so that no choice can rest on it."
        yield Caution("Not considered", sentence(text, listing(choice["unfit"])))


def _ceiling_reached(reading: Reading, best: Mapping[str, Any], ceiling: Range) -> Markup:
    """What a metric near the ceiling shows and what it does not."""
    text = sentence(
        "{}, {} against {}: this study cannot show that the metric agrees less with {} than one annotator does with the others. That does "
        "not make it as good a judge, since the ceiling is low where annotators disagree, ",
        sentence(_beside_ceiling(best, ceiling), Name(best["metric"])),
        coefficient_text(best.get("estimate"), best.get("low"), best.get("high")), coefficient_text(*ceiling), reading.people,
    )  # fmt: skip
    return text + "and it does not keep metrics from being told apart, for which the paired differences count."


def _beside_ceiling(best: Mapping[str, Any], ceiling: Range) -> str:
    """Where estimate and interval of a metric lie, of which the interval at least reaches the ceiling."""
    if real(best.get("low")) > ceiling.value:
        return "The estimate of {} and its whole interval lie above the human ceiling"
    if real(best.get("estimate")) >= ceiling.value:
        return "The estimate of {} comes up to the human ceiling, and its interval includes the ceiling"
    return "The estimate of {} lies below the human ceiling, but its interval reaches it"


_UNITS = {
    "items": "The intervals tell what other items would give with the same {}. They say nothing about systems that were not judged.",
    "systems": "The intervals tell what {} other than these would give on the same items. They say nothing about other items.",
    "both": "The intervals reach to other systems and other items of the same kind, not to another task, language or group of annotators. "
    "They rest on {}.",
    "annotators": "The intervals tell what other annotators would give on the same items and the same {}.",
}


def _few_systems(reading: Reading, choice: dict[str, Any]) -> Markup:
    text = sentence(
        "Only {} were judged: a high correlation between systems can be chance here.",
        count_text(choice.get("n_systems"), "system"),
    )
    if reading.primary and reading.primary.level != "system":
        text += " The answer is therefore about single outputs, not about choosing systems."
    else:
        text += " Do not choose between systems outside this study by it."
    return text + (_ITEMS_INSTEAD if choice.get("unit") in ("both", "systems") else "")


_ITEMS_INSTEAD = Markup(
    " Drawing so few systems anew makes the intervals wide; with <code>--unit items</code> they would "
    "answer a smaller question: how far the correlations would move with other items and these same systems."
)


MEASUREMENTS = {"ratings": ("interval", "ordinal", "nominal"), "comparisons": ("ordinal", "nominal")}


def alphas(reading: Reading) -> dict[str, tuple[str, Range]]:
    """Krippendorff's α of each criterion that has one, with its measurement: the one that uses most of what the scale says.

    Ratings are read as intervals, comparisons (better, tie, worse) as an order.
    """
    frame = reading.results.agreement
    values: dict[str, dict[str, Range]] = {}
    for row in frame[frame["statistic"] == "krippendorff_alpha"].itertuples(index=False):
        if real(row.estimate) == real(row.estimate):
            one = Range(real(row.estimate), real(row.low), real(row.high))
            values.setdefault(str(row.criterion), {})[words.told(row.measurement)] = one
    found = {}
    for criterion, by_measurement in values.items():
        kind = str(reading.criterion_facts.get(criterion, {}).get("kind"))
        measurement = words.in_order(by_measurement, MEASUREMENTS.get(kind, ()))[0]
        found[criterion] = (measurement, by_measurement[measurement])
    return found


def _agreement(reading: Reading) -> Iterator[Caution]:
    low = {name: alpha for name, (_, alpha) in alphas(reading).items() if alpha.value < LOW_ALPHA}
    if not low:
        return
    worst = min(low, key=lambda name: low[name].value)
    yield Caution(
        "Low agreement",
        sentence(
            "{} agree little with one another about {} (Krippendorff’s α is {}{}; below {} no conclusion is safe). Small differences between systems or metrics "
            "may not be read out of such judgments.",
            reading.people.capitalize(), listing(low), estimate_text(*low[worst]),
            sentence(" for {}", Name(worst)) if len(low) > 1 else "", number_text(LOW_ALPHA),
        ),
    )  # fmt: skip


def _alone(reading: Reading) -> Iterator[Caution]:
    """Criteria without a second opinion."""
    alone = [name for name, one in reading.criterion_facts.items() if real(one.get("n_annotators")) <= 1]
    if alone:
        yield Caution(
            "One annotator",
            sentence(
                "{} came from one annotator, or already averaged. How well people agree, and with it the human ceiling, is unknown.",
                listing(alone),
            ),
        )


def _always(reading: Reading) -> Iterator[Caution]:
    if reading.rivals:
        yield Caution(
            "Agreement is not quality",
            sentence(
                "That a metric agrees with {} about {} does not make it a measure of whether an output is right, useful or safe. "
                "Agreement measured here fades once systems are tuned to the metric, and no score may be compared with one made by "
                "other settings.",
                reading.people,
                listing(reading.criteria),
            ),
        )
