"""How long rankings and their bootstrap intervals take, beside evalica where it is installed, in the same run.

    python tests/bench/bench_ranking.py

Processor seconds of one thread, kernels compiled beforehand. evalica has no collapsed cells: it is timed for a few replicates and scaled.
"""

from __future__ import annotations

import os

for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[library] = "1"

import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from validate import stats  # noqa: E402

SIZES = ((100_000, 100, 1000), (2_000_000, 100, 100))


def comparisons(n_judgments: int, n_systems: int) -> tuple[Any, Any, Any]:
    """Judgments of systems of different strengths, one in ten a tie."""
    rng = np.random.default_rng(0)
    strength = 0.8 * rng.normal(size=n_systems)
    first = rng.integers(n_systems, size=n_judgments)
    second = (first + rng.integers(1, n_systems, size=n_judgments)) % n_systems
    lead = rng.logistic(size=n_judgments) + strength[first] - strength[second]
    return first, second, np.where(np.abs(lead) < 0.3, 0, np.sign(lead)).astype(np.int64)


def seconds(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def evalica_seconds(judged: tuple[Any, Any, Any], replicates: int) -> float:
    """Of one replicate: judgments drawn, and evalica's Bradley–Terry at its default tolerance."""
    import evalica

    first, second, outcome = judged
    names = np.array([evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X], dtype=object)
    rng = np.random.default_rng(1)

    def work() -> None:
        for _ in range(replicates):
            drawn = rng.integers(len(first), size=len(first))
            evalica.bradley_terry(first[drawn].tolist(), second[drawn].tolist(), names[outcome[drawn] + 1].tolist())

    return seconds(work) / replicates


def main() -> None:
    small = comparisons(2_000, 10)
    for function in (stats.bradley_terry, stats.win_rate, stats.elo):
        function(*small, 10, interval="bootstrap")
    for n_judgments, n_systems, resamples in SIZES:
        judged = comparisons(n_judgments, n_systems)
        mine = seconds(
            lambda j=judged, n=n_systems, b=resamples: stats.bradley_terry(*j, n, interval="bootstrap", resamples=b)
        )  # type: ignore[misc]
        line = f"Bradley-Terry, {n_judgments:,} comparisons of {n_systems} systems, B = {resamples:,}: {mine:.2f} s"
        try:
            theirs = evalica_seconds(judged, 2) * resamples
            line += f"; evalica {theirs:.0f} s; {theirs / mine:.0f} x"
        except ImportError:
            line += "; evalica is not installed"
        print(line, flush=True)
    judged = comparisons(100_000, 100)
    rng = np.random.default_rng(0)
    both = {"item": rng.integers(1_000, size=100_000), "annotator": rng.integers(200, size=100_000)}
    for name, options in (
        ("sandwich over items and annotators", {"cluster": both}),
        ("pigeonhole bootstrap, B = 100", {"cluster": both, "interval": "bootstrap", "resamples": 100}),
    ):
        print(f"  {name}: {seconds(lambda o=options: stats.bradley_terry(*judged, 100, **o)):.2f} s")  # type: ignore[misc]
    print(f"  Elo, 100 orders: {seconds(lambda: stats.elo(*judged, 100, orders=100)):.2f} s")
    orders = [rng.permutation(20)[:5] for _ in range(20_000)]
    stats.plackett_luce(orders[:50], 20)
    print(
        f"  Plackett-Luce, 20,000 rankings of 5 of 20 systems: {seconds(lambda: stats.plackett_luce(orders, 20)):.2f} s"
    )


if __name__ == "__main__":
    main()
