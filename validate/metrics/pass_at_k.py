"""Chance that one of k samples passes the tests of its problem."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from validate.errors import AccordError, listed, plural
from validate.metrics import _json, _options
from validate.metrics._mean import MeanMetric
from validate.metrics._registry import register
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

PASSED = frozenset({"1", "true", "pass", "passed"})
FAILED = frozenset({"0", "false", "fail", "failed"})
ALLOWED = "a JSON list or words (separated by blanks or commas) out of pass, passed, true, 1 and fail, failed, false, 0"


class PassAtK(MeanMetric):
    """Unbiased estimate of the chance that at least one of k samples of a problem passes its tests; the mean over problems.

    An output is the record of one problem: which of its n samples passed, ``[true, false, true]`` or ``pass fail pass``. Nothing is
    executed here. References are not looked at.

    Parameters
    ----------
    k : int
        A problem with fewer than k samples is undefined, and a note counts them.

    Raises
    ------
    AccordError
        When an output is no such record.

    Notes
    -----
    With c of n samples passed: 1 − C(n − c, k) / C(n, k); the paper's code takes it as a product of floats, which differs in the last
    digits. CodeBLEU, which needs a parser for each programming language, is not
    among accord's metrics; its scores can be brought along in a study's metrics file.

    References
    ----------
    Chen et al. (2021), doi:10.48550/arXiv.2107.03374, equation 1.

    Examples
    --------
    One of three samples passed; of the three pairs of samples two hold it.

    >>> PassAtK(k=2).score(["[false, true, false]"]).items.round(4).tolist()
    [0.6667]
    """

    needs: ClassVar[tuple[str, ...]] = ()
    source = "Chen et al. 2021, doi:10.48550/arXiv.2107.03374, equation 1"
    summary = "chance that one of k samples passes"

    def __init__(self, *, name: str = "pass_at_k", k: int = 1) -> None:
        self.name = name
        self.k = _options.whole(name, "k", k, 1)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"k": self.k}

    def item_scores(self, batch: Batch) -> FloatArray:
        records = self._records(batch)
        return np.array([pass_at_k(*records[text], self.k) for text in batch.outputs.tolist()], dtype=np.float64)

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many problems have fewer than k samples."""
        records = self._records(batch)
        short = sum(records[text][0] < self.k for text in batch.outputs.tolist())
        if not short:
            return []
        text = f"{self.name}: {plural(short, 'problem')} with fewer than k={self.k} samples: undefined"
        return [Fact("too-few-samples", short, text, "warning")]

    def _records(self, batch: Batch) -> dict[int, tuple[int, int]]:
        """How many samples there are and how many passed, by the id of the output."""
        records: dict[int, tuple[int, int]] = batch.once("recorded samples", lambda: self._read(batch))
        return records

    def _read(self, batch: Batch) -> dict[int, tuple[int, int]]:
        outcomes = {text: _outcomes(batch.corpus.texts[text]) for text in np.unique(batch.outputs).tolist()}
        broken = [row for row, text in enumerate(batch.outputs.tolist()) if None in outcomes[text]]
        if broken:
            texts = [batch.corpus.texts[batch.outputs[row]][:60] for row in broken]
            raise AccordError(
                f"{self.name}: {plural(len(broken), 'output')} that no record of samples can be read from (rows {listed(broken)}: {listed(texts)}); "
                f"{ALLOWED} are allowed; write which samples of the problem passed"
            )
        return {text: (len(found), found.count(True)) for text, found in outcomes.items()}


@lru_cache(maxsize=4096)
def pass_at_k(n: int, c: int, k: int) -> float:
    """1 − C(n − c, k) / C(n, k) in whole numbers, divided once, so that it is right to the last bit; NaN where n < k.

    >>> pass_at_k(5, 2, 1)
    0.4
    """
    if n < k:
        return float("nan")
    draws = math.comb(n, k)
    return (draws - math.comb(n - c, k)) / draws


def _outcomes(text: str) -> list[bool | None]:
    """Whether each sample passed, None for what is no outcome."""
    value = _json.read(text)
    if isinstance(value, list):
        return [_outcome(one) for one in value]
    return [_outcome(word) for word in text.replace(",", " ").split()]


def _outcome(one: object) -> bool | None:
    word = str(one).strip().lower() if isinstance(one, str | int) else ""  # true and false are int
    return True if word in PASSED else False if word in FAILED else None


register("pass_at_k", PassAtK, default=False)
