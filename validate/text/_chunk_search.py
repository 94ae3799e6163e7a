"""The search for the fewest chunks: a layer of states for every word of the output; see `validate.text.fewest_chunks`.

A state is the set of reference words that are taken and still wanted, as bits; what it cost; and which link would carry its last
chunk on.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel

CHUNK = 1  # what a chunk costs
IMPOSSIBLE = 1 << 62


@kernel
def _taken(mask, first, total):  # type: ignore[no-untyped-def]
    """How many of the words of a type are taken."""
    count = 0
    for bit in range(first, first + total):
        count += (mask[bit >> 6] >> (bit & 63)) & 1
    return count


@kernel
def _put(masks, costs, lasts, slots, stamp, mask, cost, last, count):  # type: ignore[no-untyped-def]
    """Put a state into the next layer, or lower the cost of the same one; the new number of states, -1 without room.

    ``slots`` is an open-addressing table; slots of earlier layers, which bear another stamp, are free.
    """
    mixed = last
    for word in mask:
        mixed = (mixed ^ word) * -7046029254386353131
        mixed ^= mixed >> 29
    slot = mixed & (len(slots) - 1)
    while slots[slot, 0] == stamp:
        state = slots[slot, 1]
        same = lasts[state] == last
        for word in range(len(mask)):
            same = same and masks[state, word] == mask[word]
        if same:
            costs[state] = min(costs[state], cost)
            return count
        slot = (slot + 1) & (len(slots) - 1)
    if count == len(costs):
        return -1
    slots[slot, 0], slots[slot, 1], costs[count], lasts[count] = stamp, count, cost, last
    for word in range(len(mask)):
        masks[count, word] = mask[word]
    return count + 1


@kernel
def _ahead(cost, last, least, via):  # type: ignore[no-untyped-def]
    """What a state costs in the end, at least."""
    if last == -1:
        return cost + least
    return cost + (via[-2 - last] if last < -1 else min(least, via[last]))


@kernel
def _keep_best(masks, costs, lasts, count, least, via, old_masks, old_costs, old_lasts):  # type: ignore[no-untyped-def]
    """Take over the states of the next layer, the most promising ones where there are too many; how many.

    One that is bound to nothing is among them, because states that are bound to a link can find it taken.
    """
    free, lowest_free = -1, IMPOSSIBLE
    lowest = _ahead(costs[0], lasts[0], least, via)
    for state in range(count):
        ahead = _ahead(costs[state], lasts[state], least, via)
        lowest = min(lowest, ahead)
        if lasts[state] >= -1 and ahead < lowest_free:
            free, lowest_free = state, ahead
    histogram = np.zeros(65, np.int64)
    for state in range(count):
        histogram[min(_ahead(costs[state], lasts[state], least, via) - lowest, 64)] += 1
    worst, room = 0, len(old_costs)
    while worst < 64 and histogram[worst] <= room:
        room -= histogram[worst]
        worst += 1
    kept = 0
    for turn in range(-1, count):  # the free one first
        state = free if turn < 0 else turn
        if state < 0 or (state == free and turn >= 0) or kept == len(old_costs):
            continue
        excess = min(_ahead(costs[state], lasts[state], least, via) - lowest, 64)
        if turn >= 0 and (excess > worst or (excess == worst and room <= 0)):
            continue
        if excess == worst:
            room -= 1
        old_costs[kept], old_lasts[kept] = costs[state], lasts[state]
        for word in range(masks.shape[1]):
            old_masks[kept, word] = masks[state, word]
        kept += 1
    return kept


@kernel
def search(here, there, counts, totals, seen, torn, starts, targets, link_costs, follows, least, via, bits, first, until, n_bits, keep, limit):  # type: ignore[no-untyped-def]  # fmt: skip
    """The lowest cost below ``limit`` of matching the two texts, and whether no cheaper one can have been lost.

    The last part of a state is the link of the next word that carries its chunk on, or -1; -2 and below where it has to be
    taken (link -2 - last), since a word that is not torn is linked for the sake of a longer chunk only.
    """
    width, room, n_slots = (n_bits + 63) >> 6, 16 * keep, 32 * keep
    slots = np.zeros((n_slots, 2), np.int64)
    old_masks, masks = np.zeros((keep, width), np.int64), np.empty((room, width), np.int64)
    old_costs, costs = np.zeros(keep, np.int64), np.empty(room, np.int64)
    old_lasts, lasts = np.empty(keep, np.int64), np.empty(room, np.int64)
    old_lasts[0] = -1
    mask, forgotten = np.zeros(width, np.int64), np.zeros(width, np.int64)
    n_states, whole = 1, True
    for place in range(len(here)):
        word, count = here[place], np.int64(0)
        for part in range(width):
            forgotten[part] = -1
        for other in range(len(there)):
            if bits[other] >= 0 and until[other] == place:
                forgotten[bits[other] >> 6] &= ~(np.int64(1) << (bits[other] & 63))
        for state in range(n_states):
            old, expected = old_masks[state], old_lasts[state]
            bound_to = -1
            if expected < -1:
                expected = bound_to = -2 - expected
            spare = torn[word] == 0 or counts[word] > 0
            if torn[word] != 0 and spare and totals[word] > 0:
                spare = seen[word] - _taken(old, first[word], totals[word]) < counts[word]
            for link in range(starts[place], starts[place + 1] + 1):
                if bound_to >= 0 and link != bound_to:
                    continue
                cost, last = old_costs[state], -1
                for part in range(width):
                    mask[part] = old[part]
                if link == starts[place + 1]:  # none for this word
                    if not spare:
                        continue
                else:
                    other = targets[link]
                    bit, type_ = bits[other], there[other]
                    if bit >= 0 and (old[bit >> 6] >> (bit & 63)) & 1:
                        continue
                    if link_costs[link] < -CHUNK and (
                        not spare or _taken(old, first[type_], totals[type_]) - seen[type_] >= -counts[type_]
                    ):
                        continue
                    last = follows[link]
                    if torn[word] == 0 and expected != link:
                        if last < 0:
                            continue
                        last = -2 - last
                    if bit >= 0:
                        mask[bit >> 6] |= np.int64(1) << (bit & 63)
                    cost += link_costs[link] + (0 if expected == link else CHUNK)
                if _ahead(cost, last, least[place + 1], via) >= limit:
                    continue
                for part in range(width):
                    mask[part] &= forgotten[part]
                put = _put(masks, costs, lasts, slots, place + 1, mask, cost, last, count)
                whole = whole and put >= 0
                count = max(count, put)
        seen[word] += 1
        n_states = 0
        if count > 0:
            n_states = _keep_best(masks, costs, lasts, count, least[place + 1], via, old_masks, old_costs, old_lasts)
        whole = whole and n_states == count
    for word in here:
        seen[word] = 0
    lowest = limit
    for state in range(n_states):
        lowest = min(lowest, old_costs[state])
    return lowest, whole
