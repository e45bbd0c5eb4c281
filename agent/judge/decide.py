"""Decides whether the winner may be offered.

Screening (`screening`) only decides which candidate is tested first. Confirmation is one sequential test of the winner
against the original (`sequential`), on fresh samples; the gain that is announced, and its interval, come from it alone.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison, interval_text, left_behind, not_better_text, too_noisy_text
from afterburner.agent.judge.measuring.figures import (
    WALL,
    figures_for,
    gain_of,
    interval_of,
    is_plain,
    range_by_size,
    worst_input,
)
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.sequential import ALPHA, FIRST_LOOKS, MOST_BLOCKS, MOST_TESTS, plan_looks
from afterburner.agent.judge.moved_work import find_moved_work
from afterburner.agent.judge.screening import Screening
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.figures import FreshBlocks
    from afterburner.agent.judge.measuring.sampling import Block, BlockSource
    from afterburner.agent.judge.measuring.sequential import Look
    from afterburner.agent.types import Gain

FUTILITY_ALPHA = 0.02  # of giving up a candidate that has the minimum effect; it cannot inflate the error
FEWEST_BLOCKS_FOR_LONG = 16  # where one block takes so long that the budget allows fewer
TAKES_OF_SCREENING = 200  # far more than it makes
FIRST_TAKE = MOST_TESTS * TAKES_OF_SCREENING + 1  # screening counts from 0: no two takes of a rewrite have one seed
FRESH_TAKE = FIRST_TAKE + MOST_TESTS * MOST_BLOCKS  # of what is measured again, behind all takes of the tests
CONFIRMATION_S = 40.0  # what a test may take, unless even its fewest blocks take longer; most end far earlier
SECOND_MEASUREMENTS_S = CONFIRMATION_S  # what all of a judge may take together, likewise
FEWEST_FRESH = FIRST_LOOKS[0][0]  # blocks of a second measurement: fewer could prove nothing
TOO_LATE_TO_CONFIRM = "the time budget ended before the winner was confirmed; --max-seconds allows more"


@dataclass(slots=True)
class SecondMeasurements:
    """The second measurements of a judge: they share one count of takes, and one allowance of time."""

    takes: Iterator[int] = field(default_factory=partial(itertools.count, FRESH_TAKE))
    spent_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Judge:
    """One test for every objective: the lower bound of the gain must clear the minimum effect."""

    objective: Objective
    min_effect: float
    seed: int
    _again: SecondMeasurements = field(default_factory=SecondMeasurements, init=False, repr=False, compare=False)

    def screen(
        self, source: BlockSource, deadline: Deadline, *, attempt: int = 0, only_ranks: bool = False
    ) -> list[Comparison]:
        """Rank the rewrites of a source against its original; see `screening`.

        Args:
            source: of one rewrite or several.
            deadline: when to give up.
            attempt: how many screenings of the same candidates came before; each takes other samples.
            only_ranks: whether it only decides who is tested first: then it ends as soon as one is plainly ahead.
        """
        seed = self._seed_of(attempt * TAKES_OF_SCREENING)
        screening = Screening(source, self.objective, self.min_effect, seed, deadline, only_ranks=only_ranks)
        return [self._with_figure(each) for each in screening.run()]

    def confirm(
        self,
        source: BlockSource,
        deadline: Deadline,
        *,
        held_out_from: int,
        attempt: int = 0,
        on_blocks: Callable[[int, int], None] = lambda _taken, _most: None,
        names: Sequence[str] = (),
    ) -> tuple[Comparison, Gain | None]:
        """Test the winner against the original.

        Args:
            source: of one rewrite, with blocks on the selection inputs, followed by the held-out inputs.
            deadline: when to give up.
            held_out_from: index of the first held-out input of the samples.
            attempt: how many tests of this run came before: all of them together keep to one error.
            on_blocks: is told how many blocks have been taken, and of how many at most.
            names: what to call the inputs, in their order; empty: they are not told one by one.

        Returns:
            The comparison over all inputs together, and the gain on the held-out inputs alone.
        """
        blocks: list[Block] = []
        paced = source
        try:
            if deadline.passed():
                return Comparison(Decision.REFUSED, TOO_LATE_TO_CONFIRM), None
            started_s = time.monotonic()
            first = source.take(1, self._seed_of(FIRST_TAKE - 1))
            refusal = self.refusal_at_once(first)
            if refusal is not None:
                return Comparison(Decision.REFUSED, refusal), None
            brief = self.objective is Objective.TIME and is_plain(
                first, 1 + self.min_effect, held_out_from=held_out_from
            )
            paced, repeats, block_s = _shape(source, first, time.monotonic() - started_s, brief=brief)
            looks = self.looks(_affordable_blocks(block_s), attempt)
            takes = itertools.count(FIRST_TAKE)
            for look in looks:
                while len(blocks) < look.blocks:
                    if deadline.passed():
                        return Comparison(Decision.REFUSED, TOO_LATE_TO_CONFIRM, blocks=tuple(blocks)), None
                    blocks += paced.take(repeats, self._seed_of(next(takes)))
                    on_blocks(len(blocks), looks[-1].blocks)
                fresh = partial(self.fresh_blocks, source, len(blocks), deadline)
                comparison = self.weigh(blocks, look, is_last=look is looks[-1], fresh=fresh)
                if comparison is not None:
                    return self._with_held_out(comparison, blocks, held_out_from, look, names)
        except SampleFailedError as error:
            # Some programs fail beside others. Alone it is plain which one does; before a look nothing has been tested.
            if paced.is_together and len(blocks) < FIRST_LOOKS[0][0]:
                return self.confirm(
                    source.apart(),
                    deadline,
                    held_out_from=held_out_from,
                    attempt=attempt,
                    on_blocks=on_blocks,
                    names=names,
                )
            return Comparison.failed(error, "when confirmed"), None
        raise AssertionError  # the last look decides

    def looks(self, most_blocks: int, attempt: int) -> tuple[Look, ...]:
        """When the test may end; see `plan_looks`."""
        return plan_looks(most_blocks, attempt)

    def refusal_at_once(self, first: Sequence[Block]) -> str | None:
        """Why a rewrite is refused after its first block, whatever the test would show; None if it is not."""
        return left_behind(first)

    def fresh_blocks(self, source: BlockSource, wanted: int, deadline: Deadline) -> list[Block]:
        """Blocks of a second measurement, which take no part in a test: as many as are wanted, or as there is time for.

        None where there is no time for `FEWEST_FRESH`.

        Raises:
            SampleFailedError: a program behaves differently this time.
        """
        started_s = time.monotonic()
        allowed = deadline.within(SECOND_MEASUREMENTS_S - self._again.spent_s)
        try:
            return self._taken_again(source, wanted, deadline, allowed)
        finally:
            self._again.spent_s += time.monotonic() - started_s

    def _taken_again(self, source: BlockSource, wanted: int, deadline: Deadline, allowed: Deadline) -> list[Block]:
        """Take the fewest whatever they take, more of them until `allowed`, and nothing after the deadline."""
        if deadline.passed():
            return []
        fewest = min(wanted, FEWEST_FRESH)
        paced, repeats = source.paced(source.take(1, self._seed_of(next(self._again.takes))))
        blocks: list[Block] = []
        while len(blocks) < (fewest if allowed.passed() else wanted) and not deadline.passed():
            blocks += paced.take(repeats, self._seed_of(next(self._again.takes)))
        return blocks if len(blocks) >= fewest else []

    def weigh(
        self, blocks: Sequence[Block], look: Look, *, is_last: bool, fresh: FreshBlocks | None = None
    ) -> Comparison | None:
        """What one look at the blocks says; None if there have to be more.

        Args:
            blocks: all so far.
            look: the moment, and its level.
            is_last: whether there are no more.
            fresh: takes the blocks of a second measurement, before a rise of the other figure stands against the gain.
        """
        figures = figures_for(self.objective, blocks)
        gain = gain_of(blocks, figures.primary, look.alpha, ALPHA)
        needed = 1 + self.min_effect
        if gain.low > needed:
            objection = figures.objection(blocks, look.alpha, fresh)
            if objection is not None:
                return Comparison.of_blocks(Decision.NOT_BETTER, objection, gain, blocks)
            trick = find_moved_work(self.objective, figures.primary, gain, blocks, needed) or left_behind(blocks)
            if trick is not None:
                return Comparison.of_blocks(Decision.REFUSED, trick, gain, blocks)
            return Comparison.of_blocks(Decision.IMPROVED, interval_text(gain), gain, blocks)
        _, high = interval_of(blocks, figures.primary, FUTILITY_ALPHA)
        if high <= needed or (is_last and gain.ratio <= needed):
            return Comparison.of_blocks(Decision.NOT_BETTER, not_better_text(gain, needed), gain, blocks)
        if is_last:
            reason = too_noisy_text(gain, needed, blocks)
            return Comparison.of_blocks(Decision.TOO_NOISY, reason, gain, blocks)
        return None

    def objection(self, blocks: Sequence[Block], held_out: Gain | None, fresh: FreshBlocks) -> str | None:
        """What stands against an offer, whatever has shown its gain, by the samples of a test that has ended.

        A rise of the other figure is measured again before it does.
        """
        figures = figures_for(self.objective, blocks)
        if held_out is not None and held_out.high < 1:
            return f"{figures.primary.noun} is {format_ratio(held_out.ratio)} on held-out inputs"
        return figures.objection(blocks, ALPHA, fresh) or left_behind(blocks)

    def _with_held_out(
        self,
        comparison: Comparison,
        blocks: Sequence[Block],
        held_out_from: int,
        look: Look,
        names: Sequence[str],
    ) -> tuple[Comparison, Gain | None]:
        primary = figures_for(self.objective, blocks).primary
        held_out = gain_of(blocks, primary.of_inputs(held_out_from), look.alpha, ALPHA)
        if comparison.decision is Decision.IMPROVED and held_out.high < 1:
            reason = f"better on the inputs it was selected on, but {format_ratio(held_out.ratio)} on held-out inputs"
            if names:
                reason += f", the least on {names[worst_input(blocks, primary, held_out_from)]}"
            comparison = replace(comparison, decision=Decision.NOT_BETTER, reason=reason)
        if self.objective is Objective.TIME:
            comparison = replace(comparison, by_size=range_by_size(blocks, primary))
        return self._with_figure(comparison), held_out

    def _with_figure(self, comparison: Comparison) -> Comparison:
        """The same with the name of the figure that its gain is of, where that is wall time."""
        if comparison.gain is None or figures_for(self.objective, comparison.blocks).primary is not WALL:
            return comparison
        return replace(comparison, figure=WALL.noun)

    def _seed_of(self, number: int) -> int:
        return self.seed * 1_000_003 + number


def _shape(
    source: BlockSource, first: Sequence[Block], first_s: float, *, brief: bool
) -> tuple[BlockSource, int, float]:
    """How blocks are taken, with how many repeats, and what one takes then, in seconds of wall time.

    From a block that is no part of the test, for the plan of the test depends on it.

    Args:
        source: of the first block.
        first: that block.
        first_s: what it took, with the start of the template.
        brief: whether blocks are to be brief; see `BlockSource`.
    """
    samples = [sample for block in first for sample in (*block.before, *block.after)]
    alone_s = min(sum(sample.process.wall_time_s for sample in samples), first_s)
    paced, repeats = source.paced(first, brief=brief)
    per_side = (repeats + paced.is_together) * paced.per_repeat  # those that run alone included
    return paced, repeats, first_s + (per_side / source.per_repeat - 1) * alone_s


def _affordable_blocks(block_s: float) -> int:
    """How many blocks the confirmation may take at most; decided before the first one counts."""
    return min(max(int(CONFIRMATION_S / max(block_s, 1e-3)), FEWEST_BLOCKS_FOR_LONG), MOST_BLOCKS)
