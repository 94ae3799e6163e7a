"""Perplexity of a causal model: equal to one text at a time, whatever the batch; what is scored after what; what is refused."""

from __future__ import annotations

import math
import pickle
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordError, AccordWarning, OptionError, ShapeError
from validate.metrics.neural._windows import windows

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

import torch
from tiny_language_models import POSITIONS, tiny_gpt2, tiny_llama, tiny_masked, uniform_gpt2

TEXTS = [
    "The bridge over the canal was closed.",
    "the",
    " the bridge, the bridge",
    "大桥周一关闭。",
    "half a \ud83d pair",
    "the bridge was closed on Monday because of a crack. " * 4,
    "a <|endoftext|> b",
    "Мост закрыт\nв понедельник",
]
SOURCES = ["A crack.", "", "the canal " * 9, "x", "y", "A crack.", "z z", "桥"]
OPTIONS = [
    {},
    {"bos": "yes"},
    {"bos": "yes", "eos": True},
    {"bos": "no", "window": 16},
    {"window": 16, "stride": 15},
    {"window": 9, "stride": 1, "bos": "yes"},
    {"given": "source"},
    {"given": "source", "window": 24, "stride": 5, "bos": "yes", "prompt": "Text: {source} Summary:"},
]


def perplexity(model=tiny_gpt2, **options):
    return metrics.get("perplexity", model=str(model()), **{"device": "cpu", **options})


@lru_cache
def loaded(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def twin(metric, text, source):
    """Σ −ln p and how many tokens, one text at a time by transformers' own forward and a log-softmax in float64."""
    model, tokenizer = loaded(metric.model)
    text = text.replace("\ud83d", "\ufffd")
    start = [tokenizer.bos_token_id] if metric.bos == "yes" else tokenizer("", verbose=False)["input_ids"]
    start = [] if metric.bos == "no" else start
    before = metric.prompt.replace("{source}", source) if metric.given == "source" else ""
    ids = [tokenizer(one, add_special_tokens=False, verbose=False)["input_ids"] for one in (before, text)]
    row = [*start, *ids[0], *ids[1], *([tokenizer.eos_token_id] if metric.eos else [])]
    first = max(1, len(start) + len(ids[0]))
    size = metric.window or POSITIONS
    total = 0.0
    for window in windows(len(row), first, size, metric.stride or size // 2):
        with torch.no_grad():
            logits = model(torch.tensor([row[window.begin : window.end]])).logits[0].double()
        said = torch.log_softmax(logits, -1)
        total -= sum(said[at - 1 - window.begin, row[at]].item() for at in range(window.first, window.end))
    return total, max(0, len(row) - first)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("model", [tiny_gpt2, tiny_llama])
def test_equal_to_one_text_at_a_time(model, options):
    metric = perplexity(model, **options)
    found = metric.statistics(TEXTS, sources=SOURCES)
    for row, text, source in zip(found, TEXTS, SOURCES, strict=True):
        nats, n_tokens = twin(metric, text, source)
        assert row[1] == n_tokens
        assert row[0] == pytest.approx(nats, rel=1e-6)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_batch_and_order_change_nothing(options):
    order = np.random.default_rng(3).permutation(len(TEXTS))
    straight = perplexity(**options).score(TEXTS, sources=SOURCES)
    for budget in (1, 7, 64, 1000):
        shuffled = perplexity(budget=budget, **options).score(
            [TEXTS[at] for at in order], sources=[SOURCES[at] for at in order]
        )
        np.testing.assert_allclose(shuffled.items, straight.items[order], rtol=2e-6)
        assert shuffled.system == pytest.approx(straight.system, rel=2e-6)


def test_padding_changes_nothing_where_evaluate_pads_on_the_left(cases):
    """The report: left padding without position ids moves the short text to other positions."""
    texts = cases("reports")["padding-changes-perplexity"]["input"]["outputs"]
    metric = perplexity(bos="yes")
    together = metric.score(texts).items
    alone = [metric.score([text]).items[0] for text in texts]
    np.testing.assert_allclose(together, alone, rtol=2e-6)
    assert "bos:yes" in metric.signature
    room = metric.room()
    short, long = ([0, *row] for row in room.ids(texts))
    shift = len(long) - len(short)
    from transformers import AutoModelForCausalLM

    ids = torch.tensor([[0] * shift + short])
    mask = torch.tensor([[0] * shift + [1] * len(short)])
    with torch.no_grad():
        logits = AutoModelForCausalLM.from_pretrained(metric.model)(ids, attention_mask=mask).logits[0, shift:-1]
    padded = torch.nn.functional.cross_entropy(logits, torch.tensor(short[1:])).exp().item()
    assert abs(padded - alone[0]) > 1e-3 * alone[0]


def test_of_one_text_equal_to_evaluate_and_of_several_not_their_mean():
    """Hugging Face's evaluate: exp of the model's own loss with a start token; of several texts the mean of these (METRICS.md, 13)."""
    from transformers import AutoModelForCausalLM

    texts = TEXTS[:5]
    scores = perplexity(bos="yes").score(texts)
    model = AutoModelForCausalLM.from_pretrained(tiny_gpt2()).eval()
    losses, counts = [], []
    for row in perplexity().room().ids([text.replace("\ud83d", "\ufffd") for text in texts]):
        ids = torch.tensor([[0, *row]])
        with torch.no_grad():
            losses.append(model(ids, labels=ids).loss.item())
        counts.append(len(row))
    np.testing.assert_allclose(scores.items, np.exp(losses), rtol=1e-5)
    assert scores.system == pytest.approx(math.exp(np.dot(losses, counts) / sum(counts)), rel=1e-5)
    assert abs(scores.system - np.exp(losses).mean()) > 0.1


# Σ −ln p = −ln 1/4 − ln 1/2 = ln 8 over two tokens: mean 1.0397, perplexity √8. Batches of 2 and 8 tokens with perplexities 2 and 8:
# exp((2 ln 2 + 8 ln 8) / 10) = 2^2.6 = 6.0629.
def test_worked_values(cases):
    worked = cases("worked_values")
    metric = metrics.get("perplexity")
    case = worked["ppl-two-tokens"]
    nats = -np.log(case["inputs"]["probabilities"]).sum()
    assert nats / 2 == pytest.approx(case["expect"]["mean_nll"], abs=case["tolerance"])
    assert metric.divide(np.array([nats, 2, 1, 1])) == pytest.approx(
        case["expect"]["perplexity"], abs=case["tolerance"]
    )
    case = worked["ppl-batches"]
    rows = np.array(
        [[one["count"] * math.log(one["perplexity"]), one["count"], 1, 1] for one in case["inputs"]["batches"]]
    )
    assert metric.corpus_score(rows) == pytest.approx(case["expect"]["perplexity"], abs=case["tolerance"])
    assert metric.divide(rows).mean() == pytest.approx(case["expect"]["wrong_mean"])
    case = worked["ppl-window"]
    given = case["inputs"]
    scored = [
        at for one in windows(given["tokens"], 1, given["window"], given["stride"]) for at in range(one.first, one.end)
    ]
    assert scored == [1, 2, 3, 4, 5]
    assert len(scored) == case["expect"]["scored_targets"]


@pytest.mark.parametrize("name", ["ppl-uniform", "ppl-masked"])
def test_worked_values_of_uniform_models(cases, name):
    """All logits 0 over V types: perplexity V, exactly, whatever is left out of the score."""
    from transformers import GPT2Config, GPT2LMHeadModel

    from validate.metrics.neural._logits import Logits

    case = cases("worked_values")[name]
    size = case["inputs"]["vocabulary"]
    labels = np.array(case["inputs"].get("labels", [[1, 2, 3], [4, 5, 6]]))
    config = GPT2Config(
        vocab_size=size,
        n_embd=4,
        n_layer=1,
        n_head=1,
        n_positions=8,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = GPT2LMHeadModel(config).eval()
    torch.nn.init.zeros_(model.lm_head.weight)
    ids = torch.from_numpy(np.maximum(labels, 0))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    rows, places = np.nonzero(labels[:, 1:] >= 0) if name == "ppl-uniform" else np.nonzero(labels >= 0)
    nats = Logits("m", model, {key: value[:1] for key, value in inputs.items()}).surprise(
        inputs, rows, places, labels[rows, places]
    )
    assert math.exp(nats.sum() / len(nats)) == pytest.approx(case["expect"]["perplexity"], abs=1e-9)
    if "counts" in case["expect"]:
        assert np.bincount(rows).tolist() == case["expect"]["counts"]


def test_a_uniform_model_has_the_size_of_its_vocabulary():
    scores = perplexity(uniform_gpt2).score(TEXTS)
    np.testing.assert_allclose(scores.items, 260, rtol=1e-12)
    assert scores.system == pytest.approx(260, rel=1e-12)


# "the" after a start token is "t" and "he": two tokens of log2 260 bits each, three bytes. "桥" is three tokens, three bytes, one character.
def test_bits_per_byte_and_character():
    texts = ["the", "桥"]
    by_byte = perplexity(uniform_gpt2, bos="yes", unit="byte").score(texts)
    by_character = perplexity(uniform_gpt2, bos="yes", unit="character").score(texts)
    bits = math.log2(260)
    np.testing.assert_allclose(by_byte.items, [2 * bits / 3, 3 * bits / 3])
    np.testing.assert_allclose(by_character.items, [2 * bits / 3, 3 * bits])
    assert by_byte.system == pytest.approx(5 * bits / 6)
    assert by_character.system == pytest.approx(5 * bits / 4)


def test_bits_need_the_first_token_scored():
    with pytest.raises(OptionError, match=r"unit='byte' was given where the first token.*give bos='yes'"):
        perplexity(unit="byte").score(["the bridge"])
    assert perplexity(unit="byte", given="source").score(["the"], sources=["x"]).system > 0
    assert perplexity(tiny_llama, unit="byte").score(["the"]).system > 0  # whose tokenizer puts a start token


def test_auto_is_what_the_tokenizer_does():
    one = perplexity(tiny_llama).score(TEXTS).items
    assert one.tolist() == perplexity(tiny_llama, bos="yes").score(TEXTS).items.tolist()
    assert perplexity(tiny_llama, bos="no").statistics(["the"])[0, 1] == 2  # of three bytes
    assert perplexity().statistics(["the"])[0, 1] == 1  # of "t" and "he"
    assert perplexity(bos=True).signature == perplexity(bos="yes").signature


def test_texts_without_a_scored_token_are_undefined():
    with pytest.warns(AccordWarning, match=r"2 outputs of 3 without a scored token.*bos=yes"):
        scores = perplexity().score(["", "h", "the"])
    assert np.isnan(scores.items).tolist() == [True, True, False]
    assert scores.system == scores.items[2]
    with pytest.warns(AccordWarning, match="1 output of 3"):
        assert np.isnan(perplexity(bos="yes").score(["", "h", "the"]).items).tolist() == [True, False, False]
    assert not np.isnan(perplexity(bos="yes", eos=True).score(["", "h", "the"]).items).any()


def test_the_source_is_context_and_is_not_scored():
    metric = perplexity(given="source")
    assert metric.needs == ("sources",)
    assert perplexity().needs == ()
    rows = metric.statistics(["the", "the"], sources=["one", "another"])
    assert rows[:, 1].tolist() == [2, 2]
    assert rows[0, 0] != rows[1, 0]
    with pytest.raises(ShapeError, match="no sources were given"):
        metric.score(["the"])


def test_a_prompt_that_is_too_long_loses_its_beginning():
    ending = "over the canal " * 20
    one, other = perplexity(given="source").score(["the bridge"] * 2, sources=["x" * 99 + ending, ending]).items
    assert one == other


@given(st.integers(0, 60), st.integers(1, 30), st.data())
def test_windows_score_every_token_once_with_enough_context(length, first, data):
    size = data.draw(st.integers(2, 20))
    stride = data.draw(st.integers(1, size - 1))
    found = list(windows(length, first, size, stride))
    assert [at for one in found for at in range(one.first, one.end)] == list(range(first, length))
    for one in found:
        assert one.end - one.begin <= size
        assert one.first - one.begin >= min(first, size - stride) >= 1
        assert one.end > one.first
    if length <= size and found:
        assert found == [(0, length, first)]


def test_windows_and_strides_that_do_not_fit_are_refused():
    with pytest.raises(OptionError, match=r"stride=16 was given; allowed: 1 to 15, .* so that every token has context"):
        perplexity(window=16, stride=16)
    with pytest.raises(OptionError, match=f"stride={POSITIONS} was given"):
        perplexity(stride=POSITIONS).score(["the bridge"])
    with pytest.raises(OptionError, match=f"window=65 was given; allowed: 2 to {POSITIONS}"):
        perplexity(window=65).score(["the bridge"])
    with pytest.raises(OptionError, match=r"prompt='Summary:' was given; allowed: a text with {source} in it"):
        perplexity(prompt="Summary:")


def test_an_encoder_is_refused():
    """transformers loads BERT as a causal model, and it sees what it should predict."""
    with pytest.raises(
        OptionError, match=r"looks at the tokens that come after the one it predicts.*take pseudo_perplexity"
    ):
        perplexity(tiny_masked).score(["the bridge"])


def test_a_model_that_gives_no_number_names_the_text(tmp_path):
    from tiny_language_models import gpt2_tokenizer
    from transformers import GPT2LMHeadModel

    model = GPT2LMHeadModel.from_pretrained(tiny_gpt2())
    model.transformer.wte.weight.data[gpt2_tokenizer().convert_tokens_to_ids("x")] = math.nan
    model.save_pretrained(tmp_path)
    gpt2_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(
        AccordError, match=r"a token of the text 'an x in it' a probability of NaN or 0; .*check the checkpoint"
    ):
        metrics.get("perplexity", model=str(tmp_path), device="cpu").score(["fine", "an x in it"])


def test_when_memory_runs_out_batches_are_halved(monkeypatch):
    from validate.metrics.neural._logits import Logits

    expected = perplexity().score(TEXTS).items
    real, sizes = Logits.surprise, []

    def scarce(self, inputs, *rest, **more):
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, inputs, *rest, **more)

    monkeypatch.setattr(Logits, "surprise", scarce)
    np.testing.assert_allclose(perplexity().score(TEXTS).items, expected, rtol=2e-6)
    assert max(sizes) > 2


def test_units_share_the_work(monkeypatch):
    from validate.metrics.neural._logits import Logits
    from validate.text.corpus import Batch

    batch = Batch.of(TEXTS, [[] for _ in TEXTS])
    one = perplexity(bos="yes").count(batch)
    monkeypatch.setattr(Logits, "surprise", None)
    assert perplexity(bos="yes", unit="byte").count(batch).tolist() == one.tolist()


def test_pickled_and_signed():
    metric = perplexity(given="source", prompt="{source}|\n")
    assert metric.prompt == perplexity(given="source", prompt=r"{source}|\n").prompt == "{source}|\n"
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature
    assert r"|prompt:{source}\x7c\n|window:model|stride:half|bos:auto|eos:no|" in metric.signature
    assert "model:tiny-gpt2@" in metric.signature
    assert "torch-" in metric.signature


def test_lower_precision_is_near():
    exact = perplexity().score(TEXTS).items
    np.testing.assert_allclose(perplexity(dtype="bfloat16").score(TEXTS).items, exact, rtol=0.2)
