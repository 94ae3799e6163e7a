"""Length of the output by that of the reference, a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import closest_length
from validate.metrics._registry import register
from validate.schema import FloatArray
from validate.text.corpus import Batch


class LengthRatio(Metric):
    """Units of the output by units of the reference whose length is closest; a corpus pools both. A control.

    NaN where all references are empty.

    Parameters
    ----------
    unit : {"word", "codepoint", "grapheme"}

    Examples
    --------
    >>> LengthRatio().score(["a b c"], [["a b", "a b c d e f"]]).system
    1.5
    """

    bounds = (0.0, float("inf"))
    control: ClassVar[bool] = True
    summary = "length of the output by that of the closest reference"

    def __init__(self, *, name: str = "length_ratio", unit: str = "word") -> None:
        self.name = name
        self._tokenizer = _options.unit_tokenizer(name, unit)
        self.unit = unit

    @property
    def options(self) -> Mapping[str, Any]:
        return {"unit": self.unit}

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2): units of the output and of the closest reference."""
        lengths = batch.corpus.encode(self._tokenizer).lengths
        there = closest_length(batch, lengths)
        statistics = np.stack([lengths[batch.outputs].astype(np.float64), there], axis=-1)
        statistics[~(there > 0)] = np.nan
        return statistics

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return ratio(statistics[..., 0], statistics[..., 1])


register("length_ratio", LengthRatio)
