"""Tables say what the frames say: every row, undefined with its reason, the careless annotator marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from markupsafe import Markup

from validate.errors import ShapeError
from validate.report.reading import Place, Reading
from validate.report.tables import Column, Table, judgments, metrics, provenance, systems
from validate.report.words import plain
from validate.results import Results

Make = Callable[..., Results]


@pytest.fixture
def reading(make_results: Make) -> Reading:
    return Reading(make_results())


def column(table: Table, label: str) -> list[str]:
    labels = [one.label for one in table.columns]
    return [str(row[labels.index(label)]) for row in table.rows]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"rows of \[1\] cells were given; 2 cells are allowed"):
        Table("two", [Column("a"), Column("b")], [["1"]])


def test_correlations_hold_every_metric_and_coefficient(reading: Reading) -> None:
    table = metrics.correlations(reading, Place("criterion00", "item", "item"))
    assert [one.label for one in table.columns[:4]] == ["Metric", "Pearson’s r", "Spearman’s ρ", "Kendall’s τ-b"]
    assert len(table.rows) == 7
    assert {"length (control)", "random (control)"} <= set(column(table, "Metric"))


def test_what_is_undefined_comes_last_with_its_reason(reading: Reading) -> None:
    table = metrics.correlations(reading, Place("criterion00", "item", "item"))
    assert column(table, "Metric")[-1] == "metric02"
    assert column(table, "Spearman’s ρ")[-1] == "undefined"
    assert column(table, "Left out")[-1] == "the metric is the same for all <systems>"
    assert table.note.startswith("Of 140 groups over all metrics, 3 have no correlation")  # 7 metrics × 20 items


def test_the_careless_annotator_stands_out(reading: Reading) -> None:
    table = judgments.annotators(reading, "criterion00")
    assert [str(table.rows[j][0]) for j in table.marked] == ["annotator04"]
    assert column(table, "Remark") == ["far below the others", "", "", "", ""]


def test_comparisons_have_no_mean(make_results: Make) -> None:
    """Who is shown first decides the sign of a comparison, so that its mean says nothing of an annotator."""
    results = make_results(criteria=1)
    compared = {**results.run["criteria"][0], "kind": "comparisons"}
    table = judgments.annotators(Reading(replace(results, run={**results.run, "criteria": [compared]})), "criterion00")
    assert [one.label for one in table.columns] == ["Annotator", "Agreement", "Remark", "Judgments", "Shared units"]
    assert str(table.note).startswith("Agreement: Pearson's r with the mean of the others. ")


@pytest.mark.parametrize(
    ("duplicates", "note"),
    [
        ("last", "Of 1,502 ratings 1,500 count: of several by one annotator about the same thing, the last does."),
        ("first", "Of 1,502 ratings 1,500 count: of several by one annotator about the same thing, the first does."),
        ("all", ""),
    ],
)
def test_judgments_that_do_not_count_are_explained(make_results: Make, duplicates: str, note: str) -> None:
    results = make_results(criteria=1)
    run = {**results.run, "counts": {"ratings": 1502}, "options": {"duplicates": duplicates}}
    assert plain(Markup(provenance.criteria(Reading(replace(results, run=run))).note)) == note
    run["counts"] = {"ratings": 1500}
    assert provenance.criteria(Reading(replace(results, run=run))).note == ""


def test_options_that_name_nothing_say_what_that_means(make_results: Make) -> None:
    results = make_results()
    run = {**results.run, "options": {"metrics": [], "crosscheck_rows": None, "unit": "items"}, "seed": 3}
    assert column(provenance.options(Reading(replace(results, run=run))), "Value") == [
        "those that study.toml names, else the default set", "all", "items", "3",
    ]  # fmt: skip


def test_the_best_control_has_its_interval(reading: Reading) -> None:
    assert {plain(Markup(one)) for one in column(metrics.choices(reading), "Best control")} == {
        "length 0.05 [−0.10, 0.20]"
    }


def test_even_annotators_do_not_stand_out() -> None:
    """All gaps are many deviations of almost nothing, and worth nothing."""
    assert not any(judgments.stands_out([0.700, 0.701, 0.702, 0.701, 0.69]))


def test_many_annotators_are_cut_to_those_who_matter(make_results: Make) -> None:
    table = judgments.annotators(Reading(make_results(annotators=120)), "criterion00")
    assert len(table.rows) == judgments.MOST_ANNOTATORS
    assert "of 120" in table.note


def test_differences_are_seen_from_the_best(make_results: Make) -> None:
    """A pair kept the other way round is turned: best minus other, its interval with it."""
    results = make_results()
    turned = results.significance.copy()
    turned["metric_a"], turned["metric_b"] = results.significance["metric_b"], results.significance["metric_a"]
    turned["difference"], turned["low"], turned["high"] = -turned["difference"], -turned["high"], -turned["low"]
    place = Place("criterion00", "system", "none")
    there, back = (metrics.differences(Reading(one), place) for one in (results, replace(results, significance=turned)))
    assert [list(row) for row in there.rows] == [list(row) for row in back.rows]
    assert set(column(there, "Told apart")) <= {"yes", "no"}


def test_ranks_outside_the_range_of_people_are_marked(make_results: Make) -> None:
    results = make_results(systems=4)
    place = Reading(results).place("criterion00", "system")
    assert place is not None
    best = Reading(results).ranked(place)[0]
    scores = results.system_scores
    scores.loc[scores["metric"] == best, "score"] = [1.0, 2.0, 3.0, 3.0]  # upside down, the last two equal
    table = systems.ranking(Reading(results), "criterion00")
    # people: 1–2, 1–3, 2–4, 3–4; the metric: 4, 3, 1, 1
    assert column(table, best) == ["4 †", "3", "1 †", "1 †"]


def test_a_lower_score_ranks_first_where_lower_is_better(make_results: Make) -> None:
    results = make_results(systems=3)
    facts = [{**one, "higher_is_better": False} for one in results.run["metrics"]]
    reading = Reading(replace(results, run={**results.run, "metrics": facts}))
    scores = results.system_scores
    scores.loc[scores["metric"] == "metric00", "score"] = [0.1, 0.3, 0.2]
    assert reading.system_ranks("metric00", ["system00", "system01", "system02"]) == {
        "system00": 1,
        "system01": 3,
        "system02": 2,
    }


def test_what_was_left_out_is_listed(reading: Reading) -> None:
    assert [list(map(str, row)) for row in provenance.skipped(reading).rows] == [
        ["The ferry to the island leaves at noon.", "12", "<bdi>bleu</bdi>"]
    ]
    assert column(provenance.held_out(reading), "Left out for want of another reference") == ["1"]
    assert column(provenance.signatures(reading), "Range")[0] == "0 to ∞"
    assert column(provenance.inputs(reading), "sha256") == ["ab" * 32]


def test_metrics_left_out_for_one_reason_share_a_row(make_results: Make) -> None:
    results = make_results()
    left = [{"what": name, "reason": "it needs references", "n": 7} for name in ("bleu", "chrf", "ter")]
    (row,) = provenance.skipped(Reading(replace(results, run={**results.run, "skipped": left}))).rows
    assert plain(row[2]) == "bleu, chrf and ter"


def test_ranks_among_fewer_systems_are_not_shown_beside_ranks_among_all(make_results: Make) -> None:
    results = make_results(systems=4)
    scores = results.system_scores
    scores.loc[(scores["metric"] == "metric01") & (scores["system"] == "system02"), "score"] = float("nan")
    reading = Reading(results)
    assert "metric01" in systems.compared_metrics(reading, "criterion00")
    assert "metric01" not in systems.ranking_metrics(reading, "criterion00")
