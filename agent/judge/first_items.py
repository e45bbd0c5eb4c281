"""What the items of a lazy result cost that its caller takes: perhaps no more than the first one.

A generator is timed until it has given all its items. A rewrite that works everything out before it gives the first one
may be faster by that measure, and many times slower for a caller that stops early. So the first item is timed by
itself, and as many as real callers were seen to take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Verdict
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CallCase

MOST_CALLS = 2
TOLERATED = 1.5  # times the CPU time
NOTICEABLE_S = 0.0001  # more than before
_LAZY = b'["drained",'
_HEAD_BYTES = 80


def lazy_calls(calls: Sequence[WorkloadCall]) -> list[WorkloadCall]:
    """The calls of which the original returns an iterator, the dearest first."""
    lazy = [call for call in calls if b'["returned",' + _LAZY in call.expected[:_HEAD_BYTES]]
    return sorted(lazy, key=lambda call: call.cpu_time_s, reverse=True)


def later_items(
    bench: Workbench, judge: Judge, winner: str, calls: Sequence[WorkloadCall], deadline: Deadline
) -> str | None:
    """Why a gain is none: the items that a caller takes cost much more than the original's; None if they do not.

    Args:
        bench: of the run, with the original.
        judge: likewise.
        winner: the text of the file with the rewrite in place.
        calls: those that the gain was measured on.
        deadline: when to give up, and object to nothing.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    for call, items in _looks(calls):
        seen = screen_unknown(
            bench, judge, winner, replace(bench.call_case([call], hash_seed=0), most_items=items), deadline
        )
        if seen is None or seen.gain is None or seen.before is None or seen.after is None:
            continue
        before_s, after_s = seen.before.cpu_time_s, seen.after.cpu_time_s
        if seen.gain.ratio < 1 / TOLERATED and after_s - before_s > NOTICEABLE_S:
            what = "its first item takes" if items == 1 else f"the first {items} items, as many as a caller takes, take"
            return (
                f"{what} {format_ratio(after_s / before_s)} as long as the original's "
                f"({format_seconds(after_s)} instead of {format_seconds(before_s)}): whoever stops early waits for more"
            )
    return None


def _looks(calls: Sequence[WorkloadCall]) -> list[tuple[WorkloadCall, int]]:
    """The dearest calls with how many items to take of each: one, and what was seen to be taken."""
    lazy = lazy_calls(calls)
    used = [(call, call.taken) for call in lazy if call.taken is not None and call.taken > 1]
    return [*((call, 1) for call in lazy[:MOST_CALLS]), *used[:MOST_CALLS]]


def screen_unknown(
    bench: Workbench, judge: Judge, winner: str, case: CallCase, deadline: Deadline
) -> Comparison | None:
    """What screening says on calls whose outcomes nobody knows yet; None if the original has none, or time is up.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    original = bench.target.source
    report = bench.sandbox.run(bench.program(original), [replace(case, expected_outcomes=None)], bench.limits).cases[0]
    if report.verdict is not Verdict.ACCEPTED or deadline.passed():
        return None
    case = replace(case, expected_outcomes=tuple(outcome.encoded for outcome in report.outcomes))
    [seen] = judge.screen(bench.source_of_case(original, [winner], case), deadline)
    return seen
