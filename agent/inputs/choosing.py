"""Which of the calls that were found are used, and which of them are held out."""

from __future__ import annotations

import hashlib
import math
import random
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.inputs.harness_answers import FoundCall
    from afterburner.agent.types import WorkloadCall

MAX_CALLS = 40
COSTLIEST = 6
FIRST = 8
# Each sample of a candidate repeats all calls, so their CPU time is bounded, and so is the size of their arguments,
# which are copied and encoded each time. The two costliest calls are there whatever they take, one for each part.
ALWAYS = 2
BUDGET_S = 0.6
BUDGET_BYTES = 512 * 1024
# The others that were recorded are made once for each rewrite, to compare what they do.
MAX_MORE, MORE_BUDGET_S, MORE_BUDGET_BYTES = 88, 0.3, 256 * 1024
MAX_EDGE_CASES = 12
EDGE_BUDGET_S = 0.2
EDGE_BUDGET_BYTES = 128 * 1024
HELD_OUT_SHARE = 0.3
HEAVIER = 1.25  # two runs of one call differ by as much
EDGE_SLACK_S = 0.001
_RAISED, _HEAD_BYTES = b'["raised"', 64  # how an outcome begins that is an exception (`sandbox/driver/call_driver.py`)
# Origins of calls that nobody has made: from type hints, from other calls, by a language model (and its name).
GENERATED, DERIVED, WRITTEN_BY = "generated", "derived", "written by "
HEAVY_SHARE = 0.2  # of the costliest call's time; a call above it carries the measurement


def is_invented(origin: str) -> bool:
    """Whether calls of this origin were made up: no program of the user's makes them, as far as is known."""
    return origin in {GENERATED, DERIVED} or origin.startswith(WRITTEN_BY)


def choose_calls(found: Sequence[FoundCall]) -> list[FoundCall]:
    """Some of the costliest calls, those that go where no other went, the first ones, and a spread of the others.

    They stay in the order in which they came.
    """
    calls = _unique(found)
    by_cost = sorted(range(len(calls)), key=lambda index: -calls[index].cpu_time_s)
    new = [index for index, call in enumerate(calls) if call.is_new]
    first = range(min(FIRST, len(calls)))
    wanted = _once([*by_cost[:COSTLIEST], *new, *first, *_spread(len(calls), MAX_CALLS)])
    others = _affordable(calls, wanted[ALWAYS:], MAX_CALLS - ALWAYS, BUDGET_S, BUDGET_BYTES)
    return [calls[index] for index in sorted([*wanted[:ALWAYS], *others])]


def more_calls(found: Sequence[FoundCall], chosen: Sequence[FoundCall]) -> list[FoundCall]:
    """Recorded calls beside those that were chosen of them, the cheapest ones: a rewrite has to do the same on them."""
    known = {call.blob for call in chosen}
    others = [call for call in _unique(found) if call.blob not in known and not is_invented(call.origin)]
    by_cost = sorted(range(len(others)), key=lambda index: others[index].cpu_time_s)
    kept = _affordable(others, by_cost, MAX_MORE, MORE_BUDGET_S, MORE_BUDGET_BYTES)
    return [others[index] for index in sorted(kept)]


def choose_edge_cases(found: Sequence[FoundCall], costliest_s: float) -> list[FoundCall]:
    """The cheapest edge cases, and one heavy one: they are there to judge by, not to measure.

    None takes longer than `costliest_s`, the time of the costliest call that they were derived from.
    """
    calls = [call for call in _unique(found) if call.cpu_time_s <= most_for_edge_case(costliest_s)]
    by_cost = sorted(range(len(calls)), key=lambda index: -calls[index].cpu_time_s)
    others = _affordable(calls, by_cost[:0:-1], MAX_EDGE_CASES - 1, EDGE_BUDGET_S, EDGE_BUDGET_BYTES)
    return [calls[index] for index in sorted([*by_cost[:1], *others])]


def most_for_edge_case(costliest_s: float) -> float:
    """The CPU time (s) that an edge case may take, given that of the costliest call that edge cases come from."""
    return HEAVIER * costliest_s + EDGE_SLACK_S


def _unique(found: Sequence[FoundCall]) -> list[FoundCall]:
    by_digest: dict[bytes, FoundCall] = {}
    for call in found:
        by_digest.setdefault(hashlib.sha256(call.blob).digest(), call)
    return list(by_digest.values())


def _affordable(
    calls: Sequence[FoundCall], wanted: Iterable[int], most: int, budget_s: float, budget_bytes: int
) -> list[int]:
    """As many of the wanted calls, in their order of preference, as the budgets allow."""
    chosen: list[int] = []
    for index in wanted:
        cost_s, size = calls[index].cpu_time_s, len(calls[index].blob)
        if len(chosen) < most and cost_s <= budget_s and size <= budget_bytes:
            chosen.append(index)
            budget_s -= cost_s
            budget_bytes -= size
    return chosen


def hold_out(calls: Sequence[WorkloadCall], seed: int) -> tuple[list[WorkloadCall], list[WorkloadCall]]:
    """Split into calls for selection and calls for confirmation, about 30 % of the calls and a mix of origins.

    Each part gets a heavy call if there are two, so that both can be timed. A single real call stays with selection,
    and so does a single call that raises, for a candidate that is wrong there should fall early.
    The choice depends on the seed and on the calls themselves, not on their order. With two calls or more, each part
    has at least one.
    """
    if len(calls) < 2:
        return list(calls), []
    ranked = sorted(range(len(calls)), key=lambda index: _rank(calls[index], seed))
    heavy_s = HEAVY_SHARE * max(call.cpu_time_s for call in calls)
    heavy = [index for index in ranked if calls[index].cpu_time_s >= heavy_s]
    real = [index for index in ranked if not is_invented(calls[index].origin)]
    raising = [index for index in ranked if raises(calls[index])]
    kept = _once([*(real if len(real) == 1 else ()), heavy[0], *raising[:1]])[: len(calls) - 1]
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


def raises(call: WorkloadCall) -> bool:
    """Whether the original's outcome is an exception."""
    return _RAISED in call.expected[:_HEAD_BYTES]


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
