"""What a check has found so far, and the minimum effect that follows from it."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.figures import CPU, WALL
from afterburner.agent.judge.min_effect import HIGHEST, LOWEST
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.selfcheck.exact import upper_bound
from afterburner.agent.selfcheck.power import Noise, robust_sd
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.judge.measuring.figures import Figure
    from afterburner.agent.selfcheck.decision import Choice, Test
    from afterburner.agent.types import Machine

FEWEST_BLOCKS = 16  # of a function, below which its noise is not known
_FAILED = frozenset({Decision.WRONG, Decision.REFUSED})  # identical code is neither: the machine was in the way
_STEP = 200  # a minimum effect is a multiple of 1 / 200


@dataclass(slots=True)
class Tried:
    """What was tried with one subject: tests of its own code, byte for byte, and decisions on it in other words."""

    name: str
    call_s: float  # CPU time of a call, the median
    tests: list[Test] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    def log_ratios(self, figure: Figure) -> list[float]:
        """Of the blocks of all tests, those that decisions came to included."""
        blocks = [block for test in self.tests for block in test.comparison.blocks]
        blocks += [block for choice in self.choices if choice.confirmation for block in choice.confirmation.blocks]
        return [block.log_ratio(figure) for block in blocks]

    def noise(self) -> Noise | None:
        """The noise of its CPU time; None while that is not known."""
        values, most = self.log_ratios(CPU), [test.most_blocks for test in self.tests if test.most_blocks]
        if len(values) < FEWEST_BLOCKS or not most:
            return None
        return Noise.of(values, round(statistics.median(most)))


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened that must not, and the upper bound of its rate (95%, one-sided, exact)."""

    hits: int
    trials: int

    @property
    def upper_bound(self) -> float:
        """1.0 if nothing was tried."""
        return upper_bound(self.hits, self.trials) if self.trials else 1.0


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Of one subject: the robust standard deviation of a block's log ratio, and what can be found in that noise.

    `smallest_gain` is the ratio that is found with 95% power at the minimum effect; None, as the others, while too
    little was measured.
    """

    subject: str
    call_s: float
    blocks: int
    cpu_sd: float | None
    wall_sd: float | None
    smallest_gain: float | None


@dataclass(frozen=True, slots=True)
class Known:
    """Real decisions on a gain of known size (a ratio)."""

    subject: str
    gain: float
    found: int
    trials: int


@dataclass(frozen=True, slots=True)
class Findings:
    """All that is known. `min_effect` is None while too little was measured to set one."""

    machine: Machine | None
    floors: tuple[NoiseFloor, ...]
    decided_at: float  # the minimum effect that the decisions were made with
    offered: Rate  # of decisions as a run makes them
    accepted: Rate  # of tests alone, whatever screening saw
    failed: int  # comparisons that came to no end
    known: Known | None
    min_effect: float | None
    elapsed_s: float

    @property
    def false_accepts(self) -> int:
        """How often identical code was accepted, in any way."""
        return self.offered.hits + self.accepted.hits


def offered_rate(tried: Iterable[Tried]) -> Rate:
    """How many decisions on identical code offered it. One in which a candidate was not measured is none."""
    choices = [choice for each in tried for choice in each.choices]
    made = [choice for choice in choices if not any(record.decision in _FAILED for record in choice.screened)]
    return Rate(sum(choice.offered is not None for choice in made), len(made))


def accepted_rate(tried: Iterable[Tried]) -> Rate:
    """How many tests of identical code accepted it, of those that came to an end."""
    tests = [test for each in tried for test in each.tests if test.comparison.decision not in _FAILED]
    return Rate(sum(test.accepted for test in tests), len(tests))


def failures(tried: Sequence[Tried]) -> int:
    """How many comparisons came to no end: the machine was in the way, for identical code is not wrong."""
    decisions = [record.decision for each in tried for choice in each.choices for record in choice.settled]
    decisions += [test.comparison.decision for each in tried for test in each.tests]
    return sum(decision in _FAILED for decision in decisions)


def floor_of(tried: Tried, noise: Noise | None, min_effect: float) -> NoiseFloor:
    """What is known of one subject's noise."""
    cpu, wall = tried.log_ratios(CPU), tried.log_ratios(WALL)
    return NoiseFloor(
        tried.name,
        tried.call_s,
        len(cpu),
        robust_sd(cpu) if cpu else None,
        robust_sd(wall) if wall else None,
        noise.smallest_gain(min_effect) if noise else None,
    )


def suitable_min_effect(tried: Sequence[Tried]) -> float | None:
    """The minimum effect that suits a machine, a multiple of 0.005; None while the noise is not known.

    It is what the test can tell from nothing with 95% power where that is hardest, so that a run does not promise to
    look for gains that it would mostly miss. Where identical code was accepted it is above that gain, and no less than
    the default.
    """
    noises = [each.noise() for each in tried]
    known = [noise.resolution() for noise in noises if noise is not None]
    if not known or len(known) < len(noises):
        return None
    wanted = math.expm1(max(known))
    accepted = [test.comparison.gain for each in tried for test in each.tests if test.accepted]
    offered = [choice.confirmation for each in tried for choice in each.choices if choice.offered is not None]
    accepted += [confirmation.gain for confirmation in offered if confirmation]
    if accepted:
        wanted = max(wanted, DEFAULT_MIN_EFFECT, *(gain.low - 1 for gain in accepted if gain is not None))
    return min(max(math.ceil(round(wanted * _STEP, 6)) / _STEP, LOWEST), HIGHEST)
