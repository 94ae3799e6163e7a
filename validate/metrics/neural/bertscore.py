"""BERTScore: every token of one text finds the token of the other that is nearest to it in context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from validate.errors import OptionError
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._references import best_pair, chosen, mean_of_pairs
from validate.metrics._registry import register
from validate.metrics.neural import _bert_score
from validate.metrics.neural._baseline import Baseline, baseline_of, random_pairs
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._blocks import blocks, of_pairs
from validate.metrics.neural._encoder import Encoder
from validate.metrics.neural._matching import best_matches
from validate.metrics.neural._published_layers import default_layer
from validate.metrics.neural._token_metric import TokenMetric
from validate.metrics.neural._tokens import Tokens
from validate.schema import FloatArray
from validate.text.corpus import Batch

PARTS = ("p", "r", "f")
SEVERAL = ("max", "best-f", "mean")
SPECIAL = ("targets", "removed")


class BertScore(MeanMetric, TokenMetric):
    """Mean similarity of tokens to their best matches in the other text, by the embeddings of a language model; -1 to 1.

    Precision is the mean over the tokens of the output of their greatest cosine with a token of the reference, recall the same from
    the reference's side, F = 2PR / (P + R).

    Parameters
    ----------
    model : str
        A name on the hub, or a folder as save_pretrained writes it.
    layer : int, optional
        Whose output the embeddings are; layers above it are not run. By default the published one of the model; a model without
        one needs it.
    part : {"f", "p", "r"}
    idf : bool
        Weigh tokens by log((N + 1) / (df + 1)) over all N references of the collection, see `fit`.
    baseline : str or (float, float, float), optional
        Rescale so that the score of unrelated texts becomes 0 and 1 stays 1: a file in bert-score's form (LAYER,P,R,F), or P, R
        and F of unrelated texts, as `random_baseline` measures them.
    multi_reference : {"max", "best-f", "mean"}
        "max": of several references the best P, the best R and the best F, each by itself, as bert-score has it. "best-f": P and
        R of the reference with the best F.
    special_tokens : {"targets", "removed"}
        "targets": [CLS] and [SEP] weigh nothing and can still be the best match of a token, as in bert-score. "removed": they
        are left out. What weighs nothing in "targets" are the tokenizer's cls and sep; of models that mark the end otherwise (T5) the
        mark counts, as in bert-score.
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
    A text without tokens scores 0 in P, R and F, before rescaling. Where idf gives all tokens of a text the weight 0, the score of
    the pair is undefined; bert-score's F is 0 there. F has no bounds where P and R have different signs, which no trained model does.

    Ours differs from bert-score 0.3.13 where a batch mate is longer: there a masked token counts as similarity 0 and lifts tokens whose
    best match is below 0. Ours never depends on the batch. RoBERTa's first word is read with a space before it, as bert-score did
    under transformers 4; under transformers 5 it silently does not.

    References
    ----------
    Zhang, Kishore, Wu, Weinberger and Artzi (2020), https://openreview.net/forum?id=SkeHuCVFDr, section 3.
    """

    bounds = (-1.0, 1.0)
    source = "Zhang et al. 2020, https://openreview.net/forum?id=SkeHuCVFDr"
    checked_against = "bert-score"
    summary = "tokens matched to the nearest of the other text, by contextual embeddings"
    empty_policy = "a pair with such a text has P = R = F = 0, before rescaling"

    def __init__(
        self,
        *,
        name: str = "bertscore",
        model: str = "roberta-large",
        layer: int | None = None,
        part: str = "f",
        idf: bool = False,
        baseline: str | Sequence[float] | None = None,
        multi_reference: str = "max",
        special_tokens: str = "targets",
        windows: bool = False,
        dtype: str = "float32",
        device: str = "auto",
        budget: int = BUDGET,
        cache: bool = True,
    ) -> None:
        self.name = name
        self.set_model(model, dtype, device, budget)
        own_layer = _layer(name, model, layer)
        self.set_encoder(layer=own_layer, idf=idf, windows=windows, cache=cache)
        self.part = _options.one_of(name, "part", part, PARTS)
        self.multi_reference = _options.one_of(name, "multi_reference", multi_reference, SEVERAL)
        self.special_tokens = _options.one_of(name, "special_tokens", special_tokens, SPECIAL)
        self.baseline = baseline_of(name, baseline, own_layer)
        if self.baseline is not None:
            self.bounds = (-np.inf, 1.0)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "model": self.identity,
            "layer": self.layer,
            "part": self.part,
            "idf": self.idf,
            "baseline": self.baseline,
            "multi_reference": self.multi_reference,
            "special_tokens": self.special_tokens,
            "windows": self.windows,
            "dtype": self.dtype,
        }

    def item_scores(self, batch: Batch) -> FloatArray:
        rows = self._of_rows(batch, self.pairs(batch))
        rows = rows if self.baseline is None else self.baseline.rescale(rows)
        return rows[:, PARTS.index(self.part)]

    def pairs(self, batch: Batch) -> FloatArray:
        """(m, 3) P, R and F of every pair, before rescaling; NaN where all weights are 0. Shared by all parts."""
        self.read(batch)
        return batch.once(self.shared_key(self.special_tokens), lambda: self._pairs(batch))

    def _pairs(self, batch: Batch) -> FloatArray:
        result = np.zeros((len(batch.references), 3))
        tokens, place = self.read(batch)
        empty = np.where(place >= 0, tokens.empty[place], False) if len(tokens) else place >= 0
        for rows, side, here in self.grouped(batch):
            lengths = np.zeros(len(here), dtype=np.int64)
            lengths[here >= 0] = np.diff(side.offsets)[here[here >= 0]]
            for block in blocks(batch, rows, lengths):
                outputs, references = side.take(here[block.outputs]), side.take(here[block.references])
                values = best_matches(outputs, references)
                values[empty[block.outputs]] = 0
                values[:, empty[block.references]] = 0
                of_pairs(batch, block, values, result)
        return result

    def weigher(self, batch: Batch, room: Encoder) -> Callable[[Tokens], FloatArray]:
        rarity = self.rarity(batch)
        marks = (room.tokenizer.cls_token_id, room.tokenizer.sep_token_id)
        silent = [] if rarity else [mark for mark in marks if mark is not None]

        def weigh(tokens: Tokens) -> FloatArray:
            weights = rarity(tokens.ids) if rarity else np.where(np.isin(tokens.ids, silent), 0.0, 1.0)
            if self.special_tokens == "removed":
                weights = np.where(tokens.special, np.nan, 1.0 if rarity is None else weights)
            return weights

        return weigh

    def _of_rows(self, batch: Batch, pairs: FloatArray) -> FloatArray:
        """(n, 3) out of the pairs, by the policy for several references; undefined pairs are left out."""
        if self.multi_reference == "mean":
            return np.stack([mean_of_pairs(batch, pairs[:, part]) for part in range(3)], axis=1)
        rows = np.full((len(batch), 3), np.nan)
        some = batch.n_references > 0
        if not some.any():
            return rows
        starts = batch.reference_offsets[:-1][some]
        rows[some] = np.fmax.reduceat(pairs, starts)
        if self.multi_reference == "best-f":
            ranked = np.where(np.isnan(pairs[:, 2]), -np.inf, pairs[:, 2])
            rows = chosen(pairs, best_pair(batch, ranked))
        return rows


def random_baseline(
    texts: Sequence[str], *, pairs: int = 10_000, rng: int | np.random.Generator = 0, **options: Any
) -> Baseline:
    """The mean P, R and F of pairs of different texts drawn at random: what ``baseline=`` takes, and what bert-score's own files hold.

    Parameters
    ----------
    texts : list of str
        Of the language and kind that is scored; bert-score's files come from a million pairs of sentences of Common Crawl.
    pairs : int
        How many pairs are drawn.
    rng : int or numpy.random.Generator
    **options
        Of the metric: model, layer and so on, all but part, baseline and multi_reference.

    Raises
    ------
    ShapeError
        For fewer than two different texts.
    OptionError
        For a baseline of a baseline.
    """
    for option in ("baseline", "part", "multi_reference"):
        if option in options:
            raise OptionError(
                f"random_baseline: the option {option!r} was given; it says what is made of P, R and F, and these are what is measured; leave it out"
            )
    metric = BertScore(**options)
    outputs, references = random_pairs(texts, _options.whole("random_baseline", "pairs", pairs, 1), rng)
    found = metric.fit([[text] for text in dict.fromkeys(texts)]).pairs(
        Batch.of(outputs, [[text] for text in references])
    )
    return Baseline(*np.nanmean(found, axis=0).tolist())


def _layer(who: str, model: str, layer: int | None) -> int:
    """The layer that is asked for, or the published one."""
    if layer is not None:
        return _options.whole(who, "layer", layer, 0)
    known = default_layer(model) if isinstance(model, str) else 0
    if known is None:
        of_name = default_layer(model.rstrip("/").rsplit("/", 1)[-1])
        hint = f" (bert-score publishes {of_name} for the model of this name)" if of_name is not None else ""
        raise OptionError(
            f"{who}: no layer is published for the model {model!r}{hint}; 0 to the number of its layers is allowed; say which with layer="
        )
    return known


register("bertscore", BertScore, reference=_bert_score.REFERENCE, default=False)
