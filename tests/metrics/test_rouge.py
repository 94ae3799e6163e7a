"""ROUGE: worked values, sentences, several references, other scripts."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordError, AccordWarning, MissingExtraError, OptionError
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


NEWS = "Dr. Smith came home. He slept well!\nThe U.S. is big"
ORDER = "He slept well! Dr. Smith came home. The U.S. is big"


def lsum(split: str, **options: Any) -> metrics.Metric:
    try:
        return metrics.get("rougeLsum", split=split, **options)
    except AccordError as missing:
        pytest.skip(str(missing))


def test_sentences_found_by_nupunkt() -> None:
    """Three sentences in another order, "Dr." ending none: all 11 words are hits; by lines, "he slept well" or the rest is not."""
    metric = lsum("nupunkt")
    assert metric.score([NEWS], [[ORDER]]).system == 1
    assert metric.score([NEWS.replace("\n", " ")], [[ORDER]]).system == 1
    assert metrics.get("rougeLsum").score([NEWS], [[ORDER]]).system < 1
    assert metric.signature.split("|")[-2] == "split:nupunkt"
    assert metric.notes(Batch.of([NEWS], [[ORDER]])) == []


def by_marks(text: str) -> list[str]:
    """Sentences as a splitter of few rules finds them."""
    return re.split(r"(?<=[.!?])\s+", text.strip()) if text.strip() else []


@settings(max_examples=60)
@given(output=strategies.text, reference=strategies.text, stem=st.booleans())
def test_nltk_splits_as_in_rouge_score(library: Any, output: str, reference: str, stem: bool) -> None:
    """With the splitter itself replaced, whose data few have: everything around it is rouge-score's split_summaries=True."""
    scorer = library("rouge_score.rouge_scorer").RougeScorer(["rougeLsum"], use_stemmer=stem, split_summaries=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library("nltk"), "sent_tokenize", by_marks)
        metric = metrics.get("rougeLsum", split="nltk", stem=stem)
        ours = metric.divide(metric.statistics([output], [[reference]]))[0]
        assert ours == scorer.score(reference, output)["rougeLsum"].fmeasure


def test_nltk_without_its_data_says_what_to_do(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_data(text: str) -> list[str]:
        raise LookupError

    monkeypatch.setattr(library("nltk"), "sent_tokenize", no_data)
    with pytest.raises(
        AccordError, match=r"split='nltk': NLTK has no data .* 'punkt_tab' is needed; .* split='nupunkt'"
    ):
        metrics.get("rougeLsum", split="nltk")


def test_a_splitter_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nupunkt", None)
    with pytest.raises(
        MissingExtraError, match=r"split='nupunkt': the package 'nupunkt' is not installed; .* 'sentences'"
    ):
        metrics.get("rougeLsum", split="nupunkt")


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
