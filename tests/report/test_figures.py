"""Figures are valid Vega-Lite, hold every number once, and say what to see."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from validate.report.figures import Figure, forest, ranking, scatter
from validate.report.figures.labels import placed
from validate.report.reading import Reading
from validate.report.words import plain
from validate.results import Results

Make = Callable[..., Results]


def drawn(results: Results) -> list[Figure]:
    figures = [draw(Reading(results)) for draw in (forest, ranking, scatter)]
    return [figure for figure in figures if figure is not None]


def test_specs_are_valid_vega_lite(make_results: Make) -> None:
    altair = pytest.importorskip("altair")  # it checks a specification against the published schema when it reads it
    marks = []
    for figure in drawn(make_results(hostile=True)):
        for view in figure.views:
            for panel in view.panels:
                datasets = {
                    name: [dict(zip(figure.columns[name], row, strict=True)) for row in rows]
                    for name, rows in panel.data.items()
                }
                spec = {**figure.specs[panel.spec], "height": panel.height, "datasets": datasets}
                marks.append(altair.Chart.from_dict(spec).to_dict())
    assert len(marks) > 10


def test_a_view_for_each_criterion_and_coefficient(make_results: Make) -> None:
    figure = forest(Reading(make_results(criteria=3)))
    assert figure is not None
    assert {name: len(values) for name, values in figure.choices().items()} == {"Criterion": 3, "Coefficient": 3}
    assert len(figure.views) == 9
    assert all(len(view.panels) == 4 for view in figure.views)
    assert figure.views[0].choice["Coefficient"] == "Spearman’s ρ"  # the one that decides is shown first


def test_the_forest_marks_what_cannot_be_told_from_the_best(make_results: Make) -> None:
    figure = forest(Reading(make_results()))
    assert figure is not None
    kinds = {row[0]: row[5] for row in figure.views[0].panels[0].data["rows"]}
    assert [name for name, kind in kinds.items() if kind == "best"] == ["metric00", "metric01", "metric02"]
    assert kinds["length"] == "control"


def test_a_metric_that_may_not_agree_at_all_is_not_marked_like_the_best(make_results: Make) -> None:
    """None of metric00, metric01 and metric02 can be told from the best."""
    results = make_results()
    table = results.correlations
    here = (table["level"] == "system") & (table["coefficient"] == "spearman")
    table.loc[here & (table["metric"] == "metric01"), ["estimate", "low", "high"]] = [0.3, -0.1, 0.9]
    table.loc[here & (table["metric"] == "metric02"), ["estimate", "low", "high"]] = [-0.8, -0.9, -0.2]
    figure = forest(Reading(results))
    assert figure is not None
    kinds = {row[0]: row[5] for row in figure.views[0].panels[0].data["rows"]}
    assert [kinds[f"metric0{j}"] for j in range(4)] == ["best", "unclear", "unclear", "metric"]
    assert "unclear" in dict(figure.legend)


def test_a_metric_that_is_not_considered_is_not_counted(make_results: Make) -> None:
    results = make_results(criteria=1)
    results.choice["choices"][0]["unfit"] = ["metric00"]
    figure = forest(Reading(results))
    assert figure is not None
    said = plain(figure.views[0].sentence)
    assert said.startswith("At the system level, metric01 correlates best")
    assert said.endswith("Not considered, since constant in most groups: metric00.")
    assert "of 4 metrics" in said


def test_the_scatter_plot_says_what_it_leaves_out(make_results: Make) -> None:
    few, many = (scatter(Reading(make_results(metrics=n))) for n in (6, 7))
    assert few is not None
    assert many is not None
    assert "Drawn are" not in few.note
    assert many.note.startswith("Drawn are the 6 of 7 metrics that correlate best, and the controls; system_scores.csv")


def test_undefined_keeps_its_row_without_a_point(make_results: Make) -> None:
    figure = forest(Reading(make_results()))
    assert figure is not None
    rows = {
        row[0]: row for panel in figure.views[0].panels if "within items" in panel.title for row in panel.data["rows"]
    }
    assert rows["metric02"][1:5] == [None, None, None, "undefined"]


def test_sentences_are_written_from_the_numbers(make_results: Make) -> None:
    results = make_results(criteria=1)
    table = results.correlations
    here = (table["level"] == "system") & (table["coefficient"] == "spearman")
    table.loc[here, ["estimate", "low", "high"]] = [0.2, -0.1, 0.4]
    table.loc[here & (table["metric"] == "metric03"), ["estimate", "low", "high"]] = [0.66, 0.6, 0.71]
    ceiling = results.ceiling
    ceiling.loc[
        (ceiling["level"] == "system") & (ceiling["coefficient"] == "spearman"), ["estimate", "low", "high"]
    ] = [0.7, 0.64, 0.77]
    figure = forest(Reading(results))
    assert figure is not None
    assert plain(figure.views[0].sentence) == (
        "At the system level, metric03 correlates best with people: 0.66 [0.60, 0.71]. The intervals of 1 of 5 metrics lie above zero; "
        "no estimate comes up to the human ceiling, 0.70 [0.64, 0.77], but 1 interval reaches it."
    )
    ceiling["estimate"] = 0.72
    figure = forest(Reading(results))
    assert figure is not None
    assert plain(figure.views[0].sentence).endswith("0.77], and no interval reaches it.")
    ceiling["estimate"] = 0.66
    figure = forest(Reading(results))
    assert figure is not None
    assert "; the estimate of metric03 comes up to the human ceiling, 0.66 [" in plain(figure.views[0].sentence)


def test_a_first_place_that_several_share_is_not_given_to_the_first_by_name(make_results: Make) -> None:
    results = make_results(criteria=1, metrics=8)
    frame = results.correlations
    here = (frame["level"] == "system") & (frame["coefficient"] == "spearman")
    frame.loc[here, ["estimate", "low", "high"]] = [1.0, 0.63, 1.0]
    frame.loc[here & frame["metric"].isin(["metric06", "metric07"]), ["estimate", "low", "high"]] = [0.9, 0.4, 1.0]
    reading = Reading(results)
    forests, ranks, plots = forest(reading), ranking(reading), scatter(reading)
    assert forests is not None
    assert ranks is not None
    assert plots is not None
    assert plain(forests.views[0].sentence).startswith(
        "At the system level, metric00 and 5 others share the highest correlation with people: 1.00 [0.63, 1.00]. The"
    )
    assert [told for _, told in ranks.legend[1:]] == [f"best metric, equal to 5 others: metric0{j}" for j in range(3)]
    assert plots.note.startswith(
        "Drawn are the 6 of 8 metrics that correlate best, and"
    )  # the cut is between 1 and 0.9
    frame.loc[here & (frame["metric"] == "metric06"), "estimate"] = 1.0
    plots = scatter(Reading(results))
    assert plots is not None
    assert plots.note.startswith(
        "Drawn are the 6 of 8 metrics that correlate best (of equal ones the first by name), and"
    )


def test_the_legend_of_several_criteria_says_that_equal_metrics_stand_by_name(make_results: Make) -> None:
    results = make_results()
    before, frame = ranking(Reading(results)), results.correlations
    frame.loc[(frame["level"] == "system") & (frame["criterion"] == "criterion01"), "estimate"] = 1.0
    after = ranking(Reading(results))
    assert before is not None
    assert after is not None
    assert [told for _, told in before.legend[1:]] == ["best metric", "second best metric", "third best metric"]
    assert after.legend[1] == ("first", "first metric by correlation, equal ones by name")


def test_huge_results_are_cut_and_said_to_be(make_results: Make) -> None:
    results = make_results(systems=60, metrics=60, criteria=8, items=4)
    by_name = {figure.name: figure for figure in drawn(results)}
    assert "of 62" in by_name["forest"].note
    assert "6 of 8 criteria" in by_name["scatter"].note
    assert len(json.dumps([figure.document() for figure in by_name.values()])) < 1_500_000


def test_too_few_systems_give_no_scatter_plot(make_results: Make) -> None:
    assert scatter(Reading(make_results(systems=2))) is None
    assert scatter(Reading(make_results(systems=3))) is not None


def test_without_metrics_the_ranking_of_people_remains(judgments_only: Results) -> None:
    assert [figure.name for figure in drawn(judgments_only)] == ["ranking"]
    assert len(drawn(judgments_only)[0].views[0].panels) == 1


def test_labels_lie_neither_over_points_nor_over_each_other() -> None:
    """Four points in the corners have room; around one place there is room for four names."""
    assert placed([0, 0, 1, 1], [0, 1, 0, 1], ["ab"] * 4, range(4)) == ["right", "right", "left", "left"]
    crowded = placed([0.5] * 9, [0.5] * 9, ["system"] * 9, range(9))
    assert crowded == ["right", "left", "above", "below", "", "", "", "", ""]
