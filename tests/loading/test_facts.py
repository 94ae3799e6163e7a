"""What is no error is counted; the counts are worked by hand or by plain pandas."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import validate
from validate.loading import examine
from validate.schema import Fact

ITEM = '{"item_id": "%s", "references": %s}\n'
OUTPUT = '{"item_id": "%s", "system": "%s", "output": %s}\n'
RATING = '{"item_id": "i1", "system": "%s", "annotator": "%s", "criterion": "fluency", "score": 3}\n'
COMPARISON = '{"item_id": "%s", "system_a": "%s", "system_b": "%s", "annotator": "%s", "winner": "%s"}\n'


def outputs(*rows: tuple[str, str, str]) -> str:
    return "".join(OUTPUT % (item, system, json.dumps(text)) for item, system, text in rows)


def items(**references: list[str]) -> str:
    return "".join(ITEM % (item, json.dumps(texts)) for item, texts in references.items())


def facts_of(make: Any, changes: dict[str, Any], only: bool = True) -> dict[str, Fact]:
    found = examine(make(changes, only=only))
    assert found.problems == ()
    return {fact.name: fact for fact in found.facts}


def test_empty_outputs_are_those_of_white_space_only(make: Any) -> None:
    text = outputs(("i1", "red", ""), ("i2", "red", " \n"), ("i3", "red", "x"), ("i1", "blue", "\u3000"))
    fact = facts_of(make, {"outputs.jsonl": text})["empty-outputs"]
    assert (fact.count, fact.detail, fact.weight) == (3, {"red": 2, "blue": 1}, "warning")
    assert fact.text == "3 outputs are empty or white space (75%): red 2, blue 1"


def test_outputs_equal_to_a_reference_of_their_own_item(make: Any) -> None:
    text = outputs(
        ("i1", "red", "uno"), ("i2", "red", "uno"), ("i1", "blue", "zwei"), ("i2", "blue", "dos"), ("i1", "x", "")
    )
    facts = facts_of(make, {"items.jsonl": items(i1=["uno", "eins", ""], i2=["dos"]), "outputs.jsonl": text})
    # red/i1 and blue/i2; the empty output equals an empty reference, which proves nothing
    fact = facts["outputs-equal-to-a-reference"]
    assert (fact.count, fact.detail) == (2, {"red": 1, "blue": 1})
    assert facts["empty-references"].count == 1


def test_identical_outputs_count_every_copy_but_the_first(make: Any) -> None:
    text = outputs(
        *[("i1", system, "same") for system in ("a", "b", "c")],
        *[("i2", "a", "same"), ("i2", "b", "same"), ("i2", "c", "other"), ("i3", "a", ""), ("i3", "c", "")],
    )
    fact = facts_of(make, {"outputs.jsonl": text})["identical-outputs"]
    # i1: two copies, i2: one; pairs a=b twice, a=c and b=c once; a and b have the same text on both their items but i3
    assert fact.count == 3
    assert fact.detail == {"a = b": 2, "a = c": 1, "b = c": 1}


def test_a_system_given_twice_is_a_warning(make: Any) -> None:
    text = outputs(
        ("i1", "a", "x"), ("i2", "a", "y"), ("i1", "b", "x"), ("i2", "b", "y"), ("i1", "c", "x"), ("i2", "c", "z")
    )
    fact = facts_of(make, {"outputs.jsonl": text})["identical-outputs"]
    assert fact.weight == "warning"
    assert fact.text.endswith("; a and b never differ")


def test_references(make: Any) -> None:
    lists = items(i1=["a", "a", "b"], i2=[], i3=["c", " "], i4=["d"])
    facts = facts_of(make, {"items.jsonl": lists, "outputs.jsonl": outputs(("i1", "red", "x"))})
    assert facts["repeated-references"].count == 1
    assert facts["empty-references"].count == 1
    assert facts["references-per-item"].detail == {"1": 1, "2": 1, "3": 1}
    assert (facts["items-without-references"].count, facts["items-without-references"].weight) == (1, "warning")


def test_a_study_of_outputs_waits_for_judgments(make: Any) -> None:
    facts = facts_of(make, {"outputs.jsonl": outputs(("i1", "red", "x"), ("i2", "red", "y"), ("i1", "blue", "z"))})
    assert facts["no-judgments"].weight == "warning"
    assert facts["no-judgments"].text.endswith("to validate a metric against; add ratings.* or comparisons.*")
    assert (facts["missing-outputs"].count, facts["missing-outputs"].detail) == (1, {"blue": 1})
    assert "unjudged-outputs" not in facts


def test_unjudged_outputs(make: Any) -> None:
    facts = facts_of(make, {"ratings.jsonl": RATING % ("red", "ann"), "metrics.jsonl": None}, only=False)
    # comparisons judge all four outputs
    assert "unjudged-outputs" not in facts


def test_outputs_without_any_judgment(make: Any) -> None:
    changes = {"ratings.jsonl": RATING % ("red", "ann"), "comparisons.jsonl": None}
    fact = facts_of(make, changes, only=False)["unjudged-outputs"]
    assert (fact.count, fact.detail) == (3, {"blue": 2, "red": 1})


def test_annotators_per_unit_and_repeated_judgments(make: Any) -> None:
    ratings = "".join(RATING % pair for pair in [("red", "ann"), ("red", "bob"), ("red", "ann"), ("blue", "ann")])
    facts = facts_of(make, {"ratings.jsonl": ratings})
    # red has two annotators (ann twice), blue one
    assert facts["annotators-per-output"].detail == {
        "min": 1,
        "median": 1.5,
        "max": 2,
        "distribution": {"1": 1, "2": 1},
    }
    assert (facts["repeated-ratings"].count, facts["repeated-ratings"].detail) == (1, {"ann": 1})
    assert (
        facts["repeated-ratings"].text
        == "1 time an annotator judged the same output more than once (2 judgments): ann 1"
    )
    assert facts["judgments-per-system"].detail == {"red": 3, "blue": 1}


def test_a_pair_is_the_same_whichever_way_round(make: Any) -> None:
    rows = [("i1", "red", "blue", "ann", "a"), ("i1", "blue", "red", "ann", "b"), ("i2", "red", "blue", "ann", "tie")]
    facts = facts_of(make, {"comparisons.jsonl": "".join(COMPARISON % row for row in rows)})
    assert facts["annotators-per-pair"].count == 2
    assert facts["repeated-comparisons"].count == 1
    assert facts["annotators-per-pair"].weight == "warning"
    assert "fixed-sides" not in facts


def test_ratings_without_annotators(make: Any) -> None:
    """Three judgments of one output by nobody knows whom: neither one annotator's repetitions nor three annotators."""
    text = "item_id,system,criterion,score\ni1,red,fluency,3\ni1,red,fluency,4\ni1,red,fluency,5\n"
    facts = facts_of(make, {"ratings.csv": text})
    fact = facts["missing-annotators"]
    assert (fact.count, fact.weight, fact.detail) == (3, "warning", {"ratings.csv": 3})
    assert fact.text == (
        "3 of 3 ratings name no annotator ('unknown' stands for it): their agreement cannot be measured, and each counts, "
        "because none can be told to repeat another; add a column 'annotator' if you know who judged"
    )
    assert facts["annotators"].count == 0
    assert not {"annotators-per-output", "repeated-ratings", "judgments-per-annotator"} & facts.keys()


def test_annotators_who_are_called_unknown_are_none(make: Any) -> None:
    facts = facts_of(make, {"ratings.jsonl": RATING % ("red", "unknown") + RATING % ("red", "ann")})
    assert (facts["missing-annotators"].count, facts["annotators"].count) == (1, 1)
    assert facts["judgments-per-annotator"].detail == {"ann": 1}
    assert facts["annotators-per-output"].detail["max"] == 1


def test_scales_that_are_not_declared(make: Any) -> None:
    ratings = RATING % ("red", "ann") + (RATING % ("red", "ann")).replace("3", "6").replace("fluency", "style")
    toml = "[criteria.fluency]\nscale = [1, 5]\n[criteria.style]\n"
    fact = facts_of(make, {"ratings.jsonl": ratings, "study.toml": toml})["undeclared-scales"]
    assert (fact.count, fact.weight, fact.detail) == (1, "note", {"style": [6.0, 6.0]})
    assert fact.text == "1 criterion has no scale in study.toml, so no score can lie outside it: style (found 6 to 6)"


def test_missing_annotators_are_one_and_not_said_to_repeat(make: Any) -> None:
    ratings = (RATING % ("red", "")) * 2 + RATING % ("red", "ann") + RATING % ("red", "bob")
    ratings += (RATING % ("blue", "ann")).replace('"annotator": "ann", ', "")
    found = examine(make({"ratings.jsonl": ratings}, only=True))
    assert found.study is not None
    assert found.study.ratings["annotator"].tolist() == ["unknown", "unknown", "ann", "bob", "unknown"]
    facts = {fact.name: fact for fact in found.facts}
    assert (facts["missing-annotators"].count, facts["annotators"].count) == (3, 2)
    assert "repeated-ratings" not in facts


def test_sides(make: Any) -> None:
    rows = [("i1", "red", "blue", f"w{number}", "b") for number in range(12)] + [
        ("i1", "red", "blue", "w99", "both_bad")
    ]
    facts = facts_of(make, {"comparisons.jsonl": "".join(COMPARISON % row for row in rows)})
    balance = facts["side-balance"]
    # 0 of 12: (0 - 12)/sqrt(12) is 3.5 standard errors from even
    assert (balance.detail, balance.weight) == ({"a": 0, "b": 12, "tie": 0, "both_bad": 1}, "warning")
    assert balance.text.startswith("side a won 0 of 12 decided comparisons (0%); 0 ties, 1 both bad")
    assert (facts["fixed-sides"].count, facts["fixed-sides"].weight) == (1, "warning")


def test_few_uneven_sides_are_chance(make: Any) -> None:
    rows = [("i1", "red", "blue", f"w{number}", "b") for number in range(9)]
    fact = facts_of(make, {"comparisons.jsonl": "".join(COMPARISON % row for row in rows)})["side-balance"]
    assert fact.weight == "note"  # 9/sqrt(9) = 3, not more


def test_criteria(make: Any) -> None:
    rows = COMPARISON % ("i1", "red", "blue", "ann", "a") + COMPARISON % ("i1", "red", "blue", "bob", "a")
    rows = rows.replace('"winner"', '"criterion": "style", "winner"', 1)
    folder = make({"comparisons.jsonl": rows, "study.toml": "[criteria.Style]\nscale = [1, 2]\n"}, only=True)
    found = examine(folder)
    facts = {fact.name: fact for fact in found.facts}
    assert found.study is not None
    assert found.study.criteria == ("style", "preference")
    assert facts["default-criterion"].count == 1
    assert facts["unused-criteria"].detail == {"criteria": ["Style"]}


def test_scripts(make: Any) -> None:
    text = outputs(("i1", "red", "Привет, world"), ("i2", "red", "hello мир"), ("i3", "red", "42"), ("i4", "red", "x"))
    lists = items(i1=["hello"], i2=["hello", "привет"], i3=["hello"], i4=["1"])
    fact = facts_of(make, {"items.jsonl": lists, "outputs.jsonl": text})["different-script"]
    # i1 has six Cyrillic letters to five Latin; i2 has a reference in either script; i3 and the reference of i4 have no letters
    assert (fact.count, fact.detail) == (1, {"red": 1})
    assert "Cyrillic 1" in fact.text


def test_unicode_forms(make: Any) -> None:
    text = outputs(("i1", "red", "cafe\u0301"), ("i2", "red", "café"), ("i3", "red", "plain"))
    fact = facts_of(make, {"outputs.jsonl": text})["mixed-unicode-forms"]
    assert (fact.count, fact.weight, fact.detail) == (1, "warning", {"outputs": 1})


def test_texts_that_are_all_decomposed_agree_with_each_other(make: Any) -> None:
    fact = facts_of(make, {"outputs.jsonl": outputs(("i1", "red", "cafe\u0301"))})["mixed-unicode-forms"]
    assert fact.weight == "note"


def test_nul_characters_are_kept(make: Any) -> None:
    found = examine(make({"outputs.csv": b'item_id,system,output\ni1,red,"a\0b"\n'}, only=True))
    assert found.study is not None
    assert found.study.outputs["output"].tolist() == ["a\0b"]
    assert {fact.name: fact.count for fact in found.facts}["nul-characters"] == 1


def test_numbers_as_labels(make: Any) -> None:
    rows = '{"item_id": 7, "system": 1.0, "output": "a"}\n{"item_id": "7", "system": 1.5, "output": "b"}\n'
    found = examine(make({"outputs.jsonl": rows}, only=True))
    assert found.study is not None
    assert found.study.outputs["item_id"].tolist() == ["7", "7"]
    assert found.study.outputs["system"].tolist() == ["1", "1.5"]
    fact = {fact.name: fact for fact in found.facts}["numeric-ids"]
    assert (fact.count, fact.detail) == (3, {"outputs.jsonl": 3})
    assert '7 and "7" are the same' in fact.text


def test_leading_zeros_stay(make: Any) -> None:
    study = validate.load(make({"outputs.csv": "item_id,system,output\n007,1,x\n7,1,y\n"}, only=True))
    assert study.item_ids == ("007", "7")


def test_padded_and_similar_labels(make: Any) -> None:
    text = outputs(("i1", "gpt ", "a"), ("i1", "GPT", "b"), ("I1", "gpt ", "c"), ("i1 ", "gpt ", "d"))
    facts = facts_of(make, {"outputs.jsonl": text})
    assert facts["padded-labels"].detail == {"item": ["i1 "], "system": ["gpt "]}
    # item ids may differ in case on purpose; names of systems hardly
    assert facts["similar-labels"].detail == {"item": [{"i1": 2, "i1 ": 1}], "system": [{"gpt ": 3, "GPT": 1}]}


def test_labels_that_differ_in_case_or_white_space_are_named_with_their_rows(make: Any) -> None:
    rows = [("red", "ben"), ("red", "ben "), ("blue", "ben")]
    ratings = "".join(RATING % row for row in rows) + (RATING % ("Blue", "ann")).replace("fluency", "Fluency")
    fact = facts_of(make, {"ratings.jsonl": ratings})["similar-labels"]
    assert (fact.count, fact.weight) == (3, "warning")
    assert fact.text == (
        "labels that differ only in case, white space or Unicode form are taken as different: "
        "system 'blue' (1 row) and 'Blue' (1 row); annotator 'ben' (2 rows) and 'ben ' (1 row); "
        "criterion 'fluency' (3 rows) and 'Fluency' (1 row); if they mean the same, write them alike"
    )


def test_files(make: Any) -> None:
    head = b"\xef\xbb\xbfitem_id,system,output,note\r\n"
    changes = {
        "outputs.csv": head + b"i1,red,x,n\r\n",
        "rating.csv": "x",
        "README.md": "# hello",
        "items.csv": "item_id,document\r\ni1,d\r\n",
    }
    found = examine(make(changes, only=True))
    assert found.study is not None
    facts = {fact.name: fact for fact in found.facts}
    assert facts["byte-order-marks"].detail == {"files": ["outputs.csv"]}
    assert facts["crlf-line-ends"].detail == {"items.csv": 2, "outputs.csv": 2}
    assert facts["crlf-line-ends"].text == "2 files with line ends of Windows (CRLF), which is fine"
    assert facts["crlf-line-ends"].weight == "note"
    assert facts["unread-files"].detail == {"files": ["rating.csv"]}
    assert facts["extra-columns"].detail == {"items.csv": ["document"], "outputs.csv": ["note"]}
    assert "'document' in items.csv may be meant as source" in facts["extra-columns"].text
    assert found.study.outputs["note"].tolist() == ["n"]
    assert sorted(found.study.files) == ["items.csv", "outputs.csv"]


def test_a_file_that_may_be_misnamed_is_a_warning(make: Any) -> None:
    changes = {"outputs.jsonl": outputs(("i1", "red", "x")), "rating.csv": "item_id,system,score\n"}
    fact = facts_of(make, changes)["unread-files"]
    assert fact.weight == "warning"
    assert "rating.csv may be meant as ratings.csv" in fact.text


def test_scores_from_elsewhere(make: Any) -> None:
    rows = '{"item_id": "i1", "system": "%s", "metric": "m", "score": %s}\n'
    outputs_text = outputs(("i1", "red", "x"), ("i2", "blue", "x"))
    changes = {"outputs.jsonl": outputs_text, "metrics.jsonl": rows % ("red", "NaN") + rows % ("blue", 1)}
    found = examine(make(changes, only=True))
    assert found.study is not None
    assert np.isnan(found.study.metric_scores["score"].tolist()[0])
    facts = {fact.name: fact for fact in found.facts}
    assert (facts["missing-metric-scores"].count, facts["missing-metric-scores"].detail) == (1, {"m": 1})
    assert facts["scores-without-output"].count == 1


def test_simulated_judgments_are_said_to_be(make: Any) -> None:
    facts = facts_of(make, {"study.toml": "simulated = true\n", "metrics.jsonl": None}, only=False)
    assert facts["simulated-judgments"].weight == "warning"


def test_facts_of_a_broken_study_are_those_of_its_sound_rows(make: Any) -> None:
    ratings = RATING % ("red", "ann") + (RATING % ("red", "bob")).replace("3", '"x"') + "{\n"
    found = examine(make({"ratings.jsonl": ratings}, only=True))
    assert [problem.line for problem in found.problems] == [2, 3]
    assert {fact.name: fact.count for fact in found.facts}["ratings"] == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_counts_of_units_equal_those_of_pandas(make: Any, seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = 400
    frame = pd.DataFrame(
        {
            "item_id": draw.choice(["i1", "i2", "i3"], n),
            "system_a": draw.choice(["a", "b"], n),
            "system_b": draw.choice(["c", "d"], n),
            "annotator": draw.choice(["w1", "w2", "w3", "w4"], n),
            "criterion": draw.choice(["fluency", "style"], n),
            "winner": draw.choice(["a", "b", "tie"], n),
        }
    )
    swap = draw.random(n) < 0.5
    frame.loc[swap, ["system_a", "system_b"]] = frame.loc[swap, ["system_b", "system_a"]].to_numpy()
    facts = facts_of(make, {"comparisons.csv": frame.to_csv(index=False)})
    frame["pair"] = [" ".join(sorted(pair)) for pair in zip(frame["system_a"], frame["system_b"], strict=True)]
    unit = ["item_id", "pair", "criterion"]
    per_unit = frame.groupby(unit)["annotator"].nunique()
    per_annotator = frame.groupby([*unit, "annotator"]).size()
    detail = facts["annotators-per-pair"].detail
    assert (detail["min"], detail["median"], detail["max"]) == (per_unit.min(), per_unit.median(), per_unit.max())
    assert facts["annotators-per-pair"].count == len(per_unit)
    assert facts["repeated-comparisons"].count == (per_annotator > 1).sum()
