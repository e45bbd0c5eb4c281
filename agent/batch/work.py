"""Works through the best targets of a folder with one budget, and puts together what may be written."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import ManyResult, restored
from afterburner.agent.batch.check import check_offers
from afterburner.agent.batch.members import Worker
from afterburner.agent.batch.turns import work_on_targets
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import RunStoreError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.inputs.rank import rank
from afterburner.agent.inputs.survey import project_of, take_survey
from afterburner.agent.session.one_run import seconds_used
from afterburner.agent.session.stored_graph import open_proposer_of
from afterburner.agent.store.resumable import check_format, check_unchanged
from afterburner.agent.store.stored_run import RunState, StoredRequest
from afterburner.sandbox import AfterburnerError, CancelledError, CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterburner.agent.batch.batch_results import Offered
    from afterburner.agent.inputs.survey import Survey
    from afterburner.agent.session.session import Loan, Session
    from afterburner.agent.store.stored_run import Output
    from afterburner.agent.store.table import RunTable

SURVEY_SHARE = 0.25  # of the time budget, for the profile
SHORTEST_SURVEY_S, LONGEST_SURVEY_S = 10.0, 120.0
CHECK_FACTOR = 2.0  # of the time that the profile was allowed
TAKEN_FACTOR = 4.0  # of what it took, if that is less: a test that hangs with a rewrite in place is not waited for long


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


def check_limit_s(allowed_s: float, taken_s: float) -> float:
    """How long the tests may run with all rewrites in place, after a profile of so many seconds."""
    return min(CHECK_FACTOR * allowed_s, TAKEN_FACTOR * max(taken_s, SHORTEST_SURVEY_S))


def profile_note(survey: Survey, allowed_s: float) -> str:
    """What to tell of a profile that was allowed so many seconds; how to allow more where the time was over."""
    if not survey.is_cut:
        return survey.remark
    if allowed_s < LONGEST_SURVEY_S:
        return f"{survey.remark}; --max-seconds allows more."
    return f"{survey.remark}. No profile gets more time: give a shorter command, -- python SCRIPT.py …"


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
    used_s = many.used_s_with(lambda run_id: seconds_used(runs, run_id))
    deadline = Deadline.after(settings.search.max_seconds - used_s)
    survey_s = min(max(SURVEY_SHARE * settings.search.max_seconds, SHORTEST_SURVEY_S), LONGEST_SURVEY_S)
    # What all runs share: what models may cost altogether, and how answers are kept.
    begun = many.profiled_s is not None  # before that nobody has answered
    model_session = loan.model_session(many.run_id, settings, deadline, on_event, resuming=begun)
    proposer = open_proposer_of(settings, model_session, is_new=not begun)
    if many.usage is not None:
        model_session.budget.at_least(many.usage)
    check_s = CHECK_FACTOR * survey_s
    worker = Worker(many, runs, proposer, loan, model_session, on_event, time.monotonic() - used_s)
    if many.profiled_s is None:
        loan.allow_folder(project_of(many.place))
        with loan.sandbox(settings.inputs) as sandbox:
            on_event(ProgressEvent(kind=EventKind.PROFILING_PROJECT, subject=" ".join(settings.batch.command)))
            started_s = time.monotonic()
            survey = take_survey(sandbox, many.place, settings, survey_s, on_event)
            check_s = check_limit_s(survey_s, time.monotonic() - started_s)
        many.settings = replace(
            settings, batch=replace(settings.batch, command=survey.command, project_root=survey.project_root)
        )
        many.profiled_s, many.suite, many.survey_note = survey.total_s, survey.suite, profile_note(survey, survey_s)
        many.python_without_pytest = survey.python_without_pytest
        many.ranked = tuple(each for each in rank(survey) if many.only is None or many.only(each))
        worker.keep()
    try:
        work_on_targets(worker, deadline)
    finally:
        many.usage = model_session.usage()
    many.merge(offered)
    if many.merged.texts:
        with loan.sandbox(settings.inputs) as sandbox:
            on_event(
                ProgressEvent(
                    kind=EventKind.RUNNING_ALL_OFFERS,
                    stage=Stage.CONFIRM,
                    subject=" ".join(many.settings.batch.command),
                )
            )
            check_offers(many, sandbox, check_s, offered)
    runs.finish_many(many.run_id, many.state(worker.used_s()), many.decision)
