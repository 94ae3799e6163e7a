"""A COMET regression model: texts to sentence vectors, two or three vectors to a score.

The arithmetic is unbabel-comet's (comet/models/base.py, modules/layerwise_attention.py, models/pooling_utils.py), written anew: each distinct
text goes through the encoder once, however many outputs, systems and references it stands beside.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.errors import AccordError, MissingModelError, bad_value, listed
from validate.metrics.neural._batches import through
from validate.metrics.neural._cache import Cache
from validate.metrics.neural._checkpoint import Checkpoint
from validate.metrics.neural._comet_arithmetic import Vectors, features, normed, softmax, sparsemax
from validate.metrics.neural._comet_files import ENCODERS, Settings, encoder_of_comet, settings_of
from validate.metrics.neural._loading import config_of, quietly, tokenizer_of
from validate.metrics.neural._tensors import model_of_tensors, unpickled
from validate.metrics.neural._tokens import Reader, Tokens
from validate.metrics.neural._torch import device_of, needed, versions
from validate.schema import FloatArray, IntArray

HEAD_ROWS = 1_024  # rows of features at a time: 25 MB for an encoder of 1,024 dimensions


class CometModel:
    """One checkpoint on one device. Made by `comet_model`, which keeps the last ones.

    Parameters
    ----------
    who : str
        The metric, for messages.
    checkpoint : Checkpoint
    encoder : str or None
        Folder or name of the encoder's configuration and tokenizer.
    dtype, device : str
        The encoder's; the mix of layers and the head are computed in float32.
    """

    def __init__(self, who: str, checkpoint: Checkpoint, encoder: str | None, dtype: str, device: str) -> None:
        self.who, self.checkpoint, self.dtype, self.device = who, checkpoint, dtype, device_of(who, device)
        held = _weights(who, checkpoint)
        tensors = held["state_dict"]
        self.settings: Settings = settings_of(who, checkpoint, held.get("hyper_parameters") or {})
        self.encoder = encoder_of_comet(who, checkpoint, self.settings.pretrained_model, encoder)
        config = config_of(who, self.encoder)
        self.reader = Reader(self._tokenizer(), int(config.max_position_embeddings) - 4)
        self._pad = int(self.reader.tokenizer.pad_token_id)
        self.dim = int(config.hidden_size)
        self._weights = self._layer_weights(tensors, int(config.num_hidden_layers))
        self._head = self._head_of(tensors)
        self._model = model_of_tensors(
            who, checkpoint, ENCODERS[self.settings.encoder_model], config, _under("encoder.model.", tensors),
            dtype=dtype, device=self.device, may_lack=("pooler.", "position_ids"),
        )  # fmt: skip
        self._lock = threading.RLock()

    @property
    def key(self) -> tuple[str, ...]:
        """What decides how texts are read."""
        return str(self.checkpoint.path), str(self.encoder.path)

    def tokens(self, texts: Sequence[str]) -> Tokens:
        """Texts as the encoder reads them, cut where they are too long."""
        with self._lock:
            return self.reader(texts)

    def embed(self, tokens: Tokens, texts: Sequence[str], *, budget: int, cache: bool) -> Vectors:
        """(n_texts, dim) a vector for each text; equal inputs are run once, and what the disk holds is not run again.

        Parameters
        ----------
        tokens : Tokens
            As `tokens` gives them for these texts.
        texts : list of str
            For messages.
        budget : int
            Tokens that the encoder takes at a time, padding included. Changes no score by more than 2e-6.
        cache : bool
            Whether to look among vectors on disk and to leave new ones there.

        Raises
        ------
        AccordError
            When the model gives NaN or infinity; the message names the text.
        """
        inputs = [tokens.ids[start:end] for start, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)]
        store = Cache(self._stated(), self.dim) if cache else None
        wanted: dict[bytes, list[int]] = {}
        for place, ids in enumerate(inputs):
            wanted.setdefault(store.key(ids) if store else ids.tobytes(), []).append(place)
        vectors = np.empty((len(inputs), self.dim), dtype=np.float32)
        missing = []
        for key, known in zip(wanted, store.read(list(wanted)) if store else [None] * len(wanted), strict=True):
            if known is None or len(known) != 1:
                missing.append(key)
            else:
                vectors[wanted[key]] = known

        def forward(batch: IntArray) -> None:
            found = self._forward([inputs[wanted[missing[at]][0]] for at in batch])
            for at, vector in zip(batch, found, strict=True):
                if not np.isfinite(vector).all():
                    raise AccordError(self._not_a_number(texts[wanted[missing[at]][0]]))
                vectors[wanted[missing[at]]] = vector
            if store:
                store.write([missing[at] for at in batch], [vector[None] for vector in found])

        with self._lock:
            through(self.who, np.array([len(inputs[wanted[key][0]]) for key in missing]), forward, budget=budget)
        return vectors

    def scores(self, vectors: Vectors, outputs: IntArray, sources: IntArray, references: IntArray | None) -> FloatArray:
        """(m,) scores of rows out of the vectors of their texts; no references for a reference-free model."""
        torch = needed(self.who, "torch")
        result = np.empty(len(outputs))
        for start in range(0, len(outputs), HEAD_ROWS):
            rows = slice(start, start + HEAD_ROWS)
            sides = [None if side is None else vectors[side[rows]] for side in (outputs, sources, references)]
            with torch.inference_mode():
                passed = torch.from_numpy(features(*sides)).to(self.device)
                for layer in self._head:
                    passed = layer(passed)
                result[rows] = passed[:, 0].double().cpu().numpy()
        return result

    def _forward(self, inputs: list[NDArray[np.int32]]) -> Vectors:
        torch = needed(self.who, "torch")
        width = max(map(len, inputs))
        ids = np.full((len(inputs), width), self._pad, dtype=np.int64)
        mask = np.zeros((len(inputs), width), dtype=np.int64)
        for row, one in enumerate(inputs):
            ids[row, : len(one)], mask[row, : len(one)] = one, 1
        with torch.inference_mode():
            given = torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
            layers = self._model(input_ids=given[0], attention_mask=given[1], output_hidden_states=True).hidden_states
            pooled: Vectors = self._pool(torch, layers, *given).cpu().numpy()
        return pooled

    def _tokenizer(self) -> Any:
        """The tokenizer exactly as its file states it, where there is one; transformers 5 would build XLM-R's anew from parts of it."""
        home = self.encoder
        if not (home.path / "tokenizer.json").is_file() and self.settings.encoder_model == "MiniLM":
            home = encoder_of_comet(self.who, self.checkpoint, "xlm-roberta-base", None)  # whose tokenizer it has
        if not (home.path / "tokenizer.json").is_file():
            return tokenizer_of(self.who, home)
        transformers = needed(self.who, "transformers")
        with quietly(transformers):
            tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(home.path)
        tokenizer.model_max_length = 10**30  # the number of positions decides
        return tokenizer

    def _pool(self, torch: Any, layers: Sequence[Any], ids: Any, mask: Any) -> Any:
        """(n, dim) one vector a text out of all hidden states."""
        if self.settings.pool == "default":
            return layers[-1][:, 0].float()
        tokens = self._mixed(layers, mask) if self._weights is not None else layers[int(self.settings.layer)].float()
        if self.settings.pool == "cls":
            return tokens[:, 0]
        padding = (ids == self._pad)[..., None]
        if self.settings.pool == "max":
            return tokens.masked_fill(padding, -torch.inf).amax(dim=1)
        return tokens.masked_fill(padding, 0.0).sum(dim=1) / mask.sum(dim=1, keepdim=True).float()

    def _mixed(self, layers: Sequence[Any], mask: Any) -> Any:
        """γ Σ_l w_l h_l, each h_l brought to mean 0 and variance 1 over the tokens of a text where the checkpoint says so."""
        assert self._weights is not None
        shown = mask[..., None].float()
        total = 0
        for weight, layer in zip(self._weights.tolist(), layers, strict=True):
            if weight:
                layer = layer.float()
                total = total + weight * (normed(layer, shown) if self.settings.layer_norm else layer)
        return total

    def _layer_weights(self, tensors: dict[str, Any], n_layers: int) -> NDArray[np.float32] | None:
        """γ times the share of every layer, None where one layer is taken as it is."""
        layer = self.settings.layer
        if layer != "mix":
            if not isinstance(layer, int) or not 0 <= layer <= n_layers:
                raise bad_value(
                    f"{self.who}: the checkpoint {self.checkpoint.name!r}", "layer", layer, f"mix, or 0 to {n_layers}"
                )
            return None
        names = [f"layerwise_attention.scalar_parameters.{place}" for place in range(n_layers + 1)]
        self._there(tensors, [*names, "layerwise_attention.gamma"])
        scalars = np.array([tensors[name].item() for name in names])
        shares = sparsemax(scalars) if self.settings.mix == "sparsemax" else softmax(scalars)
        weights: NDArray[np.float32] = (tensors["layerwise_attention.gamma"].item() * shares).astype(np.float32)
        return weights

    def _head_of(self, tensors: dict[str, Any]) -> list[Any]:
        """The layers of the feed-forward head in order; dropout, at every third place, does nothing when scoring."""
        nn = needed(self.who, "torch").nn
        places = sorted({int(name.split(".")[2]) for name in tensors if name.startswith("estimator.ff.")})
        self._there(tensors, [f"estimator.ff.{place}.{part}" for place in places or [0] for part in ("weight", "bias")])
        layers: list[Any] = []
        for place in places:
            weight, bias = (
                tensors[f"estimator.ff.{place}.{part}"].float().to(self.device) for part in ("weight", "bias")
            )
            layers.append(lambda passed, weight=weight, bias=bias: nn.functional.linear(passed, weight, bias))
            name = self.settings.final_activation if place == places[-1] else self.settings.activations
            if name is not None:
                layers.append(self._activation(nn, name))
        given, width = (
            tensors[f"estimator.ff.{places[0]}.weight"].shape[1],
            self.dim * (4 if self.settings.reference_free else 6),
        )
        if given != width:
            raise MissingModelError(
                f"{self.who}: the head of {self.checkpoint.name!r} takes {given:,} features, its encoder gives {width:,}; files of one and "
                f"the same model are needed; is {self.encoder.name} its encoder?"
            )
        return layers

    def _activation(self, nn: Any, name: str) -> Any:
        kind = getattr(nn, str(name).title(), None)
        if kind is None:
            raise bad_value(
                f"{self.who}: the checkpoint {self.checkpoint.name!r}",
                "activation",
                name,
                "a name in torch.nn such as Tanh",
            )
        return kind()

    def _there(self, tensors: dict[str, Any], names: Sequence[str]) -> None:
        lacking = [name for name in names if name not in tensors]
        if lacking:
            raise MissingModelError(
                f"{self.who}: the checkpoint {self.checkpoint.name!r} has no weights for {listed(lacking, 3)}; a whole checkpoint is needed; "
                "fetch it again or give another model"
            )

    def _not_a_number(self, text: str) -> str:
        shown = text if len(text) <= 80 else text[:79] + "…"
        return (
            f"{self.who}: {self.checkpoint.name} gives NaN or infinity for the text {shown!r}; finite numbers are needed; "
            f"{'try dtype=float32, or ' if self.dtype != 'float32' else ''}check the checkpoint"
        )

    def _stated(self) -> str:
        """Everything but the token ids that decides a vector."""
        files = self.checkpoint.revision or self.checkpoint.digest
        return f"comet|{files}|{self.dtype}|{self.device.split(':')[0]}|{versions()}"


def comet_model(who: str, checkpoint: Checkpoint, encoder: str | None, dtype: str, device: str) -> CometModel:
    """The model of a checkpoint; two are kept, so that the same one is not read again."""
    return _kept(who, checkpoint, checkpoint.revision or checkpoint.digest, encoder, dtype, device)


@lru_cache(maxsize=2)
def _kept(who: str, checkpoint: Checkpoint, _files: str, encoder: str | None, dtype: str, device: str) -> CometModel:
    return CometModel(who, checkpoint, encoder, dtype, device)


def _weights(who: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """What checkpoints/model.ckpt holds."""
    file = checkpoint.path / "checkpoints" / "model.ckpt"
    if not file.is_file():
        raise MissingModelError(
            f"{who}: {checkpoint.name!r} has no checkpoints/model.ckpt; hparams.yaml and checkpoints/model.ckpt are needed, as Unbabel "
            "publishes them; fetch the model again"
        )
    held = unpickled(who, file)
    if not isinstance(held, dict) or "state_dict" not in held:
        raise MissingModelError(
            f"{who}: checkpoints/model.ckpt of {checkpoint.name!r} holds no state_dict; a checkpoint of pytorch-lightning is needed; fetch "
            "the model again"
        )
    return held


def _under(prefix: str, tensors: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
