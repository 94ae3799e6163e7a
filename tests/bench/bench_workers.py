"""How much sooner two workers are done than one, on the clock.

    python tests/bench/bench_workers.py

The least of several runs each, taken in turns, because a busy machine delays some; with other work on the cores the ratio says little, and the load is shown.
That the digits are the same is checked on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from figures import Peer, heading, line, load, on_one_thread, times, wall_seconds

from validate import stats
from validate.schema import FloatArray, Ratings
from validate.stats.planning import assumed_world

TURNS = 3


def study(n_systems: int = 15, n_items: int = 1500, n_metrics: int = 20) -> tuple[list[FloatArray], FloatArray]:
    """Metrics of falling quality."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, n_items))
    metrics = [latent + (1 + m / n_metrics) * rng.normal(size=latent.shape) for m in range(n_metrics)]
    return metrics, np.round(latent + rng.normal(size=latent.shape), 1)


def ratings() -> Ratings:
    """5 annotators of 15 systems x 400 items."""
    rng = np.random.default_rng(1)
    annotator, system, item = (axis.ravel() for axis in np.indices((5, 15, 400)))
    truth = rng.normal(size=(15, 400))
    return Ratings(
        "quality",
        tuple("abcde"),
        tuple(f"s{n}" for n in range(15)),
        tuple(f"i{n}" for n in range(400)),
        annotator,
        system,
        item,
        np.round(truth[system, item] + rng.normal(size=len(item))),
    )


def works() -> dict[str, Callable[[int], Any]]:
    """What is done with so many workers; what it returns is compared."""
    metrics, human = study()
    judged, few = ratings(), [metric[:, :400] for metric in metrics[:5]]
    return {
        "permutation test, 190 pairs, pooled Spearman, k = 500": lambda n: stats.permute(metrics, human, grouping="none", resamples=500, workers=n).p.tobytes(),
        "permutation test, 190 pairs, by item Kendall, k = 500": lambda n: stats.permute(metrics, human, coefficients=["kendall"], resamples=500, workers=n).p.tobytes(),
        "bootstrap, pooled Kendall, B = 2,000": lambda n: stats.resample(metrics, human, coefficients=["kendall"], grouping="none", resamples=2000, workers=n).values.tobytes(),
        "bootstrap, by item Spearman, B = 2,000": lambda n: stats.resample(metrics, human, resamples=2000, workers=n).values.tobytes(),
        "bootstrap over annotators, B = 500": lambda n: stats.resample(few, judged, unit="annotators", resamples=500, workers=n).values.tobytes(),
        "noise ceiling, B = 1,000": lambda n: stats.noise_ceiling(judged, workers=n),
        "planning, 400 simulations": lambda n: stats.plan(assumed_world(rho=0.6), n_systems=12, n_items=100, workers=n).needed.to_csv(),
    }  # fmt: skip


def main() -> None:
    on_one_thread()
    heading(
        f"15 systems x 1,500 items x 20 metrics and the like: two workers (ours) beside one (peer), on the clock, {load()}"
    )
    for name, work in works().items():
        if work(1) != work(2):
            raise SystemExit(f"{name}: other digits with two workers")
        one, two = [], []
        for _ in range(TURNS):
            one.append(wall_seconds(lambda: work(1)))  # noqa: B023
            two.append(wall_seconds(lambda: work(2)))  # noqa: B023
        line(name, min(two), peer=Peer("one worker", min(one)), target=times(1.8))


if __name__ == "__main__":
    main()
