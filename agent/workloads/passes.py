"""How often a batch of calls must be made until its time can be measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import WorkloadCall

MAX_PASSES = 1000  # each pass needs its own copies of the arguments, made outside the measured time


def passes_needed(calls: Sequence[WorkloadCall], minimum_s: float = 0.02) -> int:
    """Number of passes over `calls` after which the original has used `minimum_s` of CPU time.

    Returns:
        1 or more, and never more than `MAX_PASSES`.
    """
    once_s = math.fsum(call.cpu_time_s for call in calls)
    if not calls or once_s >= minimum_s:
        return 1
    if once_s <= 0:
        return MAX_PASSES
    return min(math.ceil(minimum_s / once_s), MAX_PASSES)
