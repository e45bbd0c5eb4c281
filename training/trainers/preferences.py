"""DPO: chosen answers become more probable than rejected ones, relative to the model that training started from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DPOTrainer

from afterburner.training.errors import TrainingError
from afterburner.training.trainers.arguments import common_arguments
from afterburner.training.trainers.keeping import KeepsCheckpoints
from afterburner.training.trainers.models import load_model, lora_of

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState, TrainingArguments

    from afterburner.training.trainers.parts import Parts


class _Trainer(KeepsCheckpoints, DPOTrainer):
    pass


@dataclass
class _Collapse(TrainerCallback):
    """Ends training when the chosen answers themselves become improbable, which the loss does not show.

    Attributes:
        beta: by which the logged reward is the change of the log-probability.
        largest_fall_nats: of the mean log-probability of a chosen answer.
    """

    beta: float
    largest_fall_nats: float

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Look at the log-probability.

        Raises:
            TrainingError: it has fallen too far.
        """
        fall = -float((logs or {}).get("rewards/chosen", 0.0)) / self.beta
        if fall > self.largest_fall_nats:
            raise TrainingError(
                f"At step {state.global_step} the log-probability of the chosen answers is {fall:.1f} nats below the "
                f"reference's; dpo.largest_fall_nats is {self.largest_fall_nats:g}. The model is forgetting how to "
                "answer: lower optimizer.learning_rate, or raise dpo.beta. Earlier checkpoints are kept."
            )


def preference_trainer(parts: Parts) -> DPOTrainer:
    """Make a trainer for prompts with a chosen and a rejected answer; the reference is the model it starts from.

    With an adapter, the reference is the model without it; else it is a second copy of the weights.
    """
    dpo = parts.config.dpo
    arguments = DPOConfig(
        **common_arguments(parts.config, parts.plan, parts.folder),
        beta=dpo.beta,
        loss_type=["sigmoid"],
        max_length=parts.config.max_tokens,
    )
    watch = [_Collapse(dpo.beta, dpo.largest_fall_nats)] if dpo.largest_fall_nats is not None else []
    return _Trainer(
        model=load_model(parts.config, parts.start),
        args=arguments,
        train_dataset=parts.dataset,
        processing_class=parts.tokenizer,
        peft_config=lora_of(parts.config.lora),
        callbacks=[*parts.callbacks, *watch],
    )
