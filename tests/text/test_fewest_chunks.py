"""Matchings of two texts beside plain twins that try everything, or do literally what is said."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from validate.text import fewest_chunks as module
from validate.text import tokenizers
from validate.text.corpus import Batch
from validate.text.fewest_chunks import FEW, IMPOSSIBLE, MANY, fewest_chunks
from validate.text.greedy_matches import greedy_matches
from validate.text.word_relations import Relation, numbered

WORDS = [letter + end for letter in "abcd" for end in "xy"]
"""Words of one letter share a stem."""

Pair = tuple[list[str], list[str]]
Synonyms = set[frozenset[str]]

word = st.sampled_from(WORDS)
few_words = st.sampled_from(["ax", "ay", "bx"])
pair = st.tuples(st.lists(word, max_size=5), st.lists(word, max_size=5)) | st.tuples(
    st.lists(few_words, max_size=5), st.lists(few_words, max_size=5)
)
synonyms = st.sets(st.sets(word, min_size=2, max_size=2).map(frozenset), max_size=12)


def kind(word: str, other: str, synonyms: Synonyms) -> int:
    """0: equal, 1: one stem, 2: synonyms, 3: no match."""
    if word == other:
        return 0
    return 1 if word[0] == other[0] else 2 if frozenset((word, other)) in synonyms else 3


def best_by_trying_everything(here: list[str], there: list[str], synonyms: Synonyms) -> tuple[int, int]:
    """Matches and chunks of the best of all matchings: most equal words, then stems, then synonyms, then fewest chunks."""
    best = (0, 0, 0, 0)

    def extend(place: int, taken: frozenset[int], before: int, counts: tuple[int, ...], chunks: int) -> None:
        nonlocal best
        if place == len(here):
            best = min(best, (*(-count for count in counts), chunks))
            return
        extend(place + 1, taken, -2, counts, chunks)
        for other in set(range(len(there))) - taken:
            found = kind(here[place], there[other], synonyms)
            if found < 3:
                more = tuple(count + (number == found) for number, count in enumerate(counts))
                extend(place + 1, taken | {other}, other, more, chunks + (other != before + 1))

    extend(0, frozenset(), -2, (0, 0, 0), 0)
    return -sum(best[:3]), best[3]


def from_the_end(here: list[str], there: list[str], synonyms: Synonyms) -> tuple[int, int]:
    """Matches and chunks by stages, each from the last word, which takes the last free word that matches."""
    partner: dict[int, int] = {}
    for stage in range(3):
        for place in reversed(range(len(here))):
            for other in reversed(range(len(there))):
                free = place not in partner and other not in partner.values()
                if free and kind(here[place], there[other], synonyms) == stage:
                    partner[place] = other
    chunks = sum(partner.get(place - 1, -2) + 1 != other for place, other in partner.items())
    return len(partner), chunks


def prepared(here: list[str], there: list[str], synonyms: Synonyms):
    batch = Batch.of([" ".join(here)], [[" ".join(there)]])
    encoded = batch.corpus.encode(tokenizers.get("whitespace"))
    stems, _ = numbered(encoded.types, lambda word: word[0])
    related = [
        {number for number, other in enumerate(encoded.types) if kind(word, other, synonyms) == 2}
        for word in encoded.types
    ]
    return batch, encoded, stems, Relation.of(related)


@given(pair=pair, synonyms=synonyms)
def test_fewest_chunks_are_those_of_trying_everything(pair: Pair, synonyms: Synonyms) -> None:
    matches, chunks, proven = fewest_chunks(*prepared(*pair, synonyms))
    assert (matches[0], chunks[0]) == best_by_trying_everything(*pair, synonyms)
    assert proven[0]


@given(pair=pair, synonyms=synonyms, few=st.integers(1, 3), many=st.integers(0, 6))
def test_what_is_called_proven_is_right_and_the_rest_is_possible(
    pair: Pair, synonyms: Synonyms, few: int, many: int
) -> None:
    """With far too few states kept, an answer is either the best one or not called proven; equal words are all matched."""
    batch, encoded, stems, related = prepared(*pair, synonyms)
    texts = (encoded.tokens, encoded.offsets, *batch.pairs)
    found = module._fewest_chunks(*texts, stems, related.offsets, related.members, few, many, IMPOSSIBLE)
    (matches,), (chunks,), (proven,) = found
    best = best_by_trying_everything(*pair, synonyms)
    assert not proven or (matches, chunks) == best
    equal = sum(min(pair[0].count(word), pair[1].count(word)) for word in set(pair[0]))
    assert equal <= matches <= best[0]
    assert (matches > 0) <= chunks <= matches


def test_the_second_search_settles_what_the_first_cannot() -> None:
    """Twelve words in two orders: two states are not enough, many are."""
    draw = np.random.default_rng(5)
    one, other = ([WORDS[place] for place in draw.integers(4, size=12)] for _ in range(2))
    batch, encoded, stems, related = prepared(one, other, set())
    texts = (encoded.tokens, encoded.offsets, *batch.pairs, stems, related.offsets, related.members)
    *_, (alone,) = module._fewest_chunks(*texts, 2, 0, IMPOSSIBLE)
    matches, chunks, (both,) = module._fewest_chunks(*texts, 2, MANY, IMPOSSIBLE)
    assert (alone, both) == (False, True)
    wide = module._fewest_chunks(*texts, 64 * MANY, 0, IMPOSSIBLE)
    assert (matches, chunks) == (wide[0], wide[1])
    assert FEW < MANY


def test_more_words_than_fit_into_one_word_of_bits() -> None:
    """Two hundred equal words in one chunk, though every one could be taken by every other."""
    matches, chunks, _ = fewest_chunks(*prepared(["ax"] * 200, ["ax"] * 150, set()))
    assert (matches.tolist(), chunks.tolist()) == ([150], [1])


def test_an_equal_word_goes_before_a_chunk() -> None:
    """``ay bx`` could be one chunk with ``ax bx``, were it not for the equal ``ay`` at the other end."""
    matches, chunks, _ = fewest_chunks(*prepared(["ay", "bx"], ["ax", "bx", "cx", "ay"], set()))
    assert (matches.tolist(), chunks.tolist()) == ([2], [2])


@given(pair=pair, synonyms=synonyms)
def test_greedy_matches_are_those_taken_from_the_end(pair: Pair, synonyms: Synonyms) -> None:
    """Synonyms of stems: here a stem is a letter, and two letters are related if any of their words are."""
    batch, encoded, stems, _ = prepared(*pair, set())
    letters = {frozenset(word[0] for word in words) for words in synonyms}
    loose = {frozenset((a, b)) for a in WORDS for b in WORDS if frozenset((a[0], b[0])) in letters and a[0] != b[0]}
    _, behind = numbered(encoded.types, lambda word: word[0])
    related = Relation.of(
        [{j for j, b in enumerate(behind) if a != b and frozenset((a, b)) in letters} for a in behind]
    )
    matches, chunks = greedy_matches(batch, encoded, stems, related)
    assert (matches[0], chunks[0]) == from_the_end(*pair, loose)


def test_words_repeated_thousands_of_times_take_seconds_and_are_said_not_to_be_proven() -> None:
    """Three words in 3,000 places: three million pairs of equal words, of which no search keeps many states."""
    from validate import metrics
    from validate.text.corpus import Batch

    rng = np.random.default_rng(0)
    output, reference = (" ".join(rng.choice(list("abc"), 3_000)) for _ in range(2))
    metric = metrics.get("meteor", stages=("exact",))
    batch = Batch.of([output], [[reference]])
    assert 0.5 < metric.divide(metric.count(batch))[0] < 1
    (fact,) = metric.notes(batch)
    assert (fact.name, fact.count) == ("unproven-alignment", 1)
