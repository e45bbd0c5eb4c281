"""How fast: tests per second over the whole path, and what one run costs more than a bare process."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import Limits, Program, SandboxUnavailableError, Task, TestCase, Verdict
from afterburner.sandbox.commands.hello import EXPECTED, HELLO
from afterburner.sandbox.compiling import compile_program
from afterburner.sandbox.container_paths import PROGRAM_FOLDER
from afterburner.sandbox.installations import has_package
from afterburner.sandbox.interpreter import python_environment
from afterburner.sandbox.languages import LANGUAGES
from afterburner.sandbox.launch import python_launch, toolchain_launch
from afterburner.sandbox.toolchains import find_toolchain
from scripts.bench.bare import UnableError
from scripts.bench.results import Missing, Row, compared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.sandbox.launch import Launch
    from scripts.bench.place import Place

RATE = "tests a second in one slot, whole path, one task"
OVERHEAD = "one program on one case, start of the container included"
_GOALS = {"bubblewrap": 0.8, "docker": 0.6}
_PACKAGE_PROGRAM = "import rich.text\nprint(rich.text.Text('hello'))\n"  # rich is a dependency of this project
_TASK_S = 0.7  # about how long one task of a language takes
_LIMITS = Limits()


@dataclass(frozen=True)
class Subject:
    """A program, and the command that does the same outside; `environment` may be empty, `argv` never is."""

    what: str
    program: Program
    argv: tuple[str, ...]
    environment: Mapping[str, str]


def measure_throughput(place: Place, *, rounds: int, quick: bool) -> Iterator[Row | Missing]:
    """Python, Python with a package, and the other languages that are installed here."""
    yield from _python_rates(place, rounds=rounds, quick=quick)
    for name in LANGUAGES:
        if name != "python" and not (quick and name != "cpp"):
            yield from _language_rate(place, name, rounds=min(rounds, 3))


def measure_overhead(place: Place, *, rounds: int) -> Iterator[Row]:
    """The smallest Python program, once."""
    with python_subject(place, "python hello", HELLO["python"]) as subject, place.core() as cpu:
        pairs = []
        for i in range(rounds + 1):
            begin = time.perf_counter()
            report = place.sandbox.run(subject.program, [TestCase(b"", EXPECTED)], cpu=cpu)
            took_s = time.perf_counter() - begin
            processes, _ = place.bare(subject.argv, subject.environment, cpu)
            if report.verdict is not Verdict.ACCEPTED:
                raise UnableError(f"{subject.what}: {report.verdict}: {report.cases[0].detail}")
            if i > 0:  # the first one warms up
                pairs.append((took_s * 1e3, processes[0].wall_s * 1e3))
    yield compared(OVERHEAD, subject.what, place.name, pairs, unit="ms", kind="added")


def _python_rates(place: Place, *, rounds: int, quick: bool) -> Iterator[Row | Missing]:
    goal = _GOALS[place.name]
    with python_subject(place, "python hello", HELLO["python"]) as subject:
        yield _rate(place, subject, 100, rounds, goal)
    environment = python_environment(place.sandbox, Path(sys.executable))
    if not has_package(environment, "rich"):
        yield Missing("python with a package", f"{sys.executable} has no package rich")
        return
    with python_subject(place, "python with a package", _PACKAGE_PROGRAM) as subject:
        yield _rate(place, subject, 20 if quick else 100, 2 if quick else min(rounds, 3), goal)


def _language_rate(place: Place, name: str, *, rounds: int) -> Iterator[Row | Missing]:
    language = LANGUAGES[name]
    what, program = f"{name} hello", Program(name, HELLO[name])
    try:
        place.sandbox.backend.toolchain(language)  # the backend's, which may be an image
        toolchain = find_toolchain(language)
    except SandboxUnavailableError as error:
        yield Missing(f"{what}, {place.name}", str(error))
        return
    compilation, artefact = None, None
    if language.compile is not None:
        compilation, artefact = compile_program(place.sandbox.supplied, program, language, toolchain, None)
        if not compilation.succeeded:
            yield Missing(f"{what}, {place.name}", compilation.message)
            return
    launch = toolchain_launch(program, language, toolchain, _LIMITS, artefact)
    subject = _outside(place, what, launch)
    with place.core() as cpu:
        _, one_s = place.bare(subject.argv, subject.environment, cpu, 3)
    cases = max(5, min(100, round(_TASK_S / (one_s / 3))))
    yield _rate(place, subject, cases, rounds, None)


@contextmanager
def python_subject(place: Place, what: str, source: str) -> Iterator[Subject]:
    """A program under our own interpreter with its packages, as a file that the bare process finds, too."""
    environment = python_environment(place.sandbox, Path(sys.executable))
    program = Program("python", source, environment=environment)
    with python_launch(program, environment, _LIMITS, place.bare.folder) as launch:
        yield _outside(place, what, launch)


def _outside(place: Place, what: str, launch: Launch) -> Subject:
    """The same files and the same command, in a folder of the benchmark's."""
    folder = place.bare.folder / what.replace(" ", "-")
    folder.mkdir(exist_ok=True)
    for file in launch.files:
        (folder / file.name).write_bytes(file.data)
        (folder / file.name).chmod(0o755)
    argv = [word.replace(PROGRAM_FOLDER, str(folder)) for word in launch.argv]
    if "/" not in argv[0]:
        argv[0] = _which(argv[0], launch.variables["PATH"])
    return Subject(what, launch.program, tuple(argv), launch.variables)


def _which(name: str, path: str) -> str:
    found = (os.path.join(folder, name) for folder in path.split(":"))  # noqa: PTH118 - of a path's words
    return next((place for place in found if os.access(place, os.X_OK)), name)


def _rate(place: Place, subject: Subject, cases: int, rounds: int, goal: float | None) -> Row:
    """Both in turn, after one uncounted round."""
    task = Task(subject.program, [TestCase(b"", EXPECTED)] * cases)
    pairs = []
    for i in range(rounds + 1):
        warming = i == 0
        rate = _one_task(place, replace(task, cases=task.cases[:3]) if warming else task)
        with place.core() as cpu:
            _, took_s = place.bare(subject.argv, subject.environment, cpu, 3 if warming else cases)
        if not warming:
            pairs.append((rate, cases / took_s))
    return compared(RATE, f"{subject.what}, {cases} tests", place.name, pairs, unit="/s", kind="ratio", goal=goal)


def _one_task(place: Place, task: Task) -> float:
    """Tests a second."""
    with place.core():
        pass  # if others of this user's sandboxes hold the core, that is not to count
    begin = time.perf_counter()
    (report,) = place.sandbox.run_many([task])
    took_s = time.perf_counter() - begin
    if report.verdict is not Verdict.ACCEPTED:
        wrong = next(case for case in report.cases if case.verdict is report.verdict)
        raise UnableError(f"{task.program.language}: {report.verdict}: {wrong.detail} {wrong.stderr[-300:]}")
    return len(report.cases) / took_s
