"""JSON outputs: the fields that are right, and whether they are what a schema asks for."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import text as any_text

from validate import metrics
from validate.errors import MissingExtraError, OptionError
from validate.metrics import _json

leaf = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0]) | st.sampled_from("abA")
value = st.recursive(
    leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3), max_leaves=8
)  # fmt: skip


def counts(output: str, *references: str, **options: Any) -> list[float]:
    return metrics.get("field_f1", **options).statistics([output], [list(references)])[0].tolist()


def score(output: str, *references: str, **options: Any) -> float:
    return float(metrics.get("field_f1", **options).score([output], [list(references)]).items[0])


def test_by_hand() -> None:
    """Matched: b.c and d[0]; the output has a, b.c, d[0], d[1], the reference b.c, b.e, d[0]: P = 2/4, R = 2/3, F = 4/7."""
    output, reference = '{"a": 1, "b": {"c": 2}, "d": [3, 4]}', '{"b": {"c": 2, "e": 5}, "d": [3]}'
    assert counts(output, reference) == [2, 4, 3]
    assert score(output, reference) == 4 / 7
    assert score(output, reference, part="p") == 2 / 4
    assert score(output, reference, part="r") == 2 / 3


def test_the_corpus_pools_fields() -> None:
    """1 of 1 and 1, 0 of 1 and 3: F = 2 · 1 / (2 + 4) = 1/3, not the mean of 1 and 0."""
    found = metrics.get("field_f1").score(['{"a": 1}', '{"a": 2}'], [['{"a": 1}'], ['{"a": 1, "b": 1, "c": 1}']])
    assert found.items.tolist() == [1, 0]
    assert found.system == 1 / 3


def paths(of: Any, path: tuple[Any, ...] = ()) -> Counter[Any]:
    """Every leaf as (path, kind, value): the plain twin of lists held against each other by position."""
    if isinstance(of, dict) and of:
        return sum((paths(part, (*path, name)) for name, part in of.items()), Counter())
    if isinstance(of, list) and of:
        return sum((paths(part, (*path, place)) for place, part in enumerate(of)), Counter())
    kind = bool if isinstance(of, bool) else float if isinstance(of, int | float) else type(of)
    return Counter([(path, kind, json.dumps(of) if isinstance(of, dict | list) else of)])


@given(here=value, there=value)
def test_sequences_are_bags_of_paths(here: Any, there: Any) -> None:
    shared = (paths(here) & paths(there)).total()
    assert counts(json.dumps(here), json.dumps(there)) == [shared, paths(here).total(), paths(there).total()]


def best_pairing(here: Any, there: Any) -> int:
    """The plain twin of lists as sets: every order of the longer list is tried."""
    if isinstance(here, list) and isinstance(there, list) and here and there:
        short, long = sorted([here, there], key=len)
        return max(sum(map(best_pairing, short, order)) for order in permutations(long, len(short)))
    if isinstance(here, dict) and isinstance(there, dict) and here and there:
        return sum(best_pairing(part, there[name]) for name, part in here.items() if name in there)
    return (paths(here) & paths(there)).total()


@given(here=value, there=value)
def test_sets_are_paired_at_best(here: Any, there: Any) -> None:
    assert counts(json.dumps(here), json.dumps(there), lists="set")[0] == best_pairing(here, there)


def test_sets_by_hand() -> None:
    assert counts("[1, 2, 2]", "[2, 1, 1]") == [0, 3, 3]
    assert counts("[1, 2, 2]", "[2, 1, 1]", lists="set") == [2, 3, 3]
    # Records are paired whole: name and age of one person belong together.
    output, reference = '[{"n": "A", "a": 1}, {"n": "B", "a": 2}]', '[{"n": "B", "a": 1}, {"n": "C", "a": 2}]'
    assert counts(output, reference, lists="set") == [2, 4, 4]


def test_numbers_and_strings() -> None:
    assert score("[1, 1e2, 0.10]", "[1.0, 100, 0.1]") == 1
    assert score("[1, 1e2]", "[1.0, 100]", numbers="written") == 0
    assert score("12345678901234567890", "12345678901234567891") == 0  # the same in floats
    assert score("true", "1") == 0
    assert score('"1"', "1") == 0
    assert score('" New  York"', '"new york"') == 0
    assert score('" New  York"', '"new york"', strings="folded") == 1


def test_empty_objects_and_lists_are_values() -> None:
    assert counts("{}", "{}") == [1, 1, 1]
    assert counts('{"a": []}', '{"a": {}}') == [0, 1, 1]
    assert counts("null", "null") == [1, 1, 1]


def test_no_json() -> None:
    assert score("not json", '{"a": 1}') == 0
    assert score("not json", '{"a": 1}', part="p") == 0
    metric = metrics.get("field_f1")
    outputs, references = ["{", "{}", "{}"], [["{}"], ["{"], ["{", "{}"]]
    found = metric.score(outputs, references)
    assert found.items.tolist() == pytest.approx([0, float("nan"), 1], nan_ok=True)
    assert found.system == pytest.approx(2 / 3)  # of 1 field of outputs and 2 of references, 1 in common
    assert [fact.text for fact in metric.notes(metric._batch(outputs, references, None))] == [
        "field_f1: 1 output that is no JSON: scored 0",
        "field_f1: 1 item without a reference that is JSON: undefined",
    ]


def test_the_best_reference_counts() -> None:
    assert counts("[1, 2]", "[1, 3, 4]", "[1, 2]", "[1, 2]") == [2, 2, 2]


@pytest.mark.parametrize("fenced", ["```json\n[1]\n```", "Here:\n```\n[1]```\nand ```\n[2]\n```", "[1]"])
def test_fences(fenced: str) -> None:
    assert score(fenced, "[1]", fences=True) == 1
    assert metrics.get("json_validity", fences=True).score([fenced]).items.tolist() == [1]
    assert metrics.get("json_validity").score([fenced]).items.tolist() == [float(fenced == "[1]")]


@pytest.mark.parametrize(
    ("of", "valid"),
    [
        ('{"a": 1}', 1), (" [1] \n", 1), ("\ufeff{}", 1), ("null", 1), ('"\\ud83d"', 1), ("1e999", 1), ("9" * 5000, 1),
        ('{"a": 1, "a": 2}', 1), ("", 0), ("{'a': 1}", 0), ("[1,]", 0), ("NaN", 0), ("[-Infinity]", 0), ("{} {}", 0),
        ('"\n"', 0), ("01", 0), ("[" * 100000, 0), ("[" * 200 + "]" * 200, 0),
    ],
)  # fmt: skip
def test_what_is_json(of: str, valid: int) -> None:
    assert metrics.get("json_validity").score([of]).items.tolist() == [valid]


@given(of=any_text | value.map(json.dumps))
def test_validity_is_what_pythons_parser_says(of: str) -> None:
    try:
        json.loads(of.removeprefix("\ufeff"))
    except ValueError:
        expected = 0.0
    else:
        expected = 1.0
    assert metrics.get("json_validity").score([of]).items.tolist() == [expected]


@pytest.mark.parametrize("digits", ["1e9999999999999999999", "-1e9999999999999999999", "1e-9999999999999999999"])
def test_numbers_beyond_any_exponent(digits: str) -> None:
    assert score(f"[{digits}]", f"[{digits}]") == 1
    assert score(f"[{digits}]", "[7]") == 0


@pytest.fixture
def schema(tmp_path: Path) -> Any:
    """``schema({...})``: a metric under a schema in a file."""
    pytest.importorskip("jsonschema", reason="needs jsonschema, which comes with the extra json")

    def make(content: object, name: str = "schema.json") -> metrics.Metric:
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return metrics.get("json_validity", schema=str(tmp_path / name))

    return make


PERSON = {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}, "required": ["age"]}


def test_under_a_schema(schema: Any) -> None:
    outputs = ['{"age": 3}', '{"age": 3.0}', '{"age": -1}', '{"age": "3"}', "{}", "[]", "no", '{"age": 3, "x": 1}']
    assert schema(PERSON).score(outputs).items.tolist() == [1, 1, 0, 0, 0, 0, 0, 1]


def test_the_draft_that_is_named_decides(schema: Any) -> None:
    """In draft 4, 3.0 is no integer."""
    old = schema({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"})
    assert old.score(["3", "3.0"]).items.tolist() == [1, 0]


def test_references_within_the_schema(schema: Any) -> None:
    inner = schema({"$defs": {"n": {"type": "number"}}, "items": {"$ref": "#/$defs/n"}})
    assert inner.score(["[1, 2]", '["a"]']).items.tolist() == [1, 0]
    drafts = schema({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    assert drafts.score(['{"type": "object"}', '{"type": "objec"}']).items.tolist() == [1, 0]


def test_the_signature_states_the_start_of_the_files_sha256(schema: Any) -> None:
    first, again = schema(PERSON), schema(PERSON, "other.json")
    digest = hashlib.sha256(json.dumps(PERSON).encode()).hexdigest()[:8]
    assert first.signature == again.signature
    assert f"|schema:{digest}|" in first.signature
    assert "|schema:none|" in metrics.get("json_validity").signature


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no JSON; a file with a JSON Schema is allowed"),
        ({"type": "objec"}, "is no JSON Schema: at /type: 'objec' is not valid"),
        ([1], r"is no JSON Schema: at /: \[1\] is not of type"),
        ({"$schema": "http://other"}, "names the draft 'http://other', which is unknown"),
        ({"$schema": 5}, "names the draft 5, which is unknown"),
    ],
)
def test_broken_schemas(schema: Any, content: object, message: str) -> None:
    with pytest.raises(OptionError, match=f"json_validity: the schema '.*' {message}"):
        schema(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"$ref": "http://example.com/other.json"},
            "refers to 'http://example.com/other.json', which is not in its file",
        ),
        ({"$ref": "#/$defs/missing"}, "which is not in its file"),
        ({"$ref": "#"}, "refers to itself without end"),
    ],
)
def test_references_that_lead_nowhere(schema: Any, content: object, message: str) -> None:
    with pytest.raises(OptionError, match=f"json_validity: the schema .*{message}"):
        schema(content).score(["{}"])


def test_missing_schemas(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"schema 'nowhere\.json' cannot be read .*No such file.*looked for at"):
        metrics.get("json_validity", schema="nowhere.json")
    with pytest.raises(OptionError, match=r"cannot be read .*Is a directory"):
        metrics.get("json_validity", schema=tmp_path)
    with pytest.raises(OptionError, match="schema=3 was given; allowed: the path of a file"):
        metrics.get("json_validity", schema=3)


def test_the_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    (tmp_path / "schema.json").write_text("{}", encoding="utf-8")
    assert metrics.get("json_validity").score(["{}"]).system == 1
    with pytest.raises(MissingExtraError, match="'jsonschema' is not installed; it comes with accord's extra 'json'"):
        metrics.get("json_validity", schema=tmp_path / "schema.json")


def test_a_leaf_is_counted_however_deep() -> None:
    deep = "[" * (_json.MAX_DEPTH - 1) + "1" + "]" * (_json.MAX_DEPTH - 1)
    for lists in ("sequence", "set"):
        assert counts(deep, deep, lists=lists) == [1, 1, 1]
