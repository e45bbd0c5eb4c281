"""What a trainer is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase, TrainerCallback

    from afterburner.training.config.batches import BatchPlan
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.trainers.folder import RunFolder


@dataclass(frozen=True, slots=True)
class Parts:
    """What a trainer is made from.

    Attributes:
        config: of the run.
        plan: how its batches are divided.
        folder: of the run.
        start: the path of the whole model that training starts from.
        tokenizer: of that model.
        dataset: the rows.
        callbacks: that watch the run.
    """

    config: TrainConfig
    plan: BatchPlan
    folder: RunFolder
    start: str
    tokenizer: PreTrainedTokenizerBase
    dataset: Dataset
    callbacks: tuple[TrainerCallback, ...]
