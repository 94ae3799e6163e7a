"""How long perplexity takes beside transformers' own loss, one text at a time, and BARTScore beside a model call a pair, in the same run.

    python tests/bench/bench_likelihood.py

The models are drawn at random: GPT-2 with 4 layers of 256 and BART with 3 + 3, both with the 50,257 tokens that the real ones have, so that
the head costs what it does there. Processor seconds of one thread, from raw strings to scores, models read before the clock starts.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import Peer, heading, line, load, on_one_thread, seconds, times

on_one_thread()
sys.path.insert(0, str(Path(__file__).parent.parent / "metrics"))

import numpy as np  # noqa: E402

from validate import metrics  # noqa: E402


def models(folder: Path) -> tuple[Path, Path]:
    """The two checkpoints, with byte tokenizers."""
    import torch
    from tiny_language_models import gpt2_tokenizer
    from tiny_models import byte_pairs
    from transformers import BartConfig, BartForConditionalGeneration, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(1)
    causal = GPT2Config(n_embd=256, n_layer=4, n_head=4, n_positions=512, bos_token_id=0, eos_token_id=0)
    pair = BartConfig(
        vocab_size=50257, d_model=256, encoder_layers=3, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=1024,
        decoder_ffn_dim=1024, max_position_embeddings=512, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
    )  # fmt: skip
    for name, model, tokenizer in (
        ("causal", GPT2LMHeadModel(causal), gpt2_tokenizer()),
        ("seq2seq", BartForConditionalGeneration(pair), byte_pairs()),
    ):
        tokenizer.model_max_length = 512
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder / "causal", folder / "seq2seq"


def texts(n: int, low: int, high: int, rng: np.random.Generator) -> list[str]:
    """Texts of letters, which are tokens of these tokenizers."""
    return [
        "".join(chr(97 + int(letter)) for letter in rng.integers(0, 26, length))
        for length in rng.integers(low, high, n)
    ]


def alone(kind: str, folder: Path, prefix: bool) -> Any:
    """The model's own loss, a text or a pair at a time."""
    import torch
    import transformers

    model = getattr(transformers, kind).from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def scored(outputs: Sequence[str], sources: Sequence[str]) -> list[float]:
        found = []
        with torch.inference_mode():
            for output, source in zip(outputs, sources, strict=True):
                labels = torch.tensor([[0] * prefix + tokenizer(output)["input_ids"]])
                ids = labels if prefix else torch.tensor([tokenizer(source)["input_ids"]])
                found.append(float(model(input_ids=ids, labels=labels).loss))
        return found

    return scored


def main() -> None:
    rng = np.random.default_rng(1)
    heading(f"Likelihoods under language models with 50,257 tokens; {load()}")
    with tempfile.TemporaryDirectory() as place:
        causal, seq2seq = models(Path(place))
        perplexity = metrics.get("perplexity", model=str(causal), bos="yes", device="cpu")
        by_text = alone("AutoModelForCausalLM", causal, prefix=True)
        outputs = texts(200, 10, 60, rng)
        compared("perplexity, 200 texts of 10 to 60 tokens", perplexity, by_text, outputs, outputs, np.log)
        repeated = outputs[:50] * 4
        compared("the same, 50 of them 4 times", perplexity, by_text, repeated, repeated, np.log)
        bartscore = metrics.get("bartscore", model=str(seq2seq), direction="faithfulness", device="cpu")
        by_pair = alone("AutoModelForSeq2SeqLM", seq2seq, prefix=False)
        sources = [source for source in texts(12, 250, 400, rng) for _ in range(16)]
        compared(
            "bartscore, 12 sources, 16 outputs each", bartscore, by_pair, texts(192, 20, 60, rng), sources, np.negative
        )


def compared(what: str, metric: Any, by_one: Any, outputs: list[str], sources: list[str], as_loss: Any) -> None:
    """One line of the table; the numbers have to be the same."""
    found = metric.score(outputs[:2], sources=sources[:2])
    np.testing.assert_allclose(as_loss(found.items), by_one(outputs[:2], sources[:2]), rtol=1e-5)
    ours = seconds(lambda: metric.score(outputs, sources=sources))
    line(
        what,
        ours,
        peer=Peer("transformers", seconds(lambda: by_one(outputs, sources)), "a call a text"),
        target=times(1),
    )


if __name__ == "__main__":
    main()
