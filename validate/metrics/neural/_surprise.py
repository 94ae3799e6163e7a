"""What perplexity and pseudo-perplexity share: sums of surprise and of what it is divided by, in the unit that is asked for."""

from __future__ import annotations

import abc
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from validate.errors import plural
from validate.metrics import _options
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Scores
from validate.metrics.neural._likelihood import LanguageModel, language_model, readable
from validate.metrics.neural._metric import NeuralMetric
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

UNITS = ("token", "byte", "character")


@dataclass(frozen=True, slots=True, eq=False)
class PerplexityScores(Scores):
    """Perplexities, and what they are perplexities of, so that `compare_perplexities` can tell whether they measure the same.

    Parameters
    ----------
    metric : str
    unit : {"token", "byte", "character"}
    protocol : str
        The options that say which tokens are scored after which others.
    texts, pieces : str
        The sha256 of the scored texts (with what they are conditional on), and of the tokens into which they were cut and how many
        of these were scored.
    totals : (4,) float64
        Surprise in nats, tokens, bytes and characters over the defined items.
    """

    metric: str = ""
    unit: str = "token"
    protocol: str = ""
    texts: str = ""
    pieces: str = ""
    totals: FloatArray | None = None


class SurpriseMetric(NeuralMetric):
    """exp of the mean surprise per token, or the mean surprise in bits per byte or character."""

    kind: ClassVar[str]
    higher_is_better: ClassVar[bool] = False
    unit: str
    bounds = (1.0, float("inf"))

    def set_unit(self, unit: str) -> None:
        """Take the unit in which scores are given."""
        self.unit = _options.one_of(self.name, "unit", unit, UNITS)
        self.bounds = (1.0 if self.unit == "token" else 0.0, float("inf"))

    @property
    @abc.abstractmethod
    def protocol(self) -> Mapping[str, Any]:
        """The options that say which tokens are scored after which others."""

    @abc.abstractmethod
    def surprises(self, room: LanguageModel, texts: Sequence[str], before: Sequence[str]) -> FloatArray:
        """(n, 2) Σ −ln p of each text and how many tokens were scored; ``before`` are the sources where they count, else empty."""

    @property
    def conditional(self) -> bool:
        """Whether a text is scored given its source."""
        return False

    @property
    def options(self) -> Mapping[str, Any]:
        return {"model": self.identity, "unit": self.unit, **self.protocol, "dtype": self.dtype}

    @property
    def by_blocks(self) -> bool:
        """No: a text goes through the model once, however far apart its outputs are, and what is in memory is bounded anyway."""
        return False

    def room(self) -> LanguageModel:
        """The model."""
        return language_model(self.name, self.kind, self.model, dtype=self.dtype, device=self.device)

    def count(self, batch: Batch) -> FloatArray:
        """(n, 4): Σ −ln p in nats, scored tokens, bytes of UTF-8 and characters; a row of NaN where no token was scored."""
        if not len(batch):
            return np.zeros((0, 4))
        key = (type(self).__name__, self.identity, self.dtype, *self.protocol.values())
        return batch.once(key, lambda: self._counted(batch))

    def _counted(self, batch: Batch) -> FloatArray:
        pairs, rows = self._distinct(batch)
        texts = [readable(batch.corpus.texts[text]) for text in pairs[:, 0]]
        before = [readable(batch.corpus.texts[text]) if text >= 0 else "" for text in pairs[:, 1]]
        counts = np.array([[len(text.encode()), len(text)] for text in texts], dtype=np.float64)
        found = np.concatenate([self.surprises(self.room(), texts, before), counts], axis=1)
        found[found[:, 1] == 0] = np.nan
        return found[rows]

    def _distinct(self, batch: Batch) -> tuple[IntArray, IntArray]:
        """(m, 2) the different pairs of output and source, −1 for none, and (n,) which of them each row is."""
        sources = batch.sources if self.conditional and batch.sources is not None else np.full(len(batch), -1)
        pairs, rows = np.unique(np.stack([batch.outputs, sources], axis=1), axis=0, return_inverse=True)
        return pairs, rows.reshape(-1)

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        """exp(nats / tokens), or nats / ln 2 by bytes or characters."""
        per = ratio(statistics[..., 0], statistics[..., 1 + UNITS.index(self.unit)])
        return np.exp(per) if self.unit == "token" else per / math.log(2)

    def score(
        self,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> PerplexityScores:
        """As `Metric.score`; what comes out also says what was scored, for `compare_perplexities`."""
        found = super().score(outputs, references, sources)
        scored = [[readable(text) for text in texts or ()] for texts in (outputs, sources if self.conditional else ())]
        defined = found.statistics[~np.isnan(found.statistics).any(axis=-1)]
        return PerplexityScores(
            found.items,
            found.system,
            found.statistics,
            found.signature,
            metric=self.name,
            unit=self.unit,
            protocol=", ".join(f"{option}={value}" for option, value in self.in_force(found).items()),
            texts=_digest(scored),
            pieces=_digest([self._pieces(scored[0]), found.statistics[:, 1].tolist()]),
            totals=defined.sum(axis=0) if len(defined) else np.zeros(4),
        )

    def in_force(self, found: Scores) -> Mapping[str, Any]:
        """The protocol as it came out for these texts under this model."""
        return self.protocol

    def _pieces(self, texts: Sequence[str]) -> list[list[str]]:
        room = self.room() if texts else None
        return [room.tokenizer.convert_ids_to_tokens(row) for row in room.ids(texts)] if room else []

    def notes(self, batch: Batch) -> list[Fact]:
        """What the numbers can be compared with, and how many outputs have no scored token."""
        if not len(batch):
            return []
        n_without = int(np.isnan(self.count(batch)[:, 0]).sum())
        facts = [Fact("compare-perplexities", len(batch), f"{self.name}: {self._comparable()}")]
        if n_without:
            text = f"{self.name}: {plural(n_without, 'output')} of {len(batch):,} without a scored token, and so without a score; {self.why_none}"
            facts.append(Fact("no-scored-token", n_without, text, "warning"))
        return facts

    why_none: str = "an empty text has none"

    def _comparable(self) -> str:
        if self.unit != "token":
            return f"bits per {self.unit} can be compared between models that score the same texts, whatever their tokenizers"
        return (
            "values can be compared only where the same texts are cut into the same tokens and scored after the same context: not between "
            "models with different tokenizers; unit=byte can"
        )


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
