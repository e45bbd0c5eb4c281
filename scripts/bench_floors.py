"""Measures what the floors above the command line cost: the editor, the pull request, evaluation, and training.

    make bench-floors
    PYTHONPATH=tests/lsp_server:tests/ci_action python -m scripts.bench_floors
        [--against REV] [--only TEXT ...] [--rounds N] [--json FILE]

Each figure stands beside its reference of the same minutes: the same programs as bare processes, and with `--against`
also another commit of this repository, measured in turn with the working tree. What cannot be measured is a row that
says FAILED. Keep the machine idle.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent.cli.interrupts import INTERRUPTED, raise_on_signals
from afterburner.sandbox import AfterburnerError
from scripts.floor_bench import editor, pull_request, rewards
from scripts.floor_bench.evaluation import Evaluation
from scripts.floor_bench.floor import Floor, FloorFailedError
from scripts.latency_bench.versions import build, working_tree
from scripts.selection_bench.show import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.latency_bench.versions import Program

BARE, FAILED = "bare processes", "FAILED"
ONCE = "each program once on each test"
_HEADS = ("floor", "what", "version", "median", "lowest to highest", "rounds", "of bare processes")


@dataclass(slots=True)
class Row:
    """The figures of one version at one floor, in the order in which they were measured.

    Attributes:
        floor: of the figures.
        what: was measured.
        version: of the program, or `BARE`.
        unit: of the figures.
        figures: one for each round that did not fail.
        failure: why the last round that failed did; empty: none did.
    """

    floor: str
    what: str
    version: str
    unit: str
    figures: list[float] = field(default_factory=list)
    failure: str = ""


def all_floors(kept: Path) -> tuple[Floor, ...]:
    """All floors; what their rounds share goes into a folder."""
    evaluation = Evaluation(kept)
    return (
        Floor("editor", "s", 3, editor.measure, editor.bare, "the file's own run"),
        Floor("training", "/s", 3, rewards.measure, rewards.bare, ONCE),
        Floor("pull request", "min", 1, pull_request.measure, pull_request.bare, "its tests' own run"),
        Floor("evaluation", "/h", 1, evaluation.measure, evaluation.bare, ONCE),
    )


def main() -> int:
    """Measure, and print the table."""
    options = _options()
    rows: list[Row] = []
    was_interrupted = raise_on_signals()
    try:
        with tempfile.TemporaryDirectory(prefix="afterburner-floors-", ignore_cleanup_errors=True) as name:
            _measure_all(options, Path(name), rows)
    except (KeyboardInterrupt, OSError):  # a folder that is being removed makes another error of an interrupt
        if not was_interrupted():
            raise
    print(shown(rows))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return INTERRUPTED if was_interrupted() else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", default="", help="also measure this commit, in turn with this tree")
    parser.add_argument(
        "--only", metavar="TEXT", nargs="+", help="measure only floors whose name contains one of these"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="rounds for each floor (default: 1, or 3 of short ones)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    return parser.parse_args()


def _measure_all(options: argparse.Namespace, folder: Path, rows: list[Row]) -> None:
    (folder / "kept").mkdir()
    programs = [working_tree()]
    if options.against:
        programs.insert(0, build(options.against, folder / "before"))
    for floor in all_floors(folder / "kept"):
        if options.only and not any(text in floor.name for text in options.only):
            continue
        for number in range(options.rounds or floor.rounds):
            began_s = time.monotonic()
            measure_round(floor, programs, folder / f"{floor.name}-{number}", rows)
            print(f"{floor.name}, round {number + 1}: {time.monotonic() - began_s:.0f} s", file=sys.stderr, flush=True)


def measure_round(floor: Floor, programs: Sequence[Program], folder: Path, rows: list[Row]) -> None:
    """Measure a floor once: the bare processes, and each version.

    Args:
        floor: to measure.
        programs: the versions.
        folder: for their files; it is not there yet.
        rows: of all floors; figures are added to them.
    """
    for program in (None, *programs):
        version = program.name if program else BARE
        place = folder / version.replace("/", "-")
        place.mkdir(parents=True)
        try:
            found = floor.measure(program, place) if program else {floor.bare_is: floor.bare(place)}
        except (FloorFailedError, AfterburnerError, OSError, ValueError, subprocess.SubprocessError) as error:
            _row(rows, floor, "", version).failure = str(error)
            continue
        for name, figure in found.items():
            _row(rows, floor, name, version).figures.append(figure)


def _row(rows: list[Row], floor: Floor, what: str, version: str) -> Row:
    """The row for these figures, which is added if there is none."""
    for row in rows:
        if (row.floor, row.what, row.version) == (floor.name, what, version):
            return row
    rows.append(Row(floor.name, what, version, floor.unit))
    return rows[-1]


def shown(rows: Sequence[Row]) -> str:
    """The rows as a table, and why some failed."""
    bare = {row.floor: median(row.figures) for row in rows if row.version == BARE and row.figures}
    lines = [_HEADS, *(_cells(row, bare.get(row.floor)) for row in rows)]
    failures = [f"{row.floor}, {row.version}: {row.failure}" for row in rows if row.failure]
    return "\n\n".join([table(lines), *failures])


def _cells(row: Row, bare: float | None) -> tuple[str, ...]:
    if not row.figures:
        return (row.floor, row.what, row.version, FAILED, "", "0", "")
    middle, lowest, highest = median(row.figures), min(row.figures), max(row.figures)
    ratio = f"{middle / bare:.2f}x" if bare and row.version != BARE else ""
    spread = f"{lowest:.3g} to {highest:.3g}"
    return (row.floor, row.what, row.version, f"{middle:.3g} {row.unit}", spread, str(len(row.figures)), ratio)


if __name__ == "__main__":
    sys.exit(main())
