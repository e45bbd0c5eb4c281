"""Whether what was measured is there for those who use a function: in later calls of a process, and on larger inputs.

The calls of tests are few and small. On them, work that a process does once (a pattern compiled, a module imported) can
look like a gain or a slow-down of the function, and a loop within a loop like none. Both are looked at again before
anybody is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.larger_inputs import AT_LEAST, MOST_BASES
from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls
from afterburner.agent.judge.time_limit import is_far_slower
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.sampling import BlockSource
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.scaled_calls import ScaledCall
    from afterburner.agent.types import Gain, WorkloadCall

TELLING = 1.5  # times as much as later calls: what the first call takes beyond that is told
LEFT = 0.5  # of the logarithm of a gain: where later calls show less, the user is told
MOST_WARM_S = 0.02  # CPU time of the original for all calls: beside more, what a process does once is little
UNTIL_S, MOST_CALL_S = 0.01, 0.5  # of the original's CPU time, for a call that is made larger step by step
GRACE_S, LIMIT = 2.0, 20  # what AFTER may take for larger calls: for its start, and times what BEFORE needs
MAKING_SHARE, MOST_MAKING_S = 0.25, 6.0  # of the time that is left
MANY = 10  # times as large: without a fraction
STEP_DOWN = 4.0  # times smaller: what is tried next where one version reaches its time limit
MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class SlowDown:
    """What a second look says: the comparison that counts, and what has to be known of it.

    `where` names the inputs that it holds on, if these are others than the real ones.
    """

    comparison: Comparison
    caveat: str
    where: str = ""

    @property
    def words(self) -> str:
        """A slow-down on other inputs in words."""
        gain = self.comparison.gain
        return (
            f"on {self.where} it takes {format_ratio(1 / gain.ratio)} of the time" if gain else self.comparison.reason
        )


def when_warm(bench: Workbench, judge: TwoSidedJudge, other: str, cold: Gain, deadline: Deadline) -> SlowDown | None:
    """A slow-down again, in processes that have made each call once before; None where that cannot be measured.

    Args:
        bench: of BEFORE.
        judge: of the comparison.
        other: the text of AFTER's whole file.
        cold: what was measured of calls that no process had made before.
        deadline: of the comparison.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME:
        return None
    said, _ = judge.confirm(_warm_source(bench, other, bench.timed_calls()), deadline, held_out_from=0)
    if said.gain is None:
        return None
    if cold.ratio * TELLING >= said.gain.ratio:
        return SlowDown(said, "")
    return SlowDown(said, f"the first call of a process takes {format_ratio(1 / cold.ratio)} of the time")


def left_of_gain_when_warm(bench: Workbench, judge: Judge, winner: str, gain: Gain, deadline: Deadline) -> str:
    """What to tell of a gain that is mostly one of the first call of a process, in words; empty: it is not.

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
        return ""
    [seen] = judge.screen(_warm_source(bench, winner, calls), deadline)
    if seen.gain is None or seen.gain.ratio >= gain.ratio**LEFT:
        return ""
    return (
        f"most of the gain is in the first call of a process: later calls gain {format_ratio(max(seen.gain.ratio, 1))}"
    )


def on_larger_inputs(bench: Workbench, judge: Judge, other: str, deadline: Deadline) -> SlowDown | None:
    """A slow-down on inputs larger than those of the workload; None where there is none, or none can be made.

    On the largest inputs first; where AFTER reaches its time limit there, on smaller ones, which give a figure.

    Args:
        bench: of BEFORE.
        judge: of the comparison.
        other: the text of AFTER's whole file.
        deadline: of the comparison.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME or deadline.passed():
        return None
    bases = likely_bases(bench.workload.calls_in_order())[:MOST_BASES]
    climb = Climb((2.0, 4.0), UNTIL_S, MOST_CALL_S, from_little=True)
    most_s = min(MAKING_SHARE * deadline.left_s(), MOST_MAKING_S)
    made, _ = scale_calls(bench, bases, climb, most_s) if bases else ([], ())
    late: SlowDown | None = None
    for sizes in _steps_down([each for each in made if each.factor >= AT_LEAST]):
        found = _on(sizes, bench, judge, other, deadline)
        if found is None or found.comparison.gain is not None:
            return found or late
        late = late or found
    return late


def _steps_down(made: Sequence[ScaledCall]) -> list[list[ScaledCall]]:
    """The largest call of each base, then those that are a few times smaller, and so on."""
    steps: list[list[ScaledCall]] = []
    most = {base: float("inf") for base in {each.base for each in made}}
    while most and len(steps) < MOST_STEPS:
        chosen = [
            max(fitting, key=lambda each: each.factor)
            for base, limit in most.items()
            if (fitting := [each for each in made if each.base == base and each.factor <= limit])
        ]
        if not chosen:
            break
        steps.append(chosen)
        most = {each.base: each.factor / STEP_DOWN for each in chosen}
    return steps


def _on(sizes: Sequence[ScaledCall], bench: Workbench, judge: Judge, other: str, deadline: Deadline) -> SlowDown | None:
    """The slow-down on these calls, as far as AFTER does the same on them; without a gain where it is too late."""
    allowed_s = GRACE_S + LIMIT * sum(each.call.cpu_time_s for each in sizes)
    bench = replace(bench, limits=replace(bench.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s))
    same: list[ScaledCall] = []
    for each in sizes:
        cases = [bench.call_case([each.call], hash_seed=0)]
        verdict = bench.run_program(bench.rewrite(other), cases, bench.limits).verdict
        if verdict is Verdict.TIME_LIMIT:
            is_slower, reason = is_far_slower(bench, other, cases, _size([each]), 1 + judge.min_effect)
            if is_slower:
                where = _size([each])
                return SlowDown(Comparison(Decision.NOT_BETTER, reason), f"only on {where}", where)
        elif verdict is Verdict.ACCEPTED:
            same.append(each)
    if not same or deadline.passed():
        return None
    source = _warm_source(bench, other, [each.call for each in same])
    [seen] = judge.screen(source, deadline)
    if seen.gain is None or seen.gain.ratio * (1 + judge.min_effect) >= 1:
        return None
    both_ways = TwoSidedJudge(judge.objective, judge.min_effect, judge.seed)
    said, _ = both_ways.confirm(source, deadline, held_out_from=0)
    if said.decision is not Decision.NOT_BETTER or said.gain is None or not both_ways.is_slower(said.gain):
        return None
    return SlowDown(said, f"only on {_size(same)}", _size(same))


def _warm_source(bench: Workbench, other: str, calls: Sequence[WorkloadCall]) -> BlockSource:
    """Where samples come from of processes that have made each of these calls once before."""
    case = replace(bench.call_case(calls, hash_seed=0), warm=True)
    return bench.source_of_case(bench.target.source, [other], case)


def _size(sizes: Sequence[ScaledCall]) -> str:
    """How large the calls are, in words."""
    largest = max(sizes, key=lambda each: each.factor)
    times = f"{largest.factor:,.0f}" if largest.factor >= MANY else f"{largest.factor:.2g}"
    return f"inputs {times} times as large as the real ones ({largest.scaled} = {largest.size:,})"
