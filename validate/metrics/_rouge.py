"""What the metrics of the ROUGE family share: hits over lengths, and what to do with several references."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import Metric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.schema import Fact, FloatArray, IntArray
from validate.text import tokenizers
from validate.text.corpus import Batch

PARTS = ("f", "p", "r")
MULTI_REFERENCE = ("max", "mean", "jackknife")
TOKENIZERS = ("rouge-score", "unicode")


class Rouge(MeanMetric):
    """Hits by the length of the output (precision), of the reference (recall), and their F; 0 to 1.

    Parameters
    ----------
    stem : bool
        Porter-stem words of more than three letters.
    part : {"f", "p", "r"}
    multi_reference : {"max", "mean", "jackknife"}
        "max": the reference with the best F; whichever part is asked for is taken from that one, as rouge-score does.
        "mean": over the references. "jackknife": the mean of "max" over the sets that leave out one reference (Lin 2004,
        section 2.1), so that people, scored against one reference less, can be compared.
    tokenizer : {"rouge-score", "unicode"}
        "rouge-score" knows ASCII letters and digits only, so that a text in another script scores 0; "unicode" cuts any
        script.
    """

    source = "Lin 2004, https://aclanthology.org/W04-1013"
    checked_against = "rouge-score"

    def __init__(
        self,
        *,
        name: str,
        stem: bool = False,
        part: str = "f",
        multi_reference: str = "max",
        tokenizer: str = "rouge-score",
    ) -> None:
        self.name = name
        self.stem = _options.yes_or_no(name, "stem", stem)
        self.part = _options.one_of(name, "part", part, PARTS)
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, MULTI_REFERENCE)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self._words = tokenizers.get(self.tokenizer, stem=stem)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "stem": self.stem,
            "part": self.part,
            "multi_reference": self.multi_reference,
            "tokenizer": self.tokenizer,
        }

    @abc.abstractmethod
    def hits(self, batch: Batch) -> IntArray:
        """(m,) hits of every pair."""

    def units(self, lengths: IntArray) -> IntArray:
        """What hits are divided by, for texts of these numbers of words."""
        return lengths

    def item_scores(self, batch: Batch) -> FloatArray:
        outputs, references = batch.pairs
        units = self.units(batch.corpus.encode(self._words).lengths)
        parts = precision_recall_f(self.hits(batch), units[outputs], units[references])
        return combined(batch, parts["f"], parts[self.part], self.multi_reference)

    def notes(self, batch: Batch) -> list[Fact]:
        """Warns of texts that hold letters or digits and yet have no tokens: they score 0 whatever they say."""
        lengths = batch.corpus.encode(self._words).lengths
        used = np.union1d(batch.outputs, batch.references)
        lost = [text for text in used[lengths[used] == 0].tolist() if any(map(str.isalnum, batch.corpus.texts[text]))]
        if not lost:
            return []
        text = (
            f"{self.name}: {len(lost):,} of {len(used):,} texts hold letters or digits but have no tokens under the "
            f"tokenizer {self.tokenizer!r}, so that they score 0; use tokenizer='unicode' for scripts other than Latin"
        )
        return [Fact("no-tokens", len(lost), text, "warning")]


def precision_recall_f(hits: IntArray, here: IntArray, there: IntArray) -> dict[str, FloatArray]:
    """``p``, ``r`` and ``f`` of hits over lengths; 0 where a text has no units. In rouge-score's order of operations."""
    precision, recall = hits / np.maximum(here, 1), hits / np.maximum(there, 1)
    f = np.zeros(len(hits))
    np.divide(2 * precision * recall, precision + recall, out=f, where=precision + recall > 0)
    return {"p": precision, "r": recall, "f": f}


def combined(batch: Batch, f: FloatArray, part: FloatArray, multi_reference: str) -> FloatArray:
    """(n,) one score an item out of the (m,) scores of its pairs, NaN without references."""
    if multi_reference == "mean":
        return mean_of_pairs(batch, part)
    best = best_pair(batch, f)
    highest = chosen(part, best)
    if multi_reference == "max" or not (batch.n_references > 1).any():
        return highest
    # The best one is in every set but one, where the second takes its place: ((M - 1) · best + second) / M.
    without_best = f.copy()
    without_best[best[best >= 0]] = -np.inf
    second = chosen(part, best_pair(batch, without_best))
    n = batch.n_references
    return np.where(n > 1, ((n - 1) * highest + second) / np.maximum(n, 1), highest)


class _OurTokens:
    """Our tokenizer in the form in which rouge-score takes one, so that the counting alone is compared."""

    def __init__(self, name: str, stem: bool) -> None:
        self.tokenize = tokenizers.get(name, stem=stem)


def rouge_score(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item scores and their mean by the library rouge-score, under the metric's options."""
    assert isinstance(metric, Rouge)
    from rouge_score.rouge_scorer import RougeScorer

    own = None if metric.tokenizer == "rouge-score" else _OurTokens(metric.tokenizer, metric.stem)
    scorer = RougeScorer([metric.name], use_stemmer=metric.stem, tokenizer=own)
    items = []
    for output, row in zip(outputs, references, strict=True):
        pairs = [scorer.score(reference, output)[metric.name] for reference in row]
        items.append(_reduced(pairs, {"f": 2, "p": 0, "r": 1}[metric.part], metric.multi_reference))
    return np.array(items), float(np.mean(items))


def _reduced(pairs: list[Any], part: int, multi_reference: str) -> float:
    """One number out of rouge-score's results (precision, recall, F) for the references of an item."""
    if multi_reference == "mean":
        return sum(pair[part] for pair in pairs) / len(pairs)
    if multi_reference == "max" or len(pairs) == 1:
        return max(pairs, key=lambda pair: pair[2])[part]
    sets = [pairs[:left_out] + pairs[left_out + 1 :] for left_out in range(len(pairs))]
    return sum(_reduced(kept, part, "max") for kept in sets) / len(sets)
