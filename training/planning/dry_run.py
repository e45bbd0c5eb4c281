"""What a dry run prints: the plan as a table, or as JSON holds it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afterburner.training.config.schema import Method

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.training.planning.plan import Plan

_SCHEMA = 1
_NAME_WIDTH = 44
_LONG_HOURS = 100  # from here on, decimals would pretend to a precision that no assumption has


def to_lines(plan: Plan, notes: Sequence[str] = ()) -> list[str]:
    """The plan as plain text for a terminal, with what else is to be said of it."""
    sections = {
        "Model": _model(plan),
        "Batch": _batch(plan),
        "Work": _work(plan),
        "Time, by the assumptions": _time(plan),
        "Memory of each device, GiB": _memory(plan),
        "Disk, GiB": _disk(plan),
    }
    lines = []
    for title, rows in sections.items():
        lines += [title, *(f"  {name:<{_NAME_WIDTH}}{value:>16}" for name, value in rows), ""]
    return [*lines, *(f"note: {each}" for each in notes)] if notes else lines[:-1]


def to_document(plan: Plan) -> dict[str, Any]:
    """The plan as JSON holds it."""
    memory = plan.memory
    return {
        "schema": _SCHEMA,
        "method": plan.config.method.value,
        "sharding": plan.config.sharding,
        "hardware": asdict(plan.hardware),
        "model": {**asdict(plan.model), "trainable": plan.model.trainable},
        "batches": {**asdict(plan.batches), "size": plan.batches.size},
        "work": {**asdict(plan.work), "hours": plan.work.hours},
        "assumed": asdict(plan.assumed),
        "memory": {
            "peak_gib": memory.peak_gib,
            "peak_in": memory.largest_phase,
            "standing_gib": {each.name: each.gib for each in memory.standing},
            "phases_gib": {name: {each.name: each.gib for each in terms} for name, terms in memory.phases.items()},
        },
        "disk": {**asdict(plan.disk), "total_gib": plan.disk.total_gib},
    }


def _model(plan: Plan) -> Iterator[tuple[str, str]]:
    yield plan.model.name, f"{plan.model.parameters:,}"
    yield "trained parameters", f"{plan.model.trainable:,}"


def _batch(plan: Plan) -> Iterator[tuple[str, str]]:
    batches = plan.batches
    yield "devices", f"{batches.devices}"
    yield "examples at a time, each device", f"{batches.per_device}"
    yield "accumulated", f"{batches.accumulation}"
    yield "examples in one update", f"{batches.size}"


def _work(plan: Plan) -> Iterator[tuple[str, str]]:
    work = plan.work
    yield "rows of the data set", f"{work.rows:,}"
    yield "updates", f"{work.steps:,}"
    yield "sequences", f"{work.sequences:,}"
    yield "tokens, at most", f"{work.tokens_most:,}"
    yield f"tokens, at {plan.assumed.mean_share:.0%} of the longest", f"{work.tokens_mean:,}"
    if plan.config.method is Method.GRPO:
        yield "rollouts", f"{work.rollouts:,}"
        yield "sandbox runs", f"{work.sandbox_runs:,}"
        yield f"sandbox seconds, at {plan.assumed.seconds_per_run:g} s a run", f"{work.sandbox_s:,.0f}"


def _time(plan: Plan) -> Iterator[tuple[str, str]]:
    work, assumed = plan.work, plan.assumed
    speed = f"{assumed.device_tflops:g} TFLOP/s used at {assumed.used(is_adapter=plan.config.lora is not None):.0%}"
    yield f"training, {speed}", _hours(work.training_hours)
    if plan.config.method is Method.GRPO:
        yield f"generation, {assumed.generated_tokens_per_s:g} tokens/s a device", _hours(work.generation_hours)
        busy = min(assumed.slots, plan.config.grpo.prompts)
        yield f"sandbox, {busy} of {assumed.slots} slots busy", _hours(work.sandbox_hours)
        yield "in all", _hours(work.hours)


def _hours(hours: float) -> str:
    return f"{hours:,.0f} h" if hours >= _LONG_HOURS else f"{hours:,.2f} h"


def _memory(plan: Plan) -> Iterator[tuple[str, str]]:
    memory = plan.memory
    for each in memory.standing:
        yield each.name, f"{each.gib:,.2f}"
    for each in memory.phases[memory.largest_phase]:
        yield each.name, f"{each.gib:,.2f}"
    yield f"peak, in: {memory.largest_phase}", f"{memory.peak_gib:,.1f}"
    yield "there are", f"{plan.hardware.memory_gib:,.1f}"
    if plan.hardware.taken_gib:
        yield "held by other programs", f"{plan.hardware.taken_gib:,.1f}"


def _disk(plan: Plan) -> Iterator[tuple[str, str]]:
    yield f"{plan.disk.checkpoints} checkpoints", f"{plan.disk.checkpoint_gib * plan.disk.checkpoints:,.1f}"
    yield "trained model", f"{plan.disk.model_gib:,.1f}"
