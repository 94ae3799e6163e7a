"""What stands beside the correlations of a whole run: ranks, pairs, reliabilities, repeats, tests, how intervals cover."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import pytest

import validate
from validate import stats
from validate.errors import OptionError
from validate.human import targets
from validate.results import COLUMNS, write
from validate.validation import Options
from validate.validation.repeats import repeat_rows, repeated_judgments

QUICK: dict[str, Any] = {"resamples": 60, "crosscheck_rows": 0, "metrics": ("bleu", "chrf", "lcs")}
PLACE = ["criterion", "level", "grouping", "coefficient"]


@pytest.fixture(scope="module")
def study(sample: Any) -> Any:
    return validate.load(sample)


@pytest.fixture(scope="module")
def results(study: Any) -> Any:
    return validate.run(study, Options(**QUICK))


@pytest.fixture(scope="module")
def swapped(study: Any) -> Any:
    return validate.run(study, Options(**QUICK, test="permutation"))


def test_ranks_are_the_clusters_of_the_differences(results: Any) -> None:
    for key, rows in results.significance.groupby(PLACE):
        found = results.metric_ranks
        for column, value in zip(PLACE, key, strict=True):
            found = found[found[column] == value]
        pd.testing.assert_frame_equal(
            found[["metric", "rank"]].reset_index(drop=True), stats.clusters(rows)[["metric", "rank"]]
        )


def test_metrics_that_share_a_rank_do_not_differ(results: Any) -> None:
    rank = results.metric_ranks.set_index([*PLACE, "metric"])["rank"]
    for row in results.significance.itertuples(index=False):
        place = (row.criterion, row.level, row.grouping, row.coefficient)
        if rank[*place, row.metric_a] == rank[*place, row.metric_b]:
            assert not row.p_adjusted <= 0.05


def test_the_permutation_test_changes_p_and_nothing_else(results: Any, swapped: Any) -> None:
    assert set(results.significance["test"]) == {"bootstrap over systems and items, corrected"}
    assert set(swapped.significance["test"]) == {"permutation over systems"}
    kept = ["metric_a", "metric_b", "difference", "low", "high"]
    pd.testing.assert_frame_equal(swapped.significance[[*PLACE, *kept]], results.significance[[*PLACE, *kept]])
    pd.testing.assert_frame_equal(swapped.correlations, results.correlations)
    # 6 systems: a difference is at least matched by exchanging none and all of them, 2 of 64 ways
    assert swapped.significance["p"].dropna().min() > 1 / 64
    assert not np.allclose(swapped.significance["p"], results.significance["p"], equal_nan=True)


def test_a_test_that_cannot_find_anything_is_a_warning(results: Any, swapped: Any) -> None:
    """Six metrics and controls, fifteen pairs: 60 permutations, or those of six systems, give no adjusted p below 0.05."""
    told = [one["text"] for one in swapped.run["warnings"]]
    assert any(text.startswith("60 permutations are too few for 15 pairs of metrics") for text in told)
    assert any("exchanging the scores of 6 systems cannot give a p" in text for text in told)
    assert not any("too few for" in one["text"] for one in results.run["warnings"])


def test_whole_items_are_exchanged_where_the_systems_stay(study: Any) -> None:
    found = validate.run(study, Options(**QUICK | {"resamples": 20}, test="permutation", unit="items"))
    assert set(found.significance["test"]) == {"permutation over items"}
    assert found.run["options"]["test"] == "permutation"


def test_annotators_are_not_exchanged() -> None:
    with pytest.raises(OptionError, match="test='permutation' was given; allowed: 'bootstrap' where annotators"):
        Options(test="permutation", unit="annotators")
    with pytest.raises(OptionError, match="did you mean 'permutation'"):
        Options(test="permutations")


def test_pairs_are_what_the_statistics_say(study: Any, results: Any) -> None:
    (adequacy,) = [target for target in targets(study) if target.label == "adequacy"]
    scores = validate.human_scores(study, "adequacy")
    references = study.items.set_index("item_id")["references"]
    chrf = np.full(scores.values.shape, np.nan)
    for row in study.outputs.itertuples(index=False):
        place = scores.systems.index(row.system), scores.items.index(row.item_id)
        chrf[place] = validate.metrics.get("chrf").score([row.output], [references[row.item_id]]).items[0]
    found = results.pairwise[(results.pairwise["criterion"] == "adequacy") & (results.pairwise["metric"] == "chrf")]
    found = found.set_index(["statistic", "grouping"])
    for grouping in ("item", "none"):
        calibrated = stats.pairwise_accuracy(chrf, adequacy.scores.values, grouping=grouping)
        row = found.loc[("pairwise_accuracy", grouping)]
        assert (row["estimate"], row["threshold"]) == pytest.approx((calibrated.value, calibrated.threshold))
        assert row["n"] == calibrated.n
    differences = stats.pairwise_difference_pearson(chrf, adequacy.scores.values)
    assert found.loc[("pairwise_difference_pearson", "item"), "estimate"] == pytest.approx(differences.value)
    soft = found.loc[("soft_pairwise_accuracy", "none")]
    assert soft["level"] == "system"
    assert 0 < soft["estimate"] < 1


def test_the_choice_rests_on_the_ceiling_and_not_on_the_reliability(results: Any) -> None:
    for choice in results.choice["choices"]:
        here = results.ceiling[(results.ceiling[PLACE] == [choice[name] for name in PLACE]).all(axis=1)]
        assert len(here) == 2
        ceiling = here[here["method"].str.startswith("leave one annotator out")]["estimate"].item()
        assert choice["ceiling"] == pytest.approx(ceiling)


def test_every_reliability_corrects_its_own_place(results: Any) -> None:
    halves = results.ceiling[results.ceiling["method"].str.startswith("split half")].set_index(PLACE)["estimate"]
    assert set(results.attenuation["coefficient"]) == {"pearson", "spearman"}
    defined = results.attenuation.dropna(subset=["corrected"])
    assert len(defined) > 50
    for row in defined.itertuples(index=False):
        reliability = halves[row.criterion, row.level, row.grouping, row.coefficient]
        assert row.corrected == pytest.approx(row.estimate / np.sqrt(reliability))


def test_run_json_says_which_interval_stands_where(results: Any) -> None:
    listed = results.run["intervals"]
    assert len(listed) == 3 * 4 * 3
    assert {(one["level"], one["interval"]) for one in listed} == {("system", "analytic"), ("item", "corrected")}
    for one in listed:
        names = ("level", "grouping", "unit", "interval", "n_systems", "n_items")
        note = stats.coverage_note(*(one[name] for name in names), coefficient=one["coefficient"])
        assert one["coverage"] == note
        assert (one["n_systems"], one["n_items"]) == (6, 60)
    assert {one["verdict"] for one in listed} == {"too wide", "not simulated"}  # sixty items


def test_bias_is_of_ratings_and_not_of_comparisons(results: Any) -> None:
    frame = results.annotators.set_index("criterion")
    assert frame.loc[["adequacy", "fluency"], "bias"].notna().all()
    assert frame.loc["preference", "bias"].isna().all()
    rated, compared = frame.loc["adequacy"], frame.loc["preference"]
    pd.testing.assert_series_equal(rated["agreement"], rated["loo_correlation"], check_names=False)
    pd.testing.assert_series_equal(compared["agreement"], compared["same"], check_names=False)


def test_repeats_are_counted_by_annotator_and_all_together(make_study: Any) -> None:
    """Ann says 3 and 3 again, 4 and then 5; Bo repeats nothing; nobody can repeat what names no annotator."""
    rated = [
        ("i", "a", "Ann", 3.0),
        ("i", "a", "Ann", 3.0),
        ("j", "a", "Ann", 4.0),
        ("j", "a", "Ann", 5.0),
        ("i", "a", "Bo", 2.0),
    ]
    study = make_study(ratings=[(item, system, who, "good", score) for item, system, who, score in rated])
    (row,) = repeat_rows("good", repeated_judgments(study)["good"])
    assert (row["annotator"], row["n"], row["same"], row["difference"]) == ("Ann", 2, 0.5, 0.5)
    found = validate.run(study, Options(resamples=20)).agreement.set_index("statistic").loc["self_consistency"]
    assert (found["estimate"], found["n_units"], found["n_annotators"]) == (0.5, 2, 1)
    once = make_study(ratings=[("i", "a", who, "good", 3.0) for who in ("Ann", "Bo")])
    assert repeated_judgments(once) == {}


def test_comparisons_are_clustered_by_item_and_annotator(study: Any, results: Any) -> None:
    (target,) = [target for target in targets(study) if target.label == "preference"]
    judged = target.judgments
    fit = stats.bradley_terry(
        judged.first, judged.second, judged.outcome, len(judged.systems),
        cluster={"item": judged.item, "annotator": judged.annotator},
    )  # fmt: skip
    rows = results.ranking[results.ranking["method"] == "bradley-terry"].set_index("system")
    for k, system in enumerate(judged.systems):
        found = rows.loc[system, ["estimate", "low", "high"]].tolist()
        assert found == pytest.approx([fit.strengths[k], fit.low[k], fit.high[k]])


def test_one_annotator_of_comparisons_is_no_cluster(make_study: Any) -> None:
    """Whoever is alone tells nothing of others: items alone are what varies."""
    compared = [(f"i{k}", "a", "b", "Ann", "b" if k % 3 == 0 else "a", "good") for k in range(12)]
    ranking = validate.run(make_study(comparisons=compared), Options(resamples=20)).ranking
    assert np.isfinite(ranking[["low", "high"]]).all(axis=None)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_the_number_of_workers_changes_no_byte(
    study: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    options = Options(**QUICK | {"resamples": 300, "coefficients": ("spearman",)}, test=test)
    for name, workers in (("one", 1), ("many", 5)):
        monkeypatch.setattr(os, "cpu_count", lambda workers=workers: workers)
        write(validate.run(study, options), tmp_path / name, "<html></html>")
    for name in COLUMNS:
        assert (tmp_path / "one" / f"{name}.csv").read_bytes() == (tmp_path / "many" / f"{name}.csv").read_bytes(), name
