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
    _, who, how = map(plain, notes.agreement(reading))
    assert who == (
        "Far below the other annotators in agreement with the rest: annotator04 (r = 0.110 for criterion00, r = 0.110 for criterion01)."
    )
    assert how.startswith(
        "Such judgments count everywhere on this page; to leave them out, remove the annotator’s rows"
    )


def test_the_largest_difference_to_a_reference_library(make_results: Make) -> None:
    (text,) = notes.crosscheck(Reading(make_results()))
    assert "5 metrics were compared with a reference library on 50 outputs of this study; the largest" in plain(text)
    assert "the largest difference is 1.4 × 10⁻¹⁴, of metric00 to sacrebleu" in plain(text)


def test_rows_that_were_not_compared_are_explained(make_results: Make) -> None:
    results = make_results()
    (text,) = notes.crosscheck(with_run(results, counts={**results.run["counts"], "outputs": 54}))
    assert "on 50 of 54 outputs of this study (equal rows are compared once" in plain(text)


def test_a_run_without_a_cross_check_says_so(make_results: Make) -> None:
    results = make_results(metrics=2)
    empty = replace(results, crosscheck=results.crosscheck.iloc[:0])
    (text,) = notes.crosscheck(with_run(empty, options={"crosscheck_rows": 0}))
    assert plain(text) == (
        "In this run no score of metric00 and metric01 was checked against a reference library because the run was asked for no cross-check."
    )


def test_what_no_library_vouches_for_is_named(make_results: Make) -> None:
    results = make_results()
    status = ["equal", "differs", "skipped: jiwer is not installed", "no reference library"]
    checked = results.crosscheck.iloc[:4].assign(status=status)
    given = [{**one, "origin": "study" if one["name"] == "metric04" else "accord"} for one in results.run["metrics"]]
    said = [plain(one) for one in notes.crosscheck(with_run(replace(results, crosscheck=checked), metrics=given))]
    assert said[1:] == [
        "Not equal to the library within what is allowed: metric01.",
        "Not checked: metric02, because jiwer is not installed.",
        "No reference library has metric03.",
        "The study brought the scores of metric04 along; they are taken as given.",
    ]


def test_the_ground_is_named_for_each_criterion(make_results: Make) -> None:
    results = make_results(criteria=3)
    values = {"criterion00": 0.5, "criterion01": 0.68, "criterion02": 0.9}
    agreement = results.agreement.assign(low=float("nan"), high=float("nan"))
    agreement["estimate"] = agreement["criterion"].map(values)
    (text, *_) = notes.agreement(Reading(replace(results, agreement=agreement)))
    assert plain(text) == (
        "Krippendorff’s α is 0.500 (interval) for criterion00, weak ground for comparing metrics; 0.680 (interval) for criterion01, "
        "tentative ground; 0.900 (interval) for criterion02, firm ground."
    )


def test_what_holds_for_several_criteria_is_said_once(make_results: Make) -> None:
    said = [f"criterion0{j}: with 6 systems next to nothing." for j in range(2)]
    reading = with_run(make_results(), facts=[], skipped=[], warnings=[{"weight": 2, "text": one} for one in said])
    assert [note.text for note in notes.facts(reading)] == [
        "criterion00 and criterion01: with 6 systems next to nothing."
    ]


def test_simulated_is_said_once(make_results: Make) -> None:
    results = make_results()
    fact = {"name": "simulated-judgments", "count": 1, "text": "the judgments are simulated", "weight": "warning"}
    told = [{"weight": 3, "text": "Made by a program."}, {"weight": 2, "text": fact["text"]}]
    study = {**results.run["study"], "simulated": True}
    reading = with_run(results, facts=[fact], skipped=[], warnings=told, study=study)
    assert [note.text for note in notes.facts(reading)] == ["Made by a program."]


def test_who_is_more_generous(make_results: Make) -> None:
    (text,) = notes.cases(Reading(make_results()))
    assert "The metric is the more generous in none of them" in plain(text)


def test_agreement_without_a_second_judgment(make_results: Make) -> None:
    results = make_results()
    undefined = results.agreement.assign(estimate=float("nan"), reason="one annotator")
    (text, *_) = notes.agreement(Reading(replace(results, agreement=undefined)))
    assert "cannot be computed here" in plain(text)
