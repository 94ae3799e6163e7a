"""The cross-check: what it compares, what it says, and that nothing a library does stops it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from validate import metrics
from validate.crosscheck import COLUMNS, crosscheck, failed, summary
from validate.errors import OptionError, ShapeError
from validate.metrics import NoCounterpart, _registry

OUTPUTS = ["the cat sat on the mat", "a dog barks", "the cat sat on the mat", "no reference here"]
REFERENCES = [
    ["the cat is sitting on the mat"],
    ["the dog barked", "a dog barked"],
    ["the cat is sitting on the mat"],
    [],
]


@pytest.fixture
def library_says(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Put another reference behind a metric: ``library_says("bleu", score=…)``."""
    metrics.names()

    def change(name: str, **changes: Any) -> None:
        entry = _registry._entries[name]
        first, *others = entry.references
        monkeypatch.setitem(_registry._entries, name, replace(entry, references=(replace(first, **changes), *others)))

    return change


def ours(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
    score = metric.score(outputs, references)
    return score.items.copy(), score.system


def test_every_default_metric_is_equal_on_plain_texts() -> None:
    for package in ("sacrebleu", "rouge_score", "jiwer", "rapidfuzz"):
        pytest.importorskip(package)
    names = [name for name, entry in metrics.entries().items() if entry.default and entry.references]
    frame = crosscheck(names, OUTPUTS, REFERENCES)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["status"].tolist() == ["equal"] * len(names)
    assert frame["metric"].tolist() == names
    assert (frame["max_abs_difference"] <= frame["tolerance"]).all()
    assert (frame["version"] != "").all()
    assert not failed(frame)


def test_rows_that_say_the_same_are_compared_once_and_rows_without_references_not_at_all(library_says: Any) -> None:
    library_says("bleu", package="numpy", score=ours)
    assert crosscheck(["bleu"], OUTPUTS, REFERENCES).loc[0, "n"] == 2


def test_options_of_the_metric_are_honoured() -> None:
    pytest.importorskip("sacrebleu")
    frame = crosscheck([metrics.get("bleu", smoothing="add-k", tokenizer="char"), "bleu"], OUTPUTS, REFERENCES)
    assert frame["status"].tolist() == ["equal", "equal"]


def test_a_blank_reference_and_tabs_are_compared_like_with_like() -> None:
    for package in ("sacrebleu", "jiwer"):
        pytest.importorskip(package)
    names = ["bleu", "wer", metrics.get("wer", tokenizer="jiwer")]
    frame = crosscheck(names, ["a b\tc\xa0d"], [["a b c d e f g h", ""]])
    assert frame["status"].tolist() == ["equal"] * 3


def test_a_limit_draws_rows_by_the_seed(library_says: Any) -> None:
    seen: list[list[str]] = []

    def record(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        seen.append(list(outputs))
        return ours(metric, outputs, references)

    library_says("bleu", package="numpy", score=record)
    outputs = [f"text {number}" for number in range(50)]
    references = [["text"]] * 50
    for rng in (1, 1, 2, np.random.default_rng(1)):
        frame = crosscheck(["bleu"], outputs, references, limit=7, rng=rng)
        assert frame.loc[0, "n"] == 7
    assert seen[0] == seen[1] == seen[3] != seen[2]
    assert seen[0] == sorted(seen[0], key=outputs.index)


def test_a_bound_on_the_work_draws_fewer_long_rows(library_says: Any) -> None:
    """Rows of 2 × 3 = 6 pairs of words: 20 pairs are three rows; no bound is so tight that nothing is compared."""
    library_says("bleu", package="numpy", score=ours)
    outputs, references = [f"a b{number}" for number in range(10)], [["x y", "z"]] * 10
    for work, expected in ((20, 3), (18, 3), (1, 1), (None, 10), (1000, 10)):
        assert crosscheck(["bleu"], outputs, references, work=work).loc[0, "n"] == expected
    assert crosscheck(["bleu"], outputs, references, work=20, limit=2).loc[0, "n"] == 2


@pytest.mark.parametrize("wrong", ["item", "corpus"])
def test_a_difference_is_found_in_an_item_and_in_the_corpus(library_says: Any, wrong: str) -> None:
    def off(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        items, corpus = ours(metric, outputs, references)
        if wrong == "corpus":
            return items, corpus + 1e-6
        items[1] += 1e-6
        return items, corpus

    library_says("bleu", package="numpy", score=off)
    frame = crosscheck(["bleu"], OUTPUTS, REFERENCES)
    assert frame.loc[0, "status"] == "differs"
    assert frame.loc[0, "max_abs_difference"] == pytest.approx(1e-6)
    assert failed(frame)


def test_what_the_library_has_no_answer_for_is_not_compared(library_says: Any) -> None:
    def silent(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        return np.full(len(outputs), np.nan), float("nan")

    library_says("bleu", package="numpy", score=silent)
    assert crosscheck(["bleu"], OUTPUTS, REFERENCES).loc[0, "max_abs_difference"] == 0


def test_where_only_we_have_no_score_we_are_infinitely_far_off(library_says: Any) -> None:
    def zero(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        return np.zeros(len(outputs)), 0.0

    library_says("wer", package="numpy", score=zero)
    frame = crosscheck([metrics.get("wer", empty_reference="nan")], ["a"], [[""]])
    assert frame.loc[0, "max_abs_difference"] == np.inf
    assert failed(frame)


def test_a_missing_library_is_said_and_stops_nothing(library_says: Any) -> None:
    library_says("bleu", package="no-such-distribution")
    frame = crosscheck(["bleu", "random"], OUTPUTS, REFERENCES)
    assert frame["status"].tolist() == [
        "skipped: no-such-distribution is not installed; it comes with accord's extra 'crosscheck'",
        "no reference library",
    ]
    assert not failed(frame)


def test_a_library_that_cannot_be_imported_is_said(library_says: Any) -> None:
    def absent(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        importlib.import_module("no_such_module")
        raise AssertionError

    library_says("bleu", package="numpy", score=absent)
    assert (
        crosscheck(["bleu"], OUTPUTS, REFERENCES)
        .loc[0, "status"]
        .startswith("skipped: no_such_module is not installed")
    )


def test_no_counterpart_is_no_failure() -> None:
    pytest.importorskip("sacrebleu")
    pytest.importorskip("jiwer")
    chosen = [
        metrics.get("bleu", tokenizer="cjk"),
        metrics.get("cer", unit="grapheme"),
    ]
    frame = crosscheck(chosen, OUTPUTS, REFERENCES)
    assert frame["status"].tolist() == [
        "skipped: sacrebleu has no tokenizer 'cjk'",
        "skipped: jiwer counts code points only",
    ]
    assert (frame["n"] == 0).all()
    assert not failed(frame)
    assert issubclass(NoCounterpart, ValueError)


def test_a_library_that_breaks_down_is_a_failure_with_its_words(library_says: Any) -> None:
    def broken(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        raise IndexError("list index out of range")

    library_says("bleu", package="numpy", score=broken)
    frame = crosscheck(["bleu", "chrf"], OUTPUTS, REFERENCES)
    assert frame.loc[0, "status"] == "error: numpy raised IndexError: list index out of range"
    assert failed(frame)


def test_a_policy_that_refuses_the_texts_is_said() -> None:
    pytest.importorskip("jiwer")
    frame = crosscheck([metrics.get("wer", empty_reference="error")], ["a"], [[""]])
    assert frame.loc[0, "status"].startswith("skipped: wer: an empty reference was given in 1 row (0)")


def test_nothing_to_compare() -> None:
    pytest.importorskip("sacrebleu")
    assert crosscheck(["bleu"], ["a"], [[]]).loc[0, "status"] == "skipped: no output has a reference"
    assert crosscheck([], ["a"], [["a"]]).empty
    assert list(crosscheck([], [], []).columns) == list(COLUMNS)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ShapeError, match="crosscheck: references is a flat list"):
        crosscheck(["bleu"], ["a"], ["a"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="did you mean 'bleu'"):
        crosscheck(["blue"], ["a"], [["a"]])


def test_one_sentence_of_it_all() -> None:
    frame = crosscheck(["random", "length"], OUTPUTS, REFERENCES)
    assert summary(frame) == "0 metrics equal their reference library, 0 differ, 2 were not compared"


def test_of_several_libraries_those_with_a_counterpart_are_listed(
    library_says: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        raise NoCounterpart("the second has nothing")

    entry = metrics.entries()["wer"]
    first = replace(entry.references[0], package="numpy", score=ours)
    second = replace(entry.references[0], package="scipy", score=none)
    monkeypatch.setitem(_registry._entries, "wer", replace(entry, references=(second, first)))
    assert crosscheck(["wer"], OUTPUTS, REFERENCES)["reference"].tolist() == ["numpy"]
    monkeypatch.setitem(_registry._entries, "wer", replace(entry, references=(second, second)))
    assert crosscheck(["wer"], OUTPUTS, REFERENCES)["status"].tolist() == ["skipped: the second has nothing"]


def test_the_label_stands_in_the_table() -> None:
    assert crosscheck({"mine": metrics.get("random")}, ["a"], [["a"]])["metric"].tolist() == ["mine"]


def test_sources_are_one_per_output() -> None:
    with pytest.raises(ShapeError, match="crosscheck: 1 sources were given for 2 outputs"):
        crosscheck(["bleu"], ["a", "b"], [["a"], ["b"]], ["x"])


def test_a_slow_library_gets_fewer_rows(library_says: Any) -> None:
    seen: list[int] = []

    def slow(metric: metrics.Metric, outputs: Any, references: Any) -> tuple[Any, float]:
        seen.append(len(outputs))
        return ours(metric, outputs, references)

    library_says("bleu", package="numpy", score=slow, pace=3_000)
    frame = crosscheck(
        ["bleu"], OUTPUTS, REFERENCES, work=40_000
    )  # 40 pairs of words are left to it: the first row has 6 x 7 of them
    assert (seen, frame.loc[0, "n"], frame.loc[0, "status"]) == ([1], 1, "equal")
    assert crosscheck(["bleu"], OUTPUTS, REFERENCES).loc[0, "n"] == 2


def test_a_library_that_would_need_very_long_is_left_out_of_a_check_in_bounded_time(library_says: Any) -> None:
    library_says("bleu", package="numpy", score=ours, pace=30)  # a hundred thousandth of the usual pace
    frame = crosscheck(
        ["bleu"], ["a " * 50], [["b " * 50]], work=5_000_000
    )  # 50 pairs of words in time, 2,500 in a single row
    assert frame.loc[0, "status"].startswith(
        "skipped: numpy needs very long for texts of this length; accord crosscheck"
    )
    assert not failed(frame)
    assert crosscheck(["bleu"], ["a " * 50], [["b " * 50]]).loc[0, "status"] == "equal"
