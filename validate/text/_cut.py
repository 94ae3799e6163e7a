"""Cutting texts into tokens by the class of each character, for a whole corpus in two compiled passes.

Most tokenizers in use, mteval-13a among them, do no more than decide per character, seeing its neighbours, whether it
stands alone. So a tokenizer is a function from a character to one of the classes below, and one pass over the code
points of all texts finds the tokens; a second pass gives equal tokens equal numbers. Nothing hangs on hash luck:
candidates are compared code point by code point.
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
    starts, stops, token_offsets = _cut(points, offsets, _table(points, classify), padded)
    tokens, firsts = _number(points, starts, stops)
    spans = zip(starts[firsts].tolist(), stops[firsts].tolist(), strict=True)
    return Encoded(tokens, token_offsets, [joined[start:stop] for start, stop in spans])


def _table(points: NDArray[np.uint32], classify: Callable[[str], int]) -> NDArray[np.uint8]:
    """The class of every code point that occurs, as an array over all of Unicode."""
    seen = np.zeros(N_POINTS, dtype=np.bool_)
    seen[points] = True
    table = np.zeros(N_POINTS, dtype=np.uint8)
    for point in np.flatnonzero(seen).tolist():
        table[point] = classify(chr(point))
    return table


@kernel
def _flush(points, table, start, stop, starts, stops, count):  # type: ignore[no-untyped-def]
    """Write the word [start, stop), if there is one, with an EDGE cut off; the new number of tokens."""
    if start < 0:
        return count
    cut = -1
    if stop - start > 1:
        if table[points[stop - 1]] == EDGE:
            cut = stop - 1
        elif table[points[start]] == EDGE:
            cut = start + 1
    if cut >= 0:
        starts[count], stops[count] = start, cut
        count += 1
        start = cut
    starts[count], stops[count] = start, stop
    return count + 1


@kernel
def _cut(points, offsets, table, padded):  # type: ignore[no-untyped-def]
    """Token spans (starts, stops) over the code points, and where each text's tokens begin.

    A STOP stands alone when the character before it is no digit and was not itself taken as the stop of such a pair
    (mteval substitutes pairs from left to right, without overlap), or when the character after it is no digit.
    """
    starts = np.empty(len(points), np.int64)
    stops = np.empty(len(points), np.int64)
    token_offsets = np.zeros(len(offsets), np.int64)
    count = 0
    for text in range(len(offsets) - 1):
        end = offsets[text + 1]
        position = offsets[text]
        word = -1
        bound = not padded  # whether what stands before binds a STOP
        after_digit = False
        while position < end:
            kind = table[points[position]]
            alone = kind == ALONE or (kind == DASH and after_digit)
            taken = False
            if kind == STOP:
                taken = not bound
                at_end = position + 1 == end
                alone = taken or (padded if at_end else table[points[position + 1]] != DIGIT)
            bound = taken or kind == DIGIT
            after_digit = kind == DIGIT
            if alone or kind == SPACE:
                count = _flush(points, table, word, position, starts, stops, count)
                word = -1
            elif word < 0:
                word = position
            position += 1
            if alone:
                starts[count] = position - 1
                while position < end and table[points[position]] == JOIN:
                    position += 1
                stops[count] = position
                count += 1
        count = _flush(points, table, word, end, starts, stops, count)
        token_offsets[text + 1] = count
    return starts[:count].copy(), stops[:count].copy(), token_offsets


@kernel
def _number(points, starts, stops):  # type: ignore[no-untyped-def]
    """Dense ids, equal exactly where the spans hold the same code points, and the first token of each id."""
    n_tokens = len(starts)
    size = 16
    while size < 2 * n_tokens:
        size *= 2
    slots = np.zeros(size, np.int32)  # id + 1; 0 is free
    tokens = np.empty(n_tokens, np.int32)
    firsts = np.empty(n_tokens, np.int64)
    n_types = 0
    for token in range(n_tokens):
        start, length = starts[token], stops[token] - starts[token]
        mixed = length
        for position in range(start, start + length):
            mixed = (mixed ^ np.int64(points[position])) * -7046029254386353131
            mixed ^= mixed >> 29
        slot = mixed & (size - 1)
        while slots[slot] > 0:
            first = firsts[slots[slot] - 1]
            other = starts[first]
            same = stops[first] - other == length
            place = 0
            while same and place < length:
                same = points[start + place] == points[other + place]
                place += 1
            if same:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] == 0:
            firsts[n_types] = token
            n_types += 1
            slots[slot] = n_types
        tokens[token] = slots[slot] - 1
    return tokens, firsts[:n_types].copy()
