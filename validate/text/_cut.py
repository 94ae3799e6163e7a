"""Cutting texts into tokens by the class of each character, for a whole corpus in one compiled pass.

Most tokenizers in use, mteval-13a among them, do no more than decide per character, seeing its neighbours, whether it
stands alone. So a tokenizer is a function from a character to one of the classes below, and one pass over the code
points of all texts finds the tokens and gives equal tokens equal numbers. Nothing hangs on hash luck: candidates are
compared code point by code point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.text.encoded import Encoded

SPACE = 0  # separates and vanishes
PLAIN = 1  # part of a word
DIGIT = 2  # part of a word; binds a STOP or makes a DASH stand alone
STOP = 3  # full stop and comma: alone unless it stands before a digit and after a digit, as in 3.14
DASH = 4  # alone after a digit, part of a word elsewhere
ALONE = 5  # a token by itself
EDGE = 6  # part of a word, but cut off the end of it, or else off its beginning (chrF's punctuation)
JOIN = 7  # sticks to an ALONE before it (combining marks), part of a word elsewhere
BREAK = 8  # a token by itself that nothing sticks to (line breaks)

N_POINTS = 0x110000


def encode(texts: Sequence[str], classify: Callable[[str], int], padded: bool) -> Encoded:
    """Cut texts by character class and number the tokens.

    Parameters
    ----------
    texts : list of str
    classify : callable
        The class of one character; asked once per distinct character.
    padded : bool
        Whether the ends of a text count as blanks for a STOP beside them (True for 13a), or as nothing at all.
    """
    joined = "".join(texts)
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
    points = np.array(memoryview(joined.encode("utf-32-le", "surrogatepass")).cast("I"), dtype=np.uint32)
    singles = np.zeros(N_POINTS, dtype=np.int32)  # untouched pages of it cost nothing
    tokens, token_offsets, spans = _encode(points, offsets, _table(points, classify), padded, singles)
    return Encoded(tokens, token_offsets, [joined[start:stop] for start, stop in spans.tolist()])


def _table(points: NDArray[np.uint32], classify: Callable[[str], int]) -> NDArray[np.uint8]:
    """The class of every code point that occurs, as an array over all of Unicode."""
    seen = np.zeros(N_POINTS, dtype=np.bool_)
    seen[points] = True
    table = np.zeros(N_POINTS, dtype=np.uint8)
    for point in np.flatnonzero(seen).tolist():
        table[point] = classify(chr(point))
    return table


@kernel
def _flush(points, table, start, stop, spans, count):  # type: ignore[no-untyped-def]
    """Write the word [start, stop), with an EDGE cut off; the new number of tokens."""
    if stop - start > 1:
        cut = -1
        if table[points[stop - 1]] == EDGE:
            cut = stop - 1
        elif table[points[start]] == EDGE:
            cut = start + 1
        if cut >= 0:
            spans[count, 0], spans[count, 1] = start, cut
            count += 1
            start = cut
    spans[count, 0], spans[count, 1] = start, stop
    return count + 1


@kernel
def _cut(points, position, end, table, padded, spans):  # type: ignore[no-untyped-def]
    """Write the token spans of the text [position, end); how many there are.

    A STOP stands alone when the character before it is no digit and was not itself taken as the stop of such a pair
    (mteval substitutes pairs from left to right, without overlap), or when the character after it is no digit.
    """
    count, word = 0, -1
    bound = not padded  # whether what stands before binds a STOP
    after_digit = False
    while position < end:
        kind = table[points[position]]
        alone = kind in (ALONE, BREAK) or (kind == DASH and after_digit)
        after_digit = kind == DIGIT
        if kind == STOP:
            at_end = position + 1 == end
            alone = not bound or (padded if at_end else table[points[position + 1]] != DIGIT)
            bound = not bound
        else:
            bound = after_digit
        if alone or kind == SPACE:
            if word >= 0:
                count = _flush(points, table, word, position, spans, count)
                word = -1
        elif word < 0:
            word = position
        position += 1
        if alone:
            spans[count, 0] = position - 1
            while kind == ALONE and position < end and table[points[position]] == JOIN:
                position += 1
            spans[count, 1] = position
            count += 1
    return count if word < 0 else _flush(points, table, word, end, spans, count)


@kernel
def _hash(points, start, stop):  # type: ignore[no-untyped-def]
    mixed = stop - start
    for position in range(start, stop):
        mixed = (mixed ^ np.int64(points[position])) * -7046029254386353131
        mixed ^= mixed >> 29
    return mixed


@kernel
def _same(points, one, other, length):  # type: ignore[no-untyped-def]
    place = 0
    while place < length and points[one + place] == points[other + place]:
        place += 1
    return place == length


@kernel
def _number(points, spans, count, singles, slots, types, hashes, n_types, tokens):  # type: ignore[no-untyped-def]
    """Write the ids of ``count`` spans; the new number of ids.

    Tokens of one code point are looked up by it in ``singles`` (id + 1; 0 is free), longer ones in ``slots``, an
    open-addressing table that has room for them all.
    """
    mask = len(slots) - 1
    for token in range(count):
        start, stop = spans[token, 0], spans[token, 1]
        if stop - start == 1:
            known = singles[points[start]] - 1
            if known < 0:
                known = n_types
                types[known, 0], types[known, 1] = start, stop
                n_types += 1
                singles[points[start]] = n_types
            tokens[token] = known
            continue
        mixed = _hash(points, start, stop)
        slot = mixed & mask
        while slots[slot] > 0:
            known = slots[slot] - 1
            length = types[known, 1] - types[known, 0]
            if hashes[known] == mixed and length == stop - start and _same(points, start, types[known, 0], length):
                break
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            types[n_types, 0], types[n_types, 1], hashes[n_types] = start, stop, mixed
            n_types += 1
            slots[slot] = n_types
        tokens[token] = slots[slot] - 1
    return n_types


@kernel
def _grown(slots, types, hashes, n_types, room):  # type: ignore[no-untyped-def]
    """Table, spans and hashes with room for so many types."""
    larger, more_hashes = np.empty((2 * room, 2), np.int64), np.empty(2 * room, np.int64)
    larger[:n_types], more_hashes[:n_types] = types[:n_types], hashes[:n_types]
    size = len(slots)
    while size < 4 * room:
        size *= 2
    slots = np.zeros(size, np.int32)
    for number in range(n_types):
        if larger[number, 1] - larger[number, 0] > 1:
            slot = more_hashes[number] & (size - 1)
            while slots[slot] > 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = number + 1
    return slots, larger, more_hashes


@kernel
def _encode(points, offsets, table, padded, singles):  # type: ignore[no-untyped-def]
    """Ids of all tokens, equal exactly where their code points are; where texts begin; the first span of every id."""
    longest = 0
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    spans = np.empty((longest, 2), np.int64)
    tokens, token_offsets = np.empty(len(points), np.int32), np.zeros(len(offsets), np.int64)
    slots, types, hashes = np.zeros(4096, np.int32), np.empty((1024, 2), np.int64), np.empty(1024, np.int64)
    n_types = 0
    for text in range(len(offsets) - 1):
        begin = token_offsets[text]
        count = _cut(points, offsets[text], offsets[text + 1], table, padded, spans)
        if n_types + count > len(types):
            slots, types, hashes = _grown(slots, types, hashes, n_types, n_types + count)
        n_types = _number(points, spans, count, singles, slots, types, hashes, n_types, tokens[begin : begin + count])
        token_offsets[text + 1] = begin + count
    return tokens[: token_offsets[-1]].copy(), token_offsets, types[:n_types].copy()
