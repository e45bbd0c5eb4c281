"""What a gain is on the real calls alone, where inputs that were made up were timed with them.

Tests often call a function for a few microseconds, and an edge case may take a thousand times as long. What is decided
rests on all of them together; this tells what it hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.judge.measuring.figures import figures_for, ratio_on
from afterburner.agent.types import Objective
from afterburner.agent.wording import count, format_ratio

if TYPE_CHECKING:
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.measuring.workbench import Workbench

TELLING = 1.2  # times as large or as small as the whole gain: that is told


def told_of_real_calls(bench: Workbench, objective: Objective, said: Comparison) -> str:
    """The gain on the real calls alone, in words; empty where it is about that of all inputs, or is not known.

    Args:
        bench: where the samples were taken.
        objective: what was measured; it is told of a time alone.
        said: the comparison, with the figures of single inputs in its blocks.
    """
    calls = bench.timed_calls() if objective is Objective.TIME and not bench.by_cases else []
    real = [number for number, call in enumerate(calls) if not is_invented(call.origin)]
    if said.gain is None or not real or len(real) == len(calls):
        return ""
    if any(len(side) != len(calls) for block in said.blocks for side in block.used):
        return ""  # each sample is a process of its own, which is told as a whole
    ratio = ratio_on(real, said.blocks, figures_for(objective, said.blocks).primary)
    if 1 / TELLING < ratio / said.gain.ratio < TELLING:
        return ""
    gained = f"it gains {format_ratio(ratio)}" if ratio >= 1 else f"it takes {format_ratio(1 / ratio)} of the time"
    return f"on the {count(len(real), 'real call')} alone, without made inputs, {gained}"
