"""What came of a run over many targets, as it is told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.merge import Merged, merge_offers
from afterburner.agent.store.batch_state import Done, ManyState

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.inputs.harness_answers import Suite
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.batch_state import SuiteCheck
    from afterburner.agent.store.stored_run import KeptRun
    from afterburner.agent.store.table import RunTable
    from afterburner.agent.usage import Usage

    Offered = Callable[[RunResult, RunSettings], bool]

NOTHING_TO_PROPOSE = "nothing_to_propose"  # no rule fits the target
TOO_LITTLE_TIME = "too little time was left for it"  # why a target was not reached
NO_WORKLOAD = "no_workload"  # the target has no inputs that a rewrite could be judged on, or too few


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one target.

    `decision` is `improved`, `conditional`, `no_improvement`, `nothing_to_propose`, `no_workload`, `failed`,
    `interrupted` or `not_reached`.
    `settings` and `result` are there if a run finished.
    """

    target: RankedTarget
    decision: str
    reason: str
    settings: RunSettings | None = None
    result: RunResult | None = None


def is_tried(outcome: Outcome) -> bool:
    """Whether the target counts towards `top`."""
    return outcome.decision not in {NOTHING_TO_PROPOSE, NO_WORKLOAD}


@dataclass(slots=True)
class ManyResult:
    """What was found so far; still right if the work is cut off at any moment."""

    place: Path
    settings: RunSettings  # `top` is how many targets were asked for
    run_id: str
    only: Callable[[RankedTarget], bool] | None = None  # which of the ranked functions count; None: all
    profiled_s: float | None = None  # None: nothing was profiled yet
    suite: Suite | None = None  # how the original does
    survey_note: str = ""  # what to tell of the profile; empty: something passed
    python_without_pytest: str = ""  # see `Survey`
    ranked: tuple[RankedTarget, ...] = ()
    outcomes: list[Outcome] = field(default_factory=list)
    merged: Merged = field(default_factory=Merged)
    tests: SuiteCheck | None = None
    tests_note: str = ""
    usage: Usage | None = None  # of language models, by all runs
    used_s: float = 0.0  # of the time budget, before this process
    begun: dict[str, float] = field(default_factory=dict)  # what was used of it when each run began, by the run's id
    interrupted: bool = False

    @property
    def found(self) -> list[Outcome]:
        """The improvements, in the order of their rank."""
        return [outcome for outcome in self.outcomes if outcome.decision == "improved"]

    @property
    def decision(self) -> str:
        """What came of it as a whole: improved if one target is, else conditional if one is the same on a condition."""
        known = {outcome.decision for outcome in self.outcomes}
        return next((each for each in ("improved", "conditional") if each in known), "no_improvement")

    @property
    def turns(self) -> int:
        """How many targets have had their turn."""
        return sum(outcome.decision != NOTHING_TO_PROPOSE for outcome in self.outcomes)

    @property
    def tried(self) -> int:
        """How many targets count towards `top`."""
        return sum(map(is_tried, self.outcomes))

    @property
    def objection(self) -> str:
        """Why nothing of it may be written: the tests with all offers in place are not known to be as before."""
        if self.tests is None:
            return self.tests_note or "the tests were not run with all offers in place"
        return self.tests.objection

    def used_s_with(self, used_by: Callable[[str], float]) -> float:
        """Of the time budget, before this process; with what runs used after it was last kept, by their ids."""
        known = {each.result.run_id for each in self.outcomes if each.result is not None}
        return max(
            [self.used_s, *(at_s + used_by(run_id) for run_id, at_s in self.begun.items() if run_id not in known)]
        )

    def merge(self, offered: Offered) -> None:
        """Put together what may be written."""
        found = ((outcome.result, outcome.settings) for outcome in self.found)
        self.merged = merge_offers(result for result, own in found if result and own and offered(result, own))

    def state(self, used_s: float) -> ManyState:
        """What is kept of it, with so much of the time budget used up."""
        done = [
            Done(each.decision, each.reason, each.result.run_id if each.result is not None else "")
            for each in self.outcomes
        ]
        return ManyState(
            command=self.settings.batch.command,
            project_root=self.settings.batch.project_root,
            profiled_s=self.profiled_s or 0.0,
            suite=self.suite,
            ranked=self.ranked,
            done=tuple(done),
            used_s=used_s,
            begun=tuple(self.begun.items()),
            usage=self.usage,
            tests=self.tests,
            tests_note=self.tests_note,
            survey_note=self.survey_note,
        )


def restored(runs: RunTable, run: KeptRun, offered: Offered) -> ManyResult:
    """What is kept of a run over many targets.

    Raises:
        RunStoreError: it cannot be read.
    """
    here = Path.cwd()
    settings = runs.asked(run.run_id).settings_from(here)
    many = ManyResult(Path(run.file), settings, run.run_id)
    state = runs.many(run.run_id)
    if state is None:
        return many
    many.settings = replace(
        settings, batch=replace(settings.batch, command=state.command, project_root=state.project_root)
    )
    many.profiled_s, many.suite, many.ranked = state.profiled_s, state.suite, state.ranked
    many.tests, many.tests_note, many.survey_note = state.tests, state.tests_note, state.survey_note
    many.usage, many.used_s, many.begun = state.usage, state.used_s, dict(state.begun)
    for target, done in zip(state.ranked, state.done, strict=False):
        own = runs.asked(done.run_id).settings_from(here) if done.run_id else None
        result = runs.result(done.run_id) if done.run_id else None
        many.outcomes.append(Outcome(target, done.decision, done.reason, own, result))
    many.merge(offered)
    return many
