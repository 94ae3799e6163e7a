"""Character error rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from validate.metrics import _options
from validate.metrics._error_rate import EditRate, jiwer_rates
from validate.metrics._registry import NoCounterpart, Reference, register

CHARACTERS = ("codepoint", "grapheme")


class Cer(EditRate):
    """Character edits by characters of the reference; a corpus pools both. Blanks at the ends of a text do not count.

    Parameters
    ----------
    unit : {"codepoint", "grapheme"}
        Code points, or what a reader takes for one character: a letter with its marks, an emoji with its modifiers.
    empty_reference : {"insertions", "nan", "error"}
        See `ErrorRate`.

    References
    ----------
    Levenshtein (1966); Morris, Maier and Green (2004), doi:10.21437/Interspeech.2004-668.

    Examples
    --------
    One digit of four is wrong.

    >>> Cer().score(["1230"], [["1280"]]).system
    0.25
    """

    source = "Levenshtein 1966; Morris, Maier and Green 2004, doi:10.21437/Interspeech.2004-668"
    summary = "character edits by characters of the reference"

    def __init__(self, *, name: str = "cer", unit: str = "codepoint", empty_reference: str = "insertions") -> None:
        super().__init__(name, _options.unit_tokenizer(name, unit, CHARACTERS, strip=True), empty_reference)
        self.unit = unit

    @property
    def options(self) -> Mapping[str, Any]:
        return {"unit": self.unit, "empty_reference": self.empty_reference}

    def _rate(self, references: Sequence[str], outputs: Sequence[str]) -> float:
        if self.unit == "grapheme":
            raise NoCounterpart("jiwer counts code points only")
        import jiwer

        return jiwer.cer(references, outputs)


register("cer", Cer, reference=Reference("jiwer", jiwer_rates, tolerance=0.0))
