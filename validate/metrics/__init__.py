"""Metrics: own implementations, each cut into counting and dividing.

>>> from validate import metrics
>>> metric = metrics.get("exact_match")
>>> metric.score(["a"], [["a"]]).system
1.0
"""

from validate.metrics._metric import Metric, Scores
from validate.metrics._registry import Entry, Reference, entries, get, names, register

__all__ = ["Entry", "Metric", "Reference", "Scores", "entries", "get", "names", "register"]
