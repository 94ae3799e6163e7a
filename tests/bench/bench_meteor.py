"""How long METEOR takes beside NLTK's: 10,000 pairs of about 21 tokens, from raw texts, in processor seconds of one thread.

Run it by hand:

    python tests/bench/bench_meteor.py [--pairs N …]

Warm: WordNet is read, and stems and synonyms of the same words have been looked up. Cold: a fresh process, WordNet and all; the
compiled kernels lie on disk. Texts are drawn by Zipf's law from 20,000 lemmas of WordNet and their plurals.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np

TARGETS = {"warm": 6.0, "cold": 50.0}
N_WORDS = 20_000


def pairs(n: int, rng: int = 0) -> tuple[list[str], list[list[str]]]:
    """Outputs and references; of each pair about half the words are the same, in another order."""
    from validate.text import wordnet

    lemmas = sorted(lemma for lemma in wordnet.load()._index["n"] if lemma.isalpha())
    draw = np.random.default_rng(rng)
    words = np.array(
        [*draw.choice(lemmas, N_WORDS // 2), *(f"{lemma}s" for lemma in draw.choice(lemmas, N_WORDS // 2))]
    )
    draw.shuffle(words)
    common = np.array(["the", "of", "a", "in", "to", "and", "is", "on", "for", "with"])
    outputs, references = [], []
    for length in draw.integers(16, 27, n):
        rank = np.minimum(draw.zipf(1.3, (2, length)), N_WORDS) - 1
        here, there = words[rank]
        here[::3], there[::3] = (draw.choice(common, len(here[::3])) for _ in range(2))
        kept = draw.random(length) < 0.5
        there[kept] = draw.permutation(here[kept])
        outputs.append(" ".join(here))
        references.append([" ".join(there)])
    return outputs, references


def ours(alignment: str, outputs: list[str], references: list[list[str]]) -> list[float]:
    """Scores by accord."""
    from validate import metrics

    return metrics.get("meteor", alignment=alignment).score(outputs, references).items.tolist()


def nltks(outputs: list[str], references: list[list[str]]) -> list[float]:
    """Scores by NLTK over the same WordNet."""
    from nltk.translate.meteor_score import meteor_score

    from validate.metrics import _meteor_nltk

    reader = _meteor_nltk.reader(True)
    return [
        meteor_score([text.split() for text in row], output.split(), wordnet=reader)
        for output, row in zip(outputs, references, strict=True)
    ]


WAYS = {
    "nltk": nltks,
    "ours, nltk": lambda *texts: ours("nltk", *texts),
    "ours, minimal": lambda *texts: ours("minimal", *texts),
}


def once(way: str, file: str) -> None:
    """Score the pairs of a file twice in this process; print the seconds of the first and the second time."""
    with open(file, encoding="utf-8") as lines:
        texts = json.load(lines)
    import validate.metrics  # what everybody has imported before

    assert validate.metrics
    seconds = []
    for _ in range(2):
        began = time.process_time()
        WAYS[way](*texts)
        seconds.append(time.process_time() - began)
    print(*seconds)


def main() -> int:
    """Time every way in a process of its own and compare with the targets."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        once(*given.once)
        return 0
    print(f"{'pairs':>7} {'way':14} {'cold s':>8} {'warm s':>8} {'ratio cold':>11} {'ratio warm':>11}  target")
    for n in given.pairs:
        outputs, references = pairs(n)
        assert ours("nltk", outputs[:500], references[:500]) == nltks(outputs[:500], references[:500])
        ours("minimal", outputs[:2], references[:2])  # compiles
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([outputs, references], file)
            file.flush()
            peer: list[float] = []
            for way in WAYS:
                command = [sys.executable, __file__, "--once", way, file.name]
                said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
                cold, warm = map(float, said)
                peer = peer or [cold, warm]
                ratios = peer[0] / cold, peer[1] / warm
                verdict = ""
                if way == "ours, nltk" and n >= 10_000:
                    met = ratios[0] >= TARGETS["cold"], ratios[1] >= TARGETS["warm"]
                    verdict = ", ".join(
                        f"{name} {TARGETS[name]:g}x {'met' if ok else 'not met'}"
                        for name, ok in zip(("cold", "warm"), met, strict=True)
                    )
                print(f"{n:7,} {way:14} {cold:8.2f} {warm:8.3f} {ratios[0]:10.1f}x {ratios[1]:10.1f}x  {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
