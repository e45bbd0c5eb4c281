"""Works through the best targets with one budget: each gets a share of the time, and the next what it leaves."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.many.merge import Merged, merge_offers
from afterburner.agent.many.rank import rank
from afterburner.agent.many.survey import check_tests, take_survey
from afterburner.agent.proposers.base import ProposalRequest
from afterburner.agent.targets.locate import find_target
from afterburner.agent.types import ProgressEvent
from afterburner.sandbox import AfterburnerError, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.many.rank import RankedTarget
    from afterburner.agent.many.survey import Survey
    from afterburner.agent.proposers.asking.session import Asking
    from afterburner.agent.proposers.asking.usage import Usage
    from afterburner.agent.proposers.base import Proposer
    from afterburner.agent.types import RunResult, RunSettings
    from afterburner.agent.workloads.answers import Suite
    from afterburner.sandbox.sandbox import Sandbox

SURVEY_SHARE = 0.25  # of the time budget, for the profile
SHORTEST_SURVEY_S, LONGEST_SURVEY_S = 10.0, 120.0
LEAST_SHARE_S = 45.0  # for one target: with less hardly anything can be confirmed
LEAST_SHARE = 0.5  # of the time budget, where that is small
CHECK_FACTOR = 2.0  # of the time that the profile was allowed
NAMED = 5  # tests in one sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one target.

    `decision` is `improved`, `no_improvement`, `nothing_to_propose`, `failed`, `interrupted` or `not_reached`.
    `settings` and `result` are there if a run finished.
    """

    target: RankedTarget
    decision: str
    reason: str
    settings: RunSettings | None = None
    result: RunResult | None = None


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """The project's tests with all offers in place, against those of the original."""

    before: Suite
    after: Suite

    @property
    def broken(self) -> tuple[str, ...]:
        """Tests that fail with the offers in place and did not before."""
        return tuple(sorted(set(self.after.failing) - set(self.before.failing)))

    @property
    def objection(self) -> str:
        """Why they vouch for nothing; empty if all that passed before still pass, and there are such."""
        before, after = self.before, self.after
        if self.broken:
            more = f" and {len(self.broken) - NAMED} more" if len(self.broken) > NAMED else ""
            return f"with all offers in place {', '.join(self.broken[:NAMED])}{more} failed, and passed before"
        if not after.complete:
            return f"with all offers in place not everything ran to its end: {after.passed} passed until then"
        if after.passed < before.passed:
            return f"with all offers in place {after.passed} passed, and {before.passed} before"
        if not before.passed:
            return "nothing passed without the offers either, so nothing vouches for them"
        return ""

    @property
    def green(self) -> bool:
        """Whether something passed before, no test fails that did not, and as many ran to their end."""
        return not self.objection


@dataclass(slots=True)
class ManyResult:
    """What was found so far; still right if the work is cut off at any moment."""

    place: Path
    settings: RunSettings
    top: int
    survey: Survey | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    merged: Merged = field(default_factory=Merged)
    tests: SuiteCheck | None = None
    tests_note: str = ""
    usage: Usage | None = None  # of language models, by all runs
    interrupted: bool = False

    @property
    def found(self) -> list[Outcome]:
        """The improvements, in the order of their rank."""
        return [outcome for outcome in self.outcomes if outcome.decision == "improved"]

    @property
    def objection(self) -> str:
        """Why nothing of it may be written: the tests with all offers in place are not known to be as before."""
        if self.tests is None:
            return self.tests_note or "the tests were not run with all offers in place"
        return self.tests.objection


def work_through(
    many: ManyResult, on_event: Callable[[ProgressEvent], None], offered: Callable[[RunResult, RunSettings], bool]
) -> None:
    """Fill in `many`. An interrupt ends the work; `many` then holds what was done, and says so.

    Args:
        many: the place, the settings of all runs, and where the results go. `settings.max_seconds` is for everything.
        on_event: is told of progress.
        offered: whether an improvement may be written.

    Raises:
        AfterburnerError: there is nothing to rank, no model, or no sandbox. What fails for one target is its outcome.
    """
    try:
        _work_through(many, on_event, offered)
    except KeyboardInterrupt:
        many.interrupted = True
        many.merged = merge_offers(_offers(many, offered))


def _work_through(
    many: ManyResult, on_event: Callable[[ProgressEvent], None], offered: Callable[[RunResult, RunSettings], bool]
) -> None:
    from afterburner.agent.proposers.asking.session import asking_for  # noqa: PLC0415 - lazy, as below
    from afterburner.agent.run import open_proposer_of  # noqa: PLC0415
    from afterburner.agent.store import new_run_id  # noqa: PLC0415
    from afterburner.sandbox import open_sandbox  # noqa: PLC0415

    settings = many.settings
    deadline = Deadline.after(settings.max_seconds)
    survey_s = min(max(SURVEY_SHARE * settings.max_seconds, SHORTEST_SURVEY_S), LONGEST_SURVEY_S)
    # What all runs share: what models may cost altogether, and how answers are kept.
    with asking_for(settings, new_run_id(), deadline, on_event) as asking:
        proposer = open_proposer_of(settings, asking)
        with open_sandbox("auto") as sandbox:
            on_event(ProgressEvent("prepare", "profiling " + _spoken(settings)))
            many.survey = survey = take_survey(sandbox, many.place, settings, survey_s)
        settings = many.settings = replace(settings, command=survey.command)
        ranked = list(rank(survey))
        try:
            _work(many, ranked, _Worker(settings, proposer, asking, on_event), deadline)
        finally:
            many.usage = asking.usage()
    many.merged = merge_offers(_offers(many, offered))
    if many.merged.texts:
        with open_sandbox("auto") as sandbox:
            on_event(ProgressEvent("confirm", "running " + _spoken(settings) + " with all offers in place"))
            check_offers(many, sandbox, CHECK_FACTOR * survey_s)


def _work(many: ManyResult, ranked: Sequence[RankedTarget], worker: _Worker, deadline: Deadline) -> None:
    tried = 0
    for target in ranked:
        if tried == many.top:
            break
        share_s = share_of(deadline.left_s(), many.top - tried, many.settings.max_seconds)
        if share_s is None:
            many.outcomes.append(Outcome(target, "not_reached", "the time was over before its turn"))
            tried += 1
            continue
        if worker.has_nothing_for(target):
            many.outcomes.append(Outcome(target, "nothing_to_propose", "no rule fits it"))
            continue
        tried += 1
        try:
            many.outcomes.append(worker.optimise(target, tried, many.top, share_s))
        except KeyboardInterrupt:
            many.outcomes.append(Outcome(target, "interrupted", "the run was interrupted"))
            raise


def share_of(left_s: float, turns: int, max_seconds: float) -> float | None:
    """The time of the next of so many targets: an equal share of what is left, and not too little to confirm anything.

    None: not even that is left. A whole budget that is small gives at least its half.
    """
    least_s = min(LEAST_SHARE_S, LEAST_SHARE * max_seconds)
    return None if left_s < least_s else max(left_s / turns, least_s)


@dataclass(frozen=True, slots=True)
class _Worker:
    """Carries out the run of one target after the other."""

    settings: RunSettings
    proposer: Proposer  # of all runs: some take minutes to load
    asking: Asking
    on_event: Callable[[ProgressEvent], None]

    def has_nothing_for(self, target: RankedTarget) -> bool:
        """Whether it is known without measuring that nothing will be proposed; only rules can tell for free."""
        if self.settings.model != "rules":
            return False
        try:
            found = find_target(target.path, target.function)
            unknown = Measurement(0.0, 0.0, 0, 0.0)
            request = ProposalRequest(found, self.settings.objective, unknown, passed=True, iteration=1, count=1)
            return not any(proposal.rewrite is not None for proposal in self.proposer.propose(request))
        except AfterburnerError:
            return False  # its run will say what is wrong

    def optimise(self, target: RankedTarget, number: int, of: int, share_s: float) -> Outcome:
        """One run. Whatever goes wrong in it, the next target has its turn."""
        from afterburner.agent.run import Member, run_settings  # noqa: PLC0415 - imports langgraph
        from afterburner.agent.store import new_run_id  # noqa: PLC0415 - likewise

        settings = replace(
            self.settings,
            file=target.path,
            function=target.function,
            max_seconds=share_s,
            test_files=target.test_files or None,
        )

        def tell(event: ProgressEvent) -> None:
            self.on_event(replace(event, message=f"[{number} of {of}] {target.function}: {event.message}"))

        try:
            result = run_settings(settings, tell, member=Member(new_run_id(), self.asking, self.proposer))
        except AfterburnerError as error:
            return Outcome(target, "failed", str(error))
        except BrokenPipeError:
            raise  # nobody reads the progress any more
        except Exception as error:  # noqa: BLE001 - a bug met on one target must not cost what was found on the others
            last = traceback.format_exception_only(error)[-1].strip()
            return Outcome(target, "failed", f"unexpected {last}; this is a bug")
        result = replace(result, usage=None)  # it counts from the first run on: told once, of all of them
        return Outcome(target, "improved" if result.improved else "no_improvement", _reason(result), settings, result)


def _reason(result: RunResult) -> str:
    """The summary; and why the candidates were refused, where that is the same for all of them."""
    reasons = {candidate.reason for candidate in result.candidates}
    if result.improved or len(reasons) != 1 or next(iter(reasons)) in result.summary:
        return result.summary
    return f"{result.summary}: {next(iter(reasons))}"


def _offers(many: ManyResult, offered: Callable[[RunResult, RunSettings], bool]) -> Iterator[RunResult]:
    for outcome in many.found:
        if outcome.result is not None and outcome.settings is not None and offered(outcome.result, outcome.settings):
            yield outcome.result


def check_offers(many: ManyResult, sandbox: Sandbox, limit_s: float) -> None:
    """Run the tests with all offers in place; that it cannot be done is told, and is no reason to lose the offers."""
    before = many.survey.suite if many.survey is not None else None
    if before is None:
        many.tests_note = "the tests were not checked: how the original does on them is not known"
        return
    texts = {Path(path): text for path, text in many.merged.texts.items()}
    try:
        after = check_tests(sandbox, many.place, many.settings, limit_s, texts)
    except AfterburnerError as error:
        many.tests_note = f"the tests could not be run with the offers in place: {error}"
        return
    if after is None:
        many.tests_note = "the tests did not come to their end with the offers in place"
        return
    many.tests = SuiteCheck(before, after)


def _spoken(settings: RunSettings) -> str:
    return "python " + " ".join(settings.command) if settings.command else "the project's tests"
