"""Simulate the judgments of the sample study: ``ratings.jsonl`` and ``comparisons.jsonl``.

The texts beside this script were written for the project; the judgments are simulated. They are drawn from a stated
annotator model around the quality given to each output by hand (``latent.csv``), so that the truth behind every number
of a report is known.

Notation: ``q`` is the latent quality in 0..1 of an output on one criterion, ``e`` a standard normal draw.

Ratings (criteria adequacy and fluency, integers 1..5), annotator with bias, gain and noise::

    perceived = 3 + bias + gain * (4q - 2) + noise * e
    score     = perceived rounded to the nearest integer, cut to 1..5

With probability ``careless`` an annotator does not read the output: half of these times every criterion gets a score
drawn evenly from 1..5, the other half the scores of the previous output are given again (straight-lining).

Comparisons (criterion preference), annotator with lean, noise and tie width::

    worth     = 0.6 * adequacy + 0.4 * fluency + noise * e           of each of the two outputs
    both_bad  if both worths are below 0.40
    tie       if |worth_a - worth_b + lean| < tie
    a or b    by the sign of worth_a - worth_b + lean

Usage::

    python data/sample/make_judgments.py            # writes both files
    python data/sample/make_judgments.py --check    # compares with the files, exit status 1 when they differ
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
CRITERIA = ("adequacy", "fluency")
WEIGHTS = np.array([0.6, 0.4])  # of the criteria in a preference
BOTH_BAD_BELOW = 0.40
PAIRS_PER_ITEM = 8  # of the 15 pairs of six systems

Row = dict[str, str | int]
Latent = dict[tuple[str, str], np.ndarray]  # (item, system) -> quality on CRITERIA


@dataclass(frozen=True)
class Rater:
    """Gives absolute scores; ``workload`` is the relative chance of being given an output."""

    name: str
    workload: float
    bias: float
    gain: float
    noise: float
    careless: float = 0.0


@dataclass(frozen=True)
class Judge:
    """Compares two outputs; ``lean`` above 0 favours the left side (a)."""

    name: str
    lean: float
    noise: float
    tie: float


RATERS = (
    Rater("r1", workload=0.28, bias=0.0, gain=1.00, noise=0.45),  # attentive
    Rater("r2", workload=0.24, bias=-0.4, gain=1.05, noise=0.55),  # strict
    Rater("r3", workload=0.20, bias=0.4, gain=0.75, noise=0.55),  # lenient, avoids the ends of the scale
    Rater("r4", workload=0.17, bias=0.1, gain=0.90, noise=0.90, careless=0.7),  # careless
    Rater("r5", workload=0.11, bias=0.0, gain=1.10, noise=0.80),  # willing but unsteady
)
JUDGES = (
    Judge("c1", lean=0.00, noise=0.08, tie=0.05),
    Judge("c2", lean=0.04, noise=0.12, tie=0.08),
    Judge("c3", lean=0.00, noise=0.16, tie=0.03),
)
N_RATERS, N_RATERS_CHANCE = (2, 3, 4), (0.25, 0.50, 0.25)
N_JUDGES, N_JUDGES_CHANCE = (1, 2, 3), (0.50, 0.30, 0.20)


def read_latent(path: Path) -> Latent:
    """The latent quality of every output, in file order."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["item_id"], row["system"]): np.array([float(row[criterion]) for criterion in CRITERIA])
            for row in csv.DictReader(lines)
        }


def rate(quality: np.ndarray, rater: Rater, previous: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One rater's integer scores of one output, one per criterion."""
    if rng.random() < rater.careless:
        return previous if rng.random() < 0.5 else rng.integers(1, 6, size=quality.size)
    perceived = 3 + rater.bias + rater.gain * (4 * quality - 2) + rater.noise * rng.standard_normal(quality.size)
    return np.clip(np.rint(perceived), 1, 5).astype(int)


def simulate_ratings(latent: Latent, rng: np.random.Generator) -> list[Row]:
    """Two to four raters for each output, drawn by workload; each works through a private shuffled pile."""
    workload = np.array([rater.workload for rater in RATERS])
    piles: list[list[tuple[str, str]]] = [[] for _ in RATERS]
    for output in latent:
        n_raters = rng.choice(N_RATERS, p=N_RATERS_CHANCE)
        for index in rng.choice(len(RATERS), size=n_raters, replace=False, p=workload / workload.sum()):
            piles[index].append(output)

    given: dict[tuple[str, str], dict[str, np.ndarray]] = {output: {} for output in latent}
    for rater, pile in zip(RATERS, piles, strict=True):
        scores = np.full(len(CRITERIA), 3)  # what a straight-liner starts from
        for index in rng.permutation(len(pile)):
            scores = rate(latent[pile[index]], rater, scores, rng)
            given[pile[index]][rater.name] = scores

    return [
        {"item_id": item, "system": system, "annotator": name, "criterion": criterion, "score": int(score)}
        for (item, system), by_rater in given.items()
        for name, scores in by_rater.items()
        for criterion, score in zip(CRITERIA, scores, strict=True)
    ]


def compare(quality_a: np.ndarray, quality_b: np.ndarray, judge: Judge, rng: np.random.Generator) -> str:
    """One judge's verdict on two outputs shown side by side."""
    worth_a, worth_b = np.array([quality_a @ WEIGHTS, quality_b @ WEIGHTS]) + judge.noise * rng.standard_normal(2)
    if max(worth_a, worth_b) < BOTH_BAD_BELOW:
        return "both_bad"
    difference = worth_a - worth_b + judge.lean
    if abs(difference) < judge.tie:
        return "tie"
    return "a" if difference > 0 else "b"


def simulate_comparisons(latent: Latent, rng: np.random.Generator) -> list[Row]:
    """Eight pairs of systems per item, one to three judges each; a pair changes sides from showing to showing."""
    items = list(dict.fromkeys(item for item, _ in latent))
    pairs = list(combinations(dict.fromkeys(system for _, system in latent), 2))
    n_shown = rng.integers(0, 2, size=len(pairs))  # a coin decides which side comes first

    def judged(item: str, left: str, right: str, judge: Judge) -> Row:
        winner = compare(latent[item, left], latent[item, right], judge, rng)
        sides: Row = {"item_id": item, "system_a": left, "system_b": right}
        return sides | {"annotator": judge.name, "winner": winner, "criterion": "preference"}

    rows: list[Row] = []
    for item in items:
        for pair in sorted(rng.choice(len(pairs), size=PAIRS_PER_ITEM, replace=False)):
            n_judges = rng.choice(N_JUDGES, p=N_JUDGES_CHANCE)
            for index in sorted(rng.choice(len(JUDGES), size=n_judges, replace=False)):
                left, right = pairs[pair] if n_shown[pair] % 2 == 0 else reversed(pairs[pair])
                rows.append(judged(item, left, right, JUDGES[index]))
                n_shown[pair] += 1

    # One judge meets one pair a second time, sides swapped.
    again = int(rng.integers(len(rows)))
    first = rows[again]
    judge = next(judge for judge in JUDGES if judge.name == first["annotator"])
    rows.insert(again + 1, judged(str(first["item_id"]), str(first["system_b"]), str(first["system_a"]), judge))
    return rows


def to_jsonl(rows: Iterable[Row]) -> bytes:
    """One JSON object per line, UTF-8, always with line feeds."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulate the judgments of the sample study.")
    parser.add_argument("--seed", type=int, default=20260, help="seed of the random numbers (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="compare with the files on disk instead of writing them")
    options = parser.parse_args()

    latent = read_latent(HERE / "latent.csv")
    for_ratings, for_comparisons = np.random.default_rng(options.seed).spawn(2)
    files = {
        HERE / "ratings.jsonl": to_jsonl(simulate_ratings(latent, for_ratings)),
        HERE / "comparisons.jsonl": to_jsonl(simulate_comparisons(latent, for_comparisons)),
    }
    if options.check:
        differing = [path.name for path, content in files.items() if not path.exists() or path.read_bytes() != content]
        for name in differing:
            print(f"{name}: differs from what seed {options.seed} gives; run make_judgments.py to write it again")
        return 1 if differing else 0
    for path, content in files.items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
