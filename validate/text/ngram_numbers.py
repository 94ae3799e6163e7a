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

    def number() -> NgramNumbers:
        numbers, prefixes = _number(encoded.tokens, encoded.offsets, len(encoded.types), max_order)
        return NgramNumbers(numbers, prefixes, encoded.offsets)

    return batch.once(("ngram-numbers", tokenizer.name, max_order, len(encoded.offsets)), number)


def collection_counts(ngrams: NgramNumbers, collection: Batch, once_an_item: bool) -> IntArray:
    """(n_numbers,) how often each n-gram occurs in the references of a collection, or in how many of its items.

    >>> from validate.text.tokenizers import get
    >>> batch = Batch.of(["", ""], [["a b", "a a"], ["a"]])
    >>> ngrams = ngram_numbers(batch, get("none"), 1)
    >>> [collection_counts(ngrams, batch, once).tolist() for once in (False, True)]
    [[4, 1], [2, 1]]
    """
    return _collection_counts(*ngrams, collection.references, collection.reference_offsets, once_an_item)


@kernel
def _number(tokens, offsets, n_types, max_order):  # type: ignore[no-untyped-def]
    numbers = np.full((max_order, len(tokens)), -1, np.int32)
    numbers[0] = tokens
    prefixes = np.full(n_types + len(tokens) * (max_order - 1), -1, np.int32)
    size = 16
    while size < 2 * len(tokens):
        size *= 2
    slots, keys = np.zeros(size, np.int32), np.zeros(len(tokens), np.int64)
    first = n_types
    for n in range(1, max_order):
        slots[:] = 0
        n_keys = 0
        for text in range(len(offsets) - 1):
            for place in range(offsets[text], offsets[text + 1] - n):
                key = (np.int64(numbers[n - 1, place]) << 32) | tokens[place + n]
                slot = _find(slots, keys, size - 1, key)
                if slots[slot] == 0:
                    keys[n_keys] = key
                    prefixes[first + n_keys] = numbers[n - 1, place]
                    n_keys += 1
                    slots[slot] = n_keys
                numbers[n, place] = first + slots[slot] - 1
        first += n_keys
    return numbers, prefixes[:first].copy()


@kernel
def _collection_counts(numbers, prefixes, offsets, references, reference_offsets, once_an_item):  # type: ignore[no-untyped-def]
    counts, last = np.zeros(len(prefixes), np.int64), np.full(len(prefixes), -1, np.int64)
    for item in range(len(reference_offsets) - 1):
        for reference in references[reference_offsets[item] : reference_offsets[item + 1]]:
            for n in range(len(numbers)):
                for place in range(offsets[reference], offsets[reference + 1] - n):
                    number = numbers[n, place]
                    if last[number] != item or not once_an_item:
                        counts[number] += 1
                        last[number] = item
    return counts


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
