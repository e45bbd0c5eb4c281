"""What all trainers of TRL are told alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from afterburner.training.config.batches import BatchPlan
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.trainers.folder import RunFolder


def common_arguments(config: TrainConfig, plan: BatchPlan, folder: RunFolder) -> dict[str, Any]:
    """The arguments of `transformers.TrainingArguments`."""
    on_gpu = torch.cuda.is_available()
    return {
        "output_dir": str(folder.checkpoints),
        "per_device_train_batch_size": plan.per_device,
        "gradient_accumulation_steps": plan.accumulation,
        "learning_rate": config.optimizer.learning_rate,
        "lr_scheduler_type": config.optimizer.schedule,
        "warmup_steps": config.optimizer.warmup_steps,
        "optim": config.optimizer.name,
        "weight_decay": config.optimizer.weight_decay,
        "max_grad_norm": config.optimizer.gradient_clip,
        "num_train_epochs": config.epochs,
        "max_steps": config.steps or -1,
        "bf16": config.model.dtype == "bfloat16",
        "gradient_checkpointing": config.gradient_checkpointing,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "seed": config.seed,
        "data_seed": config.seed,
        "logging_steps": config.log_every,
        "logging_nan_inf_filter": False,  # a loss that is no number has to be seen
        "save_strategy": "steps",
        "save_steps": config.checkpoint_every,
        "save_total_limit": config.checkpoints_kept,
        "report_to": "none",
        "disable_tqdm": True,  # a line of our own tells the progress
    }
