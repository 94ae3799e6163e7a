"""Which units of an output stand against which units of its reference: a script of fewest edits, and its edits by kind.

Fewest edits rarely mean one script only, and how many units are hits depends on which is taken. It is the one that
RapidFuzz returns, on whose scripts jiwer counts: equal ends are set aside, and from the end backwards a unit of the
reference is deleted wherever that costs no more, else a unit of the output is inserted, else the two stand against each
other. Long pairs are first cut in two: the output in its middle, the reference at the first place where both halves
together have the fewest edits (Hirschberg's way); that too decides which script is found.

References
----------
Hyyrö (2004), A note on bit-parallel alignment computation, Prague Stringology Conference. Hirschberg (1975), A linear space
algorithm for computing maximal common subsequences, CACM 18(6), doi:10.1145/360825.360861. RapidFuzz 3.14.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import IntArray
from validate.text import alignment
from validate.text.alignment import ALL, ONE, ZERO, _clear, _edit_step, _fill, _longest, _set_masks
from validate.text.corpus import Batch
from validate.text.encoded import Encoded
from validate.text.tokenizers import Tokenizer

Kind = Literal["equal", "replace", "delete", "insert"]
Tokens = NDArray[np.int32]
KINDS: tuple[Kind, ...] = ("equal", "replace", "delete", "insert")
EQUAL, REPLACE, DELETE, INSERT = range(4)  # places in KINDS, for the kernels

WHOLE_BYTES = 1 << 20  # of a bit matrix: from here on pairs are cut in two
WHOLE_REFERENCE, WHOLE_OUTPUT = 65, 10  # units: shorter texts are never cut


class Edit(NamedTuple):
    """A stretch of units of one kind: ``reference[reference_start:reference_stop]`` stands against the stretch of the output.

    "delete": the output lacks these units of the reference; its stretch is empty. "insert": the other way round.
    """

    kind: Kind
    reference_start: int
    reference_stop: int
    output_start: int
    output_stop: int


def edit_script(reference: Sequence[Hashable], output: Sequence[Hashable]) -> list[Edit]:
    """The stretches, from first to last, that turn a reference into an output with the fewest edits.

    Parameters
    ----------
    reference, output : sequence of hashable
        Units: words, code points (a string is a sequence of them) or graphemes; see `validate.text.tokenizers`.

    Returns
    -------
    list of Edit
        What ``rapidfuzz.distance.Levenshtein.opcodes(reference, output)`` returns.

    Examples
    --------
    >>> for edit in edit_script("we ship today".split(), "today we ship it".split()):
    ...     print(*edit)
    insert 0 0 0 1
    equal 0 2 1 3
    replace 2 3 3 4
    """
    ids: dict[Hashable, int] = {}

    def tokens(text: Sequence[Hashable]) -> Tokens:
        return np.array([ids.setdefault(unit, len(ids)) for unit in text], dtype=np.int32)

    there, here = tokens(reference), tokens(output)
    return list(_stretches(*_marks(there, here, len(ids))))


def edit_kinds(batch: Batch, tokenizer: Tokenizer) -> IntArray:
    """(m, 4) units that are equal, replaced, deleted and inserted, on the way from each pair's reference to its output.

    >>> from validate.text.tokenizers import get
    >>> edit_kinds(Batch.of(["today we ship it"], [["we ship today"]]), get("none")).tolist()
    [[2, 1, 0, 1]]
    """
    distances = alignment.edit_distances(batch, tokenizer)
    encoded = batch.corpus.encode(tokenizer)
    return batch.once(("edit-kinds", tokenizer.name), lambda: _counted(encoded, batch, distances))


def _counted(encoded: Encoded, batch: Batch, distances: IntArray) -> IntArray:
    """Kinds of all pairs: in one go, but for those that have to be cut."""
    tokens, offsets, n_types = encoded.tokens, encoded.offsets, len(encoded.types)
    outputs, references = batch.pairs
    counts = _kinds(tokens, offsets, n_types, outputs, references, distances)
    for pair in np.flatnonzero(counts[:, EQUAL] < 0):
        there, here = (tokens[offsets[text] : offsets[text + 1]] for text in (references[pair], outputs[pair]))
        of_reference, of_output = _marks(there, here, n_types)
        counts[pair] = np.bincount(of_reference, minlength=4)
        counts[pair, INSERT] = (of_output == INSERT).sum()
    return counts


def _marks(reference: Tokens, output: Tokens, n_types: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The kind of edit at each unit of a pair, cut in two as often as RapidFuzz cuts it."""
    room = _Room.of(n_types, len(reference))
    of_reference, of_output = np.zeros(len(reference), np.int8), np.zeros(len(output), np.int8)
    parts: list[tuple[int, int, int, int, int | None]] = [(0, len(reference), 0, len(output), None)]
    while parts:
        start, stop, begin, end, edits = parts.pop()
        head, tail = _equal_ends(reference[start:stop], output[begin:end])
        start, stop, begin, end = start + head, stop - tail, begin + head, end - tail
        there, here = reference[start:stop], output[begin:end]
        # RapidFuzz decides about the first cut without knowing the distance.
        most = max(len(there), len(here)) if edits is None else edits
        if _whole(len(there), len(here), most):
            _walk(there, here, most, *room, of_reference[start:], of_output[begin:])
            continue
        place, fewer, rest = _cut(there, here, *room)
        middle = begin + len(here) // 2
        parts += [(start, start + place, begin, middle, fewer), (start + place, stop, middle, end, rest)]
    return of_reference, of_output


class _Room(NamedTuple):
    """Arrays that the kernels write to: where a token's mask is (0 for none), masks, and a column of differences."""

    rows: IntArray
    masks: NDArray[np.uint64]
    plus: NDArray[np.uint64]
    minus: NDArray[np.uint64]

    @classmethod
    def of(cls, n_types: int, longest: int) -> _Room:
        """For patterns of at most this many tokens."""
        n_words = (longest + 63) // 64
        masks = np.zeros((min(longest, n_types) + 1, n_words), np.uint64)
        return cls(np.zeros(n_types + 1, np.int64), masks, np.zeros(n_words, np.uint64), np.zeros(n_words, np.uint64))


def _steps(of_reference: NDArray[np.int8], of_output: NDArray[np.int8]) -> Iterator[tuple[int, int, int]]:
    """Kind, units of the reference and units of the output used up, step by step.

    Deletions and insertions never meet in a shortest script, because one replacement would do; so their order is no matter.
    """
    here = there = 0
    while here < len(of_output) or there < len(of_reference):
        if there < len(of_reference) and of_reference[there] == DELETE:
            kind, step = DELETE, (1, 0)
        elif here < len(of_output) and of_output[here] == INSERT:
            kind, step = INSERT, (0, 1)
        else:
            kind, step = int(of_reference[there]), (1, 1)
        there, here = there + step[0], here + step[1]
        yield kind, *step


def _stretches(of_reference: NDArray[np.int8], of_output: NDArray[np.int8]) -> Iterator[Edit]:
    """Neighbouring steps of one kind as one stretch."""
    here = there = 0
    for kind, steps in groupby(_steps(of_reference, of_output), key=lambda step: step[0]):
        used = np.sum([step[1:] for step in steps], axis=0).tolist()
        yield Edit(KINDS[kind], there, there + used[0], here, here + used[1])
        there, here = there + used[0], here + used[1]


@kernel
def _equal_ends(pattern, text):  # type: ignore[no-untyped-def]
    """How many tokens are equal at the beginnings, and then at the ends."""
    shorter, head, tail = min(len(pattern), len(text)), 0, 0
    while head < shorter and pattern[head] == text[head]:
        head += 1
    while tail < shorter - head and pattern[len(pattern) - 1 - tail] == text[len(text) - 1 - tail]:
        tail += 1
    return head, tail


@kernel
def _whole(there, here, most):  # type: ignore[no-untyped-def]
    """Whether RapidFuzz looks for the script without cutting: a short text, or two bit matrices of less than a megabyte."""
    band = min(there, 2 * min(most, max(here, there)) + 1)
    return 2 * band * here // 8 < WHOLE_BYTES or there < WHOLE_REFERENCE or here < WHOLE_OUTPUT


@kernel
def _walk(pattern, text, distance, rows, masks, plus, minus, of_pattern, of_text):  # type: ignore[no-untyped-def]
    """Mark the edits of a pair whose ends differ, at most ``distance``: columns forward, then back along the differences between neighbours.

    Only the words of a column are kept that a script of so few edits can touch.
    """
    n_words = (len(pattern) + 63) // 64
    width = min(n_words, (2 * distance + 1) // 64 + 2)
    rises, falls = np.empty((len(text), width), np.uint64), np.empty((len(text), width), np.uint64)
    _set_masks(pattern, rows, masks, n_words)
    _fill(plus, n_words, ALL)
    _fill(minus, n_words, ZERO)
    for step in range(len(text)):
        _edit_step(plus, minus, masks, rows[text[step]] - 1, n_words, len(pattern))
        first = min(max(0, step - distance) >> 6, n_words - width)
        for word in range(width):
            rises[step, word], falls[step, word] = plus[first + word], minus[first + word]
    _clear(pattern, rows)
    place, step = len(pattern), len(text)
    while place > 0 and step > 0:
        bit = np.uint64((place - 1) & 63)
        first = min(max(0, step - 1 - distance) >> 6, n_words - width)
        if (rises[step - 1, ((place - 1) >> 6) - first] >> bit) & ONE:
            place -= 1
            of_pattern[place] = DELETE
            continue
        step -= 1
        first = min(max(0, step - 1 - distance) >> 6, n_words - width)
        if step > 0 and (falls[step - 1, ((place - 1) >> 6) - first] >> bit) & ONE:
            of_text[step] = INSERT
        else:
            place -= 1
            if pattern[place] != text[step]:
                of_pattern[place] = of_text[step] = REPLACE
    _fill(of_pattern, place, DELETE)
    _fill(of_text, step, INSERT)


@kernel
def _last_column(pattern, text, rows, masks, plus, minus, costs):  # type: ignore[no-untyped-def]
    """costs[i]: fewest edits between the first i tokens of the pattern and the whole text."""
    n_words = (len(pattern) + 63) // 64
    _set_masks(pattern, rows, masks, n_words)
    _fill(plus, n_words, ALL)
    _fill(minus, n_words, ZERO)
    for token in text:
        _edit_step(plus, minus, masks, rows[token] - 1, n_words, len(pattern))
    _clear(pattern, rows)
    costs[0] = len(text)
    for place in range(len(pattern)):
        bit = np.uint64(place & 63)
        rise, fall = (plus[place >> 6] >> bit) & ONE, (minus[place >> 6] >> bit) & ONE
        costs[place + 1] = costs[place] + np.int64(rise) - np.int64(fall)


@kernel
def _cut(pattern, text, rows, masks, plus, minus):  # type: ignore[no-untyped-def]
    """Where to cut the pattern when the text is cut in its middle, and the edits left and right of it."""
    middle = len(text) // 2
    left, right = np.empty(len(pattern) + 1, np.int64), np.empty(len(pattern) + 1, np.int64)
    _last_column(pattern, text[:middle], rows, masks, plus, minus, left)
    _last_column(pattern[::-1].copy(), text[middle:][::-1].copy(), rows, masks, plus, minus, right)
    best = 0
    for place in range(len(pattern) + 1):
        if left[place] + right[len(pattern) - place] < left[best] + right[len(pattern) - best]:
            best = place
    return best, left[best], right[len(pattern) - best]


@kernel
def _kinds(tokens, offsets, n_types, outputs, references, distances):  # type: ignore[no-untyped-def]
    """Edits by kind of every pair; -1 for pairs that have to be cut."""
    longest, longest_output = _longest(offsets, references), _longest(offsets, outputs)
    rows = np.zeros(n_types + 1, np.int64)
    masks = np.zeros((min(longest, n_types) + 1, (longest + 63) // 64), np.uint64)
    plus, minus = np.zeros((longest + 63) // 64, np.uint64), np.zeros((longest + 63) // 64, np.uint64)
    marks, others = np.zeros(longest, np.int8), np.zeros(longest_output, np.int8)
    counts = np.zeros((len(outputs), 4), np.int64)
    for pair in range(len(outputs)):
        start, stop = offsets[references[pair]], offsets[references[pair] + 1]
        begin, end = offsets[outputs[pair]], offsets[outputs[pair] + 1]
        head, tail = _equal_ends(tokens[start:stop], tokens[begin:end])
        counts[pair, EQUAL] = head + tail
        there, here = stop - start - head - tail, end - begin - head - tail
        if not _whole(there, here, max(there, here)):
            counts[pair, EQUAL] = -1
            continue
        pattern, text = tokens[start + head : stop - tail], tokens[begin + head : end - tail]
        _fill(marks, there, EQUAL)
        _fill(others, here, EQUAL)
        _walk(pattern, text, distances[pair], rows, masks, plus, minus, marks, others)
        for place in range(there):
            counts[pair, marks[place]] += 1
        for place in range(here):
            counts[pair, INSERT] += others[place] == INSERT
    return counts
