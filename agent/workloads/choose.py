"""Which of the calls that were found are used, and which of them are held out."""

from __future__ import annotations

import hashlib
import math
import random
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.workloads.answers import FoundCall

MAX_CALLS = 40
COSTLIEST = 6
FIRST = 8
BUDGET_S = 1.0  # CPU time of the chosen calls next to the costliest: each sample of a candidate repeats them all
HELD_OUT_SHARE = 0.3
HEAVY_SHARE = 0.2  # of the costliest call's time; a call above it carries the measurement


class Costed(Protocol):
    """Something with a cost."""

    @property
    def cpu_time_s(self) -> float:
        """CPU time of the original, s."""


def choose_calls(found: Sequence[FoundCall], max_calls: int = MAX_CALLS, budget_s: float = BUDGET_S) -> list[FoundCall]:
    """Some of the costliest calls, the first ones, and a spread of the others, in the order in which they came.

    The costliest call is always among them, whatever it costs.
    """
    unique = list({hashlib.sha256(call.blob).digest(): call for call in reversed(found)}.values())[::-1]
    by_cost = sorted(range(len(unique)), key=lambda index: -unique[index].cpu_time_s)
    wanted = _once([*by_cost[:COSTLIEST], *range(min(FIRST, len(unique))), *_spread(len(unique), max_calls)])
    chosen: list[int] = []
    spent_s = 0.0
    for index in wanted:
        cost_s = unique[index].cpu_time_s
        if not chosen:
            chosen.append(index)
        elif len(chosen) < max_calls and spent_s + cost_s <= budget_s:
            chosen.append(index)
            spent_s += cost_s
    return [unique[index] for index in sorted(chosen)]


def hold_out(calls: Sequence[WorkloadCall], seed: int) -> tuple[list[WorkloadCall], list[WorkloadCall]]:
    """Split into calls for selection and calls for confirmation, about 30 % of each kind of origin.

    Heavy calls and light ones are split separately, so that both parts can be timed. The choice depends on the seed
    and on the calls themselves, not on their order. With two calls or more, each part has at least one.
    """
    if len(calls) < 2:
        return list(calls), []
    held = set[int]()
    heavy_s = HEAVY_SHARE * max(call.cpu_time_s for call in calls)
    heavy = [index for index, call in enumerate(calls) if call.cpu_time_s >= heavy_s]
    light = [index for index, call in enumerate(calls) if call.cpu_time_s < heavy_s]
    if len(heavy) == 1 and light:
        # The only heavy call stays with selection; the next best stands for it in the other part.
        held.add(max(light, key=lambda index: calls[index].cpu_time_s))
    else:
        held |= _share(calls, heavy, seed, at_least=1)
    held |= _share(calls, [index for index in light if index not in held], seed, at_least=0)
    return (
        [call for index, call in enumerate(calls) if index not in held],
        [call for index, call in enumerate(calls) if index in held],
    )


def _share(calls: Sequence[WorkloadCall], indices: Sequence[int], seed: int, at_least: int) -> set[int]:
    """A share of these calls, taken from each origin in turn; never all of them."""
    wanted = max(math.floor(len(indices) * HELD_OUT_SHARE + 0.5), at_least)
    wanted = min(wanted, len(indices) - 1)
    by_origin: dict[str, list[int]] = {}
    for index in sorted(indices, key=lambda index: _rank(calls[index], seed)):
        by_origin.setdefault(calls[index].origin, []).append(index)
    queues = [by_origin[origin] for origin in sorted(by_origin, key=lambda origin: -len(by_origin[origin]))]
    taken = set[int]()
    for turn in range(max(map(len, queues), default=0)):
        for queue in queues:
            if turn < len(queue) and len(taken) < wanted:
                taken.add(queue[turn])
    return taken


def _rank(call: WorkloadCall, seed: int) -> float:
    return random.Random(b"%d" % seed + hashlib.sha256(call.blob).digest()).random()  # noqa: S311 - no secret


def _spread(count: int, wanted: int) -> list[int]:
    return [index * count // wanted for index in range(wanted)] if count > wanted else list(range(count))


def _once(indices: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(indices))
