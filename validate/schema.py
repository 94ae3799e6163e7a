"""The records that travel between the rooms, each checked when it is made.

Tables (pandas) are at both ends of the way, float64 arrays in the middle; these records are the doors between them.
They are frozen: a stage makes new ones and never changes what it was given. Missing is NaN everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from validate.errors import ShapeError, listed

if TYPE_CHECKING:
    import pandas as pd


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LEVELS = ("system", "item")
GROUPINGS = ("none", "item", "system")
COEFFICIENTS = ("pearson", "spearman", "kendall")
UNITS = ("items", "systems", "both")
WINNERS = ("a", "b", "tie", "both_bad")


def _frozen(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only array of its own: a record that someone else can change is no record."""
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Scores of systems on items, from a metric or from people.

    Parameters
    ----------
    name : str
    values : (n_systems, n_items) float64
        NaN where there is no score.
    systems, items : tuple of str
        The labels of the rows and of the columns.
    higher_is_better : bool
        Statistics turn the sign of scores for which this is False, so that a positive correlation always means agreement.
    signature : str
        Everything needed to repeat the numbers.
    statistics : (n_systems, n_items, k) float64, optional
        Sufficient statistics where the score of a system is not the mean of its items but a ratio of sums; NaN rows where undefined.
    divide : callable, optional
        Turns statistics that were summed over items, shape (..., k), into system scores, shape (...). Given with ``statistics`` or not at all;
        without them the system score is the mean over items.

    Raises
    ------
    ShapeError
        When the labels and the values do not fit, or a label occurs twice.
    """

    name: str
    values: FloatArray
    systems: tuple[str, ...]
    items: tuple[str, ...]
    higher_is_better: bool = True
    signature: str = ""
    statistics: FloatArray | None = None
    divide: Callable[[FloatArray], FloatArray] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _frozen(self.values))
        object.__setattr__(self, "systems", tuple(self.systems))
        object.__setattr__(self, "items", tuple(self.items))
        who = f"ScoreMatrix {self.name!r}"
        expected = (len(self.systems), len(self.items))
        if self.values.shape != expected:
            raise ShapeError(
                f"{who}: values of shape {self.values.shape} were given; (n_systems, n_items) = {expected} is what the labels say; give one row a system and one column an item"
            )
        for what, labels in (("systems", self.systems), ("items", self.items)):
            repeated = (
                sorted({label for label in labels if labels.count(label) > 1}) if len(set(labels)) < len(labels) else []
            )
            if repeated:
                raise ShapeError(
                    f"{who}: {what} {listed(repeated)} occur more than once; each may occur once; remove or rename the repeated ones"
                )
        if (self.statistics is None) != (self.divide is None):
            raise ShapeError(
                f"{who}: only one of statistics and divide was given; both or neither are allowed; give both"
            )
        if self.statistics is not None:
            object.__setattr__(self, "statistics", _frozen(self.statistics))
            if self.statistics.ndim != 3 or self.statistics.shape[:2] != expected:
                raise ShapeError(
                    f"{who}: statistics of shape {self.statistics.shape} were given; "
                    f"(n_systems, n_items, k) = ({expected[0]}, {expected[1]}, k) is allowed; give one row an output"
                )

    def take(self, systems: IntArray, items: IntArray) -> ScoreMatrix:
        """The same scores for some systems and items only, given by their positions."""
        return ScoreMatrix(
            self.name,
            self.values[np.ix_(systems, items)],
            tuple(self.systems[system] for system in systems),
            tuple(self.items[item] for item in items),
            self.higher_is_better,
            self.signature,
            None if self.statistics is None else self.statistics[np.ix_(systems, items)],
            self.divide,
        )

    def system_scores(self, judged: NDArray[np.bool_] | None = None) -> FloatArray:
        """(n_systems,) scores of whole systems over the items where this score is defined and, if given, ``judged`` (n_systems, n_items) is true.

        NaN for a system without any such item.
        """
        used = ~np.isnan(self.values) if judged is None else judged & ~np.isnan(self.values)
        counts = used.sum(axis=1)
        scores = np.full(len(self.systems), np.nan)
        some = counts > 0
        if self.statistics is None or self.divide is None:
            totals = np.where(used, self.values, 0.0).sum(axis=1)
            scores[some] = totals[some] / counts[some]
        else:
            totals = np.where(used[..., None], self.statistics, 0.0).sum(axis=1)
            scores[some] = self.divide(totals[some])
        return scores


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that carries its interval, its n, what was dropped, and why.

    ``value`` is NaN when the number is undefined, and ``reason`` then says why. ``n`` is the number of observations that
    entered, ``n_dropped`` of those left out because a side was missing. ``low`` and ``high`` are NaN when no interval was asked for.
    ``standard_error`` is that behind the interval, NaN where the interval is made without one.
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")
    confidence_level: float = 0.95
    method: str = ""
    n: int = 0
    n_dropped: int = 0
    n_resamples: int = 0
    seed: int | None = None
    reason: str = ""
    n_groups: int = 0
    n_undefined: int = 0
    standard_error: float = float("nan")

    def __float__(self) -> float:
        return float(self.value)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Absolute judgments of one criterion in long form: entry j is one score by one annotator of one output.

    Parameters
    ----------
    criterion : str
    annotators, systems, items : tuple of str
        Labels, which the index arrays point into.
    annotator, system, item : (n,) int64
    score : (n,) float64
    scale : (float, float) or None
        The declared ends of the scale.
    higher_is_better : bool
    """

    criterion: str
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    annotator: IntArray
    system: IntArray
    item: IntArray
    score: FloatArray
    scale: tuple[float, float] | None = None
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        _check_long(f"Ratings {self.criterion!r}", self, ("annotator", "system", "item"), ("score",))
        object.__setattr__(self, "score", _frozen(self.score))

    def by_unit(self) -> FloatArray:
        """The (n_raters, n_units) array that agreement statistics take: a unit is an output that someone judged; NaN where a rater did not.

        Several scores of one annotator on one unit are averaged here, by that stated rule.
        """
        cells = self.system * len(self.items) + self.item
        _, unit = np.unique(cells, return_inverse=True)
        n_units = int(unit.max()) + 1 if len(unit) else 0
        shape = (len(self.annotators), n_units)
        flat = self.annotator * n_units + unit
        counts = np.bincount(flat, minlength=shape[0] * shape[1]).astype(np.float64)
        totals = np.bincount(flat, weights=self.score, minlength=shape[0] * shape[1])
        means = np.full(len(counts), np.nan)
        np.divide(totals, counts, out=means, where=counts > 0)
        return means.reshape(shape)


@dataclass(frozen=True, slots=True)
class Preferences:
    """Pairwise judgments of one criterion: entry j compares the outputs of two systems for one item.

    Parameters
    ----------
    criterion : str
    annotators, systems, items : tuple of str
    first, second, item, annotator : (n,) int64
        ``first`` and ``second`` index ``systems``; they keep the sides a and b as the study has them.
    outcome : (n,) int64
        Seen from the first: 1 win, 0 tie, -1 loss. ``both_bad`` is a tie here and marked in ``both_bad``.
    both_bad : (n,) bool
    """

    criterion: str
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    first: IntArray
    second: IntArray
    item: IntArray
    annotator: IntArray
    outcome: IntArray
    both_bad: NDArray[np.bool_]

    def __post_init__(self) -> None:
        _check_long(f"Preferences {self.criterion!r}", self, ("first", "second", "item", "annotator", "outcome"), ())
        object.__setattr__(self, "both_bad", _frozen(self.both_bad, np.bool_))


def _check_long(who: str, record: Any, integer: tuple[str, ...], real: tuple[str, ...]) -> None:
    """Freeze the index arrays of a long record and check that they have one length."""
    for name in integer:
        object.__setattr__(record, name, _frozen(getattr(record, name), np.int64))
    lengths = {name: len(getattr(record, name)) for name in (*integer, *real)}
    if len(set(lengths.values())) > 1:
        raise ShapeError(
            f"{who}: arrays of lengths {lengths} were given; all must have one length; give one entry a judgment in each"
        )


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question that people answered: its name, the ends of its scale (None: undeclared) and its direction."""

    name: str
    scale: tuple[float, float] | None = None
    higher_is_better: bool = True
    measurement: str = "interval"


@dataclass(frozen=True, slots=True)
class Settings:
    """What study.toml says, with defaults for what it leaves out.

    Parameters
    ----------
    name, task, language, description : str
    simulated : bool
        The judgments were made by a program, not by people; every report says so.
    criteria : mapping of str to Criterion
        The declared ones; criteria found in the data without a declaration get the defaults.
    metrics : tuple of str
        The metrics to validate; empty means the default set.
    metric_options : mapping of str to mapping
        Options per metric, and ``higher_is_better`` for scores from elsewhere.
    reference_writers : tuple of str or "auto"
        Systems whose outputs are references of their items. "auto": those all of whose non-empty outputs equal one of their item's references.
    normalization, casing : str
        What is done to every text before it is scored, see ``validate.text.normalization``.
    raw : mapping
        The whole file, for sections that belong to others (annotation).
    """

    name: str = ""
    task: str = ""
    language: str = ""
    description: str = ""
    simulated: bool = False
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    metric_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reference_writers: tuple[str, ...] | str = "auto"
    normalization: str = "none"
    casing: str = "none"
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something true and worth knowing about a study that is no error: empty outputs, uneven overlap.

    ``name`` is stable ("empty-outputs"), ``count`` how many, ``text`` one readable line, ``detail`` counts per system or value.
    ``weight`` is "note" or "warning": warnings are what a reviewer would ask about.
    """

    name: str
    count: int
    text: str
    weight: str = "note"
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A study that has passed every check: the tables, the settings, the facts.

    Parameters
    ----------
    path : Path
    settings : Settings
    items : DataFrame
        ``item_id`` (str), ``source`` (str, "" where there is none), ``references`` (list of str) and any further columns.
    outputs : DataFrame
        ``item_id``, ``system``, ``output`` (str), one row an (item, system).
    ratings : DataFrame
        ``item_id``, ``system``, ``annotator``, ``criterion`` (str), ``score`` (float64).
    comparisons : DataFrame
        ``item_id``, ``system_a``, ``system_b``, ``annotator``, ``winner``, ``criterion`` (all str).
    metric_scores : DataFrame
        ``item_id``, ``system``, ``metric`` (str), ``score`` (float64, NaN where missing).
    systems, criteria, item_ids : tuple of str
        In the order in which they first occur; systems over outputs, ratings, comparisons and metric scores.
    facts : tuple of Fact
    files : mapping of str to str
        sha256 of every file that was read, by name.

    Any frame may be empty (but has its columns).
    """

    path: Path
    settings: Settings
    items: pd.DataFrame
    outputs: pd.DataFrame
    ratings: pd.DataFrame
    comparisons: pd.DataFrame
    metric_scores: pd.DataFrame
    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    item_ids: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The study's name, or the folder's where it has none."""
        return self.settings.name or self.path.name
