"""Edits with shifts, as translation edit rate counts them: stretches of the output may be moved for one edit each.

The search is Tercom's greedy one in the form that sacreBLEU gave it. As long as moving some stretch that also stands in the
reference saves edits, the best move is made. Edits are counted in a band around the diagonal, so that they can be more than
the edit distance where two texts agree far from it; the limits below are part of what the numbers mean.

What takes time is counting edits again for every move that is considered; `validate.text._banded` does that with bits.

References
----------
Snover et al. (2006), A study of translation edit rate with targeted human annotation, AMTA.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel
from validate.schema import IntArray
from validate.text._banded import (
    ALIGN,
    MASK_ROW,
    SPARE,
    WORDS,
    WRONG_HERE,
    WRONG_THERE,
    band,
    distance_by_bits,
    room_for,
    table,
    walk_back,
)
from validate.text.alignment import ALL, ZERO, _clear, _set_masks
from validate.text.corpus import Batch
from validate.text.encoded import Encoded
from validate.text.tokenizers import Tokenizer

LONGEST_SHIFT = 10  # tokens moved at once
FARTHEST_SHIFT = 50  # places between a stretch and its like in the reference
MOST_CANDIDATES = 1000  # moves looked at for one pair; the round in which they run out moves nothing
STEEPEST = 25  # reference tokens per output token up to which the band fits one word of bits


def shift_edits(batch: Batch, tokenizer: Tokenizer) -> IntArray:
    """(m,) edits and shifts of every (output, reference) pair.

    >>> from validate.text.tokenizers import get
    >>> shift_edits(Batch.of(["d a b c"], [["a b c d"]]), get("none")).tolist()
    [1]
    """
    return batch.once(("shift-edits", tokenizer.name), lambda: _counted(batch, batch.corpus.encode(tokenizer)))


def _counted(batch: Batch, encoded: Encoded) -> IntArray:
    outputs, references = batch.pairs
    n_out, n_ref = (int(encoded.lengths[texts].max(initial=0)) for texts in (outputs, references))
    room = room_for(n_out, n_ref, len(encoded.types))
    moves = np.zeros((MOST_CANDIDATES + LONGEST_SHIFT + 2, 3), np.int64)
    seen = np.zeros((LONGEST_SHIFT + 1, n_out + 1), np.int64)
    return _shift_edits(encoded.tokens, encoded.offsets, outputs, references, room, moves, seen)


@kernel
def _shift_edits(tokens, offsets, outputs, references, room, moves, seen):  # type: ignore[no-untyped-def]
    """Fewest edits after the moves that were worth their edit, plus one for each of these moves."""
    edits = np.zeros(len(outputs), np.int64)
    for pair in range(len(outputs)):
        output = tokens[offsets[outputs[pair]] : offsets[outputs[pair] + 1]]
        reference = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
        if len(reference) == 0:
            edits[pair] = len(output)
            continue
        _set_masks(reference, room.rows, room.masks, len(reference) // 64 + 2)
        words = room.here[WORDS, : len(output)]
        for place in range(len(output)):
            words[place] = output[place]
        width = band(len(output), len(reference), room)
        checked, shifts, best = np.int64(0), 0, 0
        while best >= 0:
            distance = table(words, reference, width, room)
            edits[pair] = shifts + distance
            walk_back(len(output), len(reference), width, room)
            n_moves, checked = _find_moves(words, reference, room, moves, seen, checked)
            best = -1
            if checked < MOST_CANDIDATES:
                best = _best_move(moves[:n_moves], words, reference, width, distance, room)
            if best >= 0:
                _move(words, moves[best, 0], moves[best, 1], moves[best, 2], room)
                for place in range(len(words)):
                    words[place] = room.here[SPARE, place]
                shifts += 1
        _clear(reference, room.rows)
    return edits


@kernel
def _find_moves(words, reference, room, moves, seen, checked):  # type: ignore[no-untyped-def]
    """Write the moves (start, length, target) worth looking at, each once; how many, and how many Tercom would look at in all.

    A stretch of the output that also stands in the reference may move to where its like is aligned, provided that something
    is wrong in both and that it is not there already. Targets are tried before the stretch and after each of its tokens.
    """
    count = 0
    for start in range(len(words)):
        seen[0, 0] += 1  # marks what was seen from this start
        for there in range(max(0, start - FARTHEST_SHIFT), min(len(reference), start + FARTHEST_SHIFT + 1)):
            length = 0
            longest = min(LONGEST_SHIFT, len(words) - start, len(reference) - there)
            while length < longest and words[start + length] == reference[there + length]:
                length += 1
                if room.here[WRONG_HERE, start + length] == room.here[WRONG_HERE, start]:
                    continue
                if room.there[WRONG_THERE, there + length] == room.there[WRONG_THERE, there]:
                    continue
                if start <= room.there[ALIGN, there] < start + length:
                    continue
                previous = -1
                for place in range(there - 1, there + length):
                    target = 0 if place < 0 else room.there[ALIGN, place] + 1
                    if target == previous:
                        continue
                    previous = target
                    checked += 1
                    if seen[length, target] != seen[0, 0]:
                        seen[length, target] = seen[0, 0]
                        moves[count, 0], moves[count, 1], moves[count, 2] = start, length, target
                        count += 1
                if checked >= MOST_CANDIDATES:
                    return count, checked
    return count, checked


@kernel
def _best_move(moves, words, reference, width, distance, room):  # type: ignore[no-untyped-def]
    """The move that saves most edits; of several the longest stretch, then the earliest, then the earliest target; -1 if none saves any."""
    flat = len(reference) <= STEEPEST * len(words)
    if flat and len(moves) > 0:
        for place in range(len(words)):
            room.here[MASK_ROW, place] = room.rows[words[place]]
        room.bits[0, 0], room.bits[1, 0] = ALL, ZERO
        begin = np.int64(0)  # a literal would have numba compile everything for it once more
        distance_by_bits(begin, begin, begin, len(words), len(reference), begin - 1, room)
    best, fewest = -1, distance
    for place in range(len(moves)):
        start, length, target = moves[place, 0], moves[place, 1], moves[place, 2]
        if flat:
            first, middle, last = _swapped(start, length, target, len(words))
            now = distance_by_bits(first, middle, last, len(words), len(reference), distance, room)
        else:
            _move(words, start, length, target, room)
            now = table(room.here[SPARE, : len(words)], reference, width, room)
        if now < fewest or (now == fewest and best >= 0 and _preferred(moves[place], moves[best])):
            best, fewest = place, now
    return best


@kernel
def _swapped(start, length, target, n_out):  # type: ignore[no-untyped-def]
    """Every move swaps two neighbouring stretches: first to middle, middle to last.

    A target inside the stretch, which an alignment can name, moves the stretch on by as many places.
    """
    if target < start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_out, target + length)


@kernel
def _move(words, start, length, target, room):  # type: ignore[no-untyped-def]
    """Write the text with one stretch moved into ``SPARE``."""
    first, middle, last = _swapped(start, length, target, len(words))
    for place in range(len(words)):
        room.here[SPARE, place] = words[place]
    for place in range(middle, last):
        room.here[SPARE, place - middle + first] = words[place]
    for place in range(first, middle):
        room.here[SPARE, place - middle + last] = words[place]


@kernel
def _preferred(one, other):  # type: ignore[no-untyped-def]
    """Which of two moves that save as many edits: the longer, then the earlier, then the one not so far on."""
    if one[1] != other[1]:
        return one[1] > other[1]
    return one[0] < other[0] or (one[0] == other[0] and one[2] < other[2])
