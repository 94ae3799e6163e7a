"""What a ranking says: strengths with intervals, groups that can be compared, and the ranks that the intervals allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validate.errors import plural
from validate.schema import FloatArray, IntArray
from validate.stats.ranking.cells import Cells
from validate.stats.ranking.clusters import Clusters
from validate.stats.ranking.options import Options


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Systems by pairwise judgments.

    Parameters
    ----------
    method : str
        What was estimated, and how the intervals were made.
    strengths : (n,) float64
        Bradley–Terry, Plackett–Luce, Elo: natural log scale, mean 0 in each component. Win rate: share of points, 0 to 1. NaN for a system
        that was in no judgment.
    low, high : (n,) float64
        Ends of the intervals; NaN without intervals, infinite where the data set no limit.
    components : (n,) int64
        Numbers of the groups of systems linked by judgments. Nothing can be said across groups.
    rank_low, rank_high : (n,) float64
        Best and worst rank inside the component, 1 being best, that the intervals allow: a system ranks behind another
        only where their intervals lie apart. Without intervals the ranks of the strengths, equal ones sharing a range.
    n : (n,) int64
        Judgments (rankings) in which each system took part.
    separated : (n,) bool
        Systems without a finite maximum-likelihood strength: unbeaten, winless, or in a set of such systems.
    converged : bool
        Whether the strengths solve their equations to 1e-8.
    confidence_level : float
    n_resamples : int
    seed : int or None
    n_undefined : int
        Replicates without a finite solution of their own: solved with the weak prior (Bradley–Terry, Plackett–Luce), or left out for the
        systems that they miss (win rate).
    tie_parameter : float
        Davidson's ν; NaN under other models.
    reason : str
        What is not as it should be, in words; empty when nothing is.
    """

    method: str
    strengths: FloatArray
    low: FloatArray
    high: FloatArray
    components: IntArray
    rank_low: FloatArray
    rank_high: FloatArray
    n: IntArray
    separated: NDArray[np.bool_]
    converged: bool = True
    confidence_level: float = 0.95
    n_resamples: int = 0
    seed: int | None = None
    n_undefined: int = 0
    tie_parameter: float = float("nan")
    reason: str = ""


def rank_range(
    strengths: FloatArray, low: FloatArray, high: FloatArray, components: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Best and worst ranks that intervals allow inside each component; NaN for a system without a strength.

    Examples
    --------
    The first lies apart from both others, which overlap:

    >>> best, worst = rank_range(np.array([2, 0.1, 0]), np.array([1, -1, -1.2]), np.array([3, 0.9, 0.8]), np.array([0, 0, 0]))
    >>> best.tolist(), worst.tolist()
    ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    bottom, top = np.where(np.isnan(low), strengths, low), np.where(np.isnan(high), strengths, high)
    best, worst = np.full(len(strengths), np.nan), np.full(len(strengths), np.nan)
    for component in np.unique(components):
        members = np.flatnonzero((components == component) & ~np.isnan(strengths))
        lows, highs = np.sort(bottom[members]), np.sort(top[members])
        best[members] = 1 + len(members) - np.searchsorted(lows, top[members], side="right")
        worst[members] = len(members) - np.searchsorted(highs, bottom[members], side="left")
    return best, worst


def ranking(
    method: str,
    cells: Cells,
    names: tuple[str, ...],
    options: Options,
    strengths: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    clusters: Clusters | None,
    separated: NDArray[np.bool_] | None = None,
    converged: bool = True,
    n_undefined: int = 0,
    tie_parameter: float = float("nan"),
    reasons: Sequence[str] = (),
) -> Ranking:
    """The record, with components, ranks and reasons filled in; strengths of systems without a judgment become NaN."""
    components, judged = cells.components(), cells.judged
    known = judged > 0
    strengths, low, high = (np.where(known, values, np.nan) for values in (strengths, low, high))
    best, worst = rank_range(strengths, low, high, components)
    missing = options.interval is not None and bool((np.isnan(low) & ~np.isnan(strengths)).any())
    none = "no interval can be made of these judgments" if missing else ""
    if options.interval is not None:
        method = f"{method}; {options.interval} over {'judgments' if clusters is None else clusters.in_words()}"
    return Ranking(
        method,
        strengths,
        low,
        high,
        components,
        best,
        worst,
        judged,
        np.zeros(len(strengths), bool) if separated is None else separated,
        converged,
        options.confidence,
        options.resamples if options.interval == "bootstrap" else 0,
        options.seed(),
        n_undefined,
        tie_parameter,
        "; ".join(filter(None, [*_about_groups(components, known, names), *reasons, none])),
    )


@dataclass(frozen=True, slots=True)
class Unsolved:
    """How many replicates had no finite maximum of their own, and how many did not converge and were left out."""

    n_separated: int = 0
    n_failed: int = 0

    def in_words(self, resamples: int) -> list[str]:
        said = []
        if self.n_separated:
            said.append(
                f"{plural(self.n_separated, 'replicate')} of {resamples:,} had no finite solution and were solved with the weak prior"
            )
        if self.n_failed:
            said.append(f"{plural(self.n_failed, 'replicate')} of {resamples:,} did not converge and were left out")
        return said


def about_separation(separated: NDArray[np.bool_], names: tuple[str, ...], *, weak_prior: bool) -> list[str]:
    """Which systems have no finite strength of their own, and what was done about it."""
    if not separated.any():
        return []
    said = [
        f"unbeaten or winless, without a finite strength of their own: {in_words(np.flatnonzero(separated), names)}"
    ]
    if weak_prior:
        said.append(
            "half a win and half a loss were added between them and those they met, and their intervals are open on the side "
            "that has no limit"
        )
    return said


def _about_groups(components: IntArray, known: NDArray[np.bool_], names: tuple[str, ...]) -> list[str]:
    """What the components mean for the reader: systems without judgments, and groups that never met."""
    said = []
    if not known.all():
        said.append(f"no judgment of {in_words(np.flatnonzero(~known), names)}")
    numbers = np.unique(components[known])
    if len(numbers) > 1:
        groups = [in_words(np.flatnonzero(components == number), names) for number in numbers[:5]]
        more = ["…"] if len(numbers) > 5 else []
        said.append(
            f"{len(numbers):,} groups of systems never met, so that strengths and ranks compare inside a group only: "
            + ", ".join([*groups, *more])
        )
    return said


def in_words(members: IntArray, names: tuple[str, ...]) -> str:
    """A set of systems as "{A, B}", at most five by name."""
    more = f", … {len(members):,} systems" if len(members) > 5 else ""
    return "{" + ", ".join(names[member] for member in members[:5]) + more + "}"
