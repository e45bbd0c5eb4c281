"""Training's libraries are an extra: whoever lacks them is told how to get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.commands.needs import EXTRAS, needing
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_OURS = ("accelerate", "datasets", "peft", "pyarrow", "tensorboard", "torch", "transformers", "trl", "yaml")


def needing_training() -> AbstractContextManager[None]:
    """Say which extra is missing, where one is, with a TrainingError."""
    return needing({**EXTRAS, **dict.fromkeys(_OURS, "train"), "vllm": "vllm"}, TrainingError)
