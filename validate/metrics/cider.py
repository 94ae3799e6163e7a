"""CIDEr: how far an output says what its references agree on and other items do not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate._compile import kernel
from validate.errors import bad_value, plural
from validate.metrics import _options
from validate.metrics._collection import CollectionMetric
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import Metric
from validate.metrics._registry import NoCounterpart, Reference, register
from validate.schema import Fact, FloatArray
from validate.text import tokenizers
from validate.text.corpus import Batch
from validate.text.ngram_numbers import collection_counts, forget, ngram_numbers, tally

VARIANTS = ("cider-d", "cider")
TOKENIZERS = ("unicode", "whitespace")
LIBRARY_ORDER = 4  # pycocoevalcap counts n-grams up to here, whatever its option n says


class Cider(CollectionMetric, MeanMetric):
    """Cosine of n-gram counts weighted by rarity, averaged over n and references, times 10; 0 to 10.

    An n-gram weighs log(N / df): N items in the collection, in df of which a reference has it. `fit` names the collection.

    Parameters
    ----------
    variant : {"cider-d", "cider"}
        "cider-d": an n-gram counts at most as often as in the reference, and texts of other length lose by a Gaussian. This is
        what pycocoevalcap and most papers call CIDEr. "cider": the plain cosine of the paper, without its stemming.
    n : int
        Longest n-gram.
    sigma : float
        Width of the Gaussian of "cider-d", in bigrams, because the published code takes their number for the length.
    tokenizer : {"unicode", "whitespace"}
        "unicode": lowercased words of any script without punctuation, near to the Penn Treebank tokens less punctuation that
        COCO scores with (which need Java), and equal to them up to clitics and hyphens. "whitespace": the text is taken as it
        stands, for texts that are tokenised already.

    Notes
    -----
    All n orders are averaged, so that an output shorter than n tokens cannot reach 10: an identical caption of three tokens
    scores 7.5. What is in a reference of every item weighs nothing. A collection of one item gives every n-gram the weight 0;
    the score is then undefined, where pycocoevalcap gives 0.

    References
    ----------
    Vedantam, Zitnick and Parikh (2015), doi:10.1109/CVPR.2015.7299087, equations 1 to 3 and, for CIDEr-D, section 6.

    Examples
    --------
    Two items have nothing in common, so that all n-grams weigh log 2. One of two words is right, and no bigram:
    1/sqrt(2)/sqrt(2) for n = 1, and 0; the mean of both times 10.

    >>> metric = Cider(n=2).fit([["red bus"], ["old man"]])
    >>> round(metric.score(["red car"], [["red bus"]]).system, 4)
    2.5
    """

    bounds = (0.0, 10.0)
    source = "Vedantam, Zitnick and Parikh 2015, doi:10.1109/CVPR.2015.7299087"
    checked_against = "pycocoevalcap"
    summary = "n-grams in common with the references, weighted by rarity in the collection"

    def __init__(
        self,
        *,
        name: str = "cider",
        variant: str = "cider-d",
        n: int = 4,
        sigma: float = 6.0,
        tokenizer: str = "unicode",
    ) -> None:
        self.name = name
        self.variant = _options.one_of(name, "variant", variant, VARIANTS)
        self.n = _options.whole(name, "n", n, 1, _options.LONGEST)
        self.sigma = _options.number(name, "sigma", sigma, 0)
        if self.sigma == 0:
            raise bad_value(name, "sigma", sigma, "a number above 0")
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self._tokenizer = tokenizers.get(self.tokenizer)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"variant": self.variant, "n": self.n, "sigma": self.sigma, "tokenizer": self.tokenizer}

    def item_scores(self, batch: Batch) -> FloatArray:
        collection = self.collection(batch)
        n_items = int((collection.n_references > 0).sum())
        scores = np.full(len(batch), np.nan)
        if n_items < 2:
            return scores
        ngrams = ngram_numbers(batch, self._tokenizer, self.n)
        frequencies = collection_counts(ngrams, collection, True)
        rarity = np.log(float(n_items)) - np.log(np.maximum(frequencies, 1.0))
        rows = batch.outputs, batch.references, batch.reference_offsets
        _cider(ngrams.numbers, ngrams.offsets, rarity, *rows, float(self.sigma), self.variant == "cider-d", scores)
        return scores

    def notes(self, batch: Batch) -> list[Fact]:
        """Warns when the collection has one item, whose document frequencies weigh nothing."""
        n_items = int((self.collection(batch).n_references > 0).sum())
        if n_items != 1:
            return []
        text = (
            f"{self.name}: undefined for {plural(len(batch), 'output')}: document frequencies need more than one item with "
            "references; score more items together, or fit(references) on a larger collection"
        )
        return [Fact("one-item", len(batch), text, "warning")]


@kernel
def _weights(kinds, counts, rarity):  # type: ignore[no-untyped-def]
    """Length of the vector of weighted counts."""
    total = 0.0
    for kind in kinds:
        weight = counts[kind] * rarity[kind]
        total += weight * weight
    return math.sqrt(total)


@kernel
def _cider(numbers, offsets, rarity, outputs, references, reference_offsets, sigma, defended, scores):  # type: ignore[no-untyped-def]
    """Write the scores of rows that have references, in pycocoevalcap's order of operations."""
    here, there = np.zeros(len(rarity), np.int64), np.zeros(len(rarity), np.int64)
    kinds, others = np.zeros(len(numbers[0]), np.int32), np.zeros(len(numbers[0]), np.int32)
    for row in range(len(outputs)):
        begin, end = offsets[outputs[row]], offsets[outputs[row] + 1]
        first, last = reference_offsets[row], reference_offsets[row + 1]
        if first == last:
            continue
        total = 0.0
        for n in range(len(numbers)):
            stop = max(end - n, begin)
            n_kinds = tally(numbers[n, begin:stop], here, kinds)
            norm = _weights(kinds[:n_kinds], here, rarity)
            of_order = 0.0
            for reference in references[first:last]:
                left, right = offsets[reference], offsets[reference + 1]
                in_reference = numbers[n, left : max(right - n, left)]
                n_others = tally(in_reference, there, others)
                other_norm = _weights(others[:n_others], there, rarity)
                value = 0.0
                for kind in kinds[:n_kinds]:
                    mine, theirs = here[kind] * rarity[kind], there[kind] * rarity[kind]
                    value += (min(mine, theirs) if defended else mine) * theirs
                if norm != 0 and other_norm != 0:
                    value /= norm * other_norm
                if defended:
                    apart = float(max(end - begin - 1, 0) - max(right - left - 1, 0))
                    value *= np.e ** (-(apart * apart) / (2 * sigma**2))
                of_order += value
                forget(in_reference, there)
            total += of_order
            forget(numbers[n, begin:stop], here)
        scores[row] = total / len(numbers) / (last - first) * 10.0


class _Counted(list[Any]):
    """Rows of references that say another number of items, because pycocoevalcap takes N from the rows that it scores."""

    def __init__(self, rows: Sequence[Any], n_items: int) -> None:
        super().__init__(rows)
        self.n_items = n_items

    def __len__(self) -> int:
        return self.n_items


def _pycocoevalcap(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item scores and their mean by pycocoevalcap's scorer, which is given our tokens and our collection."""
    assert isinstance(metric, Cider)
    if metric.variant != "cider-d" or metric.n != LIBRARY_ORDER:
        raise NoCounterpart(f"pycocoevalcap scores CIDEr-D with n={LIBRARY_ORDER} only")
    from pycocoevalcap.cider.cider_scorer import CiderScorer

    def tokens(text: str) -> str:
        return " ".join(metric._tokenizer(text))

    collection = [row for row in metric._collection or references if row]
    if len(collection) < 2:
        raise NoCounterpart("one item: pycocoevalcap gives 0 for what is undefined")
    known = CiderScorer()
    for row in collection:
        known += ("", [tokens(text) for text in row])
    known.compute_doc_freq()
    scorer = CiderScorer(sigma=metric.sigma)
    for output, row in zip(outputs, references, strict=True):
        scorer += (tokens(output), [tokens(text) for text in row])
    scorer.document_frequency = known.document_frequency
    scorer.crefs = _Counted(scorer.crefs, len(collection))
    items = np.array(scorer.compute_cider())
    return items, float(np.mean(items))


register(
    "cider",
    Cider,
    reference=Reference(
        "pycocoevalcap",
        _pycocoevalcap,
        differs="pycocoevalcap is given our tokens, because its own need Java; a collection of one item is undefined, not 0",
    ),
    default=False,
)
