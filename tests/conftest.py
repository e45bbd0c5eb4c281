"""What every floor's tests share: the real sandbox, the real program, and the switch that makes a skipped test fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest
import untimed_program
from forked_program import Forks, forking

from afterburner.sandbox import Sandbox, SandboxUnavailableError, cores, open_sandbox
from afterburner.sandbox.folders import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

collect_ignore = ["judge_corpus"]  # the tests there are parts of the samples
PROGRAM = str(Path(sys.executable).with_name("afterburner-agent"))
_RUN_S = 240
_NO_SKIPS = "AFTERBURNER_NO_SKIPS"
_MAY_SKIP = {
    "needs_gpu": "needs an accelerator; may be skipped even where no other test may",
    "needs_key": "needs the key of a model's provider; may be skipped even where no other test may",
}


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers of the tests that may always be skipped, and lets signals reach what the tests start.

    A job in the background, or one under nohup, ignores Ctrl-C or hangups, and so would every program that it starts.
    A handler that does nothing ignores them for us alone: the programs get the default back.
    """
    os.environ.pop("AFTERBURNER_STORE", None)  # a developer's runs are no place for those of tests
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: None)
    for name, meaning in _MAY_SKIP.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.hookimpl(tryfirst=True)  # before `-m` is applied
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks those parameters of a sampled test that are beyond the first few as nightly, and puts early tests first."""
    items.sort(key=lambda item: item.get_closest_marker("early") is None)
    seen: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is None or item.get_closest_marker("nightly"):
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] >= sampled.args[0]:
            item.add_marker("nightly")
        seen[test] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns a skipped test into a failed one where skipping is forbidden."""
    report = yield
    expected_to_fail = hasattr(report, "wasxfail")
    if report.skipped and not expected_to_fail and not any(item.get_closest_marker(name) for name in _MAY_SKIP):
        _forbid(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Does the same for a whole file that skips itself."""
    report = yield
    if report.skipped:
        _forbid(report)
    return report


def _forbid(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(_NO_SKIPS) == "1":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{_NO_SKIPS}=1 forbids skipped tests, and this one was: {reason}"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """The real sandbox of this machine."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(open_sandbox())
        except SandboxUnavailableError as error:
            pytest.skip(str(error))
        yield opened


@dataclass(frozen=True)
class CommandLine:
    """Starts the real program as a shell or a terminal would, with an environment of its own."""

    home: Path
    plugins: Path
    forks: Forks
    variables: Mapping[str, str] = field(default_factory=dict)
    path: str = PROGRAM
    is_untimed: bool = False

    def untimed(self) -> CommandLine:
        """Give the program with a judge that times nothing, for a test of something else."""
        path = self.home.with_name("untimed-program")
        path.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{untimed_program.__file__}' \"$@\"\n", encoding="utf-8")
        path.chmod(0o755)
        return replace(self, path=str(path), is_untimed=True)

    def held(self) -> tuple[CommandLine, Path]:
        """Give the untimed program, and a file: as long as it is there, no rewrite is judged to the end."""
        hold = self.home.with_name("hold")
        hold.touch()
        return replace(self.untimed(), variables={**self.variables, untimed_program.HOLD: str(hold)}), hold

    def environment(self, **extra: str) -> dict[str, str]:
        """Give the variables of a plain user on a terminal of 80 columns, whose shell finds the program by its name."""
        found = self.home.with_name("found")  # nothing but the program: the interpreter beside it stays where it is
        found.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            (found / Path(PROGRAM).name).symlink_to(PROGRAM)
        path = os.pathsep.join((os.environ["PATH"], str(found)))
        base = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        return base | {"PYTHONPATH": str(self.plugins)} | self.variables | extra

    def __call__(self, *arguments: str, folder: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run to the end with stdin empty and both outputs redirected, in a fork: nothing is imported once more."""
        with tempfile.TemporaryDirectory() as outputs:
            given = (arguments, folder or self.home, self.environment(**extra), Path(outputs), _RUN_S)
            code = self.forks.run(*given, untimed=self.is_untimed)
            stdout, stderr = (Path(outputs, name).read_text("utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess([self.path, *arguments], code, stdout, stderr)

    def afresh(self, *arguments: str, folder: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run to the end as a shell would, with stdin empty and both outputs piped."""
        return subprocess.run(
            [self.path, *arguments],
            cwd=folder or self.home,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_RUN_S,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start with both outputs piped."""
        return subprocess.Popen(
            [self.path, *arguments],
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def on_terminal(self, *arguments: str, folder: Path | None = None, **extra: str) -> pexpect.spawn[str]:
        """Start on a terminal of its own."""
        return pexpect.spawn(
            self.path,
            list(arguments),
            cwd=str(folder or self.home),
            env=self.environment(**extra),  # type: ignore[arg-type]  # the stubs want os.environ itself
            encoding="utf-8",
            timeout=120,
            dimensions=(24, 80),
        )


@pytest.fixture(scope="session", autouse=True)
def leases_of_this_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Workers do not wait for each other's cores: what is about time runs alone, without workers."""
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            folder = tmp_path_factory.mktemp("leases")
            folder.chmod(0o1777)
            patch.setattr(cores, "_LOCKS", folder)
        yield


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """A process that has imported the program."""
    with forking(PROGRAM) as started:
        yield started


@pytest.fixture(scope="session")
def new_program(forks: Forks) -> Callable[[Path], CommandLine]:
    """Give the program for a user in a folder, who has nothing but the meter: to compile it each time takes long."""

    def made(folder: Path) -> CommandLine:
        home, plugins = folder / "home", folder / "plugins"
        home.mkdir()
        plugins.mkdir()
        return CommandLine(home, plugins, forks, {"XDG_CACHE_HOME": str(cache_folder().parent)})

    return made


@pytest.fixture
def program(new_program: Callable[[Path], CommandLine], tmp_path: Path) -> CommandLine:
    return new_program(tmp_path)
