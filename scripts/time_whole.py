"""Times two Python files as whole processes: the original and its rewrite, in turn, each run in a fresh process.

    python scripts/time_whole.py ORIGINAL REWRITTEN [--pairs 15] [--stdin FILE ...]

A second opinion on what Afterburner Agent claims, so it shares no code with it. It RUNS BOTH FILES DIRECTLY, without
any sandbox: give it only files that you trust, such as this repository's examples.

Figures are of the process with everything in it: start of the interpreter, imports, making of the data. Ratios are
original / rewritten, so 2.0 is half. The interval is a 95% bootstrap interval of the median ratio of the pairs.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

RESAMPLES = 4000


@dataclass(frozen=True)
class Run:
    """What one process used, and what it printed."""

    cpu_s: float
    wall_s: float
    peak_kib: int
    output: bytes


def run_once(file: Path, stdin: Path | None) -> Run:
    """Start the file in its own folder and wait for it.

    Raises:
        SystemExit: the file failed; a comparison would mean nothing.
    """
    with (stdin or Path(os.devnull)).open("rb") as source, tempfile.TemporaryFile() as sink:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, file.name],
            cwd=file.parent,
            stdin=source,
            stdout=sink,
            env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        _, status, usage = os.wait4(process.pid, 0)  # this child's own usage, which no other call gives
        wall_s = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        sink.seek(0)
        output = sink.read()
    if process.returncode != 0:
        raise SystemExit(f"time_whole: {file} ended with status {process.returncode}")
    # A child's peak starts at this process's own size; that is small, and the same for both files.
    return Run(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss, output)


def run_over(file: Path, inputs: list[Path | None]) -> Run:
    """The file on each of its inputs: times are summed, the largest peak counts."""
    runs = [run_once(file, stdin) for stdin in inputs]
    return Run(
        sum(run.cpu_s for run in runs),
        sum(run.wall_s for run in runs),
        max(run.peak_kib for run in runs),
        b"".join(run.output for run in runs),
    )


def measure_pairs(original: Path, rewritten: Path, pairs: int, inputs: list[Path | None]) -> list[tuple[Run, Run]]:
    """Run both in turn, the order of each pair by chance, after one uncounted run of each.

    Raises:
        SystemExit: a file failed, or the two print different things.
    """
    order = random.Random(0)
    if run_over(original, inputs).output != run_over(rewritten, inputs).output:
        raise SystemExit(f"time_whole: {original} and {rewritten} print different things")
    measured = []
    for _ in range(pairs):
        if order.random() < 0.5:
            before = run_over(original, inputs)
            after = run_over(rewritten, inputs)
        else:
            after = run_over(rewritten, inputs)
            before = run_over(original, inputs)
        measured.append((before, after))
    return measured


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """The median, with the ends of its 95% bootstrap interval."""
    dice = random.Random(0)
    medians = sorted(median(dice.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return median(ratios), medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES)]


def ratios_of(measured: list[tuple[Run, Run]]) -> dict[str, list[float]]:
    """Original / rewritten of each pair, by what was measured."""
    return {
        "cpu": [before.cpu_s / after.cpu_s for before, after in measured],
        "wall": [before.wall_s / after.wall_s for before, after in measured],
        "peak": [before.peak_kib / after.peak_kib for before, after in measured],
    }


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("original", type=Path)
    parser.add_argument("rewritten", type=Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--stdin", type=Path, nargs="+", default=[None], metavar="FILE")
    options = parser.parse_args()
    inputs = [path and path.resolve() for path in options.stdin]
    measured = measure_pairs(options.original.resolve(), options.rewritten.resolve(), options.pairs, inputs)
    for name, ratios in ratios_of(measured).items():
        middle, low, high = interval(ratios)
        print(f"{name:4} {middle:.2f}x ({low:.2f} to {high:.2f}, {len(ratios)} pairs)")


if __name__ == "__main__":
    main()
