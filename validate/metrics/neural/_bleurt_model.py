"""A BLEURT model: a reference and an output, read together, to a score.

Checkpoints are those that bleurt-pytorch converts out of Google's (``BleurtForSequenceClassification``: BERT, or RemBERT for BLEURT-20), and
BERT or RemBERT with a regression head of one number as transformers itself saves them.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.errors import AccordError, MissingModelError, bad_value
from validate.metrics.neural._batches import through
from validate.metrics.neural._cache import Cache
from validate.metrics.neural._checkpoint import Checkpoint
from validate.metrics.neural._loading import quietly
from validate.metrics.neural._tensors import model_of_tensors, tensors_of
from validate.metrics.neural._tokens import Reader
from validate.metrics.neural._torch import device_of, needed, versions
from validate.schema import FloatArray, IntArray

Ids = NDArray[np.int32]
SENTENCEPIECE = ("spm.model", "sent_piece.model", "sentencepiece.model")
HEADS = {"bert": "BertForSequenceClassification", "rembert": "RemBertForSequenceClassification"}
_SHARED = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size", "layer_norm_eps", "pad_token_id")  # fmt: skip


class BleurtModel:
    """One checkpoint on one device. Made by `bleurt_model`, which keeps the last ones.

    Parameters
    ----------
    who : str
        The metric, for messages.
    checkpoint : Checkpoint
    max_length : int or None
        The most tokens of a pair; by default what the checkpoint was trained with.
    dtype, device : str
    """

    def __init__(self, who: str, checkpoint: Checkpoint, max_length: int | None, dtype: str, device: str) -> None:
        self.who, self.checkpoint, self.dtype, self.device = who, checkpoint, dtype, device_of(who, device)
        stated = config_of_bleurt(who, checkpoint)
        self.limit = limit_of(who, checkpoint, max_length)
        self._tokenizer = _tokenizer(who, checkpoint)
        self._pad = int(stated.get("pad_token_id") or 0)
        family = _family(stated)
        tensors = {_renamed(name, family): tensor for name, tensor in tensors_of(who, checkpoint).items()}
        self._model = model_of_tensors(
            who, checkpoint, HEADS[family], _config(who, stated, family), tensors,
            dtype=dtype, device=self.device, may_lack=("position_ids",),
        )  # fmt: skip
        self._lock = threading.RLock()

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """The tokens of texts, special ones not among them, not cut."""
        with self._lock:
            return self._tokenizer.ids(texts)

    def pair(self, reference: Ids, output: Ids) -> tuple[Ids, int]:
        """``[CLS] reference [SEP] output [SEP]``, cut, and the place where the second part begins."""
        first, second = cut(len(reference), len(output), self.limit - 3)
        cls, sep = self._tokenizer.cls, self._tokenizer.sep
        return np.array([cls, *reference[:first], sep, *output[:second], sep], dtype=np.int32), first + 2

    def scores(self, pairs: Sequence[tuple[Ids, int]], *, budget: int, cache: bool) -> FloatArray:
        """(n,) scores of pairs as `pair` makes them; NaN or infinity where the model gives that."""
        store = Cache(self._stated(), 1) if cache else None
        keys = [np.append(ids, np.int32(begin)) for ids, begin in pairs]
        wanted: dict[bytes, list[int]] = {}
        for place, key in enumerate(keys):
            wanted.setdefault(store.key(key) if store else key.tobytes(), []).append(place)
        result = np.empty(len(pairs))
        missing = []
        for name, known in zip(wanted, store.read(list(wanted)) if store else [None] * len(wanted), strict=True):
            if known is None or known.shape != (1, 1):
                missing.append(name)
            else:
                result[wanted[name]] = known[0, 0]

        def forward(batch: IntArray) -> None:
            found = self._forward([pairs[wanted[missing[at]][0]] for at in batch])
            for at, score in zip(batch, found, strict=True):
                result[wanted[missing[at]]] = score
            kept = [row for row in range(len(batch)) if np.isfinite(found[row])]
            if store:
                store.write([missing[batch[row]] for row in kept], [found[row].reshape(1, 1) for row in kept])

        with self._lock:
            lengths = np.array([len(pairs[wanted[name][0]][0]) for name in missing], dtype=np.int64)
            through(self.who, lengths, forward, budget=budget, what="pairs")
        return result

    def _forward(self, pairs: Sequence[tuple[Ids, int]]) -> NDArray[np.float32]:
        torch = needed(self.who, "torch")
        shape = len(pairs), max(len(ids) for ids, _ in pairs)
        ids = np.full(shape, self._pad, dtype=np.int64)
        mask, segment = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, (one, begin) in enumerate(pairs):
            ids[row, : len(one)], mask[row, : len(one)], segment[row, begin : len(one)] = one, 1, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segment}
        with torch.inference_mode():
            output = self._model(**{name: torch.from_numpy(value).to(self.device) for name, value in given.items()})
            scores: NDArray[np.float32] = output.logits[:, 0].float().cpu().numpy()
        return scores

    def _stated(self) -> str:
        """Everything but the token ids that decides a score."""
        files = self.checkpoint.revision or self.checkpoint.digest
        return f"bleurt|{files}|{self.dtype}|{self.device.split(':')[0]}|{versions()}"


def bleurt_model(who: str, checkpoint: Checkpoint, max_length: int | None, dtype: str, device: str) -> BleurtModel:
    """The model of a checkpoint; two are kept, so that the same one is not read again."""
    return _kept(who, checkpoint, checkpoint.revision or checkpoint.digest, max_length, dtype, device)


@lru_cache(maxsize=2)
def _kept(
    who: str, checkpoint: Checkpoint, _files: str, max_length: int | None, dtype: str, device: str
) -> BleurtModel:
    return BleurtModel(who, checkpoint, max_length, dtype, device)


def cut(first: int, second: int, most: int) -> tuple[int, int]:
    """What is left of two lengths when the last token of the longer text goes until both fit; of two as long, the second's goes.

    Examples
    --------
    >>> cut(3, 4, 9), cut(9, 2, 5), cut(2, 9, 5), cut(9, 9, 5)
    ((3, 4), (3, 2), (2, 3), (3, 2))
    """
    if first + second > most:
        if second <= most // 2:
            first = most - second
        elif first <= most - most // 2:
            second = most - first
        else:
            first, second = most - most // 2, most // 2
    return first, second


def limit_of(who: str, checkpoint: Checkpoint, max_length: int | None) -> int:
    """The most tokens of a pair: as asked for, else what the tokenizer's settings or the model's name state, never more than positions."""
    positions = int(config_of_bleurt(who, checkpoint).get("max_position_embeddings") or 512)
    if max_length is not None:
        if max_length > positions:
            raise bad_value(who, "max_length", max_length, f"4 to {positions}, the positions that this model has")
        return max_length
    named = re.search(r"-(128|512)$", checkpoint.name.rstrip("/"))
    stated = _json(checkpoint.path / "tokenizer_config.json").get("model_max_length") or positions
    return int(min(positions, stated, int(named[1]) if named else positions))


def config_of_bleurt(who: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """config.json.

    Raises
    ------
    AccordError
        For a model of another kind.
    """
    stated = _json(checkpoint.path / "config.json")
    kind, architectures = stated.get("model_type"), stated.get("architectures") or ["nothing stated"]
    if kind not in ("bleurt", "bert", "rembert") or not architectures[0].endswith("ForSequenceClassification"):
        raise AccordError(
            f"{who}: the checkpoint {checkpoint.name!r} is of the kind {kind!r} ({architectures[0]}); BLEURT as bleurt-pytorch converts it, "
            "or BERT or RemBERT with a regression head (…ForSequenceClassification), is allowed; give one of these, such as "
            "lucadiliello/BLEURT-20"
        )
    return stated


def _family(stated: dict[str, Any]) -> str:
    """Embeddings that are narrower than the layers, and widened, are RemBERT's."""
    if stated["model_type"] != "bleurt":
        return str(stated["model_type"])
    return "bert" if stated.get("embedding_size") is None else "rembert"


def _config(who: str, stated: dict[str, Any], family: str) -> Any:
    transformers = needed(who, "transformers")
    shared = {name: stated[name] for name in _SHARED if name in stated}
    if family == "bert":
        return transformers.BertConfig(**shared, num_labels=1)
    narrow = stated.get("embedding_size") or stated.get("input_embedding_size")
    return transformers.RemBertConfig(
        **shared, input_embedding_size=narrow, num_labels=1, bos_token_id=None, eos_token_id=None
    )


def _renamed(name: str, family: str) -> str:
    """A weight's name in transformers."""
    if name.startswith("bleurt."):
        name = f"{family}.{name.removeprefix('bleurt.')}"
    return name.replace("encoder.embedding_projection.", "encoder.embedding_hidden_mapping_in.")


class _Pieces:
    """SentencePiece as Google's program calls it: the text as it is, special tokens by their pieces."""

    def __init__(self, who: str, file: Path) -> None:
        self._model = needed(who, "sentencepiece").SentencePieceProcessor(model_file=str(file))
        self.cls, self.sep = self._model.piece_to_id("[CLS]"), self._model.piece_to_id("[SEP]")
        if self._model.unk_id() in (self.cls, self.sep):
            raise MissingModelError(
                f"{who}: the tokenizer {file.name} has no pieces [CLS] and [SEP]; the one of a BLEURT checkpoint is needed; fetch the model again"
            )

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """(n_tokens,) a text; halves of surrogate pairs become U+FFFD."""
        whole = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
        return [np.array(row, dtype=np.int32) for row in self._model.encode(whole)]


class _WordPieces:
    """A tokenizer of transformers."""

    def __init__(self, who: str, folder: Path) -> None:
        transformers = needed(who, "transformers")
        kind = "PreTrainedTokenizerFast" if (folder / "tokenizer.json").is_file() else "BertTokenizer"
        with quietly(transformers):
            tokenizer = getattr(transformers, kind).from_pretrained(folder)
        tokenizer.model_max_length = 10**30  # pairs are cut, not texts
        self._reader = Reader(tokenizer, 10**30)
        self.cls, self.sep = tokenizer.cls_token_id, tokenizer.sep_token_id

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """(n_tokens,) a text."""
        tokens = self._reader(texts, windows=True)
        starts, ends = tokens.offsets[:-1] + tokens.n_before, tokens.offsets[1:] - tokens.n_after
        return [tokens.ids[start:end] for start, end in zip(starts, ends, strict=True)]


def _tokenizer(who: str, checkpoint: Checkpoint) -> _Pieces | _WordPieces:
    folder = checkpoint.path
    if any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt")):
        try:
            return _WordPieces(who, folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MissingModelError(
                f"{who}: the tokenizer of {checkpoint.name!r} cannot be read ({' '.join(str(error).split())[:200]}); vocab.txt or "
                "tokenizer.json is needed; fetch the model again"
            ) from error
    for name in SENTENCEPIECE:
        if (folder / name).is_file():
            return _Pieces(who, folder / name)
    raise MissingModelError(
        f"{who}: the model {checkpoint.name!r} has no tokenizer; vocab.txt, tokenizer.json or spm.model is needed; fetch the model again"
    )


def _json(file: Path) -> dict[str, Any]:
    """A file of settings; nothing where there is none."""
    try:
        stated = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except ValueError:
        return {}
    return stated if isinstance(stated, dict) else {}
