"""How long rankings and their bootstrap intervals take, beside evalica where it is installed, in the same run.

    python tests/bench/bench_ranking.py

Processor seconds of one thread, kernels compiled beforehand. evalica has no collapsed cells: it is timed for a few replicates and scaled.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
from figures import Peer, heading, line, megabytes, on_one_thread, seconds, within

from validate import stats

SIZES = ((100_000, 100, 1000, 2.5), (2_000_000, 100, 100, 5.0))  # judgments, systems, B, guide in seconds
Judged = tuple[Any, Any, Any]


def comparisons(n_judgments: int, n_systems: int) -> Judged:
    """Judgments of systems of different strengths, one in ten a tie."""
    rng = np.random.default_rng(0)
    strength = 0.8 * rng.normal(size=n_systems)
    first = rng.integers(n_systems, size=n_judgments)
    second = (first + rng.integers(1, n_systems, size=n_judgments)) % n_systems
    lead = rng.logistic(size=n_judgments) + strength[first] - strength[second]
    return first, second, np.where(np.abs(lead) < 0.3, 0, np.sign(lead)).astype(np.int64)


def evalica(judged: Judged, resamples: int, replicates: int = 2) -> Peer | None:
    """Judgments drawn, and evalica's Bradley-Terry at its default tolerance; None where it is not installed."""
    try:
        import evalica
    except ImportError:
        return None
    first, second, outcome = judged
    names = np.array([evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X], dtype=object)
    rng = np.random.default_rng(1)

    def work() -> None:
        for _ in range(replicates):
            drawn = rng.integers(len(first), size=len(first))
            evalica.bradley_terry(first[drawn].tolist(), second[drawn].tolist(), names[outcome[drawn] + 1].tolist())

    return Peer("evalica", seconds(work) * resamples / replicates, f"B = {replicates}, x {resamples / replicates:,.0f}")


def bradley_terry(judged: Judged, n_systems: int, resamples: int, guide: float) -> None:
    heading(f"{len(judged[0]):,} comparisons of {n_systems} systems, B = {resamples:,}, one thread")
    mine = seconds(
        lambda: stats.bradley_terry(*judged, n_systems, interval="bootstrap", resamples=resamples),
        2,
    )
    line("Bradley-Terry", mine, peer=evalica(judged, resamples), target=within(guide))
    mine = seconds(lambda: stats.win_rate(*judged, n_systems, interval="bootstrap", resamples=resamples), 2)
    line("win rate", mine)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line("  peak memory of the process so far", peak, unit="MB", target=megabytes(1_000))


def others() -> None:
    judged = comparisons(100_000, 100)
    rng = np.random.default_rng(0)
    both = {"item": rng.integers(1_000, size=100_000), "annotator": rng.integers(200, size=100_000)}
    pigeonhole: dict[str, Any] = {"cluster": both, "interval": "bootstrap", "resamples": 100}
    orders = [rng.permutation(20)[:5] for _ in range(20_000)]
    stats.plackett_luce(orders[:50], 20)
    heading("100,000 comparisons of 100 systems, and rankings, one thread")
    line("sandwich over items and annotators", seconds(lambda: stats.bradley_terry(*judged, 100, cluster=both)))
    line("pigeonhole bootstrap, B = 100", seconds(lambda: stats.bradley_terry(*judged, 100, **pigeonhole)))
    line("Elo, 100 orders", seconds(lambda: stats.elo(*judged, 100, orders=100)))
    line("Plackett-Luce, 20,000 rankings of 5 of 20", seconds(lambda: stats.plackett_luce(orders, 20)))


def main() -> None:
    on_one_thread()
    small = comparisons(2_000, 10)
    for function in (stats.bradley_terry, stats.win_rate, stats.elo):
        function(*small, 10, interval="bootstrap")
    for n_judgments, n_systems, resamples, guide in SIZES:
        bradley_terry(comparisons(n_judgments, n_systems), n_systems, resamples, guide)
    others()


if __name__ == "__main__":
    main()
