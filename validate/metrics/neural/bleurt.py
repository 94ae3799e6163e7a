"""BLEURT: how well an output says what its reference says, by a regression on the two read together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from validate.errors import AccordError, plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._bleurt_model import BleurtModel, Ids, bleurt_model
from validate.metrics.neural._encoder import located
from validate.metrics.neural._metric import NeuralMetric
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

DEFAULT = "lucadiliello/BLEURT-20"
SEVERAL = ("max", "mean")


class Bleurt(MeanMetric, NeuralMetric):
    """A score that was learned from human ratings of pairs of texts; higher is better, without bounds.

    Reference and output are read together, ``[CLS] reference [SEP] output [SEP]``; what the model makes of [CLS] goes through a layer with
    tanh and a linear one. BLEURT-20 gives about 0 to 1, older checkpoints about −2 to 1.

    Parameters
    ----------
    model : str
        A name on the hub, or a folder: a checkpoint that bleurt-pytorch converted, BERT's kind or BLEURT-20's (RemBERT), or BERT or
        RemBERT with a regression head as transformers saves it.
    multi_reference : {"max", "mean"}
        Of several references the best score, or the mean. BLEURT itself takes one.
    max_length : int, optional
        The most tokens of a pair, special ones included. By default what the tokenizer's settings or the model's name
        (``bleurt-base-128``) state, at most the model's positions.
    dtype : {"float32", "bfloat16", "float16"}
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the model takes at a time.
    cache : bool
        Keep scores of pairs in the user's cache folder (see ``validate.metrics.neural._cache``).

    Notes
    -----
    Of a pair that is too long the last token of the longer text goes until it fits, of two as long the output's, as in Google's program;
    how many pairs were cut is said. bleurt-pytorch with its fast tokenizer cuts the reference one token shorter where both are too long.
    Empty texts are scored like any other. The system score is the mean of the items.

    Scores are held to those of bleurt-pytorch 0.0.1 within 1e-5, on checkpoints of its form that are drawn from a seed (tests/golden).

    References
    ----------
    Sellam, Das and Parikh (2020), doi:10.18653/v1/2020.acl-main.704, section 3; Pu et al. (2021),
    doi:10.18653/v1/2021.emnlp-main.58, for BLEURT-20.
    """

    bounds = (-np.inf, np.inf)
    source = "Sellam, Das and Parikh 2020, doi:10.18653/v1/2020.acl-main.704"
    summary = "a regression on reference and output read together"

    def __init__(
        self,
        *,
        name: str = "bleurt",
        model: str = DEFAULT,
        multi_reference: str = "max",
        max_length: int | None = None,
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
        cache: bool = True,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, SEVERAL)
        self.max_length = None if max_length is None else _options.whole(name, "max_length", max_length, 4)
        self.cache = _options.yes_or_no(name, "cache", cache)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "model": self.identity,
            "multi_reference": self.multi_reference,
            "max_length": "the model's" if self.max_length is None else self.max_length,
            "dtype": self.dtype,
        }

    def item_scores(self, batch: Batch) -> FloatArray:
        if not len(batch.references):
            return np.full(len(batch), np.nan)
        room = self._room()
        ids = self._read(batch)
        outputs, references = batch.pairs
        pairs, place = np.unique(np.stack([references, outputs], axis=1), axis=0, return_inverse=True)
        inputs = [room.pair(ids[reference], ids[output]) for reference, output in pairs.tolist()]
        scores = room.scores(inputs, budget=self.budget, cache=self.cache)
        self._check(batch, pairs, scores)
        rows = scores[place.reshape(-1)]
        return mean_of_pairs(batch, rows) if self.multi_reference == "mean" else chosen(rows, best_pair(batch, rows))

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many pairs were cut."""
        if not len(batch.references):
            return []
        ids, most = self._read(batch), self._room().limit
        outputs, references = batch.pairs
        lengths = np.zeros(len(batch.corpus), dtype=np.int64)
        lengths[list(ids)] = [len(row) for row in ids.values()]
        n_cut = int((lengths[outputs] + lengths[references] > most - 3).sum())
        if not n_cut:
            return []
        text = f"{self.name}: {plural(n_cut, 'pair')} of output and reference longer than the {most} tokens that the model reads; the rest is not seen"
        return [Fact("cut-pairs", n_cut, text)]

    def _room(self) -> BleurtModel:
        return bleurt_model(self.name, located(self.name, self.model), self.max_length, self.dtype, self.device)

    def _read(self, batch: Batch) -> dict[int, Ids]:
        """The tokens of every text that is needed, by text; made once for each batch."""
        room = self._room()
        used = np.unique(np.concatenate([batch.outputs, batch.references])).tolist()

        def make() -> dict[int, Ids]:
            return dict(zip(used, room.ids([batch.corpus.texts[text] for text in used]), strict=True))

        return batch.once(("bleurt", str(room.checkpoint.path)), make)

    def _check(self, batch: Batch, pairs: IntArray, scores: FloatArray) -> None:
        wrong = np.flatnonzero(~np.isfinite(scores))
        if len(wrong):
            reference, output = [batch.corpus.texts[text] for text in pairs[wrong[0]].tolist()]
            raise AccordError(
                f"{self.name}: {self.model} gives NaN or infinity for the output {_short(output)} and the reference {_short(reference)}; "
                f"finite numbers are needed; {'try dtype=float32, or ' if self.dtype != 'float32' else ''}check the checkpoint"
            )


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


register("bleurt", Bleurt, default=False)
