"""What has to be known before the loop of a run begins: the project, the function, the inputs, the minimum effect."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.context.surroundings import Surroundings
from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import find_target
from afterburner.agent.errors import NoInputsError, WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.cases import case_workload
from afterburner.agent.inputs.hottest import hottest_functions
from afterburner.agent.inputs.staging import stage, stage_alone
from afterburner.agent.job.problem import Problem
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench, workload_limits
from afterburner.agent.judge.min_effect import min_effect_for
from afterburner.agent.option_kinds import Selection
from afterburner.agent.store.stored_run import Prepared
from afterburner.agent.types import Objective, Workload

if TYPE_CHECKING:
    from afterburner.agent.inputs.staging import Staged
    from afterburner.agent.inputs.written_calls import CallWriter
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Machine, Target
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox


def stage_target(settings: RunSettings, target: Target, sandbox: Sandbox, on_event: OnEvent) -> Staged:
    """Copy the project of a target; a problem has none."""
    if settings.problem:
        return stage_alone(target, sandbox)
    on_event(ProgressEvent(kind=EventKind.STAGING, subject=Path(target.project_root).name))
    return stage(target, sandbox, settings.inputs, settings.unsaved, on_event)


def prepare(
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    staged: Staged,
    on_event: OnEvent,
    *,
    machine: Machine,
    writer: CallWriter | None = None,
) -> Prepared:
    """Find the function if none is named, its inputs, and the minimum effect that holds on this machine.

    Raises:
        WorkloadError: there is nothing to judge on, or too little.
        AfterburnerError: the function or the inputs cannot be read.
    """
    settings = _with_min_effect(settings, machine)
    for each in staged.left_out:
        on_event(ProgressEvent(kind=EventKind.INPUTS_LEFT_OUT, subject=each.origin, detail=each.reason))
    bench = prepared_bench(settings, target, sandbox, staged.environment, on_event, writer=writer)
    workload = replace(bench.workload, skipped=(*staged.left_out, *bench.workload.skipped))
    return Prepared(settings, bench.target, workload, machine, 0.0)


def taken_over(prepared: Prepared, asked: RunSettings, machine: Machine, on_event: OnEvent) -> Prepared:
    """What was prepared elsewhere, with the minimum effect that holds here: this is where winners are tested now."""
    found = _with_min_effect(asked, machine)
    on_event(ProgressEvent(kind=EventKind.OTHER_MACHINE, ratio=found.proof.effect))
    settings = replace(
        prepared.settings,
        proof=replace(
            prepared.settings.proof, min_effect=found.proof.min_effect, min_effect_source=found.proof.min_effect_source
        ),
    )
    return replace(prepared, settings=settings, machine=machine)


def surroundings_of(prepared: Prepared, staged: Staged) -> Surroundings | None:
    """The project around the target, where there is a way to read it: of Python."""
    if prepared.target.language != PYTHON or prepared.settings.problem:
        return None
    return Surroundings(prepared.target, staged.project, staged.environment, prepared.settings)


def limits_of(settings: RunSettings) -> Limits:
    """The limits of one look at all inputs of a function or a program."""
    return workload_limits(settings.search.max_seconds, settings.inputs.float_tolerance)


MOST_TRIED = 3  # of a file's functions, where the hottest ones have no inputs to be judged on


def prepared_bench(
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    environment: PythonEnvironment,
    on_event: OnEvent,
    *,
    writer: CallWriter | None = None,
) -> Workbench:
    """Find the function if none is named, and the inputs that it is judged on.

    Raises:
        WorkloadError: there is nothing to judge on, or too little.
        AfterburnerError: the function or the inputs cannot be read.
    """
    if settings.problem:
        return _problem_bench(settings, target, sandbox, environment)
    limits = limits_of(settings)
    if target.function is None and settings.inputs.cases is None:
        return _hottest_bench(settings, target, sandbox, environment, on_event, writer=writer)
    workload = build_workload(sandbox, target, environment, settings, limits, on_event, writer)
    bench = Workbench(
        target,
        workload,
        sandbox,
        environment,
        limits,
        TimingCore(),
        writes_tests=settings.proof.counterexample,
        command=settings.batch.command,
        command_folder=settings.batch.command_folder,
    )
    return _checked(bench, settings)


def _hottest_bench(
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    environment: PythonEnvironment,
    on_event: OnEvent,
    *,
    writer: CallWriter | None,
) -> Workbench:
    """Find the hottest function that has inputs to be judged on."""
    on_event(ProgressEvent(kind=EventKind.PROFILING_FILE))
    most = Objective.TIME if settings.search.objective is Objective.TIME else Objective.MEMORY
    path = Path(settings.file)
    problems: list[WorkloadError] = []
    for function in hottest_functions(sandbox, target, environment, settings, limits_of(settings))[:MOST_TRIED]:
        on_event(ProgressEvent(kind=EventKind.FOUND_TARGET, subject=function, detail="" if problems else most.value))
        named = find_target(path, function, project_root=settings.batch.project_root, text=settings.unsaved_text(path))
        try:
            return prepared_bench(settings, named, sandbox, environment, on_event, writer=writer)
        except WorkloadError as error:
            problems.append(error)
            why = str(error).partition("\n")[0]
            on_event(ProgressEvent(kind=EventKind.INPUTS_LEFT_OUT, subject=function, detail=why))
    raise type(problems[0])(f"{problems[0]}\nOr name another function of the file: --function.")


def _checked(bench: Workbench, settings: RunSettings) -> Workbench:
    if not bench.workload.held_out_count and settings.search.selection is Selection.VERIFIED:
        name = bench.target.path if bench.problem is None else f"The problem {bench.problem.name}"
        raise NoInputsError(
            f"{name}: there is just one usable input, and a rewrite has to be confirmed on inputs that it was not "
            "selected on. Add a second case or call.",
            usable=1,
        )
    return bench


def _problem_bench(
    settings: RunSettings, target: Target, sandbox: Sandbox, environment: PythonEnvironment
) -> Workbench:
    """The cases of a problem are the inputs, and its limits those of the first look at them."""
    problem = Problem.from_json(settings.problem)
    bench = Workbench(target, Workload(), sandbox, environment, problem.limits, TimingCore(), problem=problem)
    if settings.search.selection is Selection.PAPER:  # it selects on all cases, and the start may fail
        return bench
    cases = problem.workload_cases()
    workload = case_workload(target, cases, lambda tests: bench.run(target.source, tests), settings.search.seed)
    return _checked(replace(bench, workload=workload), settings)


def _with_min_effect(settings: RunSettings, machine: Machine) -> RunSettings:
    """The settings with the minimum effect that holds on this machine, unless the user has set one."""
    if settings.proof.min_effect_source:
        return settings
    found = min_effect_for(None, machine)
    return replace(settings, proof=replace(settings.proof, min_effect=found.value, min_effect_source=found.source))
