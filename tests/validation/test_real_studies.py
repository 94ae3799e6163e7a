"""The four real studies, each with its quirks. They lie beside the project, in ../shared; a clone without it skips them."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import validate
from validate.validation import Options

QUICK = Options(resamples=50, crosscheck_rows=25)


@pytest.fixture(scope="module")
def run(shared):
    """``run(name)``: the study and its results, made once."""
    known = {}

    def of(name):
        if name not in known:
            study = validate.load(shared / "data" / name)
            known[name] = study, validate.run(study, QUICK)
        return known[name]

    return of


def _estimate(results, **at):
    frame = results.correlations
    for column, value in at.items():
        frame = frame[frame[column] == value]
    (row,) = frame.to_dict("records")
    return row["estimate"]


def test_realsumm_correlates_its_published_scores_beside_ours(run):
    _, results = run("realsumm")
    metrics = set(results.correlations["metric"])
    assert {"bleu", "rouge1", "rougeLsum", "rouge_1_recall", "js-2", "mover_score", "bert_recall_score"} <= metrics
    assert {entry["origin"] for entry in results.run["metrics"]} == {"accord", "study"}


@pytest.mark.parametrize(
    ("metric", "system", "item"),
    # System-level and summary-level tau over all 100 documents, as the study's README in ../shared recomputed them.
    [
        ("bert_recall_score", 0.5518, 0.3474),
        ("mover_score", 0.2843, 0.2805),
        ("rouge_1_recall", 0.7726, 0.4064),
        ("rouge_2_recall", 0.8595, 0.3488),
        ("rouge_l_recall", 0.7592, 0.3929),
        ("js-2", 0.5117, 0.2571),
    ],
)
def test_realsumm_gives_the_known_correlations(run, metric, system, item):
    _, results = run("realsumm")
    assert _estimate(results, metric=metric, level="system", coefficient="kendall") == pytest.approx(system, abs=6e-5)
    here = {"metric": metric, "level": "item", "grouping": "item", "coefficient": "kendall"}
    assert _estimate(results, **here) == pytest.approx(item, abs=6e-5)


def test_realsumm_by_scipy(run):
    """Pooled tau-b of our ROUGE-1 with people, by scipy on the same matrices.

    Scores that are equal as fractions differ in the last bit here and there: 2PR/(P+R) of other P and R. They are ties, so
    that scipy gets them rounded.
    """
    study, results = run("realsumm")
    people = validate.human_scores(study).values.ravel()
    scores = results.scores[results.scores["metric"] == "rouge1"].pivot(
        index="system", columns="item_id", values="score"
    )
    ours = scores.loc[list(study.systems), list(study.item_ids)].to_numpy().ravel()
    expected = kendalltau(np.round(ours, 12), people).statistic
    here = {"metric": "rouge1", "level": "item", "grouping": "none", "coefficient": "kendall"}
    assert _estimate(results, **here) == pytest.approx(expected, abs=1e-9)


def test_realsumm_says_that_one_annotator_shows_no_agreement(run):
    _, results = run("realsumm")
    assert results.agreement["estimate"].isna().all()
    assert results.agreement["reason"].str.len().gt(0).all()
    assert any("one annotator only" in warning["text"] for warning in results.run["warnings"])


def test_squality_holds_the_human_writer_out(run):
    _, results = run("squality")
    (held,) = results.run["held_out"]
    assert (held["system"], held["n_outputs"], held["n_left_out"]) == ("human", 100, 0)
    scores = results.scores[(results.scores["metric"] == "rouge1") & (results.scores["system"] == "human")]
    assert len(scores) == 100
    assert scores["score"].max() < 1


def test_squality_has_ratings_and_comparisons_of_the_same_criteria(run):
    _, results = run("squality")
    assert set(results.correlations["criterion"]) == {
        "correctness", "selection", "overall",
        "correctness (pairwise)", "selection (pairwise)", "overall (pairwise)",
    }  # fmt: skip
    means = results.ranking[results.ranking["method"] == "mean"].set_index(["criterion", "system"])["estimate"]
    # means as the study's README in ../shared gives them
    assert means["overall", "bart"] == pytest.approx(18.1, abs=0.05)
    assert means["overall", "bart-dpr"] == pytest.approx(27.9, abs=0.05)
    assert means["overall", "human"] == pytest.approx(91.3, abs=0.05)


def test_squality_agreement_is_as_published_beside_it(run):
    _, results = run("squality")
    frame = results.agreement
    alpha = frame[(frame["statistic"] == "krippendorff_alpha") & (frame["measurement"] == "interval")]
    found = alpha.set_index("criterion")["estimate"]
    for criterion, expected in {"correctness": 0.459, "selection": 0.781, "overall": 0.798}.items():
        assert found[criterion] == pytest.approx(expected, abs=6e-4)


def test_squality_never_reads_position_as_preference(run):
    _, results = run("squality")
    compared = results.ranking[results.ranking["method"] == "bradley-terry"]
    assert compared.groupby("criterion")["system"].apply(list).map(lambda order: order[0]).eq("human").all()


def test_llmfao_runs_without_references(run):
    _, results = run("llmfao")
    assert set(results.scores["metric"]) == {"length", "random"}
    reasons = {entry["what"]: entry["reason"] for entry in results.run["skipped"]}
    assert reasons["bleu"] == "it needs references, and no item has any"
    assert {"GPT 4"} <= set(results.ranking["system"])


def test_llmfao_gives_the_published_strengths(run):
    _, results = run("llmfao")
    frame = results.ranking[results.ranking["method"] == "bradley-terry"].set_index("system")
    normalised = np.exp(frame["estimate"]) / np.exp(frame["estimate"]).sum()
    # leaderboard of the study, Bradley-Terry with ties as halves, normalised to sum 1
    published = {
        "GPT 4": 0.041218,
        "Platypus-2 Instruct (70B)": 0.029233,
        "command": 0.028852,
        "GPT 3.5 Turbo": 0.025871,
    }
    for system, value in published.items():
        assert normalised[system] == pytest.approx(value, abs=6e-7)
    assert frame.loc["GPT 4", "n"] == 158


def test_llmfao_agreement(run):
    _, results = run("llmfao")
    frame = results.agreement.set_index(["statistic", "measurement"])["estimate"]
    assert frame["krippendorff_alpha", "nominal"] == pytest.approx(0.291, abs=6e-4)
    assert frame["krippendorff_alpha", "ordinal"] == pytest.approx(0.288, abs=6e-4)


def test_conala_leaves_out_the_reference_that_is_graded_too(run):
    _, results = run("codegen_conala")
    (held,) = results.run["held_out"]
    # 456 items have one reference; on two more every reference says the same
    assert (held["system"], held["n_outputs"], held["n_left_out"]) == ("snippet", 472, 458)
    left = [entry for entry in results.run["skipped"] if entry["what"] == "bleu"]
    assert left[0]["n"] == 458


def test_conala_keeps_names_apart_and_agrees_with_the_published_alpha(run):
    _, results = run("codegen_conala")
    assert {"bleu", "bleu (given)", "chrf", "chrf (given)", "codebleu"} <= set(results.correlations["metric"])
    frame = results.agreement.set_index(["statistic", "measurement"])["estimate"]
    assert frame["krippendorff_alpha", "ordinal"] == pytest.approx(0.692, abs=6e-4)
    assert frame["krippendorff_alpha", "interval"] == pytest.approx(0.701, abs=6e-4)
