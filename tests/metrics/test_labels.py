"""Accuracy and F1 of labels, by hand and beside scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordError, AccordWarning
from validate.metrics import _labels

TRUE = ["a", "a", "a", "b", "b", "c"]
GIVEN = ["a", "a", "b", "b", "x", "a"]
ROWS = [[label] for label in TRUE]
pytestmark = pytest.mark.filterwarnings("ignore:.*outside the .* of the references.*:validate.errors.AccordWarning")

labels = st.sampled_from(["a", "b", "c", "d", "", " a", "A", "да", "(other)"])
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=30)


def test_by_hand() -> None:
    """a: P 2/3, R 2/3; b: P 1/2, R 1/2; c: 0; x is none of the labels. Macro (2/3 + 1/2 + 0) / 3 = 7/18."""
    assert metrics.get("accuracy").score(GIVEN, ROWS).system == 3 / 6
    found = {
        average: metrics.get("macro_f1", average=average).score(GIVEN, ROWS).system
        for average in ("macro", "micro", "weighted")
    }
    assert found["macro"] == pytest.approx(7 / 18, abs=1e-15)
    assert found["micro"] == pytest.approx(2 * 3 / (5 + 6), abs=1e-15)
    assert found["weighted"] == pytest.approx((3 * 2 / 3 + 2 * 1 / 2) / 6, abs=1e-15)


def test_an_item_scores_whether_it_is_right() -> None:
    for average in ("macro", "micro", "weighted"):
        assert metrics.get("macro_f1", average=average).score(GIVEN, ROWS).items.tolist() == [1, 1, 0, 1, 0, 0]


def test_confusion_by_hand() -> None:
    for name in ("accuracy", "macro_f1"):
        frame = metrics.get(name).confusion(GIVEN, ROWS)
        assert frame.index.tolist() == ["a", "b", "c"]
        assert frame.columns.tolist() == ["a", "b", "c", "(other)"]
        assert frame.to_numpy().tolist() == [[2, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]]


def test_the_table_of_classes_by_hand() -> None:
    frame = metrics.get("macro_f1").per_class(GIVEN, ROWS)
    assert frame.loc["a"].tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 3, 3])
    assert frame.loc["b"].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 2, 2, 2])
    assert frame.loc["c"].tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@given(pairs=pairs)
def test_scikit_learn_with_the_labels_of_the_references(
    library: Any, average: str, pairs: list[tuple[str, str]]
) -> None:
    sklearn = library("sklearn.metrics")
    true, given_ = map(list, zip(*pairs, strict=True))
    found = metrics.get("macro_f1", average=average).score(given_, [[label] for label in true])
    named = sorted(set(true))
    expected = sklearn.f1_score(true, given_, labels=named, average=average, zero_division=0)
    assert found.system == pytest.approx(expected, abs=1e-15)
    assert metrics.get("accuracy").score(given_, [[label] for label in true]).system == pytest.approx(
        sklearn.accuracy_score(true, given_), abs=1e-15
    )


@given(pairs=pairs)
def test_tables_of_scikit_learn(library: Any, pairs: list[tuple[str, str]]) -> None:
    sklearn = library("sklearn.metrics")
    true, given_ = map(list, zip(*pairs, strict=True))
    rows, named = [[label] for label in true], sorted(set(true))
    frame = metrics.get("macro_f1").per_class(given_, rows)
    expected = sklearn.precision_recall_fscore_support(true, given_, labels=named, zero_division=0)
    np.testing.assert_allclose(frame[["precision", "recall", "f1", "n_true"]].to_numpy().T, expected, atol=1e-15)
    counted = metrics.get("accuracy").confusion(given_, rows).to_numpy()
    if len(named) > 1:  # scikit-learn warns of a single label
        np.testing.assert_array_equal(counted[:, :-1], sklearn.confusion_matrix(true, given_, labels=named))
    assert counted.sum() == len(pairs)


def test_where_scikit_learn_counts_one_more_class(library: Any) -> None:
    """Without labels=, the output "x" is a class with F1 0: (2/3 + 1/2 + 0 + 0) / 4 instead of / 3."""
    f1_score = library("sklearn.metrics").f1_score
    assert f1_score(TRUE, GIVEN, average="macro", zero_division=0) == pytest.approx(7 / 24)
    assert metrics.get("macro_f1").score(GIVEN, ROWS).system == pytest.approx(7 / 18)


def test_a_fitted_set_of_labels_holds_for_every_sample(library: Any) -> None:
    """With a, b, c, d fitted, a sample without c and d averages over all four: scikit-learn's labels=."""
    fitted = metrics.get("macro_f1").fit([["a"], ["b"], ["c"], ["d"]])
    found = fitted.score(["a", "b"], [["a"], ["a"]]).system
    expected = library("sklearn.metrics").f1_score(
        ["a", "a"], ["a", "b"], labels=list("abcd"), average="macro", zero_division=0
    )
    assert found == pytest.approx(expected) == pytest.approx(2 / 3 / 4)
    assert "fit:4 items" in fitted.signature


def test_all_corpus_values_come_from_the_sums() -> None:
    metric = metrics.get("macro_f1")
    statistics = metric.statistics(GIVEN, ROWS)
    assert statistics.shape == (6, 3 * 3)
    assert statistics.sum(axis=0).tolist() == [2, 1, 0, 3, 2, 0, 3, 2, 1]
    assert metric.divide(statistics.sum(axis=0), level="system") == pytest.approx(7 / 18)


def test_normalization() -> None:
    outputs, rows = [" yes\n", "YES", "no"], [["yes"], ["yes"], ["no"]]
    for name in ("accuracy", "macro_f1"):
        items = {
            how: metrics.get(name, normalization=how).score(outputs, rows).items.tolist()
            for how in ("none", "strip", "lower")
        }
        assert items == {"none": [0, 0, 1], "strip": [1, 0, 1], "lower": [1, 1, 1]}


def test_any_of_several_references_is_right() -> None:
    for name in ("accuracy", "macro_f1"):
        found = metrics.get(name).score(["b", "c"], [["a", "b"], ["a", "b"]])
        assert found.items.tolist() == [1, 0]
    assert metrics.get("accuracy").confusion(["b", "c"], [["a", "b"], ["a", "b"]]).to_numpy().tolist() == [
        [0, 0, 1],
        [0, 1, 0],
    ]


@pytest.mark.parametrize("name", ["accuracy", "macro_f1"])
def test_outputs_outside_the_labels_are_warned_of(name: str) -> None:
    with pytest.warns(
        AccordWarning,
        match=f"{name}: 2 outputs outside the 2 labels of the references, scored as wrong; 1 of them would be one under normalization='lower'",
    ):
        metrics.get(name).score(["Yes", "maybe", "no"], [["yes"], ["yes"], ["no"]])


@pytest.mark.parametrize("name", ["accuracy", "macro_f1"])
def test_free_text_is_refused(name: str) -> None:
    rows = [[f"text {number}"] for number in range(_labels.MAX_LABELS + 1)]
    with pytest.raises(AccordError, match=f"{name}: the references name 1,001 different labels.*is this free text"):
        metrics.get(name).score([""] * len(rows), rows)


def test_labels_that_were_not_fitted_are_refused() -> None:
    with pytest.raises(AccordError, match=r"labels that are not in the fitted collection \('c'\)"):
        metrics.get("macro_f1").fit([["a"], ["b"]]).score(["a", "a"], [["a"], ["c"]])


def test_items_without_references_are_left_out() -> None:
    for name in ("accuracy", "macro_f1"):
        found = metrics.get(name).score(["a", "b"], [["a"], []])
        assert np.isnan(found.items).tolist() == [False, True]
        assert found.system == 1
        assert metrics.get(name).confusion(["a", "b"], [["a"], []]).to_numpy().tolist() == [[1, 0]]


def test_the_cross_check_compares_them() -> None:
    pytest.importorskip("sklearn")
    from validate.crosscheck import crosscheck

    frame = crosscheck(["accuracy", metrics.get("macro_f1", average="weighted")], GIVEN, ROWS)
    assert frame["status"].tolist() == ["equal", "equal"]
    two = crosscheck(["accuracy"], ["a"], [["a", "b"]])
    assert two["status"].tolist() == ["skipped: scikit-learn knows exactly one true label an item"]
