"""Judgments that come together: of one item, of one annotator, or of both at once.

Two judgments of the same item share what is odd about the item, two by the same annotator what is odd about the
annotator. Squares of scores are therefore summed by cluster; where there are clusters of two kinds, by the first kind, plus
by the second, minus by both (what is in both would count twice). Replicates draw whole clusters, of two kinds
independently, and a judgment counts as often as its first cluster times its second.

References
----------
A. C. Cameron, J. B. Gelbach, D. L. Miller (2011). Robust inference with multiway clustering. Journal of Business and Economic
Statistics 29(2), 238–249, eq. 2.11. doi:10.1198/jbes.2010.07136. A. B. Owen (2007). The pigeonhole bootstrap. Annals of
Applied Statistics 1(2), 386–411. doi:10.1214/07-AOAS122.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from validate.errors import ShapeError
from validate.schema import FloatArray, IntArray
from validate.stats.multinomial import resampled_counts
from validate.stats.ranking.cells import Cells

Cluster = ArrayLike | Mapping[str, ArrayLike]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters of one kind or of two.

    Parameters
    ----------
    ways : tuple of (n_judgments,) int64
        Numbers without gaps, one array a kind.
    names : tuple of str
        Of the kinds; empty where one kind was given without a name.
    """

    ways: tuple[IntArray, ...]
    names: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Clusters of the kind that has fewest, which limits what can be known."""
        return min(_n_of(way) for way in self.ways)

    @property
    def crossed(self) -> IntArray:
        """(n_judgments,) numbers of clusters of both kinds at once."""
        return _numbered(self.ways[0] * _n_of(self.ways[-1]) + self.ways[-1])

    def in_words(self) -> str:
        return f"clusters by {' and '.join(self.names)}" if self.names else "clusters of judgments"


def check_cluster(who: str, cluster: Cluster | None, n_judgments: int) -> Clusters | None:
    """Clusters as numbers 0, 1, … without gaps.

    Raises
    ------
    ShapeError
        When there is not one label a judgment, or there are more than two kinds.
    """
    if cluster is None:
        return None
    given = dict(cluster) if isinstance(cluster, Mapping) else {"": cluster}
    if not 1 <= len(given) <= 2:
        raise ShapeError(
            f"{who}: clusters of {len(given)} kinds were given; one or two are allowed; give for instance the items and the annotators"
        )
    labels = [np.asarray(values) for values in given.values()]
    for values in labels:
        if values.shape != (n_judgments,):
            raise ShapeError(
                f"{who}: cluster of shape {values.shape} was given for {n_judgments:,} judgments; one label a judgment is allowed; "
                "give the item or the annotator of each, or {'item': …, 'annotator': …} for both"
            )
    return Clusters(tuple(map(_numbered, labels)), tuple(filter(None, given)))


def _numbered(labels: Any) -> IntArray:
    numbers: IntArray = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return numbers


def _n_of(numbers: IntArray) -> int:
    return int(numbers.max(initial=-1)) + 1


def by_cluster(kind: IntArray, n_kinds: int, cluster: IntArray) -> sparse.csr_array:
    """(n_clusters, n_kinds) how often each cluster holds each kind of judgment; ``kind``, ``cluster`` (n_judgments,)."""
    shape = (_n_of(cluster), n_kinds)
    return sparse.coo_array((np.ones(len(cluster)), (cluster, kind)), shape=shape).tocsr()


def squares(
    scores: sparse.csr_array, kind: IntArray, clusters: Clusters | None
) -> list[tuple[float, sparse.csr_array]]:
    """Sums of scores (n_units, k) whose products, times the factor beside them, add up to the variance of the total.

    The score of judgment j is ``scores[kind[j]]``. The factors are ±K/(K - 1) for K clusters (Liang and Zeger 1986,
    doi:10.1093/biomet/73.1.13). None where there are fewer than two units.
    """
    n_kinds = scores.shape[0]
    if clusters is None:
        k, times = len(kind), np.bincount(kind, minlength=n_kinds)
        return [(k / (k - 1), (scores.multiply(np.sqrt(times)[:, None])).tocsr())] if k > 1 else []
    if clusters.n < 2:
        return []
    signed = [(1.0, way) for way in clusters.ways]
    if len(clusters.ways) == 2:
        signed.append((-1.0, clusters.crossed))
    return [(sign * _n_of(way) / (_n_of(way) - 1), by_cluster(kind, n_kinds, way) @ scores) for sign, way in signed]


def units_of_systems(cells: Cells, clusters: Clusters | None) -> IntArray:
    """(n_systems,) in how many judgments or clusters of judgments each system took part; of two kinds, the fewer."""
    if clusters is None:
        return cells.judged
    pair = cells.cell // 3
    system = np.concatenate([cells.first[pair], cells.second[pair]])
    return units_of_members(system, [np.tile(way, 2) for way in clusters.ways], cells.n_systems)


def units_of_members(system: IntArray, ways: Sequence[IntArray], n_systems: int) -> IntArray:
    """(n_systems,) distinct clusters of each system's judgments, the fewest over kinds; arrays (n_memberships,)."""
    found = []
    for way in ways:
        distinct = np.unique(system * max(_n_of(way), 1) + way)
        found.append(np.bincount(distinct // max(_n_of(way), 1), minlength=n_systems))
    return np.min(found, axis=0)


def resampled_kinds(
    kind: IntArray, times: IntArray, clusters: Clusters | None, resamples: int, rng: np.random.Generator, width: int
) -> Iterator[FloatArray]:
    """How often each kind of judgment occurs in each replicate, (b, n_kinds) at a time.

    Judgments are drawn or, if given, whole clusters of judgments. ``times`` (n_kinds,) is how often each kind occurs in the study.
    """
    if clusters is None:
        filled = np.flatnonzero(times)
        for drawn in resampled_counts(times[filled], resamples, rng, width=width):
            counts = np.zeros((len(drawn), len(times)))
            counts[:, filled] = drawn
            yield counts
    elif len(clusters.ways) == 1:
        table = by_cluster(kind, len(times), clusters.ways[0])
        for weights in resampled_counts(np.ones(table.shape[0], np.int64), resamples, rng, width=width):
            yield np.ascontiguousarray((table.T @ weights.T).T)
    else:
        yield from _pigeonholes(kind, len(times), clusters, resamples, rng, width)


def _pigeonholes(
    kind: IntArray, n_kinds: int, clusters: Clusters, resamples: int, rng: np.random.Generator, width: int
) -> Iterator[FloatArray]:
    """Both kinds of clusters drawn independently; a judgment counts as often as the one times the other."""
    one, other = clusters.ways
    blocks = [
        resampled_counts(np.ones(_n_of(way), np.int64), resamples, own, width=max(width, _n_of(one), _n_of(other)))
        for way, own in zip((one, other), rng.spawn(2), strict=True)
    ]
    for first, second in zip(*blocks, strict=True):
        yield np.stack([np.bincount(kind, a[one] * b[other], n_kinds) for a, b in zip(first, second, strict=True)])


def resampled_cells(
    cells: Cells, clusters: Clusters | None, resamples: int, rng: np.random.Generator, width: int
) -> Iterator[FloatArray]:
    """Counts (b, n_pairs, 3) of replicates of pairwise judgments."""
    times = cells.counts.ravel().astype(np.int64)
    for counts in resampled_kinds(cells.cell, times, clusters, resamples, rng, width):
        yield counts.reshape(-1, *cells.counts.shape)
