"""How many n-grams of an output its references have too, each counted at most as often as there.

N-grams are told apart exactly. Inside one row, an n-gram is the pair (number of the n-gram without its last token, number of its last
token), both as the output first has them; the two make one key, and equal keys are equal n-grams, whatever the order and the alphabet.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel
from validate.schema import IntArray
from validate.text.corpus import Batch
from validate.text.tokenizers import Tokenizer

ROOM = 1 << 16  # slots up to which every possible key of a row has its own; beyond, keys are hashed


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
            encoded.tokens, encoded.offsets, len(encoded.types), outputs, batch.references, offsets, max(max_order, 2)
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
def _place_of(slots, keys, mask, key):  # type: ignore[no-untyped-def]
    """Where the number of a key stands in ``slots``: at the key itself where there is room for all keys (mask 0), else by hash."""
    return key if mask == 0 else _find(slots, keys, mask, key)


@kernel
def _number_output(last, width, places, numbers, alive, slots, keys, mask, counts):  # type: ignore[no-untyped-def]
    """Number the n-grams that begin at the ``alive`` places by their shorter n-gram and ``last`` token, and count them; how many types.

    Without branches on what is found, which no processor could guess.
    """
    n_types = 0
    for one in range(alive):
        key = numbers[one] * width + last[places[one]]
        slot = _place_of(slots, keys, mask, key)
        known = np.int64(slots[slot])
        keys[n_types] = key  # stays if the n-gram is new, and is overwritten if not
        numbers[one] = slots[slot] = n_types + 1 if known == 0 else known
        n_types = n_types + 1 if known == 0 else n_types
        counts[numbers[one]] += 1
    return n_types


@kernel
def _count_reference(last, width, places, numbers, alive, slots, keys, mask, counts):  # type: ignore[no-untyped-def]
    """Count those n-grams of a reference that the output has, and keep their places, the others' being dead for all longer ones."""
    kept = np.int64(0)
    for one in range(alive):
        place = places[one]
        number = np.int64(slots[_place_of(slots, keys, mask, numbers[one] * width + last[place])])
        counts[number] += 1  # what the output has not is counted under 0
        places[kept], numbers[kept] = place, number
        kept += number > 0
    return kept - 1 if kept > 0 and places[kept - 1] == len(last) - 1 else kept


@kernel
def _keep_matched(places, numbers, alive, most, end):  # type: ignore[no-untyped-def]
    """Keep the places of the output whose n-gram some reference has, and after which there are tokens left; how many."""
    kept = np.int64(0)
    for one in range(alive):
        place, number = places[one], numbers[one]
        places[kept], numbers[kept] = place, number
        kept += most[number] > 0
    return kept - 1 if kept > 0 and places[kept - 1] == end else kept


@kernel
def _span(offsets, texts, together):  # type: ignore[no-untyped-def]
    """Tokens of the longest of these texts, or of all of them together."""
    span = 0
    for text in texts:
        length = offsets[text + 1] - offsets[text]
        span = span + length if together else max(span, length)
    return span


@kernel
def _all_places(places, numbers, count):  # type: ignore[no-untyped-def]
    for place in range(count):
        places[place], numbers[place] = place, 0


@kernel
def _localized(tokens, local, result, fresh):  # type: ignore[no-untyped-def]
    """Write the numbers that tokens have within the output of a row, 0 for others; give new ones from ``fresh`` on, if it is not 0."""
    for place in range(len(tokens)):
        if fresh > 0 and local[tokens[place]] == 0:
            local[tokens[place]] = fresh
            fresh += 1
        result[place] = local[tokens[place]]
    return fresh


@kernel
def _forget(slots, keys, mask, n_types):  # type: ignore[no-untyped-def]
    """Empty the slots: one by one where keys stand at their own places, else all."""
    if mask == 0:
        for number in range(n_types):
            slots[keys[number]] = 0
    else:
        _clear(slots, mask + 1)


@kernel
def _clipped(tokens, offsets, n_token_types, outputs, references, reference_offsets, max_order):  # type: ignore[no-untyped-def]
    """matches[row, n - 1] = Σ over distinct n-grams of min(count in the output, greatest count in a reference).

    Only places whose n-gram both sides have are looked at for n + 1.
    """
    widest = most_references = 0
    for row in range(len(outputs)):
        first, last = reference_offsets[row], reference_offsets[row + 1]
        widest = max(widest, _span(offsets, references[first:last], True))
        most_references = max(most_references, last - first)
    longest = _span(offsets, outputs, False)
    size = 16
    while size < 2 * longest:
        size *= 2
    slots = np.zeros(
        max(size, min((longest + 1) * (longest + 1), ROOM)), np.int32
    )  # number of the n-gram + 1; 0 is free
    local = np.zeros(n_token_types + 1, np.int32)
    places_here, numbers_here, tokens_here, keys = np.zeros((4, longest + 1), np.int64)
    places_there, numbers_there, tokens_there = np.zeros((3, widest), np.int64)
    in_output, in_reference, most = np.zeros((3, longest + 1), np.int64)  # by number, from 1 on
    alive_there = np.zeros(most_references, np.int64)
    matches = np.zeros((len(outputs), max_order), np.int64)
    for row in range(len(outputs)):
        output = tokens[offsets[outputs[row]] : offsets[outputs[row] + 1]]
        width = _localized(output, local, tokens_here, np.int64(1))
        alive, mask = len(output), 0
        _all_places(places_here, numbers_here, alive)
        if (alive + 1) * width > len(slots):
            mask = 15
            while mask + 1 < 2 * alive:
                mask = 2 * mask + 1
        for n in range(max_order):
            here = tokens_here[n : len(output)]
            _clear(in_output, alive + 1)
            n_types = _number_output(here, width, places_here, numbers_here, alive, slots, keys, mask, in_output)
            _clear(most, n_types + 1)
            begin = 0
            for one in range(reference_offsets[row], reference_offsets[row + 1]):
                reference = tokens[offsets[references[one]] : offsets[references[one] + 1]]
                end, which = begin + len(reference), one - reference_offsets[row]
                places, numbers = places_there[begin:end], numbers_there[begin:end]
                if n == 0:
                    _all_places(places, numbers, len(reference))
                    _localized(reference, local, tokens_there[begin:end], np.int64(0))
                    alive_there[which] = len(reference)
                _clear(in_reference, n_types + 1)
                there = tokens_there[begin + n : max(begin + n, end)]
                alive_there[which] = _count_reference(
                    there, width, places, numbers, alive_there[which], slots, keys, mask, in_reference
                )
                begin = end
                for number in range(1, n_types + 1):
                    most[number] = max(most[number], in_reference[number])
            for number in range(1, n_types + 1):
                matches[row, n] += min(most[number], in_output[number])
            _forget(slots, keys, mask, n_types)
            alive = _keep_matched(places_here, numbers_here, alive, most, len(output) - n - 1)
            if alive == 0:
                break
        _clear_at(local, output)
    return matches


@kernel
def _clear_at(local, tokens):  # type: ignore[no-untyped-def]
    for token in tokens:
        local[token] = 0
