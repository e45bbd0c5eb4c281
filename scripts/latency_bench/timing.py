"""Times one run as a person waits for it: seconds from the command to the first candidate, the offer, and the end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from afterburner.agent.job.trust import TRUST_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.latency_bench.cases import Case
    from scripts.latency_bench.versions import Program

# Progress lines, `[0:07] profile: judging 1 candidate`, as every version of the program writes them.
_CANDIDATE = re.compile(r"\] \w+: judging \d+ candidate")
_OFFERED = re.compile(r"\] \w+: measuring how time grows")  # what follows an offer that is certain
_OWN_RUNS = 3
FAILED = "failed"
_STAT = Path("/proc/stat")


@dataclass(frozen=True, slots=True)
class Wait:
    """One run.

    Attributes:
        decision: the run's decision; `FAILED` if it came to none.
        first_s: seconds until the judge started on the first candidate; None without a candidate.
        offer_s: seconds until the offer was certain; None without an offer.
        end_s: seconds until the command ended.
        busy_cores: the mean number of busy CPUs, counting every process of the machine.
    """

    decision: str
    first_s: float | None
    offer_s: float | None
    end_s: float
    busy_cores: float


def wait_for(case: Case, program: Program, folder: Path, home: Path) -> Wait:
    """Run the command once in a folder that the case has prepared."""
    environment = {
        **os.environ,
        **program.environment,
        "XDG_STATE_HOME": str(home / "state"),
        TRUST_VARIABLE: str(folder),
    }
    document = home / "result.json"
    document.unlink(missing_ok=True)
    began_s, began_busy_s = time.monotonic(), _busy_s()
    first_s = offer_s = None
    with subprocess.Popen(
        [*program.command, "run", *case.words, "--json", str(document)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said: list[str] = []
        for line in process.stderr or ():
            said.append(line)
            at_s = time.monotonic() - began_s
            if first_s is None and _CANDIDATE.search(line):
                first_s = at_s
            if offer_s is None and _OFFERED.search(line):
                offer_s = at_s
        process.wait()
    end_s = time.monotonic() - began_s
    decision = FAILED
    if document.is_file():
        decision = str(json.loads(document.read_text("utf-8"))["decision"])
    else:
        print(f"{case.name}: {program.name} exited with {process.returncode}: {''.join(said[-3:])}", file=sys.stderr)
    if decision == "improved":
        offer_s = end_s if offer_s is None else offer_s
    busy_cores = (_busy_s() - began_busy_s) / end_s
    return Wait(decision, first_s, offer_s if decision == "improved" else None, end_s, busy_cores)


def own_s(command: Sequence[str], folder: Path, stdin: str) -> float:
    """What the file's own run takes: wall seconds, the median of three."""
    taken = []
    for _ in range(_OWN_RUNS):
        with (folder / stdin).open("rb") if stdin else open(os.devnull, "rb") as source:  # noqa: PTH123 - not a file
            began_s = time.monotonic()
            subprocess.run(
                command, cwd=folder, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
            )
            taken.append(time.monotonic() - began_s)
    return median(taken)


def as_row(wait: Wait) -> dict[str, Any]:
    """A run as it is kept."""
    return asdict(wait)


def _busy_s() -> float:
    """CPU seconds of the whole machine that were not idle, since it started."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, _STAT.read_text().splitlines()[0].split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
