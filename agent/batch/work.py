"""Works through the best targets with one budget: each gets a share of the time, and the next what it leaves."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import ManyResult, Outcome, restored
from afterburner.agent.batch.check import check_offers
from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import RunInUseError, RunStoreError, TargetChangedError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.inputs.rank import rank
from afterburner.agent.inputs.survey import project_of, take_survey
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.session.one_run import begin_run, resume_run, seconds_used
from afterburner.agent.session.stored_graph import open_proposer_of
from afterburner.agent.store.resumable import check_format, check_unchanged
from afterburner.agent.store.stored_run import MEMBER, RunState, StoredRequest
from afterburner.agent.types import Decision
from afterburner.sandbox import AfterburnerError, CancelledError, CancelToken, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterburner.agent.batch.batch_results import Offered
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.session import Loan, Session
    from afterburner.agent.store.stored_run import Output
    from afterburner.agent.store.table import RunTable

SURVEY_SHARE = 0.25  # of the time budget, for the profile
SHORTEST_SURVEY_S, LONGEST_SURVEY_S = 10.0, 120.0
LEAST_SHARE_S = 45.0  # for one target: with less hardly anything can be confirmed
LEAST_SHARE = 0.5  # of the time budget, where that is small
CHECK_FACTOR = 2.0  # of the time that the profile was allowed


def work_through(
    session: Session,
    many: ManyResult,
    on_event: OnEvent,
    offered: Offered,
    *,
    outputs: Mapping[str, Output] | None = None,
    on_begun: Callable[[str], None] = lambda _run_id: None,
    cancel: CancelToken | None = None,
) -> None:
    """Fill in `many`. An interrupt ends the work; `many` then holds what was done, and says so.

    Args:
        session: with the id of the run, the model and the caps of its settings.
        many: the place, the settings of all runs, and where the results go. `search.max_seconds` is for everything.
        on_event: is told of progress.
        offered: whether an improvement may be written.
        outputs: what the caller will write, kept for who resumes the run.
        on_begun: is told the run's id, once it can be resumed.
        cancel: ends the work from another thread; it can be resumed.

    Raises:
        CancelledError: it was cancelled.
        NotTrustedError: whoever decides about trust said no.
        AfterburnerError: there is nothing to rank, no model, or no sandbox. What fails for one target is its outcome.
    """
    with session.lend(cancel) as loan, session.runs() as runs, runs.claimed(many.run_id):
        runs.begin(many.run_id, StoredRequest(many.settings, dict(outputs or {}), str(Path.cwd())), None)
        on_begun(many.run_id)
        try:
            _carry_out(many, runs, loan, on_event, offered)
        except (RunStoreError, CancelledError):
            raise
        except AfterburnerError:
            if runs.many(many.run_id) is None:  # it failed before there was anything to go on with
                runs.forget(many.run_id)
            raise


def resume_many(
    session: Session, run_id: str, on_event: OnEvent, offered: Offered, *, cancel: CancelToken | None = None
) -> ManyResult:
    """Go on with a run over many targets where it stands, or give what came of a finished one. See `work_through`.

    Raises:
        RunInUseError: another process works on it.
        TargetChangedError: a file that was worked on, or the interpreter, is not what it was.
        AfterburnerError: see `work_through`.
    """
    with session.lend(cancel) as loan, session.runs() as runs, runs.claimed(run_id):
        run = runs.find(run_id)
        many = restored(runs, run, offered)
        if run.state is RunState.FINISHED:
            return many
        check_format(run)
        for member in runs.members(run_id):
            check_unchanged(run, runs.target(member))
        _carry_out(many, runs, loan, on_event, offered)
    return many


def _carry_out(
    many: ManyResult,
    runs: RunTable,
    loan: Loan,
    on_event: OnEvent,
    offered: Offered,
) -> None:
    """Do what is left of a run that this process has claimed."""
    try:
        _work_through(many, runs, loan, on_event, offered)
    except KeyboardInterrupt:
        many.interrupted = True
        many.merge(offered)


def _work_through(
    many: ManyResult,
    runs: RunTable,
    loan: Loan,
    on_event: OnEvent,
    offered: Offered,
) -> None:
    settings = many.settings
    used_s = many.used_s + seconds_used(runs, _member_id(many, many.tried + 1))
    deadline = Deadline.after(settings.search.max_seconds - used_s)
    survey_s = min(max(SURVEY_SHARE * settings.search.max_seconds, SHORTEST_SURVEY_S), LONGEST_SURVEY_S)
    # What all runs share: what models may cost altogether, and how answers are kept.
    begun = many.profiled_s is not None  # before that nobody has answered
    model_session = loan.model_session(many.run_id, settings, deadline, on_event, resuming=begun)
    proposer = open_proposer_of(settings, model_session)
    if many.usage is not None:
        model_session.budget.at_least(many.usage)
    members = replace(loan, batch=model_session)
    worker = _Worker(many, runs, proposer, members, model_session, on_event, time.monotonic() - used_s)
    if many.profiled_s is None:
        loan.allow_folder(project_of(many.place))
        with loan.sandbox() as sandbox:
            on_event(ProgressEvent(kind=EventKind.PROFILING_PROJECT, subject=" ".join(settings.batch.command)))
            survey = take_survey(sandbox, many.place, settings, survey_s)
        many.settings = replace(
            settings, batch=replace(settings.batch, command=survey.command, project_root=survey.project_root)
        )
        many.profiled_s, many.suite = survey.total_s, survey.suite
        many.ranked = tuple(each for each in rank(survey) if many.only is None or many.only(each))
        worker.keep()
    try:
        _work(many, worker, deadline)
    finally:
        many.usage = model_session.usage()
    worker.keep()
    many.merge(offered)
    if many.merged.texts:
        with loan.sandbox() as sandbox:
            on_event(
                ProgressEvent(
                    kind=EventKind.RUNNING_ALL_OFFERS,
                    stage=Stage.CONFIRM,
                    subject=" ".join(many.settings.batch.command),
                )
            )
            check_offers(many, sandbox, CHECK_FACTOR * survey_s, offered)
    runs.finish_many(many.run_id, many.state(worker.used_s()), many.decision)


def _work(many: ManyResult, worker: _Worker, deadline: Deadline) -> None:
    """Go through the ranking from where it stands."""
    begun = set(worker.runs.members(many.run_id))
    for target in many.ranked[len(many.outcomes) :]:
        tried = many.tried
        if tried == many.settings.batch.top:
            break
        is_begun = _member_id(many, tried + 1) in begun
        share_s = share_of(deadline.left_s(), many.settings.batch.top - tried, many.settings.search.max_seconds)
        if share_s is None and not is_begun:
            many.outcomes.append(Outcome(target, "not_reached", "the time was up before its turn"))
            continue
        if not is_begun and worker.has_nothing_for(target):
            many.outcomes.append(Outcome(target, "nothing_to_propose", "no rule fits it"))
            worker.keep()  # or whoever resumes would take the run of the next target for this one's
            continue
        try:
            many.outcomes.append(worker.optimise(target, tried + 1, share_s or 0.0, is_begun=is_begun))
        except KeyboardInterrupt:
            many.outcomes.append(Outcome(target, "interrupted", "the run was interrupted"))
            raise
        many.usage = worker.model_session.usage()
        worker.keep()


def _member_id(many: ManyResult, number: int) -> str:
    """The id of the run of one target."""
    return f"{many.run_id}{MEMBER}{number:02d}"


def share_of(left_s: float, turns: int, max_seconds: float) -> float | None:
    """The time of the next of so many targets: an equal share of what is left, and not too little to confirm anything.

    None: not even that is left. A whole budget that is small gives at least its half.
    """
    least_s = min(LEAST_SHARE_S, LEAST_SHARE * max_seconds)
    return None if left_s < least_s else max(left_s / turns, least_s)


@dataclass(frozen=True, slots=True)
class _Worker:
    """Carries out the run of one target after the other."""

    many: ManyResult
    runs: RunTable
    proposer: Proposer
    loan: Loan
    model_session: ModelSession
    on_event: OnEvent
    started_s: float

    def used_s(self) -> float:
        """Of the time budget, in earlier processes too."""
        return time.monotonic() - self.started_s

    def keep(self) -> None:
        """Keep what was found out so far."""
        self.runs.keep_many(self.many.run_id, self.many.state(self.used_s()))

    def has_nothing_for(self, target: RankedTarget) -> bool:
        """Whether it is known without measuring that nothing will be proposed; only rules can tell for free."""
        if self.many.settings.models.model != "rules":
            return False
        try:
            found = find_target(target.path, target.function)
            unknown = Measurement(0.0, 0.0, 0, 0.0)
            objective = self.many.settings.search.objective
            request = ProposalRequest(found, objective, unknown, passed=True, iteration=1, count=1)
            return not any(proposal.rewrite is not None for proposal in self.proposer.propose(request))
        except AfterburnerError:
            return False  # its run will say what is wrong

    def optimise(self, target: RankedTarget, number: int, share_s: float, *, is_begun: bool) -> Outcome:
        """One run, or what is left of it. Whatever goes wrong in it, the next target has its turn."""
        settings, run_id = self._settings_of(target, share_s), _member_id(self.many, number)

        def tell(event: ProgressEvent) -> None:
            targets = self.many.settings.batch.top
            self.on_event(replace(event, target=target.function, number=number, targets=targets))

        try:
            if is_begun:
                settings = self.runs.asked(run_id).settings_from(Path.cwd())
                result = resume_run(self.runs, run_id, self.loan, tell)
            else:
                result = begin_run(self.runs, run_id, settings, self.loan, tell)
        except (RunStoreError, RunInUseError, TargetChangedError, CancelledError):
            raise  # nothing of this target's; all of it goes on when that is put right
        except AfterburnerError as error:
            self.runs.forget(run_id)
            return Outcome(target, "failed", str(error))
        except BrokenPipeError:
            raise  # nobody reads the progress any more
        except Exception as error:  # noqa: BLE001 - a bug met on one target must not cost what was found on the others
            self.runs.forget(run_id)
            last = traceback.format_exception_only(error)[-1].strip()
            return Outcome(target, "failed", f"unexpected {last}; this is a bug")
        return Outcome(target, result.decision.value, _reason(result), settings, result)

    def _settings_of(self, target: RankedTarget, share_s: float) -> RunSettings:
        return replace(
            self.many.settings,
            file=target.path,
            function=target.function,
            search=replace(self.many.settings.search, max_seconds=share_s),
            batch=replace(self.many.settings.batch, test_files=target.test_files or None, top=0),
        )


def _reason(result: RunResult) -> str:
    """The summary; and why the candidates were refused, where that is the same for all of them."""
    conditional = next((each for each in result.candidates if each.decision is Decision.CONDITIONAL), None)
    if conditional is not None and not result.improved:
        return f"right on a condition alone: {conditional.reason}"
    reasons = {candidate.reason for candidate in result.candidates}
    if result.improved or len(reasons) != 1 or next(iter(reasons)) in result.summary:
        return result.summary
    return f"{result.summary}: {next(iter(reasons))}"
