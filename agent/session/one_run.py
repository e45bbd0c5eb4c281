"""One run from end to end: begun, prepared, carried out or resumed, with what its session lends it."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.languages import check_program
from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import RunClock
from afterburner.agent.errors import RunStoreError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, ignore_event, waiting_for_core
from afterburner.agent.evidence.gather import Offered, gather_evidence
from afterburner.agent.evidence.growth import make_ladder
from afterburner.agent.job.problem import Problem
from afterburner.agent.job_reporter import JobReporter
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.judge.spent_tests import SpentTests
from afterburner.agent.loop.graph import Loop
from afterburner.agent.loop.langgraph_import import importing_langgraph
from afterburner.agent.loop.paper import PaperLoop
from afterburner.agent.loop.placing import describing
from afterburner.agent.loop.results import RunResult, make_paper_result, make_result, winner_source
from afterburner.agent.machine import describe_machine
from afterburner.agent.models.prompts.description import describe_target
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.option_kinds import Selection
from afterburner.agent.session.asking_for_calls import call_writer
from afterburner.agent.session.preparing import limits_of, prepare, stage_target, surroundings_of, taken_over
from afterburner.agent.session.stored_graph import open_proposer_of, run_graph, used_s
from afterburner.agent.store.checkpoints import open_checkpointer, stored_state
from afterburner.agent.store.resumable import check_format, check_machine, check_unchanged, other_machine
from afterburner.agent.store.stored_run import Prepared, StoredRequest, owner_of
from afterburner.agent.types import Objective
from afterburner.sandbox import AfterburnerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from afterburner.agent.code.context.surroundings import Surroundings
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
            return _Run.of(runs, run_id, lender, on_event, settings=settings, target=target).carry_out()
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
        return _Run.of(runs, found.run_id, lender, on_event, settings=settings, target=target).carry_out()


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


@dataclass(slots=True)
class _Run:
    """A run that this process has claimed."""

    runs: RunTable
    run_id: str
    settings: RunSettings
    target: Target
    lender: Lender
    report: JobReporter

    @classmethod
    def of(
        cls, runs: RunTable, run_id: str, lender: Lender, on_event: OnEvent, *, settings: RunSettings, target: Target
    ) -> Self:
        """With progress that says which run and job it is of."""
        job = f"{target.path}::{target.function}" if target.function else target.path
        return cls(
            runs, run_id, settings, target, lender, JobReporter(on_event, run_id, job, settings.search.iterations)
        )

    @property
    def is_paper(self) -> bool:
        """Whether it is Algorithm 1 of the paper."""
        return self.settings.search.selection is Selection.PAPER

    def carry_out(self) -> RunResult:
        """Do what is left of it."""
        prepared = self.runs.prepared(self.run_id)
        with open_checkpointer(self.runs.database) as checkpointer:
            state = stored_state(checkpointer, self.run_id)
            used = used_s(prepared, state)
            clock = RunClock.start(self.settings.search.max_seconds, used, self.lender.budget)
            model_session = self._model_session(clock, prepared)
            proposer = open_proposer_of(self.settings, model_session, is_new=prepared is None)
            if not self.settings.problem:
                self.lender.allow(self.target)
            with self.lender.sandbox(self.settings.inputs, fresh=self.settings.search.fresh) as sandbox:
                with clock.budget.paused():  # an image may have to be made
                    staged = stage_target(self.settings, self.target, sandbox, self.report)
                machine = describe_machine(sandbox, staged.environment, self.target.language)
                if prepared is None:
                    writer = call_writer(self.settings, proposer, staged, self.report)
                    with importing_langgraph():
                        prepared = prepare(
                            self.settings, self.target, sandbox, staged, self.report, machine=machine, writer=writer
                        )
                    prepared = replace(prepared, used_s=clock.used_s(), used_before=model_session.used_by_others())
                    self.runs.keep_prepared(self.run_id, prepared)
                prepared, machine = self._on_this_machine(prepared, machine, state)
                self._take_settings_of(prepared)
                bench = self._bench(prepared, sandbox, staged, clock)
                loop = self._loop(bench, clock, proposer, model_session, surroundings_of(prepared, staged))
                grows = self.settings.proof.growth and self.settings.search.objective is Objective.TIME
                also = (make_ladder,) if grows else ()
                with loop.making_inputs(*also) if isinstance(loop, Loop) else nullcontext():
                    state = self._searched(loop, state, checkpointer)
                    evidence = _evidence(loop, state, staged, machine) if isinstance(loop, Loop) else None
                    while isinstance(loop, Loop) and evidence is not None and evidence.disagreement:
                        state = loop.without_offer(state, evidence.disagreement, evidence.condition)
                        evidence = _evidence(loop, state, staged, machine)
                    description = _description(loop, state)
        make = make_paper_result if self.is_paper else make_result
        result = make(self.settings, bench, state, run_id=self.run_id, machine=machine, elapsed_s=clock.elapsed_s())
        usage = state["usage"] if model_session.usage() is not None else None
        result = replace(result, evidence=evidence, usage=usage, description=description, stages=self.report.stages())
        self.runs.finish(self.run_id, result)
        return result

    def _model_session(self, clock: RunClock, prepared: Prepared | None) -> ModelSession:
        found = self.lender.model_session(
            self.run_id,
            self.settings,
            self._search_until(clock),
            self.report,
            resuming=prepared is not None,  # what was answered before it was prepared is stored, and recorded anew
            used_before=prepared.used_before if prepared is not None else None,
        )
        self.report.usage = found.usage
        return found

    def _search_until(self, clock: RunClock) -> Deadline:
        """The paper's selection confirms nothing, so all of the time is for its search."""
        return clock.confirm_until if self.is_paper else clock.search_until

    def _on_this_machine(
        self, prepared: Prepared, machine: Machine, state: LoopState | None
    ) -> tuple[Prepared, Machine]:
        """What was prepared, as it holds here, and the machine that the figures come from."""
        check_machine(self.run_id, prepared.machine, machine)
        if state is not None and state["confirmation"] is not None and state["confirmation"].confirmed:
            return prepared, prepared.machine
        if prepared.machine == machine:
            return prepared, machine
        if self.is_paper:
            raise other_machine(self.run_id)
        prepared = taken_over(prepared, self.settings, machine, self.report)
        self.runs.keep_prepared(self.run_id, prepared)
        return prepared, machine

    def _take_settings_of(self, prepared: Prepared) -> None:
        """The settings that it was prepared with, but for the time, which may have been raised since."""
        max_seconds = self.settings.search.max_seconds
        self.settings = replace(prepared.settings, search=replace(prepared.settings.search, max_seconds=max_seconds))

    def _bench(self, prepared: Prepared, sandbox: Sandbox, staged: Staged, clock: RunClock) -> Workbench:
        settings = self.settings
        problem = Problem.from_json(settings.problem) if settings.problem else None
        limits = problem.limits if problem else limits_of(settings)
        # Runs that share the CPUs wait for one another all the time, which is nothing to tell.
        told = waiting_for_core(self.report if self.lender.share is None else ignore_event)
        core = TimingCore(told, self.lender.cores(), clock.budget)
        return Workbench(
            prepared.target,
            prepared.workload,
            sandbox,
            staged.environment,
            limits,
            core,
            problem=problem,
            writes_tests=settings.proof.counterexample,
            command=settings.batch.command,
            command_folder=settings.batch.command_folder,
        )

    def _loop(
        self,
        bench: Workbench,
        clock: RunClock,
        proposer: Proposer,
        model_session: ModelSession,
        surroundings: Surroundings | None,
    ) -> Loop | PaperLoop:
        """The loop that the selection asks for."""
        settings = self.settings
        if self.is_paper:
            return PaperLoop(
                bench=bench,
                settings=settings,
                proposer=proposer,
                on_event=self.report,
                cancel=self.lender.cancel,
                until=self._search_until(clock),
                surroundings=surroundings,
                used_s=clock.used_s,
                model_session=model_session,
            )
        runs, run_id = self.runs, self.run_id
        return Loop(
            bench=bench,
            proposer=proposer,
            judge=Judge(settings.search.objective, settings.proof.effect, settings.search.seed),
            settings=settings,
            search_until=clock.search_until,
            confirm_until=clock.confirm_until,
            on_event=self.report,
            used_s=clock.used_s,
            tests=SpentTests(runs.tests_begun(run_id), lambda begun: runs.count_tests(run_id, begun)),
            surroundings=surroundings,
            model_session=model_session,
        )

    def _searched(
        self, loop: Loop | PaperLoop, state: LoopState | None, checkpointer: BaseCheckpointSaver[str]
    ) -> LoopState:
        """The state at the end of the loop, which goes on where it stands."""
        if state is not None:
            self.report(ProgressEvent(kind=EventKind.RESUMING))
            if isinstance(loop, Loop):
                loop.resume_from(state)
        state = run_graph(loop, checkpointer, self.run_id)
        self.lender.cancel.raise_if_cancelled()
        return state


def seconds_used(runs: RunTable, run_id: str) -> float:
    """Of its time budget, by a run that may or may not be there."""
    if run_id not in runs.members(owner_of(run_id)):
        return 0.0
    result = runs.result(run_id)
    if result is not None:
        return result.elapsed_s
    with open_checkpointer(runs.database) as checkpointer:
        return used_s(runs.prepared(run_id), stored_state(checkpointer, run_id))


def _description(loop: Loop | PaperLoop, state: LoopState) -> str:
    """What a model is told of the original of an offer, which training needs after the project has changed."""
    confirmation = state["confirmation"]
    if confirmation is None or not confirmation.confirmed:
        return ""
    describe = describing(loop.bench, loop.surroundings) or describe_target
    with suppress(RewriteError):  # no model was asked, and the offer is worth more than its description
        return attempted(partial(describe, loop.bench.target), "described")
    return ""


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
        shown_blocks=confirmation.real.blocks if confirmation.real else (),
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
