"""The program itself as the last judge: the file's own `__main__` and the project's tests, run whole with a rewrite.

Calls are judged one by one elsewhere. What a run of the whole program shows beside them (what is printed and logged,
how it ends, how much of a lazy result is used) is compared here, as its owner would see it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.harness_answers import scrub
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.types import Decision
from afterburner.sandbox import Limits, Program, TestCase, Verdict
from afterburner.sandbox.inside import INSIDE, name_inside
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.inputs.harness_answers import Suite
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox import CaseReport, PythonEnvironment

LONGEST_RUN_S = 10.0  # of the original; what takes longer is not run again
TIMES_AS_LONG, GRACE_S = 4, 2.0  # what the rewrite may take
CPU_TOLERATED, CPU_GRACE_S = 1.1, 0.05  # of the whole process, whose start is noise
SHOWN = 60  # characters of a line
# Run the file under another hash seed and with clocks that stand still: lines that change depend on neither version.
_ELSEWHERE = f"""\
import os, runpy, sys
path = {{path!r}}
if os.environ.get("PYTHONHASHSEED") != "1":
    os.environ["PYTHONHASHSEED"] = "1"
    os.execv(sys.executable, [sys.executable, os.path.abspath(__file__)])
sys.path.insert(0, {INSIDE!r})
from {name_inside("afterburner.sandbox.driver")}.fixed_clock import FixedClock
sys.path.remove({INSIDE!r})
sys.path[0] = os.path.dirname(path)
sys.argv = [path]
FixedClock().install()
runpy.run_path(path, run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class WholeRunDifference:
    """What a run of the whole program shows against a rewrite."""

    decision: Decision  # wrong, or not better
    reason: str


def difference_of_whole_runs(bench: Workbench, winner: str, *, by_cost: bool = True) -> WholeRunDifference | None:
    """What the file's `__main__` and the tests that mention the function show against a winner; None: nothing.

    Args:
        bench: of one function of a project; programs that are judged by cases are run whole anyway.
        winner: the text of the whole file.
        by_cost: whether more CPU time counts as well.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    if bench.by_cases or bench.problem is not None:
        return None
    looks: list[Callable[[], WholeRunDifference | None]] = [partial(_broken_tests, bench, winner)]
    if _has_main(bench.target.source):
        looks.append(partial(_main_differs, bench, winner, by_cost=by_cost))
    found = side_by_side(bench.sandbox, looks)
    return next((each for each in found if each is not None), None)


def _has_main(source: str) -> bool:
    """Whether there is an `if __name__ == …` in the module."""
    tree = ast.parse(source)
    return any(isinstance(each, ast.If) and "__name__" in ast.dump(each.test) for each in tree.body)


def _main_differs(bench: Workbench, winner: str, *, by_cost: bool) -> WholeRunDifference | None:
    original = _run(bench, bench.target.source, bench.environment, LONGEST_RUN_S)
    if original.verdict not in {Verdict.ACCEPTED, Verdict.RUNTIME_ERROR}:
        return None  # too long, or too much: nothing is known of it
    allowed_s = TIMES_AS_LONG * original.measurement.wall_time_s + GRACE_S
    environment = bench.other_environment or bench.environment
    rewritten = _run(bench, winner, environment, allowed_s)
    if by_cost and rewritten.verdict is Verdict.TIME_LIMIT:  # a busy machine may have made it late
        rewritten = _run(bench, winner, environment, allowed_s)
    if rewritten.verdict is Verdict.TIME_LIMIT:
        if not by_cost:
            return None
        needed = format_seconds(original.measurement.wall_time_s)
        return WholeRunDifference(
            Decision.NOT_BETTER,
            f"the file's own __main__ takes more than {format_seconds(allowed_s)} with it, and {needed} without",
        )
    path = bench.target.path
    shown, other = _Shown.of(original, path), _Shown.of(rewritten, path)
    if shown != other:
        for again in (_elsewhere(bench), _run(bench, bench.target.source, bench.environment, LONGEST_RUN_S)):
            shown = shown.without_what_differs_from(_Shown.of(again, path))
        told = shown.difference_of(other)
        if told:
            return WholeRunDifference(Decision.WRONG, f"the file's own __main__ does something else with it: {told}")
    return _costs_more(bench, winner, environment, original, rewritten) if by_cost else None


def _costs_more(
    bench: Workbench, winner: str, environment: PythonEnvironment, original: CaseReport, rewritten: CaseReport
) -> WholeRunDifference | None:
    """Whether the whole process needs more CPU time, in two runs of each."""
    before_s, after_s = original.measurement.cpu_time_s, rewritten.measurement.cpu_time_s
    if after_s <= CPU_TOLERATED * before_s + CPU_GRACE_S:
        return None
    again = _run(bench, bench.target.source, bench.environment, LONGEST_RUN_S)
    before_s = max(before_s, again.measurement.cpu_time_s)
    after_s = min(after_s, _run(bench, winner, environment, LONGEST_RUN_S).measurement.cpu_time_s)
    if after_s <= CPU_TOLERATED * before_s + CPU_GRACE_S:
        return None
    return WholeRunDifference(
        Decision.NOT_BETTER,
        f"the file's own __main__ needs {format_seconds(after_s)} of CPU time with it, and {format_seconds(before_s)} "
        "without",
    )


def _run(bench: Workbench, source: str, environment: PythonEnvironment, limit_s: float) -> CaseReport:
    program = Program("python", source, path=bench.target.path, environment=environment)
    return _report(bench, program, limit_s)


def _elsewhere(bench: Workbench) -> CaseReport:
    """The original in other circumstances, which no output should depend on."""
    source = _ELSEWHERE.format(path=bench.target.path)
    return _report(bench, Program("python", source, environment=bench.environment), LONGEST_RUN_S)


def _report(bench: Workbench, program: Program, limit_s: float) -> CaseReport:
    limits = replace(Limits(), wall_time_s=limit_s, cpu_time_s=limit_s)
    return bench.sandbox.run(program, [TestCase()], limits).cases[0]


def _broken_tests(bench: Workbench, winner: str) -> WholeRunDifference | None:
    """Tests that pass with the original, each time, and not with the winner."""
    after = _suite(bench, winner, bench.other_environment or bench.environment)
    if after is None or (after.complete and not after.failing):
        return None
    known: set[str] = set()
    for _ in range(2):
        before = _suite(bench, bench.target.source, bench.environment)
        if before is None or not before.complete:
            return None
        known.update(before.failing)
    if not after.complete:  # once more, for a busy machine may have made it late
        after = _suite(bench, winner, bench.other_environment or bench.environment)
    if after is None:
        return None
    if not after.complete:
        return WholeRunDifference(Decision.WRONG, "the project's tests do not come to their end with it")
    broken = [name for name in after.failing if name not in known]
    if not broken:
        return None
    more = f" and {len(broken) - 1} more of the project's tests" if len(broken) > 1 else ""
    return WholeRunDifference(Decision.WRONG, f"{broken[0]}{more} passed before, and fails with it")


def _suite(bench: Workbench, source: str, environment: PythonEnvironment) -> Suite | None:
    """What becomes of the tests that mention the function; None: there are none, or they cannot be run."""
    limits = Limits(wall_time_s=LONGEST_RUN_S, cpu_time_s=LONGEST_RUN_S)
    harness = Harness(bench.sandbox, with_source(bench.target, source), environment, limits)
    return harness.ask("pytest", "pytest").suite


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a run shows from outside. None stands for a line, or for a whole text, that is not always the same."""

    exit_code: int | None
    stdout: tuple[str | None, ...] | None
    stderr: tuple[str | None, ...] | None  # without places in the file, and without the source text that is quoted

    @classmethod
    def of(cls, report: CaseReport, path: str) -> _Shown:
        """What this run showed of the program at `path`."""
        said = re.sub(re.escape(path) + r'(:\d+|", line \d+)', path, report.stderr)
        quoted = (line for line in said.splitlines() if not line.startswith((" ", "\t")))
        return cls(report.exit_code, tuple(report.stdout.decode("utf-8", "replace").splitlines()), tuple(quoted))

    def without_what_differs_from(self, again: _Shown) -> _Shown:
        """The same without what another run of the same program shows otherwise."""
        return _Shown(
            self.exit_code if self.exit_code == again.exit_code else None,
            _same_lines(self.stdout, again.stdout),
            _same_lines(self.stderr, again.stderr),
        )

    def difference_of(self, other: _Shown) -> str:
        """The first thing that another program shows otherwise, in words; empty: nothing."""
        if self.exit_code is None:
            return ""
        if other.exit_code != self.exit_code:
            return f"it ends with exit code {other.exit_code} instead of {self.exit_code}"
        found = _first_difference("stdout", self.stdout, other.stdout)
        if found or self.exit_code:  # a traceback tells where code stands
            return found
        return _first_difference("stderr", self.stderr, other.stderr)


def _same_lines(
    lines: tuple[str | None, ...] | None, again: tuple[str | None, ...] | None
) -> tuple[str | None, ...] | None:
    if lines is None or again is None or len(lines) != len(again):
        return None
    return tuple(line if line == other else None for line, other in zip(lines, again, strict=True))


def _first_difference(
    where: str, expected: tuple[str | None, ...] | None, actual: tuple[str | None, ...] | None
) -> str:
    if expected is None or actual is None:
        return ""
    for number, (line, other) in enumerate(zip(expected, actual, strict=False), start=1):
        if line is not None and other is not None and other != line:
            return f"line {number} of {where} is {scrub(other, SHOWN)!r} instead of {scrub(line, SHOWN)!r}"
    if len(actual) != len(expected):
        return f"{len(actual)} lines on {where} instead of {len(expected)}"
    return ""
