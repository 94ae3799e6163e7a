"""The whole way on the sample, whose truth is known: what was put in must be found."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import validate
from validate.errors import OptionError
from validate.results import COLUMNS, PARQUET_COLUMNS, read, write
from validate.schema import Settings
from validate.validation import Options

TRUE_ORDER = ["summ-large", "summ-base", "lead", "summ-small", "extract", "keywords"]
QUICK = Options(resamples=200, crosscheck_rows=40)


@pytest.fixture(scope="module")
def study(sample):
    return validate.load(sample)


@pytest.fixture(scope="module")
def results(study):
    return validate.run(study, QUICK)


def test_every_table_has_its_columns_and_something_in_it(results):
    for name, columns in {**COLUMNS, **PARQUET_COLUMNS}.items():
        frame = getattr(results, name)
        assert tuple(frame.columns) == columns
        assert len(frame) > 0, name


def test_the_true_order_of_systems_is_found(results):
    ranking = results.ranking
    compared = ranking[(ranking["criterion"] == "preference") & (ranking["method"] == "bradley-terry")]
    assert compared["system"].tolist() == TRUE_ORDER
    assert ranking[ranking["method"] == "win-rate"]["system"].tolist() == TRUE_ORDER


def test_the_careless_annotator_stands_out(results):
    frame = results.annotators
    for criterion in ("adequacy", "fluency"):
        rated = frame[frame["criterion"] == criterion].set_index("annotator")["agreement"]
        assert rated.idxmin() == "r4"
        assert rated["r4"] < rated.drop("r4").min() - 0.2


def test_every_combination_of_level_grouping_and_coefficient_has_a_row(results):
    rows = results.correlations.groupby(["criterion", "level", "grouping", "coefficient"]).size()
    assert len(rows) == 3 * 4 * 3
    assert rows.nunique() == 1
    assert set(results.correlations["unit"]) == {"both"}
    assert set(results.correlations["seed"]) == {0}


def test_estimates_lie_in_their_intervals_where_they_are_defined(results):
    defined = results.correlations.dropna(subset=["estimate", "low", "high"])
    assert len(defined) > 300
    assert (defined["low"] <= defined["high"]).all()
    assert defined["estimate"].between(-1, 1).all()


def test_a_system_correlation_is_that_of_the_corpus_scores_with_the_mean_ratings(study, results):
    """By hand: corpus BLEU per system from the metric itself, the people's means from the ratings, Spearman by scipy."""
    from scipy.stats import spearmanr

    bleu = validate.metrics.get("bleu")
    references = study.items.set_index("item_id")["references"]
    mine, people = [], []
    for system in study.systems:
        outputs = study.outputs[study.outputs["system"] == system]
        mine.append(bleu.score(outputs["output"].tolist(), [references[i] for i in outputs["item_id"]]).system)
        rated = study.ratings[(study.ratings["system"] == system) & (study.ratings["criterion"] == "adequacy")]
        people.append(rated.groupby("item_id")["score"].mean().mean())
    rows = results.correlations.set_index(["criterion", "metric", "level", "coefficient"])["estimate"]
    assert rows["adequacy", "bleu", "system", "spearman"] == pytest.approx(spearmanr(mine, people).statistic)


def test_the_reference_libraries_agree(results):
    checked = results.crosscheck
    assert set(checked["status"]) <= {"equal", "no reference library"}
    assert set(checked[checked["status"] == "equal"]["metric"]) >= {
        "bleu",
        "chrf",
        "chrf++",
        "rouge1",
        "rougeL",
        "wer",
        "cer",
    }
    equal = checked[checked["status"] == "equal"]
    slow = equal["metric"].str.startswith(
        ("ter", "bertscore")
    )  # their libraries do fewer rows in the time of the others
    assert equal[~slow]["n"].eq(40).all()
    assert equal[slow]["n"].between(1, 40).all()


def test_a_metric_is_chosen_with_its_uncertainty(results):
    choices = results.choice["choices"]
    assert len(choices) == 3 * 4
    assert results.choice["primary"]["level"] == "item"  # six systems are too few for the system level
    for choice in choices:
        assert choice["verdict"] in ("clear", "likely", "open", "none", "undefined")
        assert choice["best"]["metric"] not in ("length", "length_ratio", "random")


def test_the_readers_are_warned_that_judgments_are_simulated(results):
    assert results.run["study"]["simulated"]
    assert results.run["warnings"][0]["weight"] == 3
    assert "made by a program" in results.run["warnings"][0]["text"]


def test_the_ten_parting_cases_are_of_ten_items_largest_gap_first(results):
    gaps = [abs(case["gap"]) for case in results.cases]
    assert len({case["item_id"] for case in results.cases}) == 10
    assert gaps == sorted(gaps, reverse=True)


def test_the_same_seed_gives_the_same_bytes(study, results, tmp_path):
    again = validate.run(study, QUICK)
    for name, found in (("one", results), ("two", again)):
        write(found, tmp_path / name, "<html></html>")
    for name in COLUMNS:
        one, two = ((tmp_path / run / f"{name}.csv").read_bytes() for run in ("one", "two"))
        assert one == two, name


def test_another_seed_moves_intervals_and_no_estimate(study, results):
    other = validate.run(study, Options(resamples=200, crosscheck_rows=0, seed=1, metrics=("chrf", "bleu")))
    pick = ["criterion", "metric", "level", "grouping", "coefficient"]
    both = results.correlations.merge(other.correlations, on=pick, suffixes=("", "_other"))
    assert set(other.correlations["metric"]) == {"chrf", "bleu", "length", "length_ratio", "random"}
    assert len(both) == 5 * 36
    np.testing.assert_allclose(both["estimate"], both["estimate_other"], atol=1e-12)
    assert not np.allclose(both["low"], both["low_other"])


def test_results_are_read_back_as_they_were_written(results, tmp_path):
    folder = write(results, tmp_path / "out", "<html></html>")
    back = read(folder)
    for name in (*COLUMNS, *PARQUET_COLUMNS):
        pd.testing.assert_frame_equal(getattr(back, name), getattr(results, name), check_dtype=False, obj=name)
    assert back.choice["primary"] == results.choice["primary"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "item"}, "did you mean 'items'"),
        ({"interval": "corected"}, "did you mean 'corrected'"),
        ({"resamples": 1}, "resamples=1 was given; allowed: a whole number, 2 or more"),
        ({"seed": -1}, "seed=-1 was given; allowed: a whole number, 0 or more"),
        ({"crosscheck_rows": -5}, "crosscheck_rows=-5 was given"),
        ({"duplicates": "newest"}, "allowed: last, first, all, error"),
        ({"references": "some"}, "allowed: all, equal"),
        ({"coefficients": ("speerman",)}, "did you mean 'spearman'"),
        ({"confidence": 95}, "confidence=95 was given; allowed: between 0 and 1"),
        ({"human": "median"}, "allowed: mean, z-score"),
    ],
)
def test_wrong_options_are_refused_before_the_work_begins(options, message):
    with pytest.raises(OptionError, match=message):
        Options(**options)


def test_p_values_and_intervals_say_the_same(results):
    """An interval clear of zero goes with p < 0.05, one that holds it with p > 0.05, up to the roughness of a few replicates."""
    rows = results.significance.dropna(subset=["low", "high", "p"])
    clear = (rows["low"] > 0) | (rows["high"] < 0)
    assert len(rows) > 1000
    assert ((rows["p"] < 0.05) == clear).mean() > 0.99


def test_the_plain_bootstrap_is_there_by_name(study, results):
    plain = validate.run(study, Options(resamples=200, crosscheck_rows=0, metrics=("chrf",), interval="percentile"))
    pick = ["criterion", "metric", "level", "grouping", "coefficient"]
    both = results.correlations.merge(plain.correlations, on=pick, suffixes=("", "_plain"))
    both = both[(both["level"] == "item") & (both["metric"] == "chrf")].dropna()
    width, plain_width = both["high"] - both["low"], both["high_plain"] - both["low_plain"]
    assert len(both) == 27
    np.testing.assert_allclose(both["estimate"], both["estimate_plain"], atol=1e-12)
    assert (
        np.abs(width / plain_width - 1) > 0.02
    ).mean() > 0.9  # six systems: Student's t makes the corrected one wider


def test_the_controls_are_there_whatever_is_chosen(study):
    alone = validate.run(study, Options(metrics=("length(unit=codepoint)", "bleu"), resamples=20, crosscheck_rows=0))
    assert set(alone.correlations["metric"]) == {"length(unit=codepoint)", "bleu", "length_ratio", "random"}


def test_an_unknown_metric_brings_the_nearest(study):
    with pytest.raises(OptionError, match="did you mean 'chrf"):
        validate.run(study, Options(metrics=("chfr",)))


def test_paths_of_the_machine_stay_out_of_the_results(results):
    assert results.run["study"]["path"] == Path("data/sample").name


def test_a_metric_that_runs_against_people_undeclared_is_asked_about(make_study):
    rows = [(f"i{i}", s, i % 5 + 2 * k) for i in range(20) for k, s in enumerate("abcdefgh")]
    ratings = [(item, system, who, "good", float(score)) for item, system, score in rows for who in ("x", "y")]
    errors = [(item, system, "errors", float(-score)) for item, system, score in rows]
    study = make_study(ratings=ratings, metric_scores=errors)
    warnings = validate.run(study, Options(resamples=50)).run["warnings"]
    assert any("errors correlates negatively with people" in warning["text"] for warning in warnings)
    declared = make_study(
        Settings(metric_options={"errors": {"higher_is_better": False}}), ratings=ratings, metric_scores=errors
    )
    results = validate.run(declared, Options(resamples=50))
    assert not any("negatively" in warning["text"] for warning in results.run["warnings"])
    assert results.correlations[results.correlations["metric"] == "errors"]["estimate"].dropna().gt(0.9).all()


def test_annotators_can_be_what_is_resampled(study, results):
    """Other annotators of the same outputs: estimates stay, intervals are of another population."""
    options = {"resamples": 40, "crosscheck_rows": 0, "metrics": ("chrf",), "unit": "annotators"}
    found = validate.run(study, Options(**options)).correlations
    pick = ["criterion", "metric", "level", "grouping", "coefficient"]
    both = found.merge(results.correlations, on=pick, suffixes=("", "_both"))
    np.testing.assert_allclose(both["estimate"], both["estimate_both"], atol=1e-9)
    item = both[(both["level"] == "item") & (both["grouping"] == "item")].dropna()
    assert ((item["high"] - item["low"]) < (item["high_both"] - item["low_both"])).mean() > 0.8


def test_standardised_ratings_can_be_resampled_by_annotators_as_well(study):
    options = {"resamples": 40, "crosscheck_rows": 0, "metrics": ("chrf",), "human": "z-score"}
    by_people = validate.run(study, Options(**options, unit="annotators")).correlations
    by_both = validate.run(study, Options(**options)).correlations
    pick = ["criterion", "metric", "level", "grouping", "coefficient"]
    both = by_people.merge(by_both, on=pick, suffixes=("", "_both"))
    assert len(both) == len(by_people)
    np.testing.assert_allclose(both["estimate"], both["estimate_both"], atol=1e-9)
    rated = both[both["criterion"].isin(["adequacy", "fluency"]) & (both["level"] == "item")]
    assert (rated["high"] > rated["low"]).all()


def test_one_annotator_cannot_be_resampled(make_study):
    ratings = [(f"i{i}", s, "only", "good", float(i + k)) for i in range(4) for k, s in enumerate("ab")]
    scores = [(f"i{i}", s, "m", float(i)) for i in range(4) for s in "ab"]
    with pytest.raises(OptionError, match="good has 1 annotator"):
        validate.run(make_study(ratings=ratings, metric_scores=scores), Options(unit="annotators"))
