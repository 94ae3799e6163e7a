"""Translation edit rate: edits by words of the reference, where moving a stretch of words is one edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.metrics import _options, _sacrebleu
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen, mean_of_pairs, streams
from validate.metrics._registry import Reference, register
from validate.schema import FloatArray
from validate.text import shifts, tokenizers
from validate.text.corpus import Batch


class Ter(Metric):
    """Fewest edits and shifts to any reference, by the mean length of the references; 0 and up, lower is better.

    A rate of 100 means as many edits as the references have words, and rates above it are right: there is no upper bound. A
    corpus adds up edits and mean lengths and divides once.

    Parameters
    ----------
    normalized : bool
        Part punctuation from words, as 13a does, undo four XML entities, and part the possessive 's.
    no_punct : bool
        Leave out ``. , ? : ; ! " ( )``, also within words and numbers.
    asian_support : bool
        With ``normalized``, ideographs stand alone; with ``no_punct``, East Asian marks are left out too. Else it does nothing.
    case_sensitive : bool
        False compares lowercased texts, as Tercom does.

    Notes
    -----
    Shifts are searched greedily, with the limits of Tercom and sacreBLEU: stretches of ten words, fifty places far, a thousand
    tried for one pair, edits counted in a band of fifty words. To find the fewest shifts is NP-hard (Shapira and Storer 2002), so
    the rate is that of this search and no other. Without words in any reference it is 100, or 0 where the output has none either.

    References
    ----------
    Snover et al. (2006), A study of translation edit rate with targeted human annotation, AMTA,
    https://aclanthology.org/2006.amta-papers.25; Post (2018), doi:10.18653/v1/W18-6319.

    Examples
    --------
    One word moved, of four; one word too many besides, of four and two words, which is three on average.

    >>> Ter().score(["d a b c"], [["a b c d"]]).system
    25.0
    >>> round(Ter().score(["d a b c e"], [["a b c d", "x y"]]).system, 2)
    66.67
    """

    higher_is_better = False
    bounds = (0.0, float("inf"))
    source = "Snover et al. 2006, https://aclanthology.org/2006.amta-papers.25"
    checked_against = "sacrebleu"
    summary = "word edits and shifts by words of the reference"

    def __init__(
        self,
        *,
        name: str = "ter",
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.normalized = _options.yes_or_no(name, "normalized", normalized)
        self.no_punct = _options.yes_or_no(name, "no_punct", no_punct)
        self.asian_support = _options.yes_or_no(name, "asian_support", asian_support)
        self.case_sensitive = _options.yes_or_no(name, "case_sensitive", case_sensitive)
        self._words = tokenizers.get("tercom", **self.options)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "normalized": self.normalized,
            "no_punct": self.no_punct,
            "asian_support": self.asian_support,
            "case_sensitive": self.case_sensitive,
        }

    def sacrebleu_signature(self, n_references: int | str | Sequence[Sequence[str]]) -> str:
        """The signature that sacreBLEU prints for this number.

        Parameters
        ----------
        n_references : int, "var", or list of list of str
            References per output, "var" where outputs have different numbers of them, or the references themselves.

        Examples
        --------
        >>> Ter(no_punct=True).sacrebleu_signature(1).removesuffix(_sacrebleu.version())
        'nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:'
        """
        fields = {
            "case": _sacrebleu.case(not self.case_sensitive),
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
        return _sacrebleu.signature(self.name, n_references, fields)

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2): fewest edits to a reference, and mean words of the references."""
        edits = shifts.shift_edits(batch, self._words)
        lengths = batch.corpus.encode(self._words).lengths[batch.references].astype(np.float64)
        return np.column_stack([chosen(edits, best_pair(batch, -edits)), mean_of_pairs(batch, lengths)])

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        edits, words = statistics[..., 0], statistics[..., 1]
        return 100 * np.where(words == 0, np.minimum(edits, 1.0), ratio(edits, words))


def _reference(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    from sacrebleu.metrics import TER

    scorer = TER(**metric.options)
    items = [scorer.sentence_score(output, row).score for output, row in zip(outputs, references, strict=True)]
    return np.array(items), scorer.corpus_score(outputs, streams(references)).score


register("ter", Ter, reference=Reference("sacrebleu", _reference, tolerance=0.0, pace=9_000))
