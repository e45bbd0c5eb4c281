"""Measures how long a user waits in a fixed set of runs: seconds to the first candidate, the offer, and the end.

    python -m scripts.bench_latency [--against REV] [--only TEXT] [--rounds N] [--json FILE]

Each case runs twice in a row; the second run can use what the first one learned about the function. With `--against`,
the script also builds a commit of this repository and runs it in turn with the working tree, case by case. The table
also gives the time to the end as a multiple of the file's own run, measured in the same minutes. Keep the machine idle.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from scripts.latency_bench.cases import ONE_ANSWER, ROOT, Case, all_cases
from scripts.latency_bench.timing import Program, as_row, own_s, wait_for
from scripts.selection_bench.show import table

_HERE = "here"
_START = "import sys; from afterburner.agent.cli.main import main; sys.exit(main())"


def main() -> None:
    """Run the cases, and print the table."""
    options = _options()
    cases = [case for case in all_cases() if options.only in case.name]
    with tempfile.TemporaryDirectory(prefix="latency-") as name:
        programs = [Program(_HERE, (sys.executable, "-c", _START), {})]
        if options.against:
            programs.insert(0, _built(options.against, Path(name) / "before"))
        rows: list[dict[str, Any]] = []
        for case in cases:
            for number in range(options.rounds):
                place = Path(name) / f"{case.name}-{number}"
                rows += [_measured(case, program, place / program.name) for program in programs]
            print(f"{case.name} …", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(_shown(rows, [program.name for program in programs]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", default="", help="also measure this commit, in turn with this tree")
    parser.add_argument("--only", metavar="TEXT", default="", help="run only cases whose name contains TEXT")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="rounds per case (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures of every run to FILE")
    return parser.parse_args()


def _built(revision: str, place: Path) -> Program:
    """Install a commit of this repository into a folder, on the packages of this environment."""
    tree, site = place / "tree", place / "site"
    subprocess.run(["git", "worktree", "add", "--detach", "--quiet", tree, revision], cwd=ROOT, check=True)  # noqa: S607 - on the PATH
    try:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*pip, "--target", site, tree], check=True)
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)  # noqa: S607 - on the PATH
    return Program(revision, (sys.executable, "-c", _START), {"PYTHONPATH": str(site)})


def _measured(case: Case, program: Program, place: Path) -> dict[str, Any]:
    folder, home = place / "project", place / "home"
    folder.mkdir(parents=True)
    home.mkdir()
    case.prepare(folder)
    own = own_s(case.own, folder, case.stdin)
    first, second = (wait_for(case, program, folder, home) for _ in range(2))
    return {
        "case": case.name,
        "group": case.group,
        "program": program.name,
        "own_s": own,
        "first": as_row(first),
        "second": as_row(second),
    }


def _shown(rows: list[dict[str, Any]], programs: list[str]) -> str:
    heads = ["case", "version", "own run, s", "decision", "candidate", "offer", "end", "x own run", "run 2", "busy"]
    lines = [
        [
            row["case"],
            row["program"],
            f"{row['own_s']:.2f}",
            row["first"]["decision"],
            *(_seconds(row["first"][name]) for name in ("first_s", "offer_s", "end_s")),
            f"{row['first']['end_s'] / row['own_s']:.0f}",
            _seconds(row["second"]["end_s"]),
            f"{row['first']['busy_cores']:.2f}",
        ]
        for row in rows
    ]
    return "\n\n".join([table([heads, *lines]), *(_summary(rows, program) for program in programs)])


def _summary(rows: list[dict[str, Any]], program: str) -> str:
    own = [row for row in rows if row["program"] == program]
    answered = [row["first"]["offer_s"] for row in own if row["group"] == ONE_ANSWER and row["first"]["offer_s"]]
    parts = [f"{program}: {len(own)} runs"]
    if answered:
        parts.append(f"to the offer, one answer: median {median(answered):.1f} s, longest {max(answered):.1f} s")
    parts.append(f"to the end: median {median(row['first']['end_s'] for row in own):.1f} s")
    parts.append(f"run 2 / run 1: median {median(row['second']['end_s'] / row['first']['end_s'] for row in own):.2f}")
    return "; ".join(parts)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
