"""From what the meter says of a process to the verdict on a case, and from cases to the report."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.types import VERDICT_PRIORITY, CaseReport, Measurement, Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.sandbox.types import Limits, RawResult

_LIMIT_VERDICTS = {
    "wall": Verdict.TIME_LIMIT,
    "cpu": Verdict.TIME_LIMIT,
    "memory": Verdict.MEMORY_LIMIT,
    "output": Verdict.OUTPUT_LIMIT,
    "processes": Verdict.RUNTIME_ERROR,
    "files": Verdict.RUNTIME_ERROR,
}
_LAST_WORDS_BYTES = 4096
_GO_PANICS = ("panic: ", "fatal error: ")
_HINTS = ("Node.js v", "note: run with `RUST_BACKTRACE")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that counts when there are several."""
    return min(verdicts, key=VERDICT_PRIORITY.index)


def all_accepted(cases: Iterable[CaseReport]) -> bool:
    """Whether each of these cases was accepted."""
    return all(case.verdict is Verdict.ACCEPTED for case in cases)


def report_of_process(raw: RawResult, limits: Limits) -> CaseReport:
    """The report on how a process ended, before anyone has looked at what it printed."""
    if raw.limit is not None:
        verdict, detail = _LIMIT_VERDICTS[raw.limit], _explain_limit(raw, limits)
    elif raw.signal is not None:
        verdict, detail = Verdict.RUNTIME_ERROR, f"ended by signal {raw.signal} ({_signal_name(raw.signal)})"
    elif raw.exit_code != 0:
        verdict, said = Verdict.RUNTIME_ERROR, _telling_line(scrub_bytes(raw.stderr[-_LAST_WORDS_BYTES:]))
        detail = f"exit code {raw.exit_code}" + (f": {said[:200]}" if said else "")
    else:
        verdict, detail = Verdict.ACCEPTED, ""
    return CaseReport(
        verdict=verdict,
        detail=detail,
        measurement=raw.measurement,
        exit_code=raw.exit_code,
        signal=raw.signal,
        stdout=raw.stdout,
        stderr=scrub_bytes(raw.stderr),
        stdout_bytes=raw.stdout_bytes,
    )


def summarise(cases: Sequence[CaseReport], backend: str) -> Report:
    """The report on a program: the worst verdict, summed times and integrals, the largest peak."""
    used = [case.measurement for case in cases]
    wall_time_s, samples = sum(each.wall_time_s for each in used), sum(each.samples for each in used)
    together = Measurement(
        wall_time_s=wall_time_s,
        cpu_time_s=sum(each.cpu_time_s for each in used),
        peak_memory_kib=max(each.peak_memory_kib for each in used),
        memory_integral_kib_s=sum(each.memory_integral_kib_s for each in used),
        samples=samples,
        sampling_interval_s=wall_time_s / max(1, samples - len(used)),
        tier=used[0].tier,
    )
    return Report(worst(case.verdict for case in cases), together, tuple(cases), backend)


def _explain_limit(raw: RawResult, limits: Limits) -> str:
    if raw.limit == "memory":
        used, allowed = raw.measurement.peak_memory_kib / 1024, limits.memory_kib / 1024
        # Where the kernel stopped it, it was before that could be seen, or for what no resident set shows.
        seen = f"used {used:.0f} MiB of memory" if used > allowed else "killed for its memory"
        return f"{seen}, the limit is {allowed:.0f} MiB"
    return {
        "wall": f"stopped after {limits.wall_time_s:g} s of wall time",
        "cpu": f"stopped after {limits.cpu_time_s:g} s of CPU time",
        "output": f"wrote more than {limits.output_bytes} bytes",
        "files": "made more than 65536 files",
        "processes": f"had more than {limits.processes} processes and threads at once",
    }[raw.limit or ""]


def _telling_line(stderr: str) -> str:
    """The line that says why a program failed: the last one that is neither a stack nor a hint of its runtime.

    Python ends with the exception itself; Java, JavaScript and Ruby put an indented stack after it, Go a stack that
    is not indented, Node its version and Rust a hint.
    """
    lines = [line.rstrip() for line in stderr.splitlines() if line.strip()]
    panics = [line for line in lines if line.startswith(_GO_PANICS)]
    if panics:
        return panics[-1]
    own = [line for line in lines if not line[0].isspace() and not line.startswith(_HINTS)]
    return (own or lines or [""])[-1].strip()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # Python has no name for most real-time signals
        return "real-time"
