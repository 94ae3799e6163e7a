"""Metrics that hold the token embeddings of an output against those of its references: what they share before they differ."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate.errors import plural
from validate.metrics import _options
from validate.metrics._collection import CollectionMetric
from validate.metrics.neural._encoder import Encoder, encoder
from validate.metrics.neural._groups import groups
from validate.metrics.neural._metric import NeuralMetric
from validate.metrics.neural._tokens import Tokens
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

HELD = 512 * 2**20  # bytes of embeddings in memory at a time


class Side(NamedTuple):
    """Texts laid end to end: unit vectors (n_tokens, dim), where the texts begin (n + 1,), and the weights of the tokens."""

    vectors: NDArray[np.float32]
    offsets: IntArray
    weights: FloatArray

    def take(self, texts: IntArray) -> Side:
        """Some texts, in the order given."""
        lengths = np.diff(self.offsets)[texts]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[texts] - offsets[:-1], lengths)
        return Side(self.vectors[places], offsets, self.weights[places])

    def masked(self, kept: NDArray[np.bool_]) -> Side:
        """Only the tokens that are kept."""
        ends = np.concatenate([[0], np.cumsum(kept)])
        return Side(self.vectors[kept], ends[self.offsets], self.weights[kept])


class Read(NamedTuple):
    """The texts of a batch as tokens; ``place[t]`` is where text t of the corpus stands among them, -1 where it is not read."""

    tokens: Tokens
    place: IntArray


class TokenMetric(NeuralMetric, CollectionMetric):
    """Base of `BertScore` and `MoverScore`.

    Embeddings are made for a group of rows at a time and let go of after, so that never more than 512 MB of them are in memory, whatever
    the size of the study; rows with the same references stay together, so that each text is still encoded about once.
    """

    layer: int | None
    idf: bool
    windows: bool
    cache: bool

    def set_encoder(self, *, layer: int | None, idf: bool, windows: bool, cache: bool) -> None:
        """Take the options that both have."""
        self.layer = None if layer is None else _options.whole(self.name, "layer", layer, 0)
        self.idf = _options.yes_or_no(self.name, "idf", idf)
        self.windows = _options.yes_or_no(self.name, "windows", windows)
        self.cache = _options.yes_or_no(self.name, "cache", cache)

    @abc.abstractmethod
    def weigher(self, batch: Batch, room: Encoder) -> Callable[[Tokens], FloatArray]:
        """What gives each token its weight, (n_tokens,) or (n_tokens, 2) as part of an output and of a reference; NaN leaves it out."""

    @property
    def by_blocks(self) -> bool:
        """No: what is in memory is bounded here, and a reference of outputs far apart is encoded once."""
        return False

    @property
    def fitted_on(self) -> str:
        return super().fitted_on if self.idf else "not used"

    def encoder(self) -> Encoder:
        """The model up to the layer."""
        return encoder(self.name, self.model, layer=self.layer, dtype=self.dtype, device=self.device)

    def read(self, batch: Batch) -> Read:
        """The outputs and references of a batch, and what the weights are made from, as tokens; made once."""
        collection = self.collection(batch) if self.idf else batch
        used = np.unique(np.concatenate([batch.outputs, batch.references, collection.references]))
        room = self.encoder()
        key = ("tokens", self.identity, self.windows, len(used), len(batch.corpus))

        def make() -> Read:
            place = np.full(len(batch.corpus), -1, dtype=np.int64)
            place[used] = np.arange(len(used))
            return Read(room.tokens([batch.corpus.texts[text] for text in used], windows=self.windows), place)

        return batch.once(key, make)

    def rarity(self, batch: Batch) -> Rarity | None:
        """How rare each token is among all references of the collection; None without ``idf``."""
        if not self.idf:
            return None
        collection, read = self.collection(batch), self.read(batch)
        return Rarity.of(read.tokens, read.place[collection.references])

    def grouped(self, batch: Batch) -> Iterator[tuple[IntArray, Side, IntArray]]:
        """Rows in groups, the embeddings of their texts, and (len(corpus),) where each text stands among these."""
        room, (tokens, place) = self.encoder(), self.read(batch)
        lengths = np.where(place >= 0, tokens.lengths[place], 0) if len(tokens) else place
        weigh = self.weigher(batch, room)
        for rows in groups(batch, lengths, HELD // (4 * room.dim)):
            part = batch.take(rows)
            texts = np.unique(np.concatenate([part.outputs, part.references]))
            embedded = room.embed(tokens.take(place[texts]), budget=self.budget, cache=self.cache)
            here = np.full(len(place), -1, dtype=np.int64)
            here[texts] = np.arange(len(texts))
            yield rows, Side(embedded.unit(), embedded.offsets, weigh(embedded.tokens)), here

    def shared_key(self, *more: Hashable) -> tuple[Any, ...]:
        """What the numbers of all pairs depend on, for `Batch.once`."""
        settings = (self.identity, self.layer, self.dtype, self.windows, self.idf and self.fitted_on)
        return (type(self).__name__, *settings, *more)

    def notes(self, batch: Batch) -> list[Fact]:
        """How many texts are longer than the model, and how many have no token."""
        read = self.read(batch)
        judged = read.place[np.unique(np.concatenate([batch.outputs, batch.references]))]
        n_cut, n_empty = int((read.tokens.n_cut[judged] > 0).sum()), int(read.tokens.empty[judged].sum())
        facts = []
        if n_cut:
            text = (
                f"{self.name}: {plural(n_cut, 'text')} of {len(judged):,} {'is' if n_cut == 1 else 'are'} longer than the "
                f"{read.tokens.limit:,} tokens that {self.model} reads, and what comes after was not seen; windows=yes reads them whole"
            )
            facts.append(Fact("cut-texts", n_cut, text, "warning"))
        if n_empty:
            text = f"{self.name}: {plural(n_empty, 'text')} of {len(judged):,} without a token; {self.empty_policy}"
            facts.append(Fact("empty-texts", n_empty, text))
        return facts

    empty_policy: str = "pairs with one score 0"


class Rarity(NamedTuple):
    """Inverse document frequency: log((N + 1) / (df + 1)) of a token that df of N texts hold.

    >>> rarity = Rarity(np.array([5, 8]), np.array([0.0, 0.5]), 1.5)
    >>> rarity(np.array([8, 3, 5], dtype=np.int32)).tolist()
    [0.5, 1.5, 0.0]
    """

    ids: IntArray
    known: FloatArray
    unseen: float

    @classmethod
    def of(cls, tokens: Tokens, texts: IntArray) -> Rarity:
        """Counted over some texts; one that stands there twice counts twice."""
        some = tokens.take(texts)
        text_of = np.repeat(np.arange(len(texts)), some.lengths)
        distinct = np.unique(np.stack([text_of, some.ids.astype(np.int64)], axis=1), axis=0)
        ids, frequencies = np.unique(distinct[:, 1], return_counts=True)
        return cls(ids, np.log((len(texts) + 1) / (frequencies + 1)), float(np.log(len(texts) + 1)))

    def __call__(self, ids: NDArray[np.int32]) -> FloatArray:
        """(n,) of each token."""
        if not len(self.ids):
            return np.full(len(ids), self.unseen)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, self.known[at], self.unseen)
