"""How long the permutation test of all pairs of metrics takes, beside a plain loop over numpy and scipy in the same run.

    python tests/bench/bench_significance.py [resamples]

The loop does for one pair what is done everywhere: swap the standardised scores and correlate both again, with scipy, for groups of items by arrays (Pearson and
Spearman) or one by one (Kendall). It is timed at few permutations and scaled to all pairs and the same number of permutations. Seconds are processor seconds of one
thread, kernels compiled beforehand. Every size comes with continuous scores and with scores in half points, which are full of ties.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import scipy.stats

from validate import stats
from validate.schema import FloatArray

SIZES = {"a": (16, 100, 10), "b": (15, 1500, 20)}
LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"))
COEFFICIENTS = ("pearson", "spearman", "kendall")
SLOW = {("b", "item", "none", "kendall")}  # minutes: at a tenth of the permutations


def study(n_systems: int, n_items: int, n_metrics: int, *, tied: bool) -> tuple[list[FloatArray], FloatArray]:
    """Metrics of falling quality."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metrics = [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)]
    human = np.round(latent + rng.normal(size=latent.shape), 1)
    return [np.round(2 * metric) / 2 for metric in metrics] if tied else metrics, human


def ours(
    metrics: list[FloatArray], human: FloatArray, layout: tuple[str, str], coefficient: str, resamples: int
) -> float:
    """Seconds for all pairs."""
    begun = time.process_time()
    level, grouping = layout
    stats.permute(
        metrics, human, coefficients=coefficient, level=level, grouping=grouping, resamples=resamples, workers=1
    )
    return time.process_time() - begun


def by_item(x: FloatArray, y: FloatArray, coefficient: str) -> float:
    """The mean over items of the correlation across systems."""
    if coefficient == "kendall":
        return float(np.nanmean([scipy.stats.kendalltau(a, b).statistic for a, b in zip(x.T, y.T, strict=True)]))
    if coefficient == "spearman":
        x, y = scipy.stats.rankdata(x, axis=0), scipy.stats.rankdata(y, axis=0)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return float(np.mean((x * y).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))))


def correlate(layout: tuple[str, str], coefficient: str) -> Callable[[FloatArray, FloatArray], float]:
    """What the plain loop calls for each of the two metrics."""
    named = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr, "kendall": scipy.stats.kendalltau}
    function = named[coefficient]
    if layout[0] == "system":
        return lambda x, y: function(x.mean(axis=1), y.mean(axis=1)).statistic
    if layout[1] == "none":
        return lambda x, y: function(x.ravel(), y.ravel()).statistic
    return lambda x, y: by_item(x, y, coefficient)


def peer(first: FloatArray, second: FloatArray, human: FloatArray, layout: tuple[str, str], coefficient: str) -> float:
    """Seconds that one permutation of one pair takes."""
    rng, function = np.random.default_rng(1), correlate(layout, coefficient)
    x, y = (scipy.stats.zscore(side, axis=None) for side in (first, second))
    begun, done = time.process_time(), 0
    while time.process_time() - begun < 0.3:
        swap = rng.random(x.shape) < 0.5
        function(np.where(swap, y, x), human)
        function(np.where(swap, x, y), human)
        done += 1
    return (time.process_time() - begun) / done


def main() -> None:
    resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    small = study(5, 70, 2, tied=True)
    for layout in LAYOUTS:
        for coefficient in COEFFICIENTS:
            ours(*small, layout, coefficient, 2)
    print(f"permutation test over single outputs, all pairs, k = {resamples:,}; processor seconds of one thread")
    for size, shape in SIZES.items():
        n_pairs = shape[2] * (shape[2] - 1) // 2
        print(f"({size}) {shape[0]} systems x {shape[1]:,} items x {shape[2]} metrics, {n_pairs} pairs")
        for layout in LAYOUTS:
            for coefficient in COEFFICIENTS:
                k = max(1, resamples // 10) if (size, *layout, coefficient) in SLOW else resamples
                seconds = []
                for tied in (False, True):
                    metrics, human = study(*shape, tied=tied)
                    seconds.append(ours(metrics, human, layout, coefficient, k) * resamples / k)
                metrics, human = study(*shape, tied=False)
                theirs = peer(metrics[0], metrics[1], human, layout, coefficient) * n_pairs * resamples
                print(
                    f"  {layout[0]:>6} {layout[1]:>5} {coefficient:>9} {seconds[0]:9.2f} s, with ties {seconds[1]:9.2f} s"
                    f"   plain loop {theirs:12,.0f} s   {theirs / seconds[0]:10,.0f} x",
                    flush=True,
                )


if __name__ == "__main__":
    main()
