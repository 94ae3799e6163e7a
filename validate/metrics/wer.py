"""Word error rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from validate.metrics import _options
from validate.metrics._error_rate import TOKENIZERS, EditRate, jiwer_rates
from validate.metrics._registry import Reference, register
from validate.text import tokenizers


class Wer(EditRate):
    """Word edits by words of the reference; a corpus pools edits and words.

    Neither case nor punctuation is touched.

    Parameters
    ----------
    empty_reference : {"insertions", "nan", "error"}
        See `ErrorRate`.
    tokenizer : {"whitespace", "jiwer"}
        Under "jiwer" only spaces part words, so that a tab, a line feed or a no-break space does not.

    References
    ----------
    Levenshtein (1966); Morris, Maier and Green (2004), doi:10.21437/Interspeech.2004-668.

    Examples
    --------
    One substitution and one insertion on three words.

    >>> round(Wer().score(["a x c d"], [["a b c"]]).system, 4)
    0.6667
    """

    source = "Levenshtein 1966; Morris, Maier and Green 2004, doi:10.21437/Interspeech.2004-668"
    summary = "word edits by words of the reference"

    def __init__(
        self, *, name: str = "wer", empty_reference: str = "insertions", tokenizer: str = "whitespace"
    ) -> None:
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        super().__init__(name, tokenizers.get(self.tokenizer), empty_reference)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"empty_reference": self.empty_reference, "tokenizer": self.tokenizer}

    def _rate(self, references: Sequence[str], outputs: Sequence[str]) -> float:
        import jiwer

        if self.tokenizer == "whitespace":
            references, outputs = ([" ".join(text.split()) for text in texts] for texts in (references, outputs))
        return jiwer.wer(references, outputs)


register(
    "wer",
    Wer,
    reference=Reference(
        "jiwer",
        jiwer_rates,
        tolerance=0.0,
        differs="tabs, line feeds and no-break spaces separate words; jiwer is given texts with single spaces in their place, "
        "or splits by itself under tokenizer='jiwer'",
    ),
)
