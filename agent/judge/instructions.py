"""Counts instructions under valgrind: the same within some thousandths however busy the machine is, and slow to get.

Counted is a whole process that makes the calls once, less a process of the original that loads the same and makes as
many calls of a function that does nothing. So starting Python counts for neither side, and work that a rewrite moves to
its import counts against it.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.sandbox import CallCase, Verdict
from afterburner.sandbox.errors import ToolchainMissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.options import InputOptions
    from afterburner.sandbox import Program

INSTRUCTIONS = "instructions"  # the figure that such a gain is of
SLOWDOWN = 150  # of Python under valgrind, at most
_STARTING_S = 60.0
_SHORTEST_S = 1.0
_MEMORY_KIB = 1_048_576  # what valgrind needs for itself, at most
_NOTHING = "_afterburner_does_nothing"
_NOTHING_SOURCE = f"\n\ndef {_NOTHING}(*_args, **_kwargs):\n    pass\n"
_NOT_IN_IMAGE = (
    "--deterministic counts instructions with this machine's valgrind, which an image does not have. "
    "Leave it out, or use --environment host."
)
_COLLECTED = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class InstructionCounts:
    """Instructions that the target took on the same calls."""

    before: int
    after: int

    @property
    def ratio(self) -> float:
        """How many times fewer the rewrite needs."""
        return self.before / max(self.after, 1)


def check_valgrind() -> None:
    """Say at once if there is no valgrind.

    Raises:
        ToolchainMissingError: it is not installed.
    """
    if shutil.which("valgrind") is None:
        raise ToolchainMissingError(
            "Counting instructions needs valgrind, which is not installed. Install it (Debian, Ubuntu: "
            "apt-get install valgrind), or leave out --deterministic."
        )


def check_counts_here(inputs: InputOptions) -> None:
    """Say at once if the code is to run in an image.

    Raises:
        ToolchainMissingError: it is.
    """
    if inputs.wants_image:
        raise ToolchainMissingError(_NOT_IN_IMAGE)


def count_instructions(
    bench: Workbench, original: str, rewrite: str, cases: Sequence[Case], deadline: Deadline
) -> InstructionCounts:
    """Count what both sources need for all cases together.

    Args:
        bench: of the run.
        original: text of the whole file.
        rewrite: likewise.
        cases: calls with their expected outcomes, or stdin/stdout cases.
        deadline: when to give up.

    Raises:
        SampleFailedError: the deadline is over, an outcome was not the expected one, or a limit was hit.
        ToolchainMissingError: there is no valgrind.
        SandboxInternalError: the sandbox failed.
    """
    check_valgrind()
    if bench.environment.image is not None:
        raise ToolchainMissingError(_NOT_IN_IMAGE)
    nothing = () if bench.by_cases else ((_does_nothing(bench, original), _without_outcomes(cases)),)
    base = sum(_count(bench, program, made, deadline) for program, made in nothing)
    before, after = (_count(bench, bench.program(source), cases, deadline) for source in (original, rewrite))
    return InstructionCounts(max(before - base, 0), max(after - base, 0))


def _does_nothing(bench: Workbench, source: str) -> Program:
    program = bench.program(source + _NOTHING_SOURCE)
    entry = program.entry
    assert entry is not None  # noqa: S101 - narrows the type; calls have one
    return replace(program, entry=replace(entry, qualname=_NOTHING))


def _without_outcomes(cases: Sequence[Case]) -> list[Case]:
    return [replace(case, expected_outcomes=None) if isinstance(case, CallCase) else case for case in cases]


def _count(bench: Workbench, program: Program, cases: Sequence[Case], deadline: Deadline) -> int:
    if deadline.passed():
        raise SampleFailedError(Verdict.TIME_LIMIT, "the time budget ended; --max-seconds allows more")
    environment = replace(
        bench.environment,
        prefix=("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"),
    )
    limit_s = min(SLOWDOWN * bench.limits.wall_time_s + _STARTING_S, max(deadline.left_s(), _SHORTEST_S))
    limits = replace(
        bench.limits,
        wall_time_s=limit_s,
        cpu_time_s=limit_s,
        memory_kib=2 * bench.limits.memory_kib + _MEMORY_KIB,
    )
    report = bench.run_program(replace(program, environment=environment), cases, limits)
    if report.verdict is not Verdict.ACCEPTED:
        raise SampleFailedError.of_report(report)
    total = 0
    for case in report.cases:
        counted = _COLLECTED.findall(case.stderr)
        if not counted:
            raise SampleFailedError(Verdict.RUNTIME_ERROR, "valgrind did not say how many instructions it counted")
        total += sum(map(int, counted[-1:]))  # the last line is valgrind's own: it is written when all else has ended
    return total
