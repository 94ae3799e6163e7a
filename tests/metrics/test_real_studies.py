"""Parity on real texts: our scores beside the libraries' own corpus functions, called as their users call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validate import metrics

pytestmark = pytest.mark.filterwarnings("ignore::validate.errors.AccordWarning")  # code outputs without a letter

STUDIES = ("realsumm", "squality", "codegen_conala")
SAMPLE = 150
Rows = tuple[list[str], list[list[str]]]


def read(folder: Path) -> Rows:
    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    references = {row["item_id"]: row["references"] for row in rows("items.jsonl")}
    outputs = rows("outputs.jsonl")
    return [row["output"] for row in outputs], [references[row["item_id"]] for row in outputs]


@pytest.fixture(scope="module", params=STUDIES)
def sampled(request: pytest.FixtureRequest, shared: Path) -> Rows:
    """150 outputs of a study; of squality, whose texts and references are long and many, 8."""
    outputs, references = read(shared / "data" / request.param)
    size = 8 if request.param == "squality" else SAMPLE
    drawn = np.random.default_rng(0).choice(len(outputs), size, replace=False)
    return [outputs[row] for row in drawn], [references[row] for row in drawn]


@pytest.fixture(scope="module", params=STUDIES)
def whole(request: pytest.FixtureRequest, shared: Path) -> Rows:
    return read(shared / "data" / request.param)


def streams(references: list[list[str]]) -> list[list[str | None]]:
    width = max(map(len, references))
    return [[row[place] if place < len(row) else None for row in references] for place in range(width)]


def check_sacrebleu(library: Any, rows: Rows) -> None:
    sacrebleu = library("sacrebleu")
    outputs, references = rows
    bleu = metrics.get("bleu").score(outputs, references)
    assert bleu.system == pytest.approx(
        sacrebleu.corpus_bleu(outputs, streams(references), force=True).score, abs=1e-12
    )
    for name, word_order in (("chrf", 0), ("chrf++", 2)):
        ours = metrics.get(name).score(outputs, references)
        scorer = sacrebleu.CHRF(word_order=word_order)
        assert ours.system == pytest.approx(scorer.corpus_score(outputs, streams(references)).score, abs=1e-12)
        assert ours.items.tolist() == [scorer.sentence_score(*row).score for row in zip(*rows, strict=True)]
    sentences = sacrebleu.BLEU(effective_order=True)
    theirs = [sentences.sentence_score(*row).score for row in zip(*rows, strict=True)]
    assert bleu.items.tolist() == pytest.approx(theirs, abs=1e-12)


def check_rouge(library: Any, rows: Rows) -> None:
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    for stem in (False, True):
        scorer = library("rouge_score.rouge_scorer").RougeScorer(names, use_stemmer=stem)
        theirs = [scorer.score_multi(references, output) for output, references in zip(*rows, strict=True)]
        for name in names:
            for part, field in (("p", "precision"), ("r", "recall"), ("f", "fmeasure")):
                ours = metrics.get(name, stem=stem, part=part).score(*rows).items
                assert ours.tolist() == [getattr(scores[name], field) for scores in theirs]


def check_jiwer(library: Any, rows: Rows) -> None:
    jiwer = library("jiwer")
    outputs, firsts = rows[0], [references[0] for references in rows[1]]
    single = [[reference] for reference in firsts]
    assert metrics.get("wer", tokenizer="jiwer").score(outputs, single).system == jiwer.wer(firsts, outputs)
    assert metrics.get("cer").score(outputs, single).system == jiwer.cer(firsts, outputs)
    for name in ("mer", "wil", "wip"):
        ours = metrics.get(name, tokenizer="jiwer").score(outputs, single)
        assert ours.system == getattr(jiwer, name)(firsts, outputs)
        theirs = [getattr(jiwer, name)(first, output) for first, output in zip(firsts, outputs, strict=True)]
        assert ours.items.tolist() == theirs


def check_nltk(library: Any, rows: Rows) -> None:
    outputs, references = [[text.split() for text in rows[0]], [[text.split() for text in row] for row in rows[1]]]
    gleu = metrics.get("gleu", tokenizer="none").score(*rows)
    assert gleu.system == library("nltk.translate.gleu_score").corpus_gleu(references, outputs)
    nist = metrics.get("nist", tokenizer="none").score(*rows)
    theirs = library("nltk.translate.nist_score").corpus_nist(references, outputs)
    assert nist.system == pytest.approx(theirs, abs=1e-12)


def check_pycocoevalcap(library: Any, rows: Rows) -> None:
    scorer = library("pycocoevalcap.cider.cider").Cider()
    numbered = [dict(enumerate(texts)) for texts in ([[t] for t in rows[0]], rows[1])]
    mean, items = scorer.compute_score(numbered[1], numbered[0])
    ours = metrics.get("cider", tokenizer="whitespace").score(*rows)
    assert ours.items.tolist() == pytest.approx(items.tolist(), abs=1e-12)
    assert ours.system == pytest.approx(mean, abs=1e-12)


def test_sacrebleu_on_a_sample(library: Any, sampled: Rows) -> None:
    check_sacrebleu(library, sampled)


def test_rouge_score_on_a_sample(library: Any, sampled: Rows) -> None:
    check_rouge(library, sampled)


def test_jiwer_on_a_sample(library: Any, sampled: Rows) -> None:
    check_jiwer(library, sampled)


def test_nltk_on_a_sample(library: Any, sampled: Rows) -> None:
    check_nltk(library, sampled)


def test_pycocoevalcap_on_a_sample(library: Any, sampled: Rows) -> None:
    check_pycocoevalcap(library, sampled)


@pytest.mark.slow
def test_sacrebleu_on_everything(library: Any, whole: Rows) -> None:
    check_sacrebleu(library, whole)


@pytest.mark.slow
def test_rouge_score_on_everything(library: Any, whole: Rows) -> None:
    check_rouge(library, whole)


@pytest.mark.slow
def test_jiwer_on_everything(library: Any, whole: Rows) -> None:
    check_jiwer(library, whole)


@pytest.mark.slow
def test_nltk_on_everything(library: Any, whole: Rows) -> None:
    check_nltk(library, whole)


@pytest.mark.slow
def test_pycocoevalcap_on_everything(library: Any, whole: Rows) -> None:
    check_pycocoevalcap(library, whole)


def test_realsumms_own_rouge(shared: Path) -> None:
    """The authors' ROUGE came from ROUGE-1.5.5 with stemming: equal to ours in all five digits for most summaries."""
    folder = shared / "data" / "realsumm"
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    outputs, references = read(folder)
    for name, column in (("rouge1", "rouge_1_recall"), ("rouge2", "rouge_2_recall")):
        published = np.array([row["score"] for row in rows if row["metric"] == column])
        ours = metrics.get(name, stem=True, part="r").score(outputs, references).items
        assert np.corrcoef(ours, published)[0, 1] > 0.99
        assert np.mean(np.abs(ours - published) < 1e-5) > 0.5
