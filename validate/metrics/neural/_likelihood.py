"""Language models with a head over their vocabulary: how likely they find the tokens of texts."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.errors import AccordError, OptionError
from validate.metrics.neural._checkpoint import Checkpoint
from validate.metrics.neural._encoder import _positions, located
from validate.metrics.neural._loading import _readable, config_of, model_of, quietly
from validate.metrics.neural._logits import Logits
from validate.metrics.neural._torch import device_of, dtype_of, needed
from validate.schema import FloatArray, IntArray

CAUSAL, MASKED, SEQ2SEQ = "AutoModelForCausalLM", "AutoModelForMaskedLM", "AutoModelForSeq2SeqLM"
_UNUSED = ("pooler.", "final_logits_bias")

Ids = NDArray[np.int64]

# transformers switches drawing of weights off and on for the whole process while it reads a model: two threads that read at the same time
# leave weights that are missing or drawn at random.
_reading = threading.RLock()


class LanguageModel:
    """A model and its tokenizer. Made by `language_model`, which keeps the last ones.

    The weights are read when a text has to be scored and not before. Texts are tokenised as they stand: nothing is stripped and no space
    is put before the first word.

    Parameters
    ----------
    who : str
        The metric, for messages.
    kind : {CAUSAL, MASKED, SEQ2SEQ}
    checkpoint : Checkpoint
    dtype, device : str
    """

    def __init__(self, who: str, kind: str, checkpoint: Checkpoint, dtype: str, device: str) -> None:
        self.who, self.kind, self.checkpoint = who, kind, checkpoint
        self.dtype, self.device = dtype, device_of(who, device)
        dtype_of(who, dtype)
        self.config = config_of(who, checkpoint)
        transformers = needed(who, "transformers")
        with _readable(who, checkpoint, "tokenizer"), quietly(transformers):
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.path)
        self.lock = threading.RLock()  # tokenizers, the loading of weights and the gate are no work for several threads
        self._model: Any = None
        self._logits: Logits | None = None

    @property
    def positions(self) -> int:
        """The most tokens for which the model has positions; a very large number where it has no limit."""
        return _positions(self.config)

    @property
    def model(self) -> Any:
        """The model as transformers has it, on the device; read at the first call."""
        if self._model is None:
            may_lack = _UNUSED if self.kind != CAUSAL else ()
            with _reading:
                model = model_of(
                    self.who, self.kind, self.checkpoint, dtype=self.dtype, device=self.device, may_lack=may_lack
                )
            model.config.use_cache = False  # of keys and values, which nobody would read
            if self.kind == CAUSAL:
                self._check_causal(model)
            self._model = model
        return self._model

    @property
    def logits(self) -> Logits:
        """The head, asked at chosen places."""
        if self._logits is None:
            torch = needed(self.who, "torch")
            ids = torch.arange(3, device=self.device)[None]
            probe = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
            if self.kind == SEQ2SEQ:
                probe["decoder_input_ids"] = ids
            self._logits = Logits(self.who, self.model, probe)
        return self._logits

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, without special ones."""
        with self.lock:
            rows = bare(self.tokenizer, texts)["input_ids"] if texts else []
        return [row if text else [] for text, row in zip(texts, rows, strict=True)]

    def around(self) -> tuple[list[int], list[int]]:
        """The special tokens that the tokenizer puts before and after a text by itself."""
        whole, (inner,) = self.tokenizer("a", verbose=False)["input_ids"], self.ids(["a"])
        at = next((i for i in range(len(whole) - len(inner) + 1) if whole[i : i + len(inner)] == inner), 0)
        return whole[:at], whole[at + len(inner) :]

    def padded(self, rows: Sequence[Sequence[int] | Ids], prefix: str = "") -> dict[str, Any]:
        """``input_ids`` and ``attention_mask`` of a batch, padded on the right, where padding is nobody's context."""
        torch = needed(self.who, "torch")
        width = max(1, *map(len, rows))
        ids = np.full((len(rows), width), self.tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        named = {f"{prefix}input_ids": ids, f"{prefix}attention_mask": mask}
        return {name: torch.from_numpy(array).to(self.device) for name, array in named.items()}

    def surprise(
        self, inputs: Mapping[str, Any], rows: IntArray, places: IntArray, tokens: IntArray, texts: Sequence[str]
    ) -> FloatArray:
        """(m,) −ln p of tokens, see `Logits.surprise`; ``texts`` are those of the batch, for the message.

        Raises
        ------
        AccordError
            When the model gives NaN or infinity; the message names the text.
        """
        found = self.logits.surprise(inputs, rows, places, tokens)
        if not np.isfinite(found).all():
            raise AccordError(self._not_a_number(texts[int(rows[~np.isfinite(found)][0])]))
        return found

    def _not_a_number(self, text: str) -> str:
        shown = text if len(text) <= 80 else text[:79] + "…"
        return (
            f"{self.who}: {self.checkpoint.name} gives a token of the text {shown!r} a probability of NaN or 0; finite numbers are needed; "
            f"{'try dtype=float32, or ' if self.dtype != 'float32' else ''}check the checkpoint"
        )

    def _check_causal(self, model: Any) -> None:
        """A token's probability must not depend on what comes after it: encoders load as causal models without a word."""
        torch = needed(self.who, "torch")
        with torch.inference_mode():
            ids = torch.tensor([[0, 1], [0, 2]], device=self.device)
            first = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[:, 0]
        if not torch.allclose(first[0], first[1], rtol=1e-3, atol=1e-4, equal_nan=True):
            raise OptionError(
                f"{self.who}: the model {self.checkpoint.name!r} looks at the tokens that come after the one it predicts ({type(model).__name__}, "
                "trained as an encoder); a causal language model is needed; give another model, or take pseudo_perplexity"
            )


def bare(tokenizer: Any, texts: Sequence[str]) -> Any:
    """Texts through a tokenizer, without special tokens and without remarks about long ones."""
    return tokenizer(
        list(texts), add_special_tokens=False, return_attention_mask=False, return_token_type_ids=False, verbose=False
    )


def readable(text: str) -> str:
    """A text as UTF-8 can hold it: halves of surrogate pairs, which no text of Unicode has, become U+FFFD.

    >>> readable("half a \\ud83d pair")
    'half a \\ufffd pair'
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def language_model(who: str, kind: str, model: str, *, dtype: str = "float32", device: str = "auto") -> LanguageModel:
    """A language model by its name or folder; two are kept, so that the same one is not read again.

    Raises
    ------
    MissingModelError, MissingExtraError
        When it cannot be had; the message says how to get it.
    OptionError
        For a precision or device that there is not.
    """
    checkpoint = located(who, model)
    with _reading:
        return _kept(who, kind, checkpoint, checkpoint.revision or checkpoint.digest, dtype, device)


@lru_cache(maxsize=2)
def _kept(who: str, kind: str, checkpoint: Checkpoint, _files: str, dtype: str, device: str) -> LanguageModel:
    return LanguageModel(who, kind, checkpoint, dtype, device)
