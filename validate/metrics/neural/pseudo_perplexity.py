"""Pseudo-perplexity of outputs under a masked language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from validate.errors import OptionError
from validate.metrics import _options
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET, through
from validate.metrics.neural._likelihood import MASKED, Ids, LanguageModel, bare
from validate.metrics.neural._surprise import SurpriseMetric
from validate.metrics.neural._tokens import Tokens
from validate.schema import FloatArray, IntArray

VARIANTS = ("original", "within-word-l2r")


class Masked(NamedTuple):
    """One input of the model: its tokens, the place in it that is masked and scored, and how many tokens after that are masked with it."""

    ids: Ids
    place: int
    n_more: int
    text: int


class PseudoPerplexity(SurpriseMetric):
    """exp of the mean surprise of an output's tokens under a masked language model, each masked in turn and seen by all others; 1 to ∞.

    It is no perplexity: the probabilities of a text's tokens, each given all the others, do not multiply to a probability of the text.

    Parameters
    ----------
    model : str
        A masked language model, such as BERT or RoBERTa, with its trained head: a name on the hub, or a folder.
    unit : {"token", "byte", "character"}
        "byte" and "character": the same surprise in bits, divided by the bytes of UTF-8 or the characters of the text.
    variant : {"original", "within-word-l2r"}
        "original": one token is masked at a time (Salazar et al.), which makes rare words of several tokens far too easy: their
        other tokens give them away. "within-word-l2r": the later tokens of the same word are masked as well (Kauf and Ivanova). Words are
        what the tokenizer cuts a text into before it looks for tokens.
    dtype : {"float32", "bfloat16", "float16"}
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the model takes at a time.

    Notes
    -----
    Special tokens are neither masked nor scored. A text of n tokens goes through the model n times. One that is longer than the model
    is read in windows that overlap by half; a token is scored in the window whose middle is nearest to it. A text without
    tokens is undefined (NaN).

    A checkpoint without a trained masked-LM head is refused: transformers would draw one at random.

    References
    ----------
    Salazar, Liang, Nguyen and Kirchhoff (2020), doi:10.18653/v1/2020.acl-main.240, equations 1 to 3; Kauf and Ivanova (2023),
    doi:10.18653/v1/2023.acl-short.80, section 3.
    """

    kind: ClassVar[str] = MASKED
    needs: ClassVar[tuple[str, ...]] = ()
    source = "Salazar et al. 2020, doi:10.18653/v1/2020.acl-main.240"
    summary = "surprise of each token, masked in turn, under a masked language model"

    def __init__(
        self,
        *,
        name: str = "pseudo_perplexity",
        model: str = "bert-base-cased",
        unit: str = "token",
        variant: str = "original",
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        self.set_unit(unit)
        self.variant = _options.one_of(name, "variant", variant, VARIANTS)

    @property
    def protocol(self) -> Mapping[str, Any]:
        return {"variant": self.variant}

    def surprises(self, room: LanguageModel, texts: Sequence[str], before: Sequence[str]) -> FloatArray:
        mask = room.tokenizer.mask_token_id
        if mask is None:
            raise OptionError(
                f"{self.name}: the tokenizer of {self.model} has no mask token; a masked language model is needed; give another model, "
                "or take perplexity"
            )
        todo = self._todo(room, texts)
        found = np.zeros((len(texts), 2))

        def forward(batch: IntArray) -> None:
            chosen = [todo[at] for at in batch]
            inputs = room.padded([_with_masks(one, mask) for one in chosen])
            places = np.array([one.place for one in chosen])
            tokens = np.array([one.ids[one.place] for one in chosen])
            seen = [texts[one.text] for one in chosen]
            nats = room.surprise(inputs, np.arange(len(chosen)), places, tokens, seen)
            owner = np.array([one.text for one in chosen])
            np.add.at(found[:, 0], owner, nats)
            np.add.at(found[:, 1], owner, 1)

        lengths = np.array([len(one.ids) for one in todo], dtype=np.int64)
        with room.lock:
            through(self.name, lengths, forward, budget=self.budget, what="tokens")
        return found

    def _todo(self, room: LanguageModel, texts: Sequence[str]) -> list[Masked]:
        """Every token of every text, with the input in which it is masked."""
        tokens, words = self._read(room, texts)
        special, text_of = tokens.special, np.repeat(np.arange(len(texts)), tokens.lengths)
        todo = []
        for piece, numbers in zip(tokens.pieces(), words.pieces(), strict=True):
            ids = piece.ids.astype(np.int64)
            for place, at in zip(
                range(*piece.kept.indices(len(ids))), range(piece.place.start, piece.place.stop), strict=True
            ):
                if not special[at]:
                    todo.append(Masked(ids, place, self._n_more(numbers.ids, place), int(text_of[at])))
        return todo

    def _n_more(self, words: Any, place: int) -> int:
        """How many tokens after this one belong to the same word and are masked as well."""
        if self.variant == "original":
            return 0
        others = np.flatnonzero(words[place:] != words[place])
        return int(others[0]) - 1 if len(others) else len(words) - place - 1

    def _read(self, room: LanguageModel, texts: Sequence[str]) -> tuple[Tokens, Tokens]:
        """The texts as the model reads them, and beside each token the number of its word, −1 for special ones."""
        start, end = room.around()
        rows = room.ids(texts)
        words = self._words(room, texts) if self.variant != "original" else rows
        limit = min(room.positions, room.tokenizer.model_max_length)
        limit = limit if limit < 10**9 else max((len(row) for row in rows), default=0) + len(start) + len(end)
        whole = [(*start, *row, *end) for row in rows]
        numbers = [(*[-1] * len(start), *row, *[-1] * len(end)) for row in words]
        return _laid(whole, len(start), len(end), limit), _laid(numbers, len(start), len(end), limit)

    def _words(self, room: LanguageModel, texts: Sequence[str]) -> list[list[int]]:
        if not room.tokenizer.is_fast:
            raise OptionError(
                f"{self.name}: variant={self.variant!r} needs to know which tokens make a word, and the tokenizer of {self.model} does not say; "
                "a fast tokenizer is needed; take variant='original'"
            )
        with room.lock:
            encoded = bare(room.tokenizer, texts)
        return [
            [-2 if word is None else word for word in encoded.word_ids(at)] if text else []
            for at, text in enumerate(texts)
        ]


def _with_masks(one: Masked, mask: int) -> Ids:
    ids = one.ids.copy()
    ids[one.place : one.place + 1 + one.n_more] = mask
    return ids


def _laid(rows: Sequence[Sequence[int]], n_before: int, n_after: int, limit: int) -> Tokens:
    """Rows end to end, each with its special tokens."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    flat = np.array([token for row in rows for token in row], dtype=np.int32)
    return Tokens(flat, offsets, n_before, n_after, np.zeros(len(rows), dtype=np.int64), limit)


register("pseudo_perplexity", PseudoPerplexity, default=False)
