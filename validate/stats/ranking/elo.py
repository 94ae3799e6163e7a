"""Elo ratings, averaged over the orders in which the judgments could have come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from validate._compile import kernel
from validate.errors import bad_value, unknown_name
from validate.schema import FloatArray, IntArray
from validate.stats.ranking.cells import collapse
from validate.stats.ranking.clusters import Cluster, check_cluster, resampled_kinds
from validate.stats.ranking.options import Options, quantiles, system_names
from validate.stats.ranking.record import Ranking, ranking

EloInterval = Literal["orders", "bootstrap"]
POINTS = 400 / np.log(10)  # Elo points in a unit of the natural log scale


def elo(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    n: int,
    *,
    k: float = 32,
    orders: int = 1000,
    cluster: Cluster | None = None,
    interval: EloInterval | None = "orders",
    confidence: float = 0.95,
    names: Sequence[str] | None = None,
    rng: int | np.random.Generator = 0,
) -> Ranking:
    """Elo ratings averaged over random orders of the judgments, on the natural log scale.

    All systems begin at 0. After each judgment the winner takes from the loser ``k`` Elo points times what was not expected:
    its points (1, ½ for a tie, 0) minus 1 / (1 + e^(λ_loser - λ_winner)). The rating after the last judgment depends on
    their order, which for judgments of texts means nothing; it is therefore averaged over random orders.

    Parameters
    ----------
    first, second, outcome, n
        As in `bradley_terry`.
    k : float
        In Elo points, of which 400 / ln 10 = 173.7 are one unit of ``strengths``. Small ones leave ratings near 0 where
        judgments are few, large ones make the last judgments weigh most.
    orders : int
        How many random orders.
    cluster : as in `bradley_terry`, optional
        Only for ``interval="bootstrap"``.
    interval : {"orders", "bootstrap"} or None
        ``"orders"``: between which ends the ratings of single orders lie. This is how much the order matters and *not* how uncertain
        the strengths are: it does not become narrow with the number of judgments. ``"bootstrap"``: percentiles of ratings of resampled
        judgments (clusters), one random order each, which holds both.
    confidence : float
    names : sequence of str, optional
        Of the systems, for the reasons.
    rng : int or Generator

    Returns
    -------
    Ranking
        ``strengths`` with mean 0 in each component; they are drawn towards 0 and no estimate of Bradley–Terry strengths, which
        `bradley_terry` gives.

    Raises
    ------
    AccordError
        As `bradley_terry`, and for a ``k`` that is not above 0.

    References
    ----------
    A. E. Elo (1978). The rating of chessplayers, past and present. Arco. M. Boubdir, E. Kim, B. Ermis, S. Hooker, M. Fadaee (2023). Elo
    uncovered: robustness and best practices in language model evaluation. arXiv:2311.17295 (averages over orders).

    Examples
    --------
    One judgment with k = 400 / ln 10, that is 1 on the log scale: the winner takes 1 - ½.

    >>> elo([0], [1], [1], 2, k=400 / np.log(10), interval=None).strengths.tolist()
    [0.5, -0.5]
    """
    who = "elo"
    if interval is not None and interval not in get_args(EloInterval):
        raise unknown_name(who, "interval", str(interval), (*get_args(EloInterval), "None"))
    if not 0 < k < np.inf:
        raise bad_value(who, "k", k, "a number of Elo points above 0, such as 32")
    if orders < 1:
        raise bad_value(who, "orders", orders, "1 or more; 1,000 is usual")
    options = Options.checked(who, None if interval is None else "bootstrap", confidence, orders, rng)
    cells = collapse(who, first, second, outcome, n)
    called = system_names(who, names, n)
    clusters = check_cluster(who, cluster, len(cells.cell))
    drawn, shuffled = (np.random.default_rng(part) for part in options.generator().spawn(2))
    draws = np.zeros((orders, n))
    played: IntArray = np.sort(cells.cell)  # so that the order in which the judgments were given does not matter
    for rating in draws:
        play(cells.first, cells.second, shuffled.permutation(played), k / POINTS, rating)
    strengths = draws.mean(axis=0)
    if interval == "bootstrap":
        times, row = cells.counts.ravel().astype(np.int64), 0
        for block in resampled_kinds(cells.cell, times, clusters, orders, drawn, len(cells.cell)):
            for counts in block:
                again = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
                draws[row] = 0.0
                play(cells.first, cells.second, shuffled.permutation(again), k / POINTS, draws[row])
                row += 1
    low, high = (np.full(n, np.nan),) * 2 if interval is None else quantiles(draws, confidence)
    how = {"orders": "; ends of what single orders give, not of what is known", "bootstrap": "", None: ""}[interval]
    found = ranking(
        f"Elo, k = {k:g}, mean of {orders:,} random orders{how}",
        cells,
        called,
        Options(None if interval == "orders" else options.interval, confidence, orders, rng),
        strengths.round(10) + 0.0,
        low,
        high,
        clusters=clusters,
    )
    return replace(found, n_resamples=orders, seed=int(rng) if isinstance(rng, (int, np.integer)) else None)


@kernel
def play(first: IntArray, second: IntArray, cells: IntArray, gain: float, ratings: FloatArray) -> None:
    """Ratings (n,) after judgments in the given order; ``cells`` are places in counts (n_pairs, 3): win, tie, loss."""
    for cell in cells:
        i, j = first[cell // 3], second[cell // 3]
        points = 1.0 - 0.5 * (cell % 3)
        change = gain * (points - 1.0 / (1.0 + np.exp(ratings[j] - ratings[i])))
        ratings[i] += change
        ratings[j] -= change
