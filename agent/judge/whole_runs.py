"""The program itself as the last judge: the file's `__main__`, the user's command and the tests, run with a rewrite.

Calls are judged one by one elsewhere. What a run of the whole program shows beside them (what is printed and logged,
how it ends, how much of a lazy result is used) is compared here, as its owner would see it.
"""

from __future__ import annotations

import ast
import shlex
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.harness import CUT_OFF, TOO_LONG, Harness
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.inside.pytest_calls import LEFT, MAX_FAILING
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.judge.program_runs import WholeProgram, run_program
from afterburner.agent.types import Decision, Skipped
from afterburner.sandbox import Limits, Verdict
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.program_runs import ProgramRun
    from afterburner.sandbox import CaseReport, PythonEnvironment

LONGEST_RUN_S = 10.0  # of the original; what takes longer is not run again
TIMES_AS_LONG, GRACE_S = 4, 2.0  # what the rewrite may take
_TOO_LONG = f"they take longer than {LONGEST_RUN_S:.0f} s"
_NOT_KNOWN = "so whether they pass with both versions is not known"
AS_A_WHOLE = "tests as a whole"
CPU_TOLERATED, CPU_GRACE_S = 1.1, 0.05  # of the whole process, whose start is noise


@dataclass(frozen=True, slots=True)
class WholeRunDifference:
    """What a run of the whole program shows against a rewrite."""

    decision: Decision  # wrong, or not better
    reason: str


def difference_of_whole_runs(bench: Workbench, winner: str, *, by_cost: bool = True) -> WholeRunDifference | None:
    """What the file's `__main__`, the command that was given and the tests show against a winner; None: nothing.

    Args:
        bench: of one function of a project; programs that are judged by cases are run whole anyway.
        winner: the text of the whole file.
        by_cost: whether more CPU time counts as well.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    if bench.by_cases or bench.problem is not None:
        return None
    looks: list[Callable[[], WholeRunDifference | None]] = [lambda: compared_tests(bench, winner).difference]
    looks += [partial(_differs, bench, program, winner, by_cost=by_cost) for program in _programs(bench)]
    found = side_by_side(bench.sandbox, looks)
    return next((each for each in found if each is not None), None)


def _programs(bench: Workbench) -> Iterator[WholeProgram]:
    """What a user runs: the file itself if it has an `if __name__ == …`, and the command."""
    target = bench.target
    tree = ast.parse(target.source)
    if any(isinstance(each, ast.If) and "__name__" in ast.dump(each.test) for each in tree.body):
        yield WholeProgram((target.path,), str(Path(target.path).parent), "the file's own __main__")
    if bench.command:
        yield WholeProgram(bench.command, bench.command_folder, f"`python {shlex.join(bench.command)}`")


def _differs(bench: Workbench, program: WholeProgram, winner: str, *, by_cost: bool) -> WholeRunDifference | None:
    run_original = partial(run_program, bench, program, bench.target.source, bench.environment, LONGEST_RUN_S)
    original = run_original()
    if original.shown is None:
        return None  # too long, or too much: nothing is known of it
    allowed_s = TIMES_AS_LONG * original.report.measurement.wall_time_s + GRACE_S
    environment = bench.other_environment or bench.environment
    run_winner = partial(run_program, bench, program, winner, environment, allowed_s)
    rewritten = run_winner()
    if rewritten.shown is None:
        rewritten = run_winner()  # a busy machine may have made it late
    if rewritten.shown is None:
        return _unfinished(program, original.report, rewritten.report, allowed_s, by_cost=by_cost)
    steady = original.shown
    if steady != rewritten.shown:
        for again in (run_original(elsewhere=True), run_original()):
            steady = steady.without_what_differs_from(again.shown) if again.shown is not None else steady
        told = steady.difference_of(rewritten.shown)
        if told:
            return WholeRunDifference(Decision.WRONG, f"{program.name} does something else with it: {told}")
    return _costs_more(program, run_original, run_winner, (original, rewritten)) if by_cost else None


def _unfinished(
    program: WholeProgram, original: CaseReport, rewritten: CaseReport, allowed_s: float, *, by_cost: bool
) -> WholeRunDifference | None:
    """What it means that the program does not come to its end with the rewrite, twice."""
    if rewritten.verdict is not Verdict.TIME_LIMIT:
        return WholeRunDifference(Decision.WRONG, f"{program.name} does not come to its end with it")
    if not by_cost:
        return None
    needed, allowed = format_seconds(original.measurement.wall_time_s), format_seconds(allowed_s)
    return WholeRunDifference(
        Decision.NOT_BETTER, f"{program.name} takes more than {allowed} with it, and {needed} without"
    )


def _costs_more(
    program: WholeProgram,
    run_original: Callable[[], ProgramRun],
    run_winner: Callable[[], ProgramRun],
    first: tuple[ProgramRun, ProgramRun],
) -> WholeRunDifference | None:
    """Whether the whole process needs more CPU time, in two runs of each."""
    before_s, after_s = (each.report.measurement.cpu_time_s for each in first)
    if after_s <= CPU_TOLERATED * before_s + CPU_GRACE_S:
        return None
    before_s = max(before_s, run_original().report.measurement.cpu_time_s)
    after_s = min(after_s, run_winner().report.measurement.cpu_time_s)
    if after_s <= CPU_TOLERATED * before_s + CPU_GRACE_S:
        return None
    needed, without = format_seconds(after_s), format_seconds(before_s)
    return WholeRunDifference(
        Decision.NOT_BETTER, f"{program.name} needs {needed} of CPU time with it, and {without} without"
    )


@dataclass(frozen=True, slots=True)
class ComparedTests:
    """What the project's tests say of a version; `left_out`: they say nothing, or some of them do not, and why."""

    difference: WholeRunDifference | None = None
    left_out: Skipped | None = None


def compared_tests(bench: Workbench, winner: str) -> ComparedTests:
    """Which tests pass with the original and not with the winner, each time.

    Args:
        bench: of one function of a project.
        winner: the text of the whole file.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    environment = bench.other_environment or bench.environment
    after = _suite(bench, winner, environment, LONGEST_RUN_S)
    if after is None or (after.complete and not after.failing):
        return ComparedTests()
    known: set[str] = set()
    longest_s = 0.0
    for _ in range(2):
        begun_s = time.monotonic()
        before = _suite(bench, bench.target.source, bench.environment, LONGEST_RUN_S)
        if before is None or not before.complete:
            told = _told_of_incomplete(before, original_alone=after.complete)
            return ComparedTests(left_out=Skipped(AS_A_WHOLE, told))
        longest_s = max(longest_s, time.monotonic() - begun_s)
        known.update(before.failing)
    allowed_s = max(LONGEST_RUN_S, TIMES_AS_LONG * longest_s + GRACE_S)
    again = _suite(bench, winner, environment, allowed_s)  # a busy machine, or chance, may have made one fail
    if after.complete and (again is None or not again.complete):
        again = _suite(bench, winner, environment, allowed_s)
    if again is None or not again.complete:  # twice, while the original came to its end twice
        return ComparedTests(WholeRunDifference(Decision.WRONG, "the project's tests do not come to their end with it"))
    broken = [name for name in again.failing if name not in known and (not after.complete or name in after.failing)]
    if not broken:
        return ComparedTests(left_out=_that_fail(again, sorted(known & set(again.failing))))
    more = f" and {len(broken) - 1} more of the project's tests" if len(broken) > 1 else ""
    reason = f"{broken[0]}{more} passed with the original and failed with the other version"
    return ComparedTests(WholeRunDifference(Decision.WRONG, reason))


def _told_of_incomplete(suite: Suite | None, *, original_alone: bool) -> str:
    """Why tests that did not come to their end with the original say nothing, and how many of them failed by then."""
    why = "they cannot be begun" if suite is None else suite.why_incomplete or _TOO_LONG
    told = f"{'with the original, ' if original_alone else ''}{why}, {_NOT_KNOWN}"
    if suite is None or not suite.failing:
        return told
    return f"{told}; by then {suite.passed} had passed with the original, and {_number_of_failing(suite)} failed"


def _number_of_failing(suite: Suite) -> str:
    at_least = "at least " if len(suite.failing) >= MAX_FAILING else ""
    return f"{at_least}{len(set(suite.failing))}"  # one may fail twice: by itself, and when it is cleaned up


def _told_of_ending(ending: str) -> str:
    why = ending.partition(": ")[0]  # then follows what pytest has printed
    return _TOO_LONG if why.startswith(TOO_LONG) else f"they were stopped: {why}"


def _that_fail(suite: Suite, failing: Sequence[str]) -> Skipped | None:
    """Which tests say nothing of the versions, since they fail with both; None: none."""
    if not failing:
        return None
    if len(suite.failing) >= MAX_FAILING:
        number = f"at least {len(failing)}"
    else:
        number = f"{len(failing)} of {suite.passed + len(set(suite.failing))}"
    return Skipped("tests that fail with both versions", f"{number}; the first is {failing[0]}{suite.why(failing[0])}")


def _suite(bench: Workbench, source: str, environment: PythonEnvironment, allowed_s: float) -> Suite | None:
    """What becomes of the tests that may reach the function; None: there are none, or they cannot be begun."""
    limits = Limits(wall_time_s=allowed_s, cpu_time_s=allowed_s)
    harness = Harness(bench.sandbox, with_source(bench.target, source, or_bound=True), environment, limits)
    answer = harness.ask("pytest", "pytest", {"indirect": "too", "every_failure": True})
    if answer.suite is None:
        ending = next((each.reason for each in answer.failures if each.stage == CUT_OFF), None)
        return None if ending is None else Suite(0, (), complete=False, why_incomplete=_told_of_ending(ending))
    why = next((each.reason for each in answer.failures if each.reason.startswith(LEFT)), "")
    return answer.suite if answer.suite.complete else replace(answer.suite, why_incomplete=why)
