"""ROUGE-N: n-grams that output and reference have in common."""

from __future__ import annotations

import numpy as np

from validate.metrics._registry import Reference, register
from validate.metrics._rouge import Rouge, rouge_score
from validate.schema import IntArray
from validate.text import ngrams
from validate.text.corpus import Batch


class RougeN(Rouge):
    """n-grams in common by n-grams of the output, of the reference, and F; options as in `Rouge`.

    The name bears n: ``rouge1`` … ``rouge9``.

    References
    ----------
    Lin (2004), ROUGE: A package for automatic evaluation of summaries, section 2. https://aclanthology.org/W04-1013

    Examples
    --------
    Two of three words of the output are among the two of the reference: P = 2/3, R = 1, F = 0.8.

    >>> RougeN(name="rouge1").score(["the red cat"], [["red cat"]]).system
    0.8
    """

    summary = "n-grams that output and reference have in common"

    @property
    def order(self) -> int:
        """n."""
        return int(self.name.removeprefix("rouge"))

    def hits(self, batch: Batch) -> IntArray:
        return ngrams.pair_matches(batch, self._words, self.order)[:, -1]

    def units(self, lengths: IntArray) -> IntArray:
        return np.maximum(lengths - self.order + 1, 0)


for _order in range(1, 10):
    register(f"rouge{_order}", RougeN, reference=Reference("rouge-score", rouge_score), default=_order <= 2)
