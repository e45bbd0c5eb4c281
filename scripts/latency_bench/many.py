"""Times `run DIR --top N` on a small package of nine slow functions: how long it takes, and how busy the CPUs are."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.job.trust import TRUST_VARIABLE
from scripts.selection_bench.show import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.latency_bench.versions import Program

FUNCTIONS = 9
_PACKAGE = Path(__file__).with_name("package")


def measure_package(program: Program, place: Path, words: Sequence[str]) -> dict[str, Any]:
    """Optimise the package in an empty folder.

    Args:
        program: which version.
        place: the folder.
        words: further options of `run`.

    Returns:
        `decisions`: of each function. `seconds`: the wall time. `busy_cores`: the CPU time of the program and of all
        that it started, over the wall time; what else the machine does is not in it, but slows it down.
    """
    shutil.copytree(_PACKAGE, place / "project")
    (place / "project" / "pyproject.toml").touch()
    environment = {
        **os.environ,
        **program.environment,
        "XDG_STATE_HOME": str(place / "state"),
        TRUST_VARIABLE: str(place / "project"),
    }
    options = ("--top", str(FUNCTIONS), "--max-seconds", "3000", "--model", "rules", "--quiet")
    began_s, before_s = time.monotonic(), _children_s()
    done = subprocess.run(
        [*program.command, "run", "parcel", *options, *words, "--json", str(place / "many.json")],
        cwd=place / "project",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{program.name} ended with {done.returncode}")
    seconds = time.monotonic() - began_s
    document = json.loads((place / "many.json").read_text("utf-8"))
    return {
        "program": program.name,
        "words": list(words),
        "decisions": {each["function"]: each["decision"] for each in document["targets"]},
        "seconds": seconds,
        "busy_cores": (_children_s() - before_s) / seconds,
        "cpus": len(os.sched_getaffinity(0)),
    }


def shown(rows: Sequence[dict[str, Any]]) -> str:
    """A table of what was measured."""
    heads = ["version", "options", "functions", "improved", "seconds", "CPU seconds", "CPUs busy", "of"]
    lines = [
        [
            row["program"],
            " ".join(row["words"]),
            str(len(row["decisions"])),
            str(sum(decision == "improved" for decision in row["decisions"].values())),
            f"{row['seconds']:.0f}",
            f"{row['seconds'] * row['busy_cores']:.0f}",
            f"{row['busy_cores']:.2f}",
            str(row["cpus"]),
        ]
        for row in rows
    ]
    return table([heads, *lines])


def _children_s() -> float:
    """The CPU time of all programs that were started and have ended, with all that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
