"""GRPO: answers of the model itself, rewarded by the sandbox, each held against the others to the same prompt."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

import torch
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from afterburner.training.trainers.arguments import common_arguments
from afterburner.training.trainers.keeping import KeepsCheckpoints
from afterburner.training.trainers.models import load_model, lora_of

if TYPE_CHECKING:
    from afterburner.training.config.schema import GrpoConfig
    from afterburner.training.trainers.parts import Parts
    from afterburner.training.trainers.rewarding import SandboxReward


class _Trainer(KeepsCheckpoints, GRPOTrainer):
    """Also measures how long a rollout takes."""

    def _generate(self, prompts: list[Any]) -> Any:
        began = monotonic()
        found = super()._generate(prompts)
        took_s = monotonic() - began
        own = torch.tensor([sum(len(each) for each in found[1])], device=self.accelerator.device)
        answer_tokens = int(self.accelerator.gather(own).sum())  # of all processes, which generate at once
        metrics = self._metrics["train"]  # nothing is evaluated while it trains
        metrics["generation/time_s"].append(took_s)
        metrics["generation/tokens_per_s"].append(answer_tokens / took_s)
        return found


def rollout_trainer(parts: Parts, reward: SandboxReward) -> GRPOTrainer:
    """Make a trainer for prompts.

    Equations 1 and 2 of the paper: the clipped ratio times the advantage (R - mean) / deviation within the group, the
    mean over an answer's tokens and then over answers, without a KL term or an entropy bonus.
    """
    config, plan = parts.config, parts.plan
    grpo = config.grpo
    arguments = GRPOConfig(
        **common_arguments(config, plan, parts.folder),
        num_generations=grpo.rollouts,
        steps_per_generation=plan.accumulation * plan.updates_per_rollout,
        num_iterations=1,
        beta=0.0,
        epsilon=grpo.clip,
        loss_type="grpo",
        scale_rewards="group",
        temperature=grpo.temperature,
        max_completion_length=grpo.answer_tokens,
        mask_truncated_completions=not grpo.learn_from_cut,
        **_vllm_arguments(grpo),
    )
    return _Trainer(
        model=load_model(config, parts.start),
        reward_funcs=reward,
        args=arguments,
        train_dataset=parts.dataset,
        processing_class=parts.tokenizer,
        peft_config=lora_of(config.lora),
        callbacks=list(parts.callbacks),
    )


def _vllm_arguments(grpo: GrpoConfig) -> dict[str, Any]:
    vllm = grpo.vllm
    if vllm is None:
        return {"use_vllm": False}
    arguments: dict[str, Any] = {
        "use_vllm": True,
        "vllm_mode": vllm.mode,
        "vllm_tensor_parallel_size": vllm.tensor_parallel,
        "vllm_max_model_length": grpo.prompt_tokens + grpo.answer_tokens,
        "vllm_importance_sampling_correction": vllm.correct_mismatch,
        "vllm_importance_sampling_mode": "token_truncate",
    }
    if vllm.mode == "server":
        return {**arguments, "vllm_server_base_url": vllm.server}
    return {**arguments, "vllm_gpu_memory_utilization": vllm.gpu_memory_share}
