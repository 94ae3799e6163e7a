"""accord: do your metrics agree with people?

>>> import validate
>>> study = validate.load("data/sample")  # doctest: +SKIP
>>> validate.human_scores(study, "adequacy")  # doctest: +SKIP

Everything is imported when it is first asked for, so that ``import validate`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "load": "validate.loading",
    "human_scores": "validate.human",
    "run": "validate.validation",
    "Options": "validate.validation",
    "Study": "validate.schema",
    "ScoreMatrix": "validate.schema",
    "Estimate": "validate.schema",
}
_ROOMS = ("metrics", "stats", "errors", "schema", "human", "report", "crosscheck")

__all__ = [*_HOMES, *_ROOMS, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"validate.{name}")
    raise AttributeError(f"module 'validate' has no attribute {name!r}")
