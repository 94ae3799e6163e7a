"""How long the bootstrap of correlations takes, beside a plain loop over scipy in the same run.

    python tests/bench/bench_correlation.py [n_systems n_items n_metrics resamples]

The loop writes the resampled scores out and calls scipy for every group; it is timed at few replicates of one metric and
scaled to the same work. All times are of one thread, kernels compiled beforehand.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

from validate import stats
from validate.schema import FloatArray, ScoreMatrix

LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
PEERS: dict[str, Callable[..., Any]] = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def study(n_systems: int, n_items: int, n_metrics: int) -> tuple[list[ScoreMatrix], ScoreMatrix]:
    """Metrics of falling quality, every second one with a few holes and every third a ratio of sums of ten statistics."""
    rng = np.random.default_rng(0)
    shape = (n_systems, n_items)
    systems, items = tuple(f"system {s}" for s in range(n_systems)), tuple(f"item {i}" for i in range(n_items))
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=shape)
    metrics = []
    for m in range(n_metrics):
        values = latent + (1 + m / n_metrics) * rng.normal(size=shape)
        if m % 2:
            values[rng.random(shape) < 0.02] = np.nan
        statistics = rng.integers(1, 20, size=(*shape, 10)).astype(np.float64) if m % 3 == 0 else None
        if statistics is not None:
            statistics[..., 0] += values
        divide = None if statistics is None else lambda sums: sums[..., 0] / sums[..., 1:].sum(axis=-1)
        metrics.append(ScoreMatrix(f"metric {m}", values, systems, items, statistics=statistics, divide=divide))
    human = np.round(latent + rng.normal(size=shape), 1)
    return metrics, ScoreMatrix("human", human, systems, items)


def ours(
    metrics: list[ScoreMatrix],
    human: ScoreMatrix,
    coefficients: tuple[str, ...],
    layout: tuple[str, str],
    resamples: int,
) -> float:
    """Seconds for all metrics."""
    begun = time.perf_counter()
    stats.resample(
        metrics,
        human,
        coefficients=coefficients,
        level=layout[0],
        grouping=layout[1],
        resamples=resamples,
        rng=1,
        workers=1,
    )
    return time.perf_counter() - begun


def peer(
    metric: FloatArray, human: FloatArray, coefficient: str, layout: tuple[str, str], seconds: float = 0.3
) -> float:
    """Seconds that one replicate of one metric takes when scipy is called for every group."""
    rng, function = np.random.default_rng(1), PEERS[coefficient]
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
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
    return (time.perf_counter() - begun) / done


def main() -> None:
    n_systems, n_items, n_metrics, resamples = map(int, sys.argv[1:5]) if len(sys.argv) > 4 else (25, 100, 31, 1000)
    metrics, human = study(n_systems, n_items, n_metrics)
    print(f"{n_systems} systems x {n_items} items x {n_metrics} metrics, both axes resampled, B = {resamples:,}")
    for layout in LAYOUTS:
        ours(metrics[:2], human, tuple(PEERS), layout, 2)
    for layout in LAYOUTS:
        for coefficient in PEERS:
            mine = ours(metrics, human, (coefficient,), layout, resamples)
            theirs = peer(metrics[2].values, human.values, coefficient, layout) * n_metrics * resamples
            print(
                f"{layout[0]:>7} {layout[1]:>7} {coefficient:>9} {mine:8.3f} s   scipy loop {theirs:10.1f} s   {theirs / mine:10,.0f} x"
            )
    begun = time.perf_counter()
    for layout in LAYOUTS:
        stats.resample(
            metrics, human, coefficients=tuple(PEERS), level=layout[0], grouping=layout[1], resamples=resamples
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"everything, all processors: {time.perf_counter() - begun:.2f} s; peak of the process {peak:.0f} MB")


if __name__ == "__main__":
    main()
