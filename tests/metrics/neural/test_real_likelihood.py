"""Models that know something: what they have read, or what reads like it, surprises them less than other or scrambled text."""

from __future__ import annotations

import random
from importlib.util import find_spec

import numpy as np
import pytest

from validate import metrics

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

import trained_models
from smollm2 import smollm2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),  # of reading GGUF files
]
captions = pytest.mark.skipif(find_spec("pycocoevalcap") is None, reason="needs the captions inside pycocoevalcap")

ELSEWHERE = [
    "Parliament rejected the amendment after a debate that lasted until midnight.",
    "Interest rates were raised by a quarter of a point to slow inflation.",
    "The committee found no evidence that the minister had misled the court.",
    "Researchers measured the half-life of the isotope with greater precision.",
    "Negotiations about the treaty will resume in Geneva next week.",
]
PLAIN = [
    "The bridge over the canal was closed on Monday because of a crack, and traffic went round by the lock.",
    "She opened the window to let some air into the room, and then sat down to read the letter again.",
    "The train to the coast leaves every hour until late in the evening.",
]


def scrambled(texts):
    draw = random.Random(0)
    return [" ".join(draw.sample(text.split(), len(text.split()))) for text in texts]


def firsts(n):
    return [image[0] for image in trained_models.held_out()[:n]]


@captions
@pytest.mark.parametrize(
    ("name", "train", "n", "most"), [("perplexity", "causal", 300, 100), ("pseudo_perplexity", "masked", 100, 300)]
)
def test_captions_are_less_surprising_than_scrambled_ones_and_than_other_text(name, train, n, most):
    metric = metrics.get(name, model=str(getattr(trained_models, train)()), device="cpu")
    known = metric.score(firsts(n))
    mixed = metric.score(scrambled(firsts(n)))
    assert known.system < most
    assert mixed.system > 2 * known.system
    assert np.mean(mixed.items > known.items) > 0.9
    options = {"unit": "byte", **({"bos": "yes"} if name == "perplexity" else {})}
    bits = metrics.get(name, model=metric.model, device="cpu", **options)
    assert bits.score(ELSEWHERE).system > 1.5 * bits.score(firsts(n)).system


@captions
def test_a_caption_is_likelier_after_itself_than_after_another_and_than_scrambled():
    metric = metrics.get("bartscore", model=str(trained_models.seq2seq()), direction="faithfulness", device="cpu")
    texts = firsts(200)
    itself = metric.score(texts, sources=texts)
    other = metric.score(texts, sources=[*texts[1:], texts[0]])
    mixed = metric.score(scrambled(texts), sources=texts)
    assert itself.system > other.system
    assert itself.system > mixed.system
    assert np.mean(itself.items > other.items) > 0.9
    assert np.mean(itself.items > mixed.items) > 0.9


def test_plain_english_is_less_surprising_than_scrambled_to_smollm2():
    metric = metrics.get("perplexity", model=str(smollm2()), device="cpu")
    plain, mixed = metric.score(PLAIN), metric.score(scrambled(PLAIN))
    assert 5 < plain.system < 100
    assert (mixed.items > 5 * plain.items).all()


def test_smollm2_is_equal_to_its_own_loss_in_windows_and_alone():
    import torch
    from transformers import AutoModelForCausalLM

    metric = metrics.get("perplexity", model=str(smollm2()), device="cpu", bos="yes")
    model = AutoModelForCausalLM.from_pretrained(smollm2()).eval()
    room, found = metric.room(), metric.score(PLAIN)
    for row, text in zip(found.items, PLAIN, strict=True):
        ids = torch.tensor([[room.tokenizer.bos_token_id, *room.ids([text])[0]]])
        with torch.no_grad():
            assert row == pytest.approx(model(ids, labels=ids).loss.exp().item(), rel=1e-5)
    # More context makes text no harder: half of a window of 16 is less than a window of 64 gives.
    long = [" ".join(PLAIN)]
    narrow = metrics.get("perplexity", model=metric.model, device="cpu", bos="yes", window=16)
    wide = metrics.get("perplexity", model=metric.model, device="cpu", bos="yes", window=64)
    assert narrow.score(long).statistics[0, 1] == wide.score(long).statistics[0, 1]
    assert narrow.score(long).system > wide.score(long).system


def test_a_source_that_says_it_makes_an_output_less_surprising():
    metric = metrics.get("perplexity", model=str(smollm2()), device="cpu", given="source", prompt=r"{source}\n")
    right, wrong = metric.score(PLAIN, sources=PLAIN), metric.score(PLAIN, sources=[*PLAIN[1:], PLAIN[0]])
    assert (right.items < wrong.items / 2).all()
