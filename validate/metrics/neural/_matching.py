"""Greedy matching: for each token the greatest similarity to a token of the other text, averaged by weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validate.metrics._mean import ratio
from validate.metrics.neural._token_metric import Side
from validate.schema import FloatArray, IntArray


def best_matches(outputs: Side, references: Side) -> FloatArray:
    """(n_outputs, n_references, 3) precision, recall and F of each output with each reference.

    Tokens of weight 0 are still matched to; those of weight NaN are not there. A text without tokens has P = R = F = 0, as have texts
    whose P + R is 0 in F; NaN where all weights of a text are 0.
    """
    outputs, references = (side.masked(~np.isnan(side.weights)) for side in (outputs, references))
    scores = np.zeros((len(outputs.offsets) - 1, len(references.offsets) - 1, 3))
    here, there = (np.flatnonzero(np.diff(side.offsets) > 0) for side in (outputs, references))
    if len(here) and len(there):
        similarity = outputs.vectors @ references.vectors.T
        rows, columns = outputs.offsets[:-1][here], references.offsets[:-1][there]
        precision = _weighted(np.maximum.reduceat(similarity, columns, axis=1), outputs.weights, rows)
        recall = _weighted(np.maximum.reduceat(similarity, rows, axis=0).T, references.weights, columns).T
        scores[np.ix_(here, there)] = np.stack([precision, recall, f_of(precision, recall)], axis=-1)
    return scores


def f_of(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """2PR / (P + R), 0 where P + R is 0.

    >>> f_of(np.array([0.5, 0.0]), np.array([1.0, 0.0])).round(4).tolist()
    [0.6667, 0.0]
    """
    total = precision + recall
    f = np.zeros(total.shape)
    np.divide(2 * precision * recall, total, out=f, where=total != 0)
    return f


def _weighted(best: NDArray[np.float32], weights: FloatArray, starts: IntArray) -> FloatArray:
    """(n_texts, k) mean of the rows of (n_tokens, k) best similarities of each text, weighted by token."""
    total = np.add.reduceat(best * weights[:, None], starts, axis=0)
    return ratio(total, np.broadcast_to(np.add.reduceat(weights, starts)[:, None], total.shape))
