"""Training's libraries are an extra: whoever lacks them is told how to get them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from afterburner.evals.commands.needs import EXTRAS, needing
from afterburner.sandbox.terminal.text import scrub_line
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_OURS = ("accelerate", "datasets", "peft", "pyarrow", "tensorboard", "torch", "transformers", "trl", "yaml")


def needing_training() -> AbstractContextManager[None]:
    """Say which extra is missing, where one is, with a TrainingError."""
    return needing({**EXTRAS, **dict.fromkeys(_OURS, "train"), "vllm": "vllm"}, TrainingError)


def tell_of_download(model: str) -> None:
    """Say that the hub is asked for a model's architecture, where it is: without a network that takes a while."""
    from afterburner.training.planning.architectures import needs_hub

    if needs_hub(model):
        sys.stderr.write(f"asking the Hugging Face hub for {scrub_line(model)} …\n")
        sys.stderr.flush()
