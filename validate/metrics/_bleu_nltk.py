"""The seven smoothing methods of NLTK's BLEU, under NLTK's names and with its results.

They are those of Chen and Cherry (2014) as NLTK wrote them. Methods 5 and 7 exceed 1 for perfect texts, 5 and 7 look at
5-grams whatever the longest order, and orders whose precision is 0 after smoothing are left out of the mean. For a corpus
we pool the counts of all items; NLTK's methods 5, 6 and 7 take some of them from the last item only.

References
----------
Chen and Cherry (2014), A systematic comparison of smoothing techniques for sentence-level BLEU,
doi:10.3115/v1/W14-3346. NLTK 3.10, ``nltk.translate.bleu_score``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from validate.schema import FloatArray

EPSILON, K, ALPHA = 0.1, 5, 5  # NLTK's defaults
EXTRA_ORDER = 5  # the longest order that methods 5 and 7 look at

Counts = Sequence[float]
Method = Callable[[Counts, Counts, Counts, int, float], list[float]]


def scores(statistics: FloatArray, method: str, max_order: int) -> FloatArray:
    """(n,) scores, 0 to 100 and above, of rows [output length, reference length, matches…, n-grams…, texts too short…].

    Each of the last three has one number an order, for as many orders as were counted. NLTK takes a text that is too short
    for an order as one n-gram that does not match. NaN where method 6 has no trigram to go by.
    """
    return np.array([_score(row.tolist(), METHODS[method], max_order) for row in statistics], dtype=np.float64)


def _score(row: list[float], method: Method, max_order: int) -> float:
    here, there, counts = row[0], row[1], row[2:]
    width = len(counts) // 3
    matches, totals = counts[:width], counts[width : 2 * width]
    padded = [total + short for total, short in zip(totals, counts[2 * width :], strict=True)]
    if any(map(math.isnan, row)):
        return math.nan
    if matches[0] == 0:
        return 0.0
    penalty = 1.0 if here > there else math.exp(1 - there / here)
    precisions = method(matches, totals, padded, max_order, here)
    if any(map(math.isnan, precisions)):
        return math.nan
    return 100 * penalty * math.exp(math.fsum(math.log(p) / max_order for p in precisions if p > 0))


def _plain(matches: Counts, padded: Counts, max_order: int) -> list[float]:
    return [matches[n] / padded[n] for n in range(max_order)]


def _method1(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """A tenth of a match where there is none."""
    return [(matches[n] or EPSILON) / padded[n] for n in range(max_order)]


def _method2(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """One more match and one more n-gram, beyond the first order."""
    return [(matches[n] + (n > 0)) / (padded[n] + (n > 0)) for n in range(max_order)]


def _halved(matches: Counts, padded: Counts, max_order: int, share: float) -> list[float]:
    """Half a share of a match for the first order without any, a quarter for the second, and so on."""
    precisions = _plain(matches, padded, max_order)
    for zeros, n in enumerate([n for n in range(max_order) if matches[n] == 0], start=1):
        precisions[n] = share / 2**zeros / padded[n]
    return precisions


def _method3(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """Halves of a match."""
    return _halved(matches, padded, max_order, 1.0)


def _method4(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """Halves of a share that grows with the logarithm of the length; nothing for a single word."""
    return _halved(matches, padded, max_order, math.log(length) / K)


def _neighbours(precisions: list[float], matches: Counts, padded: Counts) -> list[float]:
    """The mean of the order below (already averaged; 1 more than the first for the first), the order and the one above."""
    above = [*precisions[1:], matches[EXTRA_ORDER - 1] / padded[EXTRA_ORDER - 1]]
    averaged, below = [], precisions[0] + 1
    for here, after in zip(precisions, above, strict=True):
        below = (below + here + after) / 3
        averaged.append(below)
    return averaged


def _method5(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """Averages over neighbouring orders."""
    return _neighbours(_plain(matches, padded, max_order), matches, padded)


def _method6(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """From the third order on, five more n-grams, of which as many match as the two orders below let expect."""
    precisions = _plain(matches, padded, max_order)
    if precisions[2] == 0:
        return [math.nan]
    for n in range(2, max_order):
        expected = precisions[n - 1] ** 2 / precisions[n - 2] if precisions[n - 2] else 0.0
        precisions[n] = (matches[n] + ALPHA * expected) / (totals[n] + ALPHA)
    return precisions


def _method7(matches: Counts, totals: Counts, padded: Counts, max_order: int, length: float) -> list[float]:
    """Method 4, then method 5."""
    return _neighbours(_method4(matches, totals, padded, max_order, length), matches, padded)


METHODS: dict[str, Method] = {
    "nltk1": _method1,
    "nltk2": _method2,
    "nltk3": _method3,
    "nltk4": _method4,
    "nltk5": _method5,
    "nltk6": _method6,
    "nltk7": _method7,
}
