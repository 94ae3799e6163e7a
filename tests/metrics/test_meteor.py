"""METEOR by hand, by NLTK to the last bit, and what it says about texts that it cannot settle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import text

import validate
from validate import metrics
from validate.errors import MissingExtraError, OptionError
from validate.metrics.meteor import nltk_meteor
from validate.text import wordnet
from validate.text.wordnet.source import MissingWordNetError

CAT = ("the cat sat on the mat", "the cat is sitting on the mat")
SENTENCES = [
    "the physician announced the outcome of the meeting",
    "a doctor declared the result and the doctors left",
    "automobiles were sold by the dealers who sell cars",
    "happy children sat happily on the big large sofa",
    "he was glad to help and helped to buy a couch",
    "it is big , it was large , they are great",
]
english = st.lists(st.sampled_from(" ".join(SENTENCES).split()), max_size=14).map(" ".join)


def score(output: str, *references: str, **options: Any) -> float:
    return float(metrics.get("meteor", **options).score([output], [list(references)]).system)


def test_meteor_hand(cases: Any) -> None:
    """Five matches in three chunks; P = R = 5/9, so that F = 5/9; the penalty is 0.5 (3/5)³ = 0.108."""
    case = cases("worked_values")["meteor-hand"]
    inputs = case["inputs"]
    found = score(inputs["hypothesis"], *inputs["references"], stages=("exact",))
    assert found == pytest.approx(case["expect"]["meteor"], abs=case["tolerance"])
    assert found == pytest.approx(5 / 9 * (1 - 0.108), abs=1e-15)
    assert score(inputs["hypothesis"], *inputs["references"]) == found


def test_meteor_nltk(cases: Any) -> None:
    case = cases("worked_values")["meteor-nltk"]
    found = score(case["inputs"]["hypothesis"], *case["inputs"]["references"], alignment="nltk")
    assert found == pytest.approx(case["expect"]["meteor"], abs=case["tolerance"])


def test_two_meteors(cases: Any) -> None:
    """Every score names its METEOR."""
    case = cases("reports")["two-meteors"]["input"]
    assert round(score(case["output"], case["reference"], alignment="nltk"), 4) == 0.8535
    signatures = {metrics.get("meteor", alignment=name).signature.split("|")[1] for name in ("minimal", "nltk")}
    assert signatures == {"alignment:minimal", "alignment:nltk"}


def test_stems_into_wordnet(cases: Any) -> None:
    """One match in one chunk: F = 1, penalty 0.5. NLTK looks up ``automobil``, which is no word."""
    case = cases("reports")["stems-into-wordnet"]["input"]
    assert score(case["output"], case["reference"]) == 0.5
    assert score(case["output"], case["reference"], alignment="nltk") == 0.0


def test_synonyms_by_hand() -> None:
    """All five words match in one chunk: 1 - 0.5/125. Without synonyms ``the`` and ``the`` in two: P = R = 2/5, penalty 0.5."""
    pair = ("the doctor declared the result", "the physician announced the outcome")
    assert score(*pair) == pytest.approx(1 - 0.5 / 125, abs=1e-15)
    assert score(*pair, stages="exact+stem") == pytest.approx(0.2, abs=1e-15)
    assert round(score(*pair, alignment="nltk"), 4) == 0.5111


def test_nltk_is_not_symmetric() -> None:
    """``sat`` matches the stem ``sit`` as its lemma, and ``sit`` not the form ``sat``; with synsets shared it does both ways."""
    assert round(score(*CAT, alignment="nltk"), 4) == 0.8535
    assert round(score(*reversed(CAT), alignment="nltk"), 4) == 0.7934
    assert score(*CAT) == pytest.approx(score(*CAT, alignment="nltk"))
    assert score(*reversed(CAT)) > 0.9


def test_parameters_by_hand() -> None:
    """``a b`` of ``a b c d`` match in one chunk of two: P = 1, R = 1/2; F = (1/2) / (α + (1 - α)/2)."""
    assert score("a b", "a b c d", stages="exact", alpha=0.5, beta=1, gamma=0.5) == pytest.approx(2 / 3 * 0.75)
    assert score("a b", "a b c d", stages="exact", alpha=0, gamma=0) == 1.0


def test_the_best_reference_counts_and_case_does_not() -> None:
    assert score("The Cat", "a dog", "the cat") == score("the cat", "the cat") == 1 - 0.5 / 8
    assert score("Stop!", "stop !", tokenizer="13a") == 1 - 0.5 / 8
    assert score("Stop!", "stop") == 0.0


STAGES = ["exact", "exact+stem", "exact+synonym", "exact+stem+synonym"]


@pytest.mark.parametrize("stages", STAGES)
@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(english | text, st.lists(english | text, min_size=1, max_size=3)), min_size=1, max_size=4)
)
def test_nltk_to_the_last_bit(library: Any, stages: str, rows: list[tuple[str, list[str]]]) -> None:
    library("nltk.translate.meteor_score")
    outputs, references = [output for output, _ in rows], [row for _, row in rows]
    metric = metrics.get("meteor", alignment="nltk", stages=stages)
    items, _ = nltk_meteor(metric, outputs, references)
    assert metric.score(outputs, references).items.tolist() == items.tolist()


@pytest.mark.parametrize("study", ["realsumm", "squality", "codegen_conala"])
def test_nltk_on_real_studies(library: Any, shared: Path, study: str) -> None:
    library("nltk.translate.meteor_score")
    loaded = validate.load(shared / "data" / study)
    references = dict(zip(loaded.items["item_id"], loaded.items["references"], strict=True))
    scored = loaded.outputs[[len(references[item]) > 0 for item in loaded.outputs["item_id"]]].sample(
        40, random_state=0
    )
    rows = [list(references[item]) for item in scored["item_id"]]
    metric = metrics.get("meteor", alignment="nltk")
    items, corpus = nltk_meteor(metric, scored["output"].tolist(), rows)
    score = metric.score(scored["output"].tolist(), rows)
    assert score.items.tolist() == items.tolist()
    assert score.system == pytest.approx(corpus, abs=1e-12)


@given(alpha=st.floats(0, 1), beta=st.floats(0, 5), gamma=st.floats(0, 1), pair=st.tuples(english, english))
def test_nltk_under_other_parameters(
    library: Any, alpha: float, beta: float, gamma: float, pair: tuple[str, str]
) -> None:
    library("nltk.translate.meteor_score")
    metric = metrics.get("meteor", alignment="nltk", alpha=alpha, beta=beta, gamma=gamma)
    assert (
        metric.score([pair[0]], [[pair[1]]]).items.tolist() == nltk_meteor(metric, [pair[0]], [[pair[1]]])[0].tolist()
    )


@given(pair=st.tuples(english, english))
def test_fewest_chunks_never_score_below_nltks_under_the_same_matches(pair: tuple[str, str]) -> None:
    """Without synonyms both match as many words; the greedy way can only tear them further apart."""
    assert score(*pair, stages="exact+stem") >= score(*pair, stages="exact+stem", alignment="nltk") - 1e-15


def test_pairs_that_are_not_settled_are_counted() -> None:
    draw = np.random.default_rng(0)
    long = [" ".join("abc"[place] for place in draw.integers(3, size=120)) for _ in range(2)]
    metric = metrics.get("meteor", stages="exact")
    (note,) = metric.notes(metric._batch([long[0], "a b"], [[long[1]], ["a b"]], None))
    assert (note.count, note.text[:25]) == (1, "meteor: 1 pair of 2 with ")
    assert metric.notes(metric._batch(["a b"], [["b a"]], None)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": ("stem",)}, "stages=.*'exact', alone or with"),
        ({"stages": ("stem", "exact")}, "in this order"),
        ({"stages": "exact+stems"}, "no stages 'stems'; did you mean 'stem'"),
        ({"stages": 1}, "stages=1 was given"),
        ({"alpha": 1.5}, "alpha=1.5 was given; allowed: a number from 0 to 1"),
        ({"gamma": -1}, "gamma=-1 was given"),
        ({"alignment": "greedy"}, "no alignment 'greedy'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        metrics.get("meteor", **options)


def test_without_wordnet_only_synonyms_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(who: str) -> None:
        raise MissingWordNetError(who)

    monkeypatch.setattr(wordnet, "find", nothing)
    with pytest.raises(MissingExtraError, match=r"meteor: no WordNet 3\.0 was found.*or leave synonyms out"):
        metrics.get("meteor")
    assert score("a b", "a b", stages="exact+stem") == 1 - 0.5 / 8
    (row,) = [row for row in metrics.describe() if row["name"] == "meteor"]
    assert row["checked_against"] == "nltk"
