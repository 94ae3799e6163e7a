"""Metrics: own implementations, each cut into counting and dividing.

>>> from validate import metrics
>>> metric = metrics.get("exact_match")
>>> metric.score(["a"], [["a"]]).system
1.0
"""

from validate.metrics._describe import describe
from validate.metrics._metric import Metric, Scores
from validate.metrics._registry import Entry, NoCounterpart, Reference, entries, get, names, register

__all__ = [
    "Entry",
    "Metric",
    "NoCounterpart",
    "Reference",
    "Scores",
    "describe",
    "entries",
    "get",
    "names",
    "register",
]
