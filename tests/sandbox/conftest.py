"""Short ways to run something in the real sandbox."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CaseReport, Command, ContainerSpec, Limits, Program, Sandbox, TestCase
from afterburner.sandbox.interpreter import own_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox import PythonEnvironment


@dataclass(frozen=True)
class Runner:
    """Runs Python source as a script, in the sandbox."""

    sandbox: Sandbox

    def __call__(
        self, source: str, *, stdin: bytes = b"", expected: bytes | None = None, limits: Limits | None = None
    ) -> CaseReport:
        program = Program("python", textwrap.dedent(source))
        report = self.sandbox.run(program, [TestCase(stdin, expected)], limits or Limits())
        assert report.verdict == report.cases[0].verdict
        return report.cases[0]

    def printed(self, source: str, **options: Limits) -> str:
        """What a script prints that has to end well."""
        report = self(source, **options)
        assert report.verdict == "accepted", (report.detail, report.stderr)
        return report.stdout.decode().strip()


@pytest.fixture(scope="session")
def run(sandbox: Sandbox) -> Runner:
    return Runner(sandbox)


@pytest.fixture(scope="session")
def python() -> PythonEnvironment:
    return own_environment()


@pytest.fixture(scope="session")
def python_spec(python: PythonEnvironment) -> ContainerSpec:
    return ContainerSpec(python.binds)


@pytest.fixture(scope="session")
def python_command(python: PythonEnvironment) -> Callable[[str], Command]:
    """A command that runs the given source."""

    def command(source: str) -> Command:
        return Command((python.executable, "-I", "-S", "-c", textwrap.dedent(source)))

    return command
