"""How much a run writes to disk."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.training.planning.activations import FLOAT32
from afterburner.training.planning.hardware import GIB
from afterburner.training.planning.memory import optimizer_bytes

if TYPE_CHECKING:
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.planning.architectures import Architecture

_MERGED = 2  # bytes of a weight: bases are stored in bfloat16


@dataclass(frozen=True, slots=True)
class Disk:
    """The files of a run, over all devices.

    Attributes:
        checkpoint_gib: one checkpoint.
        checkpoints: that exist at once: a new one is complete before the oldest is deleted.
        model_gib: the trained model.
        start_gib: the model that training starts from, where an adapter has to be merged for it.
    """

    checkpoint_gib: float
    checkpoints: int
    model_gib: float
    start_gib: float = 0.0

    @property
    def total_gib(self) -> float:
        """All of it."""
        return self.checkpoint_gib * self.checkpoints + self.model_gib + self.start_gib


def predict_disk(config: TrainConfig, model: Architecture) -> Disk:
    """Predict what a run writes."""
    weights = FLOAT32 * model.trainable
    checkpoint = weights + optimizer_bytes(config, model)
    is_adapter = (Path(config.model.path) / "adapter_config.json").is_file()
    start = _MERGED * model.parameters if is_adapter else 0
    return Disk(checkpoint / GIB, config.checkpoints_kept + 1, weights / GIB, start / GIB)


def free_gib(folder: Path) -> float:
    """What is free where a folder is or will be.

    Raises:
        UsageError: it cannot be made.
    """
    place = folder.absolute()
    try:
        while not place.exists():
            place = place.parent
        if not place.is_dir():
            raise UsageError(f"{folder} cannot be created: {place} is a file. Give another --out.")
        return shutil.disk_usage(place).free / GIB
    except OSError as error:
        raise UsageError(f"{folder} cannot be created: {error.strerror or error}. Give another --out.") from error
