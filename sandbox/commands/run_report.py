"""What became of `sandbox run`: as JSON (see docs/cli.md), and for people."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from afterburner.sandbox.commands.documents import CaseDocument, MeasurementDocument, RunDocument, Spread
from afterburner.sandbox.terminal.formatting import format_kib, format_seconds
from afterburner.sandbox.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from afterburner.sandbox.commands.run_request import Request
    from afterburner.sandbox.types import CaseReport, Report

_MOST_STDOUT_BYTES = 1 << 20  # of the program's stdout in the JSON


def told_case(report: Report) -> CaseReport:
    """The run that is told of: the first of those with the verdict on all of them."""
    return next(case for case in report.cases if case.verdict is report.verdict)


def figures(report: Report) -> MeasurementDocument | None:
    """Each figure's median over the runs, with its extremes; None if nothing ran."""
    if report.verdict is Verdict.COMPILE_ERROR:
        return None
    found = {}
    for name in MeasurementDocument.model_fields:
        values = [getattr(case.measurement, name) for case in report.cases]
        found[name] = Spread(median=median(values), min=min(values), max=max(values))
    return MeasurementDocument(**found)


def document(request: Request, report: Report) -> RunDocument:
    """What is written as JSON."""
    case, over_runs = told_case(report), figures(report)
    stdout = case.stdout[:_MOST_STDOUT_BYTES]
    return RunDocument(
        file=str(request.file.absolute()),
        language=request.program.language,
        verdict=report.verdict,
        detail=case.detail,
        exit_code=case.exit_code,
        signal=case.signal,
        measurement=over_runs,
        runs=[] if over_runs is None else [_run(each) for each in report.cases],
        compilation=report.compilation,
        stdout=stdout.decode("utf-8", errors="replace"),
        stdout_bytes=case.stdout_bytes,
        stdout_complete=len(stdout) == case.stdout_bytes,
        stderr=case.stderr if over_runs is not None else "",
        limits=request.limits,
        backend=report.backend,
        tier=report.measurement.tier,
    )


def _run(case: CaseReport) -> CaseDocument:
    used = {name: value for name, value in asdict(case.measurement).items() if name in CaseDocument.model_fields}
    return CaseDocument(verdict=case.verdict, detail=case.detail, **used)


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


def _print_figures(console: Console, over_runs: MeasurementDocument, runs: int) -> None:
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
        figure = getattr(over_runs, name)
        values = (figure.median, figure.min, figure.max) if runs > 1 else (figure.median,)
        table.add_row(title, *(show(value) for value in values))
    console.print(table)
