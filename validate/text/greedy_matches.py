"""Words of two texts matched as NLTK's METEOR does it: by stages, each from the last word to the first.

A word takes the last free word of the other text that it matches, whatever that does to the order of the matches.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel
from validate.schema import IntArray
from validate.text.corpus import Batch
from validate.text.encoded import Encoded
from validate.text.word_relations import Relation


def greedy_matches(batch: Batch, encoded: Encoded, stems: IntArray, synonyms: Relation) -> tuple[IntArray, IntArray]:
    """(m,) matches and (m,) chunks of every (output, reference) pair.

    Parameters
    ----------
    batch : Batch
    encoded : Encoded
        The texts of the batch's corpus.
    stems : (n_types,) int64
        The number of each type's stem; types that are no stage apart have equal ones.
    synonyms : Relation
        Which stems a stem of an output matches, over the numbers of stems.
    """
    outputs, references = batch.pairs
    return _greedy(encoded.tokens, encoded.offsets, outputs, references, stems, synonyms.offsets, synonyms.members)


@kernel
def _take_last(words, others, partner, taken, last, before):  # type: ignore[no-untyped-def]
    """Match equal words that are still free, both texts from the end; ``last`` is -1 for every word before and after."""
    for place in range(len(others)):
        if taken[place] == 0:
            before[place] = last[others[place]]
            last[others[place]] = place
    for place in range(len(words) - 1, -1, -1):
        found = last[words[place]]
        if partner[place] < 0 and found >= 0:
            partner[place] = found
            taken[found] = 1
            last[words[place]] = before[found]
    for word in others:
        last[word] = -1


@kernel
def _take_synonyms(words, others, partner, taken, offsets, members, marks):  # type: ignore[no-untyped-def]
    """Match each free word from the end with the last free one among its synonyms; ``marks`` is 0 before and after."""
    for place in range(len(words) - 1, -1, -1):
        related = members[offsets[words[place]] : offsets[words[place] + 1]]
        if partner[place] >= 0 or len(related) == 0:
            continue
        for member in related:
            marks[member] = 1
        for other in range(len(others) - 1, -1, -1):
            if taken[other] == 0 and marks[others[other]] == 1:
                partner[place] = other
                taken[other] = 1
                break
        for member in related:
            marks[member] = 0


@kernel
def _greedy(tokens, offsets, outputs, references, stems, synonym_offsets, synonyms):  # type: ignore[no-untyped-def]
    longest = 1
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    partner, taken = np.empty(longest, np.int64), np.empty(longest, np.int64)
    words, others = np.empty(longest, np.int64), np.empty(longest, np.int64)
    before = np.empty(longest, np.int64)
    last, marks = np.full(len(stems) + 1, -1), np.zeros(len(stems) + 1, np.int64)
    matches, chunks = np.zeros(len(outputs), np.int64), np.zeros(len(outputs), np.int64)
    for pair in range(len(outputs)):
        start, other_start = offsets[outputs[pair]], offsets[references[pair]]
        n, m = offsets[outputs[pair] + 1] - start, offsets[references[pair] + 1] - other_start
        for place in range(n):
            partner[place], words[place] = -1, tokens[start + place]
        for place in range(m):
            taken[place], others[place] = 0, tokens[other_start + place]
        _take_last(words[:n], others[:m], partner, taken, last, before)
        for place in range(n):
            words[place] = stems[words[place]]
        for place in range(m):
            others[place] = stems[others[place]]
        _take_last(words[:n], others[:m], partner, taken, last, before)
        _take_synonyms(words[:n], others[:m], partner, taken, synonym_offsets, synonyms, marks)
        for place in range(n):
            if partner[place] >= 0:
                matches[pair] += 1
                if place == 0 or partner[place - 1] < 0 or partner[place] != partner[place - 1] + 1:
                    chunks[pair] += 1
    return matches, chunks
