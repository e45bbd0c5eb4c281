"""Finds gains that are none: work that was not saved but done somewhere else, or done once for many measurements."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from afterburner.agent.selection.bootstrap import paired_gain
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.selection.sampling import Sample
    from afterburner.agent.types import Gain

NOTICEABLE_CPU_S = 0.005
NOTICEABLE_PEAK = 1.05  # of the whole process, where the calls are said to need less


def find_moved_work(
    objective: Objective, gain: Gain, samples: Sequence[tuple[Sample, Sample]], seed: int
) -> str | None:
    """Say where the work went that the calls seem to save; None if the gain is one.

    Args:
        objective: what is claimed to be smaller.
        gain: that claim, from `samples`.
        samples: (before, after) pairs.
        seed: of the resampling.
    """
    if _outside_the_calls(objective, samples):
        return "the time saved in the calls reappears outside them (at import, say)"
    if objective is Objective.MEMORY:
        ratio = statistics.median(a.process.peak_memory_kib / max(b.process.peak_memory_kib, 1) for b, a in samples)
        return "the memory saved in the calls is needed outside them" if ratio > NOTICEABLE_PEAK else None
    if _only_when_repeated(gain, samples, seed):
        return "the gain shows only when the same calls are made again: something is remembered from the first time"
    return None


def _outside_the_calls(objective: Objective, samples: Sequence[tuple[Sample, Sample]]) -> bool:
    """Whether the process spends outside the calls what it saves inside them, or half of what they took at all."""
    if objective is Objective.TIME:
        half = statistics.median(b.work.cpu_time_s - a.work.cpu_time_s for b, a in samples) / 2
    else:
        half = statistics.median(b.work.cpu_time_s for b, _ in samples) / 2
    moved = statistics.median(a.overhead_cpu_s - b.overhead_cpu_s for b, a in samples)
    return moved > max(half, NOTICEABLE_CPU_S)


def _only_when_repeated(gain: Gain, samples: Sequence[tuple[Sample, Sample]], seed: int) -> bool:
    """Whether less than half of the gain (of its logarithm) is there when every call is made for the first time.

    Short calls are repeated in one process so that they can be measured. The driver resets the module in between, but
    a rewrite may remember results where no reset reaches: in a file, in another module, in an object of its own.
    """
    first = [
        (before.first_pass_cpu_s, after.first_pass_cpu_s)
        for before, after in samples
        if before.first_pass_cpu_s is not None and after.first_pass_cpu_s is not None
    ]
    if not first:
        return False
    return paired_gain(first, seed=seed, confidence=gain.confidence).high < math.sqrt(gain.ratio)
