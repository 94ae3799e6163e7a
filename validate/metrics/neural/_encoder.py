"""The room that all metrics on token embeddings share: texts in, one vector a token out, whatever the batch.

Each distinct input of the model is run once, the longest first, in batches bounded by a budget of tokens; a batch that does not fit into
memory is halved. What a run computes goes to the cache at once, so that an interrupted one goes on where it stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.errors import AccordError
from validate.metrics.neural._batches import BUDGET, through
from validate.metrics.neural._cache import Cache
from validate.metrics.neural._checkpoint import Checkpoint, find
from validate.metrics.neural._loading import config_of, model_of, tokenizer_of
from validate.metrics.neural._packed import packed
from validate.metrics.neural._stack import check_layer, cut_after, encoder_of, n_layers
from validate.metrics.neural._tokens import Piece, Reader, Tokens
from validate.metrics.neural._torch import device_of, dtype_of, needed, versions
from validate.schema import IntArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """Token embeddings of many texts, laid end to end.

    Parameters
    ----------
    tokens : Tokens
        The ids, ``offsets`` and special tokens; text t is ``vectors[offsets[t]:offsets[t + 1]]``.
    vectors : (n_tokens, dim) float32
    """

    tokens: Tokens
    vectors: Vectors

    @property
    def offsets(self) -> IntArray:
        """(n_texts + 1,) where each text begins and the last one ends."""
        return self.tokens.offsets

    def unit(self) -> Vectors:
        """(n_tokens, dim) the vectors scaled to length 1."""
        return self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)


class Encoder:
    """A model up to one of its layers, and its tokenizer. Made by `encoder`, which keeps the last ones.

    The weights are read when a text has to be computed and not before.

    Parameters
    ----------
    who : str
        The metric, for messages.
    checkpoint : Checkpoint
    layer : int or None
        0 for the embeddings, n for the output of the nth layer, None for the last.
    dtype, device : str
    """

    def __init__(self, who: str, checkpoint: Checkpoint, layer: int | None, dtype: str, device: str) -> None:
        self.who, self.checkpoint = who, checkpoint
        self.dtype, self.device = dtype, device_of(who, device)
        dtype_of(who, dtype)
        config = config_of(who, checkpoint)
        self.layer = n_layers(config) if layer is None else layer
        check_layer(who, self.layer, n_layers(config))
        self.dim = int(config.hidden_size)
        self.tokenizer = tokenizer_of(who, checkpoint)
        self.reader = Reader(self.tokenizer, _positions(config))
        self._model: Any = None
        self._lock = threading.RLock()  # tokenizers and the loading of weights are no work for several threads

    def tokens(self, texts: Sequence[str], *, windows: bool = False) -> Tokens:
        """Texts as the model reads them; one that is too long is cut, or read in windows that overlap by half."""
        with self._lock:
            return self.reader(texts, windows=windows)

    def embed(self, tokens: Tokens, *, budget: int = BUDGET, cache: bool = True) -> Embedded:
        """The embeddings of all tokens, held in memory: 4 · dim bytes a token. For more texts than that allows see `_groups`.

        Parameters
        ----------
        tokens : Tokens
        budget : int
            Tokens that the model takes at a time, padding included. Changes no number by more than 2e-6.
        cache : bool
            Whether to look among embeddings on disk and to leave new ones there, see `_cache`.

        Raises
        ------
        AccordError
            When the model gives NaN or infinity; the message names the text.
        """
        vectors = np.empty((len(tokens.ids), self.dim), dtype=np.float32)
        store = Cache(self._settings(), self.dim) if cache else None
        wanted: dict[bytes, list[Piece]] = {}
        for piece in tokens.pieces():
            wanted.setdefault(store.key(piece.ids) if store else piece.ids.tobytes(), []).append(piece)
        missing = []
        for key, known in zip(wanted, store.read(list(wanted)) if store else [None] * len(wanted), strict=True):
            if known is None or len(known) != len(wanted[key][0].ids):
                missing.append(key)
            else:
                _place(vectors, wanted[key], known)
        if missing:
            with self._lock:
                self._compute(vectors, wanted, missing, store, budget)
        return Embedded(tokens, vectors)

    def _compute(
        self, vectors: Vectors, wanted: dict[bytes, list[Piece]], missing: list[bytes], store: Cache | None, budget: int
    ) -> None:
        """Run the model over what was not in the cache."""
        inputs = [wanted[key][0].ids for key in missing]

        def forward(batch: IntArray) -> None:
            found = self._forward([inputs[at] for at in batch])
            for at, computed in zip(batch, found, strict=True):
                _place(vectors, wanted[missing[at]], computed)
            if store:
                store.write([missing[at] for at in batch], found)

        through(self.who, np.array([len(ids) for ids in inputs]), forward, budget=budget)

    def _forward(self, inputs: list[NDArray[np.int32]]) -> list[Vectors]:
        """What the last layer gives for each input, without padding."""
        torch = needed(self.who, "torch")
        model = self.model
        width = max(map(len, inputs))
        ids = np.full((len(inputs), width), self.tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros((len(inputs), width), dtype=np.int64)
        for row, one in enumerate(inputs):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        with torch.inference_mode():
            given = torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
            output = model(input_ids=given[0], attention_mask=given[1])[0].float().cpu().numpy()
        found = [output[row, : len(one)] for row, one in enumerate(inputs)]
        for one, computed in zip(inputs, found, strict=True):
            if not np.isfinite(computed).all():
                raise AccordError(self._not_a_number(one))
        return found

    def _not_a_number(self, ids: NDArray[np.int32]) -> str:
        text = self.tokenizer.decode(ids.tolist(), skip_special_tokens=True)
        shown = text if len(text) <= 80 else text[:79] + "…"
        return (
            f"{self.who}: {self.checkpoint.name} gives NaN or infinity at layer {self.layer} for the text {shown!r}; finite numbers are "
            f"needed; {'try dtype=float32, or ' if self.dtype != 'float32' else ''}check the checkpoint"
        )

    @property
    def model(self) -> Any:
        """The weights up to the layer, on the device; read at the first call."""
        if self._model is None:
            whole = model_of(self.who, "AutoModel", self.checkpoint, dtype=self.dtype, device="cpu")
            cut = cut_after(self.who, whole, self.layer).to(self.device)
            self._model = packed(self.who, cut) if (self.device, self.dtype) == ("cpu", "float32") else cut
        return self._model

    def _settings(self) -> str:
        files = self.checkpoint.revision or self.checkpoint.digest
        return f"{files}|{self.layer}|{self.dtype}|{self.device.split(':')[0]}|{versions()}"


def encoder(who: str, model: str, *, layer: int | None, dtype: str = "float32", device: str = "auto") -> Encoder:
    """The encoder of a model by its name or folder; two are kept, so that the same one is not read again.

    Raises
    ------
    MissingModelError, MissingExtraError
        When it cannot be had; the message says how to get it.
    OptionError
        For a layer, precision or device that there is not.
    """
    checkpoint = located(who, model)
    return _kept(who, checkpoint, checkpoint.revision or checkpoint.digest, layer, dtype, device)


def located(who: str, model: str) -> Checkpoint:
    """As `find`; what came from the hub is not asked for twice."""
    needed(who, "torch")
    checkpoint = _located.get(model) or find(who, model)
    if checkpoint.revision:
        _located[model] = checkpoint
    return checkpoint


_located: dict[str, Checkpoint] = {}


@lru_cache(maxsize=2)
def _kept(who: str, checkpoint: Checkpoint, _files: str, layer: int | None, dtype: str, device: str) -> Encoder:
    return Encoder(who, checkpoint, layer, dtype, device)


def _positions(config: Any) -> int:
    """The most tokens for which the model has positions; models of RoBERTa's family begin to count after the padding token."""
    most = getattr(config, "max_position_embeddings", None) or 10**30
    if config.model_type in {
        "roberta",
        "xlm-roberta",
        "camembert",
        "xlm-roberta-xl",
        "longformer",
        "mpnet",
        "data2vec-text",
    }:
        most -= int(config.pad_token_id or 0) + 1
    return int(most)


def _place(vectors: Vectors, pieces: list[Piece], computed: Vectors) -> None:
    for piece in pieces:
        vectors[piece.place] = computed[piece.kept]


__all__ = ["Embedded", "Encoder", "encoder", "encoder_of", "located"]
