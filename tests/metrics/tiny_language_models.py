"""Language models of a few thousand parameters, drawn from a seed and written as real ones are; each is made once in a test run."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from tiny_models import byte_pairs, saved, word_pieces

POSITIONS = 64


@lru_cache(maxsize=1)
def tiny_gpt2() -> Path:
    """GPT-2 over bytes and three merges; its tokenizer puts no start token, and its start token is its end token."""
    import torch
    from transformers import GPT2LMHeadModel

    torch.manual_seed(7)
    return saved("tiny-gpt2", GPT2LMHeadModel(_gpt2_config()), gpt2_tokenizer())


@lru_cache(maxsize=1)
def uniform_gpt2() -> Path:
    """The same with a head of zeros: every token is as likely as any other."""
    import torch
    from transformers import GPT2LMHeadModel

    config = _gpt2_config()
    config.tie_word_embeddings = False
    model = GPT2LMHeadModel(config)
    torch.nn.init.zeros_(model.lm_head.weight)
    return saved("uniform-gpt2", model, gpt2_tokenizer())


@lru_cache(maxsize=1)
def tiny_llama() -> Path:
    """Llama whose tokenizer puts a start token before every text; it cuts into characters' bytes, without merges."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(8)
    tokenizer = starting_tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=POSITIONS,
        initializer_range=0.3, bos_token_id=0, eos_token_id=1, pad_token_id=None,
    )  # fmt: skip
    return saved("tiny-llama", LlamaForCausalLM(config), tokenizer)


@lru_cache(maxsize=1)
def tiny_masked() -> Path:
    """BERT with a head; lowercase word pieces."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(9)
    tokenizer = word_pieces()
    tokenizer.model_max_length = POSITIONS
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=POSITIONS,
        initializer_range=0.3,
    )  # fmt: skip
    return saved("tiny-masked", BertForMaskedLM(config), tokenizer)


@lru_cache(maxsize=1)
def tiny_bart() -> Path:
    """BART over bytes and three merges."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(10)
    tokenizer = byte_pairs()
    config = BartConfig(
        vocab_size=len(tokenizer), d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=POSITIONS, init_std=0.3, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        decoder_start_token_id=2, forced_eos_token_id=2,
    )  # fmt: skip
    return saved("tiny-bart", BartForConditionalGeneration(config), tokenizer)


@lru_cache(maxsize=1)
def tiny_t5() -> Path:
    """T5 over bytes and three merges; only the end of a text is marked."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(11)
    tokenizer = ending_tokenizer()
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, num_layers=2, num_heads=2, d_ff=32, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
        initializer_factor=1.0,
    )  # fmt: skip
    return saved("tiny-t5", T5ForConditionalGeneration(config), tokenizer)


def gpt2_tokenizer() -> Any:
    """GPT-2's tokenizer over all bytes and three merges."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import GPT2Tokenizer

    pieces = ["<|endoftext|>", *sorted(ByteLevel.alphabet()), "he", "Ġt", "Ġthe"]
    merges = [("h", "e"), ("Ġ", "t"), ("Ġt", "he")]
    return GPT2Tokenizer(
        vocab={piece: at for at, piece in enumerate(pieces)}, merges=merges, model_max_length=POSITIONS
    )


def starting_tokenizer() -> Any:
    """All bytes, and ``<s>`` before every text."""
    return _byte_level({"bos_token": "<s>", "eos_token": "</s>"}, "<s> $A", model_max_length=POSITIONS)


def ending_tokenizer() -> Any:
    """All bytes, and ``</s>`` after every text."""
    return _byte_level({"pad_token": "<pad>", "eos_token": "</s>"}, "$A </s>", model_max_length=512)


def _byte_level(special: dict[str, str], template: str, model_max_length: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [*special.values(), *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({piece: at for at, piece in enumerate(pieces)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    numbered = [(piece, pieces.index(piece)) for piece in special.values()]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=numbered)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=model_max_length, **special)


def _gpt2_config() -> Any:
    from transformers import GPT2Config

    return GPT2Config(
        vocab_size=len(gpt2_tokenizer()), n_embd=16, n_layer=2, n_head=2, n_positions=POSITIONS, initializer_range=0.3, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
