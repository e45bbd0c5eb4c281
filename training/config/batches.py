"""How a batch is divided among devices, so that an update sees the same number of examples on any number of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.training.config.schema import Method

if TYPE_CHECKING:
    from afterburner.training.config.schema import TrainConfig


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """How one update of the weights is computed.

    Attributes:
        devices: that share the batch.
        per_device: examples that a device takes at a time.
        accumulation: how often, before the weights are updated.
        updates_per_rollout: with GRPO, updates that are made from the answers of one rollout; otherwise 1.
    """

    devices: int
    per_device: int
    accumulation: int
    updates_per_rollout: int = 1

    @property
    def size(self) -> int:
        """Examples in one update."""
        return self.devices * self.per_device * self.accumulation


def plan_batches(config: TrainConfig, devices: int) -> BatchPlan:
    """Divide the batch; a device takes fewer at a time than it may if that is what divides it evenly.

    Args:
        config: with the size of a batch, and the most that a device takes at a time.
        devices: processes that train.

    Raises:
        UsageError: it cannot be divided evenly.
    """
    size = config.batch.size
    if size % devices:
        raise UsageError(
            f"batch.size {size} cannot be divided evenly among {devices} devices. Train on a number of devices that "
            "divides it, or change it."
        )
    share = size // devices
    per_device = _largest_divisor(share, config.batch.per_device)
    return BatchPlan(devices, per_device, share // per_device, _updates_per_rollout(config))


def _largest_divisor(share: int, most: int) -> int:
    """The largest divisor that is at most so large."""
    small = [number for number in range(1, math.isqrt(share) + 1) if share % number == 0]
    return max(number for low in small for number in (low, share // low) if number <= most)


def _updates_per_rollout(config: TrainConfig) -> int:
    """How many updates the answers of one rollout are enough for.

    Raises:
        UsageError: they are not a whole number of batches, or checkpoints would fall between two rollouts' updates.
    """
    if config.method is not Method.GRPO:
        return 1
    answers = config.grpo.prompts * config.grpo.rollouts
    if answers % config.batch.size:
        raise UsageError(
            f"grpo.prompts {config.grpo.prompts} times grpo.rollouts {config.grpo.rollouts} are {answers} answers: "
            f"no whole number of batches of batch.size {config.batch.size}."
        )
    if config.batch.size % config.grpo.rollouts:
        raise UsageError(
            f"batch.size {config.batch.size} is no multiple of grpo.rollouts {config.grpo.rollouts}: a prompt's "
            "answers would be torn apart."
        )
    updates = answers // config.batch.size
    if config.checkpoint_every % updates:
        raise UsageError(
            f"checkpoint_every {config.checkpoint_every} is no multiple of the {updates} updates of each rollout, and "
            "a run cannot go on from the middle of one."
        )
    return updates
