"""What a loaded study holds, and that the real studies load with their documented quirks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import validate
from validate.schema import Fact, Study


def facts(study: Study) -> dict[str, Fact]:
    return {fact.name: fact for fact in study.facts}


def test_frames_labels_and_order(make: Any) -> None:
    study = validate.load(str(make()))
    assert study.systems == ("red", "blue")
    assert study.item_ids == ("i1", "i2")
    assert study.criteria == ("fluency", "preference")
    assert list(study.items.columns) == ["item_id", "source", "references"]
    assert study.items["references"].tolist() == [["uno", "eins"], ["dos"]]
    assert list(study.ratings.columns) == ["item_id", "system", "annotator", "criterion", "score"]
    assert study.ratings["score"].tolist() == [1.0, 4.0, 2.5]
    assert study.comparisons["criterion"].tolist() == ["preference", "preference"]
    assert {str(dtype) for dtype in study.comparisons.dtypes} == {"str"}
    assert study.metric_scores["score"].isna().tolist() == [False, True]
    assert study.settings.criteria["fluency"].scale == (1.0, 5.0)
    assert study.name == "study"


def test_checksums_are_those_of_the_files(make: Any) -> None:
    folder = make()
    study = validate.load(folder)
    assert study.files == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())
    }


def test_a_study_of_judgments_only(make: Any) -> None:
    comparison = "item_id\tsystem_a\tsystem_b\twinner\nq1\tx\ty\ta\nq2\tz\tx\tboth_bad\n"
    study = validate.load(make({"comparisons.tsv": comparison}, only=True))
    assert study.outputs.empty
    assert list(study.outputs.columns) == ["item_id", "system", "output"]
    assert study.systems == ("x", "z", "y")
    assert study.item_ids == ("q1", "q2")
    assert study.items.to_dict("list") == {"item_id": ["q1", "q2"], "source": ["", ""], "references": [[], []]}
    assert study.comparisons["annotator"].tolist() == ["unknown", "unknown"]
    assert facts(study)["items-without-references"].count == 2


def test_items_without_references_column_and_columns_of_references(make: Any) -> None:
    without = validate.load(make({"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "references": null}\n'}))
    assert without.items["references"].tolist() == [[], []]


@pytest.mark.parametrize(
    "text",
    [
        "item_id,reference,reference_2,reference_10\ni1,uno,eins,un\ni2,dos,,\n",
        "item_id,reference_10,reference_1,reference_2\ni1,un,uno,eins\ni2,,dos,\n",
        'item_id,references\ni1,"[""uno"", ""eins"", ""un""]"\ni2,"[""dos""]"\n',
    ],
)
def test_references_in_csv(make: Any, text: str) -> None:
    study = validate.load(make({"items.csv": text, "items.jsonl": None}))
    assert study.items["references"].tolist() == [["uno", "eins", "un"], ["dos"]]
    assert list(study.items.columns) == ["item_id", "source", "references"]


def test_columns_of_references_in_jsonl_keep_empty_ones(make: Any) -> None:
    text = '{"item_id": "i1", "reference": "", "reference_2": "b"}\n{"item_id": "i2", "reference_2": null}\n'
    study = validate.load(make({"items.jsonl": text}))
    assert study.items["references"].tolist() == [["", "b"], []]


def test_a_semicolon_separates_where_the_header_says_so(make: Any) -> None:
    study = validate.load(make({"outputs.csv": "item_id;system;output\ni1;red;a, b\n"}, only=True))
    assert study.outputs["output"].tolist() == ["a, b"]


def test_metadata_survives_with_its_types(make: Any) -> None:
    rows = (
        '{"item_id": "i1", "meta": {"a": [1, null]}, "n": 1, "flag": true, "odd": 1}\n'
        '{"item_id": "i2", "n": 2, "flag": false, "odd": "x", "late": "z"}\n'
    )
    items = validate.load(make({"items.jsonl": rows})).items
    assert items["meta"].tolist() == [{"a": [1, None]}, None]
    assert items["n"].tolist() == [1, 2]
    assert items["n"].dtype == "int64"
    assert items["flag"].dtype == "bool"
    assert items["odd"].tolist() == [1, "x"]
    assert items["late"].isna().tolist() == [True, False]


def test_upper_case_suffixes_are_read(make: Any) -> None:
    study = validate.load(make({"Outputs.CSV": "item_id,system,output\ni1,red,a\n"}, only=True))
    assert len(study.outputs) == 1


def test_realsumm(shared: Path) -> None:
    study = validate.load(shared / "data" / "realsumm")
    found = facts(study)
    assert (len(study.systems), len(study.item_ids), len(study.outputs)) == (25, 100, 2500)
    assert study.criteria == ("litepyramid_recall",)
    assert found["identical-outputs"].count == 226
    assert found["identical-outputs"].detail["abs:bart = ext:bart"] == 100
    assert found["identical-outputs"].text.endswith("; abs:bart and ext:bart never differ")
    assert found["annotators"].count == 1
    assert found["annotators-per-output"].detail["max"] == 1
    assert found["annotators-per-output"].weight == "warning"
    assert found["references-per-item"].detail == {"1": 100}
    assert found["metric-scores"].count == 25_000
    assert "missing-metric-scores" not in found


def test_squality(shared: Path) -> None:
    study = validate.load(shared / "data" / "squality")
    found = facts(study)
    assert found["outputs-equal-to-a-reference"].count == 100
    assert found["outputs-equal-to-a-reference"].detail == {"human": 100}
    assert found["outputs-equal-to-a-reference"].weight == "warning"
    assert found["side-balance"].detail == {"a": 386, "b": 2314, "tie": 0, "both_bad": 0}  # "b in 86 %"
    assert found["side-balance"].weight == "warning"
    assert found["fixed-sides"].count == 3
    assert found["annotators-per-output"].detail["distribution"] == {"3": 900}
    assert found["references-per-item"].detail == {"4": 100}
    assert study.criteria == ("correctness", "selection", "overall")
    means = study.ratings[study.ratings["criterion"] == "correctness"].groupby("system")["score"].mean()
    assert means.round(1).to_dict() == {"bart": 34.8, "bart-dpr": 45.4, "human": 94.1}  # the README's


def test_llmfao(shared: Path) -> None:
    study = validate.load(shared / "data" / "llmfao")
    found = facts(study)
    assert (found["items"].count, found["outputs"].count, found["comparisons"].count) == (13, 750, 8931)
    assert (found["systems"].count, found["annotators"].count) == (59, 124)
    assert found["empty-outputs"].count == 52
    assert found["items-without-references"].count == 13
    assert round(found["side-balance"].detail["tie"] / 8931, 2) == 0.39
    assert found["annotators-per-pair"].count == 2139
    assert found["annotators-per-pair"].detail["distribution"]["1"] == 15
    assert (found["annotators-per-pair"].detail["min"], found["annotators-per-pair"].detail["max"]) == (1, 5)
    assert found["judgments-per-system"].detail["Weaver 12k"] == 2762
    assert found["identical-outputs"].count == 41
    assert study.criteria == ("preference",)


def test_codegen_conala(shared: Path) -> None:
    study = validate.load(shared / "data" / "codegen_conala")
    found = facts(study)
    assert found["empty-outputs"].count == 2
    detail = found["annotators-per-output"].detail
    assert (detail["min"], detail["max"], found["annotators"].count) == (2, 10, 16)
    assert found["references-per-item"].detail == {"1": 456, "2": 7, "3": 7, "4": 1, "5": 1}  # 16 items with 2 to 5
    assert found["outputs-equal-to-a-reference"].detail["snippet"] == 472
    assert found["identical-outputs"].count == 367
    assert found["repeated-references"].count == 4
