"""The jar of METEOR 1.5, asked over its standard input."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from validate.metrics._registry import NoCounterpart
from validate.schema import FloatArray

LINE_ENDS = re.compile(r"[\r\n]+|\|\|\|")  # the jar reads one line a text, and parts texts by three bars


def scores(
    jar: Path, parameters: str, weights: str, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item scores and the corpus score.

    Raises
    ------
    NoCounterpart
        Without Java.
    """
    java = shutil.which("java")
    if java is None:
        raise NoCounterpart("the jar of METEOR 1.5 needs Java, and there is no 'java' on this machine")
    command = [
        java,
        "-Dfile.encoding=UTF-8",
        "-Xmx2G",
        "-jar",
        str(jar),
        "-",
        "-",
        "-stdio",
        "-l",
        "en",
        "-norm",
        "-p",
        parameters,
        "-w",
        weights,
    ]
    asked = [_line(output, row) for output, row in zip(outputs, references, strict=True)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        statistics = []
        for line in asked:
            process.stdin.write(line)
            process.stdin.flush()
            statistics.append(process.stdout.readline().strip())
        process.stdin.write(" ||| ".join(["EVAL", *statistics]) + "\n")
        process.stdin.close()
        *items, corpus = (float(line) for line in process.stdout.read().split())
    return np.array(items), corpus


def _line(output: str, references: Sequence[str]) -> str:
    """One question: score an output against its references."""
    texts = [LINE_ENDS.sub(" ", text) for text in (*references, output)]
    return " ||| ".join(["SCORE", *texts]) + "\n"
