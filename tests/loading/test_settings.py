"""study.toml: every key is checked and every fault has its line."""

from __future__ import annotations

from typing import Any

import pytest

from validate.loading import examine, load
from validate.schema import Criterion

WHOLE = """\
name = "Names"
task = "summarisation"
language = "en"
description = "what"
simulated = true
metrics = ["bleu", "chrf"]
reference_writers = ["red"]

[criteria.fluency]
scale = [1, 5]
higher_is_better = true
measurement = "ordinal"

[criteria."how long"]
direction = "lower"

[metric_options.bleu]
smoothing = "exp"

[text]
normalization = "NFC"
casing = "fold"

[analysis]
resamples = 10

[annotation]
overlap = 3
"""


def test_everything_that_a_study_can_say(make: Any) -> None:
    settings = load(make({"study.toml": WHOLE})).settings
    assert (settings.name, settings.task, settings.language, settings.description) == (
        *("Names", "summarisation", "en", "what"),
    )
    assert settings.simulated is True
    assert settings.metrics == ("bleu", "chrf")
    assert settings.reference_writers == ("red",)
    assert settings.criteria["fluency"] == Criterion("fluency", (1.0, 5.0), True, "ordinal")
    assert settings.criteria["how long"] == Criterion("how long", None, False, "interval")
    assert settings.metric_options == {"bleu": {"smoothing": "exp"}}
    assert (settings.normalization, settings.casing) == ("NFC", "fold")
    assert settings.raw["analysis"] == {"resamples": 10}
    assert settings.raw["annotation"] == {"overlap": 3}


def test_a_study_without_settings_has_the_defaults(make: Any) -> None:
    settings = load(make({"study.toml": None})).settings
    assert (settings.name, settings.criteria, settings.reference_writers) == ("", {}, "auto")
    assert (settings.normalization, settings.casing) == ("none", "none")


@pytest.mark.parametrize(("given", "means"), [('"auto"', "auto"), ('"none"', ()), ('["red", "blue"]', ("red", "blue"))])
def test_writers_of_references(make: Any, given: str, means: Any) -> None:
    assert load(make({"study.toml": f"reference_writers = {given}\n"})).settings.reference_writers == means


def test_criteria_as_a_list_of_names(make: Any) -> None:
    settings = load(make({"study.toml": 'criteria = ["fluency"]\n'})).settings
    assert settings.criteria == {"fluency": Criterion("fluency")}


BROKEN = {
    "unknown key": ('\nlanguag = "en"\n', 2, "languag", "did you mean language?"),
    "another word": ('lang = "en"\n', 1, "lang", "did you mean language?"),
    "unknown key of a criterion": (
        "[criteria.fluency]\nscales = [1, 5]\n",
        2,
        "criteria.fluency.scales",
        "did you mean scale?",
    ),
    "unknown section": ("name = 'x'\n\n[criterias.fluency]\n", None, "criterias", "did you mean criteria?"),
    "no text": ("name = 3\n", 1, "name", "3: is not allowed here; give a text in quotes"),
    "no truth": ('simulated = "yes"\n', 1, "simulated", "give true or false"),
    "scale the wrong way round": (
        "[criteria.fluency]\nscale = [5, 1]\n",
        2,
        "criteria.fluency.scale",
        "the lower first",
    ),
    "scale of words": ('[criteria.fluency]\nscale = ["1", "5"]\n', 2, "criteria.fluency.scale", "two numbers"),
    "scale without end": ("[criteria.fluency]\nscale = [0, inf]\n", 2, "criteria.fluency.scale", "two numbers"),
    "unknown measurement": (
        *('[criteria.fluency]\nmeasurement = "likert"\n', 2, "criteria.fluency.measurement"),
        "one of nominal, ordinal, interval, ratio",
    ),
    "unknown direction": (
        '[criteria.fluency]\ndirection = "up"\n',
        2,
        "criteria.fluency.direction",
        '"higher" or "lower"',
    ),
    "direction twice": (
        *('[criteria.fluency]\ndirection = "lower"\nhigher_is_better = false\n', 2, "criteria.fluency.direction"),
        "keep one of both",
    ),
    "criteria as a text": ('criteria = "fluency"\n', 1, "criteria", "give sections [criteria.NAME]"),
    "criterion as a number": ("[criteria]\nfluency = 5\n", 2, "criteria.fluency", "give a section [criteria.fluency]"),
    "metrics as a text": ('metrics = "bleu"\n', 1, "metrics", 'a list of names: ["bleu", "chrf"]'),
    "no metrics": ("metrics = []\n", 1, "metrics", "or leave it out"),
    "metric options as a text": ('metric_options = "bleu"\n', 1, "metric_options", "sections [metric_options.NAME]"),
    "a direction in words": (
        *('[metric_options.theirs]\nhigher_is_better = "no"\n', 2, "metric_options.theirs.higher_is_better"),
        "'no': is not allowed here; give true or false",
    ),
    "scale beyond all numbers": (
        *("[criteria.fluency]\nscale = [0, 1" + "0" * 400 + "]\n", 2, "criteria.fluency.scale", "two numbers"),
    ),
    "writers as a word": ('reference_writers = "red"\n', 1, "reference_writers", '"auto", "none" or a list of systems'),
    "a form of Unicode that is none": ('[text]\nnormalization = "nfc"\n', 2, "text.normalization", "one of none, NFC"),
    "a casing that is none": ('[text]\ncasing = "upper"\n', 2, "text.casing", "one of none, lower, fold"),
    "unknown key of text": ("[text]\nlowercase = true\n", 2, "text.lowercase", "normalization, casing"),
    "analysis as a number": ("analysis = 1\n", 1, "analysis", "a section [analysis]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_fault_is_named_with_its_line(make: Any, name: str) -> None:
    text, line, key, part = BROKEN[name]
    (problem,) = examine(make({"study.toml": text})).problems
    assert (problem.line, problem.column) == (line, key)
    assert problem.kind in ("unknown-setting", "wrong-setting")
    assert part in str(problem)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (b"name = \n", 1, "is no valid TOML"),
        (b'name = "x"\ntask = "unclosed\n', 2, "is no valid TOML"),
        (b'name = "x"\nname = "y"\n', 2, "is no valid TOML (Cannot overwrite a value)"),
        (b'name = "x"\n# caf\xe9\n', 2, "E9: is no UTF-8 at byte 6 of the line"),
    ],
)
def test_a_file_that_is_no_toml(make: Any, text: bytes, line: int, part: str) -> None:
    (problem,) = examine(make({"study.toml": text})).problems
    assert problem.line == line
    assert part in str(problem)


@pytest.mark.parametrize(
    ("text", "part"),
    [("a = " + "[" * 5000, "nests too deep"), ("a = " + "9" * 5000, "holds a number that is too long")],
)
def test_toml_that_the_parser_gives_up_on(make: Any, text: str, part: str) -> None:
    (problem,) = examine(make({"study.toml": text})).problems
    assert (problem.kind, problem.line) == ("invalid-toml", None)
    assert part in str(problem)


def test_all_faults_come_at_once(make: Any) -> None:
    found = examine(make({"study.toml": 'nam = "x"\nsimulated = 1\n[criteria.fluency]\nscale = 3\n'}))
    assert [problem.line for problem in found.problems] == [1, 2, 4]


def test_mark_and_crlf_are_accepted(make: Any) -> None:
    assert load(make({"study.toml": b'\xef\xbb\xbfname = "x"\r\ntask = "y"\r\n'})).settings.task == "y"
