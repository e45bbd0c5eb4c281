"""Checks that what a configuration asks for is installed and that the devices can do it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch

from afterburner.sandbox import UsageError
from afterburner.sandbox.extras import install_command
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from afterburner.training.config.schema import TrainConfig


def check_machine(config: TrainConfig) -> None:
    """Check the libraries and the devices.

    Raises:
        TrainingError: a library is missing, or the devices cannot do it.
        UsageError: there are several GPUs, and this is the only process.
    """
    for name, extra, why in _needs(config):
        if find_spec(name) is None:
            raise TrainingError(f"{why} needs {name}, which is not installed. Install it: {install_command(extra)}")
    if not torch.cuda.is_available():
        return
    if torch.cuda.device_count() > 1 and "WORLD_SIZE" not in os.environ:
        raise UsageError(
            f"There are {torch.cuda.device_count()} GPUs and one process. Start one for each with accelerate launch, "
            "or choose one with CUDA_VISIBLE_DEVICES."
        )
    if config.model.dtype == "bfloat16" and not torch.cuda.is_bf16_supported():
        raise TrainingError("This GPU has no bfloat16. Set model.dtype to float32.")


def _needs(config: TrainConfig) -> list[tuple[str, str, str]]:
    """Module, extra, and the setting that needs it."""
    found = []
    if config.optimizer.name == "adamw_bnb_8bit":
        found.append(("bitsandbytes", "gpu", "optimizer.name adamw_bnb_8bit"))
    if config.grpo.vllm is not None:
        found.append(("vllm", "vllm", "grpo.vllm"))
    return found
