"""One run of Algorithm 1 on a problem, from end to end: begun or resumed, with what its session lends it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.deadline import RunClock
from afterburner.agent.errors import TargetChangedError
from afterburner.agent.events import EventKind, JobReporter, OnEvent, ProgressEvent, waiting_for_core
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.loop.paper import PaperLoop
from afterburner.agent.loop.results import make_paper_result
from afterburner.agent.machine import describe_machine
from afterburner.agent.problem import Problem
from afterburner.agent.store.checkpoints import open_checkpointer, stored_state
from afterburner.agent.store.stored_run import Prepared
from afterburner.agent.stored_graph import open_proposer_of, run_graph, used_s
from afterburner.agent.types import Workload
from afterburner.agent.usage import NOTHING_USED, since
from afterburner.sandbox import UsageError
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from afterburner.agent.lending import Lender
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.table import RunTable
    from afterburner.agent.types import Machine, Target


def carry_out_paper(  # noqa: PLR0917 - a run, where it is kept, and who is told
    runs: RunTable,
    run_id: str,
    settings: RunSettings,
    target: Target,
    lender: Lender,
    on_event: OnEvent,
) -> RunResult:
    """Do what is left of a run that this process has claimed.

    Raises:
        UsageError: the job is not on a problem.
        TargetChangedError: the run was begun on another machine.
        AfterburnerError: see `Session.optimize`.
    """
    problem = _problem_of(settings)
    prepared = runs.prepared(run_id)
    on_event = reporter = JobReporter(on_event, run_id, target.path, settings.search.iterations)
    with open_checkpointer(runs.database) as checkpointer:
        state = stored_state(checkpointer, run_id)
        clock = RunClock.start(settings.search.max_seconds, used_s(prepared, state))
        until = clock.confirm_until  # nothing is confirmed: all of the time is for the search
        model_session = lender.model_session(until, on_event, resuming=prepared is not None)
        reporter.usage = model_session.usage
        proposer = open_proposer_of(settings, model_session)
        with lender.sandbox() as sandbox:
            machine = describe_machine(sandbox, own_environment(), target.language)
            if prepared is None:
                used_before = model_session.usage() or NOTHING_USED
                prepared = Prepared(settings, target, Workload(), machine, clock.used_s(), used_before)
                runs.keep_prepared(run_id, prepared)
            _check_machine(run_id, prepared.machine, machine)
            if state is not None:
                on_event(ProgressEvent(kind=EventKind.RESUMING))
            loop = PaperLoop(
                problem=problem,
                settings=settings,
                proposer=proposer,
                sandbox=sandbox,
                on_event=on_event,
                cancel=lender.cancel,
                until=until,
                core=TimingCore(waiting_for_core(on_event), budget=clock.budget),
                used_s=clock.used_s,
                model_session=model_session,
            )
            state = run_graph(loop, checkpointer, run_id)
            lender.cancel.raise_if_cancelled()
    result = make_paper_result(settings, problem, state, run_id=run_id, machine=machine, elapsed_s=clock.elapsed_s())
    usage = since(state["usage"], prepared.used_before) if model_session.usage() is not None else None
    result = replace(result, usage=usage)
    runs.finish(run_id, result)
    return result


def _problem_of(settings: RunSettings) -> Problem:
    if not settings.problem:
        raise UsageError(
            f'{settings.file}: selection="paper" is for a problem: Job.from_problem(Problem(…)). For a file, '
            'selection="verified" proves what it offers.'
        )
    return Problem.from_json(settings.problem)


def _check_machine(run_id: str, before: Machine, now: Machine) -> None:
    if before != now:
        raise TargetChangedError(
            f"Run {run_id} was started on another machine, or under another sandbox, Python or compiler. Single "
            "measurements cannot be compared with those taken there. The run is kept: resume it there, or start a new "
            "one."
        )
