"""The alignment of METEOR 1.5: all matches of words and phrases, and a beam search for the best set of them.

Best is: most words covered, where matches other than of equal words count half and halves are dropped; then fewest chunks;
then the least distance between places. A beam of forty partial alignments goes through the reference from left to right.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, NamedTuple

from validate.metrics._meteor15_files import Lists, Paraphrases
from validate.text.snowball import stem

BEAM = 40
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)


class Match(NamedTuple):
    """Words of the reference from ``start`` on match words of the output from ``there`` on."""

    start: int
    length: int
    there: int
    there_length: int
    stage: int

    @property
    def cover(self) -> int:
        """The words of the reference that it takes, as bits."""
        return ((1 << self.length) - 1) << self.start

    @property
    def there_cover(self) -> int:
        """The words of the output that it takes, as bits."""
        return ((1 << self.there_length) - 1) << self.there


class Path(NamedTuple):
    """A partial alignment, compared by its first three parts."""

    minus_covered: int
    chunks: int
    distance: int
    here: int  # covered words of the reference, half a word for a weak match, halves dropped
    there: int
    next: int  # the first word of the reference that is not decided
    end: int  # where the last match ends in the output, -1 where a chunk is not open
    used: int
    used_there: int
    chain: Any  # the matches, last one first: a pair of a match and the chain before it, or None


def align(output: list[str], reference: list[str], lists: Lists, table: Paraphrases) -> list[Match]:
    """The matches that METEOR 1.5 chooses, by their places in the reference."""
    return _resolve(_all_matches(output, reference, lists, table), len(reference))


def _all_matches(output: list[str], reference: list[str], lists: Lists, table: Paraphrases) -> list[list[Match]]:
    """Every match, by where it starts in the reference; of equal texts equal words only."""
    found: list[list[Match]] = [[] for _ in reference]
    places: dict[str, list[int]] = {}
    for there, word in enumerate(output):
        places.setdefault(word, []).append(there)
    for start, word in enumerate(reference):
        found[start] += [Match(start, 1, there, 1, EXACT) for there in places.get(word, ())]
    if output == reference:
        return found
    _add_unequal(found, STEM, list(map(stem, output)), list(map(stem, reference)), output, reference)
    senses, own = [lists.synsets(word) for word in output], [lists.synsets(word) for word in reference]
    for start, word in enumerate(reference):
        found[start] += [
            Match(start, 1, there, 1, SYNONYM)
            for there, other in enumerate(output)
            if word != other and not own[start].isdisjoint(senses[there])
        ]
    for start, length, there, there_length in _paraphrased(reference, output, table):
        found[start].append(Match(start, length, there, there_length, PARAPHRASE))
    for there, there_length, start, length in _paraphrased(output, reference, table):
        found[start].append(Match(start, length, there, there_length, PARAPHRASE))
    return found


def _add_unequal(
    found: list[list[Match]], stage: int, keys: list[str], own: list[str], output: list[str], reference: list[str]
) -> None:
    """Matches of unequal words with equal keys."""
    for start, key in enumerate(own):
        found[start] += [
            Match(start, 1, there, 1, stage)
            for there, other in enumerate(keys)
            if key == other and reference[start] != output[there]
        ]


def _paraphrased(one: list[str], other: list[str], table: Paraphrases) -> Iterable[tuple[int, int, int, int]]:
    """Place and length of each phrase of one text that has a paraphrase in the other, and place and length of that."""
    known = set(other)
    for place in range(len(one)):
        for length, said in table.at(one, place):
            if said and said[0] not in known:
                continue
            for there in range(len(other)):
                if tuple(other[there : there + len(said)]) == said:
                    yield place, length, there, len(said)


def _settled(matches: list[list[Match]]) -> dict[int, Match]:
    """Matches whose words nothing else could take."""
    everything = [match for row in matches for match in row]
    settled = {}
    counts: dict[int, int] = {}
    counts_there: dict[int, int] = {}
    for match in everything:
        for place in range(match.start, match.start + match.length):
            counts[place] = counts.get(place, 0) + 1
        for place in range(match.there, match.there + match.there_length):
            counts_there[place] = counts_there.get(place, 0) + 1
    for match in everything:
        alone = all(counts[place] == 1 for place in range(match.start, match.start + match.length))
        if alone and all(counts_there[place] == 1 for place in range(match.there, match.there + match.there_length)):
            settled[match.start] = match
    return settled


def _extended(path: Path, match: Match, distance: int) -> Path:
    """A path with one more match; a weak match of one word covers half a word, which is dropped."""
    half = match.stage != EXACT
    here = path.here + (match.length // 2 if half else match.length)
    there = path.there + (match.there_length // 2 if half else match.there_length)
    return Path(
        -(here + there),
        path.chunks + (path.end not in (-1, match.there)),
        distance,
        here,
        there,
        match.start + match.length,
        match.there + match.there_length,
        path.used | match.cover,
        path.used_there | match.there_cover,
        (match, path.chain),
    )


def _resolve(matches: list[list[Match]], n_words: int) -> list[Match]:
    """The best set of matches that the beam finds."""
    settled = _settled(matches)
    used = used_there = 0
    for match in settled.values():
        used |= match.cover
        used_there |= match.there_cover
    paths = [Path(0, 0, 0, 0, 0, 0, -1, used, used_there, None)]
    for place in range(n_words):
        kept = heapq.nsmallest(BEAM, paths, key=lambda path: path[:3])  # stable, as a sort is
        paths = [after for path in kept for after in _steps(path, place, matches[place], settled)] or kept[:1]
    closed = [
        path._replace(chunks=path.chunks + (path.end != -1))
        for path in heapq.nsmallest(BEAM, paths, key=lambda path: path[:3])
    ]
    chain = min(closed, key=lambda path: path[:3]).chain
    chosen: list[Match] = []
    while chain:
        match, chain = chain
        chosen.append(match)
    return chosen[::-1]


def _steps(path: Path, place: int, matches: list[Match], settled: dict[int, Match]) -> Iterable[Path]:
    """What a path can become at a word of the reference.

    The distance of a match is added to the path that it came from, so that it counts for the matches tried after it and for
    leaving the word out. It should have been added to the new path; METEOR 1.5's scores come from what it does.
    """
    if path.used >> place & 1:
        if place < path.next:
            yield path
        elif place in settled:
            match = settled[place]
            yield _extended(path, match, path.distance + abs(match.start - match.there))
        return
    distance = path.distance
    for match in matches:
        if not (path.used & match.cover or path.used_there & match.there_cover):
            yield _extended(path, match, distance)
            distance += abs(match.start - match.there)
    yield path._replace(chunks=path.chunks + (path.end != -1), end=-1, next=path.next + 1, distance=distance)
