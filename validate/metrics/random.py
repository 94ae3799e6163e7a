"""A number drawn by the text alone, a control: what agrees with people no better than chance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._registry import register
from validate.schema import FloatArray
from validate.text.corpus import Batch


class Random(MeanMetric):
    """A uniform number in [0, 1) that hangs on nothing but seed and output: equal outputs, equal numbers, on any machine.

    Parameters
    ----------
    seed : int

    Examples
    --------
    >>> scores = Random().score(["a", "b", "a"]).items
    >>> bool(scores[0] == scores[2] != scores[1])
    True
    """

    needs: ClassVar[tuple[str, ...]] = ()
    control: ClassVar[bool] = True
    summary = "a number drawn from a hash of the output"

    def __init__(self, *, name: str = "random", seed: int = 0) -> None:
        self.name = name
        self.seed = _options.whole(name, "seed", seed, 0)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"seed": self.seed}

    def item_scores(self, batch: Batch) -> FloatArray:
        distinct, places = np.unique(batch.outputs, return_inverse=True)
        drawn = [self._draw(batch.corpus.texts[text]) for text in distinct.tolist()]
        return np.array(drawn, dtype=np.float64)[places]

    def _draw(self, text: str) -> float:
        """The first 53 bits of a hash, which is what a float64 in [0, 1) holds."""
        digest = hashlib.blake2b(f"{self.seed}\0{text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53


register("random", Random)
