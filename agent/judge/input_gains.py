"""What the sum of all timed calls hides: the gain on the real ones alone, and a loss on single ones.

Tests often call a function for a few microseconds, and an edge case may take a thousand times as long. What is decided
rests on all of them together.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.judge.measuring.figures import figures_for, ratio_on, worst_input
from afterburner.agent.types import Objective
from afterburner.agent.wording import GAINS, count, format_change, format_ratio
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall

TELLING = 1.2  # times as large or as small as the whole gain: that is told


def told_of_real_calls(bench: Workbench, objective: Objective, said: Comparison) -> str:
    """The gain on the real calls alone, in words; empty where it is about that of all inputs, or is not known.

    Args:
        bench: where the samples were taken.
        objective: what was measured; it is told of a time alone.
        said: the comparison, with the figures of single inputs in its blocks.
    """
    calls = _told_one_by_one(bench, objective, said)
    real = [number for number, call in enumerate(calls) if not is_invented(call.origin)]
    if said.gain is None or not real or len(real) == len(calls):
        return ""
    figure = figures_for(objective, said.blocks).primary
    ratio, whole = (ratio_on(part, said.blocks, figure) for part in (real, range(len(calls))))
    if 1 / TELLING < ratio / whole < TELLING:
        return ""
    gained = f"{GAINS}{format_ratio(ratio)}" if ratio >= 1 else f"it takes {format_ratio(1 / ratio)} of the time"
    return f"on the {count(len(real), 'real call')} alone, without made inputs, {gained}"


def told_of_losses(bench: Workbench, objective: Objective, said: Comparison) -> str:
    """The call that loses most by a rewrite which gains on the whole, with both times; empty if no call loses much.

    It has to lose in each block: of many calls that take microseconds, some seem to lose by chance. The arguments are
    those of `told_of_real_calls`.
    """
    calls = _told_one_by_one(bench, objective, said)
    if not calls or not said.blocks:
        return ""
    figure = figures_for(objective, said.blocks).primary
    number = worst_input(said.blocks, figure, 0)
    used = [[figure.read(side[number]) for side in block.used] for block in said.blocks]
    before_s, after_s = (statistics.median(times) for times in zip(*used, strict=True))
    if any(after <= before for before, after in used) or after_s < TELLING * before_s:
        return ""
    times = f"{format_seconds(before_s)} before and {format_seconds(after_s)} after"
    return (
        f"of the timed calls it loses most on {calls[number].description}: {format_change(before_s / after_s)}, {times}"
    )


def _told_one_by_one(bench: Workbench, objective: Objective, said: Comparison) -> Sequence[WorkloadCall]:
    """The calls of which the blocks hold one figure each; none where a process is told as a whole."""
    calls = bench.timed_calls() if objective is Objective.TIME and not bench.by_cases else []
    is_told = all(len(side) == len(calls) for block in said.blocks for side in block.used)
    return calls if is_told else []
