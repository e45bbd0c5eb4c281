"""Calls that a language model writes for a function that nothing calls: text to us, run in the sandbox alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError, WorkloadError
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.written_calls import CallWriter, invented_inputs
from afterburner.agent.options import InputOptions, RunSettings
from afterburner.agent.types import Target, Workload, WrittenCalls

from .conftest import every_call, of_origin, reasons

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Project

pytestmark = pytest.mark.slow

MODEL = "openai/m"
ORIGIN = "written by openai/m"
TOTAL = "RATES = {'a': 2}\n\n\ndef total(items):\n    return sum(RATES['a'] * item for item in items)\n"
CALLS = """\
import random
total([])
total([1, 2, 3])
rng = random.Random(4)
for size in (10, 1000):
    total([rng.randrange(100) for _ in range(size)])
"""


class Model:
    """Always answers the same, and counts how often it was asked."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.asked = 0

    def write(self, _target: Target) -> WrittenCalls:
        self.asked += 1
        return WrittenCalls(MODEL, self.code)


@pytest.fixture
def build(project: Project) -> Callable[..., Workload]:
    """Builds the workload of `total`, with a model that may be asked."""

    def made(source: str, model: Model, *, calls: Path | None = None, assume: tuple[str, ...] = ()) -> Workload:
        project.write("rates.py", source)
        target = project.target("rates.py", "total")
        inputs = InputOptions(calls=str(calls) if calls else None, assume=assume)
        settings = RunSettings(target.path, "total", inputs=inputs)
        writer = CallWriter(MODEL, model.write)
        environment = project.environment(target)
        return build_workload(
            project.sandbox, target, environment, settings, project.limits, project.told.append, writer
        )

    return made


def test_what_a_model_writes_is_judged_on_and_says_so(project: Project, build: Callable[..., Workload]) -> None:
    workload = build(TOTAL, Model(CALLS))
    assert len(of_origin(workload, ORIGIN)) == 4
    assert {call.origin for call in every_call(workload)} == {ORIGIN, "derived"}
    assert workload.written == WrittenCalls(MODEL, CALLS)
    assert workload.held_out_count
    told = [event for event in project.told if isinstance(event, ProgressEvent)]
    assert [(event.subject, event.count) for event in told if event.kind is EventKind.CALLS_WRITTEN] == [(MODEL, 4)]


def test_nobody_is_asked_where_something_calls_it(project: Project, build: Callable[..., Workload]) -> None:
    model = Model(CALLS)
    main = '\n\nif __name__ == "__main__":\n    for size in (10, 20, 3000):\n        total(list(range(size)))\n'
    assert build(TOTAL + main, model).written is None
    calls = project.write("calls.py", "from rates import total\nfor size in (10, 20, 3000):\n    total([size])\n")
    assert build(TOTAL, model, calls=calls).written is None
    assert not model.asked


def test_too_few_calls_are_of_no_use(build: Callable[..., Workload]) -> None:
    with pytest.raises(WorkloadError) as caught:
        build(TOTAL, Model("total([1])\ntotal([2])\ntotal(3)\ntotal([1], 2)"))
    said = str(caught.value)
    assert f"{ORIGIN}: 2 left out: statements that raise; the first: TypeError: 'int' object is not iterable" in said
    assert f"{ORIGIN}: 2 calls can be used, and it takes at least 3" in said


def test_where_an_answer_is_of_no_use_type_hints_serve(build: Callable[..., Workload]) -> None:
    workload = build(TOTAL.replace("(items)", "(items: list[int]) -> int"), Model("total([1])"))
    assert workload.written is None
    assert of_origin(workload, "generated")
    assert not of_origin(workload, ORIGIN)
    assert f"{ORIGIN}: 1 call can be used, and it takes at least 3" in reasons(workload)


def test_calls_against_the_hints_or_what_the_user_states_are_left_out(build: Callable[..., Workload]) -> None:
    hinted = TOTAL.replace("(items)", "(items: list[int]) -> int")
    code = CALLS + "total([1.5])\ntotal((1, 2))\ntotal([-5])\ntotal([True])"
    workload = build(hinted, Model(code), assume=("all(item >= 0 for item in items)",))
    assert len(of_origin(workload, ORIGIN)) == 4
    assert f"{ORIGIN}: 4 left out: calls that the type hints or --assume rule out" in reasons(workload)


def test_each_call_starts_from_the_state_of_the_import(build: Callable[..., Workload]) -> None:
    workload = build(TOTAL, Model("RATES['a'] = 50\ntotal([1])\nRATES.clear()\ntotal([2])\ntotal([3])"))
    calls = of_origin(workload, ORIGIN)
    assert len(calls) == 3
    [one] = [call.expected for call in calls if "[1]" in call.description]
    assert b"50" not in one


def test_an_answer_that_never_comes_leaves_a_reason(project: Project) -> None:
    def refuse(_target: Target) -> WrittenCalls:
        raise ProposerError("The cap of 0 requests is reached.")

    project.write("rates.py", TOTAL)
    target = project.target("rates.py", "total")
    with pytest.raises(WorkloadError, match="written by openai/m: The cap of 0 requests is reached"):
        build_workload(
            project.sandbox,
            target,
            project.environment(target),
            RunSettings(target.path, "total"),
            project.limits,
            project.told.append,
            CallWriter(MODEL, refuse),
        )


HOSTILE = """\
import os, socket, subprocess
open({outside!r}, 'w').write('harm')
os.remove({file!r})
subprocess.run(['rm', '-rf', {folder!r}])
socket.create_connection(('127.0.0.1', 22), 1)
total.__globals__['RATES'] = {{}}
while True: pass
raise SystemExit(3)
def total(items): return 0
total([1])
total([1, 2])
total([1, 2, 3])
"""


def test_a_hostile_answer_harms_nothing(project: Project, build: Callable[..., Workload]) -> None:
    outside, file = project.root.parent / "harm", project.root / "rates.py"
    code = HOSTILE.format(outside=str(outside), file=str(file), folder=str(project.root))
    workload = build(TOTAL, Model(code))
    assert file.read_text() == TOTAL
    assert not outside.exists()
    assert len(of_origin(workload, ORIGIN)) == 3
    with pytest.raises(WorkloadError, match="written by openai/m: its process ended early"):
        build(TOTAL, Model("import os\ntotal([1])\ntotal([2])\ntotal([3])\nos.kill(os.getpid(), 9)"))
    assert file.read_text() == TOTAL


@pytest.mark.parametrize(
    ("origins", "told"),
    [
        ([("captured from __main__", 3), ("derived", 4)], ""),
        ([(ORIGIN, 6), ("derived", 1)], "6 calls written by openai/m, 1 edge case made from the others"),
        ([("generated", 9)], "9 calls made from type hints"),
        ([], ""),
    ],
)
def test_a_workload_that_nobody_made_says_what_it_is(origins: list[tuple[str, int]], told: str) -> None:
    assert invented_inputs(origins) == told
