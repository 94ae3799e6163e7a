"""COMET: how good a translation is, by a regression on sentence vectors of source, output and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from validate.errors import AccordError, MissingExtraError, MissingModelError, bad_value, plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._comet_files import folder_of, kind_at_hand, kind_of
from validate.metrics.neural._comet_model import CometModel, comet_model
from validate.metrics.neural._encoder import located
from validate.metrics.neural._metric import NeuralMetric
from validate.metrics.neural._tokens import Tokens
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

DEFAULT = "Unbabel/wmt22-comet-da"
SEVERAL = ("mean", "max")


class Read(NamedTuple):
    """The texts that are needed and their tokens; ``place[t]`` is where text t of the corpus stands among them."""

    texts: list[str]
    tokens: Tokens
    place: IntArray


class Comet(MeanMetric, NeuralMetric):
    """A score that was learned from human judgments of translations; higher is better, without bounds, most published models near 0–1.

    Source, output and reference are read each by itself by a multilingual encoder; a small network makes a score of the three vectors,
    their products and differences. Each distinct text is encoded once, whatever the number of systems and references.

    Parameters
    ----------
    model : str
        A name on the hub, or a folder with hparams.yaml and checkpoints/model.ckpt. Regression models with and without references.
    encoder : str, optional
        Folder or name with config.json and tokenizer of the encoder. By default a folder in or beside the checkpoint with the name
        that its settings give, else that name on the hub (``xlm-roberta-large``).
    reference_free : bool, optional
        Whether the model needs no references (quality estimation). By default as hparams.yaml of a folder says; of a name on the hub,
        True for one with ``-qe-`` in it, else False.
    multi_reference : {"mean", "max"}
        Of several references the mean of their scores, or the best. unbabel-comet takes one reference; the mean is what one gets by
        averaging its scores.
    dtype : {"float32", "bfloat16", "float16"}
        The encoder's; what follows is computed in float32.
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the encoder takes at a time.
    cache : bool
        Keep sentence vectors in the user's cache folder (see ``validate.metrics.neural._cache``).

    Notes
    -----
    Empty texts are scored like any other: they are two special tokens to the encoder. A text is cut at the encoder's positions less four,
    special tokens included (510 for XLM-R), as unbabel-comet has it, and that is said. An item whose source is empty is scored with an
    empty source, and that is said too. The system score is the mean of the items.

    Scores are held to those of unbabel-comet 2.2.7 within 1e-5, on checkpoints of its form that are drawn from a seed (tests/golden).

    Ranking models, unified models (CometKiwi of 2022 and later) and XCOMET are built otherwise and are refused.

    References
    ----------
    Rei, Stewart, Farinha and Lavie (2020), doi:10.18653/v1/2020.emnlp-main.213, section 2.3; Rei et al. (2022),
    https://aclanthology.org/2022.wmt-1.52; Martins and Astudillo (2016), arXiv:1602.02068, for sparsemax.
    """

    bounds = (-np.inf, np.inf)
    needs: ClassVar[tuple[str, ...]] = ("references", "sources")
    source = "Rei et al. 2020, doi:10.18653/v1/2020.emnlp-main.213"
    summary = "a regression on sentence vectors of source, output and reference"

    def __init__(
        self,
        *,
        name: str = "comet",
        model: str = DEFAULT,
        encoder: str | None = None,
        reference_free: bool | None = None,
        multi_reference: str = "mean",
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
        cache: bool = True,
    ) -> None:
        self.name = name
        self.set_model(folder_of(model) if isinstance(model, str) else model, dtype, device, budget)
        if encoder is not None and not isinstance(encoder, str):
            raise bad_value(name, "encoder", encoder, "a folder, or a name on the model hub")
        self.encoder = encoder
        if reference_free is not None:
            _options.yes_or_no(name, "reference_free", reference_free)
        self.reference_free = bool(kind_at_hand(self.model)) if reference_free is None else reference_free
        if self.reference_free:
            self.needs = ("sources",)  # type: ignore[misc]
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, SEVERAL)
        self.cache = _options.yes_or_no(name, "cache", cache)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "model": self.identity,
            "encoder": self._encoder_identity(),
            "reference_free": self.reference_free,
            "multi_reference": self.multi_reference,
            "dtype": self.dtype,
        }

    def _encoder_identity(self) -> str:
        """The encoder's name and files where it was given; its files are otherwise the model's own business."""
        if self.encoder is None:
            return "the model's"
        try:
            return located(self.name, self.encoder).identity
        except (MissingExtraError, MissingModelError):
            return self.encoder

    def item_scores(self, batch: Batch) -> FloatArray:
        assert batch.sources is not None
        if not len(batch):
            return np.zeros(0)
        room = self._room()
        read = self._read(batch)
        vectors = room.embed(read.tokens, read.texts, budget=self.budget, cache=self.cache)
        if self.reference_free:
            scores = room.scores(vectors, read.place[batch.outputs], read.place[batch.sources], None)
            self._check(batch, scores, batch.outputs)
            return scores
        outputs, references = batch.pairs
        sources = np.repeat(batch.sources, batch.n_references)
        pairs = room.scores(vectors, read.place[outputs], read.place[sources], read.place[references])
        self._check(batch, pairs, outputs)
        return mean_of_pairs(batch, pairs) if self.multi_reference == "mean" else chosen(pairs, best_pair(batch, pairs))

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many texts were cut, and how many sources are empty."""
        if not len(batch) or batch.sources is None:
            return []
        facts = []
        n_cut = int((self._read(batch).tokens.n_cut > 0).sum())
        if n_cut:
            most = self._room().reader.limit
            text = f"{self.name}: {plural(n_cut, 'text')} longer than the {most} tokens that the model reads; the rest is not seen"
            facts.append(Fact("cut-texts", n_cut, text))
        n_empty = sum(not batch.corpus.texts[place].strip() for place in batch.sources.tolist())
        if n_empty:
            text = f"{self.name}: {plural(n_empty, 'output')} with an empty source, scored like any other"
            facts.append(Fact("empty-sources", n_empty, text))
        return facts

    def _room(self) -> CometModel:
        """The model, of the kind that was asked for."""
        checkpoint = located(self.name, self.model)
        kind = kind_of(self.name, checkpoint)
        if kind != self.reference_free:
            needs = "sources only" if kind else "sources and references"
            raise AccordError(
                f"{self.name}: the model {self.model!r} needs {needs}, and reference_free={self.reference_free} was given or taken for it; "
                f"its own kind is allowed; give reference_free={kind}"
            )
        return comet_model(self.name, checkpoint, self.encoder, self.dtype, self.device)

    def _read(self, batch: Batch) -> Read:
        """Every text that is needed, once; made once for each batch."""
        room = self._room()
        return batch.once(("comet", *room.key), lambda: _read(room, batch, self.reference_free))

    def _check(self, batch: Batch, scores: FloatArray, outputs: IntArray) -> None:
        wrong = np.flatnonzero(~np.isfinite(scores))
        if len(wrong):
            text = batch.corpus.texts[outputs[wrong[0]]]
            shown = text if len(text) <= 80 else text[:79] + "…"
            raise AccordError(
                f"{self.name}: {self.model} gives NaN or infinity for the output {shown!r}; finite numbers are needed; check the checkpoint"
            )


def _read(room: CometModel, batch: Batch, reference_free: bool) -> Read:
    sides: Sequence[IntArray | None] = (batch.outputs, batch.sources, None if reference_free else batch.references)
    used = np.unique(np.concatenate([side for side in sides if side is not None]))
    place = np.full(len(batch.corpus), -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    texts = [batch.corpus.texts[text] for text in used.tolist()]
    return Read(texts, room.tokens(texts), place)


register("comet", Comet, default=False)
