"""What one test of a Python program takes, layer by layer: process start, Python's start, container, judge.

A layer is what a batch takes with it less what the same batch takes without it. The reference starts the same commands
in the same environment, as many at once on the same cores, and compares the same output in its C program.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from afterburner.sandbox import Bind, Command, Limits, Program, TestCase, Verdict
from afterburner.sandbox.cores import divide_cores, keep_to
from afterburner.sandbox.interpreter import python_environment
from afterburner.sandbox.launch import python_launch
from scripts.bench.bare import UnableError
from scripts.bench.results import Missing, compared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox.launch import Launch
    from scripts.bench.place import Place
    from scripts.bench.results import Row

_GOALS = {"bubblewrap": 0.9, "docker": 0.6}
_TESTS = 20  # of a task
_TEXT = b"3 4\n"
_ECHO = "import sys\nsys.stdout.write(sys.stdin.read())\n"
_LIMITS = Limits()
_INSIDE = "/bench"
_EIGHT = "8 tasks at once on 2 cores"


class Cost(NamedTuple):
    """What one test took: seconds of a clock with as many at once as there were, and seconds of CPU time."""

    wall_s: float
    cpu_s: float


_NOTHING = Cost(0.0, 0.0)


@dataclass(frozen=True)
class Crew:
    """How many tasks run at once, and where.

    Attributes:
        name: in the table.
        tasks: how many, each in a thread of its own.
        cpu: what each program is pinned to; None: nothing is pinned.
        cpus: what everything else keeps to.
    """

    name: str
    tasks: int
    cpu: int | None
    cpus: frozenset[int]

    def cost(self, once: Callable[[], object]) -> Cost:
        """Do something that runs `_TESTS` tests, once for each task; what one test took."""

        def work(_task: int) -> None:
            keep_to(self.cpus)
            once()

        tests = self.tasks * _TESTS
        with ThreadPoolExecutor(self.tasks) as pool:
            began_s, began_cpu_s = time.perf_counter(), _cpu_s()
            list(pool.map(work, range(self.tasks)))
            return Cost((time.perf_counter() - began_s) / tests, (_cpu_s() - began_cpu_s) / tests)


@dataclass(frozen=True)
class Layers:
    """What one test took: with the container alone, with the smallest process in it, with Python, and judged."""

    container: Cost
    process: Cost
    python: Cost
    whole: Cost


def measure_layers(place: Place, *, rounds: int) -> Iterator[Row | Missing]:
    """One task with a core for its programs, as whatever is timed has; and eight at once on two cores."""
    with _python_program(place) as (program, launch), place.core() as cpu:
        watching = divide_cores().watching
        yield from _rows(place, Crew("one task", 1, cpu, watching), program, launch, rounds)
        both = frozenset({cpu, min(watching)})
        if len(both) == 1:
            yield Missing(_EIGHT, "this machine has one core")
        else:
            yield from _rows(place, Crew(_EIGHT, 8, None, both), program, launch, rounds)


@contextmanager
def _python_program(place: Place) -> Iterator[tuple[Program, Launch]]:
    """The program under an interpreter without packages, and how it is started."""
    environment_folder = place.bare.folder / "empty-environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment_folder], check=True)
    environment = python_environment(place.sandbox, environment_folder / "bin" / "python")
    program = Program("python", _ECHO, environment=environment)
    (place.bare.folder / "main.py").write_text(_ECHO, "utf-8")
    (place.bare.folder / "text").write_bytes(_TEXT)
    with python_launch(program, environment, _LIMITS, place.bare.folder) as launch:
        spec = replace(launch.spec, binds=(*launch.spec.binds, Bind(str(place.bare.folder), _INSIDE)))
        yield program, replace(launch, spec=spec, files=())


def _rows(place: Place, crew: Crew, program: Program, launch: Launch, rounds: int) -> Iterator[Row]:
    pairs = [_pair(place, crew, program, launch) for _ in range(rounds + 1)][1:]  # the first one warms up
    group = f"one test of {_TESTS} in a task; {crew.name}"

    def layer(what: str, taken: Callable[[Layers], float]) -> Row:
        added = [(1e3 * taken(inside), 1e3 * taken(outside)) for inside, outside in pairs]
        return compared(group, what, place.name, added, unit="ms", kind="added")

    yield layer("process start", lambda layers: layers.process.wall_s - layers.container.wall_s)
    yield layer("Python's start", lambda layers: layers.python.wall_s - layers.process.wall_s)
    yield layer("container", lambda layers: layers.container.wall_s)
    yield layer("judge", lambda layers: layers.whole.wall_s - layers.python.wall_s)
    rates = [(1 / inside.whole.wall_s, 1 / outside.whole.wall_s) for inside, outside in pairs]
    yield compared(group, "all of it", place.name, rates, unit="/s", kind="ratio", goal=_GOALS[place.name])
    rates = [(1 / inside.whole.cpu_s, 1 / outside.whole.cpu_s) for inside, outside in pairs]
    yield compared(group, "all of it, by CPU time", place.name, rates, unit="/CPU s", kind="ratio")


def _pair(place: Place, crew: Crew, program: Program, launch: Launch) -> tuple[Layers, Layers]:
    """Inside and outside, in turn layer by layer: what is compared are neighbours in time."""
    echo = Command((f"{_INSIDE}/echo",), {}, launch.working_directory)
    python = Command((launch.argv[0], f"{_INSIDE}/main.py"), dict(launch.variables), launch.working_directory)
    text = place.bare.folder / "text"

    def run(commands: list[Command]) -> None:
        with place.sandbox.supplied(launch.spec) as container:
            for command in commands:
                if container.run(command, _TEXT, _LIMITS, cpu=crew.cpu).stdout != _TEXT:
                    raise UnableError(f"{command.argv[0]} does not print what it reads in the sandbox")

    def judge() -> None:
        report = place.sandbox.run(program, [TestCase(_TEXT, _TEXT)] * _TESTS, _LIMITS, cpu=crew.cpu)
        if report.verdict is not Verdict.ACCEPTED:
            raise UnableError(f"{report.verdict}: {report.cases[0].detail}")

    def bare(*argv: str) -> None:
        place.bare(argv, launch.variables, crew.cpu, _TESTS, (text, text))

    container = crew.cost(partial(run, []))
    process = crew.cost(partial(run, [echo] * _TESTS))
    bare_process = crew.cost(partial(bare, str(place.bare.folder / "echo")))
    raw_python = crew.cost(partial(run, [python] * _TESTS))
    bare_python = crew.cost(partial(bare, launch.argv[0], str(place.bare.folder / "main.py")))
    whole = crew.cost(judge)
    return Layers(container, process, raw_python, whole), Layers(_NOTHING, bare_process, bare_python, bare_python)


def _cpu_s() -> float:
    """CPU time of this process, and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
