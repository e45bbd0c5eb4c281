"""Other work for every core, while a condition asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# It ends by itself soon after whoever started it has gone, however that came about, and be it before it has begun.
_SPIN = "import os, sys\nparent = int(sys.argv[1])\nwhile os.getppid() == parent:\n    sum(range(1_000_000))\n"


@contextmanager
def busy_cores() -> Iterator[int]:
    """One process for each core that computes without end; how many there are."""
    spinning = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SPIN, str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for us; then we end them
        )
        for _ in os.sched_getaffinity(0)
    ]
    try:
        yield len(spinning)
    finally:
        for process in spinning:
            process.kill()
        for process in spinning:
            process.wait()
