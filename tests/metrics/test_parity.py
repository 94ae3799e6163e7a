"""Every metric beside its reference library on nasty text, under its options; item scores to the last bit."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import row

from validate import metrics

pytestmark = pytest.mark.filterwarnings("ignore::validate.errors.AccordWarning")

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("bleu", {}),
    ("bleu", {"smoothing": "none", "tokenizer": "intl", "effective_order": True}),
    ("bleu", {"smoothing": "floor", "tokenizer": "zh", "lowercase": True}),
    ("bleu", {"smoothing": "floor", "smooth_value": 0.5, "tokenizer": "char", "max_order": 2}),
    ("bleu", {"smoothing": "add-k", "tokenizer": "none", "effective_order": False}),
    ("bleu", {"smoothing": "add-k", "smooth_value": 2, "max_order": 6}),
    ("chrf", {}),
    ("chrf", {"eps_smoothing": True, "lowercase": True}),
    ("chrf", {"beta": 1, "char_order": 3}),
    ("chrf++", {}),
    ("chrf++", {"eps_smoothing": True, "beta": 3, "word_order": 1}),
    ("ter", {}),
    ("ter", {"normalized": True, "case_sensitive": True}),
    ("ter", {"normalized": True, "asian_support": True}),
    ("ter", {"normalized": True, "no_punct": True, "asian_support": True}),
    ("ter", {"no_punct": True}),
    ("ter", {"no_punct": True, "asian_support": True, "case_sensitive": True}),
    ("ter", {"normalized": True, "no_punct": True}),
    ("rouge1", {"part": "p"}),
    ("rouge2", {"multi_reference": "mean"}),
    ("rouge3", {"stem": True, "part": "r"}),
    ("rougeL", {"stem": True}),
    ("rougeL", {"tokenizer": "unicode", "multi_reference": "jackknife"}),
    ("rougeLsum", {}),
    ("rougeLsum", {"stem": True, "multi_reference": "jackknife", "part": "r"}),
    ("rougeLsum", {"tokenizer": "unicode", "part": "p"}),
    ("wer", {}),
    ("wer", {"tokenizer": "jiwer", "empty_reference": "nan"}),
    ("cer", {}),
    ("cer", {"empty_reference": "nan"}),
    ("mer", {}),
    ("mer", {"tokenizer": "jiwer", "empty_reference": "nan"}),
    ("wil", {}),
    ("wip", {"tokenizer": "jiwer"}),
    ("wip", {"empty_reference": "nan"}),
    ("gleu", {}),
    ("gleu", {"tokenizer": "intl", "lowercase": True, "min_order": 2, "max_order": 3}),
    ("edit_distance", {"unit": "grapheme", "normalize": True}),
    ("edit_distance", {}),
    ("lcs", {"unit": "codepoint"}),
    ("lcs", {"normalize": True}),
]

# Metrics whose parity with their library has a module of its own, because they need more than outputs and references.
ELSEWHERE: dict[str, str] = {
    "meteor": "test_meteor",
    "meteor-1.5": "test_meteor15",
    "bertscore": "neural/test_bertscore",
    "cider": "test_cider",
    "nist": "test_nist",
    "accuracy": "test_labels",
    "macro_f1": "test_labels",
    "ngram_perplexity": "test_ngram_perplexity",
}

# From Python 3.12 on, sum() of floats compensates, sacreBLEU's scores with it; ours are the same on every version.
LAST_BIT = 0.0 if sys.version_info < (3, 12) else 1e-12
ITEM_TOLERANCE = {"bleu": LAST_BIT}
# Means are added in another order by numpy; these are means over several references or items.
MEANS = {"mean", "jackknife"}


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=[f"{name}-{options}" for name, options in VARIANTS])
@settings(max_examples=40)
@given(rows=st.lists(row, min_size=1, max_size=4))
def test_parity(library: Any, name: str, options: dict[str, Any], rows: list[tuple[str, list[str]]]) -> None:
    (reference, *_) = metrics.entries()[name].references
    library({"rouge-score": "rouge_score"}.get(reference.package, reference.package))
    metric = metrics.get(name, **options)
    outputs, references = [output for output, _ in rows], [texts for _, texts in rows]
    items, corpus = reference.score(metric, outputs, references)
    ours = metric.score(outputs, references)
    tolerance = 1e-12 if options.get("multi_reference") in MEANS else ITEM_TOLERANCE.get(name, 0.0)
    np.testing.assert_allclose(ours.items, items, rtol=0, atol=tolerance)
    np.testing.assert_allclose(ours.system, corpus, rtol=0, atol=1e-12)


def test_every_metric_with_a_library_is_here() -> None:
    """A new metric with a reference adapter gets a line in VARIANTS; longer ROUGE orders share rouge3's code."""
    with_library = {name for name, entry in metrics.entries().items() if entry.references}
    longer = {f"rouge{order}" for order in range(4, 10)}
    assert with_library - longer == {name for name, _ in VARIANTS} | set(ELSEWHERE)


def test_a_differing_library_would_be_noticed() -> None:
    """The tolerance is not so wide that a wrong smoothing passes."""
    outputs, references = ["the cat sat on the mat"], [["the cat is sitting on the mat"]]
    scores = [metrics.get("bleu", smoothing=name).score(outputs, references).system for name in ("exp", "floor")]
    assert abs(scores[0] - scores[1]) > 1


PACKAGES = sorted({reference.package for entry in metrics.entries().values() for reference in entry.references})


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_distribution_names(package: str) -> None:
    try:
        assert importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
