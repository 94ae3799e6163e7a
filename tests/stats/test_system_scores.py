"""Scores of systems under resampled items; the plain twin draws items one by one and scores them again."""

import numpy as np
import pytest

import validate
from validate.schema import ScoreMatrix
from validate.stats.system_scores import system_score_draws, system_score_table, system_score_tables


def ratio(values: np.ndarray) -> np.ndarray:
    return values[..., 0] / values[..., 1]


def corpus(hits, of):
    """A metric whose corpus score is a ratio of sums."""
    statistics = np.stack([np.array(hits, float), np.array(of, float)], axis=-1)
    return ScoreMatrix("m", ratio(statistics), ("a", "b"), tuple("ijkl"), statistics=statistics, divide=ratio)


def test_the_corpus_score_is_resampled_and_not_the_mean():
    matrix = corpus([[1, 0, 3, 2], [2, 2, 2, 2]], [[2, 10, 3, 4], [4, 4, 4, 4]])
    frame = system_score_table(matrix, resamples=400, rng=3)
    # 1 + 0 + 3 + 2 of 2 + 10 + 3 + 4; b is 1/2 on every item and so in every resample
    assert frame["score"].tolist() == [6 / 19, 0.5]
    assert (frame["low"][1], frame["high"][1]) == (0.5, 0.5)
    assert frame["low"][0] < 6 / 19 < frame["high"][0]


def test_every_replicate_equals_a_score_of_drawn_items():
    """The plain twin: the same multinomial counts, each item repeated that often, statistics summed one by one."""
    rng = np.random.default_rng(5)
    hits, of = rng.integers(0, 9, (2, 4)), rng.integers(9, 20, (2, 4))
    matrix = corpus(hits, of)
    (draws,) = system_score_draws([matrix], resamples=300, rng=11)
    twin_rng = np.random.default_rng(11)
    counts = np.concatenate([twin_rng.multinomial(4, np.full(4, 0.25), size=n) for n in (256, 44)])
    for replicate in (0, 17, 255, 256, 299):
        items = np.repeat(np.arange(4), counts[replicate])
        for system in (0, 1):
            expected = sum(hits[system, items]) / sum(of[system, items])
            assert draws[replicate, system] == pytest.approx(expected, abs=1e-12)


def test_items_without_a_score_do_not_count():
    matrix = ScoreMatrix("m", [[1.0, np.nan, 3.0], [np.nan] * 3], ("a", "b"), ("i", "j", "k"))
    frame = system_score_table(matrix, resamples=100)
    assert (frame["score"][0], frame["n"].tolist()) == (2.0, [2, 0])
    assert frame.loc[1, ["score", "low", "high", "rank_low", "rank_high"]].isna().all()
    assert frame["rank_high"][0] == 1


def test_equal_systems_share_the_range_of_ranks():
    matrix = ScoreMatrix("m", [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]], ("a", "b", "c"), ("i", "j"))
    frame = system_score_table(matrix, resamples=50)
    assert frame["rank_low"].tolist() == [1, 1, 3]
    assert frame["rank_high"].tolist() == [2, 2, 3]


def test_where_lower_is_better_the_lowest_is_first():
    matrix = ScoreMatrix("wer", [[0.1, 0.2], [0.5, 0.6]], ("a", "b"), ("i", "j"), higher_is_better=False)
    assert system_score_table(matrix, resamples=50)["rank_high"].tolist() == [1, 2]


def test_metrics_meet_the_same_items():
    rng = np.random.default_rng(0)
    one = ScoreMatrix("one", rng.normal(size=(3, 20)), ("a", "b", "c"), tuple(map(str, range(20))))
    twice = ScoreMatrix("twice", 2 * one.values, one.systems, one.items)
    single, double = system_score_tables([one, twice], resamples=200, rng=1)
    np.testing.assert_allclose(double[["score", "low", "high"]], 2 * single[["score", "low", "high"]], rtol=1e-12)


def test_bleu_of_a_system_is_that_of_the_metric(sample):
    """The whole way: the interval of corpus BLEU contains the corpus score that the metric itself gives."""
    from validate.validation.scoring import score_study

    study = validate.load(sample)
    matrix = score_study(study, ["bleu"]).matrices["bleu"]
    frame = system_score_table(matrix, resamples=100)
    lead = study.outputs[study.outputs["system"] == "lead"]
    references = study.items.set_index("item_id")["references"]
    expected = (
        validate.metrics.get("bleu").score(lead["output"].tolist(), [references[i] for i in lead["item_id"]]).system
    )
    row = frame[frame["system"] == "lead"].iloc[0]
    assert row["score"] == pytest.approx(expected, rel=1e-12)
    assert row["low"] < expected < row["high"]
