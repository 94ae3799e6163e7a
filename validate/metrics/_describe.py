"""What there is: every registered metric in one table, for the command line and the README."""

from __future__ import annotations

import inspect
from typing import Any

from validate.errors import MissingExtraError
from validate.metrics._registry import Entry, entries


def describe() -> list[dict[str, Any]]:
    """One row a metric, in the order of the registry.

    Returns
    -------
    list of dict
        ``name``, ``summary``, ``higher_is_better``, ``bounds``, ``needs``, ``control``, ``default``, ``checked_against``
        (distribution names, or ""), ``differs``, ``source``, and ``options``: name to default value.

    Examples
    --------
    >>> next(row for row in describe() if row["name"] == "chrf++")["options"]["word_order"]
    2
    """
    return [_row(entry) for entry in entries().values()]


def _row(entry: Entry) -> dict[str, Any]:
    metric = _made(entry)
    return {
        "name": entry.name,
        "summary": metric.summary,
        "higher_is_better": metric.higher_is_better,
        "bounds": metric.bounds,
        "needs": metric.needs,
        "control": metric.control,
        "default": entry.default,
        "checked_against": ", ".join(reference.package for reference in entry.references),
        "differs": "; ".join(reference.differs for reference in entry.references if reference.differs),
        "source": metric.source,
        "options": _defaults(entry),
    }


def _made(entry: Entry) -> Any:
    """A metric of this name, or its class where what it needs is not installed; both say the same about themselves."""
    try:
        return entry.make(name=entry.name, **entry.fixed)
    except MissingExtraError:
        return entry.make


def _defaults(entry: Entry) -> dict[str, Any]:
    parameters = inspect.signature(entry.make).parameters
    return {name: entry.fixed.get(name, parameter.default) for name, parameter in parameters.items() if name != "name"}
