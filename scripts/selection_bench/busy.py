"""Other work for the cores, while a condition asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        _end(spinning)


@contextmanager
def judging_beside() -> Iterator[None]:
    """Our own judging, as a run has it beside a test, on the cores that timing leaves alone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.selection_bench.judging", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        process_group=0,  # as above
    )
    try:
        yield
        if process.poll() is not None:
            raise SystemExit(f"error: what was to judge beside the trials ended with {process.returncode}")
    finally:
        _end([process])


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
