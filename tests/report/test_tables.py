"""Tables say what the frames say: every row, undefined with its reason, the careless annotator marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from markupsafe import Markup

from validate.errors import ShapeError
from validate.report.reading import Place, Reading
from validate.report.tables import Column, Table, judgments, metrics, pairs, provenance, systems
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
    assert "Of 140 groups over all metrics, 3 have no correlation" in table.note  # 7 metrics × 20 items


def test_the_careless_annotator_stands_out(reading: Reading) -> None:
    table = judgments.annotators(reading, "criterion00")
    assert [str(table.rows[j][0]) for j in table.marked] == ["annotator04"]
    assert column(table, "Remark") == ["far below the others", "", "", "", ""]


def test_one_of_three_annotators_stands_out_by_a_correlation_that_is_surely_low() -> None:
    """Three are too few for a median of deviations; 0.05 on 200 shared units ends at 0.23, below half of 0.6."""
    rows = {"loo_correlation": [0.61, 0.6, 0.05], "same": [0.5, 0.5, 0.45], "n_shared": [200, 200, 200]}
    assert judgments.far_below(pd.DataFrame(rows)) == [False, False, True]


def test_who_judges_otherwise_than_all_others_stands_out_whatever_the_correlation() -> None:
    """By the share of equal judgments, for instance of somebody who uses another scale."""
    rows = {"loo_correlation": [0.61, 0.6, 0.62, 0.63], "same": [0.5, 0.51, 0.49, 0.02], "n_shared": [50] * 4}
    assert judgments.far_below(pd.DataFrame(rows)) == [False, False, False, True]


def test_who_stands_out_is_told_with_the_measure_that_shows_it(make_results: Make) -> None:
    results = make_results(criteria=1)
    assert [plain(value) for _, value in judgments.outliers(Reading(results), "criterion00")] == ["r = 0.110"]
    even = results.annotators.assign(loo_correlation=0.6, same=[0.5, 0.5, 0.5, 0.5, 0.05])
    found = judgments.outliers(Reading(replace(results, annotators=even)), "criterion00")
    assert [(name, plain(value)) for name, value in found] == [("annotator04", "5% of judgments the same")]


def test_bias_and_equal_judgments_of_ratings(reading: Reading) -> None:
    table = judgments.annotators(reading, "criterion00")
    assert column(table, "Bias")[0] == "0.200"  # of annotator04, 0.05 × 4
    assert column(table, "Same") == ["40%"] * 5


def test_own_repeats_are_shown_least_alike_first(reading: Reading) -> None:
    table = judgments.repeats(reading)
    assert column(table, "Same")[::2] == ["50%", "60%", "70%", "80%", "90%"]
    assert set(column(table, "First side twice")) == {"25%"}


def test_ceiling_and_reliability_stand_in_one_table(reading: Reading) -> None:
    table = judgments.ceiling(reading)
    assert set(column(table, "What")) == {"ceiling", "reliability"}
    assert "Kendall’s τ-b" not in {row[2] for row in table.rows if row[3] == "reliability"}


def test_a_ceiling_is_never_a_reliability(reading: Reading) -> None:
    place = Place("criterion00", "item", "item")
    for coefficient in ("pearson", "spearman"):
        ceiling, reliability = (of(place, coefficient) for of in (reading.ceiling, reading.reliability))
        assert ceiling is not None
        assert reliability is not None
        assert (ceiling.value, reliability.value) == (0.7, 0.81)
    assert reading.reliability(place, "kendall") is None


def test_ranks_and_corrected_correlations_stand_beside(reading: Reading) -> None:
    table = metrics.correlations(reading, Place("criterion00", "system", "none"))
    by_name = {str(row[0]): row for row in table.rows}
    assert [one.label for one in table.columns[4:6]] == ["Rank by ρ", "ρ corrected"]
    assert [str(by_name[f"metric0{j}"][4]) for j in range(5)] == ["1", "1", "–", "2", "2"]
    shown, corrected = (by_name["metric00"][j].values[0] for j in (2, 5))
    assert corrected == pytest.approx(shown / 0.9, abs=0.2)  # drawn once more in the fixture
    assert "share a rank by ρ do not differ significantly" in table.note
    assert "can exceed 1" in table.note


def test_a_shared_first_rank_says_that_the_study_has_little_power(make_results: Make) -> None:
    results = make_results(criteria=1)
    place = Place("criterion00", "system", "none")

    def note() -> str:
        return plain(Markup(metrics.correlations(Reading(results), place).note))

    assert (
        "2 metrics share rank 1: with p adjusted for all the pairs, this study has too little power to tell them apart"
        in note()
    )
    results.metric_ranks["rank"] = 1
    results.choice["choices"][0]["unfit"] = ["metric03"]
    table = metrics.correlations(Reading(results), place)
    by_name = dict(zip(map(str, column(table, "Metric")), column(table, "Rank by ρ"), strict=True))
    assert by_name["metric03"] == "–"
    assert "4 metrics and 2 controls share rank 1" in note()
    results.metric_ranks["rank"] = range(1, 1 + len(results.metric_ranks))
    assert "share rank 1" not in note()


def test_correlations_have_two_decimals_so_that_their_order_shows(make_results: Make) -> None:
    results = make_results(criteria=1)
    frame = results.correlations
    here = (frame["level"] == "system") & (frame["coefficient"] == "spearman")
    frame.loc[here & (frame["metric"] == "metric00"), ["estimate", "low", "high"]] = [0.79, 0.17, 0.97]
    frame.loc[here & (frame["metric"] == "metric01"), ["estimate", "low", "high"]] = [0.76, -0.11, 0.98]
    shown = column(metrics.correlations(Reading(results), Place("criterion00", "system", "none")), "Spearman’s ρ")
    assert shown[:2] == ["0.79 [0.17, 0.97]", "0.76 [−0.11, 0.98]"]


def test_dropped_units_are_explained_only_where_there_is_a_column_of_them(make_results: Make) -> None:
    results = make_results()
    assert "Dropped are units" in judgments.agreement(Reading(results)).note
    whole = judgments.agreement(Reading(replace(results, agreement=results.agreement.assign(n_dropped=0))))
    assert "Dropped" not in [one.label for one in whole.columns]
    assert "Dropped" not in whole.note


def test_nothing_is_corrected_where_the_reliability_may_be_zero(make_results: Make) -> None:
    results = make_results()
    unsure = results.ceiling.assign(low=-0.1)
    table = metrics.correlations(Reading(replace(results, ceiling=unsure)), Place("criterion00", "system", "none"))
    assert "ρ corrected" not in [one.label for one in table.columns]
    assert "corrected" not in table.note


def test_pairs_have_a_row_a_metric_best_first(reading: Reading) -> None:
    table = pairs.pairs(reading, "criterion00")
    assert column(table, "Metric")[:2] == ["metric00", "metric01"]
    assert column(table, "Pairs of one item")[:2] == ["0.700", "0.670"]
    assert set(column(table, "Tied up to")) == {"0.0013"}  # 0.00125 to two digits, half to even
    assert "120 outputs" in plain(Markup(table.caption))


def test_undefined_shares_of_pairs_come_last(make_results: Make) -> None:
    results = make_results()
    frame = results.pairwise
    frame.loc[frame["metric"] == "metric00", ["estimate", "reason"]] = [float("nan"), "fewer than two outputs"]
    table = pairs.pairs(Reading(results), "criterion00")
    assert column(table, "Metric")[-1] == "metric00"
    assert column(table, "Left out")[-1] == "fewer than two outputs"


def test_every_interval_is_told_with_its_coverage(reading: Reading) -> None:
    table = provenance.intervals(reading)
    assert len(table.rows) == 12  # 4 levels × 3 coefficients, criteria together
    assert set(column(table, "Interval")) == {"corrected"}


def test_comparisons_have_no_mean(make_results: Make) -> None:
    """Who is shown first decides the sign of a comparison, so that its mean says nothing of an annotator."""
    results = make_results(criteria=1)
    compared = {**results.run["criteria"][0], "kind": "comparisons"}
    table = judgments.annotators(Reading(replace(results, run={**results.run, "criteria": [compared]})), "criterion00")
    assert [one.label for one in table.columns] == [
        "Annotator", "Agreement", "Remark", "r with the others", "Judgments", "Shared units",
    ]  # fmt: skip
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
