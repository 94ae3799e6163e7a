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
from validate.metrics.exact_match import NORMALIZATION, passed_over
from validate.schema import FloatArray
from validate.text import ngrams, tokenizers
from validate.text.corpus import Batch


class TokenF1(MeanMetric):
    """F of the words that output and reference have in common, each as often as both have it; the best reference counts.

    Parameters
    ----------
    normalization : {"squad", "squad-original", "squad-v2", "none"}
        "squad" compares without case, ASCII punctuation and articles; where that leaves nothing of a side, the words of the
        texts as they are are compared, and two empty texts score 1. "squad-original" is the published script of version 1.1, under
        which a side without words scores 0. "squad-v2" is that of version 2.0, under which two sides without words score 1,
        and a reference without words is passed over where another has some; a question that has no answer has the one
        reference ``""``. "none" compares words as blanks part them.

    References
    ----------
    Rajpurkar et al. (2016), doi:10.18653/v1/D16-1264, evaluation script 1.1; Rajpurkar, Jia and Liang (2018),
    doi:10.18653/v1/P18-2124, evaluation script 2.0.

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
        if self.normalization == "squad-v2":
            values = self._both_empty(batch, values)
        elif self.normalization != "squad-original":
            values = self._mend(batch, values)
        return chosen(values, best_pair(batch, values))

    def _both_empty(self, batch: Batch, values: FloatArray) -> FloatArray:
        """1 where neither side has words; 0 for a reference that is passed over."""
        empty = batch.corpus.encode(tokenizers.get("squad")).lengths == 0
        outputs, references = batch.pairs
        values = np.where(empty[outputs] & empty[references], 1.0, values)
        return np.where(passed_over(batch, empty), 0.0, values)

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
