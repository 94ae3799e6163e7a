"""The sentences at the top say what choice.json says, for every verdict, and no more than may be concluded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from markupsafe import Markup

from validate.report.answer import answer, compared
from validate.report.limits import limits
from validate.report.notes import differences
from validate.report.reading import Reading
from validate.report.tables.metrics import choices
from validate.report.words import plain
from validate.results import Results

Make = Callable[..., Results]


def with_choice(results: Results, **changes: Any) -> Results:
    """The results with other values in the primary choice."""
    first, *rest = results.choice["choices"]
    return replace(results, choice={**results.choice, "choices": [{**first, **changes}, *rest]})


def with_run(results: Results, **changes: Any) -> Results:
    return replace(results, run={**results.run, **changes})


def said(results: Results) -> str:
    return " ".join(plain(one) for one in answer(Reading(results)))


def cautions(results: Results) -> dict[str, str]:
    return {one.name: plain(one.text) for one in limits(Reading(results))}


SELDOM = {"metric": "metric00", "estimate": 0.7512, "low": 0.61, "high": 0.86, "share_first": 0.3}
BETTER = {"metric": "length", "estimate": 0.8, "low": 0.6, "high": 0.9}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"verdict": "clear", "equivalent": []}, "use metric00: its correlation with people is ρ = 0.75 [0.61, 0.86], and it comes first in 71% of the resamples; each of the other 2 metrics is told from it."),
        ({"verdict": "likely"}, "metric00 is the likely choice"),
        ({"verdict": "likely"}, "2 of the 4 other metrics cannot be told from it (metric01 and metric02)"),
        ({"verdict": "likely", "equivalent": [], "worse": 4}, "each of the other 4 metrics is told from it"),
        ({"verdict": "open", "best": SELDOM}, "no single metric can be named: metric00 correlates best with people, ρ = 0.75 [0.61, 0.86]"),
        ({"verdict": "open", "best": SELDOM}, "but comes first in only 30% of the resamples"),
        ({"verdict": "open"}, "no metric can be named from 6 systems: metric00 correlates best with people, ρ = 0.75 [0.61, 0.86], and comes first in 71%"),
        ({"verdict": "none", "beats_controls": False}, "none of the metrics can be recommended"),
        ({"verdict": "none", "best": {**SELDOM, "low": -0.02}}, "an interval that reaches zero"),
        ({"verdict": "none", "best": {**SELDOM, "low": None, "high": None}}, "nothing tells that from no agreement at all"),
        ({"verdict": "clear", "equivalent": [], "worse": 0}, "metric00 was the only candidate: its correlation with people is ρ = 0.75 [0.61, 0.86]"),
        ({"verdict": "none", "equivalent": [], "worse": 0, "best": {**SELDOM, "low": -0.02}}, "the only candidate, metric00, cannot be recommended"),
        ({"verdict": "none", "beats_controls": False, "best_control": BETTER}, "and the control length does as well, ρ = 0.80 [0.60, 0.90]"),
        ({"verdict": "open", "beats_controls": False}, "the best metric cannot be told from the best control, length (ρ = 0.05 [−0.10, 0.20])"),
        ({"verdict": "undefined", "best": None, "reason": "all scores are alike"}, "cannot recommend a metric: all scores are alike"),
        ({"level": "item", "grouping": "item"}, "To choose between outputs for the same item by criterion00"),
    ],
)  # fmt: skip
def test_the_verdict_is_put_into_words(make_results: Make, changes: dict[str, Any], words: str) -> None:
    results = with_choice(make_results(), **changes)
    if "level" in changes:
        results = replace(results, choice={**results.choice, "primary": {"criterion": "criterion00", **changes}})
    assert words in said(results)


def test_an_only_candidate_is_not_said_to_come_first(make_results: Make) -> None:
    results = with_choice(make_results(criteria=1), verdict="clear", equivalent=[], worse=0)
    assert "resamples," not in said(results)
    assert "comes first" not in said(results)
    verdicts = [str(row[3]) for row in choices(Reading(results)).rows]
    assert verdicts == ["only candidate", "likely", "likely", "likely"]
    assert (
        plain(differences(Reading(results))[0])
        == "For criterion00 at the system level, metric00 was the only candidate."
    )


@pytest.mark.parametrize(("unit", "told"), [("both", True), ("systems", True), ("items", False)])
def test_the_ceiling_says_that_only_items_are_resampled_where_metrics_differ(
    make_results: Make, unit: str, told: bool
) -> None:
    assert ("(here only items are resampled)" in said(with_choice(make_results(), unit=unit))) == told


def test_two_sentences_and_what_they_rest_on(make_results: Make) -> None:
    sentences = answer(Reading(make_results()))
    assert len(sentences) == 2
    assert "This rests on 6 systems and 20 items, with systems and items resampled" in plain(sentences[1])
    assert plain(compared(Reading(make_results()))) == (
        "5 metrics and 2 controls against 1,500 ratings of 6 systems on 20 items by 5 annotators, 2 criteria."
    )


def test_controls_alone_are_no_choice(make_results: Make) -> None:
    """Where only the controls could be computed, there is no metric to speak of."""
    results = make_results()
    alone = results.correlations[results.correlations["metric"].isin(["length", "random"])]
    text = said(replace(results, correlations=alone))
    assert text.startswith("No metric could be held against people in this study; bleu, for one, was left out because")
    assert plain(compared(Reading(replace(results, correlations=alone)))).startswith("2 controls against")


def test_without_metrics_the_answer_is_about_the_judgments(judgments_only: Results) -> None:
    assert said(judgments_only).startswith(
        "No metric could be held against people in this study; bleu, for one, was left out because the study has no outputs, only judgments."
    )
    assert "system00 comes first of 6 systems" in said(judgments_only)
    assert "Agreement is not quality" not in cautions(judgments_only)


@pytest.mark.parametrize(
    ("unit", "words"),
    [("items", "other items would give with the same 6 systems"), ("systems", "6 systems other than these")],
)
def test_the_reach_of_the_intervals_follows_the_unit(make_results: Make, unit: str, words: str) -> None:
    assert words in cautions(with_choice(make_results(), unit=unit))["Reach of the intervals"]


def test_few_systems_are_named(make_results: Make) -> None:
    assert "Only 6 systems" in cautions(make_results())["Few systems"]
    assert "Few systems" not in cautions(make_results(systems=8))


@pytest.mark.parametrize(("unit", "told"), [("both", True), ("systems", True), ("items", False)])
def test_few_systems_say_what_another_unit_would_answer(make_results: Make, unit: str, told: bool) -> None:
    text = cautions(with_choice(make_results(), unit=unit))["Few systems"]
    assert ("with --unit items they would answer a smaller question" in text) == told


@pytest.mark.parametrize(
    ("estimate", "low", "how"),
    [
        (0.69, 0.61, "The estimate of metric00 lies below the human ceiling, but its interval reaches it, 0.69 [0.61, 0.86] against 0.70 ["),
        (0.75, 0.61, "The estimate of metric00 comes up to the human ceiling, and its interval includes the ceiling"),
        (0.75, 0.72, "The estimate of metric00 and its whole interval lie above the human ceiling"),
    ],
)  # fmt: skip
def test_estimate_and_interval_beside_the_ceiling(make_results: Make, estimate: float, low: float, how: str) -> None:
    """The ceiling of the results is 0.7."""
    results = make_results()
    best = {**results.choice["choices"][0]["best"], "estimate": estimate, "low": low}
    text = cautions(with_choice(results, best=best))["Human ceiling"]
    assert text.startswith(how)
    assert "it does not keep metrics from being told apart" in text


def test_scores_that_nobody_checked_are_a_caution(make_results: Make) -> None:
    results = make_results()
    assert not {"Scores not checked", "Scores that differ"} & set(cautions(results))
    unchecked = cautions(replace(results, crosscheck=results.crosscheck.iloc[:0]))
    assert unchecked["Scores not checked"].startswith("metric00, metric01, metric02, metric03 and metric04: not held")
    differing = results.crosscheck.assign(status=["differs", "error: jiwer raised", *results.crosscheck["status"][2:]])
    assert cautions(replace(results, crosscheck=differing))["Scores that differ"].startswith("metric00 and metric01: ")


def test_metrics_not_considered_are_named(make_results: Make) -> None:
    assert cautions(with_choice(make_results(), unfit=["metric03"]))["Not considered"].startswith("metric03: one score")
    assert "Not considered" not in cautions(make_results())


def test_a_judge_among_the_metrics_is_not_said_to_measure_likeness(make_results: Make) -> None:
    text = cautions(make_results())["Agreement is not quality"]
    assert "similar" not in text
    assert "That a metric agrees with people about criterion00 and criterion01 does not make it a measure" in text


@pytest.mark.parametrize(("ceiling", "reached"), [(0.86, True), (0.87, False), (float("nan"), False)])
def test_the_ceiling_is_named_where_it_is_reached(make_results: Make, ceiling: float, reached: bool) -> None:
    """The interval of the best metric ends at 0.86."""
    results = make_results()
    results.ceiling["estimate"] = ceiling
    assert ("Human ceiling" in cautions(results)) == reached


def test_a_shared_highest_correlation_is_said_to_be_shared(make_results: Make) -> None:
    """metric00 stands first by name alone; what is not considered and controls are not counted."""
    results = make_results(criteria=1)
    frame = results.correlations
    here = (frame["level"] == "system") & (frame["coefficient"] == "spearman") & (frame["metric"] != "metric04")
    frame.loc[here, ["estimate", "low", "high"]] = [1.0, 0.63, 1.0]
    frame.loc[here & (frame["metric"] == "metric01"), "estimate"] = 1 - 1e-15  # but for the rounding of floats
    best = {"metric": "metric00", "estimate": 1.0, "low": 0.63, "high": 1.0, "share_first": 0.3}
    shared = with_choice(results, best=best, verdict="open", unfit=["metric03"])
    assert "metric00 correlates best with people, ρ = 1.00 [0.63, 1.00] (shared by 2 other metrics), but" in said(
        shared
    )
    cells = [plain(Markup(row[2])) for row in choices(Reading(shared)).rows]
    assert cells[0] == "metric00 and 2 others"
    assert "shared" not in said(make_results())


def test_low_agreement_is_named_for_its_criteria_only(make_results: Make) -> None:
    results = make_results()
    assert " for criterion00; below" in cautions(results)["Low agreement"]  # the lower of two
    results.agreement.loc[results.agreement["criterion"] == "criterion01", "estimate"] = 0.81
    text = cautions(results)["Low agreement"]
    assert "about criterion00 (Krippendorff’s α is 0.5" in text
    assert " for criterion00" not in text
    assert "criterion01" not in text
    results.agreement["estimate"] = 0.7
    assert "Low agreement" not in cautions(results)


def test_the_measurement_of_agreement_fits_the_judgments(make_results: Make) -> None:
    """Ratings are intervals: a low nominal α beside a high interval α is no cause for a caution."""
    results = make_results(criteria=1)
    nominal = results.agreement.assign(measurement="nominal", estimate=0.1)
    interval = results.agreement.assign(estimate=0.9)
    both = replace(results, agreement=pd.concat([nominal, interval], ignore_index=True))
    assert "Low agreement" not in cautions(both)
    compared_pairs = with_run(both, criteria=[{**both.run["criteria"][0], "kind": "comparisons"}])
    assert "Low agreement" in cautions(compared_pairs)


def test_simulated_judgments_are_named_first_and_everywhere(make_results: Make) -> None:
    results = make_results()
    simulated = with_run(results, study={**results.run["study"], "simulated": True})
    assert next(iter(cautions(simulated))) == "Simulated judgments"
    assert "as the simulated annotators do" in said(simulated)
    assert "people" not in said(simulated)


def test_one_annotator_is_no_agreement(make_results: Make) -> None:
    assert (
        "criterion00 and criterion01 came from one annotator" in cautions(make_results(annotators=1))["One annotator"]
    )
    assert "One annotator" not in cautions(make_results())


def test_a_metric_that_is_constant_almost_everywhere_is_never_called_best(make_results: Make) -> None:
    results = make_results()
    place = Reading(results).primary
    assert place is not None
    best = Reading(results).ranked(place)[0]
    results = with_choice(results, unfit=[best])
    assert Reading(results).ranked(place)[-1] == best
    assert "not considered: " + best in plain(Markup(choices(Reading(results)).note))
