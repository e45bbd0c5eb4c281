"""Trains two steps of SFT and prints the peak memory of this process, in GiB. Arguments: a model's folder, JSON."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from typing import Any

from datasets import Dataset
from peft import LoraConfig
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

WORDS = {"<pad>": 0, "<eos>": 1, "question": 2, "answer": 3}


def main(folder: str, *, tokens: int, per_device: int, checkpointing: bool, lora: bool) -> None:
    """Train as the trainers do: all weights, or an adapter, in float32."""
    words = Tokenizer(models.WordLevel(WORDS, unk_token="question"))  # noqa: S106 - a word
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    half = " ".join(["answer"] * (tokens // 2 - 1))
    rows = [{"prompt": " ".join(["question"] * (tokens // 2)), "completion": f" {half}"}] * (4 * per_device)
    model: Any = AutoModelForCausalLM
    trainer = SFTTrainer(
        model=model.from_config(AutoConfig.from_pretrained(folder)),
        args=SFTConfig(
            output_dir=tempfile.mkdtemp(),
            per_device_train_batch_size=per_device,
            max_steps=2,
            max_length=tokens,
            gradient_checkpointing=checkpointing,
            bf16=False,
            use_cpu=True,
            dataloader_pin_memory=False,
            save_strategy="no",
            report_to="none",
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>"),  # noqa: S106
        peft_config=LoraConfig(target_modules="all-linear", task_type="CAUSAL_LM") if lora else None,
    )
    trainer.train()
    sys.stdout.write(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2}\n")


if __name__ == "__main__":
    main(sys.argv[1], **json.loads(sys.argv[2]))
