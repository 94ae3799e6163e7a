"""METEOR 1.5: words, stems, synonyms and paraphrases in common, with the weights that were tuned to rank translations into English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from validate.metrics import _meteor15_files as files
from validate.metrics import _options
from validate.metrics._meteor15_align import Match, align
from validate.metrics._meteor15_words import words
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import Reference, register
from validate.schema import FloatArray
from validate.text.corpus import Batch
from validate.text.tokenizers import BySplit

STAGE_WEIGHTS = (1.0, 0.6, 0.8, 0.6)  # equal words, stems, synonyms, paraphrases
N_STATISTICS = 23


class Meteor15(Metric):
    """The METEOR of the jar of 2014 for English, whose corpus score comes from added counts; 0 to 1.

    Precision and recall count matched words by kind (equal 1, stem 0.6, synonym 0.8, paraphrase 0.6), content words δ and function
    words 1 - δ. F = 1 / ((1 - α)/P + α/R), times 1 - γ (chunks / matches)^β; identical texts score 1. Texts are cut by the jar's
    own rules (``-norm``) and lowercased. Of several references the one with the best score counts.

    Parameters
    ----------
    alpha, beta, gamma, delta : float
        By default those of the jar for English.
    jar : str, optional
        The user's ``meteor-1.5.jar`` with ``data/paraphrase-en.gz`` beside it, out of which function words, synonyms and
        paraphrases are read; by default those inside the package pycocoevalcap. Java is not needed.

    Raises
    ------
    MissingExtraError
        Where there is no jar.

    Notes
    -----
    The jar's search sees weak matches (all but equal words) as half words and drops halves, so that it leaves a weak match of one
    word out where it would be a chunk by itself: "automobile" for "car" scores 0. This is kept.

    The table of paraphrases takes some four seconds and 350 MB once a process. The alignment is the jar's, beam search and all,
    because its scores hang on what its beam finds.

    References
    ----------
    Denkowski and Lavie (2014), Meteor Universal, doi:10.3115/v1/W14-3348, section 2.
    """

    bounds = (0.0, 1.0)
    source = "Denkowski and Lavie 2014, doi:10.3115/v1/W14-3348"
    checked_against = "pycocoevalcap"
    summary = "METEOR by the jar of 2014: words, stems, synonyms, paraphrases; counts added up over a corpus"

    def __init__(
        self,
        *,
        name: str = "meteor-1.5",
        alpha: float = 0.85,
        beta: float = 0.2,
        gamma: float = 0.6,
        delta: float = 0.75,
        jar: str | None = None,
    ) -> None:
        self.name = name
        self.alpha = _options.number(name, "alpha", alpha, 0)
        self.beta = _options.number(name, "beta", beta, 0)
        self.gamma = _options.number(name, "gamma", gamma, 0)
        self.delta = _options.number(name, "delta", delta, 0)
        self.jar = jar
        self._jar = files.find_jar(name, jar)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"alpha": self.alpha, "beta": self.beta, "gamma": self.gamma, "delta": self.delta, "jar": self.jar}

    def count(self, batch: Batch) -> FloatArray:
        """(n, 23): lengths, function words, matched words by stage and kind of both texts, chunks, matched words of both texts."""
        counts = batch.once(("meteor-1.5", self._jar), lambda: self._counts(batch))
        return chosen(counts, best_pair(batch, self.divide(counts)))

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        delta, statistics = self.delta, np.asarray(statistics, dtype=np.float64)
        lengths, function_words = statistics[..., 0:2], statistics[..., 2:4]
        weighted = delta * (lengths - function_words) + (1.0 - delta) * function_words
        stages = statistics[..., 4:20].reshape(
            *statistics.shape[:-1], 4, 2, 2
        )  # stage, content or function, output or reference
        matched = np.zeros_like(weighted)
        for kind, share in enumerate((delta, 1.0 - delta)):
            for stage, weight in enumerate(STAGE_WEIGHTS):
                matched = matched + stages[..., stage, kind, :] * weight * share
        some: Any = (matched > 0).all(axis=-1)
        rates = matched / np.where(weighted > 0, weighted, 1.0)
        precision, recall = np.where(some, rates[..., 0], 1.0), np.where(some, rates[..., 1], 1.0)
        f = 1.0 / ((1.0 - self.alpha) / precision + self.alpha / recall)
        halves = np.where(some, statistics[..., 21] + statistics[..., 22], 1.0) / 2
        score = f * (1.0 - self.gamma * np.power(np.where(some, statistics[..., 20], 0.0) / halves, self.beta))
        undefined = np.isnan(statistics).any(axis=-1)
        return np.where(undefined, np.nan, np.where(some, np.maximum(score, 0.0), 0.0))

    def _counts(self, batch: Batch) -> FloatArray:
        """(m, 23) counts of every pair."""
        split = partial(words, prefixes=files.lists(self._jar).prefixes)
        encoded = batch.corpus.encode(BySplit(f"meteor-1.5|{self._jar}", split))
        outputs, references = batch.pairs
        counts = [
            _pair(self._jar, tuple(encoded.words(output)), tuple(encoded.words(reference)))
            for output, reference in zip(outputs.tolist(), references.tolist(), strict=True)
        ]
        return np.array(counts, dtype=np.float64).reshape(-1, N_STATISTICS)


@lru_cache(maxsize=2**14)
def _pair(jar: Path, output: tuple[str, ...], reference: tuple[str, ...]) -> tuple[int, ...]:
    """The counts of one pair; identical texts have no chunks, as the jar adds them up."""
    lists = files.lists(jar)
    matches = align(list(output), list(reference), lists, files.paraphrases(jar))
    own, other = ([word in lists.function_words for word in text] for text in (output, reference))
    stages = np.zeros((4, 2, 2), dtype=np.int64)
    for match in matches:
        for is_function in own[match.there : match.there + match.there_length]:
            stages[match.stage, int(is_function), 0] += 1
        for is_function in other[match.start : match.start + match.length]:
            stages[match.stage, int(is_function), 1] += 1
    matched = stages.sum(axis=(0, 1)).tolist()
    chunks = _chunks(matches)
    if matched == [len(output), len(reference)] and chunks == 1:
        chunks = 0
    return (len(output), len(reference), sum(own), sum(other), *stages.ravel().tolist(), chunks, *matched)


def _chunks(matches: list[Match]) -> int:
    """Runs of matches that stand side by side in both texts."""
    chunks, end, there = 0, -1, -1
    for match in matches:
        chunks += (match.start, match.there) != (end, there)
        end, there = match.start + match.length, match.there + match.there_length
    return chunks


def jar_scores(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """Item scores and the corpus score by the jar itself."""
    assert isinstance(metric, Meteor15)
    from validate.metrics import _meteor15_java

    parameters = (metric.alpha, metric.beta, metric.gamma, metric.delta)
    alpha_to_delta, weights = (
        " ".join(repr(float(value)) for value in values) for values in (parameters, STAGE_WEIGHTS)
    )
    return _meteor15_java.scores(metric._jar, alpha_to_delta, weights, outputs, references)


register("meteor-1.5", Meteor15, reference=Reference("pycocoevalcap", jar_scores), default=False)
