"""How long comparing outputs two by two takes, beside plain loops in the same run.

    python tests/bench/bench_pairwise.py [n_systems n_items n_metrics]

The loops look at every pair in Python, as public tools do; they are timed on a part of the groups or pairs and scaled to the same work. All
times are processor seconds of one thread, kernels compiled beforehand.
"""

from __future__ import annotations

import resource
import sys
from itertools import combinations

import numpy as np
import scipy.stats
from figures import Peer, heading, line, megabytes, on_one_thread, seconds, within

from validate import stats
from validate.schema import FloatArray

SIZES = {"a": (16, 100, 10), "b": (15, 1500, 20)}
GUIDES = {"by item": 0.3, "pooled": 10, "soft": 0.03}  # seconds at size (b)
MEMORY = 1_000  # megabytes


def study(n_systems: int, n_items: int, n_metrics: int) -> tuple[list[FloatArray], FloatArray]:
    """Metrics with real values and human scores on a scale of seven, so that people see many ties."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    human = np.clip(np.round(latent + rng.normal(size=latent.shape)), -3, 3)
    return [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)], human


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


def compile_kernels() -> None:
    metrics, human = study(5, 40, 1)
    for grouping in ("item", "none"):
        stats.pairwise_accuracy(metrics[0], human, grouping=grouping)
    stats.soft_pairwise_accuracy(metrics[0], human, resamples=10)
    stats.weighted_tau(metrics[0].ravel(), human.ravel())


def calibration_by_item(metrics: list[FloatArray], human: FloatArray, guide: float | None) -> None:
    n_items = human.shape[1]
    part = range(0, n_items, max(1, n_items // 50))
    loop = seconds(lambda: [loop_calibration(metrics[0][:, i], human[:, i]) for i in part])
    factor = n_items / len(part) * len(metrics)
    peer = Peer("loop in Python", loop * factor, f"{len(part)} items of one metric, x {factor:,.0f}")
    mine = seconds(lambda: [stats.pairwise_accuracy(metric, human) for metric in metrics], 5)
    line("exact tie calibration by item, all metrics", mine, peer=peer, target=within(guide) if guide else None)


def calibration_pooled(metric: FloatArray, human: FloatArray, guide: float | None) -> None:
    flat, judged, n, some = metric.ravel(), human.ravel(), metric.size, 700
    factor = n * (n - 1) / (some * (some - 1))
    loop = seconds(lambda: loop_calibration(flat[:some], judged[:some]))
    peer = Peer("loop in Python", loop * factor, f"{some} outputs, x {factor:,.0f} pairs")
    mine = seconds(lambda: stats.pairwise_accuracy(metric, human, grouping="none"))
    told = f"the same over {n * (n - 1) // 2:,} pairs, one metric"
    line(told, mine, peer=peer, target=within(guide) if guide else None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line("  peak memory of the process so far", peak, unit="MB", target=megabytes(MEMORY) if guide else None)


def main() -> None:
    on_one_thread()
    compile_kernels()
    given = {"given": tuple(map(int, sys.argv[1:4]))} if len(sys.argv) > 3 else SIZES
    for size, (n_systems, n_items, n_metrics) in given.items():
        metrics, human = study(n_systems, n_items, n_metrics)
        guides = GUIDES if size == "b" else {}
        heading(f"({size}) {n_systems} systems x {n_items:,} items x {n_metrics} metrics, one thread")
        calibration_by_item(metrics, human, guides.get("by item"))
        calibration_pooled(metrics[0], human, guides.get("pooled"))

        loop = seconds(lambda: loop_soft_accuracy(metrics[0], human, 1000))  # noqa: B023
        peer = Peer("loop in Python", loop * n_metrics, f"one metric, x {n_metrics}")
        mine = seconds(lambda: stats.soft_pairwise_accuracies(metrics, human), 20)  # noqa: B023
        soft = within(guides["soft"]) if guides else None
        line("soft pairwise accuracy, all metrics, k = 1,000", mine, peer=peer, target=soft)

        flat, judged = metrics[0].ravel(), human.ravel()
        scipys = Peer("scipy", seconds(lambda: scipy.stats.weightedtau(flat, judged), 3))  # noqa: B023
        line("weighted tau of all outputs", seconds(lambda: stats.weighted_tau(flat, judged), 3), peer=scipys)  # noqa: B023


if __name__ == "__main__":
    main()
