"""A run over many targets as it is kept in the run store, for who goes on with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.inputs.harness_answers import Suite
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.usage import Usage

NAMED = 5  # tests in one sentence


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
            return f"with all offers in place not all tests finished: {after.passed} passed until then"
        if after.passed < before.passed:
            return f"with all offers in place {after.passed} passed, and {before.passed} before"
        if not (before.passed or before.complete):
            return "the time was over before anything passed without the offers, so the tests prove nothing"
        if not before.passed:
            return "nothing passed without the offers either, so the tests prove nothing"
        return ""

    @property
    def green(self) -> bool:
        """Whether something passed before, no test fails that did not, and as many ran to their end."""
        return not self.objection


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one target. `run_id` is that of its run, if one finished; the result is kept with that."""

    decision: str
    reason: str
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class ManyState:
    """What was found out so far. `done` tells of the first of `ranked`."""

    command: tuple[str, ...]  # that was profiled; empty: the pytest tests
    project_root: str
    profiled_s: float
    suite: Suite | None  # how the original does
    ranked: tuple[RankedTarget, ...]
    done: tuple[Done, ...]
    used_s: float  # of the time budget
    usage: Usage | None  # of language models, by all runs
    tests: SuiteCheck | None = None
    tests_note: str = ""
    begun: tuple[tuple[str, float], ...] = ()  # the ids of runs, and what was used of the time budget when they began
    survey_note: str = ""
