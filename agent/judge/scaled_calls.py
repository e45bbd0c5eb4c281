"""The same kind of call at other sizes: made in the sandbox, where nothing but the original is, from real calls."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import is_invented, raises
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.replayed_calls import Replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness_answers import FoundSize
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall

FACTORS = tuple(2.0**power for power in range(-6, 4))  # small ones too: the real call may be too dear already
LEAST_MAKING_S = 0.5  # wall time; with less no process even starts
OUT_OF_TIME = "the time for making inputs was used up"  # as `inside/resized_calls.py` says it
MOST_FACTOR = 1024.0  # where calls are cheap, the ladder goes on until there


@dataclass(frozen=True, slots=True)
class Climb:
    """Which sizes are wanted.

    After `factors`, which rise, sizes go on rising by two until a call takes `until_s` of CPU time (0: they do not) or
    `MOST_FACTOR` is reached. No call takes longer than `most_s`. Data of two or three elements is enlarged only where
    `from_little` says so: it tells little of how more of it would look. `variety` is that of the elements, one of
    `inside/value_copies.py`.
    """

    factors: tuple[float, ...] = FACTORS
    until_s: float = 0.05
    most_s: float = 1.0
    from_little: bool = False
    variety: str = "natural"


@dataclass(frozen=True, slots=True)
class ScaledCall:
    """A call of another size, judged usable: the original did the same twice.

    `size` counts what `scaled` names (`len(left) + len(right)`, or the name of an integer). `factor` is relative to the
    real call number `base` that it was made from.
    """

    size: int
    call: WorkloadCall
    base: int
    factor: float
    scaled: str


def likely_bases(calls: Sequence[WorkloadCall]) -> list[WorkloadCall]:
    """Calls to make larger ones of, the best first: real ones before invented ones, and the costliest of either."""
    returning = [call for call in calls if not raises(call)]
    return sorted(returning, key=lambda call: (is_invented(call.origin), -call.cpu_time_s))


def scale_calls(
    bench: Workbench, calls: Sequence[WorkloadCall], climb: Climb, most_s: float
) -> tuple[list[ScaledCall], tuple[str, ...]]:
    """Make calls of other sizes from each of `calls`, as far as the original returns from them in time.

    They keep to what the workload assumes.

    The elements of larger calls are copies of the real ones in which names (ids, keys, words) are new, so that sets do
    not collapse and references still lead somewhere; smaller calls are cut. Sorted data stays sorted, and grids grow
    in both dimensions.

    Args:
        bench: of the original.
        calls: real calls.
        climb: the sizes.
        most_s: wall time (s) for making them, and again for each run of the original on all of them.

    Returns:
        What was made, smaller ones of each base first; and reasons why there is not more.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    key = ("scaled", climb, tuple(call.blob for call in calls), bench.workload.assume, bench.target.source)
    made, told, _ = bench.known.get(key, lambda: _scaled(bench, calls, climb, most_s), lambda made: bool(made[2]))
    return list(made), told


def _scaled(
    bench: Workbench, calls: Sequence[WorkloadCall], climb: Climb, most_s: float
) -> tuple[list[ScaledCall], tuple[str, ...], bool]:
    found = made_calls(bench, calls, climb, most_s)
    if not found.calls:
        return [], found.reasons, found.is_whole
    limits = replace(bench.limits, wall_time_s=most_s, cpu_time_s=most_s)
    replay = Replay(
        bench.sandbox,
        bench.target,
        bench.environment,
        limits,
        float_tolerance=bench.workload.float_tolerance,
        fixed_clock=bench.workload.fixed_clock,
    )
    kept, skipped = replay.keep_usable([size.call for size in found.calls])
    usable = {call.blob: call for call in kept}
    made = [
        ScaledCall(size.size, usable[size.call.blob], size.base, size.factor, size.scaled)
        for size in found.calls
        if size.call.blob in usable
    ]
    return made, tuple(dict.fromkeys([*found.reasons, *(each.reason for each in skipped)])), found.is_whole


@dataclass(frozen=True, slots=True)
class MadeCalls:
    """Calls of other sizes, reasons why there are not more, and whether none is missing for want of time."""

    calls: tuple[FoundSize, ...]
    reasons: tuple[str, ...]
    is_whole: bool


def made_calls(bench: Workbench, calls: Sequence[WorkloadCall], climb: Climb, most_s: float) -> MadeCalls:
    """Make the same calls, without a judgement of whether the original does the same each time; see `scale_calls`.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    key = ("made", climb, tuple(call.blob for call in calls), bench.workload.assume, bench.target.source)
    made: MadeCalls = bench.known.get(key, lambda: _made(bench, calls, climb, most_s), lambda made: made.is_whole)
    return made


def _made(bench: Workbench, calls: Sequence[WorkloadCall], climb: Climb, most_s: float) -> MadeCalls:
    if most_s < LEAST_MAKING_S:
        return MadeCalls((), ("the time budget ended before",), is_whole=False)
    limits = replace(bench.limits, wall_time_s=most_s, cpu_time_s=most_s)
    fields: dict[str, object] = {
        "blobs": [base64.b64encode(call.blob).decode("ascii") for call in calls],
        "factors": climb.factors,
        "climb_until_s": climb.until_s,
        "most_factor": MOST_FACTOR if climb.until_s else max(climb.factors),
        "most_s": climb.most_s,
        "from_little": climb.from_little,
        "variety": climb.variety,
        "assume": list(bench.workload.assume),
    }
    answer = Harness(bench.sandbox, bench.target, bench.environment, limits).ask_of_original("scale", "scaled", fields)
    found = [size for size in answer.sizes if size.base < len(calls)]
    reasons = [reason for _, reason in answer.skipped] + [failure.reason for failure in answer.failures]
    is_whole = not answer.failures and OUT_OF_TIME not in reasons
    return MadeCalls(tuple(found), tuple(dict.fromkeys(reasons)), is_whole)
