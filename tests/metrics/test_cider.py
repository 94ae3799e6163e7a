"""CIDEr by hand, beside pycocoevalcap's scorer, and beside a plain rewriting of what that has not: the variant "cider"."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import alike, row

from validate import metrics
from validate.errors import AccordWarning, OptionError
from validate.text.corpus import Batch
from validate.text.tokenizers import get

close = st.tuples(alike, st.lists(alike, min_size=1, max_size=3))
Rows = list[tuple[str, list[str]]]


def both(rows: Rows) -> tuple[list[str], list[list[str]]]:
    return [output for output, _ in rows], [references for _, references in rows]


def plain(output: str, references: list[str], collection: list[list[str]], n: int, defended: bool) -> float:
    """The formulas of Vedantam et al. 2015 over words: term frequency times log(N / df), cosine, mean over n and references."""

    def ngrams(text: str, order: int) -> Counter[tuple[str, ...]]:
        words = text.split()
        return Counter(tuple(words[place : place + order]) for place in range(len(words) - order + 1))

    total = 0.0
    for order in range(1, n + 1):
        frequencies = Counter(
            gram for item in collection for gram in {gram for text in item for gram in ngrams(text, order)}
        )

        def weighed(text: str, order: int = order, df: Counter[Any] = frequencies) -> dict[Any, float]:
            return {gram: tf * log(len(collection) / max(1, df[gram])) for gram, tf in ngrams(text, order).items()}

        for reference in references:
            here, there = weighed(output), weighed(reference)
            norms = [sqrt(sum(weight**2 for weight in side.values())) for side in (here, there)]
            common = [(here[gram], there[gram]) for gram in here if gram in there]
            product = sum((min(mine, theirs) if defended else mine) * theirs for mine, theirs in common)
            apart = max(len(output.split()) - 1, 0) - max(len(reference.split()) - 1, 0)
            penalty = exp(-(apart**2) / 72) if defended else 1.0
            total += penalty * product / (norms[0] * norms[1]) if norms[0] * norms[1] else 0.0
    return 10 * total / n / len(references)


def test_by_hand() -> None:
    """Three items with nothing in common: every n-gram weighs log 3, which cancels, so that counts alone matter.

    Unigrams: "a" and "b" of the output's a, b, c and of the reference's a, b, d, e: 2 / (sqrt 3 · sqrt 4). Bigrams: "a b" of
    two and of three: 1 / (sqrt 2 · sqrt 3). The lengths, in bigrams, are 1 apart.
    """
    references = [["a b d e"], ["v w"], ["x y z"]]
    metric = metrics.get("cider", n=2).fit(references)
    cosines = 2 / (sqrt(3) * sqrt(4)) + 1 / (sqrt(2) * sqrt(3))
    assert metric.score(["a b c"], references[:1]).system == pytest.approx(10 * exp(-1 / 72) * cosines / 2, abs=1e-12)
    undefended = metrics.get("cider", n=2, variant="cider").fit(references)
    assert undefended.score(["a b c"], references[:1]).system == pytest.approx(10 * cosines / 2, abs=1e-12)


def test_repeated_words_are_clipped_in_cider_d_only() -> None:
    """ "a a a" against "a b": min(3, 1) · 1 / (3 · sqrt 2), or 3 · 1 / (3 · sqrt 2); 2 bigrams against 1."""
    references = [["a b"], ["x"]]
    scores = [
        metrics.get("cider", n=1, variant=variant).fit(references).score(["a a a"], references[:1]).system
        for variant in ("cider-d", "cider")
    ]
    assert scores == pytest.approx([10 * exp(-1 / 72) / (3 * sqrt(2)), 10 / sqrt(2)], abs=1e-12)


def test_an_identical_caption_of_three_tokens() -> None:
    """METRICS.md: all four orders are averaged, and there is no 4-gram."""
    references = [["a red bus"], ["an old man walks"]]
    assert metrics.get("cider").score(["a red bus", "an old man walks"], references).items.tolist() == pytest.approx(
        [7.5, 10.0]
    )


def test_what_every_item_has_weighs_nothing() -> None:
    references = [["the bus"], ["the man"]]
    score = metrics.get("cider", n=1).score(["the", "the bus"], references)
    assert score.items.tolist() == [0, 0]


def test_one_item_is_undefined(cases: Any) -> None:
    case = cases("reports")["cider-one-image"]["input"]
    metric = metrics.get("cider")
    with pytest.warns(
        AccordWarning, match="cider: undefined for 1 output: document frequencies need more than one item"
    ):
        alone = metric.score(case["outputs"], case["references"])
    assert np.isnan([alone.items[0], alone.system]).all()
    elsewhere = metric.fit([*case["references"], ["an old man walks"]])
    assert elsewhere.score(case["outputs"], case["references"]).system == pytest.approx(7.5)
    assert elsewhere.notes(Batch.of(case["outputs"], case["references"])) == []


def test_a_collection_counts_each_item_once() -> None:
    """ "a" is in two items of three and "b" in one; unfitted, in three rows of four and in two, because an item has two rows."""
    references = [["a b", "a"], ["a c"], ["x"]]
    outputs, rows = ["a", "b a", "c", "x"], [["a b"], ["a b"], ["a c"], ["x"]]

    def cosine(a: float, b: float) -> float:
        return 10 * a / sqrt(a**2 + b**2)

    metric = metrics.get("cider", n=1, variant="cider")
    assert metric.fit(references).score(outputs, rows).items[0] == pytest.approx(cosine(log(3 / 2), log(3)))
    assert metric.score(outputs, rows).items[0] == pytest.approx(cosine(log(4 / 3), log(4 / 2)))
    assert "fit:3 items" in metric.fit(references).signature
    assert "fit:what is scored" in metric.signature


def test_items_without_references_are_not_in_the_collection() -> None:
    outputs, references = ["a", "x", "y"], [["a b"], ["x y"], []]
    with_empty, without = metrics.get("cider").score(outputs, references), metrics.get("cider")
    assert with_empty.items[:2].tolist() == without.score(outputs[:2], references[:2]).items.tolist()
    assert np.isnan(with_empty.items[2])


@settings(max_examples=60)
@given(rows=st.lists(row | close, min_size=2, max_size=5), tokenizer=st.sampled_from(["unicode", "whitespace"]))
def test_pycocoevalcap(library: Any, rows: Rows, tokenizer: str) -> None:
    """Tokens as the library's scorer splits them, or ours, put into it as text."""
    scorer = library("pycocoevalcap.cider.cider_scorer").CiderScorer()
    outputs, references = both(rows)

    def tokens(text: str) -> str:
        return text if tokenizer == "whitespace" else " ".join(get("unicode")(text))

    for output, texts in rows:
        scorer += (tokens(output), [tokens(text) for text in texts])
    if not any(tokens(text).split() for texts in references for text in texts):
        return  # the library's check of its document frequencies fails on none
    mean, items = scorer.compute_score()
    ours = metrics.get("cider", tokenizer=tokenizer).score(outputs, references)
    np.testing.assert_allclose(ours.items, items, rtol=0, atol=1e-12)
    assert ours.system == pytest.approx(mean, abs=1e-12)


@settings(max_examples=40)
@given(rows=st.lists(row | close, min_size=1, max_size=4), more=st.lists(close, min_size=2, max_size=4))
def test_the_adapter_of_the_cross_check(library: Any, rows: Rows, more: Rows) -> None:
    """Fitted on another collection, and with several systems on each item, as a study is scored."""
    library("pycocoevalcap.cider.cider_scorer")
    outputs, references = both(rows)
    (reference,) = metrics.entries()["cider"].references
    metric = metrics.get("cider", sigma=3).fit([*both(more)[1], *references[1:]])
    items, corpus = reference.score(metric, outputs * 2, references * 2)
    ours = metric.score(outputs * 2, references * 2)
    np.testing.assert_allclose(ours.items, items, rtol=0, atol=1e-12)
    assert ours.system == pytest.approx(corpus, abs=1e-12)


@settings(max_examples=60)
@given(
    rows=st.lists(close, min_size=2, max_size=4),
    more=st.lists(close, min_size=2, max_size=4),
    n=st.integers(1, 5),
    variant=st.sampled_from(["cider", "cider-d"]),
)
def test_the_formulas(rows: Rows, more: Rows, n: int, variant: str) -> None:
    outputs, references = both(rows)
    for collection in (references, both(more)[1]):
        metric = metrics.get("cider", n=n, variant=variant, tokenizer="whitespace").fit(collection)
        expected = [plain(*row, collection, n, variant == "cider-d") for row in rows]
        assert metric.score(outputs, references).items.tolist() == pytest.approx(expected, abs=1e-9)


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="sigma=0 was given; allowed: a number above 0"):
        metrics.get("cider", sigma=0)
    with pytest.raises(OptionError, match="there is no variant 'ciderD'"):
        metrics.get("cider", variant="ciderD")
