"""WER and CER: counts by hand, the three policies for empty references, several references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from validate import metrics
from validate.errors import AccordError, OptionError
from validate.text.corpus import Batch


def test_by_hand() -> None:
    """One substitution and one deletion on 4 words; two substitutions and an insertion on 3 characters."""
    assert metrics.get("wer").score(["a x c"], [["a b c d"]]).system == 2 / 4
    assert metrics.get("cer").score(["xbyz"], [["abc"]]).system == 3 / 3


def test_worked_value(cases: Any) -> None:
    case = cases("worked_values")["cer-amount"]
    output, references = case["inputs"]["hypothesis"], case["inputs"]["references"]
    assert metrics.get("cer").score([output], [references]).system == case["expect"]["cer"]
    distance = metrics.get("edit_distance", unit="codepoint").score([output], [references]).system
    assert distance == case["expect"]["edit_distance"]
    assert metrics.get("exact_match").score([output], [references]).system == case["expect"]["exact_match"]


def test_a_corpus_pools_edits_and_words() -> None:
    """1 edit on 1 word and 0 on 3: 1/4, not the mean of 1 and 0; rates above 1 are not clipped."""
    assert metrics.get("wer").score(["x", "a b c"], [["y"], ["a b c"]]).system == 1 / 4
    assert metrics.get("wer").score(["a b c d e"], [["x"]]).system == 5


def test_empty_reference_policies(cases: Any) -> None:
    case = cases("reports")["empty-reference-wer"]["input"]
    output, references = [case["output"]], [[case["reference"]]]
    insertions = metrics.get("wer").score(output, references)
    assert insertions.items[0] == insertions.system == 2
    assert "empty_reference:insertions" in insertions.signature
    undefined = metrics.get("wer", empty_reference="nan").score(output, references)
    assert np.isnan([undefined.items[0], undefined.system]).all()
    with pytest.raises(
        AccordError, match=r"wer: an empty reference was given in 1 row \(0\); .* use 'insertions' or 'nan'"
    ):
        metrics.get("wer", empty_reference="error").score(output, references)


def test_an_empty_reference_in_a_corpus_adds_its_insertions() -> None:
    """2 insertions on no word and 1 substitution on 2 words: 3/2. Under "nan" the first item is left out: 1/2."""
    outputs, references = ["a b", "c x"], [[""], ["c d"]]
    assert metrics.get("wer").score(outputs, references).system == 3 / 2
    assert metrics.get("wer", empty_reference="nan").score(outputs, references).system == 1 / 2
    assert metrics.get("wer").score([""], [[" "]]).items[0] == 0


def test_the_policy_is_stated_with_its_count() -> None:
    batch = Batch.of(["a", "b", "c"], [[""], ["", "x"], []])
    (note,) = metrics.get("wer", empty_reference="nan").notes(batch)
    assert note.text == "wer: 1 item with only empty references: undefined"
    (note,) = metrics.get("cer").notes(batch)
    assert note.text == "cer: 1 item with only empty references: scored by their number of insertions"
    assert metrics.get("wer").notes(batch.take([1])) == []


def test_the_lowest_rate_of_several_references() -> None:
    """1 edit on 1 word, or 2 edits on 4 words: the second rate is lower although it has more edits."""
    score = metrics.get("wer").score(["a b"], [["a", "a b c d"]])
    assert score.items[0] == 2 / 4
    assert score.statistics.tolist() == [[2, 4]]
    assert metrics.get("wer").score(["a b"], [["", "a c"]]).items[0] == 1 / 2
    assert metrics.get("wer", empty_reference="nan").score([""], [["", "a c"]]).items[0] == 1
    assert metrics.get("wer").score([""], [["", "a c"]]).items[0] == 0


def test_tabs_separate_words_and_jiwers_splitting_by_name(cases: Any) -> None:
    case = cases("reports")["tab-not-separator"]["input"]
    output, references = [case["output"]], [[case["reference"]]]
    assert metrics.get("wer").score(output, references).system == 0
    # jiwer 4.0: the reference, parted by a tab and a no-break space, is one word: one substitution and two insertions on it.
    assert metrics.get("wer", tokenizer="jiwer").score(output, references).system == 3


def test_characters_or_what_a_reader_takes_for_them() -> None:
    """A family of three emoji is five code points and one grapheme."""
    family, reference = "👩\u200d👩\u200d👧", "ab"
    assert metrics.get("cer").score([f"a{family}"], [[reference]]).system == 5 / 2
    assert metrics.get("cer", unit="grapheme").score([f"a{family}"], [[reference]]).system == 1 / 2
    assert metrics.get("cer").score([" ab\n"], [["ab"]]).system == 0
    assert metrics.get("cer").score(["a  b"], [["a b"]]).system == 1 / 3


def test_composed_and_decomposed_forms_differ_until_they_are_normalised(cases: Any) -> None:
    import unicodedata

    case = cases("reports")["nfc-nfd"]["input"]
    assert metrics.get("cer").score([case["output"]], [[case["reference"]]]).system > 0
    normal = {side: unicodedata.normalize("NFC", text) for side, text in case.items()}
    assert metrics.get("cer").score([normal["output"]], [[normal["reference"]]]).system == 0


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match=r"there is no unit 'word'; .*allowed: codepoint, grapheme"):
        metrics.get("cer", unit="word")
    with pytest.raises(OptionError, match="there is no empty_reference 'zero'"):
        metrics.get("wer", empty_reference="zero")


def score(name: str, output: str, *references: str, **options: Any) -> float:
    return metrics.get(name, **options).score([output], [list(references)]).items[0]


def test_matches_by_hand() -> None:
    """ "a" deleted, "b" and "c" hit, "d" and "e" inserted (METRICS.md's pair): MER 3/5, WIP 2/3 · 2/4."""
    assert score("mer", "b c d e", "a b c") == 3 / 5
    assert score("wip", "b c d e", "a b c") == 2 / 3 * (2 / 4)
    assert score("wil", "b c d e", "a b c") == 1 - 2 / 3 * (2 / 4)
    assert metrics.get("mer").statistics(["b c d e"], [["a b c"]]).tolist() == [[2, 0, 1, 2]]


def test_which_words_are_hits_depends_on_the_script() -> None:
    """Two edits either way: both words replaced, or "b" inserted and deleted, which RapidFuzz prefers and which has a hit."""
    assert metrics.get("mer").statistics(["b a"], [["a b"]]).tolist() == [[1, 0, 1, 1]]
    assert score("wip", "b a", "a b") == 1 / 2 * (1 / 2)


def test_a_corpus_pools_hits_and_errors() -> None:
    """Hits 1 + 0, substitutions 1 + 1, insertions 0 + 1: MER 3/4, WIP 1/3 · 1/4."""
    outputs, references = ["a x", "y z"], [["a b"], ["c"]]
    assert metrics.get("mer").score(outputs, references).system == 3 / 4
    assert metrics.get("wip").score(outputs, references).system == 1 / 3 * (1 / 4)


def test_matches_with_an_empty_side() -> None:
    for output, reference, mer, wip in (("", "", 0, 1), ("a", "", 1, 0), ("", "a", 1, 0)):
        assert score("mer", output, reference) == mer
        assert score("wip", output, reference) == wip
        assert score("wil", output, reference) == 1 - wip
    for name in ("mer", "wil", "wip"):
        assert np.isnan(score(name, "a", " ", empty_reference="nan"))
        with pytest.raises(AccordError, match=f"{name}: an empty reference was given in 1 row"):
            score(name, "a", "", empty_reference="error")
    (note,) = metrics.get("wil").notes(Batch.of(["a"], [[""]]))
    assert note.text.endswith("empty references: all of a longer output counts as wrong, and an empty one as right")


def test_the_best_of_several_references_by_each_rate() -> None:
    """Against "a b": MER 1/2. Against "a b c d e": 3/5, but WIP 2/5 · 2/2 beats 1/2 · 1/2."""
    assert score("mer", "a c", "a b", "a b c d e") == 1 / 2
    assert score("wip", "a c", "a b", "a b c d e") == 2 / 5
    assert score("wil", "a c", "a b", "a b c d e") == 1 - 2 / 5


def test_jiwers_own_functions(library: Any) -> None:
    jiwer = library("jiwer")
    references, outputs = ["the cat sat on the mat", "a\tb c"], ["on the mat the cat", "a b c"]
    for name in ("mer", "wil", "wip"):
        ours = metrics.get(name, tokenizer="jiwer").score(outputs, [[reference] for reference in references])
        assert ours.system == getattr(jiwer, name)(references, outputs)
