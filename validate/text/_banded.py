"""Edit distance in a band around the diagonal: as a table with its way back, and as bits for the many texts that differ by one move.

Row i of the table holds the fewest edits between i tokens of the output and j of the reference, for low[i] <= j < high[i].
As bits, a row is the differences between neighbouring columns, +1 in ``plus`` and -1 in ``minus``, from the column left of the
band on, whose own value is the ``score``; the band fits one word. What lies outside must not be cheaper than what lies inside:

* beyond the right edge every column costs one more than the one before, and a column that enters the band has no match, unless
  it is the first to enter: its neighbour on the diagonal was inside;
* beyond the left edge costs go up by one where the band stands still, so that no diagonal leads in from there.

A move starts from the row before its first changed token, and is done at the first row, after its last, whose bits are those of
the text before the move: all that follows is the same then.

References
----------
Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic J. Computing 10, section 5.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from validate._compile import kernel
from validate.text.alignment import ALL, ONE, ZERO

HALF_BAND = 25  # columns on each side of the diagonal; sacreBLEU's
SAME, REPLACE, DELETE, INSERT = range(4)
FAR = 1 << 40  # more edits than any text has tokens

LOW, HIGH, SCORE, MASK_ROW, WRONG_HERE, WORDS, SPARE = range(7)  # rows of Room.here
ALIGN, WRONG_THERE, COSTS = range(3)  # rows of Room.there; costs have two


class Room(NamedTuple):
    """Arrays that all pairs of a call use one after the other, as long as the longest texts. Few, because each costs compile time.

    Parameters
    ----------
    rows : (n_types + 1,) int64
        Row of each token in ``masks`` + 1; 0 where the reference has it not.
    masks : (…, words) uint64
        The places of each token in the reference as bits, with an empty word at the end.
    here : (7, n_out + 1) int64
        First column of the band and the one after its last, score of a row, row of ``masks`` + 1, how many tokens before a place
        match nothing, the output as moved so far and with one more move.
    there : (4, n_ref + 1) int64
        Last token of the output that stands at or before a token of the reference (-1: none), how many tokens before a place
        match nothing, two rows of the table.
    bits : (2, n_out + 1) uint64
        Rows as bits, before any further move: plus and minus.
    ops : int8
        Last edit of each cell in the band, row after row.
    """

    rows: Any
    masks: Any
    here: Any
    there: Any
    bits: Any
    ops: Any


def room_for(n_out: int, n_ref: int, n_types: int) -> Room:
    """Zeros for texts as long as these."""
    return Room(
        np.zeros(n_types + 1, np.int64),
        np.zeros((min(n_ref, n_types) + 1, n_ref // 64 + 2), np.uint64),
        np.zeros((7, n_out + 1), np.int64),
        np.zeros((4, n_ref + 1), np.int64),
        np.zeros((2, n_out + 1), np.uint64),
        np.zeros(2 * n_ref + (2 * HALF_BAND + 4) * (n_out + 2), np.int8),
    )


@kernel
def band(n_out, n_ref, room):  # type: ignore[no-untyped-def]
    """Set the band of every row; how many columns it has at most. The first row and the last run to the end."""
    here = room.here
    steep = n_ref / n_out if n_out > 0 else 1.0
    half = math.ceil(steep / 2 + HALF_BAND) if steep / 2 > HALF_BAND else HALF_BAND
    here[LOW, 0] = 0
    for row in range(1, n_out + 1):
        diagonal = math.floor(row * steep)
        here[LOW, row] = max(0, diagonal - half)
        here[HIGH, row] = min(n_ref + 1, diagonal + half)
    here[HIGH, 0] = here[HIGH, n_out] = n_ref + 1
    return 2 * half + 1


@kernel
def table(words, reference, width, room):  # type: ignore[no-untyped-def]
    """The edit distance in the band; of edits that cost the same, the match or replacement is kept, else the deletion."""
    here, costs = room.here, room.there
    for column in range(len(reference) + 1):
        costs[COSTS, column] = column
    for row in range(1, len(words) + 1):
        before, now = COSTS + ((row - 1) & 1), COSTS + (row & 1)
        low = here[LOW, row]
        for column in range(here[HIGH, row - 1], here[HIGH, row]):
            costs[before, column] = FAR
        if here[LOW, row - 1] > 0:
            costs[before, here[LOW, row - 1] - 1] = FAR
        left = FAR
        for column in range(low, here[HIGH, row]):
            cost, op = costs[before, column] + 1, DELETE
            if column > 0:
                same = words[row - 1] == reference[column - 1]
                diagonal = costs[before, column - 1] + (0 if same else 1)
                if diagonal <= cost:
                    cost, op = diagonal, SAME if same else REPLACE
                if left + 1 < cost:
                    cost, op = left + 1, INSERT
            costs[now, column] = left = cost
            room.ops[row * width + column - low] = op
    return costs[COSTS + (len(words) & 1), len(reference)]


@kernel
def walk_back(n_out, n_ref, width, room):  # type: ignore[no-untyped-def]
    """Read the alignment and what is wrong off the table."""
    row, column = n_out, n_ref
    while row > 0 or column > 0:
        op = room.ops[row * width + column - room.here[LOW, row]] if row > 0 else INSERT
        wrong = 0 if op == SAME else 1
        if op != DELETE:
            room.there[ALIGN, column - 1], room.there[WRONG_THERE, column] = row - 1, wrong
            column -= 1
        if op != INSERT:
            room.here[WRONG_HERE, row] = wrong
            row -= 1
    for place in range(n_out):
        room.here[WRONG_HERE, place + 1] += room.here[WRONG_HERE, place]
    for place in range(n_ref):
        room.there[WRONG_THERE, place + 1] += room.there[WRONG_THERE, place]


@kernel
def distance_by_bits(first, middle, last, n_out, n_ref, known, room):  # type: ignore[no-untyped-def]
    """The edit distance of the text in ``MASK_ROW`` after first…middle and middle…last were swapped.

    ``known`` is the distance of the text itself, whose rows must be kept already; -1 keeps them.
    """
    here, keep = room.here, known < 0
    plus, minus, score = room.bits[0, first], room.bits[1, first], here[SCORE, first]
    for row in range(first, n_out):
        place = row
        if row < last:
            place = row + middle - first if row < first + last - middle else row - last + middle
        elif not keep and plus == room.bits[0, row] and minus == room.bits[1, row]:
            return known + score - here[SCORE, row]
        plus, minus, score = _next_row(row + 1, here[MASK_ROW, place], plus, minus, score, room)
        if keep:
            room.bits[0, row + 1], room.bits[1, row + 1], here[SCORE, row + 1] = plus, minus, score
    for bit in range(n_ref - max(here[LOW, n_out] - 1, 0)):
        score += _difference(plus, minus, bit)
    return score


@kernel
def _difference(plus, minus, bit):  # type: ignore[no-untyped-def]
    return np.int64((plus >> np.uint64(bit)) & ONE) - np.int64((minus >> np.uint64(bit)) & ONE)


@kernel
def _next_row(row, mask_row, plus, minus, score, room):  # type: ignore[no-untyped-def]
    """The bits of a row from those of the row before."""
    low, before = room.here[LOW, row], room.here[LOW, row - 1]
    base, edge = max(low - 1, 0), room.here[HIGH, row - 1]
    steps = base - max(before - 1, 0)
    if steps > 0:
        for bit in range(steps):
            score += _difference(plus, minus, bit)
        plus = (plus >> np.uint64(steps)) | ~(ALL >> np.uint64(steps))
        minus >>= np.uint64(steps)
    elif low > 0 and low == before:
        score += _difference(plus, minus, np.int64(0)) + 1
        plus, minus = plus & ~ONE, minus | ONE
    equal = ZERO
    if mask_row > 0:
        word, offset = base >> 6, np.uint64(base & 63)
        equal = room.masks[mask_row - 1, word] >> offset
        equal |= (room.masks[mask_row - 1, word + 1] << ONE) << (np.uint64(63) - offset)
        if edge - base < 64:
            equal &= (ONE << np.uint64(edge - base)) - ONE
    vertical = equal | minus
    diagonal = (((equal & plus) + plus) ^ plus) | equal
    rises = ((minus | ~(diagonal | plus)) << ONE) | ONE
    falls = (plus & diagonal) << ONE
    plus, minus = falls | ~(vertical | rises), rises & vertical
    inside = room.here[HIGH, row] - base - 1
    if inside < 64:
        outside = ALL << np.uint64(inside)
        plus, minus = plus | outside, minus & ~outside
    return plus, minus, score + 1
