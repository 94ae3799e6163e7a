"""Plackett–Luce strengths of systems from rankings of several at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from validate.errors import bad_value
from validate.schema import FloatArray, IntArray
from validate.stats.ranking._kernels import has_maximum
from validate.stats.ranking._rankings_kernels import climb_rankings, ranking_derivatives, ranking_scores
from validate.stats.ranking.cells import LOSS, WIN
from validate.stats.ranking.clusters import (
    Cluster,
    Clusters,
    check_cluster,
    resampled_kinds,
    squares,
    units_of_members,
)
from validate.stats.ranking.newton import DECIMALS, LONGEST, MOST_STEPS, TOLERANCE, Problem
from validate.stats.ranking.options import Interval, Options, quantiles, system_names
from validate.stats.ranking.rankings import Rankings, collapse_rankings
from validate.stats.ranking.record import Ranking, Unsolved, about_separation, ranking
from validate.stats.ranking.sandwich import robust
from validate.stats.ranking.separation import classes, open_ends, separated_systems, unlikely_from, weak_prior

FAR = 60.0  # a lead on the log scale that is as good as infinite: the odds are 10²⁶


def plackett_luce(
    rankings: Sequence[ArrayLike],
    n: int,
    *,
    prior: float = 0.0,
    cluster: Cluster | None = None,
    interval: Interval | None = "sandwich",
    confidence: float = 0.95,
    resamples: int = 1000,
    names: Sequence[str] | None = None,
    rng: int | np.random.Generator = 0,
) -> Ranking:
    """How strong each system is, given rankings of several: the best is drawn with P ∝ e^λ, then the next of the rest, and so on.

    Parameters
    ----------
    rankings : sequence of sequences of int
        Each lists different systems (0 … n - 1), best first, and may leave systems out: it says nothing about those. A place holds one
        system; ties are refused.
    n : int
        Number of systems.
    prior : float
        Pseudo-judgments a system between pairs, half of them won, spread over those it met; see `bradley_terry`.
    cluster, interval, confidence, resamples, names, rng
        As in `bradley_terry`, with rankings in the place of judgments.

    Returns
    -------
    Ranking
        ``strengths`` as in `bradley_terry`, to which this reduces where all rankings are of two; solved to 1e-8. ``n`` counts rankings.

    Raises
    ------
    AccordError
        For ties, rankings of fewer than two systems, a system twice in one, indices outside, unknown options.

    Notes
    -----
    Strengths are finite if and only if every system of a component stands before every other along some chain of rankings
    (Hunter 2004, assumption 1). Newton's method climbs the concave log-likelihood with steps cut as for `bradley_terry`. Where there is
    no maximum, what `bradley_terry` does is done: half a win and half a loss between the sets
    that were never placed the other way round, open intervals, and a reason.

    References
    ----------
    R. L. Plackett (1975). The analysis of permutations. Applied Statistics 24(2), 193–202. doi:10.2307/2346567. R. D. Luce (1959).
    Individual choice behavior. Wiley. D. R. Hunter (2004). MM algorithms for generalized Bradley–Terry models. Annals of Statistics 32(1),
    384–406. doi:10.1214/aos/1079120141.

    Examples
    --------
    A before B before C three times, and the other way round once. C is last three times of four, and so on, but no shortcut
    gives the strengths; B lies between the others:

    >>> fit = plackett_luce([[0, 1, 2]] * 3 + [[2, 1, 0]], 3, interval=None)
    >>> fit.strengths[0] > fit.strengths[1] > fit.strengths[2]
    np.True_

    With rankings of two it is Bradley–Terry: λA - λB = ln 3.

    >>> (plackett_luce([[0, 1]] * 3 + [[1, 0]], 2, interval=None).strengths * 2).round(4).tolist()
    [1.0986, -1.0986]
    """
    who = "plackett_luce"
    if not 0 <= prior < np.inf:
        raise bad_value(who, "prior", prior, "0 or a positive number of pseudo-judgments a system")
    options = Options.checked(who, interval, confidence, resamples, rng)
    given = collapse_rankings(who, rankings, n)
    called = system_names(who, names, n)
    clusters = check_cluster(who, cluster, len(given.kind))
    model = _Model.of(given, prior)
    weights, _ = model.regularised(given.times[None].astype(np.float64))
    strengths, converged = model.climb(weights, np.zeros(n))
    low, high, unsolved = _ends(model, weights[0], strengths[0], clusters, options)
    found = ranking(
        f"Plackett-Luce{f', prior of {prior:g} judgments a system' if prior else ''}",
        given.pairs,
        called,
        options,
        strengths[0] if converged[0] else np.full(n, np.nan),
        low,
        high,
        clusters=clusters,
        separated=model.separated,
        converged=bool(converged[0]),
        n_undefined=unsolved.n_separated,
        reasons=[
            *about_separation(model.separated, called, weak_prior=not model.pseudo.any()),
            *unsolved.in_words(resamples),
        ],
    )
    return replace(found, n=given.ranked, method=found.method.replace("judgments", "rankings"))


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """The rankings of a study, and what is done where they have no finite maximum.

    ``order`` and ``starts`` hold the distinct rankings and after them both orders of every pair that met, which carry pseudo-judgments:
    ``pseudo`` (n_pairs,) those that were asked for. ``wins`` (n_distinct, 3 n_pairs) says whom rankings put before whom.
    """

    given: Rankings
    order: IntArray
    starts: IntArray
    wins: sparse.csr_array
    anchor: FloatArray
    pseudo: FloatArray
    numbers: IntArray
    separated: NDArray[np.bool_]
    roots: NDArray[np.bool_]

    @classmethod
    def of(cls, given: Rankings, prior: float) -> _Model:
        pairs = given.pairs
        components = pairs.components()
        numbers = classes(pairs, pairs.counts[None])[0]
        both_orders = np.stack([pairs.first, pairs.second, pairs.second, pairs.first], axis=1).ravel()
        starts = np.concatenate([given.starts, given.starts[-1] + 2 * np.arange(1, 2 * len(pairs.first) + 1)])
        judged, per_pair = np.maximum(pairs.judged, 1), pairs.counts.sum(axis=1)
        pseudo = prior / 2 * per_pair * (1 / judged[pairs.first] + 1 / judged[pairs.second])
        roots = np.zeros(pairs.n_systems, bool)
        roots[np.unique(components, return_index=True)[1]] = True
        return cls(
            given,
            np.concatenate([given.order, both_orders]),
            starts,
            given.wins(),
            Problem.of(pairs, components, davidson=False).anchor,
            pseudo,
            numbers,
            separated_systems(numbers, components),
            roots,
        )

    def regularised(self, times: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Weights (b, n_distinct + 2 n_pairs) that have a finite maximum, and (b,) which of ``times`` (b, n_distinct) had none of their own."""
        pairs = self.given.pairs
        pseudo, infinite = np.tile(self.pseudo, (len(times), 1)), np.zeros(len(times), bool)
        if not self.pseudo.any():
            counts = np.ascontiguousarray((self.wins.T @ times.T).T).reshape(len(times), *pairs.counts.shape)
            infinite = ~has_maximum(pairs.first, pairs.second, counts, self.roots)
            if infinite.any():
                pseudo[infinite] = weak_prior(pairs, classes(pairs, counts[infinite]))
        return np.concatenate([times, np.repeat(pseudo / 2, 2, axis=1)], axis=1), infinite

    def climb(self, weights: FloatArray, start: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Strengths (b, n_systems), and which converged."""
        strengths = np.tile(start, (len(weights), 1))
        converged = climb_rankings(
            self.order, self.starts, weights, self.anchor, strengths, TOLERANCE, LONGEST, MOST_STEPS
        )
        return strengths.round(DECIMALS) + 0.0, converged

    def scores(self, strengths: FloatArray) -> tuple[sparse.csr_array, FloatArray]:
        """(n_distinct, n_systems) derivatives and (n_distinct,) log-likelihoods of one ranking of each kind."""
        given = self.given
        entries, logs = np.empty(len(given.order)), np.empty(given.n_distinct)
        ranking_scores(given.order, given.starts, strengths, entries, logs)
        shape = (given.n_distinct, given.pairs.n_systems)
        return sparse.csr_array((entries, given.order, given.starts), shape=shape), logs


def _ends(
    model: _Model, weights: FloatArray, strengths: FloatArray, clusters: Clusters | None, options: Options
) -> tuple[FloatArray, FloatArray, Unsolved]:
    """Both ends of the intervals; those of separated systems are opened on the side that has no limit."""
    n_rankings = len(model.given.kind)
    if options.interval is None or n_rankings == 0:
        undefined = np.full(len(strengths), np.nan)
        return undefined, undefined, Unsolved()
    if options.interval == "sandwich":
        reach = _standard_errors(model, weights, strengths, clusters) * options.student(clusters, n_rankings)
        low, high, unsolved = strengths - reach, strengths + reach, Unsolved()
    else:
        draws, unsolved = _resampled(model, strengths, clusters, options)
        low, high = quantiles(draws, options.confidence)
    if model.separated.any() and not model.pseudo.any():

        def slack(members: NDArray[np.bool_], outcome: int) -> float:
            return _slack(model, strengths, options.confidence, members, outcome)

        open_low, open_high = open_ends(model.given.pairs, model.numbers, model.separated, strengths, slack)
        low, high = np.fmin(low, open_low), np.fmax(high, open_high)
    return low, high, unsolved


def _standard_errors(
    model: _Model, weights: FloatArray, strengths: FloatArray, clusters: Clusters | None
) -> FloatArray:
    """(n_systems,) as in `validate.stats.ranking.sandwich`, the units being rankings or clusters of them."""
    given, n = model.given, len(strengths)
    system, place = given.memberships()
    ways = [place] if clusters is None else [way[place] for way in clusters.ways]
    took_part = units_of_members(system, ways, n)
    hessian = np.empty((n, n))
    ranking_derivatives(model.order, model.starts, weights, strengths, np.empty(n), hessian)
    sums = squares(model.scores(strengths)[0], given.kind, clusters)
    return robust(hessian + model.anchor, model.anchor, sums, float(took_part[took_part > 0].mean()))


def _resampled(
    model: _Model, strengths: FloatArray, clusters: Clusters | None, options: Options
) -> tuple[FloatArray, Unsolved]:
    """(resamples, n_systems) strengths, NaN where a fit did not converge."""
    draws, n_separated, n_failed = [], 0, 0
    given, width = model.given, len(model.starts) + model.given.pairs.counts.size
    blocks = resampled_kinds(given.kind, given.times, clusters, options.resamples, options.generator(), width)
    for times in blocks:
        weights, infinite = model.regularised(times)
        fitted, converged = model.climb(weights, strengths)
        draws.append(np.where(converged[:, None], fitted, np.nan))
        n_separated += int(infinite.sum())
        n_failed += int((~converged).sum())
    return np.concatenate(draws), Unsolved(n_separated, n_failed)


def _slack(model: _Model, strengths: FloatArray, confidence: float, members: NDArray[np.bool_], outcome: int) -> float:
    """By how much a set of systems may be worse than its strengths say (better, for those behind) before its places become unlikely."""
    sign = 1.0 if outcome == WIN else -1.0
    times = model.given.times
    beyond = _beyond(model, members, outcome)

    def log_likelihood(lead: float) -> float:
        return float(times @ model.scores(strengths + sign * (lead * members + 2 * FAR * beyond))[1])

    limit = log_likelihood(FAR)
    return unlikely_from(lambda slack: limit - log_likelihood(-slack), strengths - strengths.mean(), confidence)


def _beyond(model: _Model, members: NDArray[np.bool_], outcome: int) -> NDArray[np.bool_]:
    """(n,) systems that were placed before a set along some chain (behind it, for losses): they go wherever it goes."""
    pairs = model.given.pairs
    to_set = pairs.counts[:, outcome] > 0, pairs.counts[:, WIN + LOSS - outcome] > 0
    found = members
    while True:
        more = found.copy()
        more[pairs.first[to_set[0] & found[pairs.second]]] = True
        more[pairs.second[to_set[1] & found[pairs.first]]] = True
        if (more == found).all():
            return found & ~members
        found = more
