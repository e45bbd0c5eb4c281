"""What is measured: the paper's configurations as far as one GPU takes them, and what changes their memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from afterburner.training.config.reading import read_config
from afterburner.training.config.schema import TrainConfig

if TYPE_CHECKING:
    from pathlib import Path

_ALL = {"lora": None}
_NO_CHECKPOINTING = {"gradient_checkpointing": False}
_FUSED = {"name": "adamw_torch_fused"}
_ROLLOUT = {"prompts": 8, "rollouts": 8, "prompt_tokens": 1024, "answer_tokens": 512, "vllm": None}


@dataclass(frozen=True, slots=True)
class Case:
    """A few steps of a method.

    Attributes:
        name: of the case.
        model: whose architecture it has, of the Qwen2.5 family: `3B`.
        base: the shipped configuration that it changes.
        size: examples in an update.
        per_device: of these at a time.
        changes: to the configuration, section by section; None removes one.
        steps: updates.
    """

    name: str
    model: str
    base: str
    size: int
    per_device: int
    changes: dict[str, Any] = field(default_factory=dict)
    steps: int = 4

    def config(self, model: Path, data: Path) -> TrainConfig:
        """The configuration of the run."""
        document = read_config(self.base).model_dump(mode="json", exclude_unset=True)
        changes = {
            **self.changes,
            "model": {"path": str(model), **self.changes.get("model", {})},
            "data": str(data),
            "batch": {"size": self.size, "per_device": self.per_device},
            "steps": self.steps,
            "checkpoint_every": 1000,
        }
        for name, value in changes.items():
            if value is None:
                document.pop(name, None)
            elif isinstance(value, dict):
                document[name] = {**document.get(name, {}), **value}
            else:
                document[name] = value
        return TrainConfig.model_validate(document)


CASES = (
    Case("sft", "3B", "paper/sft", 8, 4),
    Case("sft-single", "3B", "paper/sft", 8, 1),
    Case("sft-plain", "1.5B", "paper/sft", 8, 4, {**_NO_CHECKPOINTING, "max_tokens": 2048}),
    Case("sft-all", "1.5B", "paper/sft", 8, 4, _ALL),
    Case("sft-all-plain", "0.5B", "paper/sft", 8, 8, {**_ALL, **_NO_CHECKPOINTING, "max_tokens": 2048}),
    Case(
        "sft-all-eager",
        "0.5B",
        "paper/sft",
        8,
        4,
        {**_ALL, **_NO_CHECKPOINTING, "max_tokens": 2048, "model": {"attention": "eager"}},
    ),
    Case(
        "sft-all-float32",
        "0.5B",
        "paper/sft",
        8,
        4,
        {**_ALL, **_NO_CHECKPOINTING, "max_tokens": 2048, "model": {"dtype": "float32"}},
    ),
    Case("dpo", "3B", "paper/dpo", 4, 2),
    Case("dpo-plain", "0.5B", "paper/dpo", 4, 2, _NO_CHECKPOINTING),
    Case("dpo-all", "1.5B", "paper/dpo", 4, 2, _ALL),
    Case("cold-start", "3B", "paper/cold-start", 4, 1, {"optimizer": _FUSED, "max_tokens": 16_384}),
    Case("cold-start-long", "1.5B", "paper/cold-start", 2, 1, {"optimizer": {"name": "adamw_torch"}}),
    Case("grpo", "1.5B", "paper/grpo", 64, 8, {"sharding": "none", "grpo": _ROLLOUT}, steps=3),
    Case("grpo-adapter", "1.5B", "paper/grpo", 64, 8, {"sharding": "none", "grpo": _ROLLOUT, "lora": {}}, steps=3),
    Case("grpo-many", "0.5B", "paper/grpo", 512, 8, {"sharding": "none", "grpo": {**_ROLLOUT, "prompts": 64}}, steps=2),
)
