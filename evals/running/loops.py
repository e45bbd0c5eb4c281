"""The runs of the loop on one problem: one for each generation, each resumable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent import Caps, Job, RunNotFoundError, Search
from afterburner.agent.loop.state import NOTHING_LEFT
from afterburner.agent.models.requests.endings import CapReachedError as CapReached
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.option_kinds import SearchStyle, Selection
from afterburner.evals.errors import EvaluationError
from afterburner.evals.running.settings import RULES, SEEDS_APART, Start
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from afterburner.agent import CancelToken, Session
    from afterburner.agent.events import OnEvent
    from afterburner.agent.loop.results import RunResult
    from afterburner.evals.problems import BenchmarkProblem, Reference
    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.settings import EvaluationSettings


class LeftOutError(EvaluationError):
    """A problem cannot be evaluated, however often it is tried; the reason is stored in place of a score."""


class InterruptedLoopError(EvaluationError):
    """A loop ended early for a reason that says nothing of the model: a cap, the time, a server that failed."""


class CapReachedError(InterruptedLoopError):
    """What models may use is used up."""


_NEEDS_CODE = "Add the field start, or references, to it."


@dataclass(frozen=True, slots=True)
class LoopRunner:
    """Runs the loop on the problems of one evaluation."""

    session: Session
    folder: RunFolder
    on_event: OnEvent
    cancel: CancelToken

    def run(self, problem: BenchmarkProblem, generation: int) -> RunResult:
        """Run one generation on a problem, or go on with it where an earlier process left it.

        Raises:
            LeftOutError: there is no code to begin with.
            InterruptedLoopError: it did not make all its rounds, and the model is not why.
            CancelledError: it was cancelled.
            AfterburnerError: as `Session.optimize`.
        """
        started = problem.starting_with(starting_code(problem, self.folder.settings))
        return self.run_job(Job.from_problem(named_for(started, generation).problem), problem.id, generation)

    def run_job(self, job: Job, name: str, generation: int) -> RunResult:
        """Run one generation on a job, which goes by this name in the tables; raises as `run`."""
        begun = self.folder.loop_begun(name, generation)
        try:
            result = self._resumed(begun) if begun else None
            if result is None:
                result = self.session.optimize(
                    job,
                    search_of(self.folder.settings, generation),
                    caps=Caps(),  # those of the session hold; a run's own would hold for good, also when it is resumed
                    on_event=self.on_event,
                    cancel=self.cancel,
                    on_begun=lambda run_id: self.folder.begin_loop(name, generation, run_id),
                )
        except CapReached as error:
            raise CapReachedError(f"{name}: {error}") from error
        except CheckerError as error:
            raise LeftOutError(f"its grader gives no verdict: {error}") from error
        self._check(result, name, generation)
        return result

    def _resumed(self, run_id: str) -> RunResult | None:
        try:
            return self.session.resume(run_id, on_event=self.on_event, cancel=self.cancel)
        except RunNotFoundError:  # it failed before there was anything to go on with
            return None

    def _check(self, result: RunResult, name: str, generation: int) -> None:
        """Refuse a loop that was cut short: what it found is no result of the model."""
        if result.ended_early == TIME_IS_UP:
            limit_s = self.folder.settings.max_seconds
            raise LeftOutError(f"its loop was not through after {limit_s:g} s, which is --max-seconds")
        if not _was_cut_short(result):
            return
        self.folder.forget_loop(name, generation)
        self.session.discard(result.run_id)  # answers to prompts without figures are found again, the others are not
        cap = result.usage.cap if result.usage else ""
        kind = CapReachedError if cap else InterruptedLoopError
        raise kind(f"{name}: the loop ended early: {result.ended_early or 'the model wrote nothing'}.")


def _was_cut_short(result: RunResult) -> bool:
    """Whether rounds are missing although there was something left to propose, as rules and recordings run out of."""
    if result.ended_early == NOTHING_LEFT:
        return not result.candidates and not result.target.source.strip()  # a recording that lacks the problem
    return bool(result.ended_early)


def search_of(settings: EvaluationSettings, generation: int) -> Search:
    """How the loop searches in a generation."""
    return Search(
        objective=settings.objective,
        iterations=settings.iterations,
        candidates=settings.candidates,
        style=SearchStyle.GREEDY,
        temperature=settings.temperature,
        max_seconds=settings.max_seconds,
        seed=settings.seed + SEEDS_APART * generation,
        selection=settings.selection,
    )


def starting_code(problem: BenchmarkProblem, settings: EvaluationSettings) -> str:
    """The code that the loop begins with; empty: the model writes it.

    Raises:
        LeftOutError: the problem has none of the kind.
    """
    if settings.start is Start.NONE:
        return ""
    if settings.start is Start.ORIGINAL:
        code = problem.problem.start or next((each.code for each in problem.references if each.code), "")
        if not code:
            raise LeftOutError(f"{problem.id} has no code of its own and no reference to begin with. {_NEEDS_CODE}")
        return code
    measured = [each for each in problem.measured if each.code]
    if not measured:
        raise LeftOutError(
            f"{problem.id} has no measured reference, so none of them is the {settings.start}est. "
            f"{_other_start(problem, settings)}"
        )
    choose = max if settings.start is Start.SLOW else min
    return choose(measured, key=lambda each: (_figure(each, settings), each.id)).code


def _other_start(problem: BenchmarkProblem, settings: EvaluationSettings) -> str:
    """What may be done where a problem has no measured reference, by what the model and the selection can do."""
    writes = settings.model != RULES and settings.selection is not Selection.VERIFIED
    has_code = problem.problem.start or any(each.code for each in problem.references)
    starts = " or ".join(name for name, can in (("none", writes), ("original", has_code)) if can)
    if not starts:
        return _NEEDS_CODE
    return f"Measure its references with eval build, or begin another run with --start {starts}."


def _figure(reference: Reference, settings: EvaluationSettings) -> float:
    return reference.figures.of(settings.objective) if reference.figures is not None else 0.0


def named_for(problem: BenchmarkProblem, generation: int) -> BenchmarkProblem:
    """The problem as recordings name it: each generation after the first by a name of its own."""
    if not generation:
        return problem
    return replace(problem, problem=replace(problem.problem, name=f"{problem.problem.name}~{generation + 1}"))
