"""One run from end to end: begun, prepared, carried out or resumed, with what its session lends it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.context.surroundings import Surroundings
from afterburner.agent.code.languages import PYTHON, check_program
from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import RunClock
from afterburner.agent.errors import RunStoreError, WorkloadError
from afterburner.agent.events import EventKind, JobReporter, OnEvent, ProgressEvent, waiting_for_core
from afterburner.agent.evidence.gather import Offered, gather_evidence
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.cases import case_workload
from afterburner.agent.inputs.hottest import hottest_function
from afterburner.agent.inputs.staging import stage, stage_alone
from afterburner.agent.job.problem import Problem
from afterburner.agent.judge.confirming import SpentTests
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench, workload_limits
from afterburner.agent.judge.min_effect import min_effect_for
from afterburner.agent.loop.graph import Loop
from afterburner.agent.loop.paper import PaperLoop
from afterburner.agent.loop.records import withdrawn
from afterburner.agent.loop.results import RunResult, make_paper_result, make_result, winner_source
from afterburner.agent.machine import describe_machine
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.option_kinds import Selection
from afterburner.agent.session.stored_graph import open_proposer_of, run_graph, used_s
from afterburner.agent.store.checkpoints import open_checkpointer, stored_state
from afterburner.agent.store.resumable import check_format, check_machine, check_unchanged, other_machine
from afterburner.agent.store.stored_run import Prepared, StoredRequest, owner_of
from afterburner.agent.types import Objective, Workload
from afterburner.sandbox import AfterburnerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.evidence.gather import Evidence
    from afterburner.agent.inputs.staging import Staged
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.lending import Lender
    from afterburner.agent.store.stored_run import Output
    from afterburner.agent.store.table import RunTable
    from afterburner.agent.types import Machine, Target
    from afterburner.sandbox import CancelToken, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox


def begin_run(
    runs: RunTable,
    run_id: str,
    settings: RunSettings,
    lender: Lender,
    on_event: OnEvent,
    *,
    outputs: Mapping[str, Output] | None = None,
    on_begun: Callable[[str], None] = lambda _: None,
) -> RunResult:
    """Carry out one run. What can fail cheaply fails first: the file, the model, the sandbox, then the workload.

    Args:
        runs: where it is kept.
        run_id: a new one.
        settings: what is to be done.
        lender: the session.
        on_event: is told of progress.
        outputs: what the caller will write, kept for who resumes the run.
        on_begun: is told the run's id, once it can be resumed.

    Raises:
        AfterburnerError: see `Session.optimize`.
    """
    parse_telling(settings.models.tell)
    target = _target_of(settings)
    check_program(settings, target.language)
    with runs.claimed(run_id):
        runs.begin(run_id, StoredRequest(settings, dict(outputs or {}), str(Path.cwd())), target)
        on_begun(run_id)
        try:
            return _carry_out(runs, run_id, settings, target, lender, on_event)
        except RunStoreError:
            raise
        except AfterburnerError:
            if runs.prepared(run_id) is None:  # it failed before there was anything to go on with
                runs.forget(run_id)
            raise


def resume_run(runs: RunTable, name: str, lender: Lender, on_event: OnEvent) -> RunResult:
    """Go on with a run that was interrupted, or tell the result of a finished one again.

    Args:
        runs: where it is kept.
        name: its id, the beginning of one, or `latest`.
        lender: the session.
        on_event: is told of progress.

    Raises:
        RunNotFoundError: there is no such run.
        RunInUseError: another process works on it.
        TargetChangedError: the file, or the interpreter, is not what it was.
        AfterburnerError: see `Session.optimize`.
    """
    found = runs.find(name)
    with runs.claimed(found.run_id):
        result = runs.result(found.run_id)
        if result is not None:
            return result
        check_format(found)
        target = runs.target(found.run_id)
        settings = runs.asked(found.run_id).settings_from(Path.cwd())
        if not settings.problem and settings.unsaved_text(Path(target.path)) is None:
            check_unchanged(found, target)
        return _carry_out(runs, found.run_id, settings, target, lender, on_event)


def _target_of(settings: RunSettings) -> Target:
    """What is to be optimised: a problem's program, or what the settings name in a file."""
    if settings.problem:
        problem = Problem.from_json(settings.problem)
        if settings.search.selection is Selection.VERIFIED:
            _check_provable(problem, settings)
        return problem.target(problem.start)
    path = Path(settings.file)
    return find_target(
        path,
        settings.function,
        settings.inputs.cases is not None and settings.function is None,
        settings.inputs.language,
        settings.batch.project_root,
        text=settings.unsaved_text(path),
    )


def _check_provable(problem: Problem, settings: RunSettings) -> None:
    if not problem.start.strip():
        raise UsageError(
            f"The problem {problem.name} has no code to begin with, and a gain is proved over such code. Give `start`, "
            'or Search(selection="paper"), by which a model writes the first code.'
        )
    if settings.proof.receipt:
        raise UsageError("A receipt names the file of a project that was improved, and a problem has none.")


def _carry_out(  # noqa: PLR0917 - a run, where it is kept, and who is told
    runs: RunTable,
    run_id: str,
    settings: RunSettings,
    target: Target,
    lender: Lender,
    on_event: OnEvent,
) -> RunResult:
    """Do what is left of a run that this process has claimed."""
    prepared = runs.prepared(run_id)
    job = f"{target.path}::{target.function}" if target.function else target.path
    on_event = reporter = JobReporter(on_event, run_id, job, settings.search.iterations)
    with open_checkpointer(runs.database) as checkpointer:
        state = stored_state(checkpointer, run_id)
        clock = RunClock.start(settings.search.max_seconds, used_s(prepared, state))
        # before it was prepared, nobody has answered
        model_session = lender.model_session(
            run_id,
            settings,
            _search_until(settings, clock),
            on_event,
            resuming=prepared is not None,
            used_before=prepared.used_before if prepared is not None else None,
        )
        reporter.usage = model_session.usage
        proposer = open_proposer_of(settings, model_session)
        problem = Problem.from_json(settings.problem) if settings.problem else None
        if problem is None:
            lender.allow(target)
        with lender.sandbox() as sandbox:
            staged = _stage(settings, target, sandbox, on_event)
            machine = describe_machine(sandbox, staged.environment, target.language)
            if prepared is None:
                prepared = _prepare(settings, target, sandbox, staged, machine, clock, on_event)
                prepared = replace(prepared, used_before=model_session.used_by_others())
                runs.keep_prepared(run_id, prepared)
            check_machine(run_id, prepared.machine, machine)
            if state is not None and state["confirmation"] is not None and state["confirmation"].confirmed:
                machine = prepared.machine  # where the figures of the offer come from
            elif prepared.machine != machine and settings.search.selection is Selection.PAPER:
                raise other_machine(run_id)
            elif prepared.machine != machine:
                prepared = _taken_over(prepared, settings, machine, on_event)
                runs.keep_prepared(run_id, prepared)
            settings = replace(
                prepared.settings,
                search=replace(prepared.settings.search, max_seconds=settings.search.max_seconds),
            )  # which may have been raised since
            limits = (
                problem.limits
                if problem is not None
                else workload_limits(settings.search.max_seconds, settings.inputs.float_tolerance)
            )
            core = TimingCore(waiting_for_core(on_event), lender.cores(), clock.budget)
            bench = Workbench(
                prepared.target, prepared.workload, sandbox, staged.environment, limits, core, problem=problem
            )
            loop = _loop_of(
                settings,
                bench,
                clock,
                proposer=proposer,
                on_event=on_event,
                tests=SpentTests(runs.tests_begun(run_id), lambda begun: runs.count_tests(run_id, begun)),
                surroundings=_surroundings(prepared, staged),
                model_session=model_session,
                cancel=lender.cancel,
            )
            if state is not None:
                on_event(ProgressEvent(kind=EventKind.RESUMING))
            if state is not None and isinstance(loop, Loop):
                loop.resume_from(state)
            state = run_graph(loop, checkpointer, run_id)
            lender.cancel.raise_if_cancelled()
            evidence = _evidence(loop, state, staged, machine) if isinstance(loop, Loop) else None
    if evidence is not None and evidence.growth is not None and evidence.growth.disagreement:
        state, evidence = withdrawn(state, evidence.growth.disagreement), None
    make = make_paper_result if settings.search.selection is Selection.PAPER else make_result
    result = make(settings, bench, state, run_id=run_id, machine=machine, elapsed_s=clock.elapsed_s())
    usage = state["usage"] if model_session.usage() is not None else None
    result = replace(result, evidence=evidence, usage=usage)
    runs.finish(run_id, result)
    return result


def _loop_of(
    settings: RunSettings,
    bench: Workbench,
    clock: RunClock,
    *,
    proposer: Proposer,
    on_event: OnEvent,
    tests: SpentTests,
    surroundings: Surroundings | None,
    model_session: ModelSession,
    cancel: CancelToken,
) -> Loop | PaperLoop:
    """The loop that the selection asks for."""
    if settings.search.selection is Selection.PAPER:
        return PaperLoop(
            bench=bench,
            settings=settings,
            proposer=proposer,
            on_event=on_event,
            cancel=cancel,
            until=_search_until(settings, clock),
            surroundings=surroundings,
            used_s=clock.used_s,
            model_session=model_session,
        )
    return Loop(
        bench=bench,
        proposer=proposer,
        judge=Judge(settings.search.objective, settings.proof.effect, settings.search.seed),
        settings=settings,
        search_until=clock.search_until,
        confirm_until=clock.confirm_until,
        on_event=on_event,
        used_s=clock.used_s,
        tests=tests,
        surroundings=surroundings,
        model_session=model_session,
    )


def _search_until(settings: RunSettings, clock: RunClock) -> Deadline:
    """The paper's selection confirms nothing, so all of the time is for its search."""
    return clock.confirm_until if settings.search.selection is Selection.PAPER else clock.search_until


def _stage(settings: RunSettings, target: Target, sandbox: Sandbox, on_event: OnEvent) -> Staged:
    if settings.problem:
        return stage_alone(target, sandbox)
    on_event(ProgressEvent(kind=EventKind.STAGING, subject=Path(target.project_root).name))
    return stage(target, sandbox, settings.inputs.python, settings.unsaved)


def _prepare(  # noqa: PLR0917 - what a workload depends on, and who is told
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    staged: Staged,
    machine: Machine,
    clock: RunClock,
    on_event: OnEvent,
) -> Prepared:
    """Find out what has to be known before the loop begins."""
    settings = _with_min_effect(settings, machine)
    for each in staged.left_out:
        on_event(ProgressEvent(kind=EventKind.INPUTS_LEFT_OUT, subject=each.origin, detail=each.reason))
    bench = prepared_bench(settings, target, sandbox, staged.environment, on_event)
    workload = replace(bench.workload, skipped=(*staged.left_out, *bench.workload.skipped))
    return Prepared(settings, bench.target, workload, machine, clock.used_s())


def _taken_over(prepared: Prepared, asked: RunSettings, machine: Machine, on_event: OnEvent) -> Prepared:
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


def seconds_used(runs: RunTable, run_id: str) -> float:
    """Of its time budget, by a run that may or may not be there."""
    if run_id not in runs.members(owner_of(run_id)):
        return 0.0
    result = runs.result(run_id)
    if result is not None:
        return result.elapsed_s
    with open_checkpointer(runs.database) as checkpointer:
        return used_s(runs.prepared(run_id), stored_state(checkpointer, run_id))


def _surroundings(prepared: Prepared, staged: Staged) -> Surroundings | None:
    """The project around the target, where there is a way to read it: of Python."""
    if prepared.target.language != PYTHON or prepared.settings.problem:
        return None
    return Surroundings(prepared.target, staged.project, staged.environment, prepared.settings)


def prepared_bench(
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    environment: PythonEnvironment,
    on_event: OnEvent,
) -> Workbench:
    """Find the function if none is named, and the inputs that it is judged on.

    Raises:
        WorkloadError: there is nothing to judge on, or too little.
        AfterburnerError: the function or the inputs cannot be read.
    """
    if settings.problem:
        return _problem_bench(settings, target, sandbox, environment)
    limits = workload_limits(settings.search.max_seconds, settings.inputs.float_tolerance)
    if target.function is None and settings.inputs.cases is None:
        on_event(ProgressEvent(kind=EventKind.PROFILING_FILE))
        function = hottest_function(sandbox, target, environment, settings, limits)
        most = Objective.TIME if settings.search.objective is Objective.TIME else Objective.MEMORY
        on_event(ProgressEvent(kind=EventKind.FOUND_TARGET, subject=function, detail=most.value))
        path = Path(settings.file)
        target = find_target(path, function, project_root=settings.batch.project_root, text=settings.unsaved_text(path))
    workload = build_workload(sandbox, target, environment, settings, limits, on_event)
    return _checked(Workbench(target, workload, sandbox, environment, limits, TimingCore()), settings)


def _checked(bench: Workbench, settings: RunSettings) -> Workbench:
    if not bench.workload.held_out_count and settings.search.selection is Selection.VERIFIED:
        raise WorkloadError(
            f"{bench.target.path}: there is just one usable input, and a rewrite has to be confirmed on inputs that it "
            "was not selected on. Add a second case or call."
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


def _evidence(loop: Loop, state: LoopState, staged: Staged, machine: Machine) -> Evidence | None:
    """What is told of an offer beside its gain."""
    confirmation = state["confirmation"]
    if confirmation is None or not confirmation.confirmed or confirmation.gain is None:
        return None
    offered = Offered(
        source=winner_source(state),
        gain=confirmation.gain,
        held_out_gain=confirmation.held_out.gain,
        blocks=tuple(confirmation.blocks),
        larger_inputs=confirmation.larger_inputs,
    )
    return gather_evidence(
        loop.bench,
        loop.settings,
        offered,
        project=staged.project,
        machine=machine,
        deadline=loop.confirm_until,
        on_event=loop.on_event,
    )
