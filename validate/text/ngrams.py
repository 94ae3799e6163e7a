"""How many n-grams of an output its references have too, each counted at most as often as there.

N-grams are told apart exactly. Inside one row, an n-gram is the pair (number of the n-gram without its last token, last
token); two 32-bit numbers make one 64-bit key, and equal keys are equal n-grams, whatever the order and the alphabet.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel
from validate.schema import IntArray
from validate.text.corpus import Batch
from validate.text.tokenizers import Tokenizer


def pair_matches(batch: Batch, tokenizer: Tokenizer, max_order: int) -> IntArray:
    """(m, max_order) clipped matches of every (output, reference) pair of a batch, for n = 1 … max_order.

    >>> from validate.text.tokenizers import get
    >>> pair_matches(Batch.of(["a b a b"], [["a b", "b a b"]]), get("none"), 2).tolist()
    [[2, 1], [3, 2]]
    """
    ends = np.arange(len(batch.references) + 1)
    return _shared(batch, "pairs", tokenizer, max_order, batch.pairs[0], ends)


def row_matches(batch: Batch, tokenizer: Tokenizer, max_order: int) -> IntArray:
    """(n, max_order) clipped matches of every output with all its references together: the greatest count in any of them limits.

    >>> from validate.text.tokenizers import get
    >>> row_matches(Batch.of(["a a b"], [["a b", "a a"]]), get("none"), 2).tolist()
    [[3, 2]]
    """
    if bool((batch.n_references == 1).all()):
        return pair_matches(batch, tokenizer, max_order)
    return _shared(batch, "rows", tokenizer, max_order, batch.outputs, batch.reference_offsets)


def totals(lengths: IntArray, max_order: int) -> IntArray:
    """(…, max_order) n-grams in texts of these lengths: length - n + 1, and none in shorter ones.

    >>> totals(np.array([3, 1]), 2).tolist()
    [[3, 2], [1, 0]]
    """
    return np.maximum(lengths[..., None] - np.arange(max_order), 0)


def _shared(
    batch: Batch, across: str, tokenizer: Tokenizer, max_order: int, outputs: IntArray, offsets: IntArray
) -> IntArray:
    """The counts from the batch's memory; counted for at least two orders, because who wants one order wants the next too."""
    key = ("ngrams", across, tokenizer.name)
    known = batch.cache.get(key)
    if known is None or known.shape[1] < max_order:
        encoded = batch.corpus.encode(tokenizer)
        known = batch.cache[key] = _clipped(
            encoded.tokens, encoded.offsets, outputs, batch.references, offsets, max(max_order, 2)
        )
    return known[:, :max_order]


@kernel
def _clear(array, count):  # type: ignore[no-untyped-def]
    """Zero the first entries. A loop, because assigning to a slice takes numba long to compile."""
    for place in range(count):
        array[place] = 0


@kernel
def _find(slots, keys, mask, key):  # type: ignore[no-untyped-def]
    """The slot of a key in the open-addressing table, or the free slot where it would go."""
    slot = ((key * -7046029254386353131) >> 32) & mask
    while slots[slot] > 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def _number_output(last, numbers, slots, keys, mask, counts):  # type: ignore[no-untyped-def]
    """Number the n-grams that begin at each place by their shorter n-gram and ``last`` token, and count them; how many types."""
    _clear(slots, mask + 1)
    n_types = 0
    for place in range(len(last)):
        key = (numbers[place] << 32) | last[place]
        slot = _find(slots, keys, mask, key)
        if slots[slot] == 0:
            keys[n_types], counts[n_types] = key, 0
            n_types += 1
            slots[slot] = n_types
        numbers[place] = slots[slot] - 1
        counts[numbers[place]] += 1
    return n_types


@kernel
def _count_reference(last, numbers, slots, keys, mask, counts):  # type: ignore[no-untyped-def]
    """Count those n-grams of a reference that the output has; a place whose n-gram it has not is dead (-1) for all longer ones."""
    for place in range(len(last)):
        if numbers[place] >= 0:
            key = (numbers[place] << 32) | last[place]
            numbers[place] = slots[_find(slots, keys, mask, key)] - 1
            if numbers[place] >= 0:
                counts[numbers[place]] += 1


@kernel
def _span(offsets, texts, together):  # type: ignore[no-untyped-def]
    """Tokens of the longest of these texts, or of all of them together."""
    span = 0
    for text in texts:
        length = offsets[text + 1] - offsets[text]
        span = span + length if together else max(span, length)
    return span


@kernel
def _clipped(tokens, offsets, outputs, references, reference_offsets, max_order):  # type: ignore[no-untyped-def]
    """matches[row, n - 1] = Σ over distinct n-grams of min(count in the output, greatest count in a reference)."""
    widest = 0
    for row in range(len(outputs)):
        widest = max(widest, _span(offsets, references[reference_offsets[row] : reference_offsets[row + 1]], True))
    longest = _span(offsets, outputs, False)
    size = 16
    while size < 2 * longest:
        size *= 2
    slots = np.zeros(size, np.int32)  # number of the n-gram + 1; 0 is free
    keys, numbers, numbers_there = np.zeros(longest, np.int64), np.zeros(longest, np.int64), np.zeros(widest, np.int64)
    in_output, in_reference, most = (
        np.zeros(longest, np.int64),
        np.zeros(longest, np.int64),
        np.zeros(longest, np.int64),
    )
    matches = np.zeros((len(outputs), max_order), np.int64)
    for row in range(len(outputs)):
        start, stop = offsets[outputs[row]], offsets[outputs[row] + 1]
        first, last = reference_offsets[row], reference_offsets[row + 1]
        mask = 15
        while mask + 1 < 2 * (stop - start):
            mask = 2 * mask + 1
        for n in range(min(max_order, stop - start)):
            if n == 0:
                _clear(numbers, stop - start)
                _clear(numbers_there, _span(offsets, references[first:last], True))
            n_types = _number_output(tokens[start + n : stop], numbers, slots, keys, mask, in_output)
            _clear(most, n_types)
            begin = 0
            for reference in references[first:last]:
                _clear(in_reference, n_types)
                left, right = offsets[reference], offsets[reference + 1]
                _count_reference(tokens[left + n : right], numbers_there[begin:], slots, keys, mask, in_reference)
                begin += right - left
                for number in range(n_types):
                    most[number] = max(most[number], in_reference[number])
            for number in range(n_types):
                matches[row, n] += min(most[number], in_output[number])
            if matches[row, n] == 0:
                break
    return matches
