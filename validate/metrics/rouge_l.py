"""ROUGE-L and ROUGE-Lsum: words in common in the same order, over the whole text or sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.metrics import _options
from validate.metrics._metric import Metric
from validate.metrics._registry import Reference, register
from validate.metrics._rouge import Rouge, rouge_score
from validate.schema import Fact, FloatArray, IntArray
from validate.text import alignment, sentences, tokenizers
from validate.text.corpus import Batch


class RougeL(Rouge):
    """Longest common subsequence of words by the words of the output, of the reference, and F; options as in `Rouge`.

    Line breaks are blanks like others.

    References
    ----------
    Lin (2004), section 3.1. https://aclanthology.org/W04-1013. F with β = 1, as rouge-score has it.

    Examples
    --------
    ``a c`` is common to both, out of three and two words: P = 2/3, R = 1.

    >>> RougeL(name="rougeL").score(["a b c"], [["a c"]]).system
    0.8
    """

    summary = "longest common subsequence of words"

    def hits(self, batch: Batch) -> IntArray:
        return alignment.lcs_lengths(batch, self._words)


class RougeLsum(Rouge):
    """The union of longest common subsequences over pairs of sentences, one sentence a line; options as in `Rouge` and one more.

    Without line breaks it equals ROUGE-L, which the notes on a batch say.

    Parameters
    ----------
    split : {"newline", "nupunkt", "nltk"}
        What ends a sentence: a line break and nothing else; or what nupunkt finds (extra ``sentences``, no data needed), or NLTK
        (its ``punkt_tab`` data needed), as rouge-score does with ``split_summaries=True``. Line breaks are blanks to the last two.

    References
    ----------
    Lin (2004), section 3.2. https://aclanthology.org/W04-1013. A word is a hit at most as often as both texts have it,
    as in ROUGE-1.5.5 and rouge-score.

    Examples
    --------
    Two lines in the other order: ROUGE-L 0.5, ROUGE-Lsum 1.

    >>> RougeLsum(name="rougeLsum").score(["c d\\na b"], [["a b\\nc d"]]).system
    1.0
    """

    summary = "longest common subsequences of words, line by line"

    def __init__(
        self,
        *,
        name: str,
        stem: bool = False,
        part: str = "f",
        multi_reference: str = "max",
        tokenizer: str = "rouge-score",
        split: str = "newline",
    ) -> None:
        super().__init__(name=name, stem=stem, part=part, multi_reference=multi_reference, tokenizer=tokenizer)
        self.split = _options.one_of(name, "split", split, sentences.SPLITTERS)
        self._lines = tokenizers.get(self.tokenizer, stem=stem, lines=True)
        if self.split != "newline":
            self._lines = sentences.BySentence(self._lines, self.split)

    @property
    def options(self) -> Mapping[str, Any]:
        return {**super().options, "split": self.split}

    def hits(self, batch: Batch) -> IntArray:
        return alignment.union_lcs_hits(batch, self._lines)

    def notes(self, batch: Batch) -> list[Fact]:
        if self.split != "newline":
            return super().notes(batch)
        used = np.union1d(batch.outputs, batch.references).tolist()
        whole = sum("\n" not in batch.corpus.texts[text].strip("\n") for text in used)
        found = super().notes(batch)
        if whole:
            text = f"{self.name}: {whole:,} of {len(used):,} texts have no line break and count as one sentence"
            found.append(Fact("no-line-breaks", whole, text))
        return found


def _line_by_line(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """rouge-score on texts with one sentence a line, by the metric's own splitter."""
    assert isinstance(metric, RougeLsum)
    lines = [[sentences.as_lines(text, metric.split) for text in row] for row in references]
    return rouge_score(metric, [sentences.as_lines(text, metric.split) for text in outputs], lines)


register("rougeL", RougeL, reference=Reference("rouge-score", rouge_score))
register(
    "rougeLsum",
    RougeLsum,
    reference=Reference(
        "rouge-score",
        _line_by_line,
        differs="under split='nupunkt' and 'nltk' rouge-score is given one sentence a line",
    ),
)
