"""What the parts of the page say before their tables: sentences written from the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from validate.report.checks import Checks
from validate.report.limits import LOW_ALPHA, alphas
from validate.report.numbers import count_text, estimate_text, number_text, real, small_text
from validate.report.reading import Reading
from validate.report.tables.judgments import outliers
from validate.report.words import Name, listing, only_candidate, plain, sentence

FIRM_ALPHA = 0.8  # Krippendorff 2004, p. 241: from here on conclusions are sound
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
    by_ground: dict[str, list[Markup]] = {}
    for name, (measurement, alpha) in list(found.items())[:SPELLED_OUT]:
        part = sentence("{} ({}) for {}", estimate_text(*alpha), measurement, Name(name))
        by_ground.setdefault(_ground(alpha.value), []).append(part)
    parts = [sentence("{}, {}", Markup(" and ").join(alike), ground) for ground, alike in by_ground.items()]
    parts[0] += " for comparing metrics"
    rest = len(found) - SPELLED_OUT
    more = sentence(" (the table has {} more)", count_text(rest)) if rest > 0 else Markup("")
    return sentence("Krippendorff’s α is {}{}.", Markup("; ").join(parts), more)


def _ground(alpha: float) -> str:
    """What such agreement is good for, by Krippendorff's thresholds."""
    return f"{'firm' if alpha >= FIRM_ALPHA else 'tentative' if alpha >= LOW_ALPHA else 'weak'} ground"


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
        return [sentence(text, count_text(len(by_annotator), "annotator")), _LEAVING_OUT]
    parts = [sentence("{} ({})", Name(name), Markup(", ").join(found)) for name, found in by_annotator.items()]
    text = "Far below the other annotators in agreement with the rest: {}."
    return [sentence(text, Markup("; ").join(parts)), _LEAVING_OUT]


_LEAVING_OUT = Markup(
    "Such judgments count everywhere on this page; to leave them out, remove the annotator’s rows from the study and validate again."
)


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
    if only_candidate(choice):
        return sentence("For {} at the {}, {} was the only candidate.", Name(criterion), place, Name(best))
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


def pairs(reading: Reading) -> list[Markup]:
    """What the columns of the tables of pairs say; nothing where there is no such table."""
    return list(_PAIRS) if len(reading.results.pairwise) else []


_PAIRS = (
    Markup(
        "Pairs of one item, pairs of any outputs: the share of pairs that the metric sees as people do, a tie being seen alike only as a "
        "tie. Scores at most “tied up to” apart count as tied; that threshold is the one that gives the highest share on these very data, so "
        "that the share is a little flattering."
    ),
    Markup(
        "r of differences: Pearson’s r between the differences of two outputs for one item, the metric’s and people’s: whether a larger gap in the "
        "metric is a larger gap for people."
    ),
    Markup(
        "Pairs of systems, soft: 1 less the mean distance between how sure the metric and how sure people are that one system is better than "
        "the other; to contradict people where they are unsure costs little. No interval is known for any column of these tables."
    ),
)


def crosscheck(reading: Reading) -> list[Markup]:
    """The largest difference to a reference library, and which scores none vouches for."""
    checks = Checks.of(reading)
    return [*_compared(reading), *_unchecked(reading, checks), *_unvouched(checks)]


def _compared(reading: Reading) -> list[Markup]:
    frame = reading.results.crosscheck
    frame = frame[frame["max_abs_difference"].notna()]
    if not len(frame):
        return []
    worst = frame.loc[frame["max_abs_difference"].astype(float).idxmax()]
    n_rows, n_outputs = int(frame["n"].max()), (reading.run.get("counts") or {}).get("outputs")
    text = "{} compared with a reference library on {} of this study{}; the largest difference is {}, of {} to {}."
    fewer = _FEWER if real(n_outputs) > n_rows else ""
    some = (
        sentence("{} of {}", count_text(n_rows), count_text(n_outputs, "output"))
        if fewer
        else count_text(n_rows, "output")
    )
    compared = count_text(frame["metric"].nunique(), "metric was", "metrics were")
    gap = small_text(worst["max_abs_difference"])
    return [sentence(text, compared, some, fewer, gap, Name(worst["metric"]), Name(worst["reference"]))]


_FEWER = " (equal rows are compared once, rows without references not at all, large studies by a sample)"


def _unchecked(reading: Reading, checks: Checks) -> list[Markup]:
    """What differs, and what was not compared although there may be a library for it."""
    said = []
    if checks.differing:
        said.append(sentence("Not equal to the library within what is allowed: {}.", listing(checks.differing, 20)))
    if checks.absent:
        why = " because the run was asked for no cross-check" if reading.options.get("crosscheck_rows") == 0 else ""
        text = "In this run no score of {} was checked against a reference library{}."
        said.append(sentence(text, listing(checks.absent, 20), why))
    for reason, names in checks.skipped.items():
        said.append(sentence("Not checked: {}, because {}.", listing(names, 20), reason))
    return said


def _unvouched(checks: Checks) -> list[Markup]:
    """What no library can be asked about."""
    said = []
    if checks.alone:
        said.append(sentence("No reference library has {}.", listing(checks.alone, 20)))
    if checks.given:
        said.append(
            sentence("The study brought the scores of {} along; they are taken as given.", listing(checks.given, 20))
        )
    return said


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
SIMULATED = "simulated-judgments"  # a fact that the run's own warning and the top of the page say better


def facts(reading: Reading) -> list[Note]:
    """Warnings of the run and facts of the data together, the heaviest first; nothing twice, and not what the tables below say."""
    found = reading.run.get("facts") or []
    elsewhere = {f"{one.get('what')}: {one.get('reason')}." for one in reading.run.get("skipped") or []}
    elsewhere |= {str(one["text"]) for one in found if one.get("name") == SIMULATED and reading.simulated}
    weights = {str(one["text"]): int(one.get("weight") == "warning") for one in found if one.get("name") not in TOTALS}
    warned = {str(one["text"]): int(one.get("weight") or 1) for one in reading.run.get("warnings") or []}
    weights |= _of_criteria(reading, warned)
    if totals := [str(one["text"]) for one in found if one.get("name") in TOTALS and one.get("count")]:
        weights[", ".join(totals)] = 0
    kept = [(text, weight) for text, weight in weights.items() if text not in elsewhere]
    return [Note(weight, text) for text, weight in sorted(kept, key=lambda one: -one[1])]


def _of_criteria(reading: Reading, warned: Mapping[str, int]) -> dict[str, int]:
    """Warnings that say the same of several criteria ("adequacy: ...", "fluency: ...") as one, at the place of the first."""
    alike: dict[tuple[str, int], list[str]] = {}
    for text, weight in warned.items():
        about = max((name for name in reading.criteria if text.startswith(f"{name}: ")), key=len, default="")
        alike.setdefault((text.removeprefix(f"{about}: ") if about else text, weight), []).append(about)
    return {
        f"{plain(listing(about, len(about)))}: {text}" if about[0] else text: weight
        for (text, weight), about in alike.items()
    }
