"""BLEU: how many n-grams of the output are in a reference, and a penalty for outputs that are too short."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate._compile import kernel
from validate.errors import bad_value, plural
from validate.metrics import _bleu_nltk, _options, _sacrebleu
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import closest_length, streams
from validate.metrics._registry import NoCounterpart, Reference, register
from validate.schema import Fact, FloatArray
from validate.text import ngrams, tokenizers
from validate.text.corpus import Batch
from validate.text.tokenizers import mecab

SMOOTHING = ("exp", "none", "floor", "add-k", *_bleu_nltk.METHODS)
DEFAULT_VALUES = {"floor": 0.1, "add-k": 1}
TOKENIZERS = ("13a", "intl", "char", "zh", "cjk", "ja-mecab", "ko-mecab", "none")
EXP, NONE, FLOOR, ADD_K = range(4)  # places in SMOOTHING, for the kernel


class Bleu(Metric):
    """Clipped n-gram precision, geometric mean over orders, times the brevity penalty; 0 to 100.

    A corpus score adds up the counts of all items and divides once. It is not the mean of the item scores.

    Parameters
    ----------
    max_order : int
        Longest n-gram.
    smoothing : {"exp", "none", "floor", "add-k", "nltk1", …, "nltk7"}
        What an order without a match counts: a half, a quarter, … of a match ("exp"); nothing, so that the score is 0
        ("none"); ``smooth_value`` of a match ("floor"); or ``smooth_value`` is added to matches and totals of every order
        beyond the first ("add-k"). The others are NLTK's methods with NLTK's results; "nltk5" and "nltk7" go beyond 100.
    smooth_value : float, optional
        0.1 for "floor" and 1 for "add-k" unless given.
    tokenizer : {"13a", "intl", "char", "zh", "cjk", "ja-mecab", "ko-mecab", "none"}
        "zh" is sacreBLEU's with its faults; "cjk" parts every Chinese, Japanese and Korean character; the two by MeCab need the
        extra ``cjk``.
    lowercase : bool
    effective_order : bool, optional
        Leave out orders that the output is too short for. None: for items, so that a short perfect item scores 100, and
        not for a corpus. NLTK's methods know no such thing.

    Notes
    -----
    Without any match the score is 0 under every smoothing. A perfect score is 100.00000000000004, as sacreBLEU's: exp and
    log are not exact inverses. Blank references are never taken as the closest length where others exist; sacreBLEU takes
    them, which lets any short output escape the penalty.

    References
    ----------
    Papineni et al. (2002), doi:10.3115/1073083.1073135; Post (2018), doi:10.18653/v1/W18-6319; smoothing: Chen and Cherry
    (2014), doi:10.3115/v1/W14-3346, methods 1 ("floor"), 2 ("add-k") and 3 ("exp").

    Examples
    --------
    Two of three words match, one of two pairs: sqrt(2/3 · 1/2).

    >>> score = Bleu(max_order=2, smoothing="none").score(["the red cat"], [["the red dog"]])
    >>> round(score.system, 2)
    57.74
    """

    bounds = (0.0, 100.0)
    source = "Papineni et al. 2002, doi:10.3115/1073083.1073135; Post 2018, doi:10.18653/v1/W18-6319"
    checked_against = "sacrebleu, nltk"
    summary = "clipped n-gram precision with a penalty for brevity"

    def __init__(
        self,
        *,
        name: str = "bleu",
        max_order: int = 4,
        smoothing: str = "exp",
        smooth_value: float | None = None,
        tokenizer: str = "13a",
        lowercase: bool = False,
        effective_order: bool | None = None,
    ) -> None:
        self.name = name
        self.smoothing = _options.one_of(name, "smoothing", smoothing, SMOOTHING)
        self.max_order = _options.whole(
            name, "max_order", max_order, 3 if smoothing == "nltk6" else 1, _options.LONGEST
        )
        self.smooth_value = self._checked_value(smooth_value)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self.lowercase = _options.yes_or_no(name, "lowercase", lowercase)
        self.effective_order = self._checked_effective(effective_order)
        self._tokenizer = tokenizers.get(self.tokenizer, lowercase=lowercase)

    def _checked_value(self, value: float | None) -> float | None:
        if value is None:
            return DEFAULT_VALUES.get(self.smoothing)
        if self.smoothing not in DEFAULT_VALUES:
            raise bad_value(self.name, "smooth_value", value, "only with smoothing='floor' or 'add-k'")
        return _options.number(self.name, "smooth_value", value, 0)

    def _checked_effective(self, effective_order: bool | None) -> bool | None:
        if self._nltk:
            self.bounds = (0.0, float("inf"))
            if effective_order:
                raise bad_value(self.name, "effective_order", effective_order, f"False with {self.smoothing!r}")
            return False
        return None if effective_order is None else _options.yes_or_no(self.name, "effective_order", effective_order)

    @property
    def _nltk(self) -> bool:
        return self.smoothing in _bleu_nltk.METHODS

    @property
    def options(self) -> Mapping[str, Any]:
        effective = "items" if self.effective_order is None else self.effective_order
        return {
            "max_order": self.max_order,
            "smoothing": self.smoothing,
            "smooth_value": self.smooth_value,
            "tokenizer": self.tokenizer,
            "lowercase": self.lowercase,
            "effective_order": effective,
        }

    def sacrebleu_signature(self, n_references: int | str | Sequence[Sequence[str]], *, level: Level = "system") -> str:
        """The signature that sacreBLEU prints for this number.

        Parameters
        ----------
        n_references : int, "var", or list of list of str
            References per output, "var" where outputs have different numbers of them, or the references themselves.
        level : {"system", "item"}
            Of which score, because the effective order may differ.

        Raises
        ------
        OptionError
            For what sacreBLEU has not, and for a longest n-gram other than 4, which its signature does not state.
        """
        if self._nltk or self.tokenizer == "cjk":
            option, value = ("smoothing", self.smoothing) if self._nltk else ("tokenizer", self.tokenizer)
            raise bad_value(self.name, option, value, "what sacrebleu has too, in a signature of its own")
        if self.max_order != 4:
            raise bad_value(
                self.name, "max_order", self.max_order, "4 in a signature of sacrebleu's, which does not state it"
            )
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        with_mecab = self.tokenizer in mecab.MODULES
        fields = {
            "case": _sacrebleu.case(self.lowercase),
            "eff": level == "item" if self.effective_order is None else self.effective_order,
            "tok": mecab.version(self.tokenizer) if with_mecab else self.tokenizer,
            "smooth": f"{self.smoothing}{value}",
        }
        return _sacrebleu.signature(self.name, n_references, fields)

    def count(self, batch: Batch) -> FloatArray:
        """(n, 2 + 2 orders): output length, reference length, matches per order, n-grams per order.

        For NLTK's methods there are at least five orders, and per order whether the output is too short for it.
        """
        orders = max(self.max_order, _bleu_nltk.EXTRA_ORDER) if self._nltk else self.max_order
        lengths = batch.corpus.encode(self._tokenizer).lengths
        out_length = lengths[batch.outputs]
        totals = ngrams.totals(out_length, orders)
        matches = ngrams.row_matches(batch, self._tokenizer, orders)
        too_short = [totals == 0] if self._nltk else []
        statistics = np.column_stack([out_length, closest_length(batch, lengths), matches, totals, *too_short])
        statistics[batch.n_references == 0] = np.nan
        return statistics

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        rows = np.ascontiguousarray(statistics, dtype=np.float64).reshape(-1, statistics.shape[-1])
        if self._nltk:
            scores = _bleu_nltk.scores(rows, self.smoothing, self.max_order)
        else:
            effective = level == "item" if self.effective_order is None else self.effective_order
            value = 0.0 if self.smooth_value is None else float(self.smooth_value)
            scores = _bleu(rows, self.max_order, SMOOTHING.index(self.smoothing), value, effective)
        return scores.reshape(statistics.shape[:-1])

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many blank references were passed over when the closest length was looked for."""
        blank = batch.corpus.encode(self._tokenizer).lengths[batch.references] == 0
        rows = np.repeat(np.arange(len(batch)), batch.n_references)
        passed = int((blank & np.isin(rows, rows[~blank])).sum())
        if not passed:
            return []
        text = f"{self.name}: {plural(passed, 'blank reference')} beside others, never taken as the closest length"
        return [Fact("blank-references", passed, text)]

    def precisions(self, statistics: FloatArray) -> FloatArray:
        """(…, max_order) share of n-grams that match, unsmoothed; NaN where there are no n-grams."""
        kinds = 3 if self._nltk else 2
        counts = statistics[..., 2:].reshape(*statistics.shape[:-1], kinds, (statistics.shape[-1] - 2) // kinds)
        return ratio(counts[..., 0, : self.max_order], counts[..., 1, : self.max_order])

    def brevity_penalty(self, statistics: FloatArray) -> FloatArray:
        """(…,) 1 where the output is at least as long as the reference, else exp(1 - reference / output); 0 if it is empty."""
        here, there = statistics[..., 0], statistics[..., 1]
        excess = np.maximum(ratio(there, here) - 1.0, 0.0)
        return np.where(here == 0, np.where(there > 0, 0.0, 1.0), np.exp(-excess))


@kernel
def _bleu(statistics, max_order, smoothing, value, effective):  # type: ignore[no-untyped-def]
    """Scores of rows [output length, reference length, matches…, totals…].

    The order of operations is sacreBLEU's, so that the result has the same bits; numpy's vectorised log and exp have not.
    """
    scores = np.zeros(len(statistics))
    for row in range(len(statistics)):
        here, there = statistics[row, 0], statistics[row, 1]
        matches, totals = statistics[row, 2 : 2 + max_order], statistics[row, 2 + max_order :]
        if math.isnan(here):
            scores[row] = np.nan
            continue
        if matches.sum() == 0:
            continue
        penalty = math.exp(1 - there / here) if here < there else 1.0
        orders, halvings, logs = max_order, 1.0, 0.0
        for n in range(max_order):
            added = value if smoothing == ADD_K and n > 0 else 0.0
            matched, total = matches[n] + added, totals[n] + added
            if total == 0:
                if effective:
                    orders = n
                else:
                    logs += (max_order - n) * -9999999999.0
                break
            precision = 100.0 * matched / total
            if matched == 0 and smoothing == EXP:
                halvings *= 2
                precision = 100.0 / (halvings * total)
            elif matched == 0 and smoothing == FLOOR:
                precision = 100.0 * value / total
            logs += math.log(precision) if precision > 0 else -9999999999.0
        scores[row] = penalty * math.exp(logs / orders)
    return scores


def _by_sacrebleu(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    assert isinstance(metric, Bleu)
    if metric.tokenizer == "cjk":
        raise NoCounterpart("sacrebleu has no tokenizer 'cjk'")
    if metric._nltk:
        raise NoCounterpart(f"sacrebleu has no smoothing {metric.smoothing!r}; it is NLTK's")
    from sacrebleu.metrics import BLEU

    def scorer(effective: bool) -> Any:
        return BLEU(
            lowercase=metric.lowercase,
            force=True,
            tokenize=metric.tokenizer,
            smooth_method=metric.smoothing,
            smooth_value=metric.smooth_value,
            max_ngram_order=metric.max_order,
            effective_order=effective,
        )

    rows = [_without_blank(row, metric) for row in references]
    for_items = scorer(metric.effective_order in (None, True))
    items = [for_items.corpus_score([output], streams([row])).score for output, row in zip(outputs, rows, strict=True)]
    corpus = scorer(metric.effective_order is True).corpus_score(outputs, streams(rows)).score
    return np.array(items), corpus


def _without_blank(row: Sequence[str], metric: Bleu) -> Sequence[str]:
    """The references that have tokens, or all where none has: what our rule about blank references leaves of a row."""
    return [reference for reference in row if metric._tokenizer(reference)] or row


def _by_nltk(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """NLTK's own functions on our tokens.

    No item score where method 6 breaks down for want of a trigram. No corpus score by the methods 5, 6 and 7, which take some of
    their counts from the last item alone.
    """
    assert isinstance(metric, Bleu)
    if not metric._nltk:
        raise NoCounterpart("NLTK is compared under its own smoothings, 'nltk1' to 'nltk7'")
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu

    smoothing = getattr(SmoothingFunction(), metric.smoothing.replace("nltk", "method"))
    weights = (1 / metric.max_order,) * metric.max_order
    tokens = [metric._tokenizer(output) for output in outputs]
    rows = [[metric._tokenizer(text) for text in _without_blank(row, metric)] for row in references]

    def item(output: list[str], row: list[list[str]]) -> float:
        try:
            return 100 * float(sentence_bleu(row, output, weights, smoothing))
        except AssertionError:
            return math.nan

    pooled = metric.smoothing in ("nltk1", "nltk2", "nltk3", "nltk4")
    corpus = 100 * float(corpus_bleu(rows, tokens, weights, smoothing)) if pooled else math.nan
    return np.array([item(output, row) for output, row in zip(tokens, rows, strict=True)]), corpus


register(
    "bleu",
    Bleu,
    reference=[
        Reference(
            "sacrebleu",
            _by_sacrebleu,
            differs="a blank reference is never taken as the closest length where others exist; sacreBLEU is given the others only",
        ),
        Reference(
            "nltk",
            _by_nltk,
            differs="a corpus score by NLTK's methods 5, 6 and 7 pools all counts; NLTK's takes some from the last item, and is not compared",
        ),
    ],
)
