"""Merging scene graphs and matching their tuples, with synonyms of our own making: neither spaCy nor WordNet is needed."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate.text.scenes import Graph, Index, merged
from validate.text.scenes.words import silent_e

SENSES = {"car": {1}, "auto": {1, 2}, "machine": {2}, "big": {3}, "large": {3}, "by": {4}, "past": {4}}


def keys(word: str) -> Collection[Hashable]:
    """The word and its senses."""
    return {word, *SENSES.get(word, ())}


def matched(graph: Graph, other: Graph) -> Graph:
    """The tuples of one graph that the other has."""
    return Index(graph, keys).matched_by(Index(other, keys))


def readable(graph: Graph) -> set[tuple[str, ...]]:
    """Concepts spelled as their words in alphabetical order."""
    return {tuple("/".join(sorted(concept)) for concept in said) for said in graph}


def test_what_several_graphs_say_is_said_once() -> None:
    graph = merged([{("dog",), ("dog", "big")}, {("dog",), ("cat",), ("dog", "chase", "cat")}])
    assert readable(graph) == {("dog",), ("cat",), ("dog", "big"), ("dog", "chase", "cat")}


def test_synonymous_objects_become_one_with_all_that_is_said_of_them() -> None:
    graph = merged([{("car",), ("car", "big")}, {("auto",), ("auto", "large"), ("auto", "red")}], keys)
    assert readable(graph) == {("auto/car",), ("auto/car", "big/large"), ("auto/car", "red")}


def test_synonymous_relations_become_one() -> None:
    graph = merged([{("car", "by", "inn")}, {("car", "past", "inn")}], keys)
    assert readable(graph) == {("car", "by/past", "inn")}


def test_a_third_word_makes_no_synonyms() -> None:
    """car and machine share no sense; auto shares one with each, and joins the one that more graphs name."""
    assert readable(merged([{("car",)}, {("car",)}, {("auto",)}, {("machine",)}], keys)) == {
        ("auto/car",),
        ("machine",),
    }
    assert readable(merged([{("machine",)}, {("machine",)}, {("auto",)}, {("car",)}], keys)) == {
        ("auto/machine",),
        ("car",),
    }


def test_the_order_of_graphs_changes_nothing() -> None:
    scenes = [{("car",), ("car", "big")}, {("auto",), ("auto", "large")}, {("machine",)}, {("car",)}]
    assert len({merged(order, keys) for order in permutations(scenes)}) == 1


@pytest.mark.parametrize(
    ("said", "other", "is_matched"),
    [
        (("car",), ("car",), True),
        (("car",), ("auto",), True),
        (("car",), ("machine",), False),
        (("car", "big"), ("auto", "large"), True),
        (("car", "big"), ("car", "red"), False),
        (("car", "by", "inn"), ("auto", "past", "inn"), True),
        (("car", "by", "inn"), ("inn", "by", "car"), False),
        (("car", "big"), ("car",), False),
    ],
)
def test_a_tuple_matches_place_by_place(said: tuple[str, ...], other: tuple[str, ...], is_matched: bool) -> None:
    mine, theirs = merged([{said}], keys), merged([{other}], keys)
    assert matched(mine, theirs) == (mine if is_matched else frozenset())
    assert matched(theirs, mine) == (theirs if is_matched else frozenset())


WORD = st.sampled_from([*SENSES, "dog", "red"])
SCENE = st.frozensets(st.one_of(st.tuples(WORD), st.tuples(WORD, WORD), st.tuples(WORD, WORD, WORD)), max_size=8)


@given(SCENE, st.lists(SCENE, max_size=3))
def test_matching_equals_the_plain_definition(
    scene: frozenset[tuple[str, ...]], others: list[frozenset[tuple[str, ...]]]
) -> None:
    def share(one: frozenset[str], two: frozenset[str]) -> bool:
        return any(set(keys(word)) & set(keys(other)) for word in one for other in two)

    graph, other = merged([scene], keys), merged(others, keys)
    plain = {said for said in graph if any(len(said) == len(rest) and all(map(share, said, rest)) for rest in other)}
    assert matched(graph, other) == plain
    assert matched(graph, graph) == graph


@pytest.mark.parametrize(
    ("form", "lemma", "right"),
    [
        ("riding", "rid", "ride"), ("rides", "rid", "ride"), ("staring", "star", "stare"), ("taped", "tap", "tape"),
        ("tapped", "tap", "tap"), ("starring", "star", "star"), ("sitting", "sit", "sit"), ("playing", "play", "play"),
        ("opened", "open", "open"), ("waiting", "wait", "wait"), ("seeing", "see", "see"),
    ],
)  # fmt: skip
def test_a_silent_e_is_put_back(form: str, lemma: str, right: str) -> None:
    """spaCy 3.8's rules take *riding* for a form of *rid*, because that is a verb too."""
    verbs = {"ride", "rid", "star", "stare", "tap", "tape", "sit", "site", "play", "open", "wait", "see", "waite"}
    assert silent_e(form, lemma, verbs) == right
