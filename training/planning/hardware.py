"""The devices that train, given or detected."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from afterburner.sandbox import UsageError

GIB = 1024**3
_MEMORY, _CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Hardware:
    """The devices that train.

    Attributes:
        devices: processes that train, one on each device.
        memory_gib: of one device; of a CPU, the process's share of the memory that is free.
        kind: of the devices.
    """

    devices: int
    memory_gib: float
    kind: Literal["gpu", "cpu"] = "gpu"

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: one is not above 0.
        """
        if self.devices < 1 or not self.memory_gib > 0:
            raise UsageError(f"{self.devices} devices of {self.memory_gib:g} GiB: both have to be above 0.")


def detect_hardware(devices: int | None = None, memory_gib: float | None = None) -> Hardware:
    """The hardware of this process; what is given takes the place of what is found.

    With a memory given, the devices are GPUs: so the plan of a cluster can be made on any machine.

    Args:
        devices: processes that train; None: those that `accelerate launch` started, or 1.
        memory_gib: of each device; None: detect it.

    Raises:
        UsageError: a number is not above 0.
    """
    number = int(os.environ.get("WORLD_SIZE", "1")) if devices is None else devices
    if memory_gib is not None:
        return Hardware(number, memory_gib)
    import torch  # noqa: PLC0415 - heavy

    if torch.cuda.is_available():
        return Hardware(number, torch.cuda.get_device_properties(0).total_memory / GIB)
    here = int(os.environ.get("LOCAL_WORLD_SIZE", str(number)))
    return Hardware(number, _free_memory_bytes() / max(1, here) / GIB, "cpu")


def _free_memory_bytes() -> int:
    """What this machine, or its container, has left."""
    fields = dict(line.split(":", 1) for line in _MEMORY.read_text("ascii").splitlines())
    free = int(fields["MemAvailable"].split()[0]) * 1024
    limit = _CGROUP.read_text("ascii").strip() if _CGROUP.is_file() else "max"
    return free if limit == "max" else min(free, int(limit))
