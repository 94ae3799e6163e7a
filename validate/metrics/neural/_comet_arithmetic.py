"""What COMET computes beside its encoder: shares of layers, layers brought to one scale, features of a pair or a triple of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.schema import FloatArray

Vectors = NDArray[np.float32]


def sparsemax(scores: FloatArray) -> FloatArray:
    """(n,) the probabilities nearest to the scores, many of them 0 (Martins and Astudillo 2016, arXiv:1602.02068, algorithm 1).

    Examples
    --------
    k is 2, τ = (1 + 0.5 − 1) / 2 = 0.25.

    >>> sparsemax(np.array([1.0, -1.0, 0.5])).tolist()
    [0.75, 0.0, 0.25]
    """
    ordered = np.sort(scores)[::-1]
    sums = np.cumsum(ordered)
    k = int(np.flatnonzero(1 + np.arange(1, len(scores) + 1) * ordered > sums)[-1]) + 1
    return np.maximum(scores - (sums[k - 1] - 1) / k, 0.0)


def softmax(scores: FloatArray) -> FloatArray:
    exponents = np.exp(scores - scores.max())
    return exponents / exponents.sum()


def normed(layer: Any, shown: Any) -> Any:
    """One scalar mean and variance for each text, over its tokens and all dimensions."""
    n = shown.sum(dim=(1, 2), keepdim=True) * layer.shape[-1]
    mean = (layer * shown).sum(dim=(1, 2), keepdim=True) / n
    variance = (((layer - mean) * shown) ** 2).sum(dim=(1, 2), keepdim=True) / n
    return (layer - mean) / (variance + 1e-12) ** 0.5


def features(output: Vectors | None, source: Vectors | None, reference: Vectors | None) -> Vectors:
    """(m, 6 dim) [o, r, o·r, |o − r|, o·s, |o − s|], or (m, 4 dim) [o, s, o·s, |o − s|] without references."""
    assert output is not None
    assert source is not None
    of_source = [output * source, abs(output - source)]
    if reference is None:
        return np.concatenate([output, source, *of_source], axis=1)
    return np.concatenate([output, reference, output * reference, abs(output - reference), *of_source], axis=1)
