"""SARI: whether a simplification keeps, deletes and adds what its references keep, delete and add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from validate._compile import kernel
from validate.metrics import _options
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._registry import register
from validate.metrics.gleu import TOKENIZERS
from validate.schema import FloatArray
from validate.text import tokenizers
from validate.text.corpus import Batch
from validate.text.ngram_numbers import forget, ngram_numbers, tally

VARIANTS = ("original", "huggingface", "easse")
ORDERS = 4

# Columns of the counts of one order: n-grams with their repetitions, …
ADD_RIGHT, ADDED, ADDABLE, KEEP_RIGHT, KEPT, KEEPABLE, DELETE_RIGHT, DELETED, DELETABLE = range(9)
# … and for the variants that average over distinct n-grams: sums of shares, and distinct n-grams.
KEPT_SHARES, KEPT_KINDS, KEEPABLE_SHARES, KEEPABLE_KINDS, DELETED_SHARES, DELETED_KINDS = range(9, 15)


class Sari(Metric):
    """How well the n-grams of the source are kept and deleted, and new ones added, by the references' example; 0 to 100.

    The mean of three scores, each of them a mean over n = 1 … 4: F of additions, F of what is kept, and precision of deletions.
    References count together: an n-gram that half of them keep is half to be kept.

    Parameters
    ----------
    variant : {"original", "huggingface", "easse"}
        "original": the program of the authors. "huggingface": that of the library evaluate; in the recall of what is kept,
        n-grams count as often as they occur, and what there is nothing of (0/0) is 1, not 0. "easse": that of the toolkit EASSE;
        counts of all items are added up before the one division, n-grams count as often as they occur everywhere but in
        additions, and deletions too are scored by F.
    tokenizer : {"13a", "intl", "char", "zh", "cjk", "none"}
    lowercase : bool

    Notes
    -----
    Under "original" and "huggingface" the system's score is the mean over items. Under "original" and "easse" an n for which
    there is nothing to keep, delete or add gives 0, so that only longer texts with all three kinds of edits can reach 100, and an
    output that rightly repeats its source scores 33. The paper's formula averages precision and recall over n first; all three
    programs average F. An empty text has no words here; the first two programs take it for one empty word. EASSE's options
    are its defaults, 13a and lower case among them.

    References
    ----------
    Xu et al. (2016), Optimizing statistical machine translation for text simplification, TACL 4, doi:10.1162/tacl_a_00107,
    section 4. Alva-Manchego et al. (2019), EASSE, doi:10.18653/v1/D19-3009.

    Examples
    --------
    "a" is rightly kept, "b" and "a b" deleted, "c" and "a c" added; nothing of any kind for n = 3 and 4:
    keep 1/4, delete 2/4, add 2/4.

    >>> round(Sari().score(["a c"], [["a c"]], ["a b"]).system, 4)
    41.6667
    >>> Sari(variant="huggingface").score(["a c"], [["a c"]], ["a b"]).system
    100.0
    """

    bounds = (0.0, 100.0)
    needs: ClassVar[tuple[str, ...]] = ("references", "sources")
    source = "Xu et al. 2016, doi:10.1162/tacl_a_00107"
    summary = "what is kept, deleted and added, by the references' example"

    def __init__(
        self, *, name: str = "sari", variant: str = "original", tokenizer: str = "13a", lowercase: bool = True
    ) -> None:
        self.name = name
        self.variant = _options.one_of(name, "variant", variant, VARIANTS)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self.lowercase = _options.yes_or_no(name, "lowercase", lowercase)
        self._tokenizer = tokenizers.get(self.tokenizer, lowercase=lowercase)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"variant": self.variant, "tokenizer": self.tokenizer, "lowercase": self.lowercase}

    def count(self, batch: Batch) -> FloatArray:
        """(n, 36) nine counts for each n under "easse", else (n, 2): the score and a 1."""
        assert batch.sources is not None
        ngrams = ngram_numbers(batch, self._tokenizer, ORDERS)
        rows = batch.sources, batch.outputs, batch.references, batch.reference_offsets
        counts = _count(ngrams.numbers, ngrams.offsets, len(ngrams.prefixes), *rows)
        if self.variant == "easse":
            return counts[..., :KEPT_SHARES].reshape(len(batch), -1)
        scores = _by_kind(counts, self.variant == "huggingface")
        return np.stack([scores, np.where(np.isnan(scores), np.nan, 1.0)], axis=-1)

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        if self.variant != "easse":
            return ratio(statistics[..., 0], statistics[..., 1])
        return _pooled(statistics.reshape(*statistics.shape[:-1], ORDERS, KEPT_SHARES))


def _share(part: FloatArray, whole: FloatArray, of_nothing: float = 0.0) -> FloatArray:
    """part / whole; ``of_nothing`` where whole is 0."""
    return np.where(whole == 0, of_nothing, ratio(part, whole))


def _f(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Harmonic mean; 0 where both are 0."""
    return _share(2 * precision * recall, precision + recall)


def _mean(keep: FloatArray, delete: FloatArray, add: FloatArray) -> FloatArray:
    """100 times the mean of three scores that are means over n; in the original's order."""
    of_orders = [(part[..., 0] + part[..., 1] + part[..., 2] + part[..., 3]) / ORDERS for part in (keep, delete, add)]
    return 100 * ((of_orders[0] + of_orders[1] + of_orders[2]) / 3)


def _by_kind(counts: FloatArray, huggingface: bool) -> FloatArray:
    """(…,) scores of items out of (…, 4, 15) counts, averaged over distinct n-grams."""
    nothing = 1.0 if huggingface else 0.0
    column = np.moveaxis(counts, -1, 0)
    recall = (KEEP_RIGHT, KEEPABLE) if huggingface else (KEEPABLE_SHARES, KEEPABLE_KINDS)
    keep = _f(
        _share(column[KEPT_SHARES], column[KEPT_KINDS], nothing), _share(column[recall[0]], column[recall[1]], nothing)
    )
    delete = _share(column[DELETED_SHARES], column[DELETED_KINDS], nothing)
    add = _f(*(_share(column[ADD_RIGHT], column[whole], nothing) for whole in (ADDED, ADDABLE)))
    return _mean(keep, delete, add)


def _pooled(counts: FloatArray) -> FloatArray:
    """(…,) scores of items or corpora out of (…, 4, 9) counts."""
    column = np.moveaxis(counts, -1, 0)
    triples = ((KEEP_RIGHT, KEPT, KEEPABLE), (DELETE_RIGHT, DELETED, DELETABLE), (ADD_RIGHT, ADDED, ADDABLE))
    parts = [
        _f(_share(column[right], column[done]), _share(column[right], column[due])) for right, done, due in triples
    ]
    return _mean(*parts)


@kernel
def _count(numbers, offsets, n_numbers, sources, outputs, references, reference_offsets):  # type: ignore[no-untyped-def]
    """(n, 4, 15) counts of every row, NaN without references. Source and output count as often as there are references."""
    counts = np.zeros((len(outputs), len(numbers), 15))
    before, after, there = np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64)
    of_source, of_output = np.zeros(len(numbers[0]), np.int32), np.zeros(len(numbers[0]), np.int32)
    of_references = np.zeros(n_numbers, np.int32)
    for row in range(len(outputs)):
        several = references[reference_offsets[row] : reference_offsets[row + 1]]
        if len(several) == 0:
            counts[row] = np.nan
            continue
        for n in range(len(numbers)):
            found = counts[row, n]
            source = numbers[n, offsets[sources[row]] : max(offsets[sources[row] + 1] - n, offsets[sources[row]])]
            output = numbers[n, offsets[outputs[row]] : max(offsets[outputs[row] + 1] - n, offsets[outputs[row]])]
            n_source, n_output = tally(source, before, of_source), tally(output, after, of_output)
            n_references = 0
            for text in several:
                reference = numbers[n, offsets[text] : max(offsets[text + 1] - n, offsets[text])]
                n_references += tally(reference, there, of_references[n_references:])
            for kind in of_source[:n_source]:
                _keep_and_delete(before[kind] * len(several), after[kind] * len(several), there[kind], found)
            for kind in of_output[:n_output]:
                if before[kind] == 0:
                    found[ADDED] += 1
                    found[ADD_RIGHT] += there[kind] > 0
            for kind in of_references[:n_references]:
                found[ADDABLE] += before[kind] == 0
            forget(source, before)
            forget(output, after)
            forget(of_references[:n_references], there)
    return counts


@kernel
def _keep_and_delete(before, after, there, found):  # type: ignore[no-untyped-def]
    """Add what became of one n-gram of the source, of which the references together have ``there`` copies.

    Whether a deletion was right, EASSE asks of the copies that references lack, the authors of those that are left in none.
    """
    kept, keepable = min(before, after), min(before, there)
    right = min(kept, there)
    found[KEEP_RIGHT] += right
    found[KEPT] += kept
    found[KEEPABLE] += keepable
    found[KEPT_KINDS] += kept > 0
    found[KEEPABLE_KINDS] += keepable > 0
    if right > 0:
        found[KEPT_SHARES] += right / kept
        found[KEEPABLE_SHARES] += right / keepable
    deleted, deletable = max(before - after, 0), max(before - there, 0)
    found[DELETE_RIGHT] += min(deleted, deletable)
    found[DELETED] += deleted
    found[DELETABLE] += deletable
    found[DELETED_KINDS] += deleted > 0
    if deleted > there:
        found[DELETED_SHARES] += (deleted - there) / deleted


register("sari", Sari, default=False)
