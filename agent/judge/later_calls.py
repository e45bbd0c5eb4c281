"""Whether what was measured is there for those who use a function: in later calls of a process.

On the few and small calls of tests, work that a process does once (a pattern compiled, a module imported) can look like
a gain or a slow-down of the function. So it is looked at again before anybody is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.first_calls import FirstCalls
from afterburner.agent.judge.measuring.figures import time_compared
from afterburner.agent.types import Objective
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.sampling import BlockSource
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.two_sided import TwoSidedJudge
    from afterburner.agent.types import Gain, WorkloadCall

TELLING = 1.5  # times as much as later calls: what the first call takes beyond that is told
LEFT = 0.5  # of the logarithm of a gain: where later calls show less, the user is told
LOOKS = 2  # measurements of later calls that seem slower; if noise leaves it open in all of them, they count as slower
MOST_WARM_S = 0.02  # CPU time of the original for all calls: beside more, what a process does once is little


@dataclass(frozen=True, slots=True)
class Again:
    """What a second look says: the comparison that counts, and what has to be known of it.

    `where` names the inputs that it holds on, if these are others than the real ones. A slow-down that only seems to be
    there, `caveat` tells of, and it is not `is_proven`.
    """

    comparison: Comparison
    caveat: str
    where: str = ""
    is_proven: bool = True

    @property
    def words(self) -> str:
        """A slow-down on other inputs in words."""
        gain = self.comparison.gain
        if gain is None:
            return self.comparison.reason
        what = time_compared(self.comparison.blocks)
        return f"on {self.where} it takes {format_ratio(1 / gain.ratio)} of the {what}"


def can_be_warm(bench: Workbench, judge: Judge) -> bool:
    """Whether the calls of a workload can be timed in processes that have made them before."""
    return not bench.by_cases and judge.objective is Objective.TIME


def when_warm(bench: Workbench, judge: TwoSidedJudge, other: str, cold: Gain, deadline: Deadline) -> Again | None:
    """A comparison again, in processes that have made each call once before; None where that cannot be measured.

    Args:
        bench: of BEFORE.
        judge: of the comparison.
        other: the text of AFTER's whole file.
        cold: what was measured of calls that no process had made before.
        deadline: of the comparison.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if not can_be_warm(bench, judge):
        return None
    said, _ = judge.confirm(warm_source(bench, other, bench.timed_calls()), deadline, held_out_from=0)
    if said.gain is None:
        return None
    if cold.ratio * TELLING < min(said.gain.ratio, 1):
        return Again(said, f"the first call of a process takes {format_ratio(1 / cold.ratio)} of the time")
    if cold.ratio > max(said.gain.ratio, 1) * TELLING:
        return Again(said, f"the first call of a process gains {format_ratio(cold.ratio)}")
    return Again(said, "")


def look_at_later_calls(bench: Workbench, judge: Judge, winner: str, gain: Gain, deadline: Deadline) -> FirstCalls:
    """What stands against a gain that is mostly one of the first call of a process, or is to be told of it.

    Args:
        bench: of the original.
        judge: of the run.
        winner: the text of the file with the rewrite in place.
        gain: on calls that no process had made before.
        deadline: when to give up, and tell nothing.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    calls = bench.timed_calls()
    if deadline.passed() or sum(call.cpu_time_s for call in calls) > MOST_WARM_S:
        return FirstCalls()
    source = warm_source(bench, winner, calls)
    told = "most of the gain is in the first call of a process: later calls"
    seeming = ""
    for attempt in range(LOOKS):
        [seen] = judge.screen(source, deadline, attempt=attempt)
        if seen.gain is None:  # nothing could be seen: what was seen before counts
            break
        if seen.gain.ratio >= gain.ratio**LEFT:
            return FirstCalls()
        if seen.gain.high < 1:
            return FirstCalls(objection=f"{told} take {format_ratio(1 / seen.gain.ratio)} of the time")
        if seen.gain.ratio * (1 + judge.min_effect) >= 1:
            return FirstCalls(note=f"{told} gain {format_ratio(seen.gain.ratio)}")
        seeming = f"{told} seem to take {format_ratio(1 / seen.gain.ratio)} of the time"
    return FirstCalls(objection=seeming)


def warm_source(bench: Workbench, other: str, calls: Sequence[WorkloadCall]) -> BlockSource:
    """Where samples come from of processes that have made each of these calls once before."""
    case = replace(bench.call_case(calls, hash_seed=0), warm=True)
    return bench.source_of_case(bench.target.source, [other], case)
