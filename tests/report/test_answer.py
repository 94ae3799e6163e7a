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


BETTER = {"metric": "length", "estimate": 0.8, "low": 0.6, "high": 0.9}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"verdict": "clear", "equivalent": []}, "use metric00: its correlation with people is ρ = 0.75 [0.61, 0.86], and it comes first in 71%"),
        ({"verdict": "likely"}, "metric00 is the likely choice"),
        ({"verdict": "likely"}, "2 of the 4 other metrics cannot be told from it (metric01 and metric02)"),
        ({"verdict": "likely", "equivalent": [], "worse": 4}, "each of the other 4 metrics is told from it"),
        ({"verdict": "open"}, "no single metric can be named: metric00 correlates best with people, ρ = 0.75 [0.61, 0.86]"),
        ({"verdict": "none", "beats_controls": False}, "none of the metrics can be recommended"),
        ({"verdict": "none", "beats_controls": False}, "an interval that reaches zero"),
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


@pytest.mark.parametrize(("ceiling", "reached"), [(0.86, True), (0.87, False), (float("nan"), False)])
def test_the_ceiling_is_named_where_it_is_reached(make_results: Make, ceiling: float, reached: bool) -> None:
    """The interval of the best metric ends at 0.86."""
    results = make_results()
    results.ceiling["estimate"] = ceiling
    assert ("Ceiling reached" in cautions(results)) == reached


def test_low_agreement_is_named_for_its_criteria_only(make_results: Make) -> None:
    results = make_results()
    results.agreement.loc[results.agreement["criterion"] == "criterion01", "estimate"] = 0.81
    text = cautions(results)["Low agreement"]
    assert "criterion00" in text
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
