"""How long the bootstrap of correlations takes, beside nlpstats, or a plain loop over scipy where that is missing, in the same run.

    python tests/bench/bench_correlation.py [n_systems n_items n_metrics resamples]

Without arguments: 16 systems x 100 items x 10 metrics and 15 x 1,500 x 20, 1,000 replicates. The peer is timed at few replicates of one
metric and scaled to the same work. It is not a dependency: NLPSTATS_PYTHON names the interpreter of an environment that has it, when this one has not.
All times are processor seconds of one thread, kernels compiled beforehand.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

from validate import stats
from validate.schema import FloatArray

SIZES = ((16, 100, 10, 1000), (15, 1500, 20, 1000))
LEVELS = {("system", "none"): "system", ("item", "none"): "global", ("item", "item"): "input"}  # as nlpstats calls them
LAYOUTS = (*LEVELS, ("item", "system"))
PEERS: dict[str, Callable[..., Any]] = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
SECONDS = 0.5  # for each measurement of a peer

# Runs where nlpstats is installed: reads scores, prints the seconds of one replicate for each level and coefficient.
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
        found[level + " " + coefficient] = (time.process_time() - begun) / done
print(json.dumps(found))
"""


def study(n_systems: int, n_items: int, n_metrics: int) -> tuple[list[FloatArray], FloatArray]:
    """Metrics of falling quality with real values, human scores with one decimal."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metrics = [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)]
    return metrics, np.round(latent + rng.normal(size=latent.shape), 1)


def ours(
    metrics: list[FloatArray], human: FloatArray, coefficient: str, layout: tuple[str, str], resamples: int
) -> float:
    """Seconds for all metrics."""
    begun = time.process_time()
    stats.resample(
        metrics,
        human,
        coefficients=(coefficient,),
        level=layout[0],
        grouping=layout[1],
        resamples=resamples,
        rng=1,
        workers=1,
    )
    return time.process_time() - begun


def scipy_loop(metric: FloatArray, human: FloatArray, coefficient: str, layout: tuple[str, str]) -> float:
    """Seconds that one replicate of one metric takes when scipy is called for every group."""
    rng, function = np.random.default_rng(1), PEERS[coefficient]
    begun, done = time.process_time(), 0
    while time.process_time() - begun < SECONDS:
        rows, cols = (rng.integers(n, size=n) for n in metric.shape)
        x, y = metric[np.ix_(rows, cols)], human[np.ix_(rows, cols)]
        if layout[0] == "system":
            function(x.mean(axis=1), y.mean(axis=1))
        elif layout[1] == "none":
            function(x.ravel(), y.ravel())
        else:
            groups = zip(x.T, y.T, strict=True) if layout[1] == "item" else zip(x, y, strict=True)
            np.mean([function(a, b).statistic for a, b in groups])
        done += 1
    return (time.process_time() - begun) / done


def nlpstats(metric: FloatArray, human: FloatArray) -> dict[str, float]:
    """Seconds of one replicate by "level coefficient"; empty where nlpstats is not installed."""
    python = os.environ.get("NLPSTATS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import nlpstats"], capture_output=True, check=False).returncode:
        print(
            "nlpstats is not installed here: the peer is a loop over scipy (NLPSTATS_PYTHON can name another interpreter)"
        )
        return {}
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scores.npy")
        np.save(path, np.stack([metric, human]))
        run = [python, "-W", "ignore", "-c", NLPSTATS, path, str(SECONDS)]
        return json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    given = [tuple(map(int, sys.argv[1:5]))] if len(sys.argv) > 4 else SIZES
    for n_systems, n_items, n_metrics, resamples in given:
        metrics, human = study(n_systems, n_items, n_metrics)
        print(f"{n_systems} systems x {n_items} items x {n_metrics} metrics, both axes resampled, B = {resamples:,}")
        theirs = nlpstats(metrics[0], human)
        for layout in LAYOUTS:
            for coefficient in PEERS:
                ours(metrics[:1], human, coefficient, layout, 2)
                mine = ours(metrics, human, coefficient, layout, resamples)
                name = f"{LEVELS.get(layout)} {coefficient}"
                one = theirs[name] if name in theirs else scipy_loop(metrics[0], human, coefficient, layout)
                peer, scaled = "nlpstats" if name in theirs else "scipy loop", one * n_metrics * resamples
                print(
                    f"{layout[0]:>7} {layout[1]:>7} {coefficient:>9} {mine:8.3f} s   {peer:>10} {scaled:10.1f} s   {scaled / mine:10,.0f} x",
                    flush=True,
                )
    print(f"peak of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
