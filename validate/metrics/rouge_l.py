"""ROUGE-L and ROUGE-Lsum: words in common in the same order, over the whole text or sentence by sentence."""

from __future__ import annotations

import numpy as np

from validate.metrics._registry import Reference, register
from validate.metrics._rouge import Rouge, rouge_score
from validate.schema import Fact, IntArray
from validate.text import alignment, tokenizers
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
    """The union of longest common subsequences over pairs of sentences, one sentence a line; options as in `Rouge`.

    Without line breaks it equals ROUGE-L, which the notes on a batch say.

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

    def hits(self, batch: Batch) -> IntArray:
        return alignment.union_lcs_hits(batch, tokenizers.get(self.tokenizer, stem=self.stem, lines=True))

    def notes(self, batch: Batch) -> list[Fact]:
        used = np.union1d(batch.outputs, batch.references).tolist()
        whole = sum("\n" not in batch.corpus.texts[text].strip("\n") for text in used)
        found = super().notes(batch)
        if whole:
            text = f"{self.name}: {whole:,} of {len(used):,} texts have no line break and count as one sentence"
            found.append(Fact("no-line-breaks", whole, text))
        return found


register("rougeL", RougeL, reference=Reference("rouge-score", rouge_score))
register("rougeLsum", RougeLsum, reference=Reference("rouge-score", rouge_score))
