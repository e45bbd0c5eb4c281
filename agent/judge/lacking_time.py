"""What is told of a comparison for which the time was too short."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.agent.judge.confirmation import NOT_TRIED_IN_TIME
from afterburner.agent.judge.measuring.sequential import estimate
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.measuring.figures import Figure
    from afterburner.agent.judge.measuring.sampling import Block

OUT_OF_TIME = "the time budget ended before the versions were measured; --max-seconds allows more"


def told_of_blocks(blocks: Sequence[Block], most: int, figure: Figure) -> str:
    """What a test that the time ended had measured: an estimate, which is no answer.

    Args:
        blocks: its samples; at least one.
        most: how many blocks it would have taken at most.
        figure: what decides.
    """
    ratio = math.exp(estimate([block.log_ratio(figure) for block in blocks]))
    better = f"{figure.noun} {format_ratio(ratio)} better"
    told = better if ratio >= 1 else f"{format_ratio(1 / ratio)} of the {figure.noun}"
    few = f"only {len(blocks)} of at most {most} blocks of fresh runs could be measured"
    return f"{told} so far, which proves nothing: {few}{NOT_TRIED_IN_TIME}"


def lacks_inputs(too_few: Comparison | None) -> bool:
    """Whether more time might have given the inputs that are too few to prove a gain."""
    return too_few is not None and too_few.reason.endswith(NOT_TRIED_IN_TIME)
