"""Perplexity of outputs under a causal language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from validate.errors import OptionError, bad_value
from validate.metrics import _options
from validate.metrics._metric import Scores
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET, through
from validate.metrics.neural._comparable import compare_perplexities
from validate.metrics.neural._likelihood import CAUSAL, LanguageModel
from validate.metrics.neural._surprise import PerplexityScores, SurpriseMetric
from validate.metrics.neural._windows import Window, windows
from validate.schema import FloatArray, IntArray

__all__ = ["Perplexity", "PerplexityScores", "compare_perplexities"]

BOS = ("auto", "yes", "no")
GIVEN = ("nothing", "source")
AT_MOST = 2_048  # tokens of a window of a model that has no limit of its own


class Perplexity(SurpriseMetric):
    r"""exp of the mean surprise, −ln p, of an output's tokens under a language model that reads from left to right; 1 to ∞.

    It answers how usual a text is for a model, not how good it is: dull and repeated text has a low perplexity.

    Parameters
    ----------
    model : str
        A causal model: a name on the hub, or a folder as save_pretrained writes it.
    unit : {"token", "byte", "character"}
        "token": perplexity. "byte" and "character": the same surprise in bits, divided by the bytes of UTF-8 or the characters of the
        text, which do not depend on how a tokenizer cuts it; 0 to ∞. These two need every token scored: a start token or a source.
    given : {"nothing", "source"}
        "source": p(output | source); only the output's tokens are scored.
    prompt : str
        What stands before the output with ``given="source"``; ``{source}`` is replaced, and ``\n`` is a line break.
    window, stride : int, optional
        A text longer than ``window`` tokens is read in windows that begin ``stride`` tokens apart. Each token is scored once,
        after at least ``window`` − ``stride`` others where there are so many. By default what the model takes (2,048 where it has no limit)
        and half of that.
    bos : {"auto", "yes", "no"}
        Whether a start token stands before each text, so that the first token is scored as well. "auto": where the tokenizer puts
        one by itself. "yes": always; a tokenizer without one gives its end token, as GPT-2's, whose start and end are the same.
    eos : bool
        Whether the end token after each text is scored.
    dtype : {"float32", "bfloat16", "float16"}
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the model takes at a time.

    Notes
    -----
    *Corpus.* Statistics are Σ −ln p, scored tokens, bytes and characters: sums are divided once. The mean of perplexities, which Hugging
    Face's evaluate gives, is not computed.
    *Context.* Each text is read by itself; texts never run into each other. Without a start token and a source the first token
    has no context and is not scored, so that a text of one token is undefined (NaN).
    *Prompt and output* are tokenised apart and joined, so that an output has the same tokens after every source. A prompt too long for
    the window loses its beginning.
    *Batches.* Padding stands on the right, where a causal model never looks; batch and order change no score by more than rounding.
    *Comparing.* Values under different tokenizers or of different texts are not comparable; `compare_perplexities` refuses them.

    References
    ----------
    Jelinek, Mercer, Bahl and Baker (1977), doi:10.1121/1.2016299; Gao et al. (2020), arXiv:2101.00027, section 3.1 (bits per byte).
    """

    kind: ClassVar[str] = CAUSAL
    needs: ClassVar[tuple[str, ...]] = ()
    source = "Jelinek et al. 1977, doi:10.1121/1.2016299"
    summary = "surprise of the tokens under a causal language model"
    why_none = "an empty text has none, and a first token is scored only after a start token (bos=yes) or a source"

    def __init__(
        self,
        *,
        name: str = "perplexity",
        model: str = "gpt2",
        unit: str = "token",
        given: str = "nothing",
        prompt: str = r"{source}\n",
        window: int | None = None,
        stride: int | None = None,
        bos: str | bool = "auto",
        eos: bool = False,
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        self.set_unit(unit)
        self.given = _options.one_of(name, "given", given, GIVEN)
        self.prompt = _checked_prompt(name, prompt)
        self.window = None if window is None else _options.whole(name, "window", window, 2)
        self.stride = None if stride is None else _options.whole(name, "stride", stride, 1)
        if isinstance(bos, bool):
            bos = "yes" if bos else "no"
        self.bos = _options.one_of(name, "bos", bos, BOS)
        self.eos = _options.yes_or_no(name, "eos", eos)
        if self.conditional:
            self.needs = ("sources",)  # type: ignore[misc]  # of this metric, not of the class
        if self.window is not None and self.stride is not None:
            self._check_stride(self.window, self.stride)

    @property
    def conditional(self) -> bool:
        return self.given == "source"

    @property
    def protocol(self) -> Mapping[str, Any]:
        return {
            "given": self.given,
            "prompt": _on_one_line(self.prompt) if self.conditional else "none",
            "window": self.window or "model",
            "stride": self.stride or "half",
            "bos": self.bos,
            "eos": self.eos,
        }

    def in_force(self, found: Scores) -> Mapping[str, Any]:
        """Window and stride in tokens; none where every text fits, whatever the model takes."""
        if not len(found.items):
            return self.protocol
        size, stride = self._window_of(self.room())
        fits = not self.conditional and np.nan_to_num(found.statistics[:, 1]).max() < size
        return {
            **self.protocol,
            **({"window": "whole", "stride": "none"} if fits else {"window": size, "stride": stride}),
        }

    def surprises(self, room: LanguageModel, texts: Sequence[str], before: Sequence[str]) -> FloatArray:
        rows, firsts = self._sequences(room, texts, before)
        size, stride = self._window_of(room)
        todo: list[tuple[int, Window]] = [
            (text, window)
            for text, (row, first) in enumerate(zip(rows, firsts, strict=True))
            for window in windows(len(row), first, size, stride)
        ]
        found = np.zeros((len(texts), 2))

        def forward(batch: IntArray) -> None:
            chosen = [todo[at] for at in batch]
            inputs = room.padded([rows[text][window.begin : window.end] for text, window in chosen])
            places = [np.arange(window.first, window.end) - window.begin for _, window in chosen]
            row = np.repeat(np.arange(len(chosen)), [len(part) for part in places])
            place = np.concatenate(places)
            tokens = np.concatenate([rows[text][window.first : window.end] for text, window in chosen])
            nats = room.surprise(inputs, row, place - 1, tokens, [texts[text] for text, _ in chosen])
            owner = np.array([text for text, _ in chosen])
            np.add.at(found[:, 0], owner, np.bincount(row, nats, len(chosen)))
            np.add.at(found[:, 1], owner, np.bincount(row, minlength=len(chosen)))

        lengths = np.array([window.end - window.begin for _, window in todo], dtype=np.int64)
        with room.lock:
            through(
                self.name, lengths, forward, budget=self.budget, what="texts" if len(todo) <= len(texts) else "windows"
            )
        return found

    def _sequences(
        self, room: LanguageModel, texts: Sequence[str], before: Sequence[str]
    ) -> tuple[list[IntArray], list[int]]:
        """The tokens of each text with what stands before and after it, and which is the first that is scored."""
        start, end = self._start(room), self._end(room)
        prompts = [self.prompt.replace("{source}", source) for source in before] if self.conditional else [""]
        distinct = dict.fromkeys(prompts)
        known = dict(zip(distinct, room.ids(list(distinct)), strict=True))
        contexts = [[*start, *known[prompt]] for prompt in prompts] * (1 if self.conditional else len(texts))
        if self.unit != "token" and not all(contexts):
            raise OptionError(
                f"{self.name}: unit={self.unit!r} was given where the first token of a text is not scored, so that its bits would be missing; "
                f"a start token or a source is needed, and the tokenizer of {self.model} adds none by itself; give bos='yes'"
            )
        rows = [
            np.array([*context, *row, *end], dtype=np.int64)
            for context, row in zip(contexts, room.ids(texts), strict=True)
        ]
        return rows, [max(1, len(context)) for context in contexts]

    def _start(self, room: LanguageModel) -> list[int]:
        """The tokens that stand before every text."""
        if self.bos == "no":
            return []
        own, _ = room.around()
        if own or self.bos == "auto":
            return own
        tokenizer = room.tokenizer
        token = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        if token is None:
            raise bad_value(self.name, "bos", self.bos, f"auto or no: the tokenizer of {self.model} has no start token")
        return [int(token)]

    def _end(self, room: LanguageModel) -> list[int]:
        if not self.eos:
            return []
        if room.tokenizer.eos_token_id is None:
            raise bad_value(self.name, "eos", self.eos, f"False: the tokenizer of {self.model} has no end token")
        return [int(room.tokenizer.eos_token_id)]

    def _window_of(self, room: LanguageModel) -> tuple[int, int]:
        """Window and stride in force."""
        most = room.positions
        if self.window is not None and self.window > most:
            raise bad_value(self.name, "window", self.window, f"2 to {most:,}, which is what {self.model} takes")
        size = self.window or (most if most < 10**9 else AT_MOST)
        stride = self.stride or size // 2
        self._check_stride(size, stride)
        return size, stride

    def _check_stride(self, window: int, stride: int) -> None:
        if stride >= window:
            allowed = f"1 to {window - 1:,}, one less than the window, so that every token has context"
            raise bad_value(self.name, "stride", stride, allowed)


def _checked_prompt(who: str, prompt: object) -> str:
    if not isinstance(prompt, str) or "{source}" not in prompt:
        raise bad_value(who, "prompt", prompt, "a text with {source} in it")
    return prompt.replace("\\n", "\n")  # which is hard to type on a command line


def _on_one_line(text: str) -> str:
    """A prompt as a signature can hold it."""
    return text.encode("unicode_escape").decode().replace("|", "\\x7c")


register("perplexity", Perplexity, default=False)
