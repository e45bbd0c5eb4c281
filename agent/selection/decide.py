"""Decides whether a candidate is worth a test, and whether the winner may be offered.

Screening ranks: a few blocks against the incumbent, and an estimate that decides nothing but who is tried first.
Confirmation is one sequential test of the winner against the original (`sequential`), on fresh samples; the gain that
is announced, and its interval, come from it alone.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.selection.gates import judge_complaints
from afterburner.agent.selection.moved import find_moved_work
from afterburner.agent.selection.policy import Figures, figures_for, gain_of, interval_of
from afterburner.agent.selection.sampling import ORIGINAL, SampleFailedError
from afterburner.agent.selection.sequential import ALPHA, MOST_BLOCKS, plan_looks
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.selection.sampling import Block, BlockSource
    from afterburner.agent.selection.sequential import Look
    from afterburner.agent.types import Gain, Objective
    from afterburner.sandbox import Measurement, Verdict

SCREENING_BLOCKS = 3
PROMISING_SHARE = 0.5  # of the minimum effect: below it a candidate is not worth a test
FUTILITY_ALPHA = 0.02  # of giving up a candidate that has the minimum effect; it cannot inflate the error
FEWEST_BLOCKS_FOR_LONG = 16  # where one block takes so long that the budget allows fewer
FIRST_TAKE = 1000  # screening counts from 0: no two takes of a run have the same seed
CONFIRMATION_S = 12.0  # what a confirmation may take, unless even its fewest blocks take longer
TOO_LATE_TO_SCREEN = "the time budget ended before it was measured; --max-seconds allows more"
TOO_LATE_TO_CONFIRM = "the time budget ended before the winner was confirmed; --max-seconds allows more"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate against the incumbent: ratio, interval, decision, reason."""

    decision: Decision
    reason: str
    gain: Gain | None = None
    before: Measurement | None = None
    after: Measurement | None = None
    verdict: Verdict | None = None  # of the candidate's timed run, if that failed
    blocks: tuple[Block, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Judge:
    """One test for every objective: the lower bound of the gain must clear the minimum effect."""

    objective: Objective
    min_effect: float
    seed: int

    def screen(self, source: BlockSource, deadline: Deadline) -> Comparison:
        """Rank a candidate against the incumbent; stop early where it is plainly no better."""
        blocks: list[Block] = []
        try:
            for number in range(SCREENING_BLOCKS):
                if deadline.passed():
                    return Comparison(Decision.REFUSED, TOO_LATE_TO_SCREEN)
                blocks += source.take(1, self._seed_of(number))
                if number and self._is_hopeless(blocks):
                    break
        except SampleFailedError as error:
            return _failed(error, "when measured")
        figures = figures_for(self.objective, blocks)
        alpha = 0.5 ** len(blocks)  # the interval reaches from the smallest to the largest block
        gain = gain_of(blocks, figures.primary, alpha, alpha)
        left = _left_behind(blocks)
        if left is not None:
            return self._comparison(Decision.REFUSED, left, gain, blocks)
        return self._comparison(*self._rank(blocks, gain, figures), gain, blocks)

    def confirm(
        self,
        source: BlockSource,
        deadline: Deadline,
        *,
        held_out_from: int,
        on_blocks: Callable[[int, int], None] = lambda _taken, _most: None,
    ) -> tuple[Comparison, Gain | None]:
        """Test the winner against the original.

        Args:
            source: of blocks on the selection inputs, followed by the held-out inputs.
            deadline: when to give up.
            held_out_from: index of the first held-out input of the samples.
            on_blocks: is told how many blocks have been taken, and of how many at most.

        Returns:
            The comparison over all inputs together, and the gain on the held-out inputs alone.
        """
        blocks: list[Block] = []
        try:
            if deadline.passed():
                return Comparison(Decision.REFUSED, TOO_LATE_TO_CONFIRM), None
            batch, block_s = self._cost(source)
            looks = plan_looks(_affordable_blocks(block_s))
            takes = itertools.count(FIRST_TAKE)
            for look in looks:
                while len(blocks) < look.blocks:
                    if deadline.passed():
                        return Comparison(Decision.REFUSED, TOO_LATE_TO_CONFIRM, blocks=tuple(blocks)), None
                    wanted = min(batch, look.blocks - len(blocks))
                    blocks += source.take(wanted, self._seed_of(next(takes)))
                    on_blocks(len(blocks), looks[-1].blocks)
                comparison = self.weigh(blocks, look, is_last=look is looks[-1])
                if comparison is not None:
                    return self._with_held_out(comparison, blocks, held_out_from, look)
        except SampleFailedError as error:
            return _failed(error, "when confirmed"), None
        raise AssertionError  # the last look decides

    def weigh(self, blocks: Sequence[Block], look: Look, *, is_last: bool) -> Comparison | None:
        """What one look at the blocks says; None if there have to be more."""
        figures = figures_for(self.objective, blocks)
        gain = gain_of(blocks, figures.primary, look.alpha, ALPHA)
        needed = 1 + self.min_effect
        if gain.low > needed:
            objection = figures.objection(blocks, look.alpha)
            if objection is not None:
                return self._comparison(Decision.NOT_BETTER, objection, gain, blocks)
            trick = find_moved_work(self.objective, gain, blocks) or _left_behind(blocks)
            if trick is not None:
                return self._comparison(Decision.REFUSED, trick, gain, blocks)
            return self._comparison(Decision.IMPROVED, _interval_text(gain), gain, blocks)
        _, high = interval_of(blocks, figures.primary, FUTILITY_ALPHA)
        if high <= needed or (is_last and gain.ratio <= needed):
            return self._comparison(Decision.NOT_BETTER, self._not_better(gain), gain, blocks)
        if is_last:
            reason = (
                f"too noisy to tell: {_interval_text(gain)} after {len(blocks)} blocks, needed above "
                f"{format_ratio(needed)}"
            )
            return self._comparison(Decision.TOO_NOISY, reason, gain, blocks)
        return None

    def _cost(self, source: BlockSource) -> tuple[int, float]:
        """How many blocks to take at a time, and what one costs then, in seconds of wall time.

        From a block that is no part of the test, for the plan of the test depends on it.
        """
        started_s = time.monotonic()
        [block] = source.take(1, self._seed_of(FIRST_TAKE - 1))
        whole_s = time.monotonic() - started_s
        samples = (*block.before, *block.after)
        alone_s = min(sum(sample.process.wall_time_s for sample in samples), whole_s)
        batch = source.blocks_at_a_time(alone_s / len(samples))
        return batch, alone_s + (whole_s - alone_s) / batch

    def _with_held_out(
        self, comparison: Comparison, blocks: Sequence[Block], held_out_from: int, look: Look
    ) -> tuple[Comparison, Gain | None]:
        primary = figures_for(self.objective, blocks).primary
        held_out = gain_of(blocks, primary.of_inputs(held_out_from), look.alpha, ALPHA)
        if comparison.decision is Decision.IMPROVED and held_out.high < 1:
            reason = f"better on the inputs it was selected on, but {format_ratio(held_out.ratio)} on held-out inputs"
            comparison = Comparison(
                Decision.NOT_BETTER, reason, comparison.gain, comparison.before, comparison.after, blocks=tuple(blocks)
            )
        return comparison, held_out

    def _rank(self, blocks: Sequence[Block], gain: Gain, figures: Figures) -> tuple[Decision, str]:
        if gain.ratio < 1 + PROMISING_SHARE * self.min_effect:
            return Decision.NOT_BETTER, self._not_better(gain)
        worse = figures.secondary_ratio(blocks)
        if worse * figures.tolerated < 1:
            return Decision.NOT_BETTER, f"{figures.secondary.noun} rose to {format_ratio(1 / worse)}"
        return Decision.PROMISING, _interval_text(gain)

    def _is_hopeless(self, blocks: Sequence[Block]) -> bool:
        primary = figures_for(self.objective, blocks).primary
        return all(block.log_ratio(primary) < math.log1p(PROMISING_SHARE * self.min_effect) for block in blocks)

    def _not_better(self, gain: Gain) -> str:
        if gain.high < 1:
            return f"worse: {_interval_text(gain)}"
        return (
            f"no proven gain: {format_ratio(gain.ratio)}, lower bound {format_ratio(gain.low)}, "
            f"needed above {format_ratio(1 + self.min_effect)}"
        )

    def _comparison(self, decision: Decision, reason: str, gain: Gain, blocks: Sequence[Block]) -> Comparison:
        before = median_measurement([sample.work for block in blocks for sample in block.before])
        after = median_measurement([sample.work for block in blocks for sample in block.after])
        return Comparison(decision, reason, gain, before, after, blocks=tuple(blocks))

    def _seed_of(self, number: int) -> int:
        return self.seed * 1_000_003 + number


def _affordable_blocks(block_s: float) -> int:
    """How many blocks the confirmation may take at most; decided before the first one counts."""
    return min(max(int(CONFIRMATION_S / max(block_s, 1e-3)), FEWEST_BLOCKS_FOR_LONG), MOST_BLOCKS)


def _left_behind(blocks: Sequence[Block]) -> str | None:
    """What the rewrite leaves changed or running that the original never does."""
    before = dict.fromkeys(complaint for block in blocks for sample in block.before for complaint in sample.complaints)
    after = dict.fromkeys(complaint for block in blocks for sample in block.after for complaint in sample.complaints)
    return judge_complaints(list(before), list(after))


def _failed(error: SampleFailedError, when: str) -> Comparison:
    if error.side == ORIGINAL:
        reason = f"{when}, the original did not do the same again beside it: {error.detail}"
        return Comparison(Decision.REFUSED, reason)
    return Comparison(Decision.WRONG, f"{when}: {error.detail}", verdict=error.verdict)


def median_measurement(measurements: Sequence[Measurement]) -> Measurement:
    """The median of each figure by itself."""
    first = measurements[0]
    return type(first)(
        wall_time_s=statistics.median(m.wall_time_s for m in measurements),
        cpu_time_s=statistics.median(m.cpu_time_s for m in measurements),
        peak_memory_kib=round(statistics.median(m.peak_memory_kib for m in measurements)),
        memory_integral_kib_s=statistics.median(m.memory_integral_kib_s for m in measurements),
        samples=round(statistics.median(m.samples for m in measurements)),
        sampling_interval_s=first.sampling_interval_s,
        tier=first.tier,
    )


def _interval_text(gain: Gain) -> str:
    return f"{format_ratio(gain.ratio)} ({format_ratio(gain.low)} to {format_ratio(gain.high)})"
