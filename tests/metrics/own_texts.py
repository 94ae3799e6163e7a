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
# SPICE sees objects, not words: prose that loses its words one by one is parsed anew each time and does not become worse step by step.
CAPTIONS = Texts(
    ["a black dog runs on the grass", "A giraffe standing on top of a green field.", "мост закрыт — 桥 👍🏽", "", "the", "dog " * 60, "half a \ud83d dog", "a red bus\nA car.", "2 dogs, 3 cats!", "He eats it.", "no hat", "A LARGE AUTOMOBILE"],
    [["a black dog runs on the grass"], ["a young girl standing on a court", ""], ["мост закрыт"], ["a dog"], ["A"], ["dogs dogs"], ["half a \ud83d\ude00 dog"], ["A car and a red bus."], ["two dogs and three cats", "animals"], ["A man eats a cake."], ["a man without a hat"], ["a big car", "a car"]],
    ["", "a dog", "a black dog", "a black dog runs", "a black dog runs on grass", "a black dog runs on the grass"],
)  # fmt: skip
# Language models score tokens, and an empty text has none.
SOME_TOKENS = Texts(
    ["The bridge was closed on Monday because of a crack.", "The bridge was closed.\nTraffic went round.", "a crack, 3.14 m long — “serious”", "Мост закрыт", "大桥周一关闭。", "جسر مغلق", "x", "👩\u200d🔧 fixes it", "bridge bridge bridge", "the", "half a \ud83d pair", "the bridge " * 40],
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
    "spice": CAPTIONS,
    "perplexity": SOME_TOKENS,
    "pseudo_perplexity": SOME_TOKENS,
}
