"""chrF and chrF++: F-score of character n-grams, the second with word n-grams too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.errors import bad_value
from validate.metrics import _options, _sacrebleu
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen, streams
from validate.metrics._registry import Reference, register
from validate.schema import FloatArray, IntArray
from validate.text import ngrams, tokenizers
from validate.text.corpus import Batch
from validate.text.tokenizers import Tokenizer

EPSILON = 1e-16


class Chrf(Metric):
    """Precision and recall of n-grams, averaged over orders, then one F that weighs recall ``beta`` times; 0 to 100.

    Blanks do not count as characters. Of several references the one with the best item score counts, and its counts go
    into the corpus score.

    Parameters
    ----------
    char_order : int
        Longest character n-gram.
    word_order : int
        Longest word n-gram; 0 for chrF, 2 for chrF++.
    beta : int or float
    lowercase : bool
    eps_smoothing : bool
        F per order, averaged over all orders, with 1e-16 for what is undefined, as chrF++.py, Moses and NLTK do. Otherwise
        precision and recall are averaged over the orders that both texts are long enough for.

    Notes
    -----
    An empty output, or an empty reference, scores 0.

    References
    ----------
    Popović (2015), doi:10.18653/v1/W15-3049; Popović (2017), doi:10.18653/v1/W17-4770.

    Examples
    --------
    Order 1 only: all three characters of the output are right, three of four of the reference are found, and
    F2 = 5 · 1 · 0.75 / (4 · 1 + 0.75).

    >>> round(Chrf(char_order=1).score(["abc"], [["abcd"]]).system, 2)
    78.95
    """

    bounds = (0.0, 100.0)
    source = "Popović 2015, doi:10.18653/v1/W15-3049; Popović 2017, doi:10.18653/v1/W17-4770"
    checked_against = "sacrebleu"
    summary = "F-score of character n-grams"

    def __init__(
        self,
        *,
        name: str = "chrf",
        char_order: int = 6,
        word_order: int = 0,
        beta: float = 2,
        lowercase: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        self.name = name
        self.char_order = _options.whole(name, "char_order", char_order, 1, _options.LONGEST)
        self.word_order = _options.whole(name, "word_order", word_order, 0, _options.LONGEST)
        self.beta = _options.number(name, "beta", beta, 0)
        self.lowercase = _options.yes_or_no(name, "lowercase", lowercase)
        self.eps_smoothing = _options.yes_or_no(name, "eps_smoothing", eps_smoothing)
        if self.word_order:
            self.summary = "F-score of character and word n-grams"

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "char_order": self.char_order,
            "word_order": self.word_order,
            "beta": self.beta,
            "lowercase": self.lowercase,
            "eps_smoothing": self.eps_smoothing,
        }

    def sacrebleu_signature(self, n_references: int | str | Sequence[Sequence[str]]) -> str:
        """The signature that sacreBLEU prints for this number.

        Parameters
        ----------
        n_references : int, "var", or list of list of str
            References per output, "var" where outputs have different numbers of them, or the references themselves.

        Raises
        ------
        OptionError
            For a beta other than 2, which sacreBLEU's signature does not state.
        """
        if self.beta != 2:
            raise bad_value(self.name, "beta", self.beta, "2 in a signature of sacrebleu's, which does not state it")
        fields = {
            "case": _sacrebleu.case(self.lowercase),
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "space": False,
        }
        return _sacrebleu.signature(self.name, n_references, fields)

    def count(self, batch: Batch) -> FloatArray:
        """(n, 3 · orders): for every order the n-grams of the output, of the reference, and the matches."""
        char = _triplets(batch, tokenizers.get("char", lowercase=self.lowercase), self.char_order)
        if self.word_order:
            words = tokenizers.get("chrf-words", lowercase=self.lowercase)
            char = np.concatenate([char, _triplets(batch, words, self.word_order)], axis=1)
        pairs = char.reshape(len(char), 3 * char.shape[1]).astype(np.float64)
        return chosen(pairs, best_pair(batch, self.divide(pairs)))

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        triplets = statistics.reshape(*statistics.shape[:-1], statistics.shape[-1] // 3, 3)
        here, there, matches = triplets[..., 0], triplets[..., 1], triplets[..., 2]
        with_output, with_reference = here > 0, there > 0
        precision = np.where(with_output, ratio(matches, here), EPSILON)
        recall = np.where(with_reference, ratio(matches, there), EPSILON)
        if self.eps_smoothing:
            scores = 100 * _added(np.where(*self._f_or_epsilon(precision, recall))) / triplets.shape[-2]
        else:
            both = with_output & with_reference
            orders = np.maximum(both.sum(axis=-1), 1)
            scores = self._f(
                _added(np.where(both, precision, 0.0)) / orders, _added(np.where(both, recall, 0.0)) / orders
            )
        return np.where(np.isnan(statistics).any(axis=-1), np.nan, scores)

    def _f(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        """100 · (1 + β²) P R / (β² P + R), and 0 where both are 0; in sacreBLEU's order of operations."""
        factor = self.beta**2
        scores = np.zeros(np.shape(precision))
        found = precision + recall > 0
        np.divide((1 + factor) * precision * recall, factor * precision + recall, out=scores, where=found)
        return 100 * scores

    def _f_or_epsilon(self, precision: FloatArray, recall: FloatArray) -> tuple[Any, FloatArray, float]:
        """Where F is defined, F per order as sacreBLEU writes it for its smoothing, and what stands elsewhere."""
        factor = self.beta**2
        denominator = factor * precision + recall
        scores = np.zeros(np.shape(precision))
        np.divide((1 + factor) * precision * recall, denominator, out=scores, where=denominator > 0)
        return denominator > 0, scores, EPSILON


def _added(values: FloatArray) -> FloatArray:
    """The sum along the last axis, from left to right: numpy's own sum pairs the terms and rounds otherwise."""
    total = np.zeros(values.shape[:-1])
    for place in range(values.shape[-1]):
        total = total + values[..., place]
    return total


def _triplets(batch: Batch, tokenizer: Tokenizer, max_order: int) -> IntArray:
    """(m, max_order, 3) n-grams of the output, of the reference and matches of every pair.

    An order that the reference is too short for counts no n-grams of the output either.
    """
    outputs, references = batch.pairs
    lengths = batch.corpus.encode(tokenizer).lengths
    there = ngrams.totals(lengths[references], max_order)
    here = np.where(there > 0, ngrams.totals(lengths[outputs], max_order), 0)
    return np.stack([here, there, ngrams.pair_matches(batch, tokenizer, max_order)], axis=-1)


def _by_sacrebleu(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    from sacrebleu.metrics import CHRF

    scorer = CHRF(**metric.options)
    items = [scorer.sentence_score(output, row).score for output, row in zip(outputs, references, strict=True)]
    return np.array(items), scorer.corpus_score(outputs, streams(references)).score


register("chrf", Chrf, reference=Reference("sacrebleu", _by_sacrebleu))
register("chrf++", Chrf, reference=Reference("sacrebleu", _by_sacrebleu), word_order=2)
