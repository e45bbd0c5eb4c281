"""Starts a harness job inside the sandbox and reads its answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.inputs.harness_answers import Answer, Failure, last_lines, parse_answer
from afterburner.sandbox import Program, TestCase, Verdict
from afterburner.sandbox.inside import INSIDE, bind_inside, name_inside
from afterburner.sandbox.tracing import SANDBOX, span
from afterburner.sandbox.verdicts import all_accepted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.agent.types import Target
    from afterburner.sandbox import CaseReport, Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

_PACKAGE = "afterburner.agent.inputs.inside"
_BIND = bind_inside(_PACKAGE, Path(__file__).parent / "inside")
_BOOTSTRAP = f"""\
import sys
sys.path.insert(0, {INSIDE!r})
from {name_inside(_PACKAGE)}.harness_job import main
main()
"""
_PLACE_OF_SYNTAX_ERROR = re.compile(r"^.+:\d+: (?=(?:Syntax|Indentation|Tab)Error\b)")  # as `user_code` tells it
_ANSWER_BYTES = 64 * 1024 * 1024
CUT_OFF = "cut_off"  # the stage of a failure: the job did not come to its end
TOO_LONG = "it ran longer than"  # how its reason begins
_ENDINGS = {
    Verdict.TIME_LIMIT: TOO_LONG + " {wall_time_s:.0f} s",
    Verdict.MEMORY_LIMIT: "it used more than {memory_mib} MiB",
    Verdict.OUTPUT_LIMIT: "it wrote too much",
}


@dataclass(frozen=True, slots=True)
class Harness:
    """Asks questions about one target. `limits` hold for one job."""

    sandbox: Sandbox
    target: Target
    environment: PythonEnvironment
    limits: Limits

    def ask(
        self,
        job: str,
        origin: str,
        fields: Mapping[str, object] | None = None,
        *,
        environment: PythonEnvironment | None = None,
    ) -> Answer:
        """Do one job. What stopped it early is among the answer's failures; calls found until then are there.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        case = self.run(job, origin, fields, environment=environment)
        return self._with_ending(parse_answer(case.stdout), case)

    def ask_of_original(
        self,
        job: str,
        origin: str,
        fields: Mapping[str, object] | None = None,
        *,
        environment: PythonEnvironment | None = None,
    ) -> Answer:
        """The same of a target that is an original: an answer that an earlier run got is not asked for again.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        program, request, limits = self._prepared(job, origin, fields, environment or self.environment)
        asked = {name: value for name, value in request.items() if name not in {"wall_time_s", "budget_s"}}
        with span(SANDBOX, f"harness: {job}"):
            [case] = self.sandbox.run_known(
                program, [_case(request)], limits, known_by=[_case(asked)], is_final=_is_final
            )
        return self._with_ending(parse_answer(case.stdout), case)

    def run(
        self,
        job: str,
        origin: str,
        fields: Mapping[str, object] | None = None,
        *,
        environment: PythonEnvironment | None = None,
    ) -> CaseReport:
        """The same, and what the sandbox reports of it; its stdout is for `parse_answer`.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        program, request, limits = self._prepared(job, origin, fields, environment or self.environment)
        with span(SANDBOX, f"harness: {job}"):
            return self.sandbox.run(program, [_case(request)], limits).cases[0]

    def _prepared(
        self, job: str, origin: str, fields: Mapping[str, object] | None, environment: PythonEnvironment
    ) -> tuple[Program, dict[str, object], Limits]:
        """The program that does a job, what it is asked, and what it may use."""
        request = {
            "job": job,
            "origin": origin,
            "module": self.target.module,
            "path": self.target.path,
            "source": self.target.source.replace("\r\n", "\n"),
            "qualname": self.target.function or "",
            "import_paths": [*environment.import_paths, self.target.import_root],
            "project_root": self.target.project_root,
            "memory_kib": self.limits.memory_kib,
            "wall_time_s": self.limits.wall_time_s,
            **(fields or {}),
        }
        program = Program("python", _BOOTSTRAP, environment=replace(environment, binds=(*environment.binds, _BIND)))
        return program, request, replace(self.limits, output_bytes=_ANSWER_BYTES)

    def _with_ending(self, answer: Answer, case: CaseReport) -> Answer:
        if answer.finished:
            said = last_lines(case.stderr)
            failures = tuple(
                Failure(failure.stage, f"{failure.reason} ({said})") if _adds(said, failure) else failure
                for failure in answer.failures
            )
            return replace(answer, failures=failures)
        ending = _ENDINGS.get(case.verdict, "its process ended early").format(
            wall_time_s=self.limits.wall_time_s, memory_mib=self.limits.memory_kib // 1024
        )
        said = last_lines(case.stderr)
        failure = Failure(CUT_OFF, f"{ending}: {said}" if said else ending)
        return replace(answer, failures=(*answer.failures, failure))


def _case(request: Mapping[str, object]) -> TestCase:
    return TestCase(json.dumps(request).encode())


def _is_final(reports: Sequence[CaseReport]) -> bool:
    """Whether a job came to its end by itself, and no clock made its answer smaller."""
    if not all_accepted(reports):
        return False
    answer = parse_answer(reports[0].stdout)
    return answer.finished and not (answer.failures or answer.damaged or answer.hurried)


def _adds(said: str, failure: Failure) -> bool:
    """Whether the end of stderr says more than the failure's own text."""
    reason = _PLACE_OF_SYNTAX_ERROR.sub("", failure.reason)
    return bool(said) and failure.stage in {"import", "run"} and not said.endswith(reason)
