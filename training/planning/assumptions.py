"""What a plan assumes and no file says; each number can be given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Literal

from afterburner.sandbox import UsageError
from afterburner.sandbox.cores import divide_cores


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What time depends on. The defaults are round numbers for an H100: give your own.

    Attributes:
        mean_share: how long the mean example is, as a share of the longest allowed.
        device_tflops: dense bfloat16 peak of one device, in 10^12 operations per second; 989 is the data sheet's of an
            H100 SXM.
        utilisation: the share of that peak that training all weights reaches; models of 1.5 and 3 billion parameters
            reached 0.25 to 0.32 on an H100.
        adapter_utilisation: likewise of an adapter, for which PEFT computes much that is no matrix product: 0.14 to
            0.18.
        generated_tokens_per_s: that one device generates.
        seconds_per_run: one program on all test cases of its problem.
        runs_per_answer: one to be measured, and one on the hidden tests.
        slots: programs side by side, over all machines that judge; as many as this machine has.
    """

    mean_share: float = 0.25
    device_tflops: float = 989.0
    utilisation: float = 0.30
    adapter_utilisation: float = 0.16
    generated_tokens_per_s: float = 2_500.0
    seconds_per_run: float = 2.0
    runs_per_answer: int = 2
    slots: int = field(default_factory=lambda: len(divide_cores().slots))

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: one is not above 0, or a share is above 1.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{_option(each.name)} {value:g}: give a number above 0.")
        for name in ("mean_share", "utilisation", "adapter_utilisation"):
            if getattr(self, name) > 1:
                raise UsageError(f"{_option(name)} {getattr(self, name):g}: give a share above 0, up to 1.")

    def used(self, *, is_adapter: bool) -> float:
        """The share of a device's peak that training reaches."""
        return self.adapter_utilisation if is_adapter else self.utilisation


def _option(name: str) -> str:
    """The option of `train plan` that gives an assumption."""
    return f"--{name.replace('_', '-')}"


def usual_assumptions(kind: Literal["gpu", "cpu"]) -> Assumptions:
    """The defaults for a kind of device; for a CPU they are those of a few cores."""
    if kind == "gpu":
        return Assumptions()
    return Assumptions(device_tflops=0.1, utilisation=0.35, adapter_utilisation=0.35, generated_tokens_per_s=50.0)
