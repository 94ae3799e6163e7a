"""The methods describe what this study did, and nothing that it did not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from validate.report.methods import methods
from validate.report.reading import Reading
from validate.report.words import plain
from validate.results import Results

Make = Callable[..., Results]


def told(results: Results) -> dict[str, str]:
    return {heading: plain(text) for heading, text in methods(Reading(results))}


def test_every_stage_is_described(make_results: Make) -> None:
    text = told(make_results())
    assert list(text) == ["Judgments", "Scores", "Correlation", "Intervals", "Differences", "Agreement", "Ranking"]
    assert "A positive correlation always means agreement" in text["Scores"]
    assert "95% intervals. A bootstrap draws systems and items with replacement" in text["Intervals"]
    assert "1,000 resamples from seed 0" in text["Intervals"]
    assert text["Ranking"] == "Systems are ranked for criterion00 and criterion01 by the mean human score."


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        (None, ["At the system and item level the ends of an interval are quantiles of the resampled coefficients."]),
        ("bca", ["At the system and item level", "moved for bias and skewness"]),
        ("auto", ["At the system level the ends of an interval are a standard error away on Fisher’s z scale, by a formula",
                  "At the item level the ends of an interval are a standard error away on Fisher’s z scale, by Student’s t"]),
    ],
)  # fmt: skip
def test_the_kind_of_interval_is_the_one_in_use(make_results: Make, interval: str | None, words: list[str]) -> None:
    results = make_results()
    options = {**results.run["options"], **({"interval": interval} if interval else {})}
    text = told(replace(results, run={**results.run, "options": options}))["Intervals"]
    assert all(one in text for one in words)


@pytest.mark.parametrize(
    ("interval", "level", "coefficient", "told_so"),
    [("auto", "system", "spearman", True), ("percentile", "system", "spearman", False), ("auto", "item", "spearman", False),
     ("auto", "system", "pearson", False)],
)  # fmt: skip
def test_the_interval_of_a_perfect_rank_correlation_is_explained_where_there_is_one(
    make_results: Make, interval: str, level: str, coefficient: str, told_so: bool
) -> None:
    results = make_results()
    frame = results.correlations
    here = (frame["level"] == level) & (frame["coefficient"] == coefficient) & (frame["metric"] == "metric00")
    frame.loc[here, ["estimate", "low", "high"]] = [1.0, 0.63, 1.0]
    run = {**results.run, "options": {**results.run["options"], "interval": interval}}
    text = told(replace(results, run=run))["Intervals"]
    assert ("A rank correlation of 1 or −1 over few systems" in text) == told_so


def test_statistics_of_agreement_are_listed_as_a_sentence_has_them(make_results: Make) -> None:
    assert "chance-corrected: Krippendorff’s α and Gwet’s AC1 (" in told(make_results())["Agreement"]
    results = make_results(criteria=1)
    more = results.agreement.assign(statistic=["gwet_ac1", "gwet_ac2", "fleiss_kappa"])
    text = told(replace(results, agreement=more))["Agreement"]
    assert "chance-corrected: Gwet’s AC1, Gwet’s AC2 and Fleiss’ κ (" in text


def test_p_values_are_told_as_they_were_made(make_results: Make) -> None:
    results = make_results()
    assert "count the observed order among the resamples" in told(results)["Differences"]
    corrected = results.significance.assign(test="bootstrap over systems and items, corrected")
    text = told(replace(results, significance=corrected))["Differences"]
    assert "come from the same standard error as the interval" in text
    assert "count the observed order" not in text


@pytest.mark.parametrize("what", ["systems", "items"])
def test_a_permutation_test_says_what_is_exchanged(make_results: Make, what: str) -> None:
    results = make_results()
    swapped = results.significance.assign(test=f"permutation over {what}")
    text = told(replace(results, significance=swapped))["Differences"]
    exchanged = {"systems": "scores of whole systems are exchanged", "items": "all outputs of an item are exchanged"}
    assert f"the test is: permutation over {what}" in text
    assert exchanged[what] in text
    assert "p and interval can disagree" in text


def test_equal_ranks_are_explained(make_results: Make) -> None:
    assert "an equal rank says that no difference was shown" in told(make_results())["Differences"]


def test_correction_for_attenuation_is_explained(make_results: Make) -> None:
    text = told(make_results())["Agreement"]
    assert "corrected for attenuation" in text
    assert "not for Kendall’s τ" in text


@pytest.mark.parametrize(
    ("annotators", "words"),
    [
        (1, "of other annotators they say nothing"),
        (3, "those by one annotator, too. With 3 annotators that makes them wide"),
        (10, "those by one annotator, too."),
    ],
)
def test_intervals_of_comparisons_say_what_hangs_together(make_results: Make, annotators: int, words: str) -> None:
    results = make_results()
    compared = [{**one, "kind": "comparisons", "n_annotators": annotators} for one in results.run["criteria"]]
    ranking = results.ranking.assign(method="bradley-terry")
    text = told(replace(results, ranking=ranking, run={**results.run, "criteria": compared}))["Ranking"]
    assert words in text
    assert text.endswith("too.") == (annotators == 10)


def test_the_ceiling_is_explained(make_results: Make) -> None:
    text = told(make_results())["Agreement"]
    assert "leave one annotator out" not in text
    assert "each annotator takes the place of a metric" in text
    assert "Its intervals resample items only." in text


def test_the_sign_is_said_to_be_turned_where_it_is(make_results: Make) -> None:
    results = make_results()
    facts = [{**one, "higher_is_better": one["name"] != "metric01"} for one in results.run["metrics"]]
    turned = replace(results, run={**results.run, "metrics": facts})
    assert "Here that is so for metric01." in told(turned)["Scores"]
    assert "Here that is so" not in told(results)["Scores"]


def test_what_was_not_done_is_not_described(judgments_only: Results) -> None:
    assert list(told(judgments_only)) == ["Judgments", "Agreement", "Ranking"]


def test_comparisons_are_described_as_comparisons(make_results: Make) -> None:
    results = make_results()
    kinds = [{**one, "kind": "comparisons"} for one in results.run["criteria"]]
    text = told(replace(results, run={**results.run, "criteria": kinds}))["Judgments"]
    assert "people compared pairs of outputs" in text
    assert "a tie is half a win for each side, and so is “both bad”" in text
    assert "mean of its annotators" not in text
