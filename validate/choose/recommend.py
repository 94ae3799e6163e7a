"""Which metric agrees best with people, which others cannot be told from it, and how sure that is.

The evidence is the set of bootstrap replicates that the correlations were drawn from: in each of them every metric met the
same resampled systems and items, so that differences between metrics are paired.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from validate.schema import FloatArray

CLEAR = 0.95  # first in at least this share of the replicates: no other metric is a serious rival
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
    """What is needed of the bootstrap: points (n_coefficients, n_metrics) and replicates (n_coefficients, n_metrics, B)."""

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
    def point(self) -> FloatArray: ...
    @property
    def values(self) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be said for one criterion at one level.

    ``verdict`` is

    * ``clear``: the best metric is first in at least 95 % of the replicates,
    * ``likely``: it is first in more than half of them,
    * ``open``: several metrics cannot be told apart, or at system level there are fewer than 8 systems,
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
    coefficient: str = "spearman",
    controls: Collection[str] = (),
    ceiling: float | None = None,
    confidence: float = 0.95,
) -> Choice:
    """Choose among the metrics of one set of replicates.

    Parameters
    ----------
    replicates : Replicates
    criterion : str
    coefficient : str
    controls : collection of str
        Names that are never recommended but must be beaten.
    ceiling : float, optional
        What one annotator reaches against the others, passed on.
    confidence : float
        Of the intervals that decide.
    """
    row = list(replicates.coefficients).index(coefficient)
    point, values = replicates.point[row], replicates.values[row]
    names = list(replicates.names)
    common: dict[str, Any] = {
        "criterion": criterion,
        "level": replicates.level,
        "grouping": replicates.grouping,
        "coefficient": coefficient,
        "ceiling": ceiling,
        "unit": replicates.unit,
    }
    fit = _covered(replicates.facts)
    candidates = [k for k, name in enumerate(names) if name not in controls and np.isfinite(point[k])]
    rivals = [k for k in candidates if fit[k]]
    common["unfit"] = tuple(names[k] for k in candidates if not fit[k])
    if not rivals:
        return Choice(
            **common, n_systems=0, n_items=0, verdict="undefined", best=None, equivalent=(), worse=0, best_control=None,
            beats_controls=None, reason="no metric has a defined correlation with people at this level",
        )  # fmt: skip
    order = sorted(rivals, key=lambda k: -point[k])
    best = order[0]
    common |= {"n_systems": replicates.facts[best].n_systems, "n_items": replicates.facts[best].n_items}
    beaten_by = {k: _low(values[best] - values[k], confidence) > 0 for k in order[1:]}
    equivalent = tuple(names[k] for k in order[1:] if not beaten_by[k])
    control = _best_control(point, names, controls)
    beats = None if control is None else _low(values[best] - values[control], confidence) > 0
    share = _share_first(values[rivals])[rivals.index(best)]
    as_good = control is not None and point[control] >= point[best]
    verdict = "none" if as_good else _verdict(_low(values[best], confidence), share)
    if replicates.level == "system" and common["n_systems"] < FEW_SYSTEMS and verdict in ("clear", "likely"):
        verdict = "open"
    return Choice(
        **common,
        verdict=verdict,
        best={**_described(point, values, names, best, confidence), "share_first": share},
        equivalent=equivalent,
        worse=len(order) - 1 - len(equivalent),
        best_control=None if control is None else _described(point, values, names, control, confidence),
        beats_controls=beats,
    )


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


def _verdict(low: float, share_first: float) -> str:
    if not low > 0:
        return "none"
    if share_first >= CLEAR:
        return "clear"
    return "likely" if share_first > 0.5 else "open"


def _covered(facts: Sequence[Counted]) -> list[bool]:
    """Which metrics are defined in enough groups to speak for the study."""
    defined = [one.n_groups - one.n_undefined for one in facts]
    return [count >= COVERED * max(defined) for count in defined]


def _low(replicates: FloatArray, confidence: float) -> float:
    """The lower end of the percentile interval over the defined replicates; NaN without any."""
    defined = replicates[np.isfinite(replicates)]
    return float(np.quantile(defined, (1 - confidence) / 2)) if len(defined) else float("nan")


def _share_first(values: FloatArray) -> list[float]:
    """In which share of the replicates each metric is first; shared first places count in parts."""
    usable = np.where(np.isfinite(values), values, -np.inf)
    usable = usable[:, np.isfinite(usable).any(axis=0)]
    if usable.shape[1] == 0:
        return [float("nan")] * len(values)
    first = usable == usable.max(axis=0)
    return [float(share) for share in (first / first.sum(axis=0)).mean(axis=1)]


def _best_control(point: FloatArray, names: Sequence[str], controls: Collection[str]) -> int | None:
    found = [k for k, name in enumerate(names) if name in controls and np.isfinite(point[k])]
    return max(found, key=lambda k: point[k]) if found else None


def _described(
    point: FloatArray, values: FloatArray, names: Sequence[str], k: int, confidence: float
) -> dict[str, Any]:
    defined = values[k][np.isfinite(values[k])]
    ends = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]) if len(defined) else (np.nan, np.nan)
    return {"metric": names[k], "estimate": float(point[k]), "low": float(ends[0]), "high": float(ends[1])}
