"""Ranks candidates cheaply, and decides nothing: a candidate that is not plainly behind is tested.

All candidates are sampled together with one original. After each stage the better half goes on (successive halving,
Karnin et al. 2013), so most samples are spent on those that it is hard to choose between. Where the figures of a
candidate spread so far that a gain is possible, it is sampled again before it is dropped. A rise of wall time counts
only if a second measurement shows it, too. Where nothing but the order of candidates is asked for, one that is plainly
ahead ends the sampling.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison, interval_text, left_behind, not_better_text
from afterburner.agent.judge.measuring.figures import EVEN, PLAIN, figures_for, is_plain
from afterburner.agent.judge.measuring.sampling import ORIGINAL, Block, SampleFailedError, SampleMode
from afterburner.agent.judge.measuring.sequential import bounds
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.sampling import BlockSource

PROMISING_SHARE = 0.5  # of the minimum effect: below it a candidate is not worth a test
MOST_DOUBTS = 2  # stages that a candidate gets because its samples spread too far to rule a gain out
RULED_OUT_ALPHA = 0.02  # one-sided, of ruling out a gain that is there
PLAIN_RISE = 0.5  # of wall time where samples ran at once: those few that ran alone tell no smaller one from noise
STAGE_S = 2.0  # of measuring, unless one round of all that are left takes longer
TOGETHER_S = 1.0  # likewise, where samples run together
MOST_REPEATS = 8
FEWEST_REPEATS = 2  # of a stage
FEWEST_SAMPLES = 2  # of each rewrite in a stage, where samples run together
LONG_ROUND_S = 6.0  # a round that takes this long is made once a stage
TOO_LATE_TO_SCREEN = "the time budget ended before it was measured; --max-seconds allows more"


@dataclass(slots=True)
class Screening:
    """One screening of the rewrites of a source."""

    source: BlockSource
    objective: Objective
    min_effect: float
    seed: int
    deadline: Deadline
    only_ranks: bool = False  # whether nothing is decided by it but who is tested first
    _blocks: dict[int, list[Block]] = field(default_factory=dict)
    _failed: dict[int, Comparison] = field(default_factory=dict)
    _doubts: Counter[int] = field(default_factory=Counter)  # stages of each that its spread alone gave it
    _takes: int = 0
    _sample_s: float = 0.0  # what one takes, of wall time, when it runs alone
    _looked_again: bool = False  # at a single one that is left
    _looked_at_original_again: bool = False  # that had failed

    def run(self) -> list[Comparison]:
        """The result of each rewrite, in their order.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        alive = list(range(len(self.source.rewrites)))
        while alive and not self.deadline.passed():
            alive = self._stage(alive)
            ranked = sorted(alive, key=self._ratio, reverse=True)
            doubtful = [number for number in ranked if self._is_doubtful(number)]
            self._doubts.update(doubtful)
            alive = sorted({*self._better(ranked), *doubtful})
        return [self._told(number) for number in range(len(self.source.rewrites))]

    def _is_doubtful(self, number: int) -> bool:
        """Whether a candidate seems to be no better, and its samples spread too far to rule a gain out."""
        if self._ratio(number) >= self._promising or self._doubts[number] == MOST_DOUBTS:
            return False
        return self._highest(number) > 1 + self.min_effect

    def _better(self, ranked: Sequence[int]) -> list[int]:
        """The candidates to sample further, among those that are not doubtful: the better half.

        Where samples run together, figures are steadier. Then only the promising ones of the better half go on, if
        there are several to choose between. A single one that is promising by little is sampled once again, which is
        cheaper than a test.
        """
        if not ranked or self._highest(ranked[0]) <= 1 or self._is_settled(self._in_front(ranked)):
            return []
        better = list(ranked[: len(ranked) // 2])
        if not self.source.is_together:
            return better
        promising = [number for number in ranked if self._ratio(number) >= self._promising]
        if len(promising) > 1:
            better = [number for number in better if number in promising]
        else:
            in_doubt = promising and self._ratio(promising[0]) < 1 + self.min_effect
            better = promising if in_doubt and not self._looked_again else []
        self._looked_again = len(better) == 1
        return better

    @property
    def _promising(self) -> float:
        return 1 + PROMISING_SHARE * self.min_effect

    def _stage(self, alive: Sequence[int]) -> list[int]:
        """Sample these; give those that did not fail."""
        if self.source.is_together:
            return self._take_together(alive)
        is_first = not self._blocks
        alive, round_s = self._take(alive, 1)
        if is_first and alive:
            self._sample_s = round_s / self.source.only(alive).round_size
            blocks = [self._blocks[number][0] for number in alive]
            # A rewrite that leaves work running would disturb those that it is sampled together with.
            alive = [number for number in alive if left_behind(self._blocks[number]) is None]
            alive = self._leading(alive, round_s)
            if self._is_settled(alive):
                return alive
            self.source, _ = self.source.paced(blocks, brief=self._is_brief(alive))
            if self.source.is_together:
                return alive if self.deadline.passed() else self._take_together(alive)
        fewest = FEWEST_REPEATS * 2 // self.source.per_repeat
        more = min(MOST_REPEATS, max(fewest, int(STAGE_S / max(round_s, 1e-3)))) - 1
        for repeats in (more // 2, more - more // 2):
            if alive and repeats and round_s < LONG_ROUND_S and not self.deadline.passed():
                alive, _ = self._take(alive, min(repeats, self.source.only(alive).most_repeats))
        return alive

    def _leading(self, alive: Sequence[int], round_s: float) -> list[int]:
        """Those that are not plainly behind the best: more samples would not bring the others to the front.

        Candidates that do not look promising are sampled further, because they are not looked at again if the best
        turns out to be wrong. Where a round is long, the time is better spent on confirming the best.
        """
        in_front = self._in_front(alive)
        if not self._is_brief(in_front):
            return list(alive)
        if round_s >= LONG_ROUND_S:
            return in_front
        return [number for number in alive if number in in_front or self._ratio(number) < self._promising]

    def _in_front(self, alive: Sequence[int]) -> list[int]:
        best = max(map(self._ratio, alive), default=0.0)
        return [number for number in alive if self._ratio(number) * PLAIN > best]

    def _is_settled(self, alive: Sequence[int]) -> bool:
        """Whether one is plainly better than the original and than all others that seem promising."""
        return len(alive) == 1 and self._is_brief(alive)

    def _is_brief(self, alive: Sequence[int]) -> bool:
        """Whether few samples tell as much as is asked for; see `is_plain`."""
        blocks = [Block.joined(self._blocks[number]).alone() for number in alive]
        return self.only_ranks and self.objective is Objective.TIME and bool(blocks) and is_plain(blocks)

    def _take_together(self, alive: Sequence[int]) -> list[int]:
        """Sample these together; if one of them fails in that, sample all of them alone."""
        source = self.source.only(alive)
        wanted = int(TOGETHER_S / max(self._sample_s * source.round_size, 1e-3))
        fewest = FEWEST_SAMPLES // source.per_repeat
        still = self._take(alive, min(max(fewest, wanted), MOST_REPEATS, source.most_repeats))[0]
        return still if self.source.is_together else self._stage(still)

    def _take(self, wanted: Sequence[int], repeats: int) -> tuple[list[int], float]:
        """Take so many rounds of samples; give those that did not fail, and the wall time of a round in seconds."""
        alive = [number for number in wanted if number not in self._failed]
        while alive:
            self._takes += 1
            try:
                blocks = self.source.only(alive).take(repeats, self.seed + self._takes, alone=False)
            except SampleFailedError as error:
                if self.source.is_together:  # another one may be the cause; alone it is plain which one fails
                    self._go_apart()
                    repeats = 1
                    continue
                if error.side == ORIGINAL and not self._looked_at_original_again:
                    self._looked_at_original_again = True  # a busy machine may have made it late
                    continue
                at_fault = alive if error.side == ORIGINAL else [alive[error.side - 1]]
                self._failed |= dict.fromkeys(at_fault, Comparison.failed(error, "when measured"))
                alive = [number for number in alive if number not in self._failed]
                continue
            for number, block in zip(alive, blocks, strict=True):
                self._blocks.setdefault(number, []).append(block)
            samples = [*blocks[0].before, *(sample for block in blocks for sample in block.after)]
            return alive, sum(sample.process.wall_time_s for sample in samples) / repeats
        return [], 0.0

    def _go_apart(self) -> None:
        """Sample all of them alone from now on, and drop the samples that ran together: only those would count."""
        self.source = self.source.apart()
        for number, blocks in self._blocks.items():
            alone = [block for block in blocks if all(sample.is_alone for sample in block.before)]
            self._blocks[number] = alone or blocks

    def _ratio(self, number: int) -> float:
        block = Block.joined(self._blocks[number])
        return math.exp(block.log_ratio(figures_for(self.objective, [block]).primary))

    def _highest(self, number: int) -> float:
        """The largest gain that the samples leave possible, by how the pairs of them spread."""
        whole = Block.joined(self._blocks[number])
        figure = figures_for(self.objective, [whole]).primary
        ratios = [pair.log_ratio(figure) for pair in _pairs(whole.together())]
        _, high = bounds(ratios, RULED_OUT_ALPHA)
        if math.isinf(high) and len(ratios) > 1:  # so few that no order of them is unlikely enough
            high = 2 * max(ratios) - min(ratios)
        return math.exp(high)

    def _rises_again(self, number: int) -> bool:
        """Whether samples of this candidate alone show a rise, too: a busy machine may be to blame for the first.

        Where there is no time left for them, or the candidate fails this time, the test has to decide.
        """
        if self.deadline.passed():
            return False
        source = self.source.apart().only([number])
        wanted = int(TOGETHER_S / max(self._sample_s * source.round_size, 1e-3))
        repeats = min(max(FEWEST_REPEATS, wanted), MOST_REPEATS, source.most_repeats)
        self._takes += 1
        try:
            [fresh] = source.take(repeats, self.seed + self._takes, alone=False)
        except SampleFailedError:
            return False
        figures = figures_for(self.objective, [fresh])
        return figures.secondary_ratio([fresh]) * figures.tolerated < 1 - EVEN

    def _told(self, number: int) -> Comparison:
        if number in self._failed:
            return self._failed[number]
        if number not in self._blocks:
            return Comparison(Decision.REFUSED, TOO_LATE_TO_SCREEN)
        blocks = self._blocks[number]
        whole = Block.joined(blocks)
        figures = figures_for(self.objective, [whole])
        parts = blocks if len(blocks) > 1 else _pairs(whole)
        gain = _estimate(blocks, self._ratio(number), [math.exp(block.log_ratio(figures.primary)) for block in parts])
        left = left_behind(blocks)
        if left is not None:
            return Comparison.of_blocks(Decision.REFUSED, left, gain, blocks)
        if gain.ratio < self._promising:
            reason = not_better_text(gain, 1 + self.min_effect)
            return Comparison.of_blocks(Decision.NOT_BETTER, reason, gain, blocks)
        worse = figures.secondary_ratio([whole])
        at_once = any(sample.mode is SampleMode.AT_ONCE for block in blocks for sample in block.before)
        if worse * figures.tolerated < 1 - (PLAIN_RISE if at_once else EVEN) and self._rises_again(number):
            reason = f"{figures.secondary.noun} rose to {format_ratio(1 / worse)}, measured twice"
            return Comparison.of_blocks(Decision.NOT_BETTER, reason, gain, blocks)
        return Comparison.of_blocks(Decision.PROMISING, interval_text(gain), gain, blocks)


def _pairs(block: Block) -> list[Block]:
    """Each sample of the rewrite with one of the original that was taken near it."""
    share = len(block.before) / len(block.after)
    return [Block.of([block.before[int(at * share)]], [after]) for at, after in enumerate(block.after)]


def _estimate(blocks: Sequence[Block], ratio: float, ratios: Sequence[float]) -> Gain:
    """An estimate with the range of the blocks it is from: no interval at any level."""
    return Gain(ratio, min(ratio, *ratios), max(ratio, *ratios), confidence=0.0, pairs=len(blocks))
