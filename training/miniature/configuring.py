"""The configuration of a miniature's training run: the committed one, with what its size and the device change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from afterburner.training.config.reading import read_config
from afterburner.training.config.schema import Method, TrainConfig, VllmConfig

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.training.miniature.arms import Arm
    from afterburner.training.miniature.size import Size


@dataclass(frozen=True, slots=True)
class Device:
    """What trains.

    Attributes:
        is_gpu: it computes in bfloat16 then.
        has_vllm: GRPO's answers come from vLLM on the same GPU.
    """

    is_gpu: bool = False
    has_vllm: bool = False

    @classmethod
    def found(cls) -> Device:
        """The device of this machine."""
        import torch  # noqa: PLC0415 - heavy

        is_gpu = torch.cuda.is_available()
        return cls(is_gpu, is_gpu and find_spec("vllm") is not None)


def config_of(arm: Arm, size: Size, device: Device, *, seed: int, start: Path, data: Path) -> TrainConfig:
    """The configuration of one training run.

    Args:
        arm: what is trained.
        size: of the miniature.
        device: that trains it.
        seed: of the run.
        start: the model that it starts from.
        data: the data set.
    """
    config = read_config(f"miniature/{arm.config}")
    dtype = "bfloat16" if device.is_gpu else config.model.dtype
    changes: dict[str, Any] = {
        "model": config.model.model_copy(update={"path": str(start), "dtype": dtype}),
        "data": str(data),
        "seed": seed,
    }
    if size.steps:
        changes["steps"] = size.steps
    if arm.correctness_weight is not None:
        changes["reward"] = replace(config.reward, correctness_weight=arm.correctness_weight)
    if config.method is Method.GRPO:
        prompts, rollouts = size.rollout or (config.grpo.prompts, config.grpo.rollouts)
        vllm = VllmConfig() if device.has_vllm else None
        changes["grpo"] = config.grpo.model_copy(update={"prompts": prompts, "rollouts": rollouts, "vllm": vllm})
        answers = prompts * rollouts
        changes["batch"] = config.batch.model_copy(update={"size": answers, "per_device": answers})
    elif size.batch:
        changes["batch"] = config.batch.model_copy(update={"size": size.batch, "per_device": size.batch})
    return config.model_copy(update=changes)
