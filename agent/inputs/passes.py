"""How often a batch of calls must be made until its time can be measured, as far as that can be waited for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import WorkloadCall

MAX_PASSES = 1000
# Around each call the driver needs a few tenths of a millisecond, and each pass its own copies of the arguments. That
# is not measured, but it has to fit the time limit of a process, which is 2 s at least.
MAX_CALLS_MADE = 2000
MAX_BYTES_COPIED = 4 * 1024 * 1024


def passes_needed(calls: Sequence[WorkloadCall], minimum_s: float = 0.02) -> int:
    """Number of passes over `calls` after which the original has used `minimum_s` of CPU time.

    Returns:
        1 or more, and never more than `MAX_PASSES`, nor than what makes `MAX_CALLS_MADE` or copies `MAX_BYTES_COPIED`.
    """
    once_s = math.fsum(call.cpu_time_s for call in calls)
    if not calls or once_s >= minimum_s:
        return 1
    copied = sum(len(call.blob) for call in calls)
    most = min(MAX_PASSES, MAX_CALLS_MADE // max(len(calls), 1), MAX_BYTES_COPIED // max(copied, 1))
    needed = math.ceil(minimum_s / once_s) if once_s > 0 else MAX_PASSES
    return max(min(needed, most), 1)
