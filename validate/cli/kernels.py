"""The first run on a machine: what it will need is compiled beforehand, on several cores at once, and this is said.

Compiling is done by programs of their own, because the compiler holds the interpreter; what they leave on disk the run then finds.
"""

from __future__ import annotations

import os
import subprocess
import sys

import typer

_METRICS = """
from validate import metrics
for name in {names!r}:
    metrics.get(name).score(["a cat sat, 1.", "b"], [["a cat sits", "the cat"], ["b"]])
"""
_STATISTICS = """
import pandas as pd
from pathlib import Path
import validate
from validate.schema import Settings, Study
from validate.validation import Options
cells = [(str(item), system, item, place) for item in range(4) for place, system in enumerate("abc")]
ratings = [(item, system, who, "good", (n * 7 + place * k) % 5) for item, system, n, place in cells for k, who in enumerate("xyz", 1)]
pairs = [(item, "a", "b", who, "ab"[int(item) % 2], "better") for item in "0123" for who in "xyz"]
scores = [(item, system, name, (n * k + place) % 4) for item, system, n, place in cells for k, name in enumerate("mn", 1)]
study = Study(
    path=Path("study"), settings=Settings(), systems=tuple("abc"), criteria=("good", "better"), item_ids=tuple("0123"),
    items=pd.DataFrame([], columns=["item_id", "source", "references"]),
    outputs=pd.DataFrame([], columns=["item_id", "system", "output"]),
    ratings=pd.DataFrame(ratings, columns=["item_id", "system", "annotator", "criterion", "score"]),
    comparisons=pd.DataFrame(pairs, columns=["item_id", "system_a", "system_b", "annotator", "winner", "criterion"]),
    metric_scores=pd.DataFrame(scores, columns=["item_id", "system", "metric", "score"]),
)
validate.run(study, Options(resamples=20, crosscheck_rows=0, metrics=("length",)))
"""
_SCORING = (
    _METRICS.format(names=("bleu", "chrf++", "rouge1", "rougeL", "rougeLsum")),
    _METRICS.format(names=("ter", "wer", "cer", "lcs", "edit_distance")),
)


def compile_first(*, statistics: bool, quiet: bool = False) -> None:
    """Compile the kernels of the usual metrics, and those of the statistics as well, unless they lie on disk already.

    Failures are no matter: whatever is missing afterwards is compiled when it is needed.
    """
    from validate._compile import compiled_before

    if compiled_before():
        return
    if not quiet:
        seconds = 25 if statistics else 15
        typer.echo(f"the first run compiles accord's kernels, once; this takes some {seconds} seconds", err=True)
    programs = [*_SCORING, *([_STATISTICS] if statistics else [])]
    threads = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", program],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **threads},
        )
        for program in programs
    ]  # fmt: skip
    for one in running:
        one.wait()
