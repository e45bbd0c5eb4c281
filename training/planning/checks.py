"""Refuses a run that its machine cannot carry out, before it starts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.formatting import format_kib
from afterburner.training.config.schema import Method
from afterburner.training.errors import TrainingError
from afterburner.training.planning.disk import free_gib
from afterburner.training.planning.hardware import GIB, NO_GPU_FOUND
from afterburner.training.planning.memory import ROLLOUT, STEP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.data.reading import DataSet
    from afterburner.training.planning.plan import Plan

_BFLOAT16 = 2  # bytes
_KIB_OF_GIB = 1024**2
_TRUE = ("1", "true", "yes", "on")
_TAKES = {
    Method.SFT: ("sft", "direct"),
    Method.DPO: ("dpo",),
    Method.COLD_START: ("cold-start",),
    Method.GRPO: ("grpo",),
}


def check_data(data: DataSet, config: TrainConfig) -> None:
    """Check that the data set is for the method, and has the rows of a batch.

    Raises:
        TrainingError: it is for another method, or has too few rows.
    """
    if data.recipe.value not in _TAKES[config.method]:
        raise TrainingError(
            f"{config.method.value} needs a data set {' or '.join(_TAKES[config.method])}, and this one is "
            f"{data.recipe.value}. Build it with afterburner-agent train data."
        )
    check_rows(len(data.rows), config, "examples are in the data set")


def check_rows(number: int, config: TrainConfig, which: str) -> None:
    """Check that there are enough rows for a batch, or for GRPO, for a rollout.

    Args:
        number: of the rows.
        config: of the run.
        which: the end of the sentence that counts them.

    Raises:
        TrainingError: there are too few.
    """
    name, needed = ("batch.size", config.batch.size)
    if config.method is Method.GRPO:
        name, needed = ("grpo.prompts", config.grpo.prompts)
    if number < needed:
        raise TrainingError(f"{name} is {needed}, but only {number} {which}. Lower {name}, or build a larger data set.")


def check_plan(plan: Plan, out: Path | None = None) -> None:
    """Check that the memory, and the disk of the output folder, suffice.

    Raises:
        TrainingError: they do not; the message says what to change.
    """
    need, hardware = plan.memory.peak_gib, plan.hardware
    asked = f"{plan.config.method.value} with {plan.model.name} needs about {need:.1f} GiB on each device, and"
    if need > hardware.memory_gib:
        raise TrainingError(f"{asked} there are {hardware.memory_gib:.1f}. {_advice(plan)}")
    if need > hardware.free_gib:
        raise TrainingError(
            f"{asked} other programs hold {hardware.taken_gib:.1f} of {hardware.memory_gib:.1f}: nvidia-smi lists "
            "them. End them, or choose another GPU with CUDA_VISIBLE_DEVICES."
        )
    _check_vllm(plan)
    if out is not None and plan.disk.total_gib > (free := free_gib(out)):
        raise TrainingError(
            f"The run writes about {_size(plan.disk.total_gib)} to {out}, and {_size(free)} are free. Free some "
            "space, give another --out, or lower checkpoints_kept."
        )


def check_plan_and_launch(plan: Plan, out: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Make both checks, so that what stands in the way is told at once.

    Raises:
        TrainingError: the memory or the disk does not suffice, whatever else is wrong.
        UsageError: only the launch is.
    """
    try:
        check_launch(plan.config, environment)
    except UsageError as wrong_launch:
        try:
            check_plan(plan, out)
        except TrainingError as error:
            launch = str(wrong_launch)
            raise TrainingError(f"{error} Besides, {launch[0].lower()}{launch[1:]}") from error
        raise
    check_plan(plan, out)


def _size(gib: float) -> str:
    """The same in a unit that suits: a small model's run takes MiB."""
    return format_kib(gib * _KIB_OF_GIB)


def check_launch(config: TrainConfig, environment: Mapping[str, str] = os.environ) -> None:
    """Check that `accelerate launch` shards the weights as the configuration says, since the plan rests on that.

    Raises:
        UsageError: it does not.
    """
    launched = "none"
    if environment.get("ACCELERATE_USE_DEEPSPEED", "").lower() in _TRUE:
        launched = "zero3"
    elif environment.get("ACCELERATE_USE_FSDP", "").lower() in _TRUE:
        launched = "fsdp"
    if launched != config.sharding:
        raise UsageError(
            f"The configuration has sharding {config.sharding}, and the run was launched with {launched}. Launch it "
            "with the accelerate file that fits, or change sharding."
        )


def _check_vllm(plan: Plan) -> None:
    """Check that vLLM's share holds the weights, in bfloat16, and the keys and values of one sequence.

    Raises:
        TrainingError: it does not.
    """
    grpo, model = plan.config.grpo, plan.model
    if grpo.vllm is None or grpo.vllm.mode == "server":
        return
    tokens = grpo.prompt_tokens + grpo.answer_tokens
    numbers = model.parameters + 2 * tokens * model.kv_width * model.layers
    need = _BFLOAT16 * numbers / grpo.vllm.tensor_parallel / GIB
    have = grpo.vllm.gpu_memory_share * plan.hardware.memory_gib
    if need > have:
        raise TrainingError(
            f"vLLM needs at least {need:.1f} GiB on each device, and grpo.vllm.gpu_memory_share leaves it {have:.1f}. "
            "Raise it, or raise grpo.vllm.tensor_parallel."
        )


def _advice(plan: Plan) -> str:
    """What would lower the need, as one sentence; without a GPU first that another machine may be meant."""
    *others, last = _remedies(plan)
    either = f"{', '.join(others)}, or {last}" if others else last
    remedies = f"{either[0].upper()}{either[1:]}."
    if plan.hardware.kind == "cpu":
        return f"{NO_GPU_FOUND} To train here instead: {remedies[0].lower()}{remedies[1:]}"
    return remedies


def _remedies(plan: Plan) -> Iterator[str]:
    """What makes the largest phase smaller, and then what makes smaller what is held all the time."""
    config, phase = plan.config, plan.memory.largest_phase
    length = "grpo.answer_tokens" if config.method is Method.GRPO else "max_tokens"
    if phase == ROLLOUT:
        yield "generate with vLLM on other devices (grpo.vllm with mode server)"
        yield f"lower grpo.rollouts, grpo.prompts or {length}"
    elif phase == STEP:
        if plan.batches.per_device > 1:
            yield "lower batch.per_device (the effective batch stays the same)"
        yield f"lower {length}"
        if not config.gradient_checkpointing:
            yield "turn on gradient_checkpointing"
    if config.grpo.vllm is not None and config.grpo.vllm.mode == "colocate":
        yield "lower grpo.vllm.gpu_memory_share"
    if config.lora is None:
        yield "set lora"
    if config.sharding == "none":
        yield "shard the weights with zero3 or fsdp over several devices"
    else:
        yield "shard over more devices"
