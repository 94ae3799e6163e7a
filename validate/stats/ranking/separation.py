"""When Bradley–Terry strengths have no finite maximum: unbeaten and winless systems, and what is done about them.

Strengths are finite if and only if every system can be reached from every other along "took points from" (Ford 1957,
doi:10.1080/00029890.1957.11989117). Systems that reach each other form a class; between classes the data say who is
better, never by how much. A weak prior puts the classes at a finite distance: half a win and half a loss between any two
classes that met, spread over their pairs as their judgments are. Inside a class it adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse, special

from validate.schema import FloatArray, IntArray
from validate.stats.ranking.cells import LOSS, TIE, WIN, Cells

Slack = Callable[[NDArray[np.bool_], int], float]  # of a set of systems that has only wins, or only losses


def classes(cells: Cells, counts: FloatArray) -> IntArray:
    """(b, n_systems) numbers of the classes of systems that reach each other, for counts (b, n_pairs, 3)."""
    b, n = len(counts), cells.n_systems
    gave, took = counts[..., WIN] + counts[..., TIE] > 0, counts[..., LOSS] + counts[..., TIE] > 0
    replicate_first, pair_first = np.nonzero(gave)
    replicate_second, pair_second = np.nonzero(took)
    source = np.concatenate(
        [replicate_first * n + cells.first[pair_first], replicate_second * n + cells.second[pair_second]]
    )
    target = np.concatenate(
        [replicate_first * n + cells.second[pair_first], replicate_second * n + cells.first[pair_second]]
    )
    graph = sparse.coo_array((np.ones(len(source), np.int8), (source, target)), shape=(b * n, b * n)).tocsr()
    numbers = sparse.csgraph.connected_components(graph, directed=True, connection="strong")[1]
    return numbers.astype(np.int64).reshape(b, n)


def davidson_has_maximum(cells: Cells) -> bool:
    """Whether Davidson's likelihood has a finite maximum.

    It has none when some direction in the strengths and γ never makes an outcome that was seen less likely than the other two, and
    at least one of them more likely (Albert and Anderson 1984, doi:10.1093/biomet/71.1.1). A system that never lost, though it tied, can
    be such a direction: ties grow with γ while its strength runs away. A linear program looks for one; shifts of a whole
    component and γ without ties change nothing that was seen.
    """
    pair, seen = np.nonzero(cells.counts > 0)
    half = (cells.incidence().T / 2).tocsr()[pair]
    scores = [  # of win, tie and loss of each pair, in the strengths and γ
        sparse.hstack([half, sparse.csr_array((len(pair), 1))]),
        sparse.hstack([sparse.csr_array(half.shape), sparse.csr_array(np.ones((len(pair), 1)))]),
        sparse.hstack([-half, sparse.csr_array((len(pair), 1))]),
    ]
    ahead = []
    for own in (WIN, TIE, LOSS):
        rows = np.flatnonzero(seen == own)
        ahead += [(scores[own] - scores[other]).tocsr()[rows] for other in (WIN, TIE, LOSS) if other != own]
    margins = sparse.vstack(ahead).tocsr()
    bounds = [(-1, 1)] * cells.n_systems + [(-1, 1) if (seen == TIE).any() else (0, 0)]
    found = optimize.linprog(-margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(margins.shape[0]), bounds=bounds)
    return bool(-found.fun < 1e-6)


def weak_prior(cells: Cells, numbers: IntArray) -> FloatArray:
    """(b, n_pairs) pseudo-judgments, one between any two classes that met in the study, in proportion to the study's judgments."""
    one, other = numbers[:, cells.first], numbers[:, cells.second]
    across = one != other
    pseudo = np.zeros(across.shape)
    key = np.minimum(one, other)[across] * (int(numbers.max(initial=0)) + 1) + np.maximum(one, other)[across]
    _, meeting = np.unique(key, return_inverse=True)
    judged = np.broadcast_to(cells.counts.sum(axis=1), across.shape)[across]
    pseudo[across] = judged / np.bincount(meeting, judged)[meeting] if len(key) else 0.0
    return pseudo


def even_judgments(counts: FloatArray, pseudo: FloatArray) -> FloatArray:
    """Counts (b, n_pairs, 3) with pseudo-judgments (b, n_pairs) added, half as wins and half as losses."""
    added = counts.copy()
    added[..., WIN] += pseudo / 2
    added[..., LOSS] += pseudo / 2
    return added


def separated_systems(numbers: IntArray, components: IntArray) -> NDArray[np.bool_]:
    """(n,) systems outside the one largest class of their component; all of it where no class is largest alone."""
    separated = np.zeros(len(numbers), bool)
    for component in np.unique(components):
        members = components == component
        labels, sizes = np.unique(numbers[members], return_counts=True)
        if len(labels) > 1:
            largest = labels[sizes == sizes.max()]
            separated |= members if len(largest) > 1 else members & (numbers != largest[0])
    return separated


def open_ends(
    cells: Cells, numbers: IntArray, separated: NDArray[np.bool_], strengths: FloatArray, slack: Slack
) -> tuple[FloatArray, FloatArray]:
    """(n,) low and high of separated systems; NaN for the others. ``slack`` is that of the model, such as `slack_of_pairs`.

    Systems that nobody took points from could be better by any amount: their interval is open above. Its low end is where
    the likelihood of their wins, everything else held fixed, falls short of its limit by half a χ² quantile. For winless
    systems it is the other way round; systems between two others, or linked to the rest by a third only, are open at both ends.
    """
    above = _reaches_rest(cells, numbers, separated)
    below = _reaches_rest(cells, numbers, separated, turned=True)
    low, high = np.full(len(numbers), np.nan), np.full(len(numbers), np.nan)
    for system in np.flatnonzero(separated):
        members = numbers == numbers[system]
        high[system] = low[system] = strengths[system]
        high[system] += slack(members, LOSS) if below[system] and not above[system] else np.inf
        low[system] -= slack(members, WIN) if above[system] and not below[system] else np.inf
    return low, high


def _reaches_rest(
    cells: Cells, numbers: IntArray, separated: NDArray[np.bool_], *, turned: bool = False
) -> NDArray[np.bool_]:
    """(n,) whether a chain of wins (of losses, if turned) leads from a system to one of the largest class, or, where there is none, to any of another class."""
    won = cells.counts[:, LOSS if turned else WIN] > 0, cells.counts[:, WIN if turned else LOSS] > 0
    source = np.concatenate([cells.first[won[0]], cells.second[won[1]]])
    target = np.concatenate([cells.second[won[0]], cells.first[won[1]]])
    size = int(numbers.max()) + 1
    wins = sparse.coo_array((np.ones(len(source)), (numbers[source], numbers[target])), shape=(size, size)).tocsr()
    reached = np.isfinite(sparse.csgraph.shortest_path(wins, unweighted=True)) & ~np.eye(size, dtype=bool)
    components = cells.components()
    aim = ~separated | ~np.isin(components, components[~separated])
    among = np.zeros(size, bool)
    among[numbers[aim]] = True
    return (reached & among).any(axis=1)[numbers]


def slack_of_pairs(
    cells: Cells, strengths: FloatArray, confidence: float, members: NDArray[np.bool_], outcome: int
) -> float:
    """By how much a set of systems may be worse than its strengths say (better, for losses) before its results become unlikely."""
    ahead, behind = (cells.first, cells.second) if outcome == WIN else (cells.second, cells.first)
    as_first = members[cells.first] & ~members[cells.second] & (cells.counts[:, outcome] > 0)
    as_second = members[cells.second] & ~members[cells.first] & (cells.counts[:, WIN + LOSS - outcome] > 0)
    lead = strengths[ahead] - strengths[behind]
    margin = np.concatenate([lead[as_first], -lead[as_second]])
    times = np.concatenate([cells.counts[as_first, outcome], cells.counts[as_second, WIN + LOSS - outcome]])
    return unlikely_from(lambda slack: float(times @ np.logaddexp(0.0, slack - margin)), margin, confidence)


def unlikely_from(deficit: Callable[[float], float], margin: FloatArray, confidence: float) -> float:
    """Where a log-likelihood falls short of its limit by half a χ² quantile; ``margin`` says how far off that may be."""
    allowed = special.chdtri(1, 1 - confidence) / 2
    reach = allowed + float(np.abs(margin).max()) + 50.0
    return float(optimize.brentq(lambda slack: deficit(slack) - allowed, -reach, reach, xtol=1e-10))
