"""Which figure decides, and which other one may not get worse for it.

CPU time is primary and wall time beside it. Wall time decides where the original mostly waits: there CPU time does not
say how long a person waits. It also decides where a rewrite starts threads or processes, or keeps several cores busy:
the CPU time of a process that its parent does not wait for is in nobody's account.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sampling import Block, add_up
from afterburner.agent.judge.measuring.sequential import bounds, estimate
from afterburner.agent.types import Gain, GainRange, Objective
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from afterburner.agent.judge.measuring.sampling import Sample
    from afterburner.sandbox import Measurement

    FreshBlocks: TypeAlias = Callable[[], Sequence[Block]]  # none where there is no time left
    FindRise: TypeAlias = Callable[[Sequence[Block]], "Rise | None"]

WAITS_BELOW = 0.8  # CPU time over wall time of the calls
PARALLEL_ABOVE = 1.2  # likewise: more than one core was busy
SLOWDOWN_FOR_MEMORY = 1.5  # memory may cost this much CPU time and no more
DIFFERENT_SIZES = 2.0  # the slowest input takes at least so many times as long as the quickest, where a range is shown
PLAIN = 2.5  # times what is needed: if the quicker one's sample takes twice its usual time, it still shows
_MOST_QUEUED = 0.95  # of its time: the rest of it would be too short to measure anything
EVEN = 0.02  # wall time is noisier than CPU time: an estimate this little above the original's is no rise


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of what was used: seconds, KiB or KiB·s."""

    noun: str
    read: Callable[[Measurement], float]
    first_input: int = 0  # of those that count

    def __call__(self, by_input: Sequence[Measurement]) -> float:
        """The figure of the inputs that count, together."""
        return self.read(add_up(by_input[self.first_input :]))

    def of_inputs(self, start: int) -> Figure:
        """The same figure of the inputs from `start` on."""
        return Figure(self.noun, self.read, start)


CPU = Figure("CPU time", lambda used: used.cpu_time_s)
WALL = Figure("wall time", lambda used: used.wall_time_s)
PEAK = Figure("peak memory", lambda used: float(used.peak_memory_kib))
INTEGRAL = Figure("memory integral", lambda used: used.memory_integral_kib_s)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figure that has to shrink by more than the minimum effect, and the one beside it."""

    primary: Figure
    secondary: Figure
    tolerated: float = 1.0  # how many times as large the secondary figure may become

    def secondary_ratio(self, blocks: Sequence[Block]) -> float:
        """How many times smaller the secondary figure is."""
        return math.exp(estimate([block.log_ratio(self.secondary) for block in blocks]))

    def objection(self, blocks: Sequence[Block], alpha: float, fresh: FreshBlocks | None = None) -> str | None:
        """What the gain costs, if that is too much.

        Args:
            blocks: the samples.
            alpha: the one-sided level.
            fresh: takes the samples of a second measurement; see `confirmed_rise`. None: the first one decides.
        """
        words = f"{self.primary.noun} fell but {self.secondary.noun} rose to"
        return confirmed_rise(lambda seen: self._rise(seen, alpha), words, blocks, fresh)

    def _rise(self, blocks: Sequence[Block], alpha: float) -> Rise | None:
        """By how much the secondary figure became larger; None: by no more than it may."""
        ratio = self.secondary_ratio(blocks)
        is_proven = interval_of(blocks, self.secondary, alpha)[1] * self.tolerated < 1
        return Rise(1 / ratio, is_proven) if is_proven or ratio * self.tolerated < 1 - EVEN else None


@dataclass(frozen=True, slots=True)
class Rise:
    """How many times larger a figure became, and whether that is more than an estimate."""

    ratio: float
    is_proven: bool


def confirmed_rise(find: FindRise, words: str, blocks: Sequence[Block], fresh: FreshBlocks | None) -> str | None:
    """A rise in words, unless a second measurement clears it: a busy machine may be to blame for the first.

    An estimated rise is cleared by fresh blocks that show none. A proven one is not: it is cleared only if all blocks
    together, old and fresh, show none. Where no time is left to measure again, the rise stands, and the words say so.
    """
    rise = find(blocks)
    if rise is None:
        return None
    told = f"{words} {format_ratio(rise.ratio)}"
    if fresh is None:
        return told
    again = fresh()
    if not again:
        return f"{told}, and there was no time to measure it again"
    still = find([*blocks, *again] if rise.is_proven else again)
    if still is None:
        return None
    where = "over both measurements" if rise.is_proven else "in a second measurement"
    return f"{told}, and {format_ratio(still.ratio)} {where}"


def figures_for(objective: Objective, blocks: Sequence[Block]) -> Figures:
    """What decides between these two programs, judged by how they used the machine."""
    if objective is Objective.MEMORY:
        return Figures(PEAK, CPU, SLOWDOWN_FOR_MEMORY)
    if objective is Objective.INTEGRAL:
        return Figures(INTEGRAL, CPU, SLOWDOWN_FOR_MEMORY)
    if waits([sample for block in blocks for sample in block.before]):
        return Figures(WALL, CPU)
    if any(sample.tasks or _is_parallel(sample) for block in blocks for sample in block.after):
        return Figures(WALL, CPU)
    return Figures(CPU, WALL)


def figures_between(objective: Objective, blocks: Sequence[Block]) -> Figures:
    """What decides a comparison of two versions; the same if they are exchanged.

    Wall time decides where either version mostly waits, or starts threads or processes.
    """
    figures = figures_for(objective, blocks)
    return figures_for(objective, [block.swapped() for block in blocks]) if figures.primary is CPU else figures


def time_compared(blocks: Sequence[Block]) -> str:
    """What two versions take on these samples, in words: `time`, or `wall time` where that decides."""
    is_wall = bool(blocks) and figures_between(Objective.TIME, blocks).primary is WALL
    return WALL.noun if is_wall else "time"


def is_plain(blocks: Sequence[Block], needed: float = 1.0, *, held_out_from: int = 0) -> bool:
    """Whether each rewrite needs so much less CPU and wall time than the original that few samples show it.

    Args:
        blocks: one of each rewrite, of samples that ran alone.
        needed: the gain (ratio) that is to be shown.
        held_out_from: from this input on, they have to show it by themselves, too.
    """
    starts = {start for start in (0, held_out_from) if start < len(blocks[0].used[0])}
    figures = [figure.of_inputs(start) for figure in (CPU, WALL) for start in starts]
    return all(block.log_ratio(figure) >= math.log(PLAIN * needed) for block in blocks for figure in figures)


def waits(samples: Sequence[Sample]) -> bool:
    """Whether a program waits for something other than a core for a good part of its wall time.

    Samples that ran alone decide, if there are any.
    """
    alone = [sample for sample in samples if sample.is_alone]
    return max(map(_share, alone or samples)) < WAITS_BELOW


def _is_parallel(sample: Sample) -> bool:
    return sample.work.cpu_time_s > PARALLEL_ABOVE * sample.work.wall_time_s


def _share(sample: Sample) -> float:
    """CPU time over the wall time in which it had a core or did not want one.

    The largest of several counts: where the kernel does not report how long it was queued, another program on the core
    can only lower the share.
    """
    queued = min(sample.queued_s / max(sample.process.wall_time_s, 1e-9), _MOST_QUEUED)
    return sample.work.cpu_time_s / max(sample.work.wall_time_s * (1 - queued), 1e-9)


def interval_of(blocks: Sequence[Block], figure: Figure, alpha: float) -> tuple[float, float]:
    """Bounds of how many times smaller the figure of the rewrite is, each at the one-sided level `alpha`."""
    low, high = bounds([block.log_ratio(figure) for block in blocks], alpha)
    return math.exp(low), math.exp(high)


def gain_of(blocks: Sequence[Block], figure: Figure, alpha: float, error: float) -> Gain:
    """The gain with its interval.

    Args:
        blocks: the samples.
        figure: what has to shrink.
        alpha: the one-sided level of each bound, had only this one look been planned.
        error: the one-sided error of each bound over all looks: at least `alpha`.
    """
    values = [block.log_ratio(figure) for block in blocks]
    low, high = interval_of(blocks, figure, alpha)
    return Gain(math.exp(estimate(values)), low, high, confidence=1 - 2 * error, pairs=len(blocks))


def range_by_size(blocks: Sequence[Block], figure: Figure) -> GainRange | None:
    """The gains on small inputs and on large ones, by what each took of the original; None if all are about as large.

    Args:
        blocks: the samples, with the figures of single inputs.
        figure: what shrank.
    """
    inputs = range(len(blocks[0].used[0]))
    sizes = [statistics.median(figure.read(block.used[0][each]) for block in blocks) for each in inputs]
    ordered = sorted(inputs, key=sizes.__getitem__)
    if sizes[ordered[-1]] < DIFFERENT_SIZES * sizes[ordered[0]]:
        return None
    share = max(1, len(inputs) // 3)
    small, large = (ratio_on(group, blocks, figure) for group in (ordered[:share], ordered[-share:]))
    return GainRange(small, large)


def worst_input(blocks: Sequence[Block], figure: Figure, first: int) -> int:
    """The number of the input on which the gain is smallest, from the one numbered `first` on."""
    inputs = range(first, len(blocks[0].used[0]))
    return min(inputs, key=lambda each: ratio_on([each], blocks, figure))


def ratio_on(inputs: Sequence[int], blocks: Sequence[Block], figure: Figure) -> float:
    """How many times smaller the figure is on some of the inputs, by their numbers."""
    parts = (Block(block.before, block.after, _only(inputs, block)) for block in blocks)
    return math.exp(estimate([part.log_ratio(figure) for part in parts]))


def _only(inputs: Sequence[int], block: Block) -> tuple[tuple[Measurement, ...], tuple[Measurement, ...]]:
    before, after = (tuple(side[each] for each in inputs) for side in block.used)
    return before, after
