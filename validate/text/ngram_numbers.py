"""Every n-gram of a corpus as a number, for metrics that look up how often an n-gram occurs in a whole collection.

An n-gram is told apart exactly, by the number of the n-gram without its last token and by that token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import IntArray
from validate.text.corpus import Batch
from validate.text.encoded import Encoded
from validate.text.ngrams import _find
from validate.text.tokenizers import Tokenizer


class NgramNumbers(NamedTuple):
    """All n-grams of the texts of a corpus.

    Parameters
    ----------
    numbers : (max_order, n_tokens) int32
        Row n - 1: the number of the n-gram that begins at this token, -1 where its text ends before. Numbers are dense, 0 ≤
        number < ``len(prefixes)``; each order goes on where the one below ended.
    prefixes : (n_numbers,) int32
        The number of the n-gram without its last token; -1 for single tokens.
    offsets : (n_texts + 1,) int64
        Text t has the tokens ``offsets[t]`` to ``offsets[t + 1]``.
    """

    numbers: NDArray[np.int32]
    prefixes: NDArray[np.int32]
    offsets: IntArray


def ngram_numbers(batch: Batch, tokenizer: Tokenizer, max_order: int) -> NgramNumbers:
    """The n-grams of all texts of the batch's corpus, for n = 1 … max_order; numbered once for the texts that it holds now.

    >>> from validate.text.tokenizers import get
    >>> found = ngram_numbers(Batch.of(["a b a b"], [["b a"]]), get("none"), 2)
    >>> found.numbers.tolist(), found.prefixes.tolist(), found.offsets.tolist()
    ([[0, 1, 0, 1, 1, 0], [2, 3, 2, -1, 3, -1]], [-1, -1, 0, 1], [0, 4, 6])
    """
    encoded = batch.corpus.encode(tokenizer)
    key = ("ngram-numbers", tokenizer.name, max_order, len(encoded.offsets))
    return batch.once(key, lambda: _numbered(encoded, max_order))


def collection_counts(ngrams: NgramNumbers, collection: Batch, once_an_item: bool) -> IntArray:
    """(n_numbers,) how often each n-gram occurs in the references of a collection, or in how many of its items.

    >>> from validate.text.tokenizers import get
    >>> batch = Batch.of(["", ""], [["a b", "a a"], ["a"]])
    >>> ngrams = ngram_numbers(batch, get("none"), 1)
    >>> [collection_counts(ngrams, batch, once).tolist() for once in (False, True)]
    [[4, 1], [2, 1]]
    """
    counts, last = np.zeros(len(ngrams.prefixes), np.int64), np.full(len(ngrams.prefixes), -1, np.int64)
    texts = collection.references, collection.reference_offsets
    _collection_counts(ngrams.numbers, ngrams.offsets, *texts, once_an_item, counts, last)
    return counts


def _numbered(encoded: Encoded, max_order: int) -> NgramNumbers:
    """Each order's n-grams numbered by those of the order below."""
    n_tokens, first = len(encoded.tokens), len(encoded.types)
    numbers = np.full((max_order, n_tokens), -1, np.int32)
    numbers[0] = encoded.tokens
    prefixes = [np.full(first, -1, np.int32)]
    size = 16
    while size < 2 * n_tokens:
        size *= 2
    for n in range(1, max_order):
        slots, keys = np.zeros(size, np.int32), np.empty(n_tokens, np.int64)
        n_new = _number(encoded.tokens, encoded.offsets, numbers[n - 1], n, first, slots, keys, numbers[n])
        prefixes.append((keys[:n_new] >> 32).astype(np.int32))
        first += n_new
    return NgramNumbers(numbers, np.concatenate(prefixes), encoded.offsets)


@kernel
def _number(tokens, offsets, shorter, n, first, slots, keys, numbers):  # type: ignore[no-untyped-def]
    """Number what is one token longer than ``shorter``, from ``first`` on; how many different ones there are."""
    n_keys = 0
    for text in range(len(offsets) - 1):
        for place in range(offsets[text], offsets[text + 1] - n):
            key = (np.int64(shorter[place]) << 32) | tokens[place + n]
            slot = _find(slots, keys, len(slots) - 1, key)
            if slots[slot] == 0:
                keys[n_keys] = key
                n_keys += 1
                slots[slot] = n_keys
            numbers[place] = first + slots[slot] - 1
    return n_keys


@kernel
def _collection_counts(numbers, offsets, references, reference_offsets, once_an_item, counts, last):  # type: ignore[no-untyped-def]
    """Add up ``counts``; ``last`` holds the item in which an n-gram was seen last."""
    for item in range(len(reference_offsets) - 1):
        for reference in references[reference_offsets[item] : reference_offsets[item + 1]]:
            for n in range(len(numbers)):
                for place in range(offsets[reference], offsets[reference + 1] - n):
                    number = numbers[n, place]
                    if last[number] != item or not once_an_item:
                        counts[number] += 1
                        last[number] = item


@kernel
def tally(numbers, counts, kinds):  # type: ignore[no-untyped-def]
    """Count n-grams in ``counts`` (zero before), write the distinct ones to ``kinds`` in order of occurrence; how many they are."""
    n_kinds = 0
    for number in numbers:
        if counts[number] == 0:
            kinds[n_kinds] = number
            n_kinds += 1
        counts[number] += 1
    return n_kinds


@kernel
def forget(numbers, counts):  # type: ignore[no-untyped-def]
    """Set the counts of these n-grams back to zero."""
    for number in numbers:
        counts[number] = 0
