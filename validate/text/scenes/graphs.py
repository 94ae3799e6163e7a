"""Scene graphs merged into one, and the tuples that two of them have in common, synonyms counting as one word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

Tuple = tuple[str, ...]
Concept = frozenset[str]  # words that mean the same here
Graph = frozenset[tuple[Concept, ...]]
Keys = Callable[[str], Collection[Hashable]]  # two words are synonyms when they share a key


def own_key(word: str) -> Collection[Hashable]:
    """A word is a synonym of itself only."""
    return (word,)


def merged(scenes: Iterable[Iterable[Tuple]], keys: Keys = own_key) -> Graph:
    """One graph that says what several say: objects that are synonyms become one, and so do attributes and relations.

    Words are taken by how many graphs name them, then by the alphabet, so that the order of the graphs changes nothing. Each joins the
    first one before it that it is a synonym of; through a third word none becomes a synonym.

    Parameters
    ----------
    scenes : iterable of sets of tuples
        (object,), (object, attribute), (object, relation, object).
    keys : callable
        What two words must share to be synonyms.

    Examples
    --------
    >>> same = {"auto": ["car"]}
    >>> graph = merged([[("car",), ("car", "red")], [("auto",)]], lambda word: same.get(word, [word]))
    >>> sorted(tuple("|".join(sorted(concept)) for concept in said) for said in graph)
    [('auto|car',), ('auto|car', 'red')]
    """
    listed = [set(scene) for scene in scenes]
    concepts = [_concepts(_counted(listed, role), keys) for role in (_objects, _attributes, _relations)]
    objects, attributes, relations = concepts

    def lifted(said: Tuple) -> tuple[Concept, ...]:
        middle = (attributes if len(said) == 2 else relations)[said[1]] if len(said) > 1 else None
        return (objects[said[0]], *([middle] if middle else []), *(objects[word] for word in said[2:]))

    return frozenset(lifted(said) for scene in listed for said in scene)


def _objects(said: Tuple) -> Tuple:
    return (said[0], *said[2:])


def _attributes(said: Tuple) -> Tuple:
    return said[1:] if len(said) == 2 else ()


def _relations(said: Tuple) -> Tuple:
    return said[1:2] if len(said) == 3 else ()


def _counted(scenes: list[set[Tuple]], role: Callable[[Tuple], Tuple]) -> dict[str, int]:
    """In how many graphs each word has a role."""
    counts: dict[str, int] = {}
    for scene in scenes:
        for word in {word for said in scene for word in role(said)}:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _concepts(counts: Mapping[str, int], keys: Keys) -> dict[str, Concept]:
    """Each word to the set of words that it is one with."""
    holders: dict[Hashable, int] = {}  # key → the first concept whose first word has it
    groups: list[list[str]] = []
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        own = keys(word)
        joins = min((holders[key] for key in own if key in holders), default=len(groups))
        if joins == len(groups):
            groups.append([])
            for key in own:
                holders.setdefault(key, joins)
        groups[joins].append(word)
    return {word: concept for group in groups for concept in [frozenset(group)] for word in group}


class Index:
    """A graph ready to be matched with many others: what its words share with their synonyms is looked up once.

    >>> one, two = merged([[("dog",), ("dog", "chase", "cat")]]), merged([[("dog",), ("cat", "chase", "dog")]])
    >>> sorted(sorted(concept) for said in Index(one).matched_by(Index(two)) for concept in said)
    [['dog']]
    """

    def __init__(self, graph: Graph, keys: Keys = own_key) -> None:
        spread = {concept: {key for word in concept for key in keys(word)} for said in graph for concept in said}
        self.graph = graph
        self._said = [(said, [spread[concept] for concept in said]) for said in graph]
        self._by_first: dict[int, dict[Hashable, list[list[set[Hashable]]]]] = {1: {}, 2: {}, 3: {}}
        for said, places in self._said:
            there = self._by_first[len(said)]
            for key in places[0]:
                there.setdefault(key, []).append(places)

    def matched_by(self, other: Index) -> Graph:
        """The tuples of this graph that some tuple of the other matches: as long, and each word a synonym of the word in its place."""
        return frozenset(said for said, places in self._said if other._has(places))

    def _has(self, places: list[set[Hashable]]) -> bool:
        there, rest = self._by_first[len(places)], places[1:]
        return any(
            not any(map(set.isdisjoint, rest, other[1:]))
            for key in places[0].intersection(there)
            for other in there[key]
        )
