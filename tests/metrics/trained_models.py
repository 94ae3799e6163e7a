"""Language models of under a million parameters, trained on image captions in about a minute each, and kept for the next test run.

The captions are those inside pycocoevalcap's SPICE jar. Models lie in ``ACCORD_TEST_MODELS``, else in the user's cache folder, under a hash of
this file, so that a change of the recipe trains anew.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

HELD_OUT = 500  # images
VOCABULARY = 1_500
WIDTH = 24  # tokens of a caption at most, in training
STEPS = 300


@lru_cache(maxsize=1)
def captions() -> list[list[str]]:
    """The captions of each image of COCO's validation set of 2014, images in the order of their numbers."""
    found = importlib.util.find_spec("pycocoevalcap")
    (package,) = found.submodule_search_locations if found and found.submodule_search_locations else [""]
    with zipfile.ZipFile(Path(package) / "spice" / "spice-1.0.jar") as jar:
        rows = json.loads(jar.read("coco/annotations/captions_val2014.json"))["annotations"]
    images: dict[int, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row["image_id"], row["id"])):
        images.setdefault(row["image_id"], []).append(" ".join(row["caption"].lower().split()))
    return list(images.values())


def training() -> list[list[str]]:
    """The captions of the images that models are trained on."""
    return captions()[:-HELD_OUT]


def held_out() -> list[list[str]]:
    """The captions of the images that no model has seen."""
    return captions()[-HELD_OUT:]


def causal() -> Path:
    """A GPT-2 that has read captions."""
    return _kept("causal", _train_causal)


def masked() -> Path:
    """A BERT that has read captions."""
    return _kept("masked", _train_masked)


def seq2seq() -> Path:
    """A T5 that was given a caption with words left out and had to write the whole of it."""
    return _kept("seq2seq", _train_seq2seq)


def kept_models() -> Path:
    """The folder in which models are kept from one test run to the next."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "accord-test-models"
    return Path(os.environ.get("ACCORD_TEST_MODELS") or base)


def _kept(name: str, train: Callable[[Path], None]) -> Path:
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    folder = kept_models() / recipe / name
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent))
        train(fresh)
        if folder.is_dir():  # another test run was quicker
            shutil.rmtree(fresh)
        else:
            fresh.rename(folder)
    return folder


def _train_causal(folder: Path) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _tokenizer(["<|endoftext|>"], "<|endoftext|> $A", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=96, n_layer=3, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=0, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
    )  # fmt: skip
    rows = [[*row, 0] for row in _rows(tokenizer)]

    def batch(draw: random.Random) -> dict[str, Any]:
        ids = _padded(draw.sample(rows, 64), 0)
        labels = _padded_labels(ids, -100)
        return {"input_ids": ids["ids"], "attention_mask": ids["mask"], "labels": labels}

    _trained(lambda: GPT2LMHeadModel(config), batch, tokenizer, folder)


def _train_masked(folder: Path) -> None:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    tokenizer = _tokenizer(special, "[CLS] $A [SEP]", **names)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=96, num_hidden_layers=3, num_attention_heads=4, intermediate_size=384, max_position_embeddings=64,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip
    rows = _rows(tokenizer)

    def batch(draw: random.Random) -> dict[str, Any]:
        made = _padded(draw.sample(rows, 64), 0)
        ids, labels = made["ids"].clone(), torch.full_like(made["ids"], -100)
        chosen = (torch.tensor([[draw.random() < 0.2 for _ in row] for row in ids.tolist()])) & (ids > 4)
        labels[chosen] = ids[chosen]
        ids[chosen] = 4
        return {"input_ids": ids, "attention_mask": made["mask"], "labels": labels}

    _trained(lambda: BertForMaskedLM(config), batch, tokenizer, folder)


def _train_seq2seq(folder: Path) -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = _tokenizer(["<pad>", "</s>"], "$A </s>", pad_token="<pad>", eos_token="</s>")
    config = T5Config(
        vocab_size=len(tokenizer), d_model=96, d_kv=24, num_heads=4, num_layers=2, num_decoder_layers=2, d_ff=256, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1, dropout_rate=0,
    )  # fmt: skip
    rows = _rows(tokenizer)

    def batch(draw: random.Random) -> dict[str, Any]:
        wanted = draw.sample(rows, 64)
        read = _padded([[token for token in row[:-1] if draw.random() < 0.8] + row[-1:] for row in wanted], 0)
        labels = _padded_labels(_padded(wanted, 0), -100)
        return {"input_ids": read["ids"], "attention_mask": read["mask"], "labels": labels}

    _trained(lambda: T5ForConditionalGeneration(config), batch, tokenizer, folder)


def _trained(make: Callable[[], Any], batch: Callable[[random.Random], Any], tokenizer: Any, folder: Path) -> None:
    import torch

    torch.manual_seed(1)
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # such small products gain nothing by more, and lose much where other work goes on beside
    model, draw = make().train(), random.Random(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, weight_decay=0.01, betas=(0.9, 0.98))
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1.0, (step + 1) / 30) * (1 - step / STEPS)
        loss = model(**batch(draw)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    torch.set_num_threads(n_threads)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _tokenizer(special: list[str], template: str, **named: str) -> Any:
    """A byte-level BPE learned from captions."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_texts(), trainer)
    numbered = [(piece, tokenizer.token_to_id(piece)) for piece in special if piece in template]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=numbered)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **named)


def _texts() -> Iterator[str]:
    for image in training()[:8_000]:
        yield from image


def _rows(tokenizer: Any) -> list[list[int]]:
    """Captions as token ids with special tokens, short ones only."""
    rows: list[list[int]] = tokenizer(list(_texts()), verbose=False)["input_ids"]
    return [row for row in rows if len(row) <= WIDTH]


def _padded(rows: list[list[int]], pad: int) -> dict[str, Any]:
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return {"ids": ids, "mask": mask}


def _padded_labels(made: dict[str, Any], ignored: int) -> Any:
    return made["ids"].masked_fill(made["mask"] == 0, ignored)
