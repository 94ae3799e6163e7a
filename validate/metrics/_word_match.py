"""What match error rate, word information lost and word information preserved share: words by what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.metrics import _options
from validate.metrics._error_rate import TOKENIZERS, ErrorRate, jiwer_rates
from validate.metrics._mean import ratio
from validate.metrics._registry import Reference
from validate.schema import FloatArray, IntArray
from validate.text import edit_script, tokenizers
from validate.text.corpus import Batch

SOURCE = "Morris, Maier and Green 2004, doi:10.21437/Interspeech.2004-668"


class WordMatch(ErrorRate):
    """A share of hits or errors among the words of output and reference; 0 to 1.

    The number of hits is not given by the fewest edits alone: of several scripts that have no more, the one that RapidFuzz
    returns is counted, as jiwer does (see `validate.text.edit_script`). Neither case nor punctuation is touched.

    Parameters
    ----------
    empty_reference : {"insertions", "nan", "error"}
        See `ErrorRate`.
    tokenizer : {"whitespace", "jiwer"}
        Under "jiwer" only spaces part words, so that a tab, a line feed or a no-break space does not.
    """

    bounds = (0.0, 1.0)
    source = SOURCE
    of_empty = "all of a longer output counts as wrong, and an empty one as right"

    def __init__(self, *, name: str, empty_reference: str = "insertions", tokenizer: str = "whitespace") -> None:
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        super().__init__(name, tokenizers.get(self.tokenizer), empty_reference)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"empty_reference": self.empty_reference, "tokenizer": self.tokenizer}

    def pair_counts(self, batch: Batch) -> IntArray:
        """(m, 4): hits, substitutions, deletions, insertions."""
        return edit_script.edit_kinds(batch, self._tokenizer)

    def _rate(self, references: Sequence[str], outputs: Sequence[str]) -> float:
        import jiwer

        if self.tokenizer == "whitespace":
            references, outputs = ([" ".join(text.split()) for text in texts] for texts in (references, outputs))
        return getattr(jiwer, self.name)(references, outputs)


def preserved(counts: FloatArray) -> FloatArray:
    """Hits by words of the reference, times hits by words of the output; 1 where both are empty. In jiwer's order.

    >>> preserved(np.array([[2.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.3333333333333333, 1.0]
    """
    hits, substitutions, deletions, insertions = np.moveaxis(counts, -1, 0)
    there, here = hits + substitutions + deletions, hits + substitutions + insertions
    share = np.where(hits == 0, hits, ratio(hits, there) * ratio(hits, here))
    return np.where(there + here == 0, 1.0, share)


REFERENCE = Reference(
    "jiwer",
    jiwer_rates,
    tolerance=0.0,
    differs="tabs, line feeds and no-break spaces separate words; jiwer is given texts with single spaces in their place, or "
    "splits by itself under tokenizer='jiwer'",
)
