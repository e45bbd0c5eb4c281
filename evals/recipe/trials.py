"""Runs solutions on inputs, side by side on all cores: which of them pass, and on which inputs they agree."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.sandbox import Task, TestCase, Verdict
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from afterburner.evals.recipe.candidates import Candidate
    from afterburner.evals.recipe.events import CoreUse
    from afterburner.evals.recipe.judging import OutputJudge
    from afterburner.sandbox import CaseReport, Limits, Program, Report, Sandbox

DISAGREE, FAIL, SILENT = "the solutions disagree", "a solution fails", "nothing is printed"


@dataclass(frozen=True, slots=True)
class Trials:
    """What solutions of one problem are run with.

    All inputs of a solution are one task, since opening a container takes as long as a short program runs.
    """

    sandbox: Sandbox
    program: Callable[[str], Program]
    limits: Limits
    judge: OutputJudge
    use: CoreUse
    jobs: int | None = None

    def passing(
        self, solutions: Sequence[str], stored: Sequence[Candidate], most: int | None, on_run: Callable[[int], object]
    ) -> list[str]:
        """The first `most` solutions that print what is expected on every stored case; None: all that do.

        Without stored cases, nothing speaks against any of them.

        Args:
            solutions: in the order in which they are tried.
            stored: with what is expected.
            most: enough of them.
            on_run: receives how many have been tried.

        Raises:
            CheckerError: the problem's evaluator failed.
            AfterburnerError: as `Sandbox.run_many`.
        """
        if not stored:
            return list(solutions[:most])
        found: list[str] = []
        cases = [TestCase(each.stdin) for each in stored]
        tasks = (Task(self.program(code), cases, self.limits, stop_at_failure=True) for code in solutions)
        with closing(self._run(tasks)) as reports:
            for number, (code, report) in enumerate(zip(solutions, reports, strict=True), start=1):
                on_run(number)
                if self._is_right(report, stored):
                    found.append(code)
                    if len(found) == most:
                        break
        return found

    def agreed(
        self, solutions: Sequence[str], inputs: Sequence[Candidate], on_run: Callable[[int], object]
    ) -> tuple[list[TestCase | None], list[str]]:
        """The inputs as cases where all solutions print the same; None where they do not, with the reasons.

        As in the paper (appendix C.1), a single solution that prints something else, or fails, is enough for a case to
        be dropped. A dropped input is not run any further, so that one slow solution cannot hold up the others on it.

        Raises:
            CheckerError: the problem's evaluator failed.
            AfterburnerError: as `Sandbox.run_many`.
        """
        outputs: dict[int, bytes | None] = dict.fromkeys(range(len(inputs)))  # None: no solution has run it
        reasons: list[str] = []
        handed: deque[list[int]] = deque()

        def tasks() -> Iterator[Task]:
            for code in solutions:
                if not outputs:
                    return
                handed.append(list(outputs))
                yield Task(self.program(code), [TestCase(inputs[place].stdin) for place in outputs], self.limits)

        for number, report in enumerate(self._run(tasks()), start=1):
            on_run(number)
            for place, case in zip(handed.popleft(), report.cases, strict=True):
                if place not in outputs:
                    continue
                reason = self._objection(inputs[place], case, outputs[place])
                if reason:
                    reasons.append(reason)
                    del outputs[place]
                elif outputs[place] is None:
                    outputs[place] = case.stdout
        cases: list[TestCase | None] = []
        for place, candidate in enumerate(inputs):
            output = outputs.get(place)
            cases.append(None if output is None else TestCase(candidate.stdin, output))
        return cases, reasons

    def _objection(self, given: Candidate, case: CaseReport, expected: bytes | None) -> str:
        """Why an output is no reason to keep a case; empty: it is one."""
        if case.verdict is not Verdict.ACCEPTED or case.stdout_bytes > len(case.stdout):
            return FAIL
        if not case.stdout.strip():
            return SILENT
        if expected is None or self.judge.accepts(given.stdin, case.stdout, expected):
            return ""
        return DISAGREE

    def _is_right(self, report: Report, stored: Sequence[Candidate]) -> bool:
        if report.verdict is not Verdict.ACCEPTED:
            return False
        return all(
            case.stdout_bytes == len(case.stdout) and self.judge.accepts(each.stdin, case.stdout, each.expected or b"")
            for each, case in zip(stored, report.cases, strict=True)
        )

    def _run(self, tasks: Iterable[Task]) -> Generator[Report]:
        slots = len(divide_cores().slots)
        with self.use.of_slots(min(self.jobs or slots, slots)) as ran:
            for report in self.sandbox.run_many(tasks, jobs=self.jobs):
                ran(report.measurement.wall_time_s)
                yield report
