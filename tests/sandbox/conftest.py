"""Short ways to run something in the real sandbox."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox import (
    CallCase,
    CaseReport,
    Command,
    ContainerSpec,
    FunctionEntry,
    Limits,
    Program,
    Sandbox,
    TestCase,
    open_sandbox,
)
from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.docker_settings import DockerOptions
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from calling import Call

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


@pytest.fixture(scope="session")
def docker_options() -> Iterator[DockerOptions]:
    """A Docker daemon, and an image with Python and C++ for these languages."""
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.docker_daemon"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # Ctrl-C is for the tests; the lender goes when they do
    ) as lending:
        assert lending.stdout is not None
        assert lending.stderr is not None
        lent = lending.stdout.readline()
        if not lent:
            reason = lending.stderr.read().strip()
            if lending.wait() == 75:
                pytest.skip(reason)
            pytest.fail(reason)
        lease = json.loads(lent)
        yield DockerOptions(images=dict.fromkeys(("python", "cpp"), lease["image"]), address=lease["url"], pool_size=1)


@pytest.fixture(scope="session")
def docker_sandbox(docker_options: DockerOptions) -> Iterator[Sandbox]:
    """A sandbox of Docker containers."""
    with open_sandbox("docker", docker=docker_options) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def call(sandbox: Sandbox) -> Call:
    def make(
        source: str,
        *blobs: bytes,
        qualname: str = "f",
        expected: tuple[bytes, ...] | None = None,
        passes: int = 1,
        cold: bool = False,
        warm: bool = False,
        limits: Limits | None = None,
        known_names: tuple[str, ...] | None = None,
    ) -> CaseReport:
        entry = FunctionEntry("target", "/afterburner/program/target.py", qualname)
        in_project = replace(own_environment(), import_paths=("/afterburner/program",))
        program = Program("python", textwrap.dedent(source), entry, environment=in_project)
        case = CallCase(blobs, expected, passes=passes, cold_caches=cold, warm=warm, known_names=known_names)
        return sandbox.run(program, [case], limits or Limits()).cases[0]

    return make


@pytest.fixture
def open_docker(docker_options: DockerOptions) -> Iterator[Callable[..., Sandbox]]:
    """Opens further sandboxes of Docker containers, each in a workspace of its own."""
    with ExitStack() as stack:

        def opening(**options: Any) -> Sandbox:
            return stack.enter_context(open_sandbox("docker", docker=replace(docker_options, **options)))

        yield opening


@pytest.fixture
def docker_daemon(docker_options: DockerOptions) -> Iterator[DockerDaemon]:
    """A line to the daemon itself."""
    with closing(DockerDaemon(docker_options.address)) as daemon:
        yield daemon


@pytest.fixture(scope="session")
def docker_image(docker_options: DockerOptions) -> str:
    return docker_options.images["python"]


@pytest.fixture(scope="session")
def docker_run(docker_sandbox: Sandbox) -> Runner:
    return Runner(docker_sandbox)
