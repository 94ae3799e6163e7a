"""Word overlap of short answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import register
from validate.metrics._rouge import precision_recall_f
from validate.metrics.exact_match import NORMALIZATION
from validate.schema import FloatArray
from validate.text import ngrams, tokenizers
from validate.text.corpus import Batch


class TokenF1(MeanMetric):
    """F of the words that output and reference have in common, each as often as both have it; the best reference counts.

    Parameters
    ----------
    normalization : {"squad", "squad-original", "none"}
        "squad" compares without case, ASCII punctuation and articles; where that leaves nothing of a side, the words of the
        texts as they are are compared, and two empty texts score 1. "squad-original" is the published script, under
        which a side without words scores 0. "none" compares words as blanks part them.

    References
    ----------
    Rajpurkar et al. (2016), doi:10.18653/v1/D16-1264, evaluation script 1.1.

    Examples
    --------
    ``cat`` is one of two words and the whole of the reference: F = 2/3.

    >>> round(TokenF1().score(["the black cat"], [["a cat"]]).system, 4)
    0.6667
    """

    source = "Rajpurkar et al. 2016, doi:10.18653/v1/D16-1264"
    summary = "F-score of words in common"

    def __init__(self, *, name: str = "token_f1", normalization: str = "squad") -> None:
        self.name = name
        self.normalization = _options.one_of(name, "normalization", normalization, NORMALIZATION)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"normalization": self.normalization}

    def item_scores(self, batch: Batch) -> FloatArray:
        values = _pair_f1(batch, "whitespace" if self.normalization == "none" else "squad")
        if self.normalization != "squad-original":
            values = self._mend(batch, values)
        return chosen(values, best_pair(batch, values))

    def _mend(self, batch: Batch, values: FloatArray) -> FloatArray:
        """Words as they are where normalisation empties a side, and 1 where both texts have no words at all."""
        words = batch.corpus.encode(tokenizers.get("whitespace")).lengths
        outputs, references = batch.pairs
        if self.normalization == "squad":
            left = batch.corpus.encode(tokenizers.get("squad")).lengths
            emptied = (left[outputs] == 0) | (left[references] == 0)
            values = np.where(emptied, _pair_f1(batch, "whitespace"), values)
        return np.where((words[outputs] == 0) & (words[references] == 0), 1.0, values)


def _pair_f1(batch: Batch, tokenizer: str) -> FloatArray:
    """(m,) F1 of every pair over the words of one tokenizer."""
    words = tokenizers.get(tokenizer)
    lengths = batch.corpus.encode(words).lengths
    outputs, references = batch.pairs
    return precision_recall_f(ngrams.pair_matches(batch, words, 1)[:, 0], lengths[outputs], lengths[references])["f"]


register("token_f1", TokenF1)
