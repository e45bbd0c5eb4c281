"""What became of `sandbox run`: as JSON (schema 1, see docs/cli.md and run-schema.json here), and for people."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from afterburner.sandbox.terminal.formatting import format_kib, format_seconds
from afterburner.sandbox.types import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from afterburner.sandbox.commands.request import Request
    from afterburner.sandbox.types import CaseReport, Report

SCHEMA = 1
_MOST_STDOUT_BYTES = 1 << 20  # of the program's stdout in the JSON


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure over the runs."""

    middle: float
    least: float
    most: float


def told_case(report: Report) -> CaseReport:
    """The run that is told of: the first of those with the verdict on all of them."""
    return next(case for case in report.cases if case.verdict is report.verdict)


def figures(report: Report) -> dict[str, Figure] | None:
    """Each figure's median over the runs, with its extremes; None if nothing ran."""
    if report.verdict is Verdict.COMPILE_ERROR:
        return None
    found = {}
    for name in ("wall_time_s", "cpu_time_s", "peak_memory_kib", "memory_integral_kib_s"):
        values = [getattr(case.measurement, name) for case in report.cases]
        found[name] = Figure(median(values), min(values), max(values))
    return found


def to_json_text(request: Request, report: Report) -> str:
    """The documented document, ASCII, with a newline at its end."""
    return json.dumps(_document(request, report), indent=2, allow_nan=False) + "\n"


def _document(request: Request, report: Report) -> dict[str, Any]:
    case, over_runs = told_case(report), figures(report)
    stdout = case.stdout[:_MOST_STDOUT_BYTES]
    return {
        "schema": SCHEMA,
        "file": str(request.file.absolute()),
        "language": request.program.language,
        "verdict": report.verdict.value,
        "detail": case.detail,
        "exit_code": case.exit_code,
        "signal": case.signal,
        "measurement": None
        if over_runs is None
        else {
            name: {"median": figure.middle, "min": figure.least, "max": figure.most}
            for name, figure in over_runs.items()
        },
        "runs": [] if over_runs is None else [_run(each) for each in report.cases],
        "compilation": None if report.compilation is None else asdict(report.compilation),
        "stdout": stdout.decode("utf-8", errors="replace"),
        "stdout_bytes": case.stdout_bytes,
        "stdout_complete": len(stdout) == case.stdout_bytes,
        "stderr": case.stderr if over_runs is not None else "",
        "limits": asdict(request.limits),
        "backend": report.backend,
        "tier": report.measurement.tier,
    }


def _run(case: CaseReport) -> dict[str, Any]:
    used: Measurement = case.measurement
    return {
        "verdict": case.verdict.value,
        "detail": case.detail,
        "wall_time_s": used.wall_time_s,
        "cpu_time_s": used.cpu_time_s,
        "peak_memory_kib": used.peak_memory_kib,
        "memory_integral_kib_s": used.memory_integral_kib_s,
        "samples": used.samples,
        "sampling_interval_s": used.sampling_interval_s,
    }


def print_outcome(console: Console, request: Request, report: Report) -> None:
    """The verdict with its reason, what the compiler said, and the figures."""
    case, over_runs = told_case(report), figures(report)
    if report.compilation is not None and report.compilation.message:
        console.print(Text(report.compilation.message), soft_wrap=True)
    style = "bold green" if report.verdict is Verdict.ACCEPTED else "bold red"
    reason = f": {case.detail}" if case.detail else ""
    console.print(Text.assemble((report.verdict.value.replace("_", " "), style), reason), soft_wrap=True)
    if case.stdout_bytes > len(case.stdout):
        console.print(f"Of {case.stdout_bytes} bytes of stdout, the first {len(case.stdout)} were kept.")
    if over_runs is not None:
        _print_figures(console, over_runs, len(report.cases))
    compiled = "" if report.compilation is None else f", compiled in {format_seconds(report.compilation.wall_time_s)}"
    where = f"{report.backend}, tier {report.measurement.tier}"
    console.print(Text(f"{request.program.language}{compiled}, {where}", style="dim"), soft_wrap=True)


def _print_figures(console: Console, over_runs: dict[str, Figure], runs: int) -> None:
    def kib_s(integral: float) -> str:
        return format_kib(integral, "·s")

    shown: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("CPU time", "cpu_time_s", format_seconds),
        ("wall time", "wall_time_s", format_seconds),
        ("peak memory", "peak_memory_kib", format_kib),
        ("memory integral", "memory_integral_kib_s", kib_s),
    )
    heads = ("", "median", "least", "most") if runs > 1 else ("", "")
    table = Table(*heads, box=None, show_header=runs > 1, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for title, name, show in shown:
        figure = over_runs[name]
        values = (figure.middle, figure.least, figure.most) if runs > 1 else (figure.middle,)
        table.add_row(title, *(show(value) for value in values))
    console.print(table)
