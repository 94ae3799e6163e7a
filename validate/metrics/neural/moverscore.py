"""MoverScore: what it costs to carry the meaning of one text over to the other, token by token."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.metrics._registry import register
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._encoder import Encoder
from validate.metrics.neural._token_metric import Rarity, Side, TokenMetric
from validate.metrics.neural._tokens import Tokens
from validate.metrics.neural._torch import needed
from validate.schema import FloatArray, IntArray
from validate.text.corpus import Batch

VARIANTS = ("plain", "github", "pypi")
SEVERAL = ("max", "mean")
_MOST_STEPS = 10_000_000  # of the solver; its own limit is met by long texts


class MoverScore(MeanMetric, TokenMetric):
    """Earth mover's distance d between the contextual embeddings of two texts, as 1 / (1 + d); 0 to 1.

    Each text is a heap of one unit in all, divided over its tokens by their weights. Carrying w of it from one token to another costs w
    times the Euclidean distance of their embeddings, scaled to length 1; d is the least that carries all. It is solved exactly.

    Parameters
    ----------
    model : str
        A name on the hub, or a folder as save_pretrained writes it.
    layer : int, optional
        Whose output the embeddings are; by default the last.
    variant : {"plain", "github", "pypi"}
        "plain": all tokens of a text count, special ones do not. "github": as the authors' program moverscore_v2 has it: continued
        word pieces (##) and ASCII punctuation do not count, [CLS] and [SEP] do, and weights come from ``idf``. "pypi": the same
        with 1 - d, which the release 1.0.3 has; -1 to 1.
    idf : bool, optional
        Weigh tokens by log((N + 1) / (df + 1)): those of references over the references of the collection (see `fit`), those of outputs
        in "plain" by the same, in the published variants over all outputs that are scored together, so that a score depends on
        its neighbours. By default no in "plain" and yes in the published variants.
    multi_reference : {"max", "mean"}
        Of several references the best counts, or their mean.
    windows : bool
        Read a text that is longer than the model in windows that overlap by half; else what is too long is not seen, and that is said.
    dtype : {"float32", "bfloat16", "float16"}
    device : str
        "auto" is CUDA where there is one.
    budget : int
        Tokens that the model takes at a time.
    cache : bool
        Keep embeddings in the user's cache folder, at most 4 GB of them (see ``validate.metrics.neural._cache``).

    Notes
    -----
    A text without tokens that count scores 0. Where idf gives all of them the weight 0, the score is undefined; the published program
    gives 1 there. Its options for n-grams and subwords do nothing, so that there are only unigrams here as well.

    References
    ----------
    Zhao et al. (2019), doi:10.18653/v1/D19-1053, equation 1 with n = 1.
    """

    bounds = (0.0, 1.0)
    source = "Zhao et al. 2019, doi:10.18653/v1/D19-1053"
    summary = "cost of carrying one text's contextual embeddings over to the other's"
    empty_policy = "a pair with such a text scores 0"

    def __init__(
        self,
        *,
        name: str = "moverscore",
        model: str = "distilbert-base-uncased",
        layer: int | None = None,
        variant: str = "plain",
        idf: bool | None = None,
        multi_reference: str = "max",
        windows: bool = False,
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
        cache: bool = True,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        self.variant = _options.one_of(name, "variant", variant, VARIANTS)
        self.published = self.variant != "plain"
        self.set_encoder(layer=layer, idf=self.published if idf is None else idf, windows=windows, cache=cache)
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, SEVERAL)
        if self.variant == "pypi":
            self.bounds = (-1.0, 1.0)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "model": self.identity,
            "layer": "last" if self.layer is None else self.layer,
            "variant": self.variant,
            "idf": self.idf,
            "multi_reference": self.multi_reference,
            "windows": self.windows,
            "dtype": self.dtype,
        }

    def item_scores(self, batch: Batch) -> FloatArray:
        scores = self.pairs(batch)
        if self.multi_reference == "mean":
            return mean_of_pairs(batch, scores)
        return chosen(scores, best_pair(batch, np.where(np.isnan(scores), -np.inf, scores)))

    def pairs(self, batch: Batch) -> FloatArray:
        """(m,) score of every pair; NaN where all weights of a text that has tokens are 0."""
        needed(self.name, "ot")
        result = np.full(len(batch.references), np.nan)
        for rows, side, here in self.grouped(batch):
            for row in rows.tolist():
                pairs = range(batch.reference_offsets[row], batch.reference_offsets[row + 1])
                output = _heap(side, here[batch.outputs[row]], 0)
                for pair in pairs:
                    reference = _heap(side, here[batch.references[pair]], 1)
                    result[pair] = self._score(output, reference)
        return result

    def weigher(self, batch: Batch, room: Encoder) -> Callable[[Tokens], FloatArray]:
        """(n_tokens, 2) weight of each token in an output and in a reference; NaN where it does not count."""
        uncounted = _uncounted(room) if self.published else np.zeros(0, dtype=np.int64)
        rarities = [self.rarity(batch), self._of_outputs(batch) if self.idf and self.published else None]
        of_reference, of_output = rarities[0], rarities[1] or rarities[0]

        def weigh(tokens: Tokens) -> FloatArray:
            sides = [
                np.ones(len(tokens.ids)) if side is None else side(tokens.ids) for side in (of_output, of_reference)
            ]
            weights = np.stack(sides, axis=1)
            weights[np.isin(tokens.ids, uncounted) if self.published else tokens.special] = np.nan
            return weights

        return weigh

    def _of_outputs(self, batch: Batch) -> Rarity:
        read = self.read(batch)
        return Rarity.of(read.tokens, read.place[batch.outputs])

    def _score(self, output: Heap, reference: Heap) -> float:
        if not len(output.weights) or not len(reference.weights):
            return 0.0
        distance = mover_distance(*output, *reference)
        return 1 - distance if self.variant == "pypi" else 1 / (1 + distance)


class Heap(NamedTuple):
    """The tokens of a text that count: unit vectors (n, dim) and weights (n,)."""

    vectors: FloatArray
    weights: FloatArray


def mover_distance(
    vectors: FloatArray, weights: FloatArray, other_vectors: FloatArray, other_weights: FloatArray
) -> float:
    """The least cost of carrying one heap over to the other; NaN where one of them weighs nothing.

    Parameters
    ----------
    vectors, other_vectors : (n, dim), (m, dim) float64
    weights, other_weights : (n,), (m,) float64
        Not below 0; each side is divided by its sum.

    Examples
    --------
    Two tokens stay where they are, of two others a half has to go over a distance of 1.

    >>> at = np.array([[0.0], [1.0]])
    >>> mover_distance(at, np.ones(2), at, np.array([1.0, 0.0]))
    0.5
    """
    from scipy.spatial.distance import cdist

    if not weights.sum() or not other_weights.sum():
        return float("nan")
    # Differences are squared here, not put together from products, which would leave 1e-4 between equal vectors.
    cost = cdist(vectors, other_vectors)
    here, there = weights / weights.sum(), other_weights / other_weights.sum()
    return float(import_module("ot").emd2(here, there, cost, numItermax=_MOST_STEPS))


def _heap(side: Side, text: int, column: int) -> Heap:
    at = slice(side.offsets[text], side.offsets[text + 1])
    weights = side.weights[at, column]
    counts = ~np.isnan(weights)
    return Heap(side.vectors[at][counts].astype(np.float64), weights[counts])


def _uncounted(room: Encoder) -> IntArray:
    """Ids of the tokens that the published program sets to zero."""
    return np.array(
        [
            token
            for piece, token in room.tokenizer.get_vocab().items()
            if "##" in piece or piece in set(string.punctuation)
        ],
        dtype=np.int64,
    )


register("moverscore", MoverScore, default=False)
