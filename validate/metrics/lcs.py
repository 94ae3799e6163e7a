"""Longest common subsequence."""

from __future__ import annotations

from collections.abc import Sequence

from validate.metrics._registry import Reference, register
from validate.metrics._sequence import SequenceMetric, rapidfuzz_counts
from validate.schema import IntArray
from validate.text import alignment
from validate.text.corpus import Batch


class Lcs(SequenceMetric):
    """Length of the longest sequence of units that both texts hold in this order, gaps allowed; options as in `SequenceMetric`.

    The system score is the mean over items. As a share, two empty texts score 1.

    Examples
    --------
    >>> Lcs(name="lcs", normalize=True).score(["we ship today"], [["today we ship"]]).system.hex()
    '0x1.5555555555555p-1'
    """

    if_both_empty = 1.0
    source = "Hirschberg 1975, doi:10.1145/360825.360861"
    summary = "length of the longest common subsequence"

    def of_pairs(self, batch: Batch) -> IntArray:
        return alignment.lcs_lengths(batch, self._tokenizer)

    def _rapidfuzz(self, one: Sequence[str], other: Sequence[str]) -> int:
        from rapidfuzz.distance import LCSseq

        return LCSseq.similarity(one, other)


register("lcs", Lcs, reference=Reference("rapidfuzz", rapidfuzz_counts))
