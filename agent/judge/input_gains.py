"""What the sum of all timed calls hides: the gain on the real ones alone, and a loss on single ones.

Tests often call a function for a few microseconds, and an edge case may take a thousand times as long. What is decided
rests on all of them together. Where made inputs outweigh the real calls, these are measured again by themselves, and
if they show the gain (or the loss), it is theirs that is announced.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.judge.comparison import interval_text
from afterburner.agent.judge.later_calls import warm_source
from afterburner.agent.judge.measuring.figures import figures_for, ratio_on, worst_input
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import GAINS, count, format_change, format_ratio
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.figures import Figure, Figures
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import Gain, WorkloadCall
    from afterburner.sandbox import Measurement

    Choose = Callable[[Objective, Sequence[Block]], Figures]

TELLING = 1.2  # times as large or as small as the whole gain: that is told
REAL_CALLS_S = 20.0  # for measuring the real calls by themselves, which are short


@dataclass(frozen=True, slots=True)
class Outweighed:
    """The real ones among the timed calls, where their gain is plainly another than that of all timed calls."""

    calls: tuple[WorkloadCall, ...]
    ratio: float  # of the samples of the whole, without an interval of its own
    most: str  # the made call on which the most time is gained or lost, with its times

    @property
    def told(self) -> str:
        """Their gain in words, to stand beside that of all timed calls."""
        return f"on the {count(len(self.calls), 'real call')} alone, without made inputs, {told_ratio(self.ratio)}"


@dataclass(frozen=True, slots=True)
class RealCalls:
    """The real calls as they were measured by themselves: their gain, and the times and samples behind it."""

    calls: int
    gain: Gain
    noun: str  # what it is a gain in: CPU time, or wall time
    before: Measurement
    after: Measurement
    blocks: Sequence[Block] = ()

    @property
    def told(self) -> str:
        """`2.10x (2.02x to 2.21x) on the 7 real calls`."""
        return f"{interval_text(self.gain)} {self.where}"

    @property
    def where(self) -> str:
        """`on the 7 real calls`."""
        return f"on the {count(self.calls, 'real call')}"

    def shows(self, whole: Gain, needed: float) -> bool:
        """Whether they show the gain or the loss of all timed calls by themselves, by more than the minimum effect."""
        return min(self.gain.low, whole.low) > needed or max(self.gain.high, whole.high) * needed < 1


def outweighed_calls(
    bench: Workbench, objective: Objective, said: Comparison, choose: Choose = figures_for
) -> Outweighed | None:
    """The real calls; None where their gain is about that of all inputs, or is not known.

    Args:
        bench: where the samples were taken.
        objective: what was measured; it is told of a time alone.
        said: the comparison, with the figures of single inputs in its blocks.
        choose: how its test chose the figure that decides.
    """
    calls = _told_one_by_one(bench, objective, said)
    real = [number for number, call in enumerate(calls) if not is_invented(call.origin)]
    if said.gain is None or not real or len(real) == len(calls):
        return None
    figure = choose(objective, said.blocks).primary
    ratio, whole = (ratio_on(part, said.blocks, figure) for part in (real, range(len(calls))))
    if 1 / TELLING < ratio / whole < TELLING:
        return None
    made = [number for number in range(len(calls)) if number not in real]
    sign = 1 if said.gain.ratio >= 1 else -1  # the one that most of the gain, or of the loss, comes from
    changes = [sign * (before - after) for before, after in (_times_of(each, said.blocks, figure) for each in made)]
    most = made[changes.index(max(changes))]
    told = f"{calls[most].description}: {_with_times(most, said.blocks, figure)}"
    return Outweighed(tuple(calls[number] for number in real), ratio, told)


def measure_real_calls(
    bench: Workbench,
    judge: Judge,
    other: str,
    real: Outweighed,
    deadline: Deadline,
    *,
    choose: Choose = figures_for,
    warm: bool = False,
) -> RealCalls | None:
    """The real calls, measured by themselves; None if there is no answer in time, or a gain is not believed.

    Args:
        bench: of the original.
        judge: of the run or the comparison.
        other: the text of the whole file with the other version.
        real: the calls.
        deadline: of the run or the comparison.
        choose: how its tests choose the figure that decides.
        warm: whether each call is made once before it is timed.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if warm:
        source = warm_source(bench, other, real.calls)
    else:
        source = bench.source_of_calls(bench.target.source, [other], real.calls)
    said, _ = judge.confirm(source, deadline.within(REAL_CALLS_S), held_out_from=0)
    if said.gain is None or said.before is None or said.after is None or said.decision is Decision.REFUSED:
        return None
    if said.gain.ratio > 1 and said.decision is not Decision.IMPROVED:
        return None
    blocks = tuple(block.without_parts() for block in said.blocks)
    noun = choose(judge.objective, said.blocks).primary.noun
    return RealCalls(len(real.calls), said.gain, noun, said.before, said.after, blocks)


def told_of_made(whole: Gain, real: Outweighed) -> str:
    """The gain of all timed calls in words, to stand beside that of the real ones."""
    return f"with made inputs, {told_ratio(whole.ratio)}, the most on {real.most}"


def told_of_losses(bench: Workbench, objective: Objective, said: Comparison, choose: Choose = figures_for) -> str:
    """The call that loses most by a rewrite which gains on the whole, with both times; empty if no call loses much.

    It has to lose in each block: of many calls that take microseconds, some seem to lose by chance. The arguments are
    those of `outweighed_calls`.
    """
    calls = _told_one_by_one(bench, objective, said)
    if not calls or not said.blocks:
        return ""
    figure = choose(objective, said.blocks).primary
    number = worst_input(said.blocks, figure, 0)
    before_s, after_s = _times_of(number, said.blocks, figure)
    used = ([figure.read(side[number]) for side in block.used] for block in said.blocks)
    if any(after <= before for before, after in used) or after_s < TELLING * before_s:
        return ""
    described = calls[number].description
    return f"of the timed calls it loses most on {described}: {_with_times(number, said.blocks, figure)}"


def told_ratio(ratio: float) -> str:
    """`it gains 2.10x`, or `it takes 1.20x of the time`."""
    return f"{GAINS}{format_ratio(ratio)}" if ratio >= 1 else f"it takes {format_ratio(1 / ratio)} of the time"


def _with_times(number: int, blocks: Sequence[Block], figure: Figure) -> str:
    """`24.1x faster, 2.29 ms before and 95.0 µs after`."""
    before_s, after_s = _times_of(number, blocks, figure)
    times = f"{format_seconds(before_s)} before and {format_seconds(after_s)} after"
    return f"{format_change(before_s / max(after_s, 1e-9))}, {times}"


def _times_of(number: int, blocks: Sequence[Block], figure: Figure) -> tuple[float, float]:
    """The median times of an input, before and after."""
    used = [[figure.read(side[number]) for side in block.used] for block in blocks]
    before_s, after_s = (statistics.median(times) for times in zip(*used, strict=True))
    return before_s, after_s


def _told_one_by_one(bench: Workbench, objective: Objective, said: Comparison) -> Sequence[WorkloadCall]:
    """The calls of which the blocks hold one figure each; none where a process is told as a whole."""
    calls = bench.timed_calls() if objective is Objective.TIME and not bench.by_cases else []
    is_told = all(len(side) == len(calls) for block in said.blocks for side in block.used)
    return calls if is_told else []
