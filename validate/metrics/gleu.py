"""GLEU: n-grams in common, by the longer of output and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.errors import bad_value
from validate.metrics import _options
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import Reference, register
from validate.schema import FloatArray
from validate.text import ngrams, tokenizers
from validate.text.corpus import Batch

TOKENIZERS = ("13a", "intl", "char", "zh", "cjk", "none")


class Gleu(Metric):
    """The lower of precision and recall of all n-grams of order 1 to 4 together, the sentence score of Google's translator; 0 to 1.

    It was made for single sentences. A corpus adds up matches and n-grams of all items and divides once. Of several
    references the one with the best score counts, the first of equals.

    Parameters
    ----------
    min_order, max_order : int
        Shortest and longest n-gram.
    tokenizer : {"13a", "intl", "char", "zh", "cjk", "none"}
    lowercase : bool

    Notes
    -----
    Where neither text has an n-gram the score is 0, as NLTK's. The metric of the same name for grammar correction (Napoles et
    al. 2015) is another.

    References
    ----------
    Wu et al. (2016), Google's neural machine translation system, arXiv:1609.08144, section 5.2.

    Examples
    --------
    "the" and "cat" and "the cat" are found of 3 + 2 n-grams of the output, and of 2 + 1 of the reference.

    >>> Gleu(max_order=2).score(["the cat sat"], [["the cat"]]).system
    0.6
    """

    source = "Wu et al. 2016, https://arxiv.org/abs/1609.08144"
    checked_against = "nltk"
    summary = "n-grams in common by those of the longer text"

    def __init__(
        self,
        *,
        name: str = "gleu",
        min_order: int = 1,
        max_order: int = 4,
        tokenizer: str = "13a",
        lowercase: bool = False,
    ) -> None:
        self.name = name
        self.min_order = _options.whole(name, "min_order", min_order, 1, _options.LONGEST)
        self.max_order = _options.whole(name, "max_order", max_order, 1, _options.LONGEST)
        if self.max_order < self.min_order:
            raise bad_value(name, "max_order", max_order, f"min_order ({min_order}) or more")
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self.lowercase = _options.yes_or_no(name, "lowercase", lowercase)
        self._tokenizer = tokenizers.get(self.tokenizer, lowercase=lowercase)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "min_order": self.min_order,
            "max_order": self.max_order,
            "tokenizer": self.tokenizer,
            "lowercase": self.lowercase,
        }

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2): n-grams in common with the best reference, and n-grams of the text that has more."""
        wanted = slice(self.min_order - 1, None)
        matches = ngrams.pair_matches(batch, self._tokenizer, self.max_order)[:, wanted].sum(axis=-1)
        lengths = batch.corpus.encode(self._tokenizer).lengths
        outputs, references = (ngrams.totals(lengths[texts], self.max_order)[:, wanted] for texts in batch.pairs)
        longer = np.maximum(outputs.sum(axis=-1), references.sum(axis=-1))
        counts = np.stack([matches, longer], axis=-1)
        # A pair without any n-gram counts only where there is no other, as in NLTK's corpus score.
        return chosen(counts, best_pair(batch, np.where(longer == 0, -1.0, self.divide(counts))))

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return statistics[..., 0] / np.where(statistics[..., 1] == 0, 1, statistics[..., 1])


def _nltk(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """Item scores and the corpus score by NLTK, which is given our tokens."""
    assert isinstance(metric, Gleu)
    from nltk.translate.gleu_score import corpus_gleu, sentence_gleu

    here = [metric._tokenizer(text) for text in outputs]
    there = [[metric._tokenizer(text) for text in row] for row in references]
    orders = {"min_len": metric.min_order, "max_len": metric.max_order}
    items = [sentence_gleu(row, output, **orders) for row, output in zip(there, here, strict=True)]
    return np.array(items), corpus_gleu(there, here, **orders)


register("gleu", Gleu, reference=Reference("nltk", _nltk, tolerance=0.0), default=False)
