"""Words of two texts matched one to one so that as many match as can, in as few chunks as can be.

A chunk is a run of words that stand side by side, in this order, in both texts. Matches are as many as can be by kind: of all
matchings those with the most equal words; of these those with the most equal stems; of these the most synonyms; and of what is
left the one with the fewest chunks.

How it is found: word by word of the output, a state for every set of reference words that may be taken and still matters. Two
states that have taken the same words differ by one chunk at most in all that follows, so that only the cheapest are kept. What
is to come costs at least what it would if every reference word could be taken again and again. The first search keeps few
states; where that does not settle it, a second one keeps many, and leaves out what cannot be better than the first. Only where
the second has to let states go as well, or is left out because the texts repeat a few words thousands of times, is the result
not proven.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import IntArray
from validate.text._chunk_search import CHUNK, IMPOSSIBLE, search
from validate.text.corpus import Batch
from validate.text.encoded import Encoded
from validate.text.word_relations import Relation

SYNONYM, STEM = 1 << 20, 1 << 40  # what a match earns; one outweighs any number of chunks
FEW, MANY = 32, 1024  # states that the two searches keep
WORK = 100_000_000  # links times states that a pair may cost: a second or two


def fewest_chunks(
    batch: Batch, encoded: Encoded, stems: IntArray, synonyms: Relation
) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    """(m,) matches, (m,) chunks, and (m,) whether that is proven, of every (output, reference) pair.

    Parameters
    ----------
    batch : Batch
    encoded : Encoded
        The texts of the batch's corpus.
    stems : (n_types,) int64
        The number of each type's stem.
    synonyms : Relation
        Which types match as synonyms; symmetric.
    """
    outputs, references = batch.pairs
    arguments = (encoded.tokens, encoded.offsets, outputs, references, stems, synonyms.offsets, synonyms.members)
    return _fewest_chunks(*arguments, FEW, MANY, IMPOSSIBLE)


@kernel
def _link(word, other, counts, stems, offsets, members):  # type: ignore[no-untyped-def]
    """What a match of two words costs, or IMPOSSIBLE.

    ``counts[t]`` is how often the output has type t more than the reference. Equal words are matched as often as both have
    them, so that a weaker match is open only to a word of which the output has too many, with one of which it has too few.
    """
    if word == other:
        return 0
    if counts[word] > 0 and counts[other] < 0:
        if stems[word] == stems[other]:
            return -STEM
        for place in range(offsets[word], offsets[word + 1]):
            if members[place] == other:
                return -SYNONYM
    return IMPOSSIBLE


@kernel
def _mark_torn(here, there, counts, stems, offsets, members, torn):  # type: ignore[no-untyped-def]
    """Mark the types that have a weaker match: 1. The words of all other types can be matched with equal words only."""
    for word in here:
        if counts[word] > 0:
            for other in there:
                if word != other and _link(word, other, counts, stems, offsets, members) < 0:
                    torn[word] = torn[other] = 1


@kernel
def _list_links(here, there, counts, torn, stems, offsets, members, starts, targets, costs):  # type: ignore[no-untyped-def]
    """Write for each word of the output which reference words it may take, and at what cost; how many there are.

    Words that are not torn all find an equal word in the end, whichever they are left with. So only links that can be
    part of a longer chunk are listed for them; the chunk that each of them is by itself is counted elsewhere.
    """
    n_links, n, m = 0, len(here), len(there)
    for place in range(n):
        starts[place] = n_links
        for other in range(m):
            cost = _link(here[place], there[other], counts, stems, offsets, members)
            if cost == IMPOSSIBLE:
                continue
            if torn[here[place]] == 0:
                if not (
                    (
                        place + 1 < n
                        and other + 1 < m
                        and _link(here[place + 1], there[other + 1], counts, stems, offsets, members) < 1
                    )
                    or (
                        place > 0
                        and other > 0
                        and _link(here[place - 1], there[other - 1], counts, stems, offsets, members) < 1
                    )
                ):
                    continue
                cost = -CHUNK
            if n_links < len(targets):
                targets[n_links], costs[n_links] = other, cost
            n_links += 1
    starts[n] = n_links
    return n_links


@kernel
def _bound(here, counts, torn, starts, targets, costs, follows, least, via):  # type: ignore[no-untyped-def]
    """What is still to come costs at least ``least[i]`` from word i on, or ``via[k]`` if link k is taken and opens no chunk.

    ``follows[k]`` is the link of the next word that would carry the chunk of link k on, or -1.
    """
    n = len(here)
    least[n] = 0
    for place in range(n - 1, -1, -1):
        best = IMPOSSIBLE if torn[here[place]] and counts[here[place]] <= 0 else least[place + 1]
        after = starts[place + 1]  # the links of both words are in the order of their targets
        until = starts[place + 2] if place + 1 < n else after
        for link in range(starts[place], starts[place + 1]):
            follows[link] = -1
            ahead = least[place + 1]
            while after < until and targets[after] <= targets[link]:
                after += 1
            if after < until and targets[after] == targets[link] + 1:
                follows[link] = after
                ahead = min(ahead, via[after])
            via[link] = costs[link] + ahead
            best = min(best, CHUNK + via[link])
        least[place] = best


@kernel
def _assign_bits(here, there, torn, starts, targets, bits, first, until):  # type: ignore[no-untyped-def]
    """Number the reference words that more than one word could want; how many there are.

    ``bits[j]`` is -1 for the others. Words of a torn type have numbers in a row from ``first[t]`` on, because it is counted
    how many of them are taken. ``until[j]`` is the last word of the output from which on it does not matter any more
    whether j is taken.
    """
    n_bits = 0
    for other in range(len(there)):
        bits[other], until[other] = 0, -1
    for place in range(len(here)):
        for link in range(starts[place], starts[place + 1]):
            bits[targets[link]] += 1
            until[targets[link]] = place
    for other in range(len(there)):
        if torn[there[other]] == 0:
            bits[other] = n_bits if bits[other] > 1 else -1
            n_bits += bits[other] >= 0
    for other in range(len(there)):
        if torn[there[other]] == 1:
            first[there[other]] = n_bits
            latest = -1
            for again in range(other, len(there)):
                if there[again] == there[other]:
                    latest = max(latest, until[again])
            for again in range(other, len(there)):
                if there[again] == there[other]:
                    bits[again], until[again] = n_bits, latest
                    n_bits += 1
            torn[there[other]] = 2  # numbered
    return n_bits


@kernel
def _equal(here, counts, torn):  # type: ignore[no-untyped-def]
    """How many words both texts have, each as often as both have it, and how many of them are not torn.

    Leaves ``counts`` of the output's words at 0 or below.
    """
    equal = untorn = 0
    for word in here:
        equal += 1
        untorn += torn[word] == 0
    for word in here:
        if counts[word] > 0:
            equal -= counts[word]
            untorn -= counts[word] if torn[word] == 0 else 0
            counts[word] = 0
    return equal, untorn


@kernel
def _fewest_chunks(tokens, offsets, outputs, references, stems, synonym_offsets, synonyms, few, many, no_limit):  # type: ignore[no-untyped-def]
    longest = 1
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    n_types = len(stems)
    counts, totals, seen = np.zeros(n_types, np.int64), np.zeros(n_types, np.int64), np.zeros(n_types, np.int64)
    first, torn = np.zeros(n_types, np.int64), np.zeros(n_types, np.int64)
    starts, least = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    bits, until = np.empty(longest, np.int64), np.empty(longest, np.int64)
    targets, link_costs = np.empty(longest, np.int64), np.empty(longest, np.int64)
    follows, via = np.empty(longest, np.int64), np.empty(longest, np.int64)
    matches, chunks = np.zeros(len(outputs), np.int64), np.zeros(len(outputs), np.int64)
    proven = np.ones(len(outputs), np.bool_)
    for pair in range(len(outputs)):
        here = tokens[offsets[outputs[pair]] : offsets[outputs[pair] + 1]]
        there = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
        for word in here:
            counts[word] += 1
        for word in there:
            counts[word] -= 1
            totals[word] += 1
        _mark_torn(here, there, counts, stems, synonym_offsets, synonyms, torn)
        n_links = np.int64(0)
        while True:
            n_links = _list_links(
                here, there, counts, torn, stems, synonym_offsets, synonyms, starts, targets, link_costs
            )
            if n_links <= len(targets):
                break
            targets, link_costs = np.empty(2 * n_links, np.int64), np.empty(2 * n_links, np.int64)
            follows, via = np.empty(2 * n_links, np.int64), np.empty(2 * n_links, np.int64)
        _bound(here, counts, torn, starts, targets, link_costs, follows, least, via)
        n_bits = _assign_bits(here, there, torn, starts, targets, bits, first, until)
        cost, whole, keep, keep_next = no_limit, False, few, many
        if n_links * many > WORK:  # words repeated without end in texts of thousands of words
            keep, keep_next = max(np.int64(1), min(few, WORK // n_links)), np.int64(0)
        while not whole and keep > 0 and cost > least[0]:
            cost, whole = search(
                here, there, counts, totals, seen, torn, starts, targets, link_costs, follows, least, via, bits, first, until,
                n_bits, keep, cost,
            )  # fmt: skip
            keep, keep_next = keep_next, np.int64(0)
        proven[pair] = whole or cost == least[0]
        equal, untorn = _equal(here, counts, torn)
        cost += untorn
        chunks[pair] = cost & (SYNONYM - 1)
        weaker = chunks[pair] - cost
        matches[pair] = equal + (weaker >> 40) + ((weaker >> 20) & (SYNONYM - 1))
        for word in here:
            torn[word] = 0
        for word in there:
            counts[word], totals[word], torn[word] = 0, 0, 0
    return matches, chunks, proven
