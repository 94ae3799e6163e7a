"""Exact match of short answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import register
from validate.schema import FloatArray, IntArray
from validate.text.corpus import Batch
from validate.text.tokenizers import squad

NORMALIZATION = ("squad", "squad-original", "squad-v2", "none")
PUBLISHED = ("squad-original", "squad-v2")


class ExactMatch(MeanMetric):
    """1 where the output equals a reference, else 0.

    Parameters
    ----------
    normalization : {"squad", "squad-original", "squad-v2", "none"}
        "squad" compares without case, ASCII punctuation, articles and extra blanks; where that leaves nothing of a side, as
        of the answer ``A``, the texts are compared as they are. "squad-original" is the published script of version 1.1, under
        which ``A`` and ``the`` are equal. "squad-v2" is that of version 2.0, which also passes over a reference of which nothing is
        left where another has something left; a question that has no answer has the one reference ``""``. "none" compares
        texts as they are.

    References
    ----------
    Rajpurkar et al. (2016), doi:10.18653/v1/D16-1264, evaluation script 1.1; Rajpurkar, Jia and Liang (2018),
    doi:10.18653/v1/P18-2124, evaluation script 2.0.

    Examples
    --------
    >>> ExactMatch().score(["The Cat!", "the"], [["cat"], ["A"]]).items.tolist()
    [1.0, 0.0]
    """

    source = "Rajpurkar et al. 2016, doi:10.18653/v1/D16-1264"
    summary = "output equals a reference"

    def __init__(self, *, name: str = "exact_match", normalization: str = "squad") -> None:
        self.name = name
        self.normalization = _options.one_of(name, "normalization", normalization, NORMALIZATION)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"normalization": self.normalization}

    def item_scores(self, batch: Batch) -> FloatArray:
        outputs, references = batch.pairs
        equal = outputs == references  # texts of a corpus are distinct: equal ids, equal texts
        if self.normalization != "none":
            forms, empty = batch.once("squad forms", lambda: _forms(batch.corpus.texts))
            normal = forms[outputs] == forms[references]
            kept = ~(empty[outputs] | empty[references]) | (self.normalization in PUBLISHED)
            equal = np.where(kept, normal, equal)
        values = equal.astype(np.float64)
        if self.normalization == "squad-v2":
            values[passed_over(batch, empty)] = 0.0
        return chosen(values, best_pair(batch, values))


def passed_over(batch: Batch, empty: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m,) the references that are empty beside one that is not; ``empty`` (n_texts,) says which texts are.

    >>> batch = Batch.of(["x", "x"], [["a", ""], [""]])
    >>> passed_over(batch, np.array([text == "" for text in batch.corpus.texts])).tolist()
    [False, True, False]
    """
    rows = np.repeat(np.arange(len(batch)), batch.n_references)
    without = empty[batch.references]
    return without & np.isin(rows, rows[~without])


def _forms(texts: list[str]) -> tuple[IntArray, Any]:
    """(n_texts,) numbers that are equal where the normalised texts are, and whether nothing is left of a text."""
    ids: dict[str, int] = {"": 0}
    forms = np.array([ids.setdefault(squad.normalized(text), len(ids)) for text in texts], dtype=np.int64)
    return forms, forms == 0


register("exact_match", ExactMatch)
