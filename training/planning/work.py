"""How much work a training run is: steps, tokens, answers, sandbox time and hours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.training.config.schema import Method
from afterburner.training.data.card import PAPERS_EXAMPLES
from afterburner.training.data.settings import Recipe

if TYPE_CHECKING:
    from afterburner.training.config.batches import BatchPlan
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.planning.architectures import Architecture
    from afterburner.training.planning.assumptions import Assumptions
    from afterburner.training.planning.hardware import Hardware

_PAPERS_COLD_START = 2_071
PAPERS_ROWS = {
    Method.SFT: PAPERS_EXAMPLES[Recipe.SFT],
    Method.DPO: PAPERS_EXAMPLES[Recipe.DPO],
    Method.COLD_START: _PAPERS_COLD_START,
    Method.GRPO: PAPERS_EXAMPLES[Recipe.GRPO],
}
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a whole run.

    Attributes:
        rows: of the data set.
        steps: updates of the weights.
        sequences: that are trained on, repeats included; DPO counts the chosen and the rejected answer, GRPO answers.
        tokens_most: of them, if each were as long as allowed.
        tokens_mean: of them, by the assumed mean length.
        rollouts: times that answers are generated; 0 but for GRPO.
        sandbox_runs: of programs on all their test cases.
        sandbox_s: of those runs, one after the other.
        training_hours: on all devices together, by the assumptions.
        generation_hours: likewise.
        sandbox_hours: with programs side by side. The codes of one problem share a core, so a rollout of 32 prompts
            keeps no more than 32 slots busy.
    """

    rows: int
    steps: int
    sequences: int
    tokens_most: int
    tokens_mean: int
    rollouts: int
    sandbox_runs: int
    sandbox_s: float
    training_hours: float
    generation_hours: float
    sandbox_hours: float

    @property
    def hours(self) -> float:
        """Of the whole run: training, generation and judging take turns."""
        return self.training_hours + self.generation_hours + self.sandbox_hours


def estimate_work(
    config: TrainConfig,
    model: Architecture,
    batches: BatchPlan,
    hardware: Hardware,
    assumed: Assumptions,
    *,
    rows: int | None = None,
) -> Work:
    """Estimate the work of a run.

    Args:
        config: of the run.
        model: that is trained.
        batches: how they are divided.
        hardware: that trains.
        assumed: what time depends on.
        rows: of the data set; None: the paper's number.
    """
    number = PAPERS_ROWS[config.method] if rows is None else rows
    steps = config.steps or _steps(config, batches, number)
    sequences = steps * batches.size * (2 if config.method is Method.DPO else 1)
    is_grpo = config.method is Method.GRPO
    used = assumed.used(is_adapter=config.lora is not None)
    longest = config.grpo.prompt_tokens + config.grpo.answer_tokens if is_grpo else config.max_tokens
    tokens_mean = round(sequences * longest * assumed.mean_share)
    rollouts = math.ceil(steps / batches.updates_per_rollout) if is_grpo else 0
    answers = rollouts * config.grpo.prompts * config.grpo.rollouts
    generated = answers * config.grpo.answer_tokens * assumed.mean_share
    runs = _runs_per_prompt(config, assumed) * config.grpo.prompts * rollouts
    return Work(
        rows=number,
        steps=steps,
        sequences=sequences,
        tokens_most=sequences * longest,
        tokens_mean=tokens_mean,
        rollouts=rollouts,
        sandbox_runs=runs,
        sandbox_s=runs * assumed.seconds_per_run,
        training_hours=_operations(config, model, tokens_mean)
        / (hardware.devices * assumed.device_tflops * 1e12 * used * _HOUR_S),
        generation_hours=generated / (_generators(config, hardware) * assumed.generated_tokens_per_s * _HOUR_S),
        sandbox_hours=rollouts * _judging_s(config, assumed) / _HOUR_S,
    )


def _steps(config: TrainConfig, batches: BatchPlan, rows: int) -> int:
    """The updates of all epochs; GRPO leaves out the last prompts of an epoch if they do not fill a rollout."""
    if config.method is Method.GRPO:
        return math.floor(config.epochs * (rows // config.grpo.prompts) * batches.updates_per_rollout)
    return math.ceil(config.epochs * math.ceil(rows / batches.size))


def _generators(config: TrainConfig, hardware: Hardware) -> int:
    """The devices that generate: those of the vLLM server if there is one, or those that train."""
    vllm = config.grpo.vllm
    return vllm.tensor_parallel if vllm is not None and vllm.mode == "server" else hardware.devices


def _runs_per_prompt(config: TrainConfig, assumed: Assumptions) -> int:
    """Each answer's, and the original's beside them; a failing answer needs fewer, and a new original more."""
    measured = config.grpo.rollouts * (config.reward.repeats + assumed.runs_per_answer - 1)
    return measured + config.reward.anchor_repeats * config.reward.repeats


def _judging_s(config: TrainConfig, assumed: Assumptions) -> float:
    """Of one rollout: problems run side by side, the codes of one problem in turns."""
    rounds = math.ceil(config.grpo.prompts / assumed.slots)
    return rounds * _runs_per_prompt(config, assumed) * assumed.seconds_per_run


def _operations(config: TrainConfig, model: Architecture, tokens: int) -> float:
    """Floating-point operations of training (Kaplan et al. 2020, section 2.1: 2 for each parameter and token forward).

    The backward pass takes twice the forward pass, and without gradients of the weights once; gradient checkpointing
    adds a forward pass. Attention's own share is left out.
    """
    passes = 2 + (config.lora is None) + config.gradient_checkpointing
    passes += config.method is Method.DPO  # the reference's
    return 2.0 * passes * (model.parameters - model.embedding + (0 if model.head else model.embedding)) * tokens
