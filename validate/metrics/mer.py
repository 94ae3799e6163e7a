"""Match error rate."""

from __future__ import annotations

import numpy as np

from validate.metrics._mean import ratio
from validate.metrics._registry import register
from validate.metrics._word_match import REFERENCE, WordMatch
from validate.schema import FloatArray


class Mer(WordMatch):
    """Word edits by edits and hits together, the probability that a match of words is wrong; options as in `WordMatch`.

    Unlike `wer` it cannot go beyond 1.

    Notes
    -----
    torchmetrics divides by the number of words of the longer text instead: 3/4 for the example below.

    References
    ----------
    Morris, Maier and Green (2004), doi:10.21437/Interspeech.2004-668, section 3: (S + D + I) / (H + S + D + I).

    Examples
    --------
    "a" deleted, "b" and "c" hit, "d" and "e" inserted: three edits of five.

    >>> Mer(name="mer").score(["b c d e"], [["a b c"]]).system
    0.6
    """

    summary = "word edits by edits and hits together"

    def rate(self, counts: FloatArray) -> FloatArray:
        edits = counts[..., 1:].sum(axis=-1)
        total = counts.sum(axis=-1)
        return np.where(total == 0, 0.0, ratio(edits, total))


register("mer", Mer, reference=REFERENCE, default=False)
