"""Processes without any sandbox: the reference that everything is held against."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SOURCES = Path(__file__).parent
_COMPILERS = ("cc", "gcc", "clang")
NAMES = ("bare", "echo", "steps", "spin")


class UnableError(Exception):
    """What is missing, in one line."""


@dataclass(frozen=True)
class Process:
    """One process: what `wait4` and the clock tell of it, and the first line that it printed."""

    wall_s: float
    cpu_s: float
    line: str


@dataclass(frozen=True)
class Bare:
    """Starts processes from a small C program, one after another."""

    folder: Path

    def __call__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        cpu: int | None,
        count: int = 1,
        texts: tuple[Path, Path] | None = None,
    ) -> tuple[list[Process], float]:
        """The processes, and the wall time of all of them together, seconds.

        Args:
            argv: the command of each.
            environment: the whole of it.
            cpu: what they are pinned to; None: nothing.
            count: how many.
            texts: a file that each of them reads, and one with what it has to print.

        Raises:
            UnableError: one of them failed.
        """
        pinned = "-1" if cpu is None else str(cpu)
        done = subprocess.run(
            [self.folder / "bare", pinned, str(count), self.folder, *(texts or ("-", "-")), *argv],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        *lines, total = done.stdout.splitlines() or [""]
        processes = []
        for line in lines:
            wall_ns, cpu_ns, status, printed = line.split(" ", 3)
            if status != "0":
                raise UnableError(f"{argv[0]} ended with status {status} outside the sandbox: {done.stderr[-500:]}")
            processes.append(Process(int(wall_ns) / 1e9, int(cpu_ns) / 1e9, printed))
        if done.returncode != 0 or len(processes) != count:
            raise UnableError(f"{argv[0]} cannot be started outside the sandbox: {done.stderr[-500:]}")
        return processes, int(total) / 1e9


def build(folder: Path) -> Bare:
    """Compiles the C programs, statically where that can be done.

    Raises:
        UnableError: there is no C compiler.
    """
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise UnableError("The benchmark needs a C compiler: `apt-get install gcc libc6-dev`.")
    for name in NAMES:
        for linking in (("-static",), ()):
            command = [compiler, "-std=c11", "-O2", *linking, "-o", str(folder / name), str(_SOURCES / f"{name}.c")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
        else:
            raise UnableError(f"{name}.c cannot be compiled: {done.stderr.strip()[-500:]}")
    folder.chmod(0o755)  # a container's user reads it, too
    return Bare(folder)
