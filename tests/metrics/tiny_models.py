"""Checkpoints of a few thousand parameters, drawn from a seed and written as real ones are; each is made once in a test run."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tiny_scorers import nearness, write_bleurt, write_comet

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = [chr(code) for code in range(33, 127)]
WORDS = ["the", "bridge", "cat", "sat", "on", "mat", "dog", "hello", "there", "was", "closed", "word", "different", "ending", "crack"]  # fmt: skip
LAYERS = 3


# With what options metrics that run a model are put under the contract tests.
OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "bertscore": lambda: {"model": str(tiny_bert()), "layer": 2},
    "moverscore": lambda: {"model": str(tiny_bert()), "layer": 2},
    "comet": lambda: {"model": str(tiny_comet())},
    "bleurt": lambda: {"model": str(tiny_bleurt())},
    "perplexity": lambda: {"model": _language_model("tiny_gpt2"), "bos": "yes"},
    "pseudo_perplexity": lambda: {"model": _language_model("tiny_masked")},
    "bartscore": lambda: {"model": _language_model("tiny_bart")},
}


def _language_model(name: str) -> str:
    import tiny_language_models

    return str(getattr(tiny_language_models, name)())


@lru_cache(maxsize=1)
def models() -> Path:
    """A folder that goes when the test run ends."""
    folder = Path(tempfile.mkdtemp(prefix="accord-tiny-models-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@lru_cache(maxsize=1)
def tiny_bert() -> Path:
    """BERT with lowercase word pieces: every printable ASCII character is a token, and a few words are."""
    import torch
    from transformers import BertConfig, BertModel

    tokenizer = word_pieces()
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=LAYERS, num_attention_heads=2, intermediate_size=32, max_position_embeddings=512, initializer_range=0.3,
    )  # fmt: skip
    return saved("tiny-bert", BertModel(config), tokenizer)


@lru_cache(maxsize=1)
def tiny_roberta() -> Path:
    """RoBERTa with a byte-level BPE that joins "h e", "space h", "space h e": a first word with and without a space differ."""
    import torch
    from transformers import RobertaConfig, RobertaModel

    torch.manual_seed(6)
    tokenizer = byte_pairs()
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=LAYERS, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=66, initializer_range=0.3, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    return saved("tiny-roberta", RobertaModel(config), tokenizer)


@lru_cache(maxsize=1)
def tiny_comet() -> Path:
    """COMET with a head that takes nearness to the reference for quality."""
    return write_comet(models() / "tiny-comet", "softmax-norm-average", nearness())


@lru_cache(maxsize=1)
def tiny_bleurt() -> Path:
    """BLEURT of BERT's kind with a head drawn at random."""
    return write_bleurt(models() / "tiny-bleurt", "bert")


def saved(name: str, model: Any, tokenizer: Any) -> Path:
    """The folder of a checkpoint as a user has it."""
    folder = models() / name
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def word_pieces() -> Any:
    """BERT's tokenizer over a small vocabulary."""
    from transformers import BertTokenizer

    pieces = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), *WORDS]
    return BertTokenizer(vocab={piece: at for at, piece in enumerate(dict.fromkeys(pieces))}, model_max_length=512)


def byte_pairs() -> Any:
    """RoBERTa's tokenizer over all bytes and three merges."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import RobertaTokenizer

    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(ByteLevel.alphabet()), "he", "Ġh", "Ġhe"]
    merges = [("Ġ", "h"), ("h", "e"), ("Ġh", "e")]
    return RobertaTokenizer(vocab={piece: at for at, piece in enumerate(pieces)}, merges=merges, model_max_length=64)
