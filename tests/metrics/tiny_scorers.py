"""COMET and BLEURT checkpoints of a few thousand parameters in the files that the original packages read, the same in every environment.

Weights come out of numpy's legacy generator, whose stream never changes, so that the scripts in tests/golden and the tests build the same
checkpoints under other versions of torch; `digest` of the weights stands in the golden files. Only json, numpy and torch are needed.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

SENTENCES = [
    "The bridge over the canal was closed on Monday because of a crack.",
    "Traffic went round by the lock, and nobody in the town knew why.",
    "Die Brücke über den Kanal wurde am Montag wegen eines Risses gesperrt.",
    "An engineer said that the crack was serious: 3.14 m long.",
]
HIDDEN, INNER, LAYERS, HEADS = 16, 32, 3, 2
POSITIONS = 36  # of the COMET encoders, which read 32 tokens with it
ENCODER = "tiny-encoder"

# What the checkpoints of COMET differ in; everything else is as `hparams` has it.
COMET: dict[str, dict[str, Any]] = {
    "softmax-norm-average": {},
    "sparsemax-average": {"layer_transformation": "sparsemax", "layer_norm": False, "final_activation": "Sigmoid"},
    "softmax-cls": {"layer_norm": False, "pool": "cls", "hidden_sizes": [20]},
    "layer-max": {"layer": 2, "pool": "max", "activations": "softsign"},
    "default-pool": {"layer_norm": False, "pool": "default"},
    "bert": {"encoder_model": "BERT"},
    "reference-free": {"class_identifier": "referenceless_regression_metric", "layer_transformation": "sparsemax"},
    "reference-free-old": {"class_identifier": "referenceless_regression_metric", "layer_transformation": None, "layer_norm": None, "final_activation": None},
}  # fmt: skip

Weights = dict[str, "np.ndarray[Any, np.dtype[np.float32]]"]


def digest(weights: Weights) -> str:
    """sha256 of names and values."""
    total = hashlib.sha256()
    for name in sorted(weights):
        total.update(name.encode() + np.ascontiguousarray(weights[name], dtype="<f4").tobytes())
    return total.hexdigest()


def comet_weights(name: str) -> Weights:
    """What stands under ``state_dict`` in the checkpoint of this name."""
    settings = hparams(name)
    bert = settings["encoder_model"] == "BERT"
    shapes = encoder_shapes(
        "encoder.model.",
        n_pieces=len(word_pieces() if bert else unigrams()),
        positions=POSITIONS,
        types=2 if bert else 1,
    )
    if settings["layer"] == "mix":
        shapes |= {f"layerwise_attention.scalar_parameters.{layer}": (1,) for layer in range(LAYERS + 1)}
        shapes["layerwise_attention.gamma"] = (1,)
    width = HIDDEN * (4 if "referenceless" in settings["class_identifier"] else 6)
    sizes = [width, *settings["hidden_sizes"], 1]
    for place, (given, made) in enumerate(itertools.pairwise(sizes)):
        shapes |= {f"estimator.ff.{3 * place}.weight": (made, given), f"estimator.ff.{3 * place}.bias": (made,)}
    return drawn(sorted(COMET).index(name), shapes)


def hparams(name: str) -> dict[str, Any]:
    """The settings of a COMET checkpoint, as ``hparams.yaml`` and the checkpoint itself hold them."""
    return {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "pretrained_model": ENCODER, "pool": "avg", "layer": "mix",
        "layer_transformation": "softmax", "layer_norm": True, "hidden_sizes": [24, 12], "activations": "Tanh", "final_activation": None,
        "dropout": 0.1, "loss": "mse", "nr_frozen_epochs": 0.3, "keep_embeddings_frozen": True, **COMET[name],
    }  # fmt: skip


def nearness() -> Weights:
    """A head that knows what it does, for `hparams` as they are: tanh(tanh(-Σ |output - reference| / 50)), 0 for the reference itself."""
    weights = {name: 0 * value for name, value in comet_weights("softmax-norm-average").items() if "estimator" in name}
    weights["estimator.ff.0.weight"][0, 3 * HIDDEN : 4 * HIDDEN] = -1 / 50
    weights["estimator.ff.3.weight"][0, 0] = weights["estimator.ff.6.weight"][0, 0] = 1
    return weights


def write_comet(folder: Path, name: str, head: Weights | None = None) -> Path:
    """A COMET checkpoint: hparams.yaml, checkpoints/model.ckpt, and the folder of its encoder's tokenizer and configuration."""
    import torch

    settings = hparams(name)
    _write(folder / "hparams.yaml", "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items()))
    kept = {key: value for key, value in settings.items() if value is not None and key != "class_identifier"}
    if name.endswith("-old"):  # as checkpoints before version 2 are: settings that came later are missing
        kept = {key: kept[key] for key in kept if key not in ("layer_transformation", "layer_norm")}
    (folder / "checkpoints").mkdir()
    state = {key: torch.from_numpy(value) for key, value in (comet_weights(name) | (head or {})).items()}
    if settings["layer"] == "mix":  # what training leaves there
        state |= {
            f"layerwise_attention.dropout_{what}": torch.full((LAYERS + 1,), value)
            for what, value in (("mask", 0.0), ("fill", -1e20))
        }
    checkpoint = {
        "state_dict": state,
        "hyper_parameters": kept,
        "pytorch-lightning_version": "2.0.0",
        "epoch": 1,
        "global_step": 8,
    }
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
    write_encoder(folder / ENCODER, bert=settings["encoder_model"] == "BERT")
    return folder


def write_encoder(folder: Path, *, bert: bool) -> None:
    """Tokenizer and configuration of an encoder whose weights are elsewhere."""
    common = {"hidden_size": HIDDEN, "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "hidden_act": "gelu", "max_position_embeddings": POSITIONS}  # fmt: skip
    if bert:
        write_word_pieces(folder)
        config = {
            "model_type": "bert",
            "vocab_size": len(word_pieces()),
            "layer_norm_eps": 1e-12,
            "pad_token_id": 0,
            "type_vocab_size": 2,
        }
    else:
        write_unigrams(folder)
        config = {"model_type": "xlm-roberta", "vocab_size": len(unigrams()), "layer_norm_eps": 1e-5, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}  # fmt: skip
    _write(folder / "config.json", json.dumps(common | config))


BLEURT_POSITIONS = 48
NARROW = 12  # of the embeddings of the form that BLEURT-20 has


def bleurt_weights(form: str, n_pieces: int) -> Weights:
    """The weights of a converted BLEURT checkpoint; ``form`` is "bert" or "rembert"."""
    narrow = NARROW if form == "rembert" else None
    shapes = encoder_shapes("bleurt.", n_pieces=n_pieces, positions=BLEURT_POSITIONS, types=2, narrow=narrow)
    shapes |= {"bleurt.pooler.dense.weight": (HIDDEN, HIDDEN), "bleurt.pooler.dense.bias": (HIDDEN,)}
    shapes |= {"classifier.weight": (1, HIDDEN), "classifier.bias": (1,)}
    return drawn(40 + len(form), shapes)


def write_bleurt(folder: Path, form: str, sentencepiece: str = "") -> Path:
    """A BLEURT checkpoint as bleurt-pytorch saves it.

    Parameters
    ----------
    folder : Path
    form : {"bert", "rembert"}
    sentencepiece : str
        For "rembert": the model of the tokenizer in base64, as the golden file holds it.
    """
    import torch

    if form == "bert":
        write_word_pieces(folder)
        n_pieces, narrow = len(word_pieces()), None
    else:
        folder.mkdir(parents=True)
        (folder / "spm.model").write_bytes(base64.b64decode(sentencepiece))
        _write(
            folder / "tokenizer_config.json",
            json.dumps({"tokenizer_class": "BleurtSPTokenizer", "do_lower_case": False}),
        )
        n_pieces, narrow = PIECES, NARROW
    config = {
        "architectures": ["BleurtForSequenceClassification"], "model_type": "bleurt", "vocab_size": n_pieces, "embedding_size": narrow, "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu", "max_position_embeddings": BLEURT_POSITIONS,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0, "num_labels": 1, "hidden_dropout_prob": 0.1,
    }  # fmt: skip
    _write(folder / "config.json", json.dumps(config))
    torch.save(
        {key: torch.from_numpy(value) for key, value in bleurt_weights(form, n_pieces).items()},
        folder / "pytorch_model.bin",
    )
    return folder


PIECES = 64  # of BLEURT-20's kind of tokenizer
Shapes = dict[str, tuple[int, ...]]


def encoder_shapes(prefix: str, *, n_pieces: int, positions: int, types: int, narrow: int | None = None) -> Shapes:
    """Names and shapes of an encoder of BERT's family; ``narrow`` embeddings are widened before the first layer."""
    wide = narrow or HIDDEN
    shapes: Shapes = {
        "embeddings.word_embeddings.weight": (n_pieces, wide),
        "embeddings.position_embeddings.weight": (positions, wide),
        "embeddings.token_type_embeddings.weight": (types, wide),
        **_norm("embeddings.LayerNorm", wide),
    }
    if narrow:
        shapes |= _linear("encoder.embedding_projection", HIDDEN, narrow)
    for layer in range(LAYERS):
        here = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            shapes |= _linear(f"{here}.attention.self.{part}", HIDDEN, HIDDEN)
        shapes |= _linear(f"{here}.attention.output.dense", HIDDEN, HIDDEN) | _norm(
            f"{here}.attention.output.LayerNorm", HIDDEN
        )
        shapes |= _linear(f"{here}.intermediate.dense", INNER, HIDDEN)
        shapes |= _linear(f"{here}.output.dense", HIDDEN, INNER) | _norm(f"{here}.output.LayerNorm", HIDDEN)
    return {prefix + name: shape for name, shape in shapes.items()}


def drawn(seed: int, shapes: Shapes) -> Weights:
    """Weights of these shapes, large enough that attention and activations are far from linear."""
    rng = np.random.RandomState(seed)  # its stream is frozen, that of default_rng is not
    weights = {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape)
        scale = 0.1 if "LayerNorm" in name else 0.4 if len(shape) > 1 else 0.5
        weights[name] = (values * scale + (1 if name.endswith(("LayerNorm.weight", "gamma")) else 0)).astype(np.float32)
    return weights


def _linear(name: str, made: int, given: int) -> Shapes:
    return {f"{name}.weight": (made, given), f"{name}.bias": (made,)}


def _norm(name: str, size: int) -> Shapes:
    return {f"{name}.weight": (size,), f"{name}.bias": (size,)}


def unigrams() -> list[tuple[str, float]]:
    """Pieces of XLM-R's kind of tokenizer with their log-probabilities: letters and words of `SENTENCES`."""
    words = Counter("▁" + word for sentence in SENTENCES for word in sentence.split())
    letters = Counter("".join(words))
    total = sum(words.values()) + sum(letters.values())
    pieces = dict(sorted(letters.items())) | {word: 3 * count for word, count in sorted(words.items()) if len(word) < 7}
    return [
        *((special, 0.0) for special in ("<s>", "<pad>", "</s>", "<unk>")),
        *((piece, round(float(np.log(count / total)), 6)) for piece, count in pieces.items()),
        ("<mask>", 0.0),
    ]


def write_unigrams(folder: Path) -> None:
    """XLM-R's kind of tokenizer as tokenizer.json: NFKC, split at white space, the most probable pieces, <s> and </s> around them."""
    pieces = unigrams()
    ids = {piece: place for place, (piece, _) in enumerate(pieces)}
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}

    def marked(*sequences: str) -> list[dict[str, Any]]:
        return [
            {"Sequence": {"id": one, "type_id": 0}} if one in "AB" else {"SpecialToken": {"id": one, "type_id": 0}}
            for one in sequences
        ]

    whole = {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": {"type": "NFKC"}, "decoder": space,
        "added_tokens": [{"id": ids[token], "content": token, **flags} for token in special],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]},
        "post_processor": {
            "type": "TemplateProcessing", "single": marked("<s>", "A", "</s>"), "pair": marked("<s>", "A", "</s>", "</s>", "B", "</s>"),
            "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in ("<s>", "</s>")},
        },
        "model": {"type": "Unigram", "unk_id": ids["<unk>"], "vocab": [list(piece) for piece in pieces], "byte_fallback": False},
    }  # fmt: skip
    _write(folder / "tokenizer.json", json.dumps(whole, ensure_ascii=False))
    named = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}  # fmt: skip
    _write(
        folder / "tokenizer_config.json",
        json.dumps({"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 512, **named}),
    )


def word_pieces() -> list[str]:
    """Pieces of BERT's kind of tokenizer: letters, in and at the start of words, and words of `SENTENCES`."""
    words = sorted({word.strip(".,:").lower() for sentence in SENTENCES for word in sentence.split()})
    letters = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789.,:;!?-").union(*words))
    return list(
        dict.fromkeys(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]
        )
    )


def write_word_pieces(folder: Path) -> None:
    """BERT's kind of tokenizer, lowercase, as vocab.txt."""
    _write(folder / "vocab.txt", "\n".join(word_pieces()) + "\n")
    _write(folder / "tokenizer_config.json", json.dumps({"do_lower_case": True, "model_max_length": 512}))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
