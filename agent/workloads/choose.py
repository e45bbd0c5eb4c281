"""Which of the calls that were found are used, and which of them are held out."""

from __future__ import annotations

import hashlib
import math
import random
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.workloads.answers import FoundCall

MAX_CALLS = 40
COSTLIEST = 6
FIRST = 8
BUDGET_S = 1.0  # CPU time of the chosen calls next to the costliest: each sample of a candidate repeats them all
HELD_OUT_SHARE = 0.3
INVENTED = frozenset({"generated", "derived"})  # origins of calls that nobody wrote down
HEAVY_SHARE = 0.2  # of the costliest call's time; a call above it carries the measurement


def choose_calls(found: Sequence[FoundCall], max_calls: int = MAX_CALLS, budget_s: float = BUDGET_S) -> list[FoundCall]:
    """Some of the costliest calls, the first ones, and a spread of the others, in the order in which they came.

    The costliest call is always among them, whatever it costs.
    """
    by_digest: dict[bytes, FoundCall] = {}
    for call in found:
        by_digest.setdefault(hashlib.sha256(call.blob).digest(), call)
    unique = list(by_digest.values())
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
    """Split into calls for selection and calls for confirmation, about 30 % of the calls and a mix of origins.

    Each part gets a heavy call if there are two, so that both can be timed. A single real call stays with selection.
    The choice depends on the seed and on the calls themselves, not on their order. With two calls or more, each part
    has at least one.
    """
    if len(calls) < 2:
        return list(calls), []
    ranked = sorted(range(len(calls)), key=lambda index: _rank(calls[index], seed))
    heavy_s = HEAVY_SHARE * max(call.cpu_time_s for call in calls)
    heavy = [index for index in ranked if calls[index].cpu_time_s >= heavy_s]
    real = [index for index in ranked if calls[index].origin not in INVENTED]
    kept = {heavy[0], *real} if len(real) == 1 else {heavy[0]}
    if len(kept) == len(calls):
        kept = {real[0]}
    free = [index for index in ranked if index not in kept]
    first = next((index for index in free if index in heavy), None)
    if first is None:
        first = max(free, key=lambda index: calls[index].cpu_time_s)
    wanted = max(math.floor(len(calls) * HELD_OUT_SHARE + 0.5), 1)
    held = set([first, *_mixed(calls, [index for index in free if index != first])][:wanted])
    return (
        [call for index, call in enumerate(calls) if index not in held],
        [call for index, call in enumerate(calls) if index in held],
    )


def _mixed(calls: Sequence[WorkloadCall], indices: Sequence[int]) -> list[int]:
    """The indices again, one of each origin in turn."""
    by_origin: dict[str, list[int]] = {}
    for index in indices:
        by_origin.setdefault(calls[index].origin, []).append(index)
    rows = zip_longest(*by_origin.values())
    return [index for row in rows for index in row if index is not None]


def _rank(call: WorkloadCall, seed: int) -> float:
    return random.Random(b"%d" % seed + hashlib.sha256(call.blob).digest()).random()  # noqa: S311 - no secret


def _spread(count: int, wanted: int) -> list[int]:
    return [index * count // wanted for index in range(wanted)] if count > wanted else list(range(count))


def _once(indices: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(indices))
