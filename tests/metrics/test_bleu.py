"""BLEU: worked values, policies, and what differs from sacreBLEU on purpose."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.crosscheck import crosscheck
from validate.errors import OptionError, ShapeError
from validate.text.corpus import Batch

H, R = "the cat sat on the mat", "the cat is sitting on the mat"
PLAIN: dict[str, Any] = {"smoothing": "none", "tokenizer": "none", "lowercase": True}

# Options that say what the "setup" of each worked value says.
WORKED: dict[str, dict[str, Any]] = {
    "bleu2-short": {"max_order": 2},
    "bleu2-wrong-time": {"max_order": 2},
    "bleu1-clip": {"max_order": 1},
    "bleu-empty-hypothesis": {},
    "bleu-cat-zero": {},
    "bleu-cat-2": {"max_order": 2},
    "bleu-cat-add1": {"smoothing": "add-k", "smooth_value": 1},
    "bleu-clip-gibberish": {"max_order": 1},
    "bleu-clip-multi": {"max_order": 1},
    "bleu-table-exact": {},
    "bleu-table-one-word-changed": {},
    "bleu-table-reordered": {},
    "bleu-table-shorter": {},
    "bleu-table-synonym": {},
    "bleu-table-padded": {},
}


def bleu(**options: Any) -> Any:
    return metrics.get("bleu", **options)


@pytest.mark.parametrize("case", WORKED)
def test_worked_values(cases: Any, case: str) -> None:
    worked = cases("worked_values")[case]
    metric = bleu(**{**PLAIN, **WORKED[case]})
    inputs, expect, tolerance = worked["inputs"], worked["expect"], worked["tolerance"]
    statistics = metric.statistics([inputs["hypothesis"]], [inputs["references"]])[0]
    if "bleu" in expect:
        assert metric.divide(statistics, level="system") / 100 == pytest.approx(expect["bleu"], abs=tolerance)
    if "brevity_penalty" in expect:
        assert metric.brevity_penalty(statistics) == pytest.approx(expect["brevity_penalty"], abs=tolerance)
    if "precision" in expect:
        assert metric.precisions(statistics)[0] == pytest.approx(expect["precision"], abs=tolerance)
    if "precisions" in expect:
        found = np.nan_to_num(
            metric.precisions(statistics)
        )  # the table writes 0 for orders that the text is too short for
        assert found.tolist() == pytest.approx(expect["precisions"], abs=tolerance)


def test_brevity_penalty(cases: Any) -> None:
    worked = [case for name, case in cases("worked_values").items() if name.startswith("bp-")]
    assert len(worked) == 6
    for case in worked:
        statistics = np.array([case["inputs"]["c"], case["inputs"]["r"], 0.0, 0.0])
        expected = case["expect"]["brevity_penalty"]
        assert bleu(max_order=1).brevity_penalty(statistics) == pytest.approx(expected, abs=case["tolerance"])


def test_two_references_and_the_stream_mistake(cases: Any) -> None:
    case = cases("worked_values")["bleu-sacre-multi"]
    output, references = case["inputs"]["hypothesis"], case["inputs"]["references"]
    assert bleu().score([output], [references]).system == pytest.approx(
        case["expect"]["bleu100"], abs=case["tolerance"]
    )
    with pytest.raises(ShapeError, match=r"2 lists of references were given for 1 outputs \(this looks like 2 streams"):
        bleu().score([output], [[reference] for reference in references])


def test_references_as_streams(cases: Any) -> None:
    case = cases("reports")["refs-as-streams"]["input"]
    assert bleu().score(case["outputs"], case["references"]).items.tolist() == pytest.approx([100, 100])
    with pytest.raises(ShapeError, match=r"streams.*one list per output is allowed; turn streams into rows"):
        bleu().score(case["outputs"], case["wrong_shape"])


# sacreBLEU 2.6.0, `BLEU(smooth_method=…, effective_order=True).sentence_score(H, [R]).score`, run 2026-11-30; the second by
# NLTK 3.10.4, `100 * sentence_bleu([R.split()], H.split(), smoothing_function=SmoothingFunction().method…)`.
@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [("exp", 32.16), ("floor", 21.51), ("add-k", 41.10), ("none", 0.0), ("nltk1", 21.51), ("nltk2", 41.10)],
)
def test_smoothing_of_one_pair(smoothing: str, expected: float) -> None:
    assert bleu(smoothing=smoothing).score([H], [[R]]).items[0] == pytest.approx(expected, abs=0.005)


def test_exp_smoothing_by_hand() -> None:
    """One match of one word, no pair, triple or quadruple among 3, 2, 1: (1/4 · 1/2/3 · 1/4/2 · 1/8/1)^(1/4)."""
    expected = 100 * (1 / 4 * 1 / 6 * 1 / 8 * 1 / 8) ** 0.25
    assert bleu().score(["a x y z"], [["a b c d"]]).system == pytest.approx(expected, rel=1e-12)


def test_a_perfect_score_keeps_sacrebleus_last_bits() -> None:
    assert bleu().score(["a b c d e"], [["a b c d e"]]).system == 100.00000000000004


def test_a_short_perfect_item_scores_100_and_a_corpus_of_such_does_not(cases: Any) -> None:
    case = cases("reports")["short-identical"]["input"]
    score = bleu().score(case["outputs"], case["references"])
    assert score.items[0] == pytest.approx(100)
    assert score.system == 0
    assert "effective_order:items" in score.signature
    both = bleu(effective_order=True).score(case["outputs"], case["references"])
    assert both.system == both.items[0] == score.items[0]
    neither = bleu(effective_order=False).score(case["outputs"], case["references"])
    assert neither.items[0] == 0


def test_a_blank_reference_is_never_the_closest(cases: Any) -> None:
    """Output 3 words, references 6 and 0: sacreBLEU takes 0 (as near, and shorter) and gives no penalty; we take 6."""
    case = cases("reports")["blank-reference"]["input"]
    metric = bleu()
    score = metric.score(case["outputs"], case["references"])
    assert score.statistics[0, 1] == 6
    assert metric.brevity_penalty(score.statistics[0]) == pytest.approx(math.exp(1 - 6 / 3))
    without = metric.score(case["outputs"], [[text for text in row if text] for row in case["references"]])
    assert score.items[0] == without.items[0]


def test_blank_references_are_counted() -> None:
    batch = Batch.of(["a", "b", "c"], [["a", " ", ""], [""], ["c"]])
    (note,) = bleu().notes(batch)
    assert note.text == "bleu: 2 blank references beside others, never taken as the closest length"
    assert bleu().notes(batch.take([1, 2])) == []


def test_where_all_references_are_blank_they_count() -> None:
    assert bleu().score(["a"], [["", " "]]).statistics[0, :2].tolist() == [1, 0]
    assert bleu().score(["a"], [[""]]).items[0] == 0


def test_how_sacrebleu_treats_a_blank_reference(library: Any, cases: Any) -> None:
    """The difference of the test above is real: sacreBLEU does take the blank one."""
    sacrebleu = library("sacrebleu")
    case = cases("reports")["blank-reference"]["input"]
    assert sacrebleu.sentence_bleu(case["outputs"][0], case["references"][0]).ref_len == 0


def test_the_closest_length_and_of_two_the_shorter() -> None:
    lengths = [["a b c d e", "a b c d e f g"], ["a b c d e f g", "a b c d e"], ["a b", "a b c d e f g"]]
    assert bleu().score(["a b c d e f"] * 3, lengths).statistics[:, 1].tolist() == [5, 5, 7]


def test_a_corpus_pools_counts() -> None:
    """Corpus matches 1 + 2 of 2 + 2 words: precision 3/4, not the mean of 1/2 and 1; lengths 4 and 4."""
    score = bleu(max_order=1).score(["a b", "c d"], [["a c"], ["c d"]])
    assert score.system == pytest.approx(75)
    assert score.items.tolist() == pytest.approx([50, 100])


def test_nothing_to_match() -> None:
    assert bleu().score(["", "a", ""], [["a"], [""], [""]]).items.tolist() == [0, 0, 0]


def test_tokenizers_matter() -> None:
    assert bleu(tokenizer="none").score(["a."], [["a ."]]).items[0] == 0
    assert bleu(tokenizer="13a").score(["a."], [["a ."]]).items[0] == pytest.approx(100)
    assert bleu(tokenizer="zh").score(["タワー"], [["タワ"]]).items[0] == 0
    assert bleu(tokenizer="cjk").score(["タワー"], [["タワ"]]).items[0] > 0
    assert bleu(lowercase=True).score(["A B"], [["a b"]]).items[0] == pytest.approx(100)


# NLTK 3.10.4, `sentence_bleu`, methods 5 and 7 on four equal words: 1.0106 (a fault of NLTK that its name carries).
def test_nltks_own_values_only_under_its_names(cases: Any) -> None:
    text = "a b c d"
    for smoothing in ("exp", "none", "floor", "add-k"):
        assert bleu(smoothing=smoothing).score([text], [[text]]).system == pytest.approx(100)
    over = bleu(smoothing="nltk5", tokenizer="none")
    assert over.score([text], [[text]]).items[0] == pytest.approx(101.06, abs=0.005)
    assert over.bounds == (0.0, math.inf)
    case = cases("reports")["perfect-corpus-over-1"]["input"]
    outputs = [" ".join(map(str, range(length))) for length in case["lengths"]]
    assert bleu().score(outputs, [[text] for text in outputs]).system == pytest.approx(100)


@pytest.mark.parametrize(
    ("method", "order"), [(6, 3), *itertools.product((1, 2, 3, 4, 5, 7), (2,)), *itertools.product(range(1, 8), (4,))]
)
def test_nltk_parity(library: Any, method: int, order: int) -> None:
    nltk = library("nltk.translate.bleu_score")
    smoothing = getattr(nltk.SmoothingFunction(), f"method{method}")
    rng = np.random.default_rng(method)
    texts = [" ".join(rng.choice(list("abcd"), size)) for size in rng.integers(1, 9, 120)]
    outputs, references = texts[:40], [list(row) for row in zip(texts[40:80], texts[80:], strict=True)]
    ours = bleu(smoothing=f"nltk{method}", max_order=order, tokenizer="none").score(outputs, references)
    for place, (output, row) in enumerate(zip(outputs, references, strict=True)):
        tokens = [text.split() for text in row]
        weights = (1 / order,) * order
        try:
            theirs = 100 * nltk.sentence_bleu(tokens, output.split(), weights, smoothing)
        except AssertionError:  # method 6 without a matching trigram
            theirs = math.nan
        assert ours.items[place] == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("method", range(1, 8))
@settings(max_examples=25)
@given(rows=st.lists(strategies.row, min_size=1, max_size=4))
def test_nltk_in_the_crosscheck(library: Any, method: int, rows: list[tuple[str, list[str]]]) -> None:
    library("nltk")
    metric = bleu(smoothing=f"nltk{method}")
    _, nltk = metrics.entries()["bleu"].references
    outputs, references = [output for output, _ in rows], [row for _, row in rows]
    items, corpus = nltk.score(metric, outputs, references)
    ours = metric.score(outputs, references)
    compared = ~np.isnan(items)
    np.testing.assert_allclose(ours.items[compared], items[compared], rtol=0, atol=1e-12)
    assert np.isnan(corpus) == (method > 4)
    assert np.isnan(corpus) or ours.system == pytest.approx(corpus, abs=1e-12)


def test_each_smoothing_has_its_own_library(library: Any) -> None:
    library("nltk"), library("sacrebleu")
    outputs, references = [H, "a b"], [[R], ["a b"]]
    by_name = {"exp": "sacrebleu", "nltk2": "nltk", "nltk7": "nltk"}
    for smoothing, package in by_name.items():
        (line,) = crosscheck([bleu(smoothing=smoothing)], outputs, references).to_dict("records")
        assert (line["reference"], line["status"], line["n"]) == (package, "equal", 2)


def test_what_nltk_gets_wrong_in_a_corpus_is_not_compared(library: Any) -> None:
    """A perfect corpus by method 6 is 1.2 to NLTK, whose counts of n-grams are the last item's; ours is at most 1."""
    nltk = library("nltk.translate.bleu_score")
    texts = [" ".join(map(str, range(length))) for length in (30, 20, 6)]
    rows = [[text.split()] for text in texts]
    theirs = nltk.corpus_bleu(
        rows, [text.split() for text in texts], smoothing_function=nltk.SmoothingFunction().method6
    )
    assert theirs > 1.1
    assert bleu(smoothing="nltk6").score(texts, [[text] for text in texts]).system <= 100 + 1e-9


@pytest.mark.parametrize("method", [1, 2, 3, 4])
def test_nltk_corpus_parity(library: Any, method: int) -> None:
    nltk = library("nltk.translate.bleu_score")
    outputs, references = [H, "a b", "the mat"], [[R, H], ["a b c"], ["on the mat"]]
    ours = bleu(smoothing=f"nltk{method}", tokenizer="none").score(outputs, references).system
    theirs = nltk.corpus_bleu(
        [[text.split() for text in row] for row in references],
        [output.split() for output in outputs],
        smoothing_function=getattr(nltk.SmoothingFunction(), f"method{method}"),
    )
    assert ours == pytest.approx(100 * theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_order": 0}, r"bleu: max_order=0 was given; allowed: a whole number, 1 or more"),
        ({"max_order": True}, r"max_order=True was given"),
        ({"smoothing": "expo"}, r"there is no smoothing 'expo'; did you mean 'exp'\? allowed: exp, none, floor"),
        ({"smooth_value": 1}, r"smooth_value=1 was given; allowed: only with smoothing='floor' or 'add-k'"),
        ({"smoothing": "floor", "smooth_value": -1}, r"smooth_value=-1 was given; allowed: a number, 0 or more"),
        ({"tokenizer": "13b"}, r"there is no tokenizer '13b'; did you mean '13a'\?"),
        ({"tokenizer": 13}, r"tokenizer=13 was given; allowed: one of '13a'"),
        ({"lowercase": 1}, r"lowercase=1 was given; allowed: True or False"),
        ({"effective_order": "yes"}, r"effective_order='yes' was given"),
        (
            {"smoothing": "nltk3", "effective_order": True},
            r"effective_order=True was given; allowed: False with 'nltk3'",
        ),
        ({"smoothing": "nltk6", "max_order": 2}, r"max_order=2 was given; allowed: a whole number, 3 or more"),
        ({"smothing": "exp"}, r"metric 'bleu': there is no option 'smothing'; did you mean 'smoothing'\?"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bleu(**options)


def test_none_stands_for_the_name_none() -> None:
    """Command lines read the word none as None."""
    assert bleu(smoothing=None).smoothing == "none"
