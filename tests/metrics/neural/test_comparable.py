"""Perplexities that measure the same stand in one table; others are refused with the reason."""

from __future__ import annotations

import math

import pytest

from validate import metrics
from validate.errors import AccordError, ShapeError

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

from tiny_language_models import tiny_gpt2, tiny_llama, tiny_masked, uniform_gpt2

from validate.metrics.neural.perplexity import compare_perplexities

TEXTS = ["the bridge over the canal", "was closed"]


def scores(model, texts=TEXTS, **options):
    name = "pseudo_perplexity" if model is tiny_masked else "perplexity"
    return metrics.get(name, model=str(model()), device="cpu", **options).score(texts)


def test_the_same_tokens_can_be_compared():
    trained, uniform = scores(tiny_gpt2), scores(uniform_gpt2)
    table = compare_perplexities({"trained": trained, "uniform": uniform})
    assert table["name"].tolist() == ["trained", "uniform"]
    assert table["score"].tolist() == [trained.system, uniform.system]
    assert table["difference"].tolist() == [0, uniform.system - trained.system]
    nats, n_tokens, n_bytes, _ = uniform.statistics.sum(axis=0)
    assert table["n_tokens"].tolist() == [n_tokens, n_tokens]
    assert table["bits_per_byte"][1] == pytest.approx(nats / math.log(2) / n_bytes)
    assert table["bits_per_character"][1] == pytest.approx(nats / math.log(2) / n_bytes)  # all of it is ASCII


def test_other_tokens_are_refused_and_bits_per_byte_are_not():
    with pytest.raises(
        AccordError, match=r"'a' and 'b': their tokenizers cut the same texts into different tokens.*unit='byte'"
    ):
        compare_perplexities({"a": scores(tiny_gpt2, bos="yes"), "b": scores(tiny_llama, bos="yes")})
    bits = {"a": scores(tiny_gpt2, bos="yes", unit="byte"), "b": scores(tiny_llama, bos="yes", unit="byte")}
    assert len(compare_perplexities(bits)) == 2


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda: scores(tiny_gpt2, TEXTS[:1]), "they are of different texts"),
        (lambda: scores(tiny_gpt2, bos="yes"), "they are scored under different rules .*bos=auto.*bos=yes"),
        (lambda: scores(tiny_gpt2, window=8), "they are scored under different rules .*window=8"),
        (lambda: scores(tiny_gpt2, bos="yes", unit="byte"), "one is per token, the other per byte"),
        (lambda: scores(tiny_masked), "they are perplexity and pseudo_perplexity, which measure different things"),
    ],
    ids=["texts", "start", "window", "unit", "metric"],
)
def test_what_is_not_the_same_is_refused(other, reason):
    with pytest.raises(AccordError, match=f"compare_perplexities: 'a' and 'b': {reason}"):
        compare_perplexities({"a": scores(tiny_gpt2), "b": other()})


def test_windows_matter_only_to_texts_that_do_not_fit():
    short = {"a": scores(tiny_gpt2), "b": scores(tiny_gpt2, window=60)}
    assert compare_perplexities(short)["difference"].tolist() == [0, 0]
    long = ["the bridge " * 20]
    with pytest.raises(AccordError, match=r"different rules .*window=64, stride=32.*window=60, stride=30"):
        compare_perplexities({"a": scores(tiny_gpt2, long), "b": scores(tiny_gpt2, long, window=60)})


def test_one_score_is_no_comparison():
    with pytest.raises(ShapeError, match="1 scores were given; two or more are needed"):
        compare_perplexities({"a": scores(tiny_gpt2)})


def test_a_note_says_what_can_be_compared():
    from validate.text.corpus import Batch

    metric = metrics.get("perplexity", model=str(tiny_gpt2()), device="cpu", bos="yes")
    (note,) = metric.notes(Batch.of(TEXTS, [[], []]))
    assert "only where the same texts are cut into the same tokens" in note.text
