"""Measures how long a user waits in a fixed set of runs: seconds to the first candidate, the offer, and the end.

    python -m scripts.bench_latency [--against REV] [--only TEXT ...] [--rounds N] [--once] [--json FILE]
    python -m scripts.bench_latency --top [--against REV] [--json FILE]

Each case runs twice in a row; the second run can use what the first one learned about the function. With `--against`,
the script also builds a commit of this repository and runs it in turn with the working tree, case by case. The table
also gives the time to the end as a multiple of the file's own run, measured in the same minutes. With `--top`, one run
over the functions of a small package is measured in place of the cases: in turns, and several functions at a time. Keep
the machine idle.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from scripts.latency_bench import many
from scripts.latency_bench.cases import ONE_ANSWER, Case, all_cases
from scripts.latency_bench.timing import FAILED, as_row, own_s, wait_for
from scripts.latency_bench.versions import HERE, Program, build, working_tree
from scripts.selection_bench.show import table

_IN_TURNS = (("--jobs", "1"), ())


def main() -> None:
    """Run the cases, and print the table."""
    options = _options()
    cases = [case for case in all_cases() if not options.only or any(text in case.name for text in options.only)]
    runs = 1 if options.once else 2
    with tempfile.TemporaryDirectory(prefix="latency-") as name:
        programs = [working_tree()]
        if options.against:
            programs.insert(0, build(options.against, Path(name) / "before"))
        if options.top:
            print(many.shown(_over_a_package(programs, Path(name), options.json)))
            return
        rows: list[dict[str, Any]] = []
        for case in cases:
            for number in range(options.rounds):
                place = Path(name) / f"{case.name}-{number}"
                rows += [_measured(case, program, place / program.name, runs) for program in programs]
            print(f"{case.name} …", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(_shown(rows, [program.name for program in programs]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", default="", help="also measure this commit, in turn with this tree")
    parser.add_argument("--only", metavar="TEXT", nargs="+", help="run only cases whose name contains one of these")
    parser.add_argument("--once", action="store_true", help="leave out the second run of each case")
    parser.add_argument("--top", action="store_true", help="measure a run over the functions of a package instead")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="rounds per case (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures of every run to FILE")
    return parser.parse_args()


def _over_a_package(programs: list[Program], place: Path, json_file: Path | None) -> list[dict[str, Any]]:
    """One run of each version; of the working tree, one in turns as well."""
    rows: list[dict[str, Any]] = []
    runs = [(program, words) for program in programs for words in (_IN_TURNS if program.name == HERE else ((),))]
    for number, (program, words) in enumerate(runs):
        rows.append(many.measure_package(program, place / str(number), words))
        print(f"{program.name} {' '.join(words)} …", file=sys.stderr, flush=True)
        if json_file:
            json_file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return rows


def _measured(case: Case, program: Program, place: Path, runs: int) -> dict[str, Any]:
    folder, home = place / "project", place / "home"
    folder.mkdir(parents=True)
    home.mkdir()
    case.prepare(folder)
    own = own_s(case.own, folder, case.stdin)
    taken = [as_row(wait_for(case, program, folder, home)) for _ in range(runs)]
    return {
        "case": case.name,
        "group": case.group,
        "program": program.name,
        "own_s": own,
        "first": taken[0],
        "second": taken[1] if runs > 1 else None,
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
            _seconds(row["second"]["end_s"] if row["second"] else None),
            f"{row['first']['busy_cores']:.2f}",
        ]
        for row in rows
    ]
    return "\n\n".join([table([heads, *lines]), *(_summary(rows, program) for program in programs)])


def _summary(rows: list[dict[str, Any]], program: str) -> str:
    mine = [row for row in rows if row["program"] == program]
    own = [row for row in mine if row["first"]["decision"] != FAILED]
    answered = [row["first"]["offer_s"] for row in own if row["group"] == ONE_ANSWER and row["first"]["offer_s"]]
    parts = [f"{program}: {len(own)} of {len(mine)} came to a result"]
    if not own:
        return parts[0]
    if answered:
        parts.append(f"to the offer, one answer: median {median(answered):.1f} s, longest {max(answered):.1f} s")
    parts.append(f"to the end: median {median(row['first']['end_s'] for row in own):.1f} s")
    again = [row["second"]["end_s"] / row["first"]["end_s"] for row in own if row["second"]]
    if again:
        parts.append(f"run 2 / run 1: median {median(again):.2f}")
    return "; ".join(parts)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
