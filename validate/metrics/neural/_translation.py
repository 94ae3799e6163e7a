"""How likely an encoder-decoder model finds one text after another, for many pairs of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from validate.metrics.neural._batches import through
from validate.metrics.neural._likelihood import LanguageModel
from validate.metrics.neural._torch import needed
from validate.schema import FloatArray, IntArray
from validate.telling import listening


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Texts as a model reads them and as it writes them: token ids with special tokens, and how many of each were cut."""

    read: list[list[int]]
    written: list[list[int]]
    n_cut: int


def sides(room: LanguageModel, read: Sequence[str], written: Sequence[str], max_length: int) -> Sides:
    """Tokens of texts for the encoder and for the decoder; what is longer than ``max_length`` or the model is cut at its end."""
    limit = min(max_length, room.positions)
    with room.lock:
        inputs = room.tokenizer(list(read), verbose=False)["input_ids"] if read else []
        labels = room.tokenizer(text_target=list(written), verbose=False)["input_ids"] if written else []
        n_cut = sum(len(row) > limit for row in (*inputs, *labels))
        if n_cut:
            inputs = room.tokenizer(list(read), truncation=True, max_length=limit, verbose=False)["input_ids"]
            labels = room.tokenizer(text_target=list(written), truncation=True, max_length=limit, verbose=False)[
                "input_ids"
            ]
    return Sides(inputs, labels, n_cut)


def log_likelihoods(
    room: LanguageModel, texts: Sides, pairs: IntArray, names: Sequence[str], budget: int
) -> FloatArray:
    """Mean ln p of the tokens of a written text, special ones included, after a read one; each read text goes through the encoder once.

    Parameters
    ----------
    room : LanguageModel
    texts : Sides
    pairs : (m, 2) int64
        Places of the read and of the written text.
    names : sequence of str
        The written texts, for messages.
    budget : int
        Tokens at a time, in the encoder and in the decoder.

    Returns
    -------
    (m,) float64
    """
    order = np.argsort(pairs[:, 0], kind="stable")
    starts = np.searchsorted(pairs[order, 0], np.arange(len(texts.read) + 1))
    used = np.flatnonzero(np.diff(starts))
    found = np.empty(len(pairs))

    def forward(batch: IntArray) -> None:
        chosen = used[batch]
        inputs = room.padded([texts.read[one] for one in chosen])
        hidden = _encoded(room, inputs)
        mine = np.concatenate([order[starts[one] : starts[one + 1]] for one in chosen])
        row = np.repeat(np.arange(len(chosen)), np.diff(starts)[chosen])

        def written(part: IntArray) -> None:
            labels = [texts.written[one] for one in pairs[mine[part], 1]]
            said = [names[one] for one in pairs[mine[part], 1]]
            found[mine[part]] = _decoded(room, hidden, inputs["attention_mask"], row[part], labels, said)

        # A text that is read is held once more for each text that is written after it, so that its length counts as well.
        lengths = np.array([len(texts.written[one]) for one in pairs[mine, 1]]) + inputs["input_ids"].shape[1] // 4
        with listening(lambda message: None):
            through(room.who, lengths, written, budget=budget)

    lengths = np.array([len(texts.read[one]) for one in used], dtype=np.int64)
    with room.lock:
        through(room.who, lengths, forward, budget=budget, what="texts read")
    return found


def _encoded(room: LanguageModel, inputs: dict[str, Any]) -> Any:
    """(batch, length, dim) what the encoder gives."""
    torch = needed(room.who, "torch")
    with torch.inference_mode():
        return room.model.get_encoder()(**inputs)[0]


def _decoded(
    room: LanguageModel, hidden: Any, mask: Any, rows: IntArray, labels: list[list[int]], names: Sequence[str]
) -> FloatArray:
    """Mean ln p of each row of labels after the read text in its row."""
    torch = needed(room.who, "torch")
    from transformers.modeling_outputs import BaseModelOutput

    lengths = np.array([len(label) for label in labels])
    row = np.repeat(np.arange(len(labels)), lengths)
    place = np.concatenate([np.arange(length) for length in lengths])
    read = torch.from_numpy(rows).to(room.device)
    inputs = {
        "encoder_outputs": BaseModelOutput(last_hidden_state=hidden[read]),
        "attention_mask": mask[read],
        "decoder_input_ids": _shifted(room, labels),
    }
    tokens = np.array([token for label in labels for token in label], dtype=np.int64)
    nats = room.surprise(inputs, row, place, tokens, names)
    return -np.bincount(row, nats, len(labels)) / lengths


def _shifted(room: LanguageModel, labels: list[list[int]]) -> Any:
    """What the decoder is given: the labels, one to the right, as the model itself would move them in training."""
    torch = needed(room.who, "torch")
    width = max(map(len, labels))
    padded = torch.full((len(labels), width), -100, dtype=torch.long)
    for at, label in enumerate(labels):
        padded[at, : len(label)] = torch.tensor(label)
    padded = padded.to(room.device)
    if hasattr(room.model, "prepare_decoder_input_ids_from_labels"):
        return room.model.prepare_decoder_input_ids_from_labels(padded)
    moved = torch.full_like(padded, room.model.config.decoder_start_token_id)
    moved[:, 1:] = padded[:, :-1].clamp(min=0)
    return moved
