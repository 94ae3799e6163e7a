"""ROUGE: worked values, sentences, several references, other scripts."""

from __future__ import annotations

from typing import Any

import pytest

from validate import metrics
from validate.errors import AccordWarning, OptionError
from validate.text.corpus import Batch

H, R = "the cat sat on the mat", "the cat is sitting on the mat"


def score(name: str, output: str, *references: str, **options: Any) -> float:
    return metrics.get(name, **options).score([output], [list(references)]).system


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("case", ["rouge1-valve", "rouge-company", "rouge-scrambled", "rouge1-dull"])
def test_worked_values(cases: Any, case: str, stem: bool) -> None:
    worked = cases("worked_values")[case]
    output, references = worked["inputs"]["hypothesis"], worked["inputs"]["references"]
    for key, expected in worked["expect"].items():
        name, _, part = key.rpartition("_")
        options = {"part": {"precision": "p", "recall": "r"}.get(part or key, "f"), "stem": stem}
        assert score(name or "rouge1", output, *references, **options) == pytest.approx(
            expected, abs=worked["tolerance"]
        )


# rouge-score 0.1.2, `RougeScorer(["rouge1", "rougeL"]).score(R, H)`, run 2026-11-30: 0.7692 both; by hand 5 words in common,
# in order, of 6 and 7: 2 · 5/6 · 5/7 / (5/6 + 5/7) = 10/13.
@pytest.mark.parametrize("name", ["rouge1", "rougeL", "rougeLsum"])
def test_one_pair(name: str) -> None:
    assert score(name, H, R) == pytest.approx(10 / 13, rel=1e-12)


def test_rouge_n_by_hand() -> None:
    """Pairs of H: 5, of R: 6, in common "the cat", "on the", "the mat": P = 3/5, R = 3/6."""
    assert score("rouge2", H, R, part="p") == 3 / 5
    assert score("rouge2", H, R, part="r") == 3 / 6
    assert score("rouge9", "a b c d e f g h i", "a b c d e f g h i") == 1
    assert score("rouge9", "a b c", "a b c") == 0


def test_sentences_need_line_breaks(cases: Any) -> None:
    case = cases("reports")["lsum-needs-newlines"]["input"]
    assert score("rougeLsum", case["output"], case["reference"]) == 1
    assert score("rougeL", case["output"], case["reference"]) == 0.5
    flat = {key: text.replace("\n", " ") for key, text in case.items()}
    assert score("rougeLsum", flat["output"], flat["reference"]) == 0.5


def test_texts_without_line_breaks_are_counted() -> None:
    batch = Batch.of(["a\nb", "a b"], [["a b\n"], ["c\nd"]])
    (note,) = metrics.get("rougeLsum").notes(batch)
    assert (note.name, note.count, note.weight) == ("no-line-breaks", 2, "note")
    assert note.text == "rougeLsum: 2 of 4 texts have no line break and count as one sentence"


def test_a_word_is_a_hit_no_oftener_than_both_texts_have_it() -> None:
    """ "a" lies on the subsequences of both reference lines, and the output has one: one hit of 2 and 2 words."""
    assert score("rougeLsum", "a b", "a\na", part="r") == 1 / 2


def test_another_script_has_no_tokens_and_says_so(cases: Any) -> None:
    case = cases("reports")["cjk-rouge-zero"]["input"]
    with pytest.warns(
        AccordWarning, match="1 of 1 texts hold letters or digits but have no tokens under the tokenizer"
    ):
        assert score("rouge1", case["output"], case["reference"]) == 0
    assert score("rouge1", case["output"], case["reference"], tokenizer="unicode") == 1


def test_punctuation_alone_is_no_reason_to_warn() -> None:
    assert score("rouge1", "…", "!") == 0


def test_stemming(cases: Any) -> None:
    words = cases("reports")["stemmer-short-words"]["input"]["words"]
    assert score("rouge1", " ".join(words), "fli die is", stem=True) == 1
    assert score("rouge1", "walking", "walked") == 0
    assert score("rougeL", "walking", "walked", stem=True) == 1


@pytest.mark.parametrize("name", ["rouge1", "rougeL"])
def test_several_references(name: str) -> None:
    """F of "a b" against "a b", "a", "c d": 1, 2/3, 0."""
    references = ("a", "c d", "a b")
    assert score(name, "a b", *references) == 1
    assert score(name, "a b", *references, multi_reference="mean") == pytest.approx((1 + 2 / 3 + 0) / 3)
    # Without "a": 1; without "c d": 1; without "a b": 2/3.
    assert score(name, "a b", *references, multi_reference="jackknife") == pytest.approx((1 + 1 + 2 / 3) / 3)
    assert score(name, "a b", "a", multi_reference="jackknife") == pytest.approx(2 / 3)


def test_parts_come_from_the_reference_with_the_best_f() -> None:
    """Against "a" P = 1/2 and R = 1; against "a b c" P = 1 and R = 2/3, F = 4/5, which is the better F."""
    assert score("rouge1", "a b", "a", "a b c", part="r") == pytest.approx(2 / 3)
    assert score("rouge1", "a b", "a", "a b c", part="p") == 1


@pytest.mark.parametrize(("output", "reference"), [("", "a"), ("a", ""), ("", ""), ("!", "?")])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_nothing_on_a_side_scores_0(name: str, output: str, reference: str) -> None:
    assert score(name, output, reference) == 0


def test_names_and_options() -> None:
    assert [name for name in metrics.names() if name[5:].isdigit()] == [f"rouge{n}" for n in range(1, 10)]
    with pytest.raises(OptionError, match="there is no metric 'rouge10'"):
        metrics.get("rouge10")
    with pytest.raises(OptionError, match="rouge1: there is no part 'recall'; allowed: f, p, r"):
        metrics.get("rouge1", part="recall")
    with pytest.raises(OptionError, match="there is no multi_reference 'best'"):
        metrics.get("rouge1", multi_reference="best")
    with pytest.raises(OptionError, match="rouge1: there is no tokenizer '13a'; allowed: rouge-score, unicode"):
        metrics.get("rouge1", tokenizer="13a")
