"""NIST: n-grams in common, each by what it tells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from validate._compile import kernel
from validate.metrics import _options
from validate.metrics._collection import CollectionMetric
from validate.metrics._metric import Level, Metric
from validate.metrics._registry import Reference, register
from validate.metrics.gleu import TOKENIZERS
from validate.schema import FloatArray
from validate.text import tokenizers
from validate.text.corpus import Batch
from validate.text.ngram_numbers import collection_counts, forget, ngram_numbers, tally

N_CHECKED = 10  # items that the cross-check compares one by one: NLTK counts the whole collection anew for each


class Nist(CollectionMetric):
    """Information of the matching n-grams by number of n-grams, added over n, times a penalty for brevity; 0 and up.

    An n-gram tells log2(how often the n-gram without its last word occurs / how often it occurs itself) in the references of
    the collection: what follows rarely on these words tells much. `fit` names the collection. A corpus adds up information,
    n-grams and lengths of all items and divides once.

    Parameters
    ----------
    n : int
        Longest n-gram.
    tokenizer : {"13a", "intl", "char", "zh", "cjk", "none"}
        "13a" is that of mteval-v13a, NIST's own program.
    lowercase : bool
        mteval-v13a lowercases unless it is told not to; NLTK does not.

    Notes
    -----
    For each n by itself the reference with the most information per n-gram counts, of equals the longest; lengths are compared
    over all n together. That is NLTK's reading. An n without any n-gram adds 0, where NLTK fails with a division by zero.
    An n-gram that the collection does not have, which happens only when that is another than what is scored, counts as seen
    once. A text that repeats rare words tells more per word than a good one: the reference itself is not always the best output.

    References
    ----------
    Doddington (2002), doi:10.3115/1289189.1289273, equations 2 and 3.

    Examples
    --------
    Four words in all: "red" and "bus" tell log2(4/1) each and "old" log2(4/2); after "old", "red" tells log2(2/1). The output
    has (2 + 1) bits in two words and 0 in one pair; it is as long as the reference.

    >>> metric = Nist(n=2).fit([["old red"], ["old bus"]])
    >>> metric.score(["red old"], [["old red"]]).system
    1.5
    """

    bounds = (0.0, float("inf"))
    source = "Doddington 2002, doi:10.3115/1289189.1289273"
    checked_against = "nltk"
    summary = "information of matching n-grams, with a penalty for brevity"

    def __init__(self, *, name: str = "nist", n: int = 5, tokenizer: str = "13a", lowercase: bool = False) -> None:
        self.name = name
        self.n = _options.whole(name, "n", n, 1, _options.LONGEST)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self.lowercase = _options.yes_or_no(name, "lowercase", lowercase)
        self._tokenizer = tokenizers.get(self.tokenizer, lowercase=lowercase)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"n": self.n, "tokenizer": self.tokenizer, "lowercase": self.lowercase}

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2 orders + 2): information per order, n-grams per order, words of the references and of the output, order by order."""
        collection = self.collection(batch)
        ngrams = ngram_numbers(batch, self._tokenizer, self.n)
        counts = np.maximum(collection_counts(ngrams, collection, False), 1)
        n_words = int(np.diff(ngrams.offsets)[collection.references].sum())
        rows = batch.outputs, batch.references, batch.reference_offsets
        return _count(*ngrams, counts, max(n_words, 1), *rows)

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        rows = np.ascontiguousarray(statistics, dtype=np.float64).reshape(-1, statistics.shape[-1])
        return _nist(rows, self.n).reshape(statistics.shape[:-1])


@kernel
def _count(numbers, prefixes, offsets, counts, n_words, outputs, references, reference_offsets):  # type: ignore[no-untyped-def]
    """Statistics of every row, NaN without references; sums in NLTK's order."""
    orders = len(numbers)
    statistics = np.zeros((len(outputs), 2 * orders + 2))
    here, there = np.zeros(len(prefixes), np.int64), np.zeros(len(prefixes), np.int64)
    kinds, others = np.zeros(len(numbers[0]), np.int32), np.zeros(len(numbers[0]), np.int32)
    for row in range(len(outputs)):
        begin, end = offsets[outputs[row]], offsets[outputs[row] + 1]
        first, last = reference_offsets[row], reference_offsets[row + 1]
        if first == last:
            statistics[row] = np.nan
            continue
        for n in range(orders):
            in_output = numbers[n, begin : max(end - n, begin)]
            n_kinds = tally(in_output, here, kinds)
            best, length = -1.0, 0
            for reference in references[first:last]:
                left, right = offsets[reference], offsets[reference + 1]
                in_reference = numbers[n, left : max(right - n, left)]
                tally(in_reference, there, others)
                information = 0.0
                for kind in kinds[:n_kinds]:
                    if there[kind] > 0:
                        before = n_words if n == 0 else counts[prefixes[kind]]
                        information += (math.log(before / counts[kind]) / math.log(2.0)) * min(here[kind], there[kind])
                forget(in_reference, there)
                if information > best or (information == best and right - left > length):
                    best, length = information, right - left
            forget(in_output, here)
            statistics[row, n], statistics[row, orders + n] = best, len(in_output)
            statistics[row, 2 * orders] += length
            statistics[row, 2 * orders + 1] += end - begin
    return statistics


@kernel
def _nist(statistics, orders):  # type: ignore[no-untyped-def]
    """Scores of rows of statistics; the penalty halves the score of an output that has two words for three of the references."""
    scores = np.zeros(len(statistics))
    beta = math.log(0.5) / math.log(1.5) ** 2
    for row in range(len(statistics)):
        there, here = statistics[row, 2 * orders], statistics[row, 2 * orders + 1]
        if math.isnan(here):
            scores[row] = np.nan
        if not (here > 0 and there > 0):
            continue
        for n in range(orders):
            if statistics[row, orders + n] > 0:
                scores[row] += statistics[row, n] / statistics[row, orders + n]
        if here < there:
            scores[row] *= math.exp(beta * math.log(here / there) ** 2)
    return scores


class _FirstTheCollection(list[Any]):
    """Rows of references that show the collection to whoever looks first: NLTK, when it counts n-grams."""

    def __init__(self, rows: Sequence[Any], collection: Sequence[Any]) -> None:
        super().__init__(rows)
        self._waiting: Sequence[Any] | None = collection

    def __iter__(self) -> Iterator[Any]:
        shown, self._waiting = self._waiting, None
        return super().__iter__() if shown is None else iter(shown)


def _nltk(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """The scores of the first items and the corpus score by NLTK, which is given our tokens and our collection."""
    assert isinstance(metric, Nist)
    from nltk.translate.nist_score import corpus_nist

    here = [metric._tokenizer(text) for text in outputs]
    there = [[metric._tokenizer(text) for text in row] for row in references]
    collection = [[metric._tokenizer(text) for text in row] for row in metric._collection or references]
    known = {tuple(text) for row in collection for text in row}

    def score(rows: slice) -> float:
        """NaN where NLTK fails: no n-gram of some length, no words, or references that the collection has not."""
        if any(tuple(text) not in known for row in there[rows] for text in row):
            return math.nan
        try:
            return float(corpus_nist(_FirstTheCollection(there[rows], collection), here[rows], metric.n))
        except ZeroDivisionError:
            return math.nan

    items = np.full(len(here), np.nan)
    for row in range(min(len(here), N_CHECKED)):
        items[row] = score(slice(row, row + 1))
    return items, score(slice(None))


register(
    "nist",
    Nist,
    reference=Reference(
        "nltk",
        _nltk,
        differs="an n for which there is no n-gram adds 0, where NLTK fails; of items, the first ten are compared one by one",
    ),
    default=False,
)
