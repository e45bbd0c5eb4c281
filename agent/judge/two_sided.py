"""Decides between two versions in both directions: faster, slower, or the same within the minimum effect.

One interval decides: the one of an offer (`measuring.sequential`), looked at as often. Each of its bounds may be wrong
with half the error of an offer, over all looks together. So the interval misses the true ratio with a probability of at
most 1%, and that bounds whatever is read off it: `faster` where it lies above the band of the minimum effect, `slower`
where it lies below, `same` where it lies inside (two one-sided tests of equivalence, Schuirmann 1987).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison, interval_text, left_behind
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.figures import Rise, confirmed_rise, figures_between, gain_of, interval_of
from afterburner.agent.judge.measuring.sequential import ALPHA, plan_two_sided
from afterburner.agent.judge.moved_work import find_moved_work
from afterburner.agent.types import Decision, Gain
from afterburner.agent.wording import format_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.measuring.figures import Figures, FreshBlocks
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.measuring.sequential import Look

BOUND_ALPHA = ALPHA / 2  # of each bound, over all looks


class TwoSidedJudge(Judge):
    """The test of an offer, in both directions.

    Its comparisons say `improved` for faster, `not_better` for slower and the same, which `is_slower` tells apart,
    `too_noisy`, and `refused` where a gate does not believe what the samples show. A loss is judged as the gain that
    BEFORE has over AFTER: by the same gates, on the same samples with the sides exchanged.
    """

    __slots__ = ()

    def looks(self, most_blocks: int, attempt: int) -> tuple[Look, ...]:  # noqa: ARG002 - there is one test
        """When the test may end; see `plan_two_sided`."""
        return plan_two_sided(most_blocks)

    def refusal_at_once(self, first: Sequence[Block]) -> str | None:  # noqa: ARG002 - as the test of an offer has it
        """None: a loss counts, whatever AFTER leaves behind."""
        return None

    def weigh(
        self, blocks: Sequence[Block], look: Look, *, is_last: bool, fresh: FreshBlocks | None = None
    ) -> Comparison | None:
        """What one look at the blocks says; None if there have to be more."""
        figures = figures_between(self.objective, blocks)
        gain = gain_of(blocks, figures.primary, look.alpha, BOUND_ALPHA)
        needed = 1 + self.min_effect
        told = f"{figures.primary.noun} {interval_text(gain)}"
        if gain.low > needed:
            objection = self._doubt(blocks, gain, figures, look, fresh)
            decision = Decision.REFUSED if objection else Decision.IMPROVED
            return Comparison.of_blocks(decision, objection or told, gain, blocks)
        if gain.high < 1 / needed:
            objection = self._doubt(
                _swapped(blocks), _inverse(gain), figures, look, fresh and (lambda: _swapped(fresh()))
            )
            decision = Decision.REFUSED if objection else Decision.NOT_BETTER
            reason = against_before(objection) if objection else told
            return Comparison.of_blocks(decision, reason, gain, blocks)
        if gain.low >= 1 / needed and gain.high <= needed:
            objection = _secondary_loss(blocks, figures, look, needed, fresh) or left_behind(blocks)
            decision = Decision.REFUSED if objection else Decision.NOT_BETTER
            return Comparison.of_blocks(decision, objection or told, gain, blocks)
        if not is_last:
            return None
        ratio, low, high, least, most = format_beside((gain.ratio, gain.low, gain.high), 1 / needed, needed)
        told = f"{figures.primary.noun} {ratio} ({low} to {high}) after {len(blocks)} blocks"
        reason = f"too noisy to tell: {told}, which crosses a limit of {least} to {most}"
        return Comparison.of_blocks(Decision.TOO_NOISY, reason, gain, blocks)

    def is_slower(self, gain: Gain) -> bool:
        """Whether this gain of a comparison that says `not_better` is a loss."""
        return gain.high < 1 / (1 + self.min_effect)

    def _doubt(
        self, blocks: Sequence[Block], gain: Gain, figures: Figures, look: Look, fresh: FreshBlocks | None
    ) -> str | None:
        """What an offer of the second version in place of the first would be refused for."""
        return (
            figures.objection(blocks, look.alpha, fresh)
            or find_moved_work(self.objective, figures.primary, gain, blocks, 1 + self.min_effect)
            or left_behind(blocks)
        )


def against_before(objection: str) -> str:
    """An objection in words, where BEFORE was held against AFTER as a rewrite of it would be."""
    return f"BEFORE looks better than AFTER, but would be refused as a rewrite of AFTER: {objection}"


def _secondary_loss(
    blocks: Sequence[Block], figures: Figures, look: Look, needed: float, fresh: FreshBlocks | None
) -> str | None:
    """What is proven worse although the figure that decides is the same."""

    def proven(seen: Sequence[Block]) -> Rise | None:
        high = interval_of(seen, figures.secondary, look.alpha)[1]
        is_proven = high * figures.tolerated < 1 / needed
        return Rise(1 / figures.secondary_ratio(seen), is_proven=True) if is_proven else None

    words = f"{figures.primary.noun} is the same, but {figures.secondary.noun} rose to"
    return confirmed_rise(proven, words, blocks, fresh)


def _swapped(blocks: Sequence[Block]) -> list[Block]:
    return [block.swapped() for block in blocks]


def _inverse(gain: Gain) -> Gain:
    return Gain(1 / gain.ratio, 1 / gain.high, 1 / gain.low, gain.confidence, gain.pairs)
