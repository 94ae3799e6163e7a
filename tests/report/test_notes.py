"""What the parts say before their tables: every warning once, the heaviest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from validate.report import notes
from validate.report.reading import Reading
from validate.report.words import plain
from validate.results import Results

Make = Callable[..., Results]


def with_run(results: Results, **changes: Any) -> Reading:
    return Reading(replace(results, run={**results.run, **changes}))


def test_facts_and_warnings_are_one_list_without_repetition(make_results: Make) -> None:
    reading = with_run(
        make_results(),
        facts=[
            {"name": "items", "count": 20, "text": "20 items", "weight": "note"},
            {"name": "systems", "count": 6, "text": "6 systems", "weight": "note"},
            {"name": "ratings", "count": 0, "text": "0 ratings", "weight": "note"},
            {"name": "empty-outputs", "count": 2, "text": "2 outputs are empty", "weight": "warning"},
            {"name": "extra-columns", "count": 1, "text": "1 further column", "weight": "note"},
        ],
        warnings=[
            {"weight": 2, "text": "2 outputs are empty"},
            {"weight": 3, "text": "simulated"},
            {"weight": 1, "text": "bleu: no references."},
        ],
        skipped=[{"what": "bleu", "reason": "no references", "n": 12}],
    )
    assert [(note.weight, note.text) for note in notes.facts(reading)] == [
        (3, "simulated"), (2, "2 outputs are empty"), (0, "1 further column"), (0, "20 items, 6 systems"),
    ]  # fmt: skip


def test_the_careless_annotator_is_named(make_results: Make) -> None:
    reading = Reading(make_results())
    assert plain(notes.agreement(reading)[1]) == (
        "Far below the other annotators in agreement with the rest: annotator04 (0.110 for criterion00, 0.110 for criterion01)."
    )


def test_the_largest_difference_to_a_reference_library(make_results: Make) -> None:
    (text,) = notes.crosscheck(Reading(make_results()))
    assert "1 metric was compared with a reference library" in plain(text)
    assert "the largest difference is 1.4 × 10⁻¹⁴, of metric00 to sacrebleu" in plain(text)


def test_who_is_more_generous(make_results: Make) -> None:
    (text,) = notes.cases(Reading(make_results()))
    assert "The metric is the more generous in none of them" in plain(text)


def test_agreement_without_a_second_judgment(make_results: Make) -> None:
    results = make_results()
    undefined = results.agreement.assign(estimate=float("nan"), reason="one annotator")
    (text, *_) = notes.agreement(Reading(replace(results, agreement=undefined)))
    assert "cannot be computed here" in plain(text)
