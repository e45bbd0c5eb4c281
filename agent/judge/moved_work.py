"""Finds gains that are none: work that was not saved but done somewhere else, or done once for many measurements."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.figures import CPU, WALL
from afterburner.agent.judge.measuring.sampling import Block, SampleMode
from afterburner.agent.judge.measuring.sequential import bounds, estimate
from afterburner.agent.types import Objective
from afterburner.agent.wording import format_ratio
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.judge.measuring.figures import Figure
    from afterburner.agent.judge.measuring.sampling import Sample
    from afterburner.agent.types import Gain

NOTICEABLE_CPU_S = 0.005
NOTICEABLE_UNTOLD_S = 0.002  # leaving the process takes some tenths of a millisecond
FAR_MORE = 10.0  # times what the calls save: so much more is not the work that they no longer do
NOTICEABLE_PEAK = 1.05  # of the whole process, where the calls are said to need less
MOVED_ALPHA = 0.01
REPEATED_ALPHA = 0.01
ALONE_SHARE = 0.25  # of the logarithm of a gain: so much of it has to show in samples that ran alone
RULED_OUT_ALPHA = 0.01
UNUSUAL = 0.2  # of the logarithm of a gain, by which the best runs may differ from the usual ones at any rate
_CLOCK_S = 1e-9  # the clock's resolution


def find_moved_work(
    objective: Objective, figure: Figure, gain: Gain, blocks: Sequence[Block], needed: float
) -> str | None:
    """Say where the work went that the calls seem to save; None if the gain is one.

    Args:
        objective: what is claimed to be smaller.
        figure: what that is measured by.
        gain: that claim, from `blocks`.
        blocks: samples of the original and of the rewrite.
        needed: the least gain (ratio) that is worth anything.
    """
    moved = (
        _outside_the_calls(objective, figure, blocks)
        or _only_in_some_runs(figure, gain, _counting(figure, blocks))
        or _only_together(figure, gain, blocks, needed)
    )
    if moved is not None:
        return moved
    if objective is Objective.MEMORY:
        ratio = _median(blocks, lambda b, a: a.process.peak_memory_kib / max(b.process.peak_memory_kib, 1))
        return "the memory saved in the calls is needed outside them" if ratio > NOTICEABLE_PEAK else None
    if _only_when_repeated(gain, blocks):
        return "the gain shows only when the same calls are made again: something is remembered from the first time"
    return None


def _outside_the_calls(objective: Objective, figure: Figure, blocks: Sequence[Block]) -> str | None:
    """Where the process spends outside the calls what it saves inside them, or half of what they took at all.

    Who waits less may save much wall time and next to no CPU time: then the former counts.
    """
    saved = _median(blocks, lambda b, a: b.work.cpu_time_s - a.work.cpu_time_s)
    if objective is not Objective.TIME:
        saved = _median(blocks, lambda b, _: b.work.cpu_time_s)
    untold = _median(blocks, lambda b, a: a.untold_cpu_s - b.untold_cpu_s)
    if untold > max(saved / 2, NOTICEABLE_UNTOLD_S):
        return f"timing was tampered with: {untold:.3f} s of CPU time are missing from its own account"
    if objective is Objective.TIME:
        saved = max(saved, _saved_in_calls(figure, blocks))
    moved = _median(blocks, lambda b, a: a.overhead_cpu_s - b.overhead_cpu_s)
    if moved <= max(saved / 2, NOTICEABLE_CPU_S) or _is_noise(blocks):
        return None
    return _what_the_rest_takes(figure, blocks, moved)


def _saved_in_calls(figure: Figure, blocks: Sequence[Block]) -> float:
    return _median(blocks, lambda b, a: figure.read(b.work) - figure.read(a.work))


def _what_the_rest_takes(figure: Figure, blocks: Sequence[Block], moved_s: float) -> str:
    """What the calls save, and how much more CPU time the rest of the process takes."""
    figures = (CPU, WALL) if figure.noun == WALL.noun else (CPU,)
    saved_s, noun = max((_saved_in_calls(each, blocks), each.noun) for each in figures)
    at_import = _median(blocks, lambda b, a: a.load_cpu_s - b.load_cpu_s) > moved_s / 2
    more, less = format_seconds(moved_s), format_seconds(saved_s)
    if moved_s > FAR_MORE * saved_s:
        where = "when it imports the module" if at_import else "outside the calls"
        than = f"far more than the {less} that the calls save" if saved_s > 0 else "and the calls save none"
        return (
            f"{where}, the process takes {more} more CPU time, {than}: either what it does there takes longer, or the "
            "machine was busy; measure again when it is quiet, or on calls that take longer"
        )
    when = ", when the module is imported" if at_import else ""
    return (
        f"the time saved in the calls reappears outside them{when}: the calls take {less} less {noun} and the rest of "
        f"the process takes {more} more; either work has moved there, or the machine was busy: measure again when it "
        "is quiet"
    )


def _is_noise(blocks: Sequence[Block]) -> bool:
    """Whether more time outside the calls may be chance.

    On a busy machine, starting Python varies by more than ten milliseconds: a thousand times what some calls save.
    """
    more = [_median([block], lambda b, a: a.overhead_cpu_s - b.overhead_cpu_s) for block in blocks]
    return bounds(more, MOVED_ALPHA)[0] <= 0


def _only_in_some_runs(figure: Figure, gain: Gain, blocks: Sequence[Block]) -> str | None:
    """Whether the figures that the gain is made of are far from what a usual run needs.

    Args:
        figure: what shrank.
        gain: by how much.
        blocks: of the samples that this is from.
    """
    usual = _median(blocks, lambda before, after: math.log(_used(figure, before) / _used(figure, after)))
    claimed = math.log(gain.ratio)
    if claimed - usual <= max(claimed / 2, UNUSUAL):
        return None
    best, rest = format_ratio(gain.ratio), format_ratio(math.exp(usual))
    return f"the gain shows only in some of its runs: {best} in the best, {rest} in the usual ones"


def _counting(figure: Figure, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with those samples alone that a figure is from."""
    at_once = any(sample.mode is SampleMode.AT_ONCE for block in blocks for sample in block.before)
    return [block.alone() if at_once and figure.noun == WALL.noun else block.together() for block in blocks]


def _only_together(figure: Figure, gain: Gain, blocks: Sequence[Block], needed: float) -> str | None:
    """Whether a gain that was measured while both ran together, on one core, is not there when each has it for itself.

    A rewrite that empties the caches, or troubles the original otherwise, would look good beside it. Samples that run
    alone are few and noisy, so they are asked for a part of the gain, by the better of two estimates; and that they do
    not rule out the gain that is `needed`.
    """
    if all(sample.is_alone for block in blocks for sample in block.before):
        return None
    alone = [block.alone() for block in blocks]
    ratios = [block.log_ratio(figure) for block in alone]
    by_themselves = max(Block.joined(alone).log_ratio(figure), estimate(ratios))
    highest = bounds(ratios, RULED_OUT_ALPHA)[1]
    if by_themselves >= ALONE_SHARE * math.log(gain.ratio) and highest >= math.log(needed):
        return None
    told = format_ratio(math.exp(by_themselves))
    return f"the gain shows only while both run together: {format_ratio(gain.ratio)}, and {told} where each runs alone"


def _used(figure: Figure, sample: Sample) -> float:
    return max(figure.read(sample.work), _CLOCK_S)


def _median(blocks: Sequence[Block], difference: Callable[[Sample, Sample], float]) -> float:
    return statistics.median(
        difference(before, after) for block in blocks for before, after in zip(block.before, block.after, strict=True)
    )


def _only_when_repeated(gain: Gain, blocks: Sequence[Block]) -> bool:
    """Whether less than half of the gain (of its logarithm) is there when every call is made for the first time.

    Where calls are repeated in one process so that they can be measured, the driver resets the module in between, but a
    rewrite may remember results where no reset reaches: in a file, in another module, in an object of its own.
    """
    if any(sample.first_pass_cpu_s is None for block in blocks for sample in (*block.before, *block.after)):
        return False
    first = [math.log(_first_pass_s(block.before) / _first_pass_s(block.after)) for block in blocks]
    return bounds(first, REPEATED_ALPHA)[1] < math.log(gain.ratio) / 2


def _first_pass_s(samples: Sequence[Sample]) -> float:
    return max(min(sample.first_pass_cpu_s or 0.0 for sample in samples), _CLOCK_S)
