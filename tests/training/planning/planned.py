"""Configurations for the tests of plans."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from afterburner.training.config.schema import LoraConfig, TrainConfig
from afterburner.training.planning.architectures import Architecture, find_architecture
from afterburner.training.planning.plan import Plan, make_plan

if TYPE_CHECKING:
    from afterburner.training.planning.assumptions import Assumptions
    from afterburner.training.planning.hardware import Hardware

MODEL = "Qwen/Qwen2.5-3B-Instruct"


def config(method: str = "sft", **sections: Any) -> TrainConfig:
    """A configuration of the 3B model, all of whose weights are trained, with some of its settings given."""
    given = {
        "method": method,
        "model": {"path": MODEL},
        "batch": {"size": 64, "per_device": 4},
        "optimizer": {"learning_rate": 1e-5},
        **sections,
    }
    return TrainConfig.model_validate(given)


@cache
def architecture(lora: LoraConfig | None) -> Architecture:
    """The 3B model's, built once for all tests."""
    return find_architecture(MODEL, lora)


def plan_of(
    wanted: TrainConfig, hardware: Hardware, *, rows: int | None = None, assumed: Assumptions | None = None
) -> Plan:
    """The plan of a run of the 3B model."""
    return make_plan(wanted, hardware, rows=rows, model=architecture(wanted.lora), assumed=assumed)
