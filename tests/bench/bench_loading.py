"""How long a large study takes to load, and how much memory: 100,000 outputs and 1,000,000 judgments.

Run it by hand:

    python tests/bench/bench_loading.py [--outputs N] [--judgments N]

Each format is loaded in a process of its own, so that the peak is that of loading alone.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

WORDS = np.array(
    [
        "the",
        "a",
        "of",
        "model",
        "summary",
        "story",
        "about",
        "says",
        "its",
        "more",
        "after",
        "river",
        "two",
        "first",
        "small",
        "government",
        "found",
        "report",
        "year",
        "café",
    ]
)
N_SYSTEMS, N_ANNOTATORS, WORDS_EACH = 25, 300, 60
LIMIT_SECONDS, LIMIT_GIB = 10.0, 2.0


def study(n_outputs: int, n_judgments: int, rng: int = 0) -> dict[str, pd.DataFrame]:
    """Tables of about these sizes; half of the judgments are ratings, half comparisons."""
    draw = np.random.default_rng(rng)
    n_items = n_outputs // N_SYSTEMS
    ids = [f"item-{number:06d}" for number in range(n_items)]
    systems = [f"system-{number}" for number in range(N_SYSTEMS)]

    def texts(n: int) -> list[str]:
        return [" ".join(row) for row in WORDS[draw.integers(len(WORDS), size=(n, WORDS_EACH))]]

    def labels(names: list[str], n: int) -> list[str]:
        return [names[place] for place in draw.integers(len(names), size=n)]

    half = n_judgments // 2
    pairs = np.array([draw.choice(N_SYSTEMS, 2, replace=False) for _ in range(1000)])[draw.integers(1000, size=half)]
    annotators = [f"worker-{number}" for number in range(N_ANNOTATORS)]
    return {
        "items": pd.DataFrame(
            {"item_id": ids, "source": texts(n_items), "references": [[text] for text in texts(n_items)]}
        ),
        "outputs": pd.DataFrame(
            {
                "item_id": np.repeat(ids, N_SYSTEMS).tolist(),
                "system": systems * n_items,
                "output": texts(n_items * N_SYSTEMS),
            }
        ),
        "ratings": pd.DataFrame(
            {
                "item_id": labels(ids, half),
                "system": labels(systems, half),
                "annotator": labels(annotators, half),
                "criterion": labels(["fluency", "adequacy"], half),
                "score": draw.integers(1, 101, size=half).tolist(),
            }
        ),
        "comparisons": pd.DataFrame(
            {
                "item_id": labels(ids, half),
                "system_a": [systems[place] for place in pairs[:, 0]],
                "system_b": [systems[place] for place in pairs[:, 1]],
                "annotator": labels(annotators, half),
                "winner": labels(["a", "b", "tie"], half),
            }
        ),
    }


def load_once(folder: str) -> None:
    """Load a study and print seconds, seconds of the processor and the peak of memory."""
    import validate

    started, worked = time.perf_counter(), time.process_time()
    loaded = validate.load(folder)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{seconds:.2f} {cpu:.2f} {peak:.2f} {len(loaded.outputs)} {len(loaded.ratings) + len(loaded.comparisons)}")


def main() -> int:
    """Write the study in each format, load it, and compare with the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outputs", type=int, default=100_000)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--load", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.load:
        load_once(given.load)
        return 0
    from validate.formats import write_study

    tables = study(given.outputs, given.judgments)
    failed = False
    print("format    seconds      cpu  peak GiB   outputs  judgments")
    with tempfile.TemporaryDirectory() as parent:
        for name in ("jsonl", "csv", "tsv", "parquet"):
            folder = write_study(Path(parent) / name, tables, format=name)
            command = [sys.executable, __file__, "--load", str(folder)]
            seconds, cpu, peak, *sizes = subprocess.run(
                command, check=True, capture_output=True, text=True
            ).stdout.split()
            failed |= float(seconds) > LIMIT_SECONDS or float(peak) > LIMIT_GIB
            print(f"{name:8} {float(seconds):8.2f} {float(cpu):8.2f} {float(peak):9.2f} {sizes[0]:>9} {sizes[1]:>10}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
