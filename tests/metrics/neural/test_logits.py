"""The gate before the head: every architecture's own logits, a few at a time."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch, which comes with the extra neural")
pytest.importorskip("transformers", reason="needs transformers, which comes with the extra neural")

import torch
import transformers

from validate.metrics.neural._logits import Logits

SMALL = {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
GPT = {"vocab_size": 60, "n_embd": 16, "n_layer": 2, "n_head": 2, "bos_token_id": 1, "eos_token_id": 2}
PAIR = {"vocab_size": 60, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": 2}  # fmt: skip
# Heads that do more than multiply: Gemma 2 caps its logits, Granite scales them, OPT has a layer between, BERT's kind have a transform.
MODELS = [
    ("GPT2LMHeadModel", "GPT2Config", GPT),
    ("LlamaForCausalLM", "LlamaConfig", SMALL),
    ("Gemma2ForCausalLM", "Gemma2Config", {**SMALL, "head_dim": 8, "num_key_value_heads": 2, "initializer_range": 2.0}),
    ("GraniteForCausalLM", "GraniteConfig", {**SMALL, "logits_scaling": 3.0}),
    ("OPTForCausalLM", "OPTConfig", {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "ffn_dim": 32, "word_embed_proj_dim": 8}),
    ("BertForMaskedLM", "BertConfig", SMALL),
    ("RobertaForMaskedLM", "RobertaConfig", SMALL),
    ("DebertaV2ForMaskedLM", "DebertaV2Config", SMALL),
    ("BartForConditionalGeneration", "BartConfig", PAIR),
    ("T5ForConditionalGeneration", "T5Config", {"vocab_size": 60, "d_model": 16, "d_kv": 8, "num_layers": 2, "num_heads": 2, "d_ff": 32, "decoder_start_token_id": 0}),
]  # fmt: skip


@pytest.fixture(params=MODELS, ids=[name for name, _, _ in MODELS])
def model(request):
    name, config, options = request.param
    torch.manual_seed(12)
    made = getattr(transformers, name)(getattr(transformers, config)(**options)).eval()
    made.config.use_cache = False
    return made


def asked(model):
    ids = torch.randint(5, 50, (2, 7), generator=torch.Generator().manual_seed(1))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids.flip(1)
    rows, places = np.repeat([0, 1], 7), np.tile(np.arange(7), 2)
    return inputs, rows, places, ids.numpy().reshape(-1)


def test_equal_to_the_whole_model(model):
    inputs, rows, places, tokens = asked(model)
    with torch.no_grad():
        expected = -torch.log_softmax(model(**inputs).logits.double(), -1)[rows, places, tokens].numpy()
    gated = Logits("m", model, {key: value[:1, :3] for key, value in inputs.items()})
    assert gated.gate is not None
    for head in (1, 300, 10**6):
        np.testing.assert_allclose(
            gated.surprise(inputs, rows, places, tokens, head=head), expected, rtol=1e-5, atol=1e-5
        )


def test_only_what_is_asked_for_goes_through_the_head(model):
    inputs, rows, places, tokens = asked(model)
    gated = Logits("m", model, inputs)
    heard = []
    model.get_output_embeddings().register_forward_hook(lambda module, given, output: heard.append(output.shape[-2]))
    gated.surprise(inputs, rows[:3], places[:3], tokens[:3])
    assert max(heard) <= 3


def test_a_model_that_does_otherwise_is_asked_for_all_logits():
    """Its head looks at the body's output and at where it stands, so that a part of it is not enough."""

    class Odd(transformers.GPT2LMHeadModel):
        def forward(self, **inputs):
            output = super().forward(**inputs)
            output.logits = output.logits * torch.arange(1, output.logits.shape[1] + 1)[None, :, None]
            return output

    torch.manual_seed(12)
    model = Odd(transformers.GPT2Config(**GPT)).eval()
    inputs, rows, places, tokens = asked(model)
    with torch.no_grad():
        expected = -torch.log_softmax(model(**inputs).logits.double(), -1)[rows, places, tokens].numpy()
    whole = Logits("m", model, inputs)
    assert whole.gate is None
    np.testing.assert_allclose(whole.surprise(inputs, rows, places, tokens), expected, rtol=1e-5, atol=1e-5)
