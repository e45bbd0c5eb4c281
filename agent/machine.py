"""Names the machine that figures come from."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.types import Machine
from afterburner.sandbox.languages import find_language

if TYPE_CHECKING:
    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox


def describe_machine(sandbox: Sandbox, environment: PythonEnvironment, language: str = PYTHON) -> Machine:
    """Tell system, processor, memory (KiB), what ran the code, and the sandbox's backend and tier.

    Raises:
        ToolchainMissingError: the language is not Python, and nothing here compiles or runs it.
    """
    backend, tier = sandbox.describe()
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        cpu_model=_cpu_model(),
        cpus=len(sandbox.cpus),
        memory_kib=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024,
        python=".".join(str(part) for part in environment.version),
        backend=backend,
        tier=tier,
        toolchain="" if language == PYTHON else sandbox.backend.toolchain(find_language(language)).version,
    )


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
