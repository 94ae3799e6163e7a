"""Win rate: the share of points that a system took, a tie being half a point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from validate.errors import plural
from validate.schema import FloatArray
from validate.stats.ranking.cells import LOSS, TIE, WIN, Cells, collapse
from validate.stats.ranking.clusters import (
    Cluster,
    Clusters,
    check_cluster,
    resampled_cells,
    squares,
    units_of_systems,
)
from validate.stats.ranking.options import Interval, Options, quantiles, system_names
from validate.stats.ranking.record import Ranking, ranking


def win_rate(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    n: int,
    *,
    cluster: Cluster | None = None,
    interval: Interval | None = "sandwich",
    confidence: float = 0.95,
    resamples: int = 1000,
    names: Sequence[str] | None = None,
    rng: int | np.random.Generator = 0,
) -> Ranking:
    """The share of its judgments that each system won, a tie counting half.

    It depends on whom a system met: against weak opponents it is high. `bradley_terry` takes the opponents into account.

    Parameters
    ----------
    first, second : (n_judgments,) int
        Indices of the systems of each judgment, 0 … n - 1.
    outcome : (n_judgments,) int
        Seen from the first: 1 win, 0 tie, -1 loss. Leave judgments out that shall not count, such as "both bad".
    n : int
        Number of systems.
    cluster : (n_judgments,) labels, or a mapping of one or two names to such labels, optional
        Judgments with one label are resampled together: give the item, or the annotator, where they come in groups, or
        ``{"item": …, "annotator": …}`` for both at once.
    interval : {"sandwich", "bootstrap"} or None
        Wilson's interval with the variance that judgments or clusters show; or percentiles over resampled ones, Wilson's
        where all replicates are equal.
    confidence : float
    resamples : int
    names : sequence of str, optional
        Of the systems, for the reasons.
    rng : int or Generator

    Returns
    -------
    Ranking
        ``strengths`` are win rates, 0 to 1; NaN for a system without judgments. ``n_undefined`` counts replicates in which
        a system had none; it is left out of them.

    Raises
    ------
    AccordError
        For arrays that do not fit, indices outside, other outcomes, a system compared with itself.

    Examples
    --------
    A beats B and ties with C; B beats C:

    >>> win_rate([0, 0, 1], [1, 2, 2], [1, 0, 1], 3, interval=None).strengths.tolist()
    [0.75, 0.5, 0.25]
    """
    who = "win_rate"
    options = Options.checked(who, interval, confidence, resamples, rng)
    cells = collapse(who, first, second, outcome, n)
    called = system_names(who, names, n)
    clusters = check_cluster(who, cluster, len(cells.cell))
    rates = _rates(cells, cells.counts[None])[0]
    low, high, n_undefined = _ends(cells, rates, clusters, options)
    missed = f"in {plural(n_undefined, 'replicate')} of {resamples:,} a system had no judgment and was left out"
    return ranking(
        "win rate, ties as halves",
        cells,
        called,
        options,
        rates,
        low,
        high,
        clusters=clusters,
        n_undefined=n_undefined,
        reasons=[missed if n_undefined else ""],
    )


def _ends(
    cells: Cells, rates: FloatArray, clusters: Clusters | None, options: Options
) -> tuple[FloatArray, FloatArray, int]:
    """Both ends of the intervals, and how many replicates lack a system."""
    undefined = np.full(len(rates), np.nan)
    if options.interval is None or len(cells.cell) == 0:
        return undefined, undefined, 0
    low, high = _wilson(cells, rates, clusters, options)
    if options.interval == "sandwich":
        return low, high, 0
    blocks = resampled_cells(cells, clusters, options.resamples, options.generator(), cells.counts.size)
    draws = np.concatenate([_rates(cells, block) for block in blocks])
    drawn_low, drawn_high = quantiles(draws, options.confidence)
    varied = drawn_low < drawn_high
    n_undefined = int(np.isnan(draws[:, cells.judged > 0]).any(axis=1).sum())
    return np.where(varied, drawn_low, low), np.where(varied, drawn_high, high), n_undefined


def _wilson(
    cells: Cells, rates: FloatArray, clusters: Clusters | None, options: Options
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval for as many independent wins or losses as would give the variance that the judgments show.

    What independent judgments would give is added, divided by the units (judgments or clusters), so that equal outcomes of a few do not look certain.
    """
    units = np.maximum(units_of_systems(cells, clusters), 1)
    quantile = options.student(clusters, len(cells.cell)) ** 2
    binomial = rates * (1 - rates)
    variance = _errors(cells, rates, clusters) ** 2 + binomial / (units * np.maximum(cells.judged, 1))
    effective = np.divide(binomial, variance, out=units.astype(np.float64), where=binomial > 0)
    centre = rates + quantile / (2 * effective)
    reach = np.sqrt(quantile * (binomial / effective + quantile / (4 * effective**2)))
    shrink = 1 + quantile / effective
    return (centre - reach) / shrink, (centre + reach) / shrink


def _points(cells: Cells) -> tuple[sparse.csr_array, sparse.csr_array]:
    """(n_systems, 3 n_pairs) points that a judgment of each cell gives to each system, and whether it took part."""
    took_part = sparse.kron(abs(cells.incidence()), np.ones((1, 3))).tocsr()
    of_first, of_second = np.zeros((1, 3)), np.zeros((1, 3))
    of_first[0, [WIN, TIE]], of_second[0, [LOSS, TIE]] = (1, 0.5), (1, 0.5)
    incidence = cells.incidence()
    points = sparse.kron(incidence.maximum(0), of_first) + sparse.kron((-incidence).maximum(0), of_second)
    return points.tocsr(), took_part


def _rates(cells: Cells, counts: FloatArray) -> FloatArray:
    """(b, n_systems) points over judgments, NaN without any."""
    points, took_part = _points(cells)
    flat = counts.reshape(len(counts), -1).T
    judged = (took_part @ flat).T
    return np.divide((points @ flat).T, judged, out=np.full(judged.shape, np.nan), where=judged > 0)


def _errors(cells: Cells, rates: FloatArray, clusters: Clusters | None) -> FloatArray:
    """(n_systems,) √(K/(K-1) Σ (points - rate · judgments)²) / judgments, summed over K judgments or clusters, see `squares`."""
    points, took_part = _points(cells)
    residual = (points - took_part.multiply(np.nan_to_num(rates)[:, None])).T.tocsr()
    parts = [factor * scores.multiply(scores).sum(axis=0) for factor, scores in squares(residual, cells.cell, clusters)]
    if not parts:
        return np.full(len(rates), np.nan)
    total = np.maximum(np.sum(parts, axis=0), -parts[-1])  # two kinds of clusters: a difference, small by chance
    judged = cells.judged
    return np.divide(np.sqrt(total), judged, out=np.full(len(rates), np.nan), where=judged > 0)
