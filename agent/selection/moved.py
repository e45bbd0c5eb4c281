"""Finds gains that are none: work that was not saved but done somewhere else, or done once for many measurements."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from afterburner.agent.selection.sequential import bounds
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.selection.sampling import Block, Sample
    from afterburner.agent.types import Gain

NOTICEABLE_CPU_S = 0.005
NOTICEABLE_UNTOLD_S = 0.002  # leaving the process takes some tenths of a millisecond
NOTICEABLE_PEAK = 1.05  # of the whole process, where the calls are said to need less
REPEATED_ALPHA = 0.01


def find_moved_work(objective: Objective, gain: Gain, blocks: Sequence[Block]) -> str | None:
    """Say where the work went that the calls seem to save; None if the gain is one.

    Args:
        objective: what is claimed to be smaller.
        gain: that claim, from `blocks`.
        blocks: samples of the original and of the rewrite.
    """
    moved = _outside_the_calls(objective, blocks)
    if moved is not None:
        return moved
    if objective is Objective.MEMORY:
        ratio = _median(blocks, lambda b, a: a.process.peak_memory_kib / max(b.process.peak_memory_kib, 1))
        return "the memory saved in the calls is needed outside them" if ratio > NOTICEABLE_PEAK else None
    if _only_when_repeated(gain, blocks):
        return "the gain shows only when the same calls are made again: something is remembered from the first time"
    return None


def _outside_the_calls(objective: Objective, blocks: Sequence[Block]) -> str | None:
    """Where the process spends outside the calls what it saves inside them, or half of what they took at all."""
    saved = _median(blocks, lambda b, a: b.work.cpu_time_s - a.work.cpu_time_s)
    if objective is not Objective.TIME:
        saved = _median(blocks, lambda b, _: b.work.cpu_time_s)
    untold = _median(blocks, lambda b, a: a.untold_cpu_s - b.untold_cpu_s)
    if untold > max(saved / 2, NOTICEABLE_UNTOLD_S):
        return f"timing was tampered with: {untold:.3f} s of CPU time are missing from its own account"
    moved = _median(blocks, lambda b, a: a.overhead_cpu_s - b.overhead_cpu_s)
    if moved <= max(saved / 2, NOTICEABLE_CPU_S):
        return None
    loading = _median(blocks, lambda b, a: a.load_cpu_s - b.load_cpu_s)
    if loading > moved / 2:
        return "the time saved in the calls reappears outside them: when the module is imported"
    return "the time saved in the calls reappears outside them"


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
    first = [block.log_ratio(lambda sample: sample.first_pass_cpu_s or 0.0) for block in blocks]
    return bounds(first, REPEATED_ALPHA)[1] < math.log(gain.ratio) / 2
