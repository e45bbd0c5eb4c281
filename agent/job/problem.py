"""A problem as data: what is to be solved, and how a solution is judged. Evaluation and training are made of these."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.source_text import split_lines
from afterburner.agent.job.arguments import expect
from afterburner.agent.job.json_calls import JsonCall, calling_program
from afterburner.agent.job.problem_document import ProblemDocument, written
from afterburner.agent.types import OF_A_PROBLEM, Target, WorkloadCase
from afterburner.sandbox import Limits, Program, TestCase, UsageError
from afterburner.sandbox.checkers import Checker, Lines
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.service_schema import LimitsModel
from afterburner.sandbox.service_translation import checker_model

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBMISSION = "==Code Submission=="  # as Venus and EffiBench-X mark the place in their runners
PAPER_LIMITS = Limits(wall_time_s=90.0, cpu_time_s=90.0)  # and 1 GiB: what a failing program measures (section E.5)
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)?")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be solved: description, language, starter code, test cases, reference solutions.

    Attributes:
        name: what it goes by, in recordings and results.
        description: the text that a model is given.
        cases: at least one: a text for stdin and what has to be printed, or calls with JSON arguments.
        language: of the solution.
        function: which function the calls are of, `name` or `Solution.name`; empty: the cases are for stdin. A class is
            instantiated anew for each call, and each call has a process of its own.
        preamble: Python that runs before a solution whose function is called, such as imports that starter code
            relies on.
        runner: the program that a solution is put into, wherever it says `==Code Submission==`; where it says so in
            double quotes, a solution becomes a literal, data for the program, and is put nowhere else; empty: a
            solution is a program itself. Models are shown solutions alone.
        starter_code: what a solution has to begin with, told with the description; empty: nothing.
        start: the code to begin with: slow, fast or failing; empty: the model writes the first one.
        checker: what counts as the expected output. What a call returns is compared as JSON text with a blank between
            all tokens, so that each checker works there, too.
        limits: for each case; the paper's, 90 s and 1 GiB, unless others are given.
        references: known solutions, which no model is shown.
    """

    name: str
    description: str
    cases: tuple[TestCase | JsonCall, ...]
    language: str = "python"
    function: str = ""
    preamble: str = ""
    runner: str = ""
    starter_code: str = ""
    start: str = ""
    checker: Checker = field(default_factory=Lines)
    limits: Limits = PAPER_LIMITS
    references: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be solved or judged.

        Raises:
            UsageError: a value is of the wrong type, there are no cases or no such language, or calls and stdin are
                mixed.
        """
        for name in ("name", "description", "language", "function", "preamble", "runner", "starter_code", "start"):
            expect(name, getattr(self, name), str, "a text")
        expect("cases", self.cases, tuple, "a tuple of TestCase(…) or JsonCall(…)")
        for case in self.cases:
            expect(
                "cases", case, TestCase | JsonCall, "TestCase(stdin, expected_stdout) or JsonCall(arguments, expected)"
            )
            if isinstance(case, TestCase):
                expect("stdin", case.stdin, bytes, "bytes: b'…', or text.encode()")
                expect(
                    "expected_stdout", case.expected_stdout, bytes | Path, "bytes, or the Path of a file", optional=True
                )
        if not self.cases:
            raise UsageError(f"The problem {self.name} has no case. One is enough.")
        self._check_entry()

    def _check_entry(self) -> None:
        """Refuse what cannot be entered: by calls, by a runner, or on stdin."""
        language = find_language(self.language).name
        calls = sum(isinstance(case, JsonCall) for case in self.cases)
        if calls not in {0, len(self.cases)} or bool(calls) != bool(self.function):
            raise UsageError(
                f"The problem {self.name} has {calls} calls among its {len(self.cases)} cases, and "
                f"{f'names the function {self.function}' if self.function else 'no function'}. Either all cases are "
                "calls and `function` names what is called, or all are for stdin."
            )
        if self.function and language != "python":
            raise UsageError(
                f"The problem {self.name} calls a function, which works in Python alone. In {self.language}, give "
                "cases for stdin, and a program that reads them."
            )
        if self.preamble and not self.function:
            raise UsageError(f"The problem {self.name} has a preamble, which is for problems that call a function.")
        if self.runner and self.function:
            raise UsageError(f"The problem {self.name} has a runner and calls a function. It can have one of the two.")
        if self.runner and SUBMISSION not in self.runner:
            raise UsageError(
                f"The runner of the problem {self.name} has no place for a solution. Write {SUBMISSION} there."
            )
        if self.function and _FUNCTION.fullmatch(self.function) is None:
            raise UsageError(f"The problem {self.name} calls {self.function!r}. Give `name` or `Solution.name`.")

    def program(self, code: str) -> Program:
        """The program that a solution makes."""
        if self.runner:
            return Program(self.language, _put_into(self.runner, code))
        if not self.function:
            return Program(self.language, code)
        return calling_program(code, self.preamble, self.function)

    def target(self, code: str) -> Target:
        """A solution as proposers know what they write for: a whole program in a file of the problem's name."""
        return Target(
            path=f"/{self.name}",
            source=code,
            function=None,
            module="program",
            import_root="/",
            project_root="/",
            last_line=max(1, len(split_lines(code))),
            language=find_language(self.language).name,
        )

    def describe(self, _target: Target) -> str:
        """What a model is told beside a solution, whichever that is."""
        return self.task

    @property
    def test_cases(self) -> tuple[TestCase, ...]:
        """The cases as the sandbox takes them: texts for stdin, and what has to be printed."""
        return tuple(case.test_case if isinstance(case, JsonCall) else case for case in self.cases)

    def workload_cases(self) -> list[WorkloadCase]:
        """The cases as a proof takes them.

        Raises:
            UsageError: a case says nothing of the output, so that nothing can be proved on it.
        """
        found = []
        for number, case in enumerate(self.test_cases, start=1):
            if not isinstance(case.expected_stdout, bytes):
                raise UsageError(
                    f"Case {number} of the problem {self.name} has no expected output, so it proves nothing."
                )
            name = case.name or str(number)
            found.append(WorkloadCase(name, case.stdin, case.expected_stdout, OF_A_PROBLEM))
        return found

    @property
    def task(self) -> str:
        """The description with the starter code: what the prompt calls the problem description."""
        if not self.starter_code.strip():
            return self.description
        return f"{self.description.rstrip()}\n\nBegin with this code:\n\n{self.starter_code.rstrip()}\n"

    def to_json(self) -> str:
        """All of it as JSON; an expected output that is in a file is taken in.

        Raises:
            UsageError: the checker is a program that needs files of this machine.
        """
        document = ProblemDocument(
            name=self.name,
            description=self.description,
            language=self.language,
            function=self.function,
            preamble=self.preamble,
            runner=self.runner,
            starter_code=self.starter_code,
            start=self.start,
            references=self.references,
            checker=checker_model(self.checker),
            limits=LimitsModel(**asdict(self.limits)),
            cases=tuple(written(case) for case in self.cases),
        )
        return document.model_dump_json(exclude_defaults=True)

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> Problem:
        """The reverse, also from what `json.loads` makes of it; what is left out has its default.

        Raises:
            UsageError: it is no such JSON; the message names the field.
        """
        document = ProblemDocument.read(text)
        plain = ("name", "description", "language", "function", "preamble", "runner", "starter_code", "start")
        return cls(
            cases=document.read_cases(),
            checker=document.read_checker(),
            limits=document.read_limits(PAPER_LIMITS),
            references=document.references,
            **{name: getattr(document, name) for name in plain},
        )


def _put_into(runner: str, code: str) -> str:
    quoted = f'"{SUBMISSION}"'
    return runner.replace(quoted, repr(code)) if quoted in runner else runner.replace(SUBMISSION, code.strip())
