"""The plan of a training run: what it needs, before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.training.config.batches import plan_batches
from afterburner.training.planning.architectures import CHECK_MODEL, EARLIER_STAGE, find_architecture
from afterburner.training.planning.assumptions import usual_assumptions
from afterburner.training.planning.disk import predict_disk
from afterburner.training.planning.memory import predict_memory
from afterburner.training.planning.work import estimate_work

if TYPE_CHECKING:
    from afterburner.training.config.batches import BatchPlan
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.planning.architectures import Architecture
    from afterburner.training.planning.assumptions import Assumptions
    from afterburner.training.planning.disk import Disk
    from afterburner.training.planning.hardware import Hardware
    from afterburner.training.planning.memory import Memory
    from afterburner.training.planning.work import Work


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training run needs.

    Attributes:
        config: of the run.
        hardware: that it is planned for.
        model: that is trained.
        batches: how each is divided.
        memory: of one device.
        work: of the whole run.
        disk: of the whole run.
        assumed: what the hours depend on.
        counts_papers_rows: whether no data set was given, so that the work is that of as many rows as the paper's has.
    """

    config: TrainConfig
    hardware: Hardware
    model: Architecture
    batches: BatchPlan
    memory: Memory
    work: Work
    disk: Disk
    assumed: Assumptions
    counts_papers_rows: bool


def make_plan(
    config: TrainConfig,
    hardware: Hardware,
    *,
    rows: int | None = None,
    model: str | Architecture = "",
    assumed: Assumptions | None = None,
) -> Plan:
    """Plan a run; the model is built without weights, which takes some seconds for the imports and no memory.

    Args:
        config: of the run.
        hardware: see `detect_hardware`.
        rows: of the data set; None: as many as the paper's has.
        model: the name of the architecture, or itself, where `model.path` is the output of a stage that has not run;
            empty: that of `model.path`.
        assumed: what the hours depend on.

    Raises:
        UsageError: the batch cannot be divided among the devices.
        TrainingError: the model is not there.
    """
    known = assumed or usual_assumptions(hardware.kind)
    batches = plan_batches(config, hardware.devices)
    if isinstance(model, str):
        advice = CHECK_MODEL if model else EARLIER_STAGE
        model = find_architecture(model or config.model.path, config.lora, advice=advice)
    return Plan(
        config=config,
        hardware=hardware,
        model=model,
        batches=batches,
        memory=predict_memory(config, model, batches, hardware),
        work=estimate_work(config, model, batches, hardware, known, rows=rows),
        disk=predict_disk(config, model),
        assumed=known,
        counts_papers_rows=rows is None,
    )
