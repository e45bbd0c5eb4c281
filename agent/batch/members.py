"""Runs the search on single functions of a run over many: each is a run of its own, with its own id."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import NO_WORKLOAD, Outcome
from afterburner.agent.code.locate import find_target
from afterburner.agent.errors import NoInputsError, RunInUseError, RunStoreError, TargetChangedError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.requests.spending import SHARE_IS_UP, TIME_IS_UP
from afterburner.agent.session.one_run import begin_run, resume_run
from afterburner.agent.store.stored_run import MEMBER
from afterburner.agent.types import Decision
from afterburner.sandbox import AfterburnerError, CancelledError, Measurement
from afterburner.sandbox.shared_cpus import CpuShare

if TYPE_CHECKING:
    from afterburner.agent.batch.batch_results import ManyResult
    from afterburner.agent.deadline import BudgetClock
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.session import Loan
    from afterburner.agent.store.table import RunTable
    from afterburner.sandbox import CancelToken
    from afterburner.sandbox.shared_cpus import SharedCpus


@dataclass(frozen=True, slots=True)
class Member:
    """A function whose turn has come.

    Attributes:
        target: the function.
        number: of its turn, from 1.
        turns: how many turns there will be, as far as known by then.
        share_s: how much of the time budget is for it.
        budget: measures what it has used of that.
        is_begun: whether its run was begun by an earlier process.
    """

    target: RankedTarget
    number: int
    turns: int
    share_s: float
    budget: BudgetClock
    is_begun: bool


@dataclass(frozen=True, slots=True)
class Worker:
    """Carries out the runs of a run over many functions, and keeps what is found."""

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
        self.many.usage = self.model_session.usage()
        self.runs.keep_many(self.many.run_id, self.many.state(self.used_s()))

    def id_of(self, number: int) -> str:
        """The id of the run of one function."""
        return f"{self.many.run_id}{MEMBER}{number:02d}"

    def begun(self) -> set[tuple[str, str | None]]:
        """The files and names of the functions whose runs were begun by an earlier process."""
        targets = (self.runs.target(run_id) for run_id in self.runs.members(self.many.run_id))
        return {(target.path, target.function) for target in targets}

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

    def optimise_beside_others(self, member: Member, shared: SharedCpus, stop: CancelToken) -> Outcome:
        """Run the search on a function in a thread of its own, on CPUs that others share; `stop` cancels it."""
        share = CpuShare(shared, member.budget.queued, member.budget.working)
        with self.loan.session.lend(stop) as loan, self.loan.session.runs() as runs:
            return self.optimise(member, replace(loan, share=share), runs)

    def optimise(self, member: Member, loan: Loan, runs: RunTable) -> Outcome:
        """Run the search on a function, or do what is left of it, and tell what became of it.

        Whatever goes wrong in it, the others have their turns.
        """

        def tell(event: ProgressEvent) -> None:
            self.on_event(replace(event, target=member.target.function, number=member.number, targets=member.turns))

        loan = replace(loan, batch=self.model_session, budget=member.budget)
        outcome = self._optimised(member, loan, runs, tell)
        detail = f"{outcome.decision.replace('_', ' ')}: {outcome.reason}"
        tell(ProgressEvent(kind=EventKind.FUNCTION_DONE, stage=Stage.CONFIRM, detail=detail))
        return outcome

    def _optimised(self, member: Member, loan: Loan, runs: RunTable, tell: OnEvent) -> Outcome:
        target, run_id = member.target, self.id_of(member.number)
        settings = self._settings_of(member)
        try:
            if member.is_begun:
                settings = runs.asked(run_id).settings_from(Path.cwd())
                result = resume_run(runs, run_id, loan, tell)
            else:
                result = begin_run(runs, run_id, settings, loan, tell)
        except (RunStoreError, RunInUseError, TargetChangedError, CancelledError):
            raise  # nothing of this target's; all of it goes on when that is put right
        except AfterburnerError as error:
            runs.forget(run_id)
            decision = NO_WORKLOAD if isinstance(error, NoInputsError) else "failed"
            return Outcome(target, decision, str(error))
        except BrokenPipeError:
            raise  # nobody reads the progress any more
        except Exception as error:  # noqa: BLE001 - a bug met on one target must not cost what was found on the others
            runs.forget(run_id)
            return Outcome(target, "failed", f"unexpected {type(error).__name__}: {error}; this is a bug")
        return Outcome(target, result.decision.value, told_of_member(result), settings, result)

    def _settings_of(self, member: Member) -> RunSettings:
        target = member.target
        return replace(
            self.many.settings,
            file=target.path,
            function=target.function,
            search=replace(self.many.settings.search, max_seconds=member.share_s),
            batch=replace(self.many.settings.batch, test_files=target.test_files or None, top=0),
        )


def told_of_member(result: RunResult) -> str:
    """The reason, with the time of the function as what it is: a share of the time of all."""
    return _as_share(_reason(result))


def with_time_as_share(result: RunResult) -> RunResult:
    """A result to show, with the time of the function as what it is: a share of the time of all."""
    return replace(result, summary=_as_share(result.summary), ended_early=_as_share(result.ended_early))


def _as_share(text: str) -> str:
    return text.replace(TIME_IS_UP, SHARE_IS_UP)


def _reason(result: RunResult) -> str:
    """The summary; and why the candidates were refused, where that is the same for all of them."""
    conditional = next((each for each in result.candidates if each.decision is Decision.CONDITIONAL), None)
    if conditional is not None and not result.improved:
        return f"the same only on a condition: {conditional.reason}"
    reasons = {candidate.reason for candidate in result.candidates}
    if result.improved or len(reasons) != 1 or next(iter(reasons)) in result.summary:
        return result.summary
    return f"{result.summary}: {next(iter(reasons))}"
