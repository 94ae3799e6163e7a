"""Texts for metrics that read no prose, as the contract tests take them: twelve rows each, every one defined."""

from __future__ import annotations

from typing import NamedTuple


class Texts(NamedTuple):
    """Outputs, their references, and outputs that come nearer to the first row's first reference step by step."""

    outputs: list[str]
    references: list[list[str]]
    nearer: list[str]


NUMBERS = Texts(
    ["12", "It is 13.", "none", "3/4", "1,234.5", "٤٢", "", "5 and 7", "-2", "1e3", "20%", "the 7 " * 60],
    [["12", "twelve"], ["#### 13"], ["14"], ["0.75"], ["1234.50", "1"], ["42"], ["0"], ["7"], ["2"], ["1000"], ["0.2", "x"], ["7"]],
    ["", "no number", "13", "first 13, then 12"],
)  # fmt: skip
FIELDS = Texts(
    ['{"a": 1, "b": [1, 2]}', "no JSON", "", "[]", "{}", '"s"', "null", '{"a": {"b": {"c": "d"}}}', "[1, 1, 2]", '{"a": "X"}', "3.0", "[" + "1, " * 99 + "1]"],
    [['{"a": 1.0, "b": [2, 1]}', "{}"], ['{"a": 1}'], ["{}"], ["[]", "no JSON"], ["{}"], ['"s"'], ["0"], ['{"a": {"b": {"c": "e"}}}'], ["[2, 1, 1]"], ['{"a": "x"}'], ["3"], ["[1, 2]"]],
    ["", "{}", '{"a": 1}', '{"a": 1, "b": [2]}', '{"a": 1, "b": [2, 1]}'],
)  # fmt: skip
LABELS = Texts(
    ["yes", "no", "maybe", "Yes", " yes\n", "", "да", "no", "yes", "no", "yes", "unknown"],
    [["yes"], ["yes", "no"], ["maybe"], ["yes"], ["no"], ["maybe"], ["да"], ["no"], ["yes"], ["maybe"], ["no"], ["no"]],
    ["", "no", "yes"],
)
SAMPLES = Texts(
    ["[true]", "[false]", "pass fail", "1 0 0", "1,1", "0", "[1, 0]", '["pass", "failed"]', "fail " * 60, "PASS", "true false", "[0, 0, 1]"],
    [["unread"] for _ in range(12)],
    [],
)  # fmt: skip

OWN_TEXTS = {
    "numeric_match": NUMBERS,
    "field_f1": FIELDS,
    "json_validity": FIELDS,
    "accuracy": LABELS,
    "macro_f1": LABELS,
    "pass_at_k": SAMPLES,
}
