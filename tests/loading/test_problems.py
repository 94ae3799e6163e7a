"""Each rule has one broken study, and the exact place that must be named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from validate.errors import StudyError
from validate.loading import examine, load

HEAD = '{"item_id": "i1", "system": "red", '
RATING = HEAD + '"annotator": "ann", "criterion": "fluency", "score": %s}\n'
COMPARISON = '{"item_id": "i1", "system_a": "%s", "system_b": "%s", "annotator": "ann", "winner": "%s"}\n'

OUTPUTS_CSV = "item_id,system,output\ni1,red,un\ni1,blue,uno!\ni2,red,deux\ni2,blue,due\n"

# name: files changed, then each problem as (kind, file, line, column) and a part of its text
BROKEN: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]], str]] = {
    "unknown item": (
        {"ratings.jsonl": RATING % 3 + (RATING % 3).replace("i1", "i3")},
        [("unknown-item", "ratings.jsonl", 2, "item_id")],
        "'i3': no such item in items.jsonl; add it there, or remove this row",
    ),
    "misspelt system": (
        {"ratings.jsonl": (RATING % 3).replace("red", "reed")},
        [("unknown-system", "ratings.jsonl", 1, "system")],
        "no such system in outputs.jsonl; did you mean 'red'? otherwise add it there",
    ),
    "unknown system on side b": (
        {"comparisons.jsonl": COMPARISON % ("red", "blue", "a") + COMPARISON % ("red", "green", "a")},
        [("unknown-system", "comparisons.jsonl", 2, "system_b")],
        "'green'",
    ),
    "metric score of an unknown system": (
        {"metrics.jsonl": HEAD.replace("red", "pink") + '"metric": "m", "score": 1}\n'},
        [("unknown-system", "metrics.jsonl", 1, "system")],
        "'pink'",
    ),
    "repeated output": (
        {"outputs.csv": OUTPUTS_CSV + 'i1,red,"un\nencore"\ni2,red,x\n', "outputs.jsonl": None},
        [
            ("repeated-row", "outputs.csv", 6, "item_id, system"),
            ("repeated-row", "outputs.csv", 8, "item_id, system"),
        ],
        "'i2', 'red': is given already on line 4; keep one of the two",
    ),
    "repeated item": (
        {"items.jsonl": '{"item_id": "i1"}\n\n{"item_id": "i2"}\n{"item_id": "i1"}\n'},
        [("repeated-row", "items.jsonl", 4, "item_id")],
        "'i1': is given already on line 1",
    ),
    "score of a metric twice": (
        {"metrics.jsonl": (HEAD + '"metric": "m", "score": 1}\n') * 2},
        [("repeated-row", "metrics.jsonl", 2, "item_id, system, metric")],
        "given already on line 1",
    ),
    "no such winner": (
        {"comparisons.jsonl": COMPARISON % ("red", "blue", "Left")},
        [("unknown-winner", "comparisons.jsonl", 1, "winner")],
        "'Left': is no winner; did you mean a?; write one of a, b, tie, both_bad",
    ),
    "winner in capitals": (
        {"comparisons.jsonl": COMPARISON % ("red", "blue", "TIE")},
        [("unknown-winner", "comparisons.jsonl", 1, "winner")],
        "did you mean tie?",
    ),
    "self-comparison": (
        {"comparisons.jsonl": COMPARISON % ("red", "red", "a")},
        [("self-comparison", "comparisons.jsonl", 1, "system_b")],
        "'red': is compared with itself",
    ),
    "score outside the scale": (
        {"ratings.jsonl": RATING % 5 + RATING % 5.5 + RATING % 0},
        [("score-outside-scale", "ratings.jsonl", 2, "score"), ("score-outside-scale", "ratings.jsonl", 3, "score")],
        "5.5: lies outside the scale of 'fluency', 1 to 5 (study.toml)",
    ),
    "score in quotes": (
        {"ratings.jsonl": RATING % '"3"'},
        [("score-not-a-number", "ratings.jsonl", 1, "score")],
        "is text, where a number is needed; write it without the quotes",
    ),
    "score true": (
        {"ratings.jsonl": RATING % "true"},
        [("score-not-a-number", "ratings.jsonl", 1, "score")],
        "is true, where a number is needed",
    ),
    "score NaN": (
        {"ratings.jsonl": RATING % "NaN" + RATING % "1e999"},
        [("score-not-finite", "ratings.jsonl", line, "score") for line in (1, 2)],
        "nan: is not finite",
    ),
    "score whose square is no number": (
        {"ratings.jsonl": RATING % "-1e160" + RATING % ("9" * 400), "study.toml": None},
        [("score-too-large", "ratings.jsonl", line, "score") for line in (1, 2)],
        "-1e+160: is too large to compute with; 1e+150 is the limit; rescale the scores",
    ),
    "metric score whose square is no number": (
        {"metrics.csv": "item_id,system,metric,score\ni1,red,ppl,1e300\n", "metrics.jsonl": None},
        [("score-too-large", "metrics.csv", 2, "score")],
        "take their logarithms",
    ),
    "infinite metric score": (
        {"metrics.jsonl": HEAD + '"metric": "m", "score": -Infinity}\n'},
        [("score-not-finite", "metrics.jsonl", 1, "score")],
        "-inf: is not finite",
    ),
    "no score": (
        {"ratings.jsonl": RATING % "null"},
        [("no-value", "ratings.jsonl", 1, "score")],
        "has no value",
    ),
    "decimal comma": (
        {"ratings.csv": 'item_id,system,annotator,criterion,score\ni1,red,ann,fluency,"2,5"\n', "ratings.jsonl": None},
        [("score-not-a-number", "ratings.csv", 2, "score")],
        "'2,5': is not a number; use a decimal point",
    ),
    "score with an underscore": (
        {"ratings.tsv": "item_id\tsystem\tcriterion\tscore\ni1\tred\tfluency\t1_0\n", "ratings.jsonl": None},
        [("score-not-a-number", "ratings.tsv", 2, "score")],
        "'1_0': is not a number",
    ),
    "output missing for a rated pair": (
        {
            "outputs.jsonl": "".join(HEAD.replace("i1", i) + '"output": ""}\n' for i in ("i1", "i2"))
            + '{"item_id": "i1", "system": "blue", "output": ""}\n',
            "comparisons.jsonl": COMPARISON.replace("i1", "i2") % ("blue", "red", "a"),
            "metrics.jsonl": None,
        },
        [("missing-output", "comparisons.jsonl", 1, "system_a")],
        "'blue': has no output for item 'i2' in outputs.jsonl",
    ),
    "output missing for every pair of an item": (
        {
            "outputs.jsonl": HEAD + '"output": ""}\n',
            "ratings.jsonl": (RATING % 1).replace("i1", "i2"),
            "comparisons.jsonl": None,
            "metrics.jsonl": None,
        },
        [("missing-output", "ratings.jsonl", 1, "system")],
        "no output for item 'i2'",
    ),
    "judged item without an items file": (
        {"items.jsonl": None, "ratings.jsonl": (RATING % 1).replace("i1", "i7")},
        [("unknown-item", "ratings.jsonl", 1, "item_id")],
        "'i7': no such item in outputs.jsonl",
    ),
    "Latin-1": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "source": "café"}\n'.encode("latin-1")},
        # {"item_id": "i2", "source": "caf has 32 bytes before the é
        [("not-utf-8", "items.jsonl", 2, None)],
        "E9: is no UTF-8 at byte 33 of the line; save the file as UTF-8",
    ),
    "Latin-1 inside a quoted field": (
        {"outputs.csv": OUTPUTS_CSV.replace("un\n", '"un\n\xe9"\n', 1).encode("latin-1"), "outputs.jsonl": None},
        [("not-utf-8", "outputs.csv", 3, None)],
        "E9: is no UTF-8 at byte 1 of the line",
    ),
    "UTF-16": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2"}\n'.encode("utf-16")},
        [("not-utf-8", "items.jsonl", None, None)],
        "looks like UTF-16",
    ),
    "UTF-16 without a mark": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2"}\n'.encode("utf-16-le")},
        [("not-utf-8", "items.jsonl", None, None)],
        "looks like UTF-16",
    ),
    "truncated line": (
        {"ratings.jsonl": RATING % 3 + (RATING % 4)[:-12]},
        [("invalid-json", "ratings.jsonl", 2, None)],
        "is cut off before its object ends",
    ),
    "truncated item is not unknown elsewhere": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "source": "tw'},
        [("invalid-json", "items.jsonl", 2, None)],
        "is cut off",
    ),
    "item cut off in its id proves nothing about others": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i'},
        [("invalid-json", "items.jsonl", 2, None)],
        "is cut off",
    ),
    "two objects on a line": (
        {"items.jsonl": '{"item_id": "i1"} {"item_id": "i2"}\n{"item_id": "i2"}\n'},
        [("invalid-json", "items.jsonl", 1, None)],
        "Extra data at character 19",
    ),
    "raw NUL in JSON": (
        {"items.jsonl": '{"item_id": "i1", "source": "a\0b"}\n{"item_id": "i2"}\n'},
        [("invalid-json", "items.jsonl", 1, None)],
        "Invalid control character at character 31",
    ),
    "nested without end": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "x": ' + "[" * 100_000 + "\n"},
        [("invalid-json", "items.jsonl", 2, None)],
        "nests too deep",
    ),
    "not an object": (
        {"items.jsonl": '{"item_id": "i1"}\n["i2"]\n'},
        [("not-an-object", "items.jsonl", 2, None)],
        "is a JSON array, where an object is needed",
    ),
    "a key twice": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "source": "a", "source": "b"}\n'},
        [("repeated-key", "items.jsonl", 2, None)],
        "gives the key 'source' twice; keep one of both",
    ),
    "objects without members": (
        {"ratings.jsonl": "{}\n{}\n"},
        [("missing-column", "ratings.jsonl", None, name) for name in ("item_id", "system", "criterion", "score")],
        "there is no column 'item_id'; its rows have no columns at all; add it",
    ),
    "a single line that cannot be read says nothing of columns": (
        {"ratings.jsonl": '{"item_id": "i1", "system": "re'},
        [("invalid-json", "ratings.jsonl", 1, None)],
        "is cut off",
    ),
    "half a character": (
        {"items.jsonl": '{"item_id": "i1"}\n{"item_id": "i2", "source": "\\ud83d"}\n'},
        [("lone-surrogate", "items.jsonl", 2, None)],
        "half of a character",
    ),
    "id is a list": (
        {"ratings.jsonl": (RATING % 3).replace('"red"', '["red"]')},
        [("wrong-type", "ratings.jsonl", 1, "system")],
        "is a list, where a name is needed",
    ),
    "output is a number": (
        {
            "outputs.jsonl": '{"item_id": "i1", "system": "red", "output": 42}\n',
            "ratings.jsonl": RATING % 3,
            "comparisons.jsonl": None,
            "metrics.jsonl": None,
        },
        [("wrong-type", "outputs.jsonl", 1, "output")],
        "42: is a number, where a text is needed",
    ),
    "output is null": (
        {
            "outputs.jsonl": '{"item_id": "i1", "system": "red", "output": null}\n',
            "ratings.jsonl": RATING % 3,
            "comparisons.jsonl": None,
            "metrics.jsonl": None,
        },
        [("no-value", "outputs.jsonl", 1, "output")],
        'has no text; write "" for an empty one',
    ),
    "references are one text": (
        {"items.jsonl": '{"item_id": "i1", "references": "uno"}\n{"item_id": "i2", "references": ["a", null]}\n'},
        [("wrong-type", "items.jsonl", 1, "references"), ("wrong-type", "items.jsonl", 2, "references")],
        'where a list of texts is needed; write a list also for one reference: ["…"]',
    ),
    "references in CSV are plain text": (
        {"items.csv": "item_id,references\ni1,uno\ni2,\n", "items.jsonl": None},
        [("wrong-type", "items.csv", 2, "references")],
        "is no JSON list",
    ),
    "references in two ways": (
        {"items.csv": "item_id,references,reference\ni1,,uno\ni2,,dos\n", "items.jsonl": None},
        [("references-twice", "items.csv", 1, "references")],
        "keep one of both",
    ),
    "no label": (
        {
            "ratings.jsonl": RATING % 3
            + (RATING % 3).replace('"system": "red", ', "")
            + (RATING % 3).replace("red", " ")
        },
        [("no-value", "ratings.jsonl", 2, "system"), ("no-value", "ratings.jsonl", 3, "system")],
        "has no value",
    ),
    "NUL in a label": (
        {"ratings.jsonl": (RATING % 3).replace('"ann"', '"an\\u0000n"')},
        [("nul-in-label", "ratings.jsonl", 1, "annotator")],
        "holds a NUL byte",
    ),
    "misspelt column that may be absent": (
        {"ratings.jsonl": (RATING % 3).replace("annotator", "annotater")},
        [("misnamed-column", "ratings.jsonl", None, "annotater")],
        "column 'annotater' is not known; did you mean annotator?; rename it to annotator",
    ),
    "column by another tool's name": (
        {"outputs.csv": OUTPUTS_CSV.replace("system", "Model"), "outputs.jsonl": None},
        [("misnamed-column", "outputs.csv", 1, "Model")],
        "did you mean system?",
    ),
    "criterion of comparisons by another name": (
        {"comparisons.jsonl": (COMPARISON % ("red", "blue", "a")).replace('"winner"', '"aspect": "style", "winner"')},
        [("misnamed-column", "comparisons.jsonl", None, "aspect")],
        "did you mean criterion?; rename it to criterion",
    ),
    "missing column": (
        {"ratings.csv": "item_id,system,criterion,comment\ni1,red,fluency,x\n", "ratings.jsonl": None},
        [("missing-column", "ratings.csv", 1, "score")],
        "there is no column 'score'; the columns are 'item_id', 'system', 'criterion', 'comment'; add it",
    ),
    "column twice": (
        {
            "outputs.csv": "item_id,system,output,output\ni1,red,a,b\n",
            "outputs.jsonl": None,
            "ratings.jsonl": RATING % 3,
            "comparisons.jsonl": None,
            "metrics.jsonl": None,
        },
        [("repeated-column", "outputs.csv", 1, "output")],
        "names this column 2 times",
    ),
    "too many and too few fields": (
        {"outputs.csv": OUTPUTS_CSV.replace("deux", "deux, trois").replace("blue,due", "blue"), "outputs.jsonl": None},
        [("field-count", "outputs.csv", 4, None), ("field-count", "outputs.csv", 5, None)],
        "has 4 fields, where the header has 3; enclose a field that holds the separator in quotes",
    ),
    "quote that never closes": (
        {"outputs.csv": OUTPUTS_CSV.replace("deux", '"deux'), "outputs.jsonl": None},
        [("bad-quoting", "outputs.csv", 4, None)],
        "opens a quoted field that is never closed",
    ),
    "quote that is not doubled": (
        {"outputs.csv": OUTPUTS_CSV.replace("un\n", '"he said "un""\n', 1), "outputs.jsonl": None},
        [("bad-quoting", "outputs.csv", 2, None)],
        "a quote inside a quoted field that is not doubled",
    ),
    "empty file": ({"ratings.jsonl": ""}, [("empty-file", "ratings.jsonl", None, None)], "is empty"),
    "blank file": ({"ratings.jsonl": " \n\n"}, [("empty-file", "ratings.jsonl", None, None)], "is empty"),
    "header without rows": (
        {"ratings.csv": "item_id,system,annotator,criterion,score\n", "ratings.jsonl": None},
        [("empty-file", "ratings.csv", None, None)],
        "has a header and no row",
    ),
    "not Parquet": (
        {"ratings.parquet": b"PAR1 and then nothing", "ratings.jsonl": None},
        [("unreadable-file", "ratings.parquet", None, None)],
        "is no readable Parquet file",
    ),
    "two formats": (
        {"ratings.csv": "item_id,system,annotator,criterion,score\ni1,red,ann,fluency,3\n"},
        [("two-formats", "ratings.jsonl", None, None)],
        "the table ratings is given 2 times: 'ratings.csv', 'ratings.jsonl'",
    ),
    "a format that a study cannot have": (
        {"ratings.json": "[]", "ratings.jsonl": None},
        [("unknown-format", "ratings.json", None, None)],
        "allowed: .jsonl, .csv, .tsv, .parquet",
    ),
    "writer of references without outputs": (
        {"study.toml": 'reference_writers = ["rede"]\n'},
        [("unknown-system", "study.toml", None, "reference_writers")],
        "did you mean 'red'? otherwise leave it out",
    ),
    "no judgments and no outputs": (
        {f"{name}.jsonl": None for name in ("outputs", "ratings", "comparisons", "metrics")},
        [("no-data", "", None, None)],
        "has no outputs, no ratings and no comparisons",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_rule_names_the_exact_place(make: Any, name: str) -> None:
    changes, expected, part = BROKEN[name]
    folder = make(changes)
    with pytest.raises(StudyError) as caught:
        load(folder)
    places = [
        (
            problem.kind,
            str(Path(problem.file).relative_to(folder)) if Path(problem.file) != folder else "",
            problem.line,
            problem.column,
        )
        for problem in caught.value.problems
    ]
    assert places == expected
    assert part in str(caught.value)
    assert str(folder) in str(caught.value)


def test_the_good_study_has_no_problem(make: Any) -> None:
    assert examine(make()).problems == ()


def test_all_problems_come_in_one_run_and_are_cut_after_twenty_of_a_kind(make: Any) -> None:
    folder = make(
        {
            "ratings.jsonl": (RATING % 9) * 23 + (RATING % 3).replace("i1", "i9"),
            "comparisons.jsonl": COMPARISON % ("red", "red", "none"),
        }
    )
    with pytest.raises(StudyError) as caught:
        load(folder)
    kinds = [problem.kind for problem in caught.value.problems]
    # ratings come before comparisons, line 24 after the lines 1 to 23
    assert kinds == [*["score-outside-scale"] * 23, "unknown-item", "self-comparison", "unknown-winner"]
    text = str(caught.value)
    assert text.count("lies outside the scale") == 20
    assert text.endswith("\n  … and 3 more of this kind (score-outside-scale)")
    assert text.startswith(f"{folder}: 26 problems; nothing was written")


ANNOTATORS = [
    "rater",
    "Worker",
    "judge",
    "coder",
    "user",
    "labeler",
    "evaluator",
    "User ID",
    "assessor",
    "Annotated by",
]


@pytest.mark.parametrize("name", ANNOTATORS)
def test_annotators_under_another_name_are_not_lost(make: Any, name: str) -> None:
    """Otherwise three raters would be one unknown, and two thirds of their scores repetitions."""
    rows = "".join(f"i1,red,{who},fluency,3\n" for who in ("ann", "bob", "cleo"))
    folder = make({"ratings.csv": f"item_id,system,{name},criterion,score\n{rows}", "ratings.jsonl": None})
    found = examine(folder)
    (problem,) = found.problems
    assert not {"missing-annotators", "repeated-ratings"} & {fact.name for fact in found.facts}
    assert str(problem) == (
        f"{folder}/ratings.csv:1 [{name}] column {name!r} is not known; did you mean annotator?; rename it to annotator"
    )


def test_a_column_beside_the_annotators_is_metadata(make: Any) -> None:
    text = "item_id,system,annotator,user,criterion,score\ni1,red,ann,u1,fluency,3\n"
    assert examine(make({"ratings.csv": text, "ratings.jsonl": None})).problems == ()


def test_problems_come_in_the_order_of_files_and_lines(make: Any) -> None:
    folder = make(
        {
            "metrics.jsonl": HEAD + '"metric": "m", "score": "x"}\n',
            "ratings.jsonl": (RATING % 3).replace("red", "pink") + RATING % '"x"' + RATING % 9,
            "outputs.jsonl": '{"item_id": "i1", "system": "red", "output": ""}\n' * 2,
            "comparisons.jsonl": None,
            "study.toml": "nam = 1\n[criteria.fluency]\nscale = [1, 5]\n",
        }
    )
    places = [(Path(problem.file).name, problem.line) for problem in examine(folder).problems]
    ratings = [("ratings.jsonl", line) for line in (1, 2, 3)]
    assert places == [("study.toml", 1), ("outputs.jsonl", 2), *ratings, ("metrics.jsonl", 1)]


def test_a_missing_folder_and_a_file_for_a_folder(make: Any, tmp_path: Path) -> None:
    folder = make()
    with pytest.raises(StudyError, match=r"there is no such folder; did you mean .*study\?; give the path of a study"):
        load(tmp_path / "studi")
    with pytest.raises(StudyError, match="is a file, where a study folder is needed; give the folder it lies in"):
        load(folder / "items.jsonl")
    with pytest.raises(StudyError, match="there is no such folder"):
        load(tmp_path / "no" / "where")


@pytest.mark.parametrize("name", ["ratings.jsonl", "outputs.parquet", "study.toml"])
@pytest.mark.parametrize(
    ("put", "what"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.symlink_to("nowhere"), "is a link to nothing"),
        (lambda path: path.symlink_to(path), "is a link to nothing"),
        (lambda path: os.mkfifo(path), "is no file"),
    ],
)
def test_what_is_no_file_is_not_passed_over(make: Any, name: str, put: Any, what: str) -> None:
    folder = make({name: None})
    put(folder / name)
    (problem,) = examine(folder).problems
    assert (problem.kind, problem.file) == ("no-file", str(folder / name))
    assert problem.message == f"{what}, where a file is needed"


def test_a_folder_with_another_name_is_nobodys_mistake(make: Any) -> None:
    folder = make()
    (folder / "outputs").mkdir()
    (folder / "outputs.old").symlink_to("nowhere")
    assert examine(folder).problems == ()


@pytest.mark.parametrize("name", ["ratings.jsonl", "study.toml"])
def test_a_file_that_may_not_be_read(make: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = make()
    opened = Path.open

    def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    (problem,) = examine(folder).problems
    assert (problem.kind, problem.file) == ("unreadable-file", str(folder / name))
    assert "cannot be read (Permission denied); allow reading it" in str(problem)


def test_a_line_inside_a_large_file_is_found(make: Any) -> None:
    """Reading goes by blocks of lines; a fault in any of them has its right line."""
    good = RATING % 3
    for line in (1, 256, 257, 700):
        lines = [good] * 700
        lines[line - 1] = good[:-3] + "\n"
        folder = make({"ratings.jsonl": "".join(lines)})
        assert [(problem.kind, problem.line) for problem in examine(folder).problems] == [("invalid-json", line)]
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_values_are_cut_to_a_line(make: Any) -> None:
    folder = make({"ratings.jsonl": (RATING % 3).replace("red", "r" * 5000 + "\\n")})
    (problem,) = examine(folder).problems
    assert len(problem.value) < 70
    assert "\n" not in str(problem)


def test_problems_survive_json(make: Any) -> None:
    folder = make({"ratings.jsonl": RATING % 9})
    (problem,) = examine(folder).problems
    assert json.loads(json.dumps(problem.line)) == 1
    assert json.loads(json.dumps(problem.value)) == "9"
