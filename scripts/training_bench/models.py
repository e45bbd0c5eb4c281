"""A Qwen2 of random weights with the sizes of a known one, and a tokenizer of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM, Qwen2Tokenizer

from afterburner.training.miniature.tokenizer import END, PAD, START, TEMPLATE
from afterburner.training.planning.architectures import KNOWN
from scripts.training_bench.data import some_texts

if TYPE_CHECKING:
    from pathlib import Path

_POSITIONS = 32_768


def write_model(name: str, folder: Path) -> None:
    """Write the model with the sizes of Qwen2.5-`name`, in bfloat16."""
    sizes = KNOWN[f"Qwen/Qwen2.5-{name}"]
    tokenizer = Qwen2Tokenizer().train_new_from_iterator(
        some_texts(), 1000, new_special_tokens=[START, END], show_progress=False
    )
    tokenizer.eos_token, tokenizer.pad_token, tokenizer.chat_template = END, PAD, TEMPLATE
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    config = Qwen2Config(
        hidden_size=sizes.hidden,
        intermediate_size=sizes.intermediate,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        num_key_value_heads=sizes.kv_heads,
        vocab_size=sizes.vocabulary,
        tie_word_embeddings=sizes.tied,
        max_position_embeddings=_POSITIONS,
        **ends,
    )
    torch.manual_seed(0)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = Qwen2ForCausalLM(config)
    module: torch.nn.Module = model  # whose method, unlike the model's, says what it takes
    module.to(torch.bfloat16)
    model.generation_config = GenerationConfig(do_sample=True, **ends)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    del model, module
    torch.cuda.empty_cache()
