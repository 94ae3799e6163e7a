"""Edit distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from validate.metrics._registry import Reference, register
from validate.metrics._sequence import SequenceMetric, rapidfuzz_counts
from validate.schema import IntArray
from validate.text import alignment
from validate.text.corpus import Batch


class EditDistance(SequenceMetric):
    """Fewest insertions, deletions and substitutions that turn the output into the reference; options as in `SequenceMetric`.

    The system score is the mean over items. Two empty texts are 0 apart.

    References
    ----------
    Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals.

    Examples
    --------
    >>> EditDistance(name="edit_distance").score(["we ship today"], [["today we ship"]]).system
    2.0
    """

    higher_is_better: ClassVar[bool] = False
    source = "Levenshtein 1966"
    summary = "insertions, deletions and substitutions to the reference"

    def of_pairs(self, batch: Batch) -> IntArray:
        return alignment.edit_distances(batch, self._tokenizer)

    def _rapidfuzz(self, one: Sequence[str], other: Sequence[str]) -> int:
        from rapidfuzz.distance import Levenshtein

        return Levenshtein.distance(one, other)


register("edit_distance", EditDistance, reference=Reference("rapidfuzz", rapidfuzz_counts))
