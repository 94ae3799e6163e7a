"""Which metric agrees best with people, which others cannot be told from it, and how sure that is.

The evidence is the intervals of the correlations and of their paired differences, as the tables show them, and the bootstrap
replicates behind them: in each of these every metric met the same resampled systems and items.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from validate.schema import FloatArray

CLEAR = (
    0.95  # first in at least this share of the replicates, and told from every other metric: none is a serious rival
)
FEW_SYSTEMS = 8  # a system-level correlation over fewer says next to nothing, however often a metric comes first
COVERED = 0.5  # defined in at least this share of the groups in which the best covered metric is


class Counted(Protocol):
    """How many systems and items entered the correlation of one metric, and in how many groups it is defined."""

    @property
    def n_systems(self) -> int: ...
    @property
    def n_items(self) -> int: ...
    @property
    def n_groups(self) -> int: ...
    @property
    def n_undefined(self) -> int: ...


class Replicates(Protocol):
    """What is needed of the bootstrap: correlations (n_coefficients, n_metrics, B) and what entered them."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def coefficients(self) -> Sequence[str]: ...
    @property
    def level(self) -> str: ...
    @property
    def grouping(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def facts(self) -> Sequence[Counted]: ...
    @property
    def values(self) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be said for one criterion at one level.

    ``verdict`` is

    * ``clear``: the best metric is first in at least 95 % of the replicates, and no other cannot be told from it,
    * ``likely``: it is first in more than half of them,
    * ``open``: it is first in half of them or fewer, or at system level there are fewer than 8 systems,
    * ``none``: the best metric cannot be told from no agreement at all, or a control such as length does as well,
    * ``undefined``: no metric has a correlation; ``reason`` says why.

    ``equivalent`` are the metrics whose paired difference to the best has an interval that reaches 0, best first;
    ``worse`` counts the others. ``unfit`` are metrics that were not considered, because they are constant in most groups: a
    correlation that exists on three items of a hundred recommends nothing. ``beats_controls`` says whether the paired
    difference to the best control has an interval above 0.
    """

    criterion: str
    level: str
    grouping: str
    coefficient: str
    verdict: str
    best: dict[str, Any] | None
    equivalent: tuple[str, ...]
    worse: int
    unfit: tuple[str, ...]
    best_control: dict[str, Any] | None
    beats_controls: bool | None
    ceiling: float | None
    n_systems: int
    n_items: int
    unit: str
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For choice.json."""
        return asdict(self)


def recommend(
    replicates: Replicates,
    criterion: str,
    *,
    correlations: pd.DataFrame,
    differences: pd.DataFrame,
    coefficient: str = "spearman",
    controls: Collection[str] = (),
    ceiling: float | None = None,
) -> Choice:
    """Choose among the metrics of one set of replicates.

    Parameters
    ----------
    replicates : Replicates
    criterion : str
    correlations, differences : DataFrame
        The rows that these replicates gave for ``correlations.csv`` and ``significance.csv``: whatever interval they hold decides here.
    coefficient : str
    controls : collection of str
        Names that are never recommended but must be beaten.
    ceiling : float, optional
        What one annotator reaches against the others, passed on.
    """
    evidence = _Evidence.of(correlations, differences, coefficient)
    names = list(replicates.names)
    fit = dict(zip(names, _covered(replicates.facts), strict=True))
    candidates = [name for name in names if name not in controls and name in evidence.intervals]
    rivals = [name for name in candidates if fit[name]]
    common: dict[str, Any] = {
        "criterion": criterion,
        "level": replicates.level,
        "grouping": replicates.grouping,
        "coefficient": coefficient,
        "ceiling": ceiling,
        "unit": replicates.unit,
        "unfit": tuple(name for name in candidates if not fit[name]),
    }
    if not rivals:
        return Choice(
            **common, n_systems=0, n_items=0, verdict="undefined", best=None, equivalent=(), worse=0, best_control=None,
            beats_controls=None, reason="no metric has a defined correlation with people at this level",
        )  # fmt: skip
    order = sorted(rivals, key=lambda name: -evidence.estimate(name))
    best = order[0]
    equivalent = tuple(name for name in order[1:] if not evidence.apart(best, name))
    control = max((name for name in evidence.intervals if name in controls), key=evidence.estimate, default=None)
    facts = replicates.facts[names.index(best)]
    share = _share_first(replicates, coefficient, rivals)[rivals.index(best)]
    return Choice(
        **common,
        n_systems=facts.n_systems,
        n_items=facts.n_items,
        verdict=_verdict(
            evidence,
            best,
            control,
            share,
            few=replicates.level == "system" and facts.n_systems < FEW_SYSTEMS,
            alone=not equivalent,
        ),
        best={**evidence.described(best), "share_first": share},
        equivalent=equivalent,
        worse=len(order) - 1 - len(equivalent),
        best_control=None if control is None else evidence.described(control),
        beats_controls=None if control is None else evidence.apart(best, control),
    )


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Intervals of the defined correlations by metric, and (low, high) of the difference of the first and the second of a pair."""

    intervals: dict[str, tuple[float, float, float]]
    gaps: dict[tuple[str, str], tuple[float, float]]

    @classmethod
    def of(cls, correlations: pd.DataFrame, differences: pd.DataFrame, coefficient: str) -> _Evidence:
        here = correlations[(correlations["coefficient"] == coefficient) & correlations["estimate"].notna()]
        pairs = differences[differences["coefficient"] == coefficient]
        columns = (here["metric"], here["estimate"], here["low"], here["high"])
        intervals = {name: (value, low, high) for name, value, low, high in zip(*columns, strict=True)}
        rows = zip(pairs["metric_a"], pairs["metric_b"], pairs["low"], pairs["high"], strict=True)
        return cls(intervals, {(a, b): (low, high) for a, b, low, high in rows})

    def estimate(self, name: str) -> float:
        return self.intervals[name][0]

    def low(self, name: str) -> float:
        return self.intervals[name][1]

    def apart(self, better: str, other: str) -> bool:
        """Whether the interval of the paired difference lies above zero; an undefined one tells nothing apart."""
        if (better, other) in self.gaps:
            return self.gaps[better, other][0] > 0
        return -self.gaps.get((other, better), (np.nan, np.nan))[1] > 0

    def described(self, name: str) -> dict[str, Any]:
        estimate, low, high = self.intervals[name]
        return {"metric": name, "estimate": float(estimate), "low": float(low), "high": float(high)}


def primary(choices: Sequence[Choice], min_systems: int = FEW_SYSTEMS) -> dict[str, str] | None:
    """Which of the choices answers the question first: choosing systems where there are enough of them, else choosing outputs.

    A system-level correlation over fewer than ``min_systems`` systems says next to nothing, so the item level within items answers
    there, and pooled items where even that is undefined.
    """
    answered = [choice for choice in choices if choice.best]
    enough = [choice for choice in answered if choice.level == "system" and choice.n_systems >= min_systems]
    for place in (("item", "item"), ("item", "none"), ("item", "system"), ("system", "none")):
        enough = enough or [choice for choice in answered if (choice.level, choice.grouping) == place]
    if not enough:
        return None
    first = enough[0]
    return {"criterion": first.criterion, "level": first.level, "grouping": first.grouping}


def _verdict(evidence: _Evidence, best: str, control: str | None, share_first: float, *, few: bool, alone: bool) -> str:
    if not evidence.low(best) > 0 or (control is not None and evidence.estimate(control) >= evidence.estimate(best)):
        return "none"
    if few or share_first <= 0.5:
        return "open"
    return "clear" if alone and share_first >= CLEAR else "likely"


def _covered(facts: Sequence[Counted]) -> list[bool]:
    """Which metrics are defined in enough groups to speak for the study."""
    defined = [one.n_groups - one.n_undefined for one in facts]
    return [count >= COVERED * max(defined) for count in defined]


def _share_first(replicates: Replicates, coefficient: str, rivals: Sequence[str]) -> list[float]:
    """In which share of the replicates each rival is first; shared first places count in parts."""
    names = list(replicates.names)
    values = replicates.values[list(replicates.coefficients).index(coefficient)][[names.index(name) for name in rivals]]
    usable = np.where(np.isfinite(values), values, -np.inf)
    usable = usable[:, np.isfinite(usable).any(axis=0)]
    if usable.shape[1] == 0:
        return [float("nan")] * len(values)
    first = usable == usable.max(axis=0)
    return [float(share) for share in (first / first.sum(axis=0)).mean(axis=1)]
