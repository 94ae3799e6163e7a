"""How long comparing outputs two by two takes, beside plain loops in the same run.

    python tests/bench/bench_pairwise.py [n_systems n_items n_metrics]

The loops look at every pair in Python, as public tools do; they are timed on a part of the groups or pairs and scaled to the same work. All
times are of one thread, kernels compiled beforehand.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import scipy.stats

from validate import stats
from validate.schema import FloatArray


def study(n_systems: int, n_items: int, n_metrics: int) -> tuple[list[FloatArray], FloatArray]:
    """Metrics with real values and human scores on a scale of seven, so that people see many ties."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    human = np.clip(np.round(latent + rng.normal(size=latent.shape)), -3, 3)
    return [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)], human


def seconds(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def loop_calibration(metric: FloatArray, human: FloatArray) -> tuple[float, int]:
    """Sort the pairs of a group by distance and walk them: the best gain, and how many pairs there were."""
    pairs = [
        (abs(metric[i] - metric[j]), human[i] == human[j], (metric[i] - metric[j]) * (human[i] - human[j]) > 0)
        for i, j in combinations(range(len(metric)), 2)
    ]
    gain, best = 0, 0
    for _, tied, agree in sorted(pairs):
        gain += int(tied) - int(agree)
        best = max(best, gain)
    return best, len(pairs)


def loop_soft_accuracy(metric: FloatArray, human: FloatArray, resamples: int) -> float:
    """Signs drawn for every pair of systems."""
    rng, differences = np.random.default_rng(0), []
    for i, j in combinations(range(len(metric)), 2):
        signs = rng.choice([-1.0, 1.0], size=(resamples, metric.shape[1]))
        p = [(signs @ (side[i] - side[j]) >= (side[i] - side[j]).sum()).mean() for side in (metric, human)]
        differences.append(abs(p[0] - p[1]))
    return 1 - float(np.mean(differences))


def line(what: str, ours: float, loop: float) -> None:
    print(f"{what:<58} {ours:9.3f} s   loop {loop:11.2f} s   {loop / ours:9,.0f} x", flush=True)


def main() -> None:
    n_systems, n_items, n_metrics = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (15, 1500, 20)
    metrics, human = study(n_systems, n_items, n_metrics)
    flat, judged = metrics[0].ravel(), human.ravel()
    for grouping in ("item", "none"):  # compile
        stats.pairwise_accuracy(metrics[0][:, :5], human[:, :5], grouping=grouping)
    stats.soft_pairwise_accuracy(metrics[0], human, resamples=10)
    stats.weighted_tau(flat[:9], judged[:9])
    n = n_systems * n_items
    print(f"{n_systems} systems x {n_items} items x {n_metrics} metrics, {n * (n - 1) // 2:,} pairs of all outputs")

    part = range(0, n_items, max(1, n_items // 50))
    loop = seconds(lambda: [loop_calibration(metrics[0][:, i], human[:, i]) for i in part]) / len(part) * n_items
    ours = seconds(lambda: [stats.pairwise_accuracy(metric, human) for metric in metrics])
    line("exact tie calibration by item, all metrics", ours, loop * n_metrics)

    some = 700
    per_pair = seconds(lambda: loop_calibration(flat[:some], judged[:some])) / (some * (some - 1) / 2)
    ours = seconds(lambda: stats.pairwise_accuracy(metrics[0], human, grouping="none"))
    line("exact tie calibration of all pairs, one metric", ours, per_pair * n * (n - 1) / 2)
    print(f"{'peak of the process so far':<58} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")

    loop = seconds(lambda: loop_soft_accuracy(metrics[0], human, 1000)) * n_metrics
    ours = seconds(lambda: stats.soft_pairwise_accuracies(metrics, human))
    line("soft pairwise accuracy, all metrics, 1,000 permutations", ours, loop)

    scipys = seconds(lambda: scipy.stats.weightedtau(flat, judged))
    line("weighted tau of all outputs (loop: scipy)", seconds(lambda: stats.weighted_tau(flat, judged)), scipys)


if __name__ == "__main__":
    main()
