"""Other work for every core, while a condition asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# It ends by itself soon after whoever started it has gone, however that came about.
_SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))\n"


@contextmanager
def busy_cores() -> Iterator[int]:
    """One process for each core that computes without end; how many there are."""
    spinning = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", _SPIN], stdin=subprocess.DEVNULL)
        for _ in os.sched_getaffinity(0)
    ]
    try:
        yield len(spinning)
    finally:
        for process in spinning:
            process.kill()
        for process in spinning:
            process.wait()
