"""Language models over n-grams: by hand, beside NLTK, and beside values that KenLM gave."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import text

from validate import metrics
from validate.errors import AccordError, OptionError
from validate.metrics._language_model import estimated_discounts

MODELS: list[dict[str, Any]] = [
    {"smoothing": "uniform"},
    {"order": 1},
    {"order": 2, "k": 0.1},
    {"order": 3, "min_count": 2},
    {"order": 1, "smoothing": "kneser-ney"},
    {"order": 2, "smoothing": "kneser-ney"},
    {"order": 4, "smoothing": "kneser-ney"},
    {"order": 3, "smoothing": "kneser-ney", "discount": 0.75, "min_count": 2},
]
models = pytest.mark.parametrize("options", MODELS, ids=str)
word = st.sampled_from(["a", "b", "c", "</s>", "<s>", "<unk>", "Ж"])
sentence = st.lists(word, max_size=8).map(" ".join)
sentences = st.lists(sentence, min_size=1, max_size=12)


def fitted(train: list[str], **options: Any) -> Any:
    return metrics.get("ngram_perplexity", **options).fit([[one] for one in train])


def probability(metric: Any, output: str) -> float:
    """Product of the probabilities of a text's words and its end."""
    return math.exp(-metric.statistics([output])[0, 0])


@models
@settings(max_examples=30)
@given(train=sentences, beginning=st.lists(word | st.just("never seen"), max_size=5))
def test_probabilities_sum_to_one_in_every_context(
    options: dict[str, Any], train: list[str], beginning: list[str]
) -> None:
    metric = fitted(train, **options)
    found = metric._model.distribution(beginning)
    assert len(found) == metric.vocabulary_size
    assert found.min() > 0
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_uniform_perplexity_is_the_size_of_the_vocabulary(cases: Any) -> None:
    case = cases("worked_values")["ppl-uniform"]
    size = case["inputs"]["vocabulary"]
    metric = fitted([" ".join(f"w{number}" for number in range(size - 2))], smoothing="uniform")
    assert metric.vocabulary_size == size
    found = metric.score(["w1 w2 unknown", ""])
    assert found.items.tolist() == pytest.approx([case["expect"]["perplexity"]] * 2, rel=1e-14)
    assert found.system == pytest.approx(size, rel=1e-14)


def test_two_tokens(cases: Any) -> None:
    """One word and the end of its text: exp of the mean of -ln p."""
    case = cases("worked_values")["ppl-two-tokens"]
    first, second = case["inputs"]["probabilities"]
    statistics = np.array([-math.log(first) - math.log(second), 2.0])
    found = metrics.get("ngram_perplexity").divide(statistics)
    assert float(found) == pytest.approx(case["expect"]["perplexity"], abs=case["tolerance"])


def test_batches_are_summed_before_they_are_divided(cases: Any) -> None:
    case = cases("worked_values")["ppl-batches"]
    rows = [[batch["count"] * math.log(batch["perplexity"]), batch["count"]] for batch in case["inputs"]["batches"]]
    found = metrics.get("ngram_perplexity").corpus_score(np.array(rows))
    assert found == pytest.approx(case["expect"]["perplexity"], abs=case["tolerance"])
    assert abs(found - case["expect"]["wrong_mean"]) > 1


def test_the_batch_does_not_matter(cases: Any) -> None:
    outputs = cases("reports")["padding-changes-perplexity"]["input"]["outputs"]
    for options in MODELS:
        metric = fitted(["a short sentence", "the other one", "a longer one"], **options)
        together = metric.score(outputs)
        assert together.items.tolist() == [metric.score([output]).system for output in outputs]
        assert together.statistics[:, 1].tolist() == [len(output.split()) + 1 for output in outputs]


def test_add_k_by_hand() -> None:
    """Bigrams of "a b", "a": c(<s> a) = 2 of 2, c(a b) = 1 and c(a </s>) = 1 of 2; V = 4 with </s> and <unk>, k = 1/2.

    p(a b) = (2 + 1/2) / (2 + 2) · (1 + 1/2) / (2 + 2) · (1 + 1/2) / (1 + 2).
    """
    metric = fitted(["a b", "a"], order=2, k=0.5)
    assert metric.vocabulary_size == 4
    assert probability(metric, "a b") == pytest.approx(Fraction(5, 8) * Fraction(3, 8) * Fraction(1, 2))
    assert probability(metric, "x") == pytest.approx(
        Fraction(1, 8) * Fraction(1, 4)
    )  # after <unk> nothing is known: 1/V


def test_modified_kneser_ney_of_one_word_by_hand() -> None:
    """a, e and </s> once, b twice, c three times, d four times: n = 3, 1, 1, 1, so Y = 3/5, D = 3/5, 1/5, 3/5.

    12 tokens, V = 7. γ = (3 · 3/5 + 1/5 + 2 · 3/5) / 12 = 4/15, of which each of the seven has 4/105.
    p(a) = (1 - 3/5) / 12 + 4/105 = 1/14, p(b) = (2 - 1/5) / 12 + 4/105 = 79/420, p(d) = (4 - 3/5) / 12 + 4/105 = 9/28.
    """
    metric = fitted(["a b b c c c d d d d e"], smoothing="kneser-ney")
    share = Fraction(4, 105)
    end = Fraction(1, 14)
    assert metric._model.fallen_back == []
    for output, expected in (
        ("", end),
        ("a", end / 14),
        ("b", end * Fraction(79, 420)),
        ("d", end * 9 / 28),
        ("x", end * share),
    ):
        assert probability(metric, output) == pytest.approx(float(expected), rel=1e-13)


def test_kneser_ney_bigrams_by_hand() -> None:
    """ "a b", "a c", "b", with one discount of 1/2: V = 5.

    Words by how many tokens they follow: a 1 (<s>), b 2 (a, <s>), c 1 (a), </s> 2 (b, c): 6 in all; 1/2 of each of 4 words is passed on.
    p(a) = (1/2) / 6 + (2/6) / 5 = 3/20, p(b) = (3/2) / 6 + 1/15 = 19/60, p(<unk>) = 1/15.
    p(b | a) = (1 - 1/2) / 2 + (2 · 1/2) / 2 · 19/60 = 49/120. p(</s> | b) = (2 - 1/2) / 2 + (1/2) / 2 · p(</s>) = 3/4 + 1/4 · 19/60.
    p(a | <s>) = (2 - 1/2) / 3 + (2 · 1/2) / 3 · 3/20 = 11/20.
    """
    metric = fitted(["a b", "a c", "b"], order=2, smoothing="kneser-ney", discount=0.5)
    end_after_b = Fraction(3, 4) + Fraction(19, 240)
    expected = Fraction(11, 20) * Fraction(49, 120) * end_after_b
    assert probability(metric, "a b") == pytest.approx(float(expected), rel=1e-13)
    # <unk> after <s>: what is passed on, 1/3, of 1/15; after <unk> the shorter context alone: p(</s>) = 19/60.
    assert probability(metric, "x") == pytest.approx(float(Fraction(1, 45) * Fraction(19, 60)), rel=1e-13)


def test_discounts_by_hand() -> None:
    """n = 1, 2, 4, 0: Y = 1/5, D = 1 - 2 · 1/5 · 2, 2 - 3 · 1/5 · 2, 3 - 0."""
    assert estimated_discounts(np.array([1, 2, 2, 3, 3, 3, 3])) == pytest.approx((1 / 5, 4 / 5, 3))


@pytest.mark.parametrize("counts", [[1, 1, 2], [2, 2, 3, 3], [1, 2, *[3] * 10], []])
def test_discounts_that_are_undefined(counts: list[int]) -> None:
    """No count of 3; none of 1; D2 = 2 - 3 · 1/3 · 10 below 0; no counts at all."""
    assert estimated_discounts(np.array(counts, dtype=float)) is None


def test_texts_too_small_for_discounts_are_said() -> None:
    metric = fitted(["a b", "b"], order=2, smoothing="kneser-ney")
    facts = metric.notes(metric._batch(["a x"], None, None))
    assert [fact.text for fact in facts] == [
        "ngram_perplexity: 1 of 2 words of the outputs are unknown to the model (<unk>)",
        "ngram_perplexity: the fitted texts are too few to estimate discounts for n-grams of 1, 2; 0.5, 1 and 1.5 are taken",
    ]


def drawn(n: int, seed: int, draw_word: Any, longest: int) -> list[str]:
    """Texts from a linear congruential generator, the same everywhere; KenLM was given the same lines."""
    state = seed

    def draw(size: int) -> int:
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state >> 8) % size

    return [" ".join(draw_word(draw) for _ in range(1 + draw(longest))) for _ in range(n)]


FEW = ["the", "cat", "dog", "sat", "ran", "on", "mat", "a", "red", "big", "house", "saw", "and", "then", "old", "man"]


def few(draw: Any) -> str:
    return FEW[min(draw(16), draw(16))]


def many(draw: Any) -> str:
    return f"w{min(draw(400) for _ in range(5))}"


# log10 of the probability of whole texts with <s> and </s>, by kenlm 0.3.0 (its lmplz built from PyPI's source archive, 2026-11-30):
# lmplz -o ORDER --discount_fallback < train; kenlm.Model(arpa).score(text, bos=True, eos=True). KenLM computes in 32-bit floats.
# In the first corpus the counts of words give no discounts (the fallback is used), in the second they do.
KENLM = [
    (few, 9, 1, 99, ["the unseen cat sat", "unseen", "the cat the cat the cat", "man man man old old"], {
        2: [-4.050953, -9.340232, -8.324921, -2.737144, -6.971569, -4.453305, -7.28745, -12.210676],
        3: [-3.301223, -8.836482, -7.928813, -3.051613, -7.162532, -4.468463, -8.160228, -12.132796],
        4: [-3.285037, -8.790279, -7.914196, -3.126719, -7.122236, -4.468463, -8.107629, -12.132796],
    }, [1]),
    (many, 12, 3, 98, ["w1 w2 w3", "w0 unseen w5", "unseen"], {
        2: [-15.213489, -19.701374, -21.871815, -24.455729, -7.553249, -8.072235, -4.430326],
    }, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("draw_word", "longest", "seed", "other", "more", "expected", "fallen_back"), KENLM, ids=["few", "many"]
)
def test_kenlm(
    draw_word: Any,
    longest: int,
    seed: int,
    other: int,
    more: list[str],
    expected: dict[int, list[float]],
    fallen_back: list[int],
) -> None:
    train, test = drawn(300, seed, draw_word, longest), drawn(4, other, draw_word, longest) + more
    for order, values in expected.items():
        metric = fitted(train, order=order, smoothing="kneser-ney")
        found = -metric.statistics(test)[:, 0] / math.log(10)
        assert metric._model.fallen_back == fallen_back
        np.testing.assert_allclose(found, values, rtol=0, atol=5e-6)


@pytest.fixture(scope="module")
def realsumm(shared: Path) -> tuple[list[str], list[str]]:
    """References and outputs of a real study, with single blanks, as both libraries were given them."""

    def rows(name: str) -> list[dict[str, Any]]:
        lines = (shared / "data" / "realsumm" / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    train = [reference for row in rows("items.jsonl") for reference in row["references"]]
    test = [row["output"] for row in rows("outputs.jsonl")]
    return [" ".join(line.split()) for line in train], [" ".join(line.split()) for line in test]


# Sums over all 2,500 outputs of realsumm and the first three, from the same KenLM and commands as above, fitted on its 100 references.
KENLM_REALSUMM = {
    2: (-483366.8007469177, [-159.1217803955078, -103.43489837646484, -163.03070068359375]),
    3: (-473045.19063186646, [-140.69418334960938, -103.81334686279297, -165.93817138671875]),
    5: (-473638.299495697, [-141.75807189941406, -104.1143798828125, -165.93817138671875]),
}


@pytest.mark.parametrize("order", KENLM_REALSUMM)
def test_kenlm_on_a_real_study(realsumm: tuple[list[str], list[str]], order: int) -> None:
    train, test = realsumm
    found = -fitted(train, order=order, smoothing="kneser-ney").statistics(test)[:, 0] / math.log(10)
    total, first = KENLM_REALSUMM[order]
    np.testing.assert_allclose(found[:3], first, rtol=1e-6)
    assert found.sum() == pytest.approx(total, rel=1e-7)


def test_nltk_on_a_real_study(library: Any, realsumm: tuple[list[str], list[str]]) -> None:
    library("nltk.lm")
    train, test = realsumm
    metric = fitted(train, order=3, k=0.1)
    (reference,) = metrics.entries()["ngram_perplexity"].references
    items, corpus = reference.score(metric, test[:150], [[]] * 150)
    ours = metric.score(test[:150])
    np.testing.assert_allclose(ours.items, items, rtol=1e-13)
    assert ours.system == pytest.approx(corpus, rel=1e-13)


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(text | sentence, st.lists(text | sentence, min_size=1, max_size=2)), min_size=1, max_size=4),
    order=st.integers(1, 4), k=st.sampled_from([1, 0.1, 3]), min_count=st.integers(1, 2),
    tokenizer=st.sampled_from(["whitespace", "13a", "char"]),
)  # fmt: skip
def test_nltk_lidstone(library: Any, rows: Any, order: int, k: float, min_count: int, tokenizer: str) -> None:
    library("nltk.lm")
    outputs, references = [output for output, _ in rows], [row for _, row in rows]
    metric = metrics.get("ngram_perplexity", order=order, k=k, min_count=min_count, tokenizer=tokenizer)
    (reference,) = metrics.entries()["ngram_perplexity"].references
    for one in (metric, metric.fit([["a b a"], ["the cat"]])):
        items, corpus = reference.score(one, outputs, references)
        ours = one.score(outputs, references)
        np.testing.assert_allclose(ours.items, items, rtol=1e-12)
        assert ours.system == pytest.approx(corpus, rel=1e-12)


@settings(max_examples=40)
@given(train=sentences, test=st.lists(word, max_size=6))
def test_nltk_kneser_ney_on_our_floor(library: Any, train: list[str], test: list[str]) -> None:
    """NLTK's recursion with its unigrams replaced by ours, which have a share for unknown words; its own give them 0.

    NLTK takes contexts that begin with <s> as preceded by further <s>, so that bigrams are compared, where there is no difference.
    """
    lm = library("nltk.lm")
    discount, floor = 0.75, fitted(train, order=2, smoothing="kneser-ney", discount=0.75)
    lines = [["<s>", *("=" + one for one in row.split()), "</s>"] for row in train]
    follows: dict[str, set[str]] = {}
    for line in lines:
        for before, after in pairwise(line):
            follows.setdefault(after, set()).add(before)
    total = sum(map(len, follows.values()))

    def unigram(one: str) -> float:
        share = discount * len(follows) / total / floor.vocabulary_size
        return max(len(follows.get(one, ())) - discount, 0) / total + share

    model = lm.KneserNeyInterpolated(2, discount, vocabulary=lm.Vocabulary(["</s>", *follows], unk_cutoff=1))
    model.estimator.unigram_score = unigram
    model.counts.update([list(pairwise(line)) for line in lines])
    row = ["<s>", *("=" + one for one in test), "</s>"]
    expected = 0.0
    for before, after in pairwise(row):
        seen = model.counts[2][(before,)].N() > 0
        expected -= math.log(model.unmasked_score(after, (before,)) if seen else unigram(after))
    assert floor.statistics([" ".join(test)])[0, 0] == pytest.approx(expected, rel=1e-12)


def test_models_over_the_same_texts_are_over_the_same_tokens() -> None:
    """So that their perplexities can be compared: the same V, the same number of scored tokens."""
    train, test = ["a b a c", "b b a"], ["a x b", "c"]
    found = [fitted(train, **options) for options in MODELS if "min_count" not in options]
    assert {metric.vocabulary_size for metric in found} == {5}
    assert {tuple(metric.statistics(test)[:, 1]) for metric in found} == {(4.0, 2.0)}
    better = fitted(train, order=2, smoothing="kneser-ney").score(["b b a"]).system
    assert better < fitted(train, smoothing="uniform").score(["b b a"]).system


def test_without_fit_the_references_of_what_is_scored_are_the_text() -> None:
    outputs, references = ["a b", "c"], [["a b"], ["b b", "c"]]
    found = metrics.get("ngram_perplexity", order=2).score(outputs, references)
    expected = metrics.get("ngram_perplexity", order=2).fit(references).score(outputs)
    assert found.items.tolist() == expected.items.tolist()
    assert "fit:what is scored" in found.signature
    assert "fit:2 items" in expected.signature


def test_nothing_to_fit_on() -> None:
    metric = metrics.get("ngram_perplexity")
    with pytest.raises(AccordError, match=r"ngram_perplexity: there is no text to fit a model on.*call fit"):
        metric.score(["a"])
    with pytest.raises(AccordError, match=r"ngram_perplexity: nothing was fitted.*call fit"):
        metric.vocabulary_size  # noqa: B018


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order=0 was given; allowed: a whole number, 1 or more"),
        ({"k": 0}, "k=0 was given; allowed: a number above 0, so that no word is impossible"),
        ({"smoothing": "uniform", "k": 1}, "k=1 was given; allowed: only with smoothing='add-k'"),
        ({"discount": 0.5}, "discount=0.5 was given; allowed: only with smoothing='kneser-ney'"),
        ({"smoothing": "kneser-ney", "discount": 1.5}, "discount=1.5 was given; allowed: a number above 0, 1 or less"),
        ({"smoothing": "kneserney"}, "there is no smoothing 'kneserney'; did you mean 'kneser-ney'"),
        ({"tokenizer": "nonsense"}, "there is no tokenizer 'nonsense'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"ngram_perplexity: {message}"):
        metrics.get("ngram_perplexity", **options)
