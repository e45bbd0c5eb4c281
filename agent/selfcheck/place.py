"""Sets up a subject as `run` sets up a user's function: staged, found, with a workload, and measured once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import find_target
from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import LONGEST_WORKLOAD_S, Workbench, look_limits
from afterburner.agent.options import InputOptions, RunSettings, Search
from afterburner.agent.selfcheck.decision import Prepared, prepare
from afterburner.agent.selfcheck.subjects import (
    FUNCTION,
    MODULE,
    SHAPES,
    SHORT_S,
    Layout,
    Shape,
    Subject,
    render,
    size_of,
)
from afterburner.sandbox import Program, SandboxInternalError, TestCase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from afterburner.sandbox.sandbox import Sandbox

LIMITS = look_limits(LONGEST_WORKLOAD_S, None)  # the most that a run allows
ROUNDS_STEP = 10  # rounds are a multiple of it, so that 10% more of them is a whole number
_SEED = 0


def open_subject(sandbox: Sandbox, subject: Subject, folder: Path) -> Prepared:
    """A subject, ready to decide on rewrites of it.

    Args:
        sandbox: where it runs.
        subject: which function.
        folder: an empty one, for the files of its project.

    Raises:
        WorkloadError: its calls cannot be used, or the function does not do the same twice.
        UsageError: the interpreter cannot be used.
        SandboxInternalError: the sandbox failed.
    """
    path, calls = folder / f"{MODULE}.py", folder / "calls.py"
    path.write_text(subject.source(), encoding="utf-8")
    calls.write_text(subject.calls_source(_SEED), encoding="utf-8")
    target = find_target(path, FUNCTION)
    environment = stage(target, sandbox).environment
    settings = RunSettings(
        file=str(path), function=FUNCTION, inputs=InputOptions(calls=str(calls)), search=Search(seed=_SEED)
    )
    workload = build_workload(sandbox, target, environment, settings, LIMITS, lambda _message: None)
    bench = Workbench(target, workload, sandbox, environment, LIMITS, TimingCore())
    if not workload.held_out_count:
        raise WorkloadError(f"The function of the check that takes {subject.name} has no input to hold out.")
    return prepare(bench)


def calibrate(sandbox: Sandbox, shapes: Mapping[str, tuple[Shape, float]]) -> list[Subject]:
    """Subjects whose calls take the times that are wanted on this machine.

    Args:
        sandbox: where the time of a round is measured.
        shapes: by the subjects' names: the kind of work, and seconds of CPU time of a call.

    Raises:
        SandboxInternalError: a round cannot be measured.
    """
    round_s = _round_times(sandbox)
    subjects = []
    for name, (shape, call_s) in shapes.items():
        steps = call_s / (round_s[shape.name, size_of(call_s)] * ROUNDS_STEP)
        subjects.append(Subject(name, shape, call_s, ROUNDS_STEP * max(1, round(steps))))
    return subjects


def _round_times(sandbox: Sandbox) -> dict[tuple[str, int], float]:
    """Seconds that a round takes, by shape and size of the argument."""
    sizes = [size_of(SHORT_S / 2), size_of(SHORT_S)]
    kinds = [(shape, size) for shape in SHAPES for size in sizes]
    with TimingCore().leased(sandbox) as cpu:
        report = sandbox.run(Program("python", "\n".join(_timing(kinds))), [TestCase()], LIMITS, cpu=cpu)
    try:
        found = [float(each) for each in json.loads(report.cases[0].stdout)]
        return {(shape.name, size): max(each, 1e-8) for (shape, size), each in zip(kinds, found, strict=True)}
    except (ValueError, TypeError) as error:
        raise SandboxInternalError(f"The functions of the check cannot be timed: {report.cases[0].detail}.") from error


def _timing(kinds: Sequence[tuple[Shape, int]], rounds: int = 300) -> list[str]:
    """A program that prints the seconds of a round of each kind: the least of five times."""
    lines = ["import json, random, time", "chance = random.Random(0)", "found = []"]
    for shape, size in kinds:
        elements = f"[{shape.element} for _ in range({size})]"
        lines += [
            render(shape, rounds, Layout()),
            f"argument = {shape.argument.format(elements=elements)}",
            "times = []",
            "for _ in range(5):",
            "    start = time.thread_time()",
            f"    {FUNCTION}(argument)",
            f"    times.append((time.thread_time() - start) / {rounds})",
            "found.append(min(times))",
        ]
    return [*lines, "print(json.dumps(found))"]
