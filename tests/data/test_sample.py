"""The sample study is what its README says, and its judgments carry the truth that was put in."""

import csv
import json
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
CRITERIA = ("adequacy", "fluency")
BEST_TO_WORST = ["summ-large", "summ-base", "lead", "summ-small", "extract", "keywords"]
RATERS = ("r1", "r2", "r3", "r4", "r5")
CARELESS = "r4"


def read_jsonl(name):
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def items():
    return read_jsonl("items.jsonl")


@pytest.fixture(scope="module")
def outputs():
    return {(row["item_id"], row["system"]): row["output"] for row in read_jsonl("outputs.jsonl")}


@pytest.fixture(scope="module")
def latent():
    with (SAMPLE / "latent.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {(row["item_id"], row["system"]): tuple(float(row[criterion]) for criterion in CRITERIA) for row in rows}


@pytest.fixture(scope="module")
def ratings():
    return read_jsonl("ratings.jsonl")


@pytest.fixture(scope="module")
def comparisons():
    return read_jsonl("comparisons.jsonl")


def make_judgments(*arguments):
    command = [sys.executable, str(SAMPLE / "make_judgments.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def systems_by(value):
    """Systems from best to worst by a dictionary of values."""
    return sorted(value, key=value.get, reverse=True)


# --- texts ---------------------------------------------------------------------------------------------------------


def test_sixty_items_with_source_topic_and_two_different_references(items):
    assert [item["item_id"] for item in items] == [f"n{number:03d}" for number in range(1, 61)]
    for item in items:
        assert list(item) == ["item_id", "source", "references", "meta"]
        assert 50 <= len(item["source"].split()) <= 90
        assert len(set(item["references"])) == 2
        assert all(15 <= len(reference.split()) <= 35 for reference in item["references"])
    assert set(Counter(item["meta"]["topic"] for item in items).values()) == {4}


def test_every_system_answers_every_item_once(items, outputs):
    rows = read_jsonl("outputs.jsonl")
    assert len(rows) == len(outputs) == 360
    assert set(outputs) == {(item["item_id"], system) for item in items for system in BEST_TO_WORST}
    assert all(list(row) == ["item_id", "system", "output"] for row in rows)


def test_lead_is_the_first_sentence_and_every_text_is_trimmed(items, outputs):
    for item in items:
        lead = outputs[item["item_id"], "lead"]
        assert item["source"].startswith(lead + " ")
        assert lead.endswith(".")
    texts = [*outputs.values(), *(text for item in items for text in (item["source"], *item["references"]))]
    assert all(text == " ".join(text.split()) for text in texts)


def test_oddities_are_the_ones_the_readme_names(items, outputs):
    assert [key for key, text in outputs.items() if not text] == [("n036", "keywords")]
    equal_to_a_reference = [
        (item["item_id"], system)
        for item in items
        for system in BEST_TO_WORST
        if outputs[item["item_id"], system] in item["references"]
    ]
    assert equal_to_a_reference == [("n048", "summ-base")]
    same = defaultdict(list)
    for (item, system), text in outputs.items():
        same[item, text].append(system)
    twins = {item: systems for (item, _), systems in same.items() if len(systems) > 1}
    assert twins == {
        "n010": ["lead", "extract"],
        "n026": ["lead", "extract"],
        "n040": ["lead", "extract"],
        "n045": ["summ-base", "summ-small"],
    }


# --- truth ---------------------------------------------------------------------------------------------------------


def test_latent_covers_every_output_within_bounds(outputs, latent):
    assert list(latent) == list(outputs)
    assert all(0 <= quality <= 1 for pair in latent.values() for quality in pair)


def test_identical_outputs_have_identical_truth(outputs, latent):
    truths = defaultdict(set)
    for (item, system), text in outputs.items():
        truths[item, text].add(latent[item, system])
    assert all(len(truth) == 1 for truth in truths.values())


def system_means(rows):
    """Mean per system of (system, value) rows."""
    values = defaultdict(list)
    for system, value in rows:
        values[system].append(value)
    return {system: float(np.mean(collected)) for system, collected in values.items()}


def test_latent_order_is_strict_with_clear_gaps(latent):
    means = system_means((system, np.mean(pair)) for (_, system), pair in latent.items())
    assert systems_by(means) == BEST_TO_WORST
    assert min(means[better] - means[worse] for better, worse in pairwise(BEST_TO_WORST)) >= 0.06


def test_quality_varies_within_systems(latent):
    small_beats_base = sum(
        np.mean(latent[item, "summ-small"]) > np.mean(latent[item, "summ-base"])
        for item, system in latent
        if system == "lead"
    )
    assert 2 <= small_beats_base <= 15


# --- judgments -----------------------------------------------------------------------------------------------------


def test_judgments_are_reproduced_byte_for_byte():
    result = make_judgments("--check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_check_notices_another_seed():
    result = make_judgments("--check", "--seed", "1")
    assert result.returncode == 1
    assert "ratings.jsonl: differs" in result.stdout
    assert "comparisons.jsonl: differs" in result.stdout


def test_study_says_that_its_judgments_are_simulated():
    study = tomllib.loads((SAMPLE / "study.toml").read_text(encoding="utf-8"))
    assert study["simulated"] is True
    assert "simulated" in study["description"]
    assert "They are not human judgments" in study["description"]
    assert study["criteria"] == {name: {"scale": [1, 5], "higher_is_better": True} for name in CRITERIA}


def test_ratings_are_well_formed(outputs, ratings):
    assert all(list(row) == ["item_id", "system", "annotator", "criterion", "score"] for row in ratings)
    assert {row["score"] for row in ratings} == {1, 2, 3, 4, 5}
    assert {row["annotator"] for row in ratings} == set(RATERS)
    keys = {(row["item_id"], row["system"], row["annotator"], row["criterion"]) for row in ratings}
    assert len(keys) == len(ratings)
    assert {key[:2] for key in keys} == set(outputs)
    assert {key[3] for key in keys} == set(CRITERIA)


def test_rating_overlap_is_uneven(ratings):
    per_output = Counter((row["item_id"], row["system"], row["criterion"]) for row in ratings)
    assert set(per_output.values()) == {2, 3, 4}
    workload = Counter(row["annotator"] for row in ratings)
    assert max(workload.values()) > 1.5 * min(workload.values())


def test_order_of_systems_by_mean_rating_is_the_true_one(ratings):
    assert systems_by(system_means((row["system"], row["score"]) for row in ratings)) == BEST_TO_WORST


def test_careless_annotator_agrees_least_with_the_others(ratings):
    scores = defaultdict(dict)
    for row in ratings:
        scores[row["item_id"], row["system"], row["criterion"]][row["annotator"]] = row["score"]

    def leave_one_out(annotator):
        own_and_rest = [
            (given[annotator], np.mean([score for other, score in given.items() if other != annotator]))
            for given in scores.values()
            if annotator in given
        ]
        return np.corrcoef(np.array(own_and_rest).T)[0, 1]

    correlation = {annotator: leave_one_out(annotator) for annotator in RATERS}
    assert min(correlation, key=correlation.get) == CARELESS
    assert correlation[CARELESS] < 0.4 < min(value for name, value in correlation.items() if name != CARELESS)


def test_comparisons_are_well_formed(outputs, comparisons):
    names = ["item_id", "system_a", "system_b", "annotator", "winner", "criterion"]
    assert 700 <= len(comparisons) <= 900
    for row in comparisons:
        assert list(row) == names
        assert row["system_a"] != row["system_b"]
        assert {(row["item_id"], row["system_a"]), (row["item_id"], row["system_b"])} <= set(outputs)
        assert row["criterion"] == "preference"
    assert {row["winner"] for row in comparisons} == {"a", "b", "tie", "both_bad"}
    assert 3 <= sum(row["winner"] == "both_bad" for row in comparisons) <= 20


def test_comparison_overlap_is_uneven_and_one_pair_is_judged_twice(comparisons):
    judges = defaultdict(Counter)
    for row in comparisons:
        judges[row["item_id"], frozenset((row["system_a"], row["system_b"]))][row["annotator"]] += 1
    assert {len(by_judge) for by_judge in judges.values()} == {1, 2, 3}
    assert Counter(times for by_judge in judges.values() for times in by_judge.values())[2] == 1


def test_sides_are_used_about_equally(comparisons):
    for system in BEST_TO_WORST:
        left = sum(row["system_a"] == system for row in comparisons)
        right = sum(row["system_b"] == system for row in comparisons)
        assert abs(left - right) <= 0.05 * (left + right)
    pairs = Counter((row["system_a"], row["system_b"]) for row in comparisons)
    assert max(abs(times - pairs[b, a]) for (a, b), times in pairs.items()) <= 2


def test_order_of_systems_by_win_rate_is_the_true_one(comparisons):
    """Win rate: wins and half the ties over all comparisons in which one side could win."""
    points = {"a": (1.0, 0.0), "b": (0.0, 1.0), "tie": (0.5, 0.5)}
    decided = [row for row in comparisons if row["winner"] in points]
    sides = [
        (row[side], points[row["winner"]][place])
        for row in decided
        for place, side in enumerate(("system_a", "system_b"))
    ]
    assert systems_by(system_means(sides)) == BEST_TO_WORST
