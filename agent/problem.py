"""A problem as data: what is to be solved, and how a solution is judged. Evaluation and training are made of these."""

from __future__ import annotations

from dataclasses import dataclass, field

from afterburner.sandbox import Limits, Program, TestCase, UsageError
from afterburner.sandbox.checkers import Checker, Lines
from afterburner.sandbox.languages import find_language

PAPER_LIMITS = Limits(wall_time_s=90.0, cpu_time_s=90.0)  # and 1 GiB: what a failing program measures (section E.5)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be solved: description, language, starter code, test cases, reference solutions (design.md).

    Attributes:
        name: what it goes by, in recordings and results.
        description: the text that a model is given.
        cases: at least one: a text for stdin, and what has to be printed.
        language: of the solution.
        starter_code: what a solution has to begin with, told with the description; empty: nothing.
        start: the code to begin with: slow, fast or failing; empty: the model writes the first one.
        checker: what counts as the expected output.
        limits: for each case; the paper's, 90 s and 1 GiB, unless others are given.
        references: known solutions, which no model is shown.
    """

    name: str
    description: str
    cases: tuple[TestCase, ...]
    language: str = "python"
    starter_code: str = ""
    start: str = ""
    checker: Checker = field(default_factory=Lines)
    limits: Limits = PAPER_LIMITS
    references: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be solved or judged.

        Raises:
            UsageError: there are no cases, or there is no such language.
        """
        if not self.cases:
            raise UsageError(f"The problem {self.name} has no case. One is enough.")
        find_language(self.language)

    def program(self, code: str) -> Program:
        """The program that a solution makes."""
        return Program(self.language, code)

    @property
    def task(self) -> str:
        """The description with the starter code: what the prompt calls the problem description."""
        if not self.starter_code.strip():
            return self.description
        return f"{self.description.rstrip()}\n\nBegin with this code:\n\n{self.starter_code.rstrip()}\n"
