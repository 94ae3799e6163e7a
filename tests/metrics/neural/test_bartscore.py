"""BARTScore: equal to transformers' own loss and to the original formula; directions, references, what is cut."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from validate import metrics
from validate.errors import AccordWarning, MissingModelError, OptionError, ShapeError

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

import torch
from tiny_language_models import tiny_bart, tiny_gpt2, tiny_t5

OUTPUTS = ["The bridge was closed.", "the", "", "大桥周一关闭", "half a \ud83d pair", "the bridge"]
REFERENCES = [
    ["The bridge was shut.", "They closed it."],
    ["the"],
    ["x", "", "the"],
    ["大桥关闭"],
    ["half"],
    ["the", "the bridge was"],
]
SOURCES = ["A crack.", "A crack.", "the", "", "桥", "A crack."]


def bartscore(model=tiny_bart, **options):
    return metrics.get("bartscore", model=str(model()), **{"device": "cpu", **options})


@lru_cache
def loaded(model):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    return AutoModelForSeq2SeqLM.from_pretrained(model()).eval(), AutoTokenizer.from_pretrained(model())


def by_loss(model, read, written):
    """−loss of the model's own forward, which is the mean over all labels."""
    seq2seq, tokenizer = loaded(model)
    ids, labels = (torch.tensor([tokenizer(text.replace("\ud83d", "\ufffd"))["input_ids"]]) for text in (read, written))
    with torch.no_grad():
        return -seq2seq(input_ids=ids, labels=labels).loss.item()


def by_original(read, written):
    """The formula of the paper's code: a batch of padded texts, −NLL summed over a row by the sum of its mask."""
    seq2seq, tokenizer = loaded(tiny_bart)
    texts = [[text.replace("\ud83d", "\ufffd") for text in side] for side in (read, written)]
    given, wanted = (tokenizer(side, padding=True, return_tensors="pt") for side in texts)
    with torch.no_grad():
        logits = seq2seq(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=wanted["input_ids"]
        ).logits
    said = torch.log_softmax(logits, dim=2).gather(2, wanted["input_ids"][..., None])[..., 0]
    said = said.masked_fill(wanted["input_ids"] == tokenizer.pad_token_id, 0)
    return (said.sum(dim=1) / wanted["attention_mask"].sum(dim=1)).numpy()


@pytest.mark.parametrize("model", [tiny_bart, tiny_t5])
def test_equal_to_the_models_own_loss(model):
    faithful = bartscore(model, direction="faithfulness").score(OUTPUTS, sources=SOURCES).items
    np.testing.assert_allclose(
        faithful, [by_loss(model, *pair) for pair in zip(SOURCES, OUTPUTS, strict=True)], rtol=1e-5
    )
    single = [[row[0]] for row in REFERENCES]
    pairs = [(output, reference) for output, (reference,) in zip(OUTPUTS, single, strict=True)]
    precision = np.array([by_loss(model, reference, output) for output, reference in pairs])
    recall = np.array([by_loss(model, output, reference) for output, reference in pairs])
    np.testing.assert_allclose(
        bartscore(model, direction="precision").score(OUTPUTS, single).items, precision, rtol=1e-5
    )
    np.testing.assert_allclose(bartscore(model, direction="recall").score(OUTPUTS, single).items, recall, rtol=1e-5)
    found = bartscore(model).score(OUTPUTS, single)
    np.testing.assert_allclose(found.items, (precision + recall) / 2, rtol=1e-5)
    assert found.system == pytest.approx(np.mean((precision + recall) / 2))


def test_equal_to_the_original_formula():
    found = bartscore(direction="faithfulness").score(OUTPUTS, sources=SOURCES).items
    np.testing.assert_allclose(found, by_original(SOURCES, OUTPUTS), rtol=2e-6)


def test_of_several_references_the_mean_or_the_best():
    rows = [
        [bartscore().score([output], [[reference]]).system for reference in row]
        for output, row in zip(OUTPUTS, REFERENCES, strict=True)
    ]
    np.testing.assert_allclose(bartscore().score(OUTPUTS, REFERENCES).items, [np.mean(row) for row in rows], rtol=2e-6)
    best = bartscore(multi_reference="max").score(OUTPUTS, REFERENCES).items
    np.testing.assert_allclose(best, [max(row) for row in rows], rtol=2e-6)


def test_no_references_no_score():
    found = bartscore().score(["the", "the"], [["the"], []])
    assert np.isnan(found.items).tolist() == [False, True]
    assert math.isnan(bartscore().score(["the"], [[]]).system)
    assert bartscore().score([], []).items.shape == (0,)
    assert bartscore(direction="faithfulness").score([], sources=[]).items.shape == (0,)


@pytest.mark.parametrize("direction", ["f", "faithfulness"])
def test_batch_and_order_change_nothing(direction):
    order = np.random.default_rng(3).permutation(len(OUTPUTS))
    straight = bartscore(direction=direction).score(OUTPUTS, REFERENCES, SOURCES)
    for budget in (1, 7, 64, 1000):
        shuffled = bartscore(direction=direction, budget=budget).score(
            *([side[at] for at in order] for side in (OUTPUTS, REFERENCES, SOURCES))
        )
        np.testing.assert_allclose(shuffled.items, straight.items[order], rtol=2e-6)


def test_what_is_needed_follows_the_direction():
    assert bartscore().needs == bartscore(direction="precision").needs == ("references",)
    metric = bartscore(direction="faithfulness")
    assert metric.needs == ("sources",)
    with pytest.raises(ShapeError, match="bartscore: no sources were given"):
        metric.score(["the"])
    assert metric.score(["the"], sources=["x"]).system < 0


def test_identical_text_is_below_0(cases):
    """A mean of log-probabilities: at most 0, and 0 only for a model that is certain."""
    case = cases("reports")["bartscore-negative"]["input"]
    metric = bartscore()
    assert metric.score([case["output"]], [[case["reference"]]]).system < 0
    assert metric.bounds == (-math.inf, 0)
    assert metric.higher_is_better


def test_a_source_goes_through_the_encoder_once(monkeypatch):
    metric = bartscore(direction="faithfulness")
    expected = metric.score([f"the bridge {n}" for n in range(9)], sources=["A crack."] * 9).items
    encoder = metric.room().model.get_encoder()
    seen = []
    handle = encoder.register_forward_pre_hook(
        lambda module, args, kwargs: seen.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    again = (
        bartscore(direction="faithfulness").score([f"the bridge {n}" for n in range(9)], sources=["A crack."] * 9).items
    )
    handle.remove()
    assert seen == [1]
    np.testing.assert_allclose(again, expected)


def test_what_is_cut_is_said_and_the_rest_is_scored():
    """BART's 64 places hold <s>, 62 bytes and </s>."""
    long = "x" * 70
    with pytest.warns(
        AccordWarning, match="bartscore: 1 text of 2 was longer than 64 tokens, and what comes after was not seen"
    ):
        found = bartscore(direction="precision").score([long], [["the"]]).system
    assert found == pytest.approx(bartscore(direction="precision").score(["x" * 62], [["the"]]).system)
    with pytest.warns(AccordWarning, match="longer than 8 tokens"):
        bartscore(max_length=8).score(["the bridge"], [["the"]])


def test_a_model_without_a_decoder_is_refused():
    with pytest.raises(MissingModelError, match=r"bartscore: the model of .*tiny-gpt2.* cannot be read"):
        bartscore(tiny_gpt2).score(["the"], [["the"]])
    with pytest.raises(OptionError, match="there is no direction 'faithfullness'; did you mean 'faithfulness'"):
        bartscore(direction="faithfullness")


# Made by `by_original` on tiny_bart with torch 2.13.0 and transformers 5.24.0, 2026-11-30.
GOLDEN = [-6.310549, -5.430552, -7.136306, -6.522003, -6.194219, -6.382596]


def test_golden_values():
    found = bartscore(direction="faithfulness").score(OUTPUTS, sources=SOURCES).items
    np.testing.assert_allclose(found, GOLDEN, rtol=1e-5)
