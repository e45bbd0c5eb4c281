"""Which calls of a workload inputs are made from, and which show what a function is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import WorkloadCall

MOST_BYTES = 1024 * 1024
QUICK_BYTES = 4 * 1024  # of a call that is as quick to change and to compare as a small one


def smallest_blobs(calls: Sequence[WorkloadCall], most: int) -> list[bytes]:
    """The blobs of the smallest calls, and always of one."""
    chosen: list[bytes] = []
    room = MOST_BYTES
    for call in sorted(calls, key=lambda call: len(call.blob))[:most]:
        room -= len(call.blob)
        if room >= 0 or not chosen:
            chosen.append(call.blob)
    return chosen


def blobs_of_all_sizes(calls: Sequence[WorkloadCall], most: int) -> list[bytes]:
    """So many blobs at most: half of them the smallest, and others from all that are larger and not large.

    The smallest calls of a test-suite are often the trivial ones: what is empty, what is refused.
    """
    by_size = sorted(calls, key=lambda call: len(call.blob))
    small, larger = by_size[: most // 2], by_size[most // 2 :]
    quick = sum(len(call.blob) <= QUICK_BYTES for call in larger)
    wanted = most - len(small)
    if quick > wanted:
        larger = [larger[place * quick // wanted] for place in range(wanted)]
    return smallest_blobs([*small, *larger], most)
