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
from validate.schema import IntArray
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
    tokens, token_offsets, types = _numbered(points, offsets, _table(points, classify), padded)
    return Encoded(tokens, token_offsets, [joined[start:stop] for start, stop in types.tolist()])


def _numbered(
    points: NDArray[np.uint32], offsets: IntArray, table: NDArray[np.uint8], padded: bool
) -> tuple[NDArray[np.int32], IntArray, IntArray]:
    """Ids of all tokens, where each text's tokens begin, and the first span (start, stop) of every id.

    Whenever the next text could bring more types than there is room for, the room is doubled.
    """
    longest = int(np.diff(offsets).max(initial=0))
    spans = np.empty((longest, 2), dtype=np.int64)
    tokens, token_offsets = np.empty(len(points), dtype=np.int32), np.zeros(len(offsets), dtype=np.int64)
    singles = np.zeros(N_POINTS, dtype=np.int32)  # untouched pages of it cost nothing
    types, hashes = np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)
    text, n_types = 0, 0
    while text < len(offsets) - 1:
        room = 2 * max(n_types + longest, 512)
        types, hashes = _resized(types, n_types, room), _resized(hashes, n_types, room)
        slots = np.zeros(1 << (2 * room).bit_length(), dtype=np.int32)
        _refill(slots, types, hashes, n_types)
        text, n_types = _encode(
            points, offsets, table, padded, spans, singles, slots, types, hashes, n_types, text, tokens, token_offsets
        )
    return tokens[: token_offsets[-1]].copy(), token_offsets, types[:n_types]


def _resized(array: IntArray, used: int, room: int) -> IntArray:
    """A longer array that begins with what the old one holds."""
    larger = np.empty((room, *array.shape[1:]), dtype=np.int64)
    larger[:used] = array[:used]
    return larger


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
    count, word = np.int64(0), np.int64(-1)  # numba would compile `_flush` once more for literals
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
                word = np.int64(-1)
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
def _refill(slots, types, hashes, n_types):  # type: ignore[no-untyped-def]
    """Put known types of more than one code point into an empty table."""
    for known in range(n_types):
        if types[known, 1] - types[known, 0] > 1:
            slot = hashes[known] & (len(slots) - 1)
            while slots[slot] > 0:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = known + 1


@kernel
def _encode(points, offsets, table, padded, spans, singles, slots, types, hashes, n_types, text, tokens, token_offsets):  # type: ignore[no-untyped-def]
    """Encode texts from ``text`` on while there is room for the types that the next could bring; where it stopped."""
    while text < len(offsets) - 1 and n_types + offsets[text + 1] - offsets[text] <= len(hashes):
        begin = token_offsets[text]
        count = _cut(points, offsets[text], offsets[text + 1], table, padded, spans)
        n_types = _number(points, spans, count, singles, slots, types, hashes, n_types, tokens[begin : begin + count])
        token_offsets[text + 1] = begin + count
        text += 1
    return text, n_types
