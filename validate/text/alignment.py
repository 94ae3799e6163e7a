"""Longest common subsequences and edit distances, 64 tokens at a time.

The columns of the dynamic programme are kept as bits: bit i of the mask of a token says whether the reference has that
token at place i, and one addition with carry moves a whole column on by one token of the output.

References
----------
Hyyrö (2004), Bit-parallel LCS-length computation revisited, AWOCA. Myers (1999), A fast bit-vector algorithm for
approximate string matching based on dynamic programming, J. ACM 46(3), doi:10.1145/316542.316550, in the blockwise form
of Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic J. Computing 10.
"""

from __future__ import annotations

import numpy as np

from validate._compile import kernel
from validate.schema import IntArray
from validate.text.corpus import Batch
from validate.text.tokenizers import Tokenizer

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ZERO = np.uint64(0)
ONE = np.uint64(1)
TOP = np.uint64(63)


def lcs_lengths(batch: Batch, tokenizer: Tokenizer) -> IntArray:
    """(m,) length of the longest common subsequence of every (output, reference) pair.

    >>> from validate.text.tokenizers import get
    >>> lcs_lengths(Batch.of(["today we ship"], [["we ship today"]]), get("none")).tolist()
    [2]
    """
    encoded = batch.corpus.encode(tokenizer)
    arguments = (encoded.tokens, encoded.offsets, len(encoded.types), *batch.pairs)
    return batch.once(("lcs", tokenizer.name), lambda: _lcs_lengths(*arguments))


def edit_distances(batch: Batch, tokenizer: Tokenizer) -> IntArray:
    """(m,) fewest insertions, deletions and substitutions that turn the output of a pair into its reference.

    >>> from validate.text.tokenizers import get
    >>> edit_distances(Batch.of(["kitten"], [["sitting"]]), get("codepoint")).tolist()
    [3]
    """
    encoded = batch.corpus.encode(tokenizer)
    arguments = (encoded.tokens, encoded.offsets, len(encoded.types), *batch.pairs)
    return batch.once(("edits", tokenizer.name), lambda: _edit_distances(*arguments))


def union_lcs_hits(batch: Batch, tokenizer: Tokenizer) -> IntArray:
    """(m,) hits of ROUGE-Lsum for every pair; the tokenizer makes each line break a token.

    Every sentence of the reference is held against every sentence of the output; the reference tokens that lie on any of
    these longest common subsequences are its union. Each of them is a hit as long as both texts have uncounted copies.

    >>> from validate.text.tokenizers import get
    >>> batch = Batch.of(["e f g h\\na b c d"], [["a b c d\\ne f g h"]])
    >>> union_lcs_hits(batch, get("rouge-score", lines=True)).tolist()
    [8]
    """
    encoded = batch.corpus.encode(tokenizer)
    line_break = encoded.types.index("\n") if "\n" in encoded.types else -1
    arguments = (encoded.tokens, encoded.offsets, len(encoded.types), *batch.pairs, line_break)
    return batch.once(("union-lcs", tokenizer.name), lambda: _union_lcs_hits(*arguments))


@kernel
def _longest(offsets, texts):  # type: ignore[no-untyped-def]
    longest = 1
    for text in texts:
        longest = max(longest, offsets[text + 1] - offsets[text])
    return longest


@kernel
def _fill(array, count, value):  # type: ignore[no-untyped-def]
    """Set the first entries. A loop, because assigning to a slice takes numba long to compile."""
    for place in range(count):
        array[place] = value


@kernel
def _set_masks(pattern, rows, masks, n_words):  # type: ignore[no-untyped-def]
    """Bit i of ``masks[rows[t] - 1]`` says that the pattern has token t at place i; ``rows`` is 0 for other tokens."""
    n_rows = 0
    for place in range(len(pattern)):
        row = rows[pattern[place]]
        if row == 0:
            n_rows += 1
            row = rows[pattern[place]] = n_rows
            _fill(masks[row - 1], n_words, ZERO)
        masks[row - 1, place >> 6] |= ONE << np.uint64(place & 63)


@kernel
def _clear(pattern, rows):  # type: ignore[no-untyped-def]
    for token in pattern:
        rows[token] = 0


@kernel
def _advance(column, mask, n_words):  # type: ignore[no-untyped-def]
    """One token of the other text: V ← (V + (V & M)) | (V & ~M), with the carry running from word to word.

    A zero at place i says that the longest common subsequence grows by one from i to i + 1 tokens of the pattern.
    """
    carry = ZERO
    for word in range(n_words):
        old = column[word]
        common = old & mask[word]
        total = old + common
        sum_ = total + carry
        carry = ONE if total < old or sum_ < total else ZERO
        column[word] = sum_ | (old - common)


@kernel
def _lcs_lengths(tokens, offsets, n_types, outputs, references):  # type: ignore[no-untyped-def]
    longest = _longest(offsets, references)
    rows = np.zeros(n_types + 1, np.int64)
    masks = np.zeros((min(longest, n_types) + 1, (longest + 63) // 64), np.uint64)
    column = np.zeros((longest + 63) // 64, np.uint64)
    lengths = np.zeros(len(outputs), np.int64)
    for pair in range(len(outputs)):
        pattern = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
        n_words = (len(pattern) + 63) // 64
        _set_masks(pattern, rows, masks, n_words)
        _fill(column, n_words, ALL)
        for token in tokens[offsets[outputs[pair]] : offsets[outputs[pair] + 1]]:
            if rows[token] > 0:
                _advance(column, masks[rows[token] - 1], n_words)
        for place in range(len(pattern)):
            lengths[pair] += np.int64(ONE & ~(column[place >> 6] >> np.uint64(place & 63)))
        _clear(pattern, rows)
    return lengths


@kernel
def _mark_lcs(pattern, text, rows, masks, columns, marked):  # type: ignore[no-untyped-def]
    """Mark the places of the pattern on one longest common subsequence: the one that rouge-score's way back finds.

    From the ends of both: equal tokens are taken; else back one token of the text if the table grows from place to place
    of the pattern there (the bit is 0), and if not, back one place of the pattern.
    """
    n_words = (len(pattern) + 63) // 64
    _fill(columns[0], n_words, ALL)
    for step in range(len(text)):
        for word in range(n_words):
            columns[step + 1, word] = columns[step, word]
        if rows[text[step]] > 0:
            _advance(columns[step + 1], masks[rows[text[step]] - 1], n_words)
    place, step = len(pattern), len(text)
    while place > 0 and step > 0:
        if pattern[place - 1] == text[step - 1]:
            place -= 1
            step -= 1
            marked[place] = True
        elif (columns[step, (place - 1) >> 6] >> np.uint64((place - 1) & 63)) & ONE == ZERO:
            step -= 1
        else:
            place -= 1


@kernel
def _line_end(tokens, start, stop, line_break):  # type: ignore[no-untyped-def]
    while start < stop and tokens[start] != line_break:
        start += 1
    return start


@kernel
def _union_lcs_hits(tokens, offsets, n_types, outputs, references, line_break):  # type: ignore[no-untyped-def]
    longest, longest_output = _longest(offsets, references), _longest(offsets, outputs)
    rows = np.zeros(n_types + 1, np.int64)
    masks = np.zeros((min(longest, n_types) + 1, (longest + 63) // 64), np.uint64)
    columns = np.zeros((longest_output + 1, (longest + 63) // 64), np.uint64)
    marked = np.zeros(longest, np.bool_)
    left = np.zeros((2, n_types + 1), np.int64)  # uncounted copies in the output and in the reference
    hits = np.zeros(len(outputs), np.int64)
    for pair in range(len(outputs)):
        ref_start, ref_stop = offsets[references[pair]], offsets[references[pair] + 1]
        out_start, out_stop = offsets[outputs[pair]], offsets[outputs[pair] + 1]
        for token in tokens[out_start:out_stop]:
            left[0, token] += 1
        for token in tokens[ref_start:ref_stop]:
            left[1, token] += 1
        start = ref_start
        while start < ref_stop:
            stop = _line_end(tokens, start, ref_stop, line_break)
            sentence = tokens[start:stop]
            _fill(marked, len(sentence), False)
            _set_masks(sentence, rows, masks, (len(sentence) + 63) // 64)
            begin = out_start
            while begin < out_stop:
                end = _line_end(tokens, begin, out_stop, line_break)
                _mark_lcs(sentence, tokens[begin:end], rows, masks, columns, marked)
                begin = end + 1
            _clear(sentence, rows)
            for place in range(len(sentence)):
                token = sentence[place]
                if marked[place] and left[0, token] > 0 and left[1, token] > 0:
                    hits[pair] += 1
                    left[0, token] -= 1
                    left[1, token] -= 1
            start = stop + 1
        _clear(tokens[out_start:out_stop], left[0])
        _clear(tokens[ref_start:ref_stop], left[1])
    return hits


@kernel
def _edit_distances(tokens, offsets, n_types, outputs, references):  # type: ignore[no-untyped-def]
    longest = _longest(offsets, references)
    rows = np.zeros(n_types + 1, np.int64)
    masks = np.zeros((min(longest, n_types) + 1, (longest + 63) // 64), np.uint64)
    plus, minus = np.zeros((longest + 63) // 64, np.uint64), np.zeros((longest + 63) // 64, np.uint64)
    distances = np.zeros(len(outputs), np.int64)
    for pair in range(len(outputs)):
        pattern = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
        text = tokens[offsets[outputs[pair]] : offsets[outputs[pair] + 1]]
        shorter = min(len(pattern), len(text))
        head = 0
        while head < shorter and pattern[head] == text[head]:
            head += 1
        tail = 0
        while tail < shorter - head and pattern[len(pattern) - 1 - tail] == text[len(text) - 1 - tail]:
            tail += 1
        pattern, text = pattern[head : len(pattern) - tail], text[head : len(text) - tail]
        if len(pattern) == 0 or len(text) == 0:
            distances[pair] = max(len(pattern), len(text))
            continue
        n_words = (len(pattern) + 63) // 64
        _set_masks(pattern, rows, masks, n_words)
        _fill(plus, n_words, ALL)
        _fill(minus, n_words, ZERO)
        distances[pair] = len(pattern)
        for token in text:
            distances[pair] += _edit_step(plus, minus, masks, rows[token] - 1, n_words, len(pattern))
        _clear(pattern, rows)
    return distances


@kernel
def _edit_step(plus, minus, masks, row, n_words, length):  # type: ignore[no-untyped-def]
    """One token of the text: new vertical differences (+1 where ``plus``, -1 where ``minus``); the change at the last place.

    The horizontal difference that leaves one word at its top enters the next at its bottom; it enters the first as +1,
    because another token of the text costs one insertion before anything is matched.
    """
    up, down = ONE, ZERO
    for word in range(n_words):
        equal = masks[row, word] if row >= 0 else ZERO
        vertical = equal | minus[word]
        equal |= down
        diagonal = (((equal & plus[word]) + plus[word]) ^ plus[word]) | equal
        rises = minus[word] | ~(diagonal | plus[word])
        falls = plus[word] & diagonal
        top = np.uint64((length - 1) & 63) if word == n_words - 1 else TOP
        up_next, down_next = (rises >> top) & ONE, (falls >> top) & ONE
        rises = (rises << ONE) | up
        falls = (falls << ONE) | down
        plus[word] = falls | ~(vertical | rises)
        minus[word] = rises & vertical
        up, down = up_next, down_next
    return np.int64(up) - np.int64(down)
