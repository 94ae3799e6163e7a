"""The list of metrics: one `register` call at the end of each metric's file puts it everywhere.

A registered metric is on the command line, in the README's table, under the contract tests and, when it brings a
reference adapter, in the cross-check.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validate.errors import AccordError, OptionError, unknown_name
from validate.metrics._metric import Metric
from validate.schema import FloatArray

USUAL_PACE = 3_000_000
"""Pairs of words a second: rouge-score's, the slowest of the fast ones."""
ReferenceScorer = Callable[..., tuple[FloatArray, float]]


class NoCounterpart(AccordError):
    """The reference library has nothing to compare a metric under these options with; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The library that a metric is checked against.

    Parameters
    ----------
    package : str
        Distribution name; its version goes into the cross-check.
    score : callable
        ``(metric, outputs, references) → (item scores (n,), corpus score)`` under the metric's own options, with the sources as a fourth
        argument where the metric needs them; imports inside. NaN where the library has no answer, so that this item or the corpus is
        not compared. `NoCounterpart` where it has no answer at all.
    tolerance : float
        0 where equality to the last bit is promised.
    differs : str
        Where ours differs on purpose, in one sentence; empty where nowhere.
    extra : str
        The extra of accord that brings it.
    pace : int
        Pairs of words (an output's times a reference's) that the library does in a second; a check that is bounded in time gives a slow one
        fewer rows.
    """

    package: str
    score: ReferenceScorer
    tolerance: float = 1e-12
    differs: str = ""
    extra: str = "crosscheck"
    pace: int = USUAL_PACE


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered name: how to make the metric, and what it is checked against."""

    name: str
    make: Callable[..., Metric]
    references: tuple[Reference, ...] = ()
    default: bool = True
    fixed: Mapping[str, Any] = field(default_factory=dict)


_entries: dict[str, Entry] = {}
_loaded = False


def register(
    name: str,
    make: Callable[..., Metric],
    *,
    reference: Reference | Sequence[Reference] = (),
    default: bool = True,
    **fixed: Any,
) -> None:
    """Put a metric under a name; ``fixed`` are options that belong to the name (``word_order=2`` to chrf++) and can still be overridden.

    Of several reference libraries each has its line in the cross-check; one that has no counterpart for the options in force says so by
    `NoCounterpart`. ``default`` metrics are validated when the user names none.
    """
    if name in _entries:
        raise OptionError(f"metrics: the name {name!r} is registered twice; each may be taken once; rename one")
    references = (reference,) if isinstance(reference, Reference) else tuple(reference)
    _entries[name] = Entry(name, make, references, default, fixed)


def entries() -> dict[str, Entry]:
    """All registered metrics, by name, in the order of their files, whichever of these was imported first."""
    _load()
    return dict(sorted(_entries.items(), key=lambda item: item[1].make.__module__))


def names() -> list[str]:
    """All metric names."""
    return list(entries())


def get(name: str, /, **options: Any) -> Metric:
    """The metric of that name under these options.

    Raises
    ------
    OptionError
        For an unknown name, option or value: the nearest right one and the whole list.
    """
    known = entries()
    if "(" in name and name.split("(")[0] in known:
        bare = name.split("(")[0]
        raise OptionError(
            f"metrics: {name!r} was given; a name, and its options as keywords, are allowed; write metrics.get({bare!r}, option=value)"
        )
    if name not in known:
        raise unknown_name("metrics", "metric", name, known)
    entry = known[name]
    allowed = [parameter for parameter in inspect.signature(entry.make).parameters if parameter != "name"]
    for option in options:
        if option not in allowed:
            raise unknown_name(f"metric {name!r}", "option", option, allowed)
    return entry.make(name=name, **{**entry.fixed, **options})


def _load() -> None:
    """Import every metric file once, in folders as well; a name that starts with an underscore holds no metric."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    package = importlib.import_module("validate.metrics")
    for module in pkgutil.walk_packages(package.__path__, "validate.metrics."):
        if not module.name.rsplit(".", 1)[-1].startswith("_"):
            importlib.import_module(module.name)
