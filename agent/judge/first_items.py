"""What the first item of a lazy result costs: its caller may take no more than that one.

A generator is timed until it has given all its items. A rewrite that works everything out before it gives the first one
may be faster by that measure, and many times slower for a caller that stops early.
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
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall

MOST_CALLS = 2
TOLERATED = 1.5  # times the CPU time
NOTICEABLE_S = 0.0001  # more than before
_LAZY = b'["drained",'
_HEAD_BYTES = 80


def lazy_calls(calls: Sequence[WorkloadCall]) -> list[WorkloadCall]:
    """The calls of which the original returns an iterator, the dearest first."""
    lazy = [call for call in calls if b'["returned",' + _LAZY in call.expected[:_HEAD_BYTES]]
    return sorted(lazy, key=lambda call: call.cpu_time_s, reverse=True)


def later_first_item(
    bench: Workbench, judge: Judge, winner: str, calls: Sequence[WorkloadCall], deadline: Deadline
) -> str | None:
    """Why a gain is none: the first item comes much later than the original's; None if it does not.

    Args:
        bench: of the run, with the original.
        judge: likewise.
        winner: the text of the file with the rewrite in place.
        calls: those that the gain was measured on.
        deadline: when to give up, and object to nothing.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    original = bench.target.source
    for call in lazy_calls(calls)[:MOST_CALLS]:
        case = replace(bench.call_case([call], hash_seed=0), expected_outcomes=None, most_items=1)
        report = bench.sandbox.run(bench.program(original), [case], bench.limits).cases[0]
        if report.verdict is not Verdict.ACCEPTED or deadline.passed():
            continue
        case = replace(case, expected_outcomes=tuple(outcome.encoded for outcome in report.outcomes))
        [first] = judge.screen(bench.source_of_case(original, [winner], case), deadline)
        if first.gain is None or first.before is None or first.after is None:
            continue
        before_s, after_s = first.before.cpu_time_s, first.after.cpu_time_s
        if first.gain.ratio < 1 / TOLERATED and after_s - before_s > NOTICEABLE_S:
            return (
                f"its first item takes {format_ratio(after_s / before_s)} as long as the original's "
                f"({format_seconds(after_s)} instead of {format_seconds(before_s)}): whoever stops early waits for all"
            )
    return None
