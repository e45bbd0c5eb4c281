"""What a floor of the program is measured by, and how its programs are started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.job.trust import TRUST_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from scripts.latency_bench.versions import Program

_END_S = 20.0  # how long a program may clean up


class FloorFailedError(Exception):
    """A floor of a version came to no figure; the message says why."""


@dataclass(frozen=True, slots=True)
class Floor:
    """One floor, such as the editor.

    Attributes:
        name: of the floor, for `--only` and the table.
        unit: of its figures.
        rounds: how often it is measured where nobody says.
        measure: its figures by name, for a version of the program; in an empty folder.
        bare: the same programs as bare processes, in the same unit; in an empty folder.
        bare_is: what they do, in the table.
    """

    name: str
    unit: str
    rounds: int
    measure: Callable[[Program, Path], Mapping[str, float]]
    bare: Callable[[Path], float]
    bare_is: str


def environment(program: Program, folder: Path, home: Path) -> dict[str, str]:
    """The variables for a version of the program that trusts a folder and stores what it keeps in another."""
    return {**os.environ, **program.environment, "XDG_STATE_HOME": str(home), TRUST_VARIABLE: str(folder)}


def finish(command: Sequence[str], folder: Path, variables: Mapping[str, str], limit_s: float) -> str:
    """Run a command to its end; what it printed. Whatever happens, none of its processes is left.

    Raises:
        FloorFailedError: it failed, or took too long.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    )
    try:
        printed, complaints = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        _end(process)
        raise FloorFailedError(f"it did not end within {limit_s:.0f} s") from error
    except BaseException:
        _end(process)
        raise
    if process.returncode:
        last = (complaints.strip() or printed.strip()).splitlines()[-1:] or [""]
        raise FloorFailedError(f"exit code {process.returncode}: {last[0]}")
    return printed


def bare_s(programs: Iterable[tuple[str, str]], folder: Path) -> float:
    """The seconds that Python programs take as bare processes, one after the other, each with its stdin."""
    took_s, file = 0.0, folder / "program.py"
    for code, stdin in programs:
        file.write_text(code, "utf-8")
        began_s = time.perf_counter()
        subprocess.run([sys.executable, file], input=stdin, text=True, capture_output=True, check=False)
        took_s += time.perf_counter() - began_s
    return took_s


def _end(process: subprocess.Popen[str]) -> None:
    """Ask the whole group to end, as Ctrl-C does, and then make it."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.communicate(timeout=_END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
