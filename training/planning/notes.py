"""What a plan cannot show in a table: what it was assumed for, and where it is tighter than it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.training.config.schema import Method
from afterburner.training.planning.hardware import NO_GPU_FOUND

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from afterburner.training.planning.plan import Plan

# The share of a GPU's memory to leave free, since PyTorch's allocator holds more than the tensors take.
_LEAVE_FREE = {Method.GRPO: (1 / 5, "a fifth")}
_LEAVE_FREE_ELSE = (1 / 10, "a tenth")
_MEANT_FOR = {"eight-gpus": 8, "nodes": 16}  # devices, by the folder of a shipped configuration


def plan_notes(plan: Plan, *, name: str = "", given: Collection[str] = ()) -> list[str]:
    """What has to be said beside the figures.

    Args:
        plan: of a run.
        name: of its configuration, as `--config`.
        given: the options of `train plan` that were given, with underscores.
    """
    return [*_of_hardware(plan, name, given), *_of_assumptions(plan, given), *_of_memory(plan)]


def _of_hardware(plan: Plan, name: str, given: Collection[str]) -> Iterator[str]:
    if plan.hardware.kind == "cpu":
        yield NO_GPU_FOUND
    devices = _MEANT_FOR.get(name.partition("/")[0])
    if plan.hardware.devices == 1 and "devices" not in given and (devices or plan.config.sharding != "none"):
        meant = f"for {devices} devices" if devices else f"for several devices (sharding {plan.config.sharding})"
        yield (
            f"This is planned for one device, and the configuration is meant {meant}: train plan "
            f"--devices {devices or 'N'} plans for them."
        )


def _of_assumptions(plan: Plan, given: Collection[str]) -> Iterator[str]:
    assumed = plan.assumed
    if plan.counts_papers_rows:
        yield f"The {plan.work.rows:,} rows are assumed, as many as the paper's data set has: --data DIR counts yours."
    if plan.hardware.kind == "gpu" and "device_tflops" not in given:
        yield f"{assumed.device_tflops:g} TFLOP/s are an H100's: train plan --device-tflops T takes another GPU's."
    if plan.config.method is Method.GRPO and "slots" not in given:
        yield f"The sandbox slots, {assumed.slots}, are this machine's: train plan --slots N takes another number."


def _of_memory(plan: Plan) -> Iterator[str]:
    """Whether it fits by the figures, and yet not with what the allocator holds."""
    share, words = _LEAVE_FREE.get(plan.config.method, _LEAVE_FREE_ELSE)
    peak, free = plan.memory.peak_gib, plan.hardware.free_gib
    if plan.hardware.kind == "gpu" and (1 - share) * free < peak <= free:
        yield (
            f"It fits by the figures alone. PyTorch's allocator held 4% to 17% more on an H100: leave {words} of the "
            f"memory free, which is a peak of {(1 - share) * free:.1f} GiB here."
        )
