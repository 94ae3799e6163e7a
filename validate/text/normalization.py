"""What is done to every text of a study before any metric sees it: one Unicode form, one case. Nothing, unless the study says so.

"é" as one code point and as "e" with an accent are different to every reference library, so that a metric that agrees with its library
punishes a system for the form in which it writes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from validate.errors import unknown_name

FORMS = ("none", "NFC", "NFD", "NFKC", "NFKD")
CASINGS: dict[str, Callable[[str], str]] = {"none": str, "lower": str.lower, "fold": str.casefold}


@dataclass(frozen=True, slots=True)
class Normalization:
    """A Unicode form and a casing for all texts of a study.

    Parameters
    ----------
    form : {"none", "NFC", "NFD", "NFKC", "NFKD"}
        The Unicode normalization form (Unicode Standard Annex 15).
    casing : {"none", "lower", "fold"}
        ``fold`` is Unicode's full case folding, under which "ß" is "ss". The form is applied again after it, since folding can leave it.

    Raises
    ------
    OptionError
        For unknown names.

    Examples
    --------
    >>> Normalization("NFC", "lower")("E\\u0301") == "\\u00e9"
    True
    >>> Normalization().of_all(["É"])
    ['É']
    """

    form: str = "none"
    casing: str = "none"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise unknown_name("normalization", "Unicode form", self.form, FORMS)
        if self.casing not in CASINGS:
            raise unknown_name("casing", "casing", self.casing, CASINGS)

    def __bool__(self) -> bool:
        """Whether anything is done at all."""
        return (self.form, self.casing) != ("none", "none")

    def __call__(self, text: str) -> str:
        return self._formed(CASINGS[self.casing](self._formed(text)))

    def of_all(self, texts: Iterable[str]) -> list[str]:
        """All texts; the same text is worked on once."""
        if not self:
            return list(texts)
        done: dict[str, str] = {}
        return [done[text] if text in done else done.setdefault(text, self(text)) for text in texts]

    def signed(self, signature: str) -> str:
        """A metric's signature with what was done to the texts before; the signature as it is where that was nothing.

        >>> Normalization("NFC").signed("bleu|accord:1")
        'bleu|accord:1|normalization:NFC|casing:none'
        """
        return f"{signature}|normalization:{self.form}|casing:{self.casing}" if self else signature

    def _formed(self, text: str) -> str:
        return text if self.form == "none" else unicodedata.normalize(self.form, text)  # type: ignore[arg-type]
