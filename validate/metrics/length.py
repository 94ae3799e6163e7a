"""Length of the output, a control: what a metric that only counts words would know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._registry import register
from validate.schema import FloatArray
from validate.text.corpus import Batch


class Length(MeanMetric):
    """Units of the output; a control that needs no reference. "Higher is better" states the direction it is read in, no virtue.

    Parameters
    ----------
    unit : {"word", "codepoint", "grapheme"}

    Examples
    --------
    >>> Length().score(["two words", ""]).items.tolist()
    [2.0, 0.0]
    """

    bounds = (0.0, float("inf"))
    needs: ClassVar[tuple[str, ...]] = ()
    control: ClassVar[bool] = True
    summary = "length of the output"

    def __init__(self, *, name: str = "length", unit: str = "word") -> None:
        self.name = name
        self._tokenizer = _options.unit_tokenizer(name, unit)
        self.unit = unit

    @property
    def options(self) -> Mapping[str, Any]:
        return {"unit": self.unit}

    def item_scores(self, batch: Batch) -> FloatArray:
        return batch.corpus.encode(self._tokenizer).lengths[batch.outputs].astype(np.float64)


register("length", Length)
