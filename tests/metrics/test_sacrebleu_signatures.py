"""Signatures in sacreBLEU's own form are those that it prints itself."""

from __future__ import annotations

from typing import Any

import pytest

from validate import metrics
from validate.errors import OptionError
from validate.metrics import _sacrebleu

ROWS = [["the cat", "a cat"], ["a dog", "the dog"]]
UNEVEN = [["the cat", "a cat"], ["a dog"]]

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("bleu", {"effective_order": False}),
    ("bleu", {"smoothing": "floor", "lowercase": True, "tokenizer": "intl", "effective_order": True}),
    ("bleu", {"smoothing": "floor", "smooth_value": 0.5, "tokenizer": "zh"}),
    ("bleu", {"smoothing": "add-k", "tokenizer": "char"}),
    ("bleu", {"smoothing": "none", "tokenizer": "none"}),
    ("chrf", {}),
    ("chrf", {"char_order": 4, "eps_smoothing": True, "lowercase": True}),
    ("chrf++", {}),
    ("ter", {}),
    ("ter", {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}),
]


def theirs(sacrebleu: Any, metric: Any, rows: list[list[str]]) -> str:
    options = dict(metric.options)
    if metric.name == "bleu":
        scorer = sacrebleu.BLEU(
            lowercase=metric.lowercase,
            tokenize=metric.tokenizer,
            smooth_method=metric.smoothing,
            smooth_value=metric.smooth_value,
            effective_order=metric.effective_order is True,
        )
    else:
        scorer = {"chrf": sacrebleu.CHRF, "chrf++": sacrebleu.CHRF, "ter": sacrebleu.TER}[metric.name](**options)
    width = max(map(len, rows))
    streams = [[row[place] if place < len(row) else None for row in rows] for place in range(width)]
    scorer.corpus_score(["the cat", "a dog"], streams)
    return str(scorer.get_signature())


@pytest.mark.parametrize("rows", [ROWS, UNEVEN], ids=["two references", "one or two"])
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=[f"{name}-{options}" for name, options in VARIANTS])
def test_equal_to_what_sacrebleu_prints(
    library: Any, name: str, options: dict[str, Any], rows: list[list[str]]
) -> None:
    metric = metrics.get(name, **options)
    assert metric.sacrebleu_signature(rows) == theirs(library("sacrebleu"), metric, rows)


def test_by_number() -> None:
    written = metrics.get("bleu", smoothing="floor").sacrebleu_signature(1)
    assert written == f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:{_sacrebleu.version()}"
    assert metrics.get("ter").sacrebleu_signature("var").startswith("nrefs:var|case:lc|tok:tercom|norm:no|punct:yes|")


def test_item_scores_have_their_own_effective_order() -> None:
    """Ours is on for items and off for the corpus; sacreBLEU's signature knows one number at a time."""
    assert "|eff:yes|" in metrics.get("bleu").sacrebleu_signature(1, level="item")
    assert "|eff:no|" in metrics.get("bleu").sacrebleu_signature(1)


def test_what_sacrebleu_has_no_signature_for_has_none() -> None:
    for options in ({"tokenizer": "cjk"}, {"smoothing": "nltk3"}, {"max_order": 2}):
        with pytest.raises(OptionError, match="sacrebleu"):
            metrics.get("bleu", **options).sacrebleu_signature(1)
    with pytest.raises(OptionError, match="n_references='many' was given"):
        metrics.get("ter").sacrebleu_signature("many")
    with pytest.raises(OptionError, match="beta"):
        metrics.get("chrf", beta=3).sacrebleu_signature(1)
