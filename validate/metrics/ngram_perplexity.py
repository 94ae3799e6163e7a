"""Perplexity of outputs under a language model over n-grams."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from validate.errors import ShapeError, bad_value, plural
from validate.metrics import _options
from validate.metrics._collection import CollectionMetric
from validate.metrics._language_model import AddK, KneserNey, LanguageModel, Uniform
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._ngram_counts import Stream, Vocabulary
from validate.metrics._registry import NoCounterpart, Reference, register
from validate.schema import Fact, FloatArray, IntArray
from validate.text import tokenizers
from validate.text.corpus import Batch
from validate.text.encoded import Encoded

SMOOTHING = ("add-k", "kneser-ney", "uniform")


class NgramPerplexity(CollectionMetric):
    """exp of the mean surprise, −ln p, of an output's words under a model of the texts that `fit` was given; 1 to ∞, lower is better.

    A baseline for language models, and the plainest measure of how usual a text is. In a study the model is fitted on the references
    of all items; an output's own reference plays no other part.

    Parameters
    ----------
    order : int
        Words of an n-gram: a word is predicted from the ``order`` − 1 before it.
    smoothing : {"add-k", "kneser-ney", "uniform"}
        "add-k": (c(h w) + k) / (c(h) + k V). "kneser-ney": interpolated modified Kneser-Ney, whose unigrams are interpolated
        with 1 / V. "uniform": 1 / V, so that the perplexity is V.
    k : float, optional
        For "add-k", above 0; 1 (Laplace) by default.
    discount : float, optional
        For "kneser-ney": one discount, at most 1, for all counts, as Kneser and Ney have it; by default three for each length, estimated
        from the fitted texts.
    tokenizer : str
        Any of accord's; "whitespace" by default. Neither case nor punctuation is touched.
    min_count : int
        Words that the fitted texts have less often are ``<unk>`` there as well.

    Notes
    -----
    *Sentences.* A text is one sentence; its words and ``</s>`` are scored, so that an empty output has one scored token. ``<s>`` is
    context only.
    *Vocabulary.* V counts the words of the fitted texts, ``</s>`` and ``<unk>``; all words outside are ``<unk>``. In every context the
    probabilities of these V sum to 1, and V and the scored tokens are the same for all models over the same texts, so that their
    perplexities can be compared. Perplexities under different tokenizers or texts cannot.
    *Batches.* Statistics are Σ −ln p and the number of scored tokens: sums are divided once, means are never averaged.
    *Discounts* that the texts are too small for are 0.5, 1 and 1.5, as in KenLM with ``--discount_fallback``; a note says so.

    References
    ----------
    Chen and Goodman (1998), An empirical study of smoothing techniques for language modeling, TR-10-98, sections 2 and 3; Kneser
    and Ney (1995), doi:10.1109/ICASSP.1995.479394; Heafield et al. (2013), https://aclanthology.org/P13-2121.

    Examples
    --------
    Fitted on ``a a b``, V is 4: p(a) = 3/8, p(b) = p(</s>) = 2/8. Of ``a``: (8/3 · 8/2) to the power of 1/2.

    >>> metric = NgramPerplexity().fit([["a a b"]])
    >>> round(metric.score(["a"]).system, 4), round((8 / 3 * 8 / 2) ** 0.5, 4)
    (3.266, 3.266)
    >>> metric.vocabulary_size
    4
    """

    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    bounds = (1.0, float("inf"))
    source = "Chen and Goodman 1998, TR-10-98; Kneser and Ney 1995, doi:10.1109/ICASSP.1995.479394"
    checked_against = "nltk"
    summary = "surprise of the words under an n-gram model of the references"

    _model: LanguageModel | None = None

    def __init__(
        self,
        *,
        name: str = "ngram_perplexity",
        order: int = 1,
        smoothing: str = "add-k",
        k: float | None = None,
        discount: float | None = None,
        tokenizer: str = "whitespace",
        min_count: int = 1,
    ) -> None:
        self.name = name
        self.order = _options.whole(name, "order", order, 1, _options.LONGEST)
        self.smoothing = _options.one_of(name, "smoothing", smoothing, SMOOTHING)
        self.k = self._checked_k(k)
        self.discount = self._checked_discount(discount)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, tuple(tokenizers.TOKENIZERS))
        self._words = tokenizers.get(self.tokenizer)
        self.min_count = _options.whole(name, "min_count", min_count, 1)

    def _checked_k(self, k: float | None) -> float | None:
        if self.smoothing != "add-k":
            if k is not None:
                raise bad_value(self.name, "k", k, "only with smoothing='add-k'")
            return None
        k = _options.number(self.name, "k", 1 if k is None else k, 0)
        if k == 0:
            raise bad_value(self.name, "k", k, "a number above 0, so that no word is impossible")
        return k

    def _checked_discount(self, discount: float | None) -> float | None:
        if discount is None:
            return None
        if self.smoothing != "kneser-ney":
            raise bad_value(self.name, "discount", discount, "only with smoothing='kneser-ney'")
        discount = _options.number(self.name, "discount", discount, 0)
        if not 0 < discount <= 1:
            raise bad_value(self.name, "discount", discount, "a number above 0, 1 or less")
        return discount

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "order": self.order,
            "smoothing": self.smoothing,
            "k": self.k,
            "discount": self.discount,
            "tokenizer": self.tokenizer,
            "min_count": self.min_count,
        }

    def fit(self, references: Sequence[Sequence[str]]) -> Self:
        """The same metric with a model of these texts; see `CollectionMetric.fit`. Every reference of an item is a text."""
        fitted = super().fit(references)
        encoded = self._words.encode([text for row in fitted._collection or () for text in row])
        fitted._model = self._made(encoded, np.arange(len(encoded.offsets) - 1))
        return fitted

    @property
    def vocabulary_size(self) -> int:
        """V of the fitted model: words, ``</s>`` and ``<unk>``."""
        if self._model is None:
            raise ShapeError(
                f"{self.name}: nothing was fitted; a fitted metric has a vocabulary; call fit([[text], ...]) first"
            )
        return self._model.vocabulary.size

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2): Σ −ln p, and how many tokens were scored."""
        if not len(batch):
            return np.zeros((0, 2))
        texts, rows = np.unique(batch.outputs, return_inverse=True)
        encoded = batch.corpus.encode(self._words)
        surprise, n_tokens = self._model_of(batch).surprise(encoded, texts)
        return np.column_stack([surprise, n_tokens]).astype(np.float64)[rows]

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return np.exp(ratio(statistics[..., 0], statistics[..., 1]))

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many words of the outputs are unknown, and for which lengths discounts could not be estimated."""
        if not len(batch):
            return []
        model = self._model_of(batch)
        encoded = batch.corpus.encode(self._words)
        unknown = (model.vocabulary.numbers(encoded.types) == 0).astype(np.int64)
        before = np.concatenate([[0], np.cumsum(unknown[encoded.tokens])])
        n_unknown = int((before[encoded.offsets[1:]] - before[encoded.offsets[:-1]])[batch.outputs].sum())
        facts = []
        if n_unknown:
            of_all = int(encoded.lengths[batch.outputs].sum())
            text = f"{self.name}: {n_unknown:,} of {plural(of_all, 'word')} of the outputs are unknown to the model (<unk>)"
            facts.append(Fact("unknown-words", n_unknown, text))
        if isinstance(model, KneserNey) and model.fallen_back:
            lengths = ", ".join(map(str, model.fallen_back))
            text = f"{self.name}: the fitted texts are too few to estimate discounts for n-grams of {lengths}; 0.5, 1 and 1.5 are taken"
            facts.append(Fact("discounts-fallback", len(model.fallen_back), text))
        return facts

    def _model_of(self, batch: Batch) -> LanguageModel:
        """The fitted model, or one of the references of the batch."""
        if self._model is not None:
            return self._model
        if not len(batch.references):
            raise ShapeError(
                f"{self.name}: there is no text to fit a model on; references, or a fitted metric, are allowed; call fit([[text], ...]) first"
            )

        def make() -> LanguageModel:
            return self._made(batch.corpus.encode(self._words), batch.references)

        model: LanguageModel = batch.once(("language model", *self.options.values()), make)
        return model

    def _made(self, encoded: Encoded, texts: IntArray) -> LanguageModel:
        vocabulary = Vocabulary(encoded, texts, self.min_count)
        if self.smoothing == "uniform":
            return Uniform(vocabulary)
        stream = Stream.of(encoded, texts, vocabulary)
        if self.smoothing == "add-k":
            return AddK(vocabulary, stream, self.order, self.k or 1)
        return KneserNey(vocabulary, stream, self.order, self.discount)


def _nltk(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """Lidstone's estimates by NLTK, given our n-grams: its own padding also predicts ``<s>``."""
    assert isinstance(metric, NgramPerplexity)
    if metric.smoothing != "add-k":
        raise NoCounterpart("nltk's Kneser-Ney has one fixed discount and no share for unknown words")
    from nltk.lm import Lidstone
    from nltk.lm.vocabulary import Vocabulary as Words

    split = metric._words
    texts = [split(text) for row in metric._collection or references for text in row]
    times = Counter(word for text in texts for word in text)
    known = {word for word, count in times.items() if count >= metric.min_count}
    model = Lidstone(metric.k, metric.order, vocabulary=Words(["</s>", *map(_marked, known)], unk_cutoff=1))
    model.counts.update([[(*context, word) for word, context in _steps(text, known, metric.order)] for text in texts])
    surprise = [
        [-math.log(model.unmasked_score(word, context)) for word, context in _steps(split(text), known, metric.order)]
        for text in outputs
    ]
    items = [math.exp(sum(nats) / len(nats)) for nats in surprise]
    return np.array(items), math.exp(sum(map(sum, surprise)) / sum(map(len, surprise)))


def _steps(words: Sequence[str], known: set[str], order: int) -> list[tuple[str, tuple[str, ...]]]:
    """Every scored token with its context, unknown words as NLTK spells them."""
    row = ["<s>", *(_marked(word) if word in known else "<UNK>" for word in words), "</s>"]
    return [(row[place], tuple(row[max(0, place - order + 1) : place])) for place in range(1, len(row))]


def _marked(word: str) -> str:
    """A word of a text, which may be spelled ``</s>``, told from the signs of that name."""
    return f"={word}"


register(
    "ngram_perplexity",
    NgramPerplexity,
    reference=Reference(
        "nltk",
        _nltk,
        tolerance=1e-8,  # perplexities reach thousands
        differs="<s> is never predicted; NLTK is given the n-grams of accord's rule",
    ),
    default=False,
)
