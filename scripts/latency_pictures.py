"""Draws how the demo spends its time: docs/images/waterfall.svg.

    python -m scripts.latency_pictures [--against REV]

With `--against`, also draws the demo at another commit, above this one. That commit must support `--trace`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.job.trust import TRUST_VARIABLE
from scripts.latency_bench.cases import all_cases
from scripts.latency_bench.versions import build, working_tree
from scripts.latency_bench.waterfall import bars_of, draw

if TYPE_CHECKING:
    from scripts.latency_bench.versions import Program
    from scripts.latency_bench.waterfall import Bar

NAME = "waterfall.svg"


def main() -> None:
    """Run the demo, and draw its trace."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", default="", help="also draw this commit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="latency-") as name:
        programs = [working_tree()]
        if options.against:
            programs.insert(0, build(options.against, Path(name) / "before"))
        runs = []
        for program in programs:
            bars = _traced(program, Path(name) / program.name)
            when = f"at {program.name}" if program.name == options.against else "now"
            runs.append((f"The demo {when}: {max(bar.end_s for bar in bars):.0f} s", bars))
    draw(runs, NAME)


def _traced(program: Program, place: Path) -> list[Bar]:
    demo, folder, trace = all_cases()[0], place / "project", place / "demo.pftrace"
    folder.mkdir(parents=True)
    demo.prepare(folder)
    variables = {"XDG_STATE_HOME": str(place / "state"), TRUST_VARIABLE: str(folder)}
    command = [*program.command, "run", *demo.words, "--trace", str(trace)]
    environment = {**os.environ, **program.environment, **variables}
    subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return bars_of(trace)


if __name__ == "__main__":
    main()
