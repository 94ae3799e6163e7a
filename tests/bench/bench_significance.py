"""How long the permutation test of all pairs of metrics takes, beside a plain loop over numpy and scipy in the same run.

    python tests/bench/bench_significance.py [resamples]

The loop does for one pair what is done everywhere: swap the standardised scores and correlate both again, with scipy, for groups of items by arrays (Pearson and
Spearman) or one by one (Kendall). It is timed at few permutations and scaled to all pairs and the same number of permutations. Seconds are processor seconds of one
thread, kernels compiled beforehand. Every size comes with continuous scores and with scores in half points, which are full of ties.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import scipy.stats
from figures import Peer, heading, line, on_one_thread, seconds, seconds_each, within

from validate import stats
from validate.schema import FloatArray

SIZES = {"a": (16, 100, 10), "b": (15, 1500, 20)}
LAYOUTS = {("system", "none"): "system level", ("item", "none"): "pooled", ("item", "item"): "by item"}
COEFFICIENTS = ("pearson", "spearman", "kendall")
SLOW = {("b", "item", "none", "kendall")}  # minutes: at a tenth of the permutations
GUIDES = {
    ("item", "none", "pearson"): 1,
    ("item", "item", "pearson"): 5,
    ("item", "none", "spearman"): 30,
    ("item", "item", "spearman"): 30,
    ("item", "item", "kendall"): 20,
    **{("system", "none", name): 1 for name in COEFFICIENTS},
}  # seconds at size (b), 190 pairs, k = 1,000


def study(n_systems: int, n_items: int, n_metrics: int, *, tied: bool) -> tuple[list[FloatArray], FloatArray]:
    """Metrics of falling quality."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metrics = [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)]
    human = np.round(latent + rng.normal(size=latent.shape), 1)
    return [np.round(2 * metric) / 2 for metric in metrics] if tied else metrics, human


def ours(
    metrics: list[FloatArray], human: FloatArray, layout: tuple[str, str], coefficient: str, resamples: int
) -> None:
    """All pairs."""
    level, grouping = layout
    stats.permute(
        metrics, human, coefficients=coefficient, level=level, grouping=grouping, resamples=resamples, workers=1
    )


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


def peer(
    first: FloatArray, second: FloatArray, human: FloatArray, layout: tuple[str, str], coefficient: str, factor: int
) -> Peer:
    """The loop, timed at few permutations of one pair; ``factor`` pairs times permutations."""
    rng, function = np.random.default_rng(1), correlate(layout, coefficient)
    x, y = (scipy.stats.zscore(side, axis=None) for side in (first, second))

    def permutation() -> None:
        swap = rng.random(x.shape) < 0.5
        function(np.where(swap, y, x), human)
        function(np.where(swap, x, y), human)

    each, done = seconds_each(permutation, 0.3)
    return Peer("loop over scipy", each * factor, f"one pair, k = {done}, x {factor / done:,.0f}")


def main() -> None:
    on_one_thread()
    resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    small = study(5, 70, 2, tied=True)
    for layout in LAYOUTS:
        for coefficient in COEFFICIENTS:
            ours(*small, layout, coefficient, 2)
    for size, shape in SIZES.items():
        n_pairs = shape[2] * (shape[2] - 1) // 2
        heading(
            f"({size}) {shape[0]} systems x {shape[1]:,} items x {shape[2]} metrics, permutation test of {n_pairs} pairs, k = {resamples:,}, one thread"
        )
        for layout, place in LAYOUTS.items():
            for coefficient in COEFFICIENTS:
                k = max(1, resamples // 10) if (size, *layout, coefficient) in SLOW else resamples
                guide = GUIDES.get((*layout, coefficient)) if size == "b" and resamples == 1000 else None
                metrics, human = study(*shape, tied=False)
                loop = peer(metrics[0], metrics[1], human, layout, coefficient, n_pairs * resamples)
                for tied in (False, True):
                    metrics, human = study(*shape, tied=tied)
                    mine = seconds(lambda: ours(metrics, human, layout, coefficient, k)) * resamples / k  # noqa: B023
                    told = f"{place}, {coefficient.title()}{', with ties' if tied else ''}{f', k = {k} scaled' if k < resamples else ''}"
                    line(told, mine, peer=None if tied else loop, target=within(guide) if guide else None)


if __name__ == "__main__":
    main()
