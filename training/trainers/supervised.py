"""SFT and the cold start: the cross-entropy of the answers' tokens, the end of the answer included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from afterburner.training.trainers.arguments import common_arguments
from afterburner.training.trainers.keeping import KeepsCheckpoints
from afterburner.training.trainers.models import load_model, lora_of

if TYPE_CHECKING:
    from afterburner.training.trainers.parts import Parts


class _Trainer(KeepsCheckpoints, SFTTrainer):
    pass


def supervised_trainer(parts: Parts) -> SFTTrainer:
    """Make a trainer for prompts with completions; the loss is the mean over the completions' tokens."""
    arguments = SFTConfig(
        **common_arguments(parts.config, parts.plan, parts.folder),
        max_length=parts.config.max_tokens,
        packing=False,
        completion_only_loss=True,
    )
    return _Trainer(
        model=load_model(parts.config, parts.start),
        args=arguments,
        train_dataset=parts.dataset,
        processing_class=parts.tokenizer,
        peft_config=lora_of(parts.config.lora),
        callbacks=list(parts.callbacks),
    )
