"""How often intervals cover is said where it matters, each sentence once, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from validate.report.beside import coverage, coverage_of_answer
from validate.report.limits import limits
from validate.report.reading import Place, Reading
from validate.report.words import plain
from validate.results import Results
from validate.stats import coverage_note
from validate.stats.coverage import verdict

Make = Callable[..., Results]
PLACE = Place("criterion00", "item", "item")


@pytest.fixture
def reading(make_results: Make) -> Callable[..., Reading]:
    """Results with the intervals of a study of that size and of that unit."""

    def of(**given: Any) -> Reading:
        results = make_results()
        options = {"unit": "both", "interval": "auto", "n_systems": 15, "n_items": 100, **given}
        noted = []
        for one in results.run["intervals"]:
            entry = {**one, **options}
            names = ("level", "grouping", "unit", "interval", "n_systems", "n_items")
            note = coverage_note(*(entry[name] for name in names), coefficient=one["coefficient"])
            noted.append({**entry, "coverage": note, "verdict": verdict(note)})
        return Reading(replace(results, run={**results.run, "intervals": noted}))

    return of


def said(reading: Reading, place: Place = PLACE) -> list[str]:
    return [plain(one) for one in coverage(reading, place)]


def test_nothing_is_said_where_intervals_cover_as_they_should(reading: Callable[..., Reading]) -> None:
    assert said(reading()) == []
    assert coverage_of_answer(reading()) == ""
    assert "Coverage of the intervals" not in {one.name for one in limits(reading())}


def test_coefficients_outside_the_band_are_named(reading: Callable[..., Reading]) -> None:
    found = said(reading(n_systems=6, n_items=300))  # 98.6 and 98.9 %, and 94.6 % for Spearman
    assert [one.split(":")[0] for one in found] == ["Pearson’s r", "Kendall’s τ-b"]
    assert all(one.endswith("they are too wide.") for one in found)


def test_one_sentence_speaks_of_a_study_that_is_only_small(reading: Callable[..., Reading]) -> None:
    (found,) = said(reading(n_systems=15, n_items=20))
    assert found.startswith("In simulated studies of 15 systems and 100 items 96 % of such 95 % intervals")
    assert found.endswith("depending on the design and coefficient). Smaller studies were not simulated.")


def test_what_intervals_over_annotators_stand_for_is_said_once(reading: Callable[..., Reading]) -> None:
    (found,) = said(reading(unit="annotators"))
    assert found.startswith("It stands for as many other annotators")


def test_the_answer_has_the_sentence_of_its_own_interval(reading: Callable[..., Reading]) -> None:
    fitting = reading(
        interval="percentile", unit="systems", n_systems=6, n_items=300
    )  # Spearman at system level: 93.2 %
    assert coverage_of_answer(fitting) == ""
    wide = reading(interval="percentile")  # 98.8 %
    (caution,) = [one for one in limits(wide) if one.name == "Coverage of the intervals"]
    assert plain(caution.text) == coverage_of_answer(wide)
    assert coverage_of_answer(wide).endswith("they are too wide.")


def test_results_without_intervals_have_none(judgments_only: Results) -> None:
    reading = Reading(judgments_only)
    assert coverage(reading, PLACE) == []
    assert coverage_of_answer(reading) == ""
