"""``accord init``: tables of other people become studies, or the reason why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import typer
from typer.testing import CliRunner, Result

import validate
from validate.cli import app as accord
from validate.cli.init import init
from validate.errors import AccordError, OptionError, ResultsError, StudyError
from validate.loading.intake import MAPPABLE

app = typer.Typer()
app.command()(init)


def run(tmp_path: Path, content: str, *options: str, name: str = "data.csv") -> Result:
    (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    return CliRunner().invoke(app, [str(tmp_path / "study"), "--from", str(tmp_path / name), *options])


def made(tmp_path: Path, content: str, *options: str, name: str = "data.csv") -> Any:
    result = run(tmp_path, content, *options, name=name)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return validate.load(tmp_path / "study")


WIDE = 'ID,Source,Reference,Reference 2,gpt-4,bart,Category\n007,q1,r1,"r, 2","a ""b""",,x\n8,q2,r3,,c,d,y\n'


def test_wide_form_recognised(tmp_path: Path) -> None:
    study = made(tmp_path, WIDE)
    assert study.items.to_dict("list") == {
        "item_id": ["007", "8"],
        "source": ["q1", "q2"],
        "references": [["r1", "r, 2"], ["r3"]],
        "Category": ["x", "y"],
    }
    assert study.outputs.to_dict("list") == {
        "item_id": ["007", "007", "8", "8"],
        "system": ["gpt-4", "bart", "gpt-4", "bart"],
        "output": ['a "b"', "", "c", "d"],
    }
    assert study.name == "study"


def test_what_was_understood_is_shown(tmp_path: Path) -> None:
    output = " ".join(run(tmp_path, WIDE).output.split())
    assert "ID item_id 2 007" in output
    assert "gpt-4 outputs of a system 2" in output
    assert "Category metadata 2 x" in output
    assert "wide form: a row per item, a column per system" in output
    assert "2 items, 4 outputs, 2 systems" in output
    assert "note: 'gpt-4', 'bart' taken as one system each" in output
    assert "note: 1 empty cell where an output could be: taken as empty outputs" in output


def test_wide_form_as_given(tmp_path: Path) -> None:
    table = "n,text,a|b,one,two,three\n1,s,r,x,y,z\n"
    study = made(tmp_path, table, "--map", "item_id=n,source=text,references=a|b,systems=one|two")
    assert study.systems == ("one", "two")
    assert study.items["references"].tolist() == [["r"]]
    assert study.items["three"].tolist() == ["z"]


def test_wide_form_numbers_items_without_ids(tmp_path: Path) -> None:
    study = made(tmp_path, "reference,output_a1,b_summary,len\nr,x,y,3\nr,z,w,4\n")
    assert study.item_ids == ("1", "2")
    assert study.systems == ("output_a1", "b_summary")
    assert study.items["len"].tolist() == ["3", "4"]


def test_one_column_of_outputs_is_one_system(tmp_path: Path) -> None:
    study = made(tmp_path, "id,reference,prediction\n1,r,x\n2,r,y\n")
    assert study.systems == ("prediction",)


LONG = "doc_id\tmodel\tsummary\trater\tfluency\tcoherence\tseed\n"
LONG += "007\ta\tone\tw1\t3\t4\t5\n007\ta\tone\tw2\t2\t\t5\n007\tb\ttwo\tw1\t1\t2\t6\n"


def test_long_form_with_a_column_per_criterion(tmp_path: Path) -> None:
    study = made(tmp_path, LONG, name="data.tsv")
    assert study.outputs.to_dict("list") == {
        "item_id": ["007", "007"],
        "system": ["a", "b"],
        "output": ["one", "two"],
        "seed": ["5", "6"],  # one value an output, several an item
    }
    assert study.ratings[["annotator", "criterion", "score"]].to_numpy().tolist() == [
        ["w1", "fluency", 3.0],
        ["w1", "coherence", 4.0],
        ["w2", "fluency", 2.0],
        ["w1", "fluency", 1.0],
        ["w1", "coherence", 2.0],
    ]


def test_study_toml_shows_the_scores_found_without_declaring_a_scale(tmp_path: Path) -> None:
    run(tmp_path, LONG, name="data.tsv")
    text = (tmp_path / "study" / "study.toml").read_text()
    assert (
        "[criteria.fluency]\n# The scores found go from 1 to 3. Give the ends of the scale that people had, and a score "
        "outside it is refused:\n# scale = [1, 3]\n# higher_is_better = true\n"
    ) in text
    assert validate.load(tmp_path / "study").settings.criteria["fluency"].scale is None


def test_the_comments_of_study_toml_can_be_uncommented(tmp_path: Path) -> None:
    """With ratings, and as an example where there are none yet; a score outside the scale is then refused."""
    for name, content in (("long", LONG), ("wide", WIDE.replace(",", "\t"))):
        (tmp_path / name).mkdir()
        assert run(tmp_path / name, content, name="data.tsv").exit_code == 0
        toml = tmp_path / name / "study" / "study.toml"
        lines = [line.removeprefix("# ") for line in toml.read_text().splitlines() if "refused:" not in line]
        toml.write_text("\n".join(lines))
        settings = validate.load(tmp_path / name / "study").settings
        assert settings.criteria["fluency"].scale == ((1, 3) if name == "long" else (1, 5))
        assert settings.criteria["fluency"].measurement == "interval"
    ratings = tmp_path / "long" / "study" / "ratings.jsonl"
    ratings.write_text(ratings.read_text().replace('"score": 3.0', '"score": 6.0'))
    with pytest.raises(StudyError, match=r"ratings\.jsonl:1 \[score\] 6: lies outside the scale of 'fluency', 1 to 3"):
        validate.load(tmp_path / "long" / "study")


def test_the_scale_is_said_to_be_given_only_where_there_are_scores(tmp_path: Path) -> None:
    assert "to do: in study.toml, give the scale of each criterion\nnext:" in run(tmp_path, LONG, name="d.tsv").output
    (tmp_path / "wide").mkdir()
    assert "to do" not in run(tmp_path / "wide", WIDE).output


@pytest.mark.parametrize("name", ["segment", "Seg ID", "sentence_id", "my part"])
def test_what_tells_items_apart_that_share_a_source(tmp_path: Path, name: str) -> None:
    """Two notices with one source: by their segments they are two items, and where that is not known, it is said how."""
    rows = "".join(f"s{n},{system},q,{n}{system}\n" for n in (1, 2) for system in ("a", "b"))
    content = f"{name},system,source,output,nr\n".replace(",nr", "") + rows
    if name != "my part":
        assert made(tmp_path, content).item_ids == ("s1", "s2")
        return
    # judged, so that rows may repeat an output: line 4 has another text for the only source and system a
    judged = content.replace("output\n", "output,score\n").replace("a\n", "a,3\n").replace("b\n", "b,4\n")
    (problem, _) = run(tmp_path, judged).exception.problems  # type: ignore[union-attr]
    assert (problem.line, problem.column) == (4, "output")
    assert problem.remedy.endswith("; if 'my part' names the items: --map 'item_id=my part'")
    assert made(tmp_path, judged, "--map", "item_id=my part").item_ids == ("s1", "s2")


def test_long_form_of_scores(tmp_path: Path) -> None:
    rows = '{"item": 7, "system": "a", "aspect": "style", "rating": 2.5, "worker": "w"}\n'
    study = made(tmp_path, rows, name="data.jsonl")
    assert study.outputs.empty
    assert study.ratings.to_dict("list") == {
        "item_id": ["7"],
        "system": ["a"],
        "annotator": ["w"],
        "criterion": ["style"],
        "score": [2.5],
    }


def test_scores_without_a_criterion_are_overall(tmp_path: Path) -> None:
    study = made(tmp_path, "id,system,output,score\n1,a,x,3\n1,b,y,\n")
    assert study.ratings[["system", "criterion"]].to_numpy().tolist() == [["a", "overall"]]


def test_judgments_by_nobody_knows_whom_are_said_to_be(tmp_path: Path) -> None:
    note = "note: no column says who judged, so agreement cannot be measured: --map annotator=COLUMN"
    for name, content, said in (
        ("scores", "id,system,score,who\n1,a,3,ann\n", True),
        ("pairs", "id,model_a,model_b,winner\n1,x,y,a\n", True),
        ("named", "id,system,score,rater\n1,a,3,ann\n", False),
        ("outputs", "id,system,output\n1,a,x\n", False),
        ("metric", "id,system,metric,score\n1,a,bleu,3\n", False),
    ):
        (tmp_path / name).mkdir()
        assert (note in run(tmp_path / name, content).output) == said, name


def test_scores_of_metrics(tmp_path: Path) -> None:
    study = made(tmp_path, "id,system,output,metric,score\n1,a,x,bleu,30\n1,a,x,chrf,\n")
    assert study.metric_scores[["metric"]].to_numpy().tolist() == [["bleu"], ["chrf"]]
    assert study.ratings.empty
    assert len(study.outputs) == 1


def test_items_without_ids_are_told_by_their_source(tmp_path: Path) -> None:
    study = made(tmp_path, "prompt,system,output\nq1,a,x\nq2,a,y\nq1,b,z\n")
    assert study.outputs["item_id"].tolist() == ["1", "2", "1"]
    assert study.items["source"].tolist() == ["q1", "q2"]


def test_pairwise_form(tmp_path: Path) -> None:
    rows = [
        {"prompt": "q", "model_a": "x", "model_b": "y", "response_a": "ax", "response_b": "ay", "winner": "model_a"},
        {"prompt": "q", "model_a": "y", "model_b": "x", "response_a": "ay", "response_b": "ax", "winner": "x"},
        {
            "prompt": "q",
            "model_a": "x",
            "model_b": "z",
            "response_a": "ax",
            "response_b": "az",
            "winner": "tie (bothbad)",
        },
        {"prompt": "q", "model_a": "x", "model_b": "z", "response_a": "ax", "response_b": "az", "winner": "Tie"},
    ]
    study = made(tmp_path, json.dumps([row | {"turn": n} for n, row in enumerate(rows)]), name="data.json")
    assert study.comparisons["winner"].tolist() == ["a", "b", "both_bad", "tie"]
    assert study.comparisons["turn"].tolist() == [0, 1, 2, 3]
    assert study.outputs["system"].tolist() == ["x", "y", "z"]


def test_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [["ID", "Ref", "sys A", "sys B"], [7, "r", "x", None], [8.0, "s", 42, "=SUM(1)"]]:
        book.active.append(row)
    book.active["D3"].data_type = "s"
    book.save(tmp_path / "data.xlsx")
    result = CliRunner().invoke(
        app, [str(tmp_path / "study"), "--from", str(tmp_path / "data.xlsx"), "--map", "systems=sys A|sys B"]
    )
    assert result.exit_code == 0, repr(result.exception)
    study = validate.load(tmp_path / "study")
    assert study.outputs.to_dict("list") == {
        "item_id": ["7", "7", "8", "8"],
        "system": ["sys A", "sys B"] * 2,
        "output": ["x", "", "42", "=SUM(1)"],
    }


def test_references_as_json_lists_and_as_lists(tmp_path: Path) -> None:
    study = made(tmp_path, 'id,refs,system,output\n1,"[""a"", ""b""]",s,x\n2,[not json],s,y\n')
    assert study.items["references"].tolist() == [["a", "b"], ["[not json]"]]


REFUSED: dict[str, tuple[str, tuple[str, ...], type[AccordError], str]] = {
    "no outputs": (
        "a,b\n1,2\n",
        (),
        AccordError,
        "no column holds outputs; say which: --map system=COLUMN,output=COLUMN",
    ),
    "no item": ("system,output\na,x\n", (), AccordError, "no column says which item a row belongs to"),
    "systems without outputs": ("id,model,foo\n1,a,x\n", (), AccordError, "'model' names systems, but no column holds"),
    "two sources": (
        *("id,question,context,system,output\n1,q,c,a,x\n", ()),
        *(AccordError, "'question', 'context' may all be the source; choose one: --map source=question"),
    ),
    "some outputs by name, others perhaps": (
        *("ID,GPT-4 output,Rules,Llama output,Copy,n\n1,a,b,c,d,5\n2,e,f,g,h,6\n", (), AccordError),
        "'GPT-4 output', 'Llama output' by name hold outputs, and 'Rules', 'Copy' hold texts that may be outputs of systems "
        "too; say which columns are systems: --map 'systems=GPT-4 output|Rules|Llama output|Copy', or without the others: "
        "--map 'systems=GPT-4 output|Llama output'",
    ),
    "a title above the header": (
        *("Our study,,\nid,ref,bart\n1,r,x\n", (), StudyError),
        "data.csv:1 is taken as the header and names 1 of the 3 columns with values: 'Our study'; remove it if it is a title",
    ),
    "a document and its segments": (
        *("doc_id,segment,system,output\nd,1,a,x\nd,2,a,y\n", (), AccordError),
        "columns 'doc_id', 'segment' may all be the item_id; choose one: --map item_id=segment",
    ),
    "unknown column": (
        "id,a\n1,x\n",
        ("--map", "systems=aa"),
        OptionError,
        "there is no column 'aa'; did you mean 'a'?",
    ),
    "unknown role": ("id,a\n1,x\n", ("--map", "refrences=a"), OptionError, "did you mean 'references'?"),
    "no role": ("id,a\n1,x\n", ("--map", "a"), OptionError, "'a' was given; allowed is role=COLUMN"),
    "two columns for one role": ("id,a\n1,x\n", ("--map", "source=id|a"), OptionError, "source was given 2 columns"),
    "one column twice": ("id,a\n1,x\n", ("--map", "source=a,systems=a"), OptionError, "'a' was given two roles"),
    "two outputs": (
        *("id,system,output\n1,a,x\n1,a,y\n", (), StudyError),
        "data.csv:3 [id, system] '1', 'a': is given already on line 2",
    ),
    "rated output with two texts": (
        *("id,model,output,score\n1,a,x,3\n1,a,y,4\n", (), StudyError),
        "data.csv:3 [output] 'y': is another output of '1', 'a' than on line 2",
    ),
    "item with two sources": (
        *("id,src,model,output\n1,q,a,x\n1,p,b,y\n", (), StudyError),
        "data.csv:3 [src] 'p': is another source of '1' than on line 2",
    ),
    "score that is none": (
        *("id,model,output,rating\n1,a,x,good\n", (), StudyError),
        "data.csv:2 [rating] 'good': is not a number",
    ),
    "winner in digits": (
        *("id,model_a,model_b,winner\n1,x,y,1\n", (), StudyError),
        "data.csv:2 [winner] '1': is no winner; write one of a, b, tie, both_bad",
    ),
    "broken file": ("id,model,output\n1,a\n", (), StudyError, "data.csv:2 'a': has 2 fields, where the header has 3"),
    "item without a name": ("id,model,output\n,a,x\n", (), StudyError, "data.csv:2 [id] has no value"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_understood_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    content, options, kind, part = REFUSED[name]
    result = run(tmp_path, content, *options)
    assert type(result.exception) is kind
    assert part in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_what_was_understood_is_shown_before_a_refusal(tmp_path: Path) -> None:
    assert "question" in run(tmp_path, "id,question,context,system,output\n1,q,c,a,x\n").output


def test_a_filled_folder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "notes.txt").write_text("mine")
    result = run(tmp_path, WIDE)
    assert type(result.exception) is ResultsError
    assert [path.name for path in (tmp_path / "study").iterdir()] == ["notes.txt"]


def test_help_names_every_role_and_no_type_of_python() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "--map ROLE=COLUMN" in text
    assert "list[str]" not in text
    words = text.replace(",", " ").replace(";", " ").replace(".", " ").split()
    assert [role for role in MAPPABLE if role not in words] == []


def test_the_summaries_of_the_commands_are_whole() -> None:
    text = " ".join(CliRunner().invoke(accord, ["--help"]).output.split())
    assert (
        "init Make a study folder out of a table with a row per output, a column per system, or a row per comparison."
        in text
    )
    assert (
        "check Read everything in a study folder; print what there is, what is worth knowing, and every problem."
        in text
    )
    assert "..." not in text.replace("[ARGS]...", "")


def test_a_missing_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(tmp_path / "study"), "--from", str(tmp_path / "none.csv")])
    assert "there is no such file" in str(result.exception)


def test_the_shipped_forms_of_a_real_study_come_back(shared: Path, tmp_path: Path) -> None:
    """A real study written as one wide table and read in again is the same study."""
    study = validate.load(shared / "data" / "squality")
    wide = (
        study.outputs.pivot(index="item_id", columns="system", values="output").loc[list(study.item_ids)].reset_index()
    )
    wide["references"] = [json.dumps(texts) for texts in study.items["references"]]
    again = made(tmp_path, wide.to_csv(index=False, lineterminator="\n"), "--map", "systems=bart|bart-dpr|human")
    assert again.items["references"].tolist() == study.items["references"].tolist()
    left, right = (frame.sort_values(["item_id", "system"]) for frame in (again.outputs, study.outputs))
    assert left["output"].tolist() == right["output"].tolist()
