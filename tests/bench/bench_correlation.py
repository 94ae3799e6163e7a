"""How long the bootstrap of correlations takes, beside nlpstats, or a plain loop over scipy where that is missing, in the same run.

    python tests/bench/bench_correlation.py [n_systems n_items n_metrics resamples]

Without arguments: (a) 16 systems x 100 items x 10 metrics and (b) 15 x 1,500 x 20, 1,000 replicates. The peer is timed at few replicates of one
metric and scaled to the same work. It is not a dependency: NLPSTATS_PYTHON names the interpreter of an environment that has it, when this one has not.
All times are processor seconds of one thread, kernels compiled beforehand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
from figures import Peer, heading, line, on_one_thread, seconds, seconds_each, times

from validate import stats
from validate.schema import FloatArray

SIZES = {"a": (16, 100, 10, 1000), "b": (15, 1500, 20, 1000)}
LEVELS = {("system", "none"): "system", ("item", "none"): "global", ("item", "item"): "input"}  # as nlpstats calls them
LAYOUTS = {
    ("system", "none"): "system level",
    ("item", "none"): "pooled",
    ("item", "item"): "by item",
    ("item", "system"): "by system",
}
TARGETS = {
    ("item", "item", "spearman"): 4_000,
    ("system", "none", "spearman"): 100,
    ("item", "none", "spearman"): 60,
    ("item", "item", "kendall"): 10_000,
    ("item", "none", "kendall"): 20,
}  # ratios to nlpstats at size (b)
PEERS: dict[str, Callable[..., Any]] = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
SECONDS = 0.5  # for each measurement of a peer

# Runs where nlpstats is installed: reads scores, prints the seconds of one replicate and how many were timed, for each level and coefficient.
NLPSTATS = """
import json, sys, time
import numpy as np
from nlpstats.correlations.bootstrap import bootstrap
metric, human = np.load(sys.argv[1])
found = {}
for level in ("system", "global", "input"):
    for coefficient in ("pearson", "spearman", "kendall"):
        bootstrap(metric, human, level, coefficient, "both", n_resamples=1)
        begun, done = time.process_time(), 0
        while done == 0 or time.process_time() - begun < float(sys.argv[2]):
            bootstrap(metric, human, level, coefficient, "both", n_resamples=1)
            done += 1
        found[level + " " + coefficient] = ((time.process_time() - begun) / done, done)
print(json.dumps(found))
"""


def study(n_systems: int, n_items: int, n_metrics: int, *, decimals: int = 1) -> tuple[list[FloatArray], FloatArray]:
    """Metrics of falling quality with real values, human scores with one decimal."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metrics = [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)]
    return metrics, np.round(latent + rng.normal(size=latent.shape), decimals)


def ours(
    metrics: list[FloatArray], human: FloatArray, coefficient: str, layout: tuple[str, str], resamples: int
) -> None:
    level, grouping = layout
    stats.resample(
        metrics, human, coefficients=(coefficient,), level=level, grouping=grouping, resamples=resamples, rng=1, workers=1
    )  # fmt: skip


def scipy_replicate(metric: FloatArray, human: FloatArray, coefficient: str, layout: tuple[str, str]) -> float:
    """One replicate of one metric when scipy is called for every group."""
    rng, function = np.random.default_rng(1), PEERS[coefficient]
    rows, cols = (rng.integers(n, size=n) for n in metric.shape)
    x, y = metric[np.ix_(rows, cols)], human[np.ix_(rows, cols)]
    if layout[0] == "system":
        return float(function(x.mean(axis=1), y.mean(axis=1)).statistic)
    if layout[1] == "none":
        return float(function(x.ravel(), y.ravel()).statistic)
    groups = zip(x.T, y.T, strict=True) if layout[1] == "item" else zip(x, y, strict=True)
    return float(np.mean([function(a, b).statistic for a, b in groups]))


def nlpstats(metric: FloatArray, human: FloatArray) -> dict[str, tuple[float, int]]:
    """Seconds of one replicate and how many were timed, by "level coefficient"; empty where nlpstats is not installed."""
    python = os.environ.get("NLPSTATS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import nlpstats"], capture_output=True, check=False).returncode:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scores.npy")
        np.save(path, np.stack([metric, human]))
        run = [python, "-W", "ignore", "-c", NLPSTATS, path, str(SECONDS)]
        return json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


def peer_of(
    theirs: dict[str, tuple[float, int]],
    metric: FloatArray,
    human: FloatArray,
    coefficient: str,
    layout: tuple[str, str],
    factor: int,
) -> Peer:
    """nlpstats where it is installed and has that layout, else the loop; ``factor`` metrics times replicates."""
    name = f"{LEVELS.get(layout)} {coefficient}"
    if name in theirs:
        (each, done), who = theirs[name], "nlpstats"
    else:
        each, done = seconds_each(lambda: scipy_replicate(metric, human, coefficient, layout), SECONDS)
        who = "loop over scipy"
    return Peer(who, each * factor, f"one metric, B = {done}, x {factor / done:,.0f}")


def main() -> None:
    on_one_thread()
    given = {"given": tuple(map(int, sys.argv[1:5]))} if len(sys.argv) > 4 else SIZES
    for size, (n_systems, n_items, n_metrics, resamples) in given.items():
        metrics, human = study(n_systems, n_items, n_metrics)
        theirs = nlpstats(metrics[0], human)
        if not theirs:
            print(
                "nlpstats is not installed: the peer is a loop over scipy; NLPSTATS_PYTHON can name an interpreter that has it"
            )
        heading(
            f"({size}) {n_systems} systems x {n_items:,} items x {n_metrics} metrics, bootstrap over both axes, B = {resamples:,}, one thread"
        )
        for layout, place in LAYOUTS.items():
            for coefficient in PEERS:
                ours(metrics[:1], human, coefficient, layout, 2)
                mine = seconds(lambda c=coefficient, at=layout: ours(metrics, human, c, at, resamples), 3)  # noqa: B023
                peer = peer_of(theirs, metrics[0], human, coefficient, layout, n_metrics * resamples)
                ratio = TARGETS.get((*layout, coefficient)) if size == "b" and theirs else None
                line(f"{place}, {coefficient.title()}", mine, peer=peer, target=times(ratio) if ratio else None)
        metrics, human = study(n_systems, n_items, n_metrics, decimals=9)  # as many levels as outputs
        pooled = ("item", "none")
        mine = seconds(lambda: ours(metrics, human, "kendall", pooled, resamples))  # noqa: B023
        peer = peer_of(theirs, metrics[0], human, "kendall", pooled, n_metrics * resamples)
        ratio = TARGETS[*pooled, "kendall"] if size == "b" and theirs else None
        line("pooled, Kendall, no human score twice", mine, peer=peer, target=times(ratio) if ratio else None)


if __name__ == "__main__":
    main()
