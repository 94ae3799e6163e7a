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
    seen = _distinct(joined, points)
    classes = np.array([classify(chr(point)) for point in seen], dtype=np.uint8)
    table = np.zeros(N_POINTS, dtype=np.uint8)  # untouched pages of it cost nothing
    table[seen] = classes
    if np.isin(classes, (SPACE, ALONE)).all():
        return _characters(points, offsets, seen, classes)
    tokens, token_offsets, types = _numbered(points, offsets, table, padded)
    return Encoded(tokens, token_offsets, [joined[start:stop] for start, stop in types.tolist()])


def _distinct(joined: str, points: NDArray[np.uint32]) -> list[int]:
    """The code points that occur, or all of ASCII where there are no others, which is quickly told."""
    if joined.isascii():
        return list(range(128)) if joined else []
    seen = np.zeros(N_POINTS, dtype=np.bool_)
    seen[points] = True
    return np.flatnonzero(seen).tolist()


def _characters(points: NDArray[np.uint32], offsets: IntArray, seen: list[int], classes: NDArray[np.uint8]) -> Encoded:
    """Every character that is no blank by itself: nothing is cut, and numbers are looked up by code point."""
    ids = np.full(N_POINTS if seen and seen[-1] >= 128 else 128, -1, dtype=np.int32)
    alone = np.array(seen, dtype=np.int64)[classes == ALONE]
    ids[alone] = np.arange(len(alone))
    tokens, token_offsets = np.empty(len(points), dtype=np.int32), np.zeros(len(offsets), dtype=np.int64)
    n_tokens = _look_up(points, offsets, ids, tokens, token_offsets)
    return Encoded(tokens[:n_tokens].copy(), token_offsets, list(map(chr, alone.tolist())))


def _numbered(
    points: NDArray[np.uint32], offsets: IntArray, table: NDArray[np.uint8], padded: bool
) -> tuple[NDArray[np.int32], IntArray, IntArray]:
    """Ids of all tokens, where each text's tokens begin, and the first span (start, stop) of every id.

    Whenever the next text could bring more types than there is room for, the room is doubled.
    """
    longest = int(np.diff(offsets).max(initial=0))
    spans = np.empty((longest, 2), dtype=np.int64)
    tokens, token_offsets = np.empty(len(points), dtype=np.int32), np.zeros(len(offsets), dtype=np.int64)
    singles = np.zeros(N_POINTS, dtype=np.int32)
    types, keys = np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    text, n_types = 0, 0
    while text < len(offsets) - 1:
        room = 2 * max(n_types + longest, 512)
        types, keys = _resized(types, n_types, room), _resized(keys, n_types, room)
        slots = np.zeros(1 << room.bit_length(), dtype=np.int32)  # more than room, at most twice
        text, n_types = _encode(
            points, offsets, table, padded, spans, singles, slots, types, keys, n_types, text, tokens, token_offsets
        )
    return tokens[: token_offsets[-1]].copy(), token_offsets, types[:n_types]


def _resized(array: IntArray, used: int, room: int) -> IntArray:
    """A longer array that begins with what the old one holds."""
    larger = np.empty((room, *array.shape[1:]), dtype=np.int64)
    larger[:used] = array[:used]
    return larger


@kernel
def _look_up(points, offsets, ids, tokens, token_offsets):  # type: ignore[no-untyped-def]
    """Write the ids of all code points that have one; how many. A token that is none is overwritten by the next."""
    count = 0
    for text in range(len(offsets) - 1):
        for position in range(offsets[text], offsets[text + 1]):
            tokens[count] = ids[points[position]]
            if tokens[count] >= 0:
                count += 1
        token_offsets[text + 1] = count
    return count


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
        if kind == PLAIN:  # by far the most
            word = position if word < 0 else word
            bound = after_digit = False
            position += 1
            while position < end and table[points[position]] == PLAIN:
                position += 1
            continue
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
def _key(points, start, stop):  # type: ignore[no-untyped-def]
    """64 bits and a size that tell a token from others; up to eight Latin-1 characters are told exactly, by their own bits.

    The size is the length, and negative where the bits are a hash.
    """
    length = stop - start
    key = points[start] >> 8
    if length <= 8:
        packed = np.int64(0)
        for position in range(start, stop):
            packed = (packed << 8) | np.int64(points[position])
            key |= points[position] >> 8
        if key == 0:
            return packed, length
    mixed = length
    for position in range(start, stop):
        mixed = (mixed ^ np.int64(points[position])) * -7046029254386353131
        mixed ^= mixed >> 29
    return mixed, -length


@kernel
def _same(points, one, other, length):  # type: ignore[no-untyped-def]
    place = 0
    while place < length and points[one + place] == points[other + place]:
        place += 1
    return place == length


@kernel
def _slot(key, mask):  # type: ignore[no-untyped-def]
    return ((key * -7046029254386353131) >> 32) & mask


@kernel
def _number(points, spans, count, singles, slots, types, keys, n_types, tokens):  # type: ignore[no-untyped-def]
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
        key, size = _key(points, start, stop)
        slot = _slot(key, mask)
        while slots[slot] > 0:
            known = slots[slot] - 1
            if (
                keys[known, 0] == key
                and keys[known, 1] == size
                and (size > 0 or _same(points, start, types[known, 0], -size))
            ):
                break
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            types[n_types, 0], types[n_types, 1] = start, stop
            keys[n_types, 0], keys[n_types, 1] = key, size
            n_types += 1
            slots[slot] = n_types
        tokens[token] = slots[slot] - 1
    return n_types


@kernel
def _encode(points, offsets, table, padded, spans, singles, slots, types, keys, n_types, text, tokens, token_offsets):  # type: ignore[no-untyped-def]
    """Encode texts from ``text`` on while there is room for the types that the next could bring; where it stopped.

    The table of slots is new and empty at each call; known types of more than one code point go into it first.
    """
    for known in range(n_types):
        if types[known, 1] - types[known, 0] > 1:
            slot = _slot(keys[known, 0], len(slots) - 1)
            while slots[slot] > 0:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = known + 1
    while text < len(offsets) - 1 and n_types + offsets[text + 1] - offsets[text] <= len(types):
        begin = token_offsets[text]
        count = _cut(points, offsets[text], offsets[text + 1], table, padded, spans)
        n_types = _number(points, spans, count, singles, slots, types, keys, n_types, tokens[begin : begin + count])
        token_offsets[text + 1] = begin + count
        text += 1
    return text, n_types
