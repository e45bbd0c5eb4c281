"""`verify`: does a function of one file do the same as that of another, on every input that can be made?"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, in_stage
from afterburner.agent.inputs.ahead import ahead
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.staging import stage
from afterburner.agent.inputs.written_calls import invented_inputs
from afterburner.agent.judge.measuring.workbench import Workbench, workload_limits
from afterburner.agent.judge.verification.changed_lines import changed_statements
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import ENOUGH_PROVIDED, DifferenceSearch, Least
from afterburner.agent.judge.whole_runs import AS_A_WHOLE, ComparedTests, compared_tests
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Skipped
from afterburner.sandbox import UsageError
from afterburner.sandbox.cores import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.job.job import Job
    from afterburner.agent.options import Search
    from afterburner.agent.stage_times import StageTime
    from afterburner.agent.types import Machine, Target
    from afterburner.sandbox import Sandbox

SHRINKING_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of one comparison. `found` is the difference, or on how much no difference was found."""

    target: Target
    against: str  # absolute path
    found: Counterexample | Agreement
    workload_origins: tuple[str, ...]  # of the real calls, one entry for each
    assume: tuple[str, ...]  # what is stated of every input
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float
    stages: tuple[StageTime, ...] = ()  # how long it was at each step
    untried: tuple[int, ...] = ()  # lines that no input is known to reach and that the other version changes
    broken_tests: str = ""  # tests that pass with the one and not with the other, in words; empty: none is known to

    @property
    def agrees(self) -> bool:
        """Whether no difference was found."""
        return isinstance(self.found, Agreement) and not self.broken_tests

    @property
    def invented_inputs(self) -> str:
        """What the calls are that all inputs started from, if none is from the project or the user; else empty."""
        return invented_inputs(Counter(self.workload_origins).items())


def verify_jobs(
    job: Job,
    other: Job,
    search: Search,
    *,
    writes_test: bool = False,
    sandbox: Sandbox,
    on_event: OnEvent,
    allow: Callable[[Target], None],
) -> Verification:
    """Look for an input on which two versions differ; see `Session.verify`.

    Raises:
        AfterburnerError: one of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
    """
    started_s = time.monotonic()
    on_event = in_stage(on_event, Stage.VERIFY)
    target, against = _target_of(job), _target_of(other)
    if target.function != against.function:
        raise UsageError(f"{target.function} and {against.function}: both files must have the function by one name.")
    for each in (target, against):
        allow(each)
    on_event(ProgressEvent(kind=EventKind.STAGING, subject=Path(target.project_root).name))
    staged = stage(target, sandbox, job.inputs, job.unsaved, on_event)
    deadline = Deadline.after(search.max_seconds)  # which does not count the making of an image
    limits = workload_limits(search.max_seconds, job.inputs.float_tolerance)
    settings = RunSettings(job.path, job.function, inputs=job.inputs, search=search, unsaved=job.unsaved)
    workload = build_workload(sandbox, target, staged.environment, settings, limits, on_event)
    calls = workload.calls_in_order()
    # Nothing is selected here, so inputs may be made from all calls.
    bench = Workbench(
        target,
        replace(workload, calls=calls, held_out_calls=()),
        sandbox,
        staged.environment,
        limits,
        None,
        writes_tests=writes_test,
    )
    shrinking_s = max(SHRINKING_SHARE * search.max_seconds, 1.0)
    differences = DifferenceSearch(bench, target.source, search.seed, on_event, shrinking_s)
    least = Least(ENOUGH_PROVIDED, deadline)
    tests = ComparedTests()
    with sandbox.branch() as branch:
        run_tests = partial(_tests_of, replace(bench, sandbox=branch), against.source)
        with ahead([run_tests], usable_cpus(), branch.stop, at_once=1) as running:
            found = differences.against(
                against.source, deadline, real_calls=calls, least=least, effects_of_real_calls=True
            )
            if isinstance(found, Counterexample) and found.unfit:
                raise WorkloadError(f"No answer on {against.path}: {found.unfit}.")
            if isinstance(found, Agreement) or found.provided:
                [tests] = running.results()
    untried: tuple[int, ...] = ()
    if isinstance(found, Agreement):
        beyond = differences.beyond_real_calls(against.source)
        found = replace(found, unreached=differences.unreached_lines(against.source), beyond_calls=beyond)
        untried = changed_statements(target, target.source, against.source, found.unreached)
    machine = describe_machine(sandbox, staged.environment)
    return Verification(
        target=target,
        against=against.path,
        found=found,
        workload_origins=tuple(workload.origins()),
        assume=workload.assume,
        skipped=(
            *([tests.left_out] if tests.left_out is not None else ()),
            *staged.left_out,
            *workload.skipped,
            *(found.skipped if isinstance(found, Agreement) else ()),
        ),
        machine=machine,
        elapsed_s=time.monotonic() - started_s,
        untried=untried,
        broken_tests=tests.difference.reason if tests.difference is not None else "",
    )


def _tests_of(bench: Workbench, source: str) -> ComparedTests:
    """What the tests say, as far as they have a say: they may call a function beyond what is stated of every input."""
    if bench.by_cases:
        return ComparedTests()
    if bench.workload.assume:
        told = "they may call it beyond what is stated of every input"
        return ComparedTests(left_out=Skipped(AS_A_WHOLE, told))
    return compared_tests(bench, source)


def _target_of(job: Job) -> Target:
    if job.function is None or job.revision:
        raise UsageError(
            f"{job.path}: verify takes a function of a file on the disk or of a buffer; name the function."
        )
    path = Path(job.path)
    return find_target(path, job.function, text=RunSettings(job.path, unsaved=job.unsaved).unsaved_text(path))
