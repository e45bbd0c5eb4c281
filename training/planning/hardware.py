"""The devices that train, given or detected."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from afterburner.sandbox import UsageError
from afterburner.training.errors import TrainingError

GIB = 1024**3
NO_GPU_FOUND = (
    "No GPU was found, so this is planned for this machine's CPU. afterburner-agent train plan "
    "--device-memory-gib N --device-tflops T plans for a GPU."
)
_CONTEXT_GIB = 0.5  # what CUDA takes of a GPU for this process before anything is computed; measured on an H100
_MEMORY, _CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Hardware:
    """The devices that train.

    Attributes:
        devices: processes that train, one on each device.
        memory_gib: of one device; of a CPU, the process's share of the memory that is free.
        kind: of the devices.
        taken_gib: of a GPU's memory, what other programs hold.
    """

    devices: int
    memory_gib: float
    kind: Literal["gpu", "cpu"] = "gpu"
    taken_gib: float = 0.0

    @property
    def free_gib(self) -> float:
        """The memory of one device that training can have."""
        return self.memory_gib - self.taken_gib

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: one is not above 0.
        """
        if self.devices < 1:
            raise UsageError(f"--devices {self.devices}: give a number above 0.")
        if not (math.isfinite(self.memory_gib) and self.memory_gib > 0):
            raise UsageError(f"--device-memory-gib {self.memory_gib:g}: give a number above 0.")


def detect_hardware(devices: int | None = None, memory_gib: float | None = None) -> Hardware:
    """The hardware of this process; what is given takes the place of what is found.

    With a memory given, the devices are GPUs: so the plan of a cluster can be made on any machine.

    Args:
        devices: processes that train; None: those that `accelerate launch` started, or 1.
        memory_gib: of each device; None: detect it.

    Raises:
        UsageError: a number is not above 0.
        TrainingError: there is a GPU that cannot be used.
    """
    number = int(os.environ.get("WORLD_SIZE", "1")) if devices is None else devices
    if memory_gib is not None:
        return Hardware(number, memory_gib)
    import torch  # noqa: PLC0415 - heavy

    if torch.cuda.is_available():
        return _gpu(number)
    here = int(os.environ.get("LOCAL_WORLD_SIZE", str(number)))
    return Hardware(number, _free_memory_bytes() / max(1, here) / GIB, "cpu")


def _gpu(devices: int) -> Hardware:
    """The GPU of this process.

    Raises:
        TrainingError: it cannot be used, as when other programs hold all its memory.
    """
    import torch  # noqa: PLC0415 - heavy

    own = int(os.environ.get("LOCAL_RANK", "0"))
    try:
        free, total = torch.cuda.mem_get_info(own)
    except RuntimeError as error:
        raise TrainingError(
            f"The GPU cannot be used: {str(error).splitlines()[0]}. Another program may hold its memory: nvidia-smi "
            "lists them."
        ) from error
    taken_gib = (total - free - torch.cuda.memory_reserved(own)) / GIB - _CONTEXT_GIB
    return Hardware(devices, total / GIB, taken_gib=max(0.0, taken_gib))


def _free_memory_bytes() -> int:
    """What this machine, or its container, has left."""
    fields = dict(line.split(":", 1) for line in _MEMORY.read_text("ascii").splitlines())
    free = int(fields["MemAvailable"].split()[0]) * 1024
    limit = _CGROUP.read_text("ascii").strip() if _CGROUP.is_file() else "max"
    return free if limit == "max" else min(free, int(limit))
