"""BARTScore: how likely an encoder-decoder model finds one text after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from validate.errors import plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._likelihood import SEQ2SEQ, LanguageModel, language_model, readable
from validate.metrics.neural._metric import NeuralMetric
from validate.metrics.neural._translation import Sides, log_likelihoods, sides
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

DIRECTIONS = ("faithfulness", "precision", "recall", "f")
SEVERAL = ("mean", "max")


class BartScore(MeanMetric, NeuralMetric):
    """Mean log-probability of a text's tokens when an encoder-decoder model writes it after it has read another; -∞ to 0.

    A score of -2 means that the model gives a token of the text a probability of exp(-2) on (geometric) average. Identical texts do not
    score 0: a model that is not certain to copy has a probability below 1.

    Parameters
    ----------
    model : str
        Any encoder-decoder model: a name on the hub, or a folder as save_pretrained writes it. The paper's are facebook/bart-large-cnn,
        and the same model after further training on ParaBank 2.
    direction : {"faithfulness", "precision", "recall", "f"}
        "faithfulness": source → output; needs sources and no references. "precision": reference → output. "recall": output →
        reference. "f": the mean of these two.
    multi_reference : {"mean", "max"}
        Of several references.
    max_length : int
        Tokens, special ones included, after which a text is cut; the model's own limit holds as well. What was cut is said.
    dtype : {"float32", "bfloat16", "float16"}
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the model takes at a time.

    Notes
    -----
    As in the paper's code, the mean is over all tokens of the text that is written, special ones included (of BART ``<s>`` and
    ``</s>``), so that an empty text has a score. The code ends the program with exit(0) when something goes wrong; this raises.

    The paper's prompts are not built in; where they are wanted, put them into the texts.

    References
    ----------
    Yuan, Neubig and Liu (2021), https://arxiv.org/abs/2106.11520, equation 2 and section 3.2.
    """

    bounds = (-float("inf"), 0.0)
    source = "Yuan et al. 2021, https://arxiv.org/abs/2106.11520"
    summary = "log-probability of a text after another, by an encoder-decoder model"

    def __init__(
        self,
        *,
        name: str = "bartscore",
        model: str = "facebook/bart-large-cnn",
        direction: str = "f",
        multi_reference: str = "mean",
        max_length: int = 1_024,
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        self.direction = _options.one_of(name, "direction", direction, DIRECTIONS)
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, SEVERAL)
        self.max_length = _options.whole(name, "max_length", max_length, 3)
        if direction == "faithfulness":
            self.needs = ("sources",)  # type: ignore[misc]  # of this metric, not of the class

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "model": self.identity,
            "direction": self.direction,
            "multi_reference": self.multi_reference,
            "max_length": self.max_length,
            "dtype": self.dtype,
        }

    @property
    def by_blocks(self) -> bool:
        """No: a source goes through the encoder once, however far apart its outputs are."""
        return False

    def item_scores(self, batch: Batch) -> FloatArray:
        values = np.mean([self._values(batch, step) for step in self._steps()], axis=0)
        if self.direction == "faithfulness":
            return values
        if self.multi_reference == "mean":
            return mean_of_pairs(batch, values)
        return chosen(values, best_pair(batch, values))

    def notes(self, batch: Batch) -> list[Fact]:
        """How many texts were cut, counted in each direction in which they are read or written."""
        found = [self._tokens(batch, step) for step in self._steps()] if len(batch) else []
        n_cut, n_texts = sum(one.n_cut for one in found), sum(len(one.read) + len(one.written) for one in found)
        if not n_cut:
            return []
        text = (
            f"{self.name}: {plural(n_cut, 'text')} of {n_texts:,} {'was' if n_cut == 1 else 'were'} longer than {self._limit():,} tokens, "
            "and what comes after was not seen"
        )
        return [Fact("cut-texts", n_cut, text, "warning")]

    def room(self) -> LanguageModel:
        """The model."""
        return language_model(self.name, SEQ2SEQ, self.model, dtype=self.dtype, device=self.device)

    def _limit(self) -> int:
        return min(self.max_length, self.room().positions)

    def _steps(self) -> tuple[str, ...]:
        return ("precision", "recall") if self.direction == "f" else (self.direction,)

    def _values(self, batch: Batch, step: str) -> FloatArray:
        """(m,) mean ln p for each pair of the batch, or (n,) for each row where the source is read; made once."""

        def make() -> FloatArray:
            _, written, pairs, rows = _distinct(batch, step)
            if not len(pairs):
                return np.zeros(0)
            names = [readable(batch.corpus.texts[text]) for text in written]
            found = log_likelihoods(self.room(), self._tokens(batch, step), pairs, names, self.budget)
            return found[rows]

        return batch.once(self._key("values", step), make)

    def _tokens(self, batch: Batch, step: str) -> Sides:
        """The texts that are read and written, made once."""

        def make() -> Sides:
            read, written = (
                [readable(batch.corpus.texts[text]) for text in side] for side in _distinct(batch, step)[:2]
            )
            return sides(self.room(), read, written, self.max_length)

        return batch.once(self._key("tokens", step), make)

    def _key(self, what: str, step: str) -> tuple[Any, ...]:
        return ("bartscore", what, step, self.identity, self.dtype, self.max_length)


def _distinct(batch: Batch, step: str) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Texts that are read, texts that are written, (m, 2) the different pairs of their places, and which pair each one of the batch is."""
    if step == "faithfulness":
        from_, to = (batch.sources if batch.sources is not None else np.zeros(0, dtype=np.int64)), batch.outputs
    else:
        outputs, references = batch.pairs
        from_, to = (references, outputs) if step == "precision" else (outputs, references)
    (read, at_read), (written, at_written) = (np.unique(side, return_inverse=True) for side in (from_, to))
    both = np.stack([at_read.reshape(-1), at_written.reshape(-1)], axis=1)
    pairs, rows = np.unique(both, axis=0, return_inverse=True)
    return read, written, pairs, rows.reshape(-1)


register("bartscore", BartScore, default=False)
