"""Corpus and batch: each distinct text once, and rows that point at them."""

from __future__ import annotations

import numpy as np

from validate.text.corpus import Batch, Corpus
from validate.text.tokenizers import get


def test_a_text_is_held_once() -> None:
    batch = Batch.of(["a", "b", "a"], [["b"], ["a", "c"], []], ["s", "s", "a"])
    assert batch.corpus.texts == ["a", "b", "c", "s"]
    assert batch.outputs.tolist() == [0, 1, 0]
    assert batch.references.tolist() == [1, 0, 2]
    assert batch.n_references.tolist() == [1, 2, 0]
    assert batch.sources is not None
    assert batch.sources.tolist() == [3, 3, 0]


def test_an_encoding_is_made_once_and_again_when_texts_are_added() -> None:
    corpus = Corpus(["a b"])
    first = corpus.encode(get("none"))
    assert corpus.encode(get("whitespace")) is first
    corpus.add("c")
    assert corpus.encode(get("none")).types == ["a", "b", "c"]


def test_batches_share_a_corpus() -> None:
    corpus = Corpus()
    Batch.of(["a"], [["b"]], corpus=corpus)
    second = Batch.of(["b"], [["a"]], corpus=corpus)
    assert second.outputs.tolist() == [1]
    assert len(corpus) == 2


def rows(batch: Batch) -> list[tuple[str, list[str]]]:
    texts, bounds = batch.corpus.texts, batch.reference_offsets
    return [
        (texts[output], [texts[reference] for reference in batch.references[bounds[row] : bounds[row + 1]]])
        for row, output in enumerate(batch.outputs)
    ]


def test_take_by_place_by_mask_and_nothing() -> None:
    batch = Batch.of(["a", "b", "c"], [["x"], ["y", "z"], []], ["1", "2", "3"])
    assert rows(batch.take([2, 1, 1])) == [("c", []), ("b", ["y", "z"]), ("b", ["y", "z"])]
    assert rows(batch.take(np.array([True, False, True]))) == [("a", ["x"]), ("c", [])]
    assert rows(batch.take([])) == []
    taken = batch.take([1])
    assert taken.sources is not None
    assert taken.corpus.texts[taken.sources[0]] == "2"


def test_what_is_made_once_is_shared() -> None:
    batch, made = Batch.of(["a"], [[]]), []
    for _ in range(2):
        assert batch.once("key", lambda: made.append(1) or 7) == 7
    assert made == [1]
