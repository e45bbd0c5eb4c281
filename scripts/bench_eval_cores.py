"""Measures how well evaluation uses the cores of a machine, and whether that disturbs what is timed.

    python -m scripts.bench_eval_cores [--tasks N]

Correctness work runs side by side, one task on each core for programs. Its reference is the same tasks one after the
other on one of these cores: perfectly parallel slots would take that time divided by their number. A program is timed
on a leased core alone, and then while correctness work goes on.
"""

from __future__ import annotations

import argparse
import threading
import time
from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.evals.running.measure import measure_codes
from afterburner.sandbox import Limits, Program, Task, TestCase, open_sandbox
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

WORK = "total = 0\nfor i in range({n}):\n    total += i * i\nprint(total)\n"
SIZES = (400_000, 800_000, 1_600_000)  # tasks differ, as solutions do
CASES = 5
LIMITS = Limits()
TIMED_RUNS = 30


def main() -> None:
    """Print both figures beside their references."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=30, help="correctness tasks")
    options = parser.parse_args()
    with open_sandbox() as sandbox:
        _use_of_cores(sandbox, options.tasks)
        _disturbance(sandbox)


def _tasks(count: int) -> list[Task]:
    return [
        Task(Program("python", WORK.format(n=SIZES[number % len(SIZES)])), [TestCase()] * CASES, LIMITS)
        for number in range(count)
    ]


def _use_of_cores(sandbox: Sandbox, count: int) -> None:
    slots, shares = len(divide_cores().slots), []
    for _ in range(3):
        serial_s = _seconds(sandbox, count, jobs=1)
        parallel_s = _seconds(sandbox, count, jobs=None)
        shares.append(serial_s / slots / parallel_s)
    print(f"cores for programs: {slots}; tasks: {count} of {CASES} cases")
    print(
        f"share of what perfectly parallel pinned slots do: {median(shares):.1%} (of {len(shares)} rounds, the median)"
    )
    busy = _busy_share(sandbox, count)
    print(f"share of that time in which a program ran: {busy:.1%}")


def _seconds(sandbox: Sandbox, count: int, jobs: int | None) -> float:
    began = time.monotonic()
    for _ in sandbox.run_many(_tasks(count), jobs=jobs):
        pass
    return time.monotonic() - began


def _busy_share(sandbox: Sandbox, count: int) -> float:
    """The time of the programs themselves over that of all slots: the rest is containers and their start."""
    began = time.monotonic()
    used = sum(report.measurement.wall_time_s for report in sandbox.run_many(_tasks(count)))
    return used / (time.monotonic() - began) / len(divide_cores().slots)


def _disturbance(sandbox: Sandbox) -> None:
    quiet, beside = [], []
    for _ in range(3):
        quiet += _timed(sandbox)
        stop = threading.Event()
        worker = threading.Thread(target=_keep_busy, args=(sandbox, stop))
        worker.start()
        beside += _timed(sandbox)
        stop.set()
        worker.join()
    print(f"a timed program alone: {median(quiet):.4f} s; while correctness work goes on: {median(beside):.4f} s")
    print(f"ratio of the medians: {median(beside) / median(quiet):.3f}, of {len(quiet)} runs each")


def _timed(sandbox: Sandbox) -> list[float]:
    problem = Problem("timed", "", (TestCase(),), limits=LIMITS)
    code = WORK.format(n=SIZES[1])
    measured = measure_codes(sandbox, divide_cores(), problem, [code], repeats=TIMED_RUNS // 3, seed=0)
    return [each.figures.wall_time_s for each in measured if each.figures is not None]


def _keep_busy(sandbox: Sandbox, stop: threading.Event) -> None:
    with sandbox.branch() as branch:
        while not stop.is_set():
            for _ in branch.run_many(_tasks(3)):
                if stop.is_set():
                    break


if __name__ == "__main__":
    main()
