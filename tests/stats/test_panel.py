"""What comes through the door: labels, directions, holes, and every mistake named."""

from __future__ import annotations

import numpy as np
import pytest

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError
from validate.schema import FloatArray, ScoreMatrix
from validate.stats.panel import panel

SCORES = np.array([[1.0, 2.0, 4.0], [2.0, 1.0, 5.0], [3.0, 3.0, 6.0]])
HUMAN = np.array([[1.0, 1.0, 3.0], [2.0, 3.0, 4.0], [4.0, 2.0, 5.0]])


def matrix(
    values: FloatArray, name: str = "m", *, higher: bool = True, systems: str = "abc", items: str = "xyz"
) -> ScoreMatrix:
    return ScoreMatrix(name, values, tuple(systems), tuple(items), higher)


def test_labels_decide_not_positions() -> None:
    shuffled = matrix(SCORES[[2, 0, 1]][:, [1, 2, 0]], systems="cab", items="yzx")
    for level in ("system", "item"):
        assert float(stats.correlation(shuffled, matrix(HUMAN), level=level)) == float(
            stats.correlation(SCORES, HUMAN, level=level)
        )


def test_only_common_systems_and_judged_items_enter() -> None:
    wider = np.vstack([np.hstack([SCORES, [[9.0], [0.0], [5.0]]]), [[0.0, 0.0, 0.0, 0.0]]])
    laid = panel("test", matrix(wider, systems="abcd", items="xyzw"), matrix(HUMAN))
    assert (laid.n_systems, laid.n_items) == (3, 3)
    assert laid.metrics[0].values.tolist() == SCORES.tolist()


@pytest.mark.parametrize(
    ("metric_higher", "human_higher", "sign"),
    [(True, True, 1), (False, True, -1), (True, False, -1), (False, False, 1)],
)
def test_positive_always_means_agreement(metric_higher: bool, human_higher: bool, sign: int) -> None:
    estimate = stats.correlation(matrix(SCORES, higher=metric_higher), matrix(HUMAN, higher=human_higher))
    assert float(estimate) == sign * float(stats.correlation(SCORES, HUMAN))


def test_arrays_are_taken_as_they_are_and_count_as_higher_is_better() -> None:
    assert float(stats.correlation(-SCORES, HUMAN)) == -float(stats.correlation(SCORES, HUMAN))
    assert float(stats.correlation(matrix(SCORES, higher=False), HUMAN)) == -float(stats.correlation(SCORES, HUMAN))


def test_the_sign_of_a_corpus_score_is_turned_too() -> None:
    statistics = np.stack([SCORES, np.ones_like(SCORES)], axis=2)
    rate = ScoreMatrix(
        "rate", SCORES, tuple("abc"), tuple("xyz"), False, "", statistics, lambda sums: sums[..., 0] / sums[..., 1]
    )
    plain = stats.correlation(SCORES, HUMAN, level="system", coefficient="pearson")
    assert float(stats.correlation(rate, matrix(HUMAN), level="system", coefficient="pearson")) == pytest.approx(
        -float(plain), abs=1e-15
    )


def test_metrics_come_in_many_forms() -> None:
    forms = {
        "one array": SCORES,
        "list of arrays": [SCORES, HUMAN],
        "cube": np.stack([SCORES, HUMAN]),
        "dict": {"metric_1": SCORES, "metric_2": HUMAN},
        "matrices": [matrix(SCORES, "metric_1"), matrix(HUMAN, "metric_2")],
        "mixed": [matrix(SCORES, "metric_1"), HUMAN],
    }
    for form, metrics in forms.items():
        frame = stats.bootstrap(metrics, HUMAN, resamples=2)
        assert frame["metric"].tolist() == ["metric_1", "metric_2"][: len(frame)], form
        assert frame["estimate"].iloc[0] == float(stats.correlation(SCORES, HUMAN)), form


def test_one_human_score_a_system_is_not_resampled_with_the_items() -> None:
    strengths = np.array([[0.1], [0.5], [0.9]])
    replicates = stats.resample(
        SCORES, strengths, level="system", unit="items", coefficients=["pearson"], resamples=200, rng=1
    )
    assert replicates.point[0, 0] == pytest.approx(
        float(stats.pearson(SCORES.mean(axis=1), strengths[:, 0])), abs=1e-15
    )
    assert replicates.facts[0].n_items == 3
    labelled = ScoreMatrix("human", strengths, tuple("abc"), ("all",))
    assert (
        stats.resample(
            matrix(SCORES), labelled, level="system", unit="items", coefficients=["pearson"], resamples=200, rng=1
        ).values.tobytes()
        == replicates.values.tobytes()
    )
    with pytest.raises(OptionError, match=r"'human scores' has one score a system.*use level='system'"):
        stats.correlation(matrix(SCORES), labelled, level="item")


def test_one_given_score_a_system_on_the_metric_side() -> None:
    published = ScoreMatrix("published", np.array([[0.3], [0.1], [0.2]]), tuple("abc"), ("all",))
    estimate = stats.correlation(published, matrix(HUMAN), level="system")
    assert float(estimate) == float(stats.spearman([0.3, 0.1, 0.2], HUMAN.mean(axis=1)))


def test_every_mistake_is_named() -> None:
    with pytest.raises(ShapeError, match=r"correlation: scores of shapes \(2, 3\), \(3, 3\) were given"):
        stats.correlation(SCORES[:2], HUMAN)
    with pytest.raises(ShapeError, match=r"metric has shape \(3,\); \(n_systems, n_items\) is allowed"):
        stats.correlation(SCORES[0], HUMAN)
    with pytest.raises(ShapeError, match="at least one system must be in both"):
        stats.correlation(matrix(SCORES), matrix(HUMAN, systems="def"))
    with pytest.raises(ShapeError, match="no metric was given"):
        stats.bootstrap([], HUMAN)
    with pytest.raises(OptionError, match="'m' occur more than once"):
        stats.bootstrap([matrix(SCORES), matrix(HUMAN)], HUMAN)
    with pytest.raises(AccordError, match="correlation: 1 scores of metric are infinite"):
        stats.correlation(np.where(SCORES == 6.0, np.inf, SCORES), HUMAN)
    with pytest.raises(OptionError, match=r"partial='some' was given; allowed: 'judged'"):
        stats.correlation(SCORES, HUMAN, partial="some")
