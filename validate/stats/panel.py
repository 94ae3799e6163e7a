"""The door of the correlation half: metrics and human scores laid on the same systems and items.

Whatever comes in — arrays or score matrices, one or many, complete or full of holes — is checked, turned so that a
positive correlation means agreement, and put in the same order. Behind this door there are only arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from validate.errors import AccordError, OptionError, ShapeError, bad_value, listed
from validate.schema import FloatArray, IntArray, ScoreMatrix

Scores = ScoreMatrix | FloatArray
ManyScores = Scores | Sequence[Scores] | Mapping[str, Scores]
Mask = NDArray[np.bool_]

PARTIAL = ("judged", "all")


@dataclass(frozen=True, slots=True)
class Side:
    """One score on the panel's systems and items.

    ``values`` (n_systems, n_items) has its sign turned already, ``statistics`` (n_systems, n_items, k) has not: ``sign`` goes with it. A
    ``given`` side has one score a system, shape (n_systems, 1), that belongs to no item and is not resampled with them.
    """

    name: str
    values: FloatArray
    sign: float
    statistics: FloatArray | None
    divide: Callable[[FloatArray], FloatArray] | None
    given: bool

    @property
    def defined(self) -> Mask:
        """(n_systems, n_items) or, when given, (n_systems, 1)."""
        return ~np.isnan(self.values)


class Dropped(NamedTuple):
    """How many pairs of scores, and how many systems, one metric lost because a side has no score there."""

    pairs: int
    systems: int


@dataclass(frozen=True, slots=True)
class Panel:
    """All metrics and the human side on the same ``n_systems`` systems and ``n_items`` items, those on which any two sides meet.

    ``partial`` says what enters the score of a system that people judged on some items only: ``"judged"``, both sides over the items
    where both are defined; ``"all"``, each side over all its items. ``items`` are the labels of the columns.
    """

    metrics: tuple[Side, ...]
    human: Side
    n_systems: int
    n_items: int
    partial: str
    dropped: tuple[Dropped, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(side.name for side in self.metrics)

    def pairs(self, metric: Side) -> Mask:
        """(n_systems, n_items): where both sides have a score."""
        return np.broadcast_to(metric.defined & self.human.defined, (self.n_systems, self.n_items))

    def used(self, metric: Side) -> tuple[Mask, Mask]:
        """(n_systems, n_items) of the metric and of the human side: what enters their system scores under the rule of the panel."""
        if self.partial == "judged":
            both = self.pairs(metric)
            return self._of_side(metric, both), self._of_side(self.human, both)
        return metric.defined, self.human.defined

    @staticmethod
    def _of_side(side: Side, both: Mask) -> Mask:
        return side.defined & both.any(axis=1, keepdims=True) if side.given else both


def panel(who: str, metrics: ManyScores, human: Scores, *, partial: str = "judged") -> Panel:
    """Check and align everything that was given.

    Raises
    ------
    ShapeError
        When arrays differ in shape, no metric shares a system with the human side, or nothing was given.
    OptionError
        When a name occurs twice or ``partial`` is unknown.
    AccordError
        When a score is infinite.
    """
    if partial not in PARTIAL:
        raise bad_value(who, "partial", partial, "'judged' (items where both sides have a score) or 'all'")
    named = _named(who, metrics)
    matrices = _as_matrices(who, [*named.items(), ("human scores", human)])
    systems, items, given = _common(who, matrices)
    sides = [
        _laid(who, name, matrix, systems, items, alone, matrix.higher_is_better != matrices[-1].higher_is_better)
        for name, matrix, alone in zip([*named, "human scores"], matrices, given, strict=True)
    ]
    whole = Panel(tuple(sides[:-1]), sides[-1], len(systems), len(items), partial, items=items)
    return _trimmed(replace(whole, dropped=tuple(_dropped(whole, metric) for metric in whole.metrics)))


def _named(who: str, metrics: ManyScores) -> dict[str, Scores]:
    """Each metric with its name: a dict's keys, a matrix's own, or its position."""
    if isinstance(metrics, Mapping):
        named = [(str(name), scores) for name, scores in metrics.items()]
    else:
        single = isinstance(metrics, ScoreMatrix) or (isinstance(metrics, np.ndarray) and metrics.ndim == 2)
        several: Iterable[Scores] = [metrics] if single else metrics  # type: ignore[list-item, assignment]
        named = [
            (scores.name if isinstance(scores, ScoreMatrix) else f"metric_{position}", scores)
            for position, scores in enumerate(several, start=1)
        ]
    if not named:
        raise ShapeError(f"{who}: no metric was given; at least one is needed; pass a list or dict of scores")
    names = [name for name, _ in named]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise OptionError(
            f"{who}: metrics {listed(repeated)} occur more than once; each name may occur once; pass a dict with distinct names"
        )
    return dict(named)


def _as_matrices(who: str, named: Sequence[tuple[str, Scores]]) -> list[ScoreMatrix]:
    """Everything as score matrices; arrays take the labels of a matrix of their shape, or numbers."""
    known = [scores for _, scores in named if isinstance(scores, ScoreMatrix)]
    arrays = {name: _array(who, name, scores) for name, scores in named if not isinstance(scores, ScoreMatrix)}
    beside = [matrix.values for matrix in known] if arrays else []
    shapes = {array.shape for array in [*arrays.values(), *beside]}
    if len({shape for shape in shapes if shape[1] != 1}) > 1 or len({shape[0] for shape in shapes}) > 1:
        raise ShapeError(
            f"{who}: scores of shapes {listed(sorted(shapes))} were given; arrays must have one shape (n_systems, n_items), or "
            "(n_systems, 1) for one score a system; use ScoreMatrix for scores that carry labels of their own"
        )
    return [
        scores if isinstance(scores, ScoreMatrix) else _labelled(name, arrays[name], known) for name, scores in named
    ]


def _array(who: str, name: str, scores: ArrayLike) -> FloatArray:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2:
        raise ShapeError(
            f"{who}: {name} has shape {array.shape}; (n_systems, n_items) is allowed; "
            "for two plain arrays use stats.pearson, stats.spearman or stats.kendall"
        )
    return array


def _labelled(name: str, array: FloatArray, known: Sequence[ScoreMatrix]) -> ScoreMatrix:
    """An array as a matrix. Several items have numbers as labels unless a matrix of that shape lends its own; a lone column is ``all``."""
    for matrix in known:
        if matrix.values.shape == array.shape:
            return ScoreMatrix(name, array, matrix.systems, matrix.items)
    systems = known[0].systems if known else _numbers(array.shape[0])
    return ScoreMatrix(name, array, systems, ("all",) if array.shape[1] == 1 else _numbers(array.shape[1]))


@lru_cache(maxsize=8)
def _numbers(n: int) -> tuple[str, ...]:
    """Labels of what has none; the arrays of one call share them, which makes laying one upon the other quick."""
    return tuple(map(str, range(n)))


def _common(who: str, matrices: Sequence[ScoreMatrix]) -> tuple[tuple[str, ...], tuple[str, ...], list[bool]]:
    """The systems and items of the panel in the human order, and which sides are one given score a system."""
    *metrics, human = matrices
    theirs = {system for labels in {metric.systems for metric in metrics} for system in labels}
    systems = tuple(system for system in human.systems if system in theirs)
    if not systems:
        raise ShapeError(
            f"{who}: the metrics score the systems {listed(sorted(theirs))} and people judged {listed(human.systems)}; "
            "at least one system must be in both; give both the same labels"
        )
    labelled = dict.fromkeys(metric.items for metric in metrics)  # most metrics have the same items
    items = list(dict.fromkeys(item for labels in labelled for item in labels))
    human_given = len(human.items) == 1 and human.items[0] not in set(items)
    if not human_given:
        items = list(dict.fromkeys([*human.items, *items]))
    given = [len(metric.items) == 1 and metric.items[0] not in human.items and not human_given for metric in metrics]
    lone = {metric.items[0] for metric, alone in zip(metrics, given, strict=True) if alone}
    return systems, tuple(item for item in items if item not in lone), [*given, human_given]


def _laid(
    who: str,
    name: str,
    matrix: ScoreMatrix,
    systems: tuple[str, ...],
    items: tuple[str, ...],
    given: bool,
    turned: bool,
) -> Side:
    """One matrix on the panel's systems and items, its sign turned where its direction is not the human one."""
    if np.isinf(matrix.values).any():
        n = int(np.isinf(matrix.values).sum())
        raise AccordError(
            f"{who}: {n:,} scores of {name} are infinite; numbers and NaN (undefined) are allowed; bound them or make them NaN"
        )
    rows = _positions(systems, matrix.systems)
    cols = np.zeros(1, dtype=np.int64) if given else _positions(items, matrix.items)
    sign = -1.0 if turned else 1.0
    values = sign * _spread(matrix.values, rows, cols)
    statistics = None if matrix.statistics is None else _spread(matrix.statistics, rows, cols)
    if statistics is not None:
        values[np.isnan(statistics).any(axis=2)] = np.nan
    return Side(name, values, sign, statistics, matrix.divide, given)


def _positions(wanted: tuple[str, ...], labels: tuple[str, ...]) -> IntArray:
    """Where each wanted label stands; -1 where it does not."""
    if wanted == labels:
        return np.arange(len(labels))
    place = {label: position for position, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in wanted], dtype=np.int64)


def _spread(array: FloatArray, rows: IntArray, cols: IntArray) -> FloatArray:
    """array[rows][:, cols], NaN where a position is -1; the array itself where that is all of it in its order."""
    if all(len(at) == n and (at == np.arange(n)).all() for at, n in zip((rows, cols), array.shape, strict=False)):
        return array
    spread = array[np.ix_(rows, cols)]
    spread[rows < 0] = np.nan
    spread[:, cols < 0] = np.nan
    return spread


def _dropped(whole: Panel, metric: Side) -> Dropped:
    own, human = metric.defined, whole.human.defined
    used, human_used = (mask.any(axis=1) for mask in whole.used(metric))
    met = used & human_used
    return Dropped(int((own ^ human).sum()), int(((own.any(axis=1) | human.any(axis=1)) & ~met).sum()))


def _trimmed(whole: Panel) -> Panel:
    """The panel without systems and items that enter no metric's correlation; as it is when nothing would be left."""
    shape = (whole.n_systems, whole.n_items)
    entering = np.zeros(shape, dtype=np.bool_)
    for metric in whole.metrics:
        sides = list(zip((metric, whole.human), whole.used(metric), strict=True))
        met = np.logical_and.reduce([used.any(axis=1, keepdims=True) for _, used in sides])
        entering |= met & np.logical_or.reduce([used for side, used in sides if not side.given])
    rows, cols = np.flatnonzero(entering.any(axis=1)), np.flatnonzero(entering.any(axis=0))
    if not len(rows) or (len(rows), len(cols)) == shape:
        return whole
    metrics = tuple(_cut(side, rows, cols) for side in whole.metrics)
    items = tuple(whole.items[col] for col in cols)
    return replace(
        whole, metrics=metrics, human=_cut(whole.human, rows, cols), n_systems=len(rows), n_items=len(cols), items=items
    )


def _cut(side: Side, rows: IntArray, cols: IntArray) -> Side:
    here = np.ix_(rows, np.zeros(1, dtype=np.int64) if side.given else cols)
    statistics = None if side.statistics is None else side.statistics[here]
    return Side(side.name, side.values[here], side.sign, statistics, side.divide, side.given)
