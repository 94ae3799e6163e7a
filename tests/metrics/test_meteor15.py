"""METEOR 1.5: values of the jar, its words, its stems, its beam; and beside the jar itself, which needs Java, in the slow tier."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import text

from validate import metrics
from validate.errors import MissingExtraError, OptionError
from validate.metrics import _meteor15_align as aligner
from validate.metrics import _meteor15_files as files
from validate.metrics import meteor15
from validate.metrics._meteor15_words import words
from validate.metrics._registry import NoCounterpart
from validate.text import snowball, wordnet

LISTS = files.Lists(
    frozenset({"the"}), {"Mr": False, "No": True}, {"feet": ["foot"]}, {"foot": "7", "base": "7", "shoe": "8 9"}
)


class Table:
    """Paraphrases by hand, in the place of the table of the jar."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = pairs

    def at(self, text: list[str], place: int) -> list[tuple[int, tuple[str, ...]]]:
        pairs = [(len(one.split()), one.split(), tuple(other.split())) for one, other in self.pairs]
        return [(length, other) for length, one, other in pairs if text[place : place + length] == one]


def aligned(output: str, reference: str, *pairs: tuple[str, str]) -> list[tuple[int, ...]]:
    return [tuple(match) for match in aligner.align(output.split(), reference.split(), LISTS, Table(*pairs))]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def metric() -> metrics.Metric:
    """The metric over the jar of this machine."""
    try:
        return metrics.get("meteor-1.5")
    except MissingExtraError as missing:
        if os.environ.get("REQUIRE_REFERENCES") == "1":
            raise
        pytest.skip(str(missing))


def test_values_of_the_jar(metric: metrics.Metric, cases: Any) -> None:
    """``java -jar meteor-1.5.jar - - -stdio -l en -norm`` of pycocoevalcap 1.2, OpenJDK 17, 2026-11-30."""
    pair = cases("reports")["two-meteors"]["input"]
    worked = cases("worked_values")["meteor-nltk"]["inputs"]
    outputs = [worked["hypothesis"], pair["output"], pair["reference"], "a", "automobile", "", "x"]
    references = [worked["references"], [pair["reference"]], [pair["output"]], ["a"], ["car"], ["x"], [""]]
    score = metric.score(outputs, references)
    assert score.items.tolist() == pytest.approx([0.2878035, 0.45986364, 0.48635784, 1, 0, 0, 0], abs=5e-9)


def test_a_corpus_adds_counts_up(metric: metrics.Metric) -> None:
    """An identical pair adds words and no chunk: (2 + 1 words, 1 chunk of 1 word) is one chunk in three matches."""
    score = metric.score(["red bus", "red car"], [["red bus"], ["red"]])
    precision, recall = 3 / 4, 1.0
    expected = 1 / (0.15 / precision + 0.85 / recall) * (1 - 0.6 * (1 / 3) ** 0.2)
    assert score.system == pytest.approx(expected, abs=1e-12)
    assert score.items[0] == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The well-known U.S. firm", "the well known us firm"),
        ("It's 1990's, isn't it?", "it 's 1990 's , isn 't it ?"),
        ("Mr. Smith and No. 5 or No. X.", "mr. smith and no. 5 or no . x ."),
        ("3,000 of A,B... yes", "3,000 of a , b ... yes"),
        ("“quoted” ''too''", '" quoted " " too "'),
        ("cost: $5–10", "cost : $ 5 - 10"),
        ("wide\u3000blank\xa0here", "wide blank here"),
        ("Inc. is lower", "inc. is lower"),
        ("", ""),
        (" . ", "."),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text, LISTS.prefixes) == expected.split()


def test_kinds_of_matches() -> None:
    """Places in the reference, length, places in the output, length, stage."""
    assert aligned("base walks big apple", "feet walking large apple", ("large apple", "big apple")) == [
        (0, 1, 0, 1, aligner.SYNONYM),
        (1, 1, 1, 1, aligner.STEM),
        (2, 2, 2, 2, aligner.PARAPHRASE),
    ]


def test_weak_matches_are_half_words_and_halves_are_dropped() -> None:
    """The phrase of three words covers one word in each text, less than two equal words; two words of one stem cover none."""
    assert [match[-1] for match in aligned("x b c", "a b c", ("a b c", "x b c"))] == [aligner.EXACT, aligner.EXACT]
    assert aligned("walk walks", "walking walked") == []


def test_stems_of_a_row_of_words() -> None:
    listed = [
        "consigned",
        "knightly",
        "sky",
        "skies",
        "dying",
        "herrings",
        "yellowly",
        "sensational",
        "generate",
        "luxuriating",
        "eeds",
    ]
    stems = ["consign", "knight", "sky", "sky", "die", "herring", "yellowli", "sensat", "generat", "luxuri", "eed"]
    assert list(map(snowball.stem, listed)) == stems


def test_what_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"meteor-1\.5: jar='.*' was given; the path of meteor-1\.5\.jar is allowed"):
        metrics.get("meteor-1.5", jar=str(tmp_path / "none.jar"))
    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"meteor-1\.5: the package 'pycocoevalcap' is not installed"):
        metrics.get("meteor-1.5")


def test_without_java_there_is_nothing_to_compare_with(metric: metrics.Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NoCounterpart, match="needs Java"):
        meteor15.jar_scores(metric, ["a"], [["a"]])


@pytest.fixture
def java() -> str:
    """Java, without which the jar cannot run."""
    found = shutil.which("java")
    if found is None and os.environ.get("REQUIRE_REFERENCES") == "1":
        pytest.fail("REQUIRE_REFERENCES=1 and no java: apt-get install default-jre-headless")
    return found or pytest.skip("the jar of METEOR 1.5 needs java")


def rows_of(folder: Path, size: int) -> tuple[list[str], list[list[str]]]:
    """Some outputs of a study that have references."""

    def read(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    references = {row["item_id"]: row["references"] for row in read("items.jsonl")}
    outputs = [row for row in read("outputs.jsonl") if references[row["item_id"]]]
    drawn = [outputs[place] for place in np.random.default_rng(0).choice(len(outputs), size, replace=False)]
    return [row["output"] for row in drawn], [references[row["item_id"]] for row in drawn]


@pytest.mark.slow
@pytest.mark.parametrize(("study", "size"), [("realsumm", 300), ("squality", 12), ("codegen_conala", 300)])
def test_the_jar_on_real_studies(metric: metrics.Metric, java: str, shared: Path, study: str, size: int) -> None:
    outputs, references = rows_of(shared / "data" / study, size)
    items, corpus = meteor15.jar_scores(metric, outputs, references)
    score = metric.score(outputs, references)
    np.testing.assert_allclose(score.items, items, rtol=0, atol=1e-14)
    assert score.system == pytest.approx(corpus, abs=1e-14)


@pytest.mark.slow
@settings(max_examples=1, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.large_base_example])
@given(rows=st.lists(st.tuples(text, st.lists(text, min_size=1, max_size=2)), min_size=300, max_size=400))
def test_the_jar_on_nasty_texts(metric: metrics.Metric, java: str, rows: list[tuple[str, list[str]]]) -> None:
    """One long list, because the jar takes ten seconds to start."""

    def clean(text: str) -> str:  # what can be said over its standard input, and in both languages' UTF
        return " ".join(text.encode("utf-8", "ignore").decode().replace("|", "").split("\n")).replace("\r", " ")

    outputs = [clean(output) for output, _ in rows]
    references = [[clean(text) for text in row] for _, row in rows]
    items, _ = meteor15.jar_scores(metric, outputs, references)
    np.testing.assert_allclose(metric.score(outputs, references).items, items, rtol=0, atol=1e-14)


@pytest.mark.slow
def test_the_jars_stemmer_on_all_of_wordnet(metric: metrics.Metric, java: str) -> None:
    assert isinstance(metric, meteor15.Meteor15)
    index = wordnet.load("the test")._index
    listed = sorted({lemma.lower() for lemmas in index.values() for lemma in lemmas if "_" not in lemma})
    listed += [word + end for word in listed[::7] for end in ("s", "'s", "ed", "ing", "ly", "ness")]
    command = [java, "-cp", str(metric._jar), "Stemmer", "en"]
    said = subprocess.run(command, input="\n".join(listed), capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert [word for word, theirs in zip(listed, said, strict=False) if snowball.stem(word) != theirs] == []
    assert len(said) >= len(listed)
