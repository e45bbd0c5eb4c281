"""Which lines of the original no input has reached: nothing was seen of what a rewrite makes of them."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.code.statements import statement_lines
from afterburner.agent.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness import Harness
    from afterburner.agent.inputs.harness_answers import Answer
    from afterburner.agent.types import WorkloadCall

LOOKING_S = 3.0  # at which lines calls reach
AGAIN_S = (
    30.0  # likewise, at the calls that were stopped or left out, where lines are left that none of the others reaches
)
_LOOKS = ((LOOKING_S, 0.3), (AGAIN_S, 10.0))  # seconds for all calls, and for each
_SHOWN = 6  # lines that a reason names
MOST_BYTES = 16 * 1024 * 1024  # of calls that are sent to be looked at


class UnseenLine(int):
    """The number of a line of which it is not known whether any call reaches it: some could not be followed so far."""

    __slots__ = ()


def unreached_lines(harness: Harness, calls: Sequence[WorkloadCall], *, again: bool = True) -> tuple[int, ...]:
    """The lines of statements in the original's function that none of these calls reaches, in their order.

    What a call reaches before it is stopped counts. If calls remain that were stopped or left out, each line is an
    `UnseenLine`.

    Args:
        harness: of the original.
        calls: all that a rewrite was judged on; the quickest are looked at first, until all lines are reached.
        again: whether calls that were stopped or left out may take longer at a second look.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    target = harness.target
    statements = statement_lines(target.source, target.first_line, target.last_line)
    waiting = sorted(calls, key=lambda call: call.cpu_time_s)
    for budget_s, most_s in _LOOKS if again else _LOOKS[:1]:
        if statements and waiting:
            statements, waiting = _look(harness, statements, waiting, budget_s, most_s)
    kind = UnseenLine if waiting else int
    return tuple(kind(first) for first, _ in statements)


def _look(
    harness: Harness,
    statements: Sequence[tuple[int, int]],
    calls: Sequence[WorkloadCall],
    budget_s: float,
    most_s: float,
) -> tuple[list[tuple[int, int]], list[WorkloadCall]]:
    """The statements that no call reached in this time, and the calls that were stopped or left out."""
    chosen, left_out = _that_fit(calls)
    blobs = [base64.b64encode(call.blob).decode("ascii") for call in chosen]
    fields = {"blobs": blobs, "ranges": statements, "budget_s": budget_s, "most_s": most_s}
    allowed_s = harness.limits.wall_time_s + budget_s
    limits = replace(harness.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s)
    answer = replace(harness, limits=limits).ask("reach", "reached", fields)
    reached = _numbers(answer, "reached") or set()
    unfinished = _numbers(answer, "unfinished") if answer.finished else None
    stopped = chosen if unfinished is None else [call for at, call in enumerate(chosen) if at in unfinished]
    return [lines for at, lines in enumerate(statements) if at not in reached], [*stopped, *left_out]


def _that_fit(calls: Sequence[WorkloadCall]) -> tuple[list[WorkloadCall], list[WorkloadCall]]:
    """The calls that may be sent together, and the others."""
    chosen: list[WorkloadCall] = []
    left_out: list[WorkloadCall] = []
    room = MOST_BYTES
    for call in calls:
        fits = len(call.blob) <= room
        room -= len(call.blob) if fits else 0
        (chosen if fits else left_out).append(call)
    return chosen, left_out


def _numbers(answer: Answer, name: str) -> set[int] | None:
    """The numbers that a job told under this name; None if it told nothing under it."""
    told = [numbers for body in answer.told if isinstance(numbers := body.get(name), list)]
    return {number for numbers in told for number in numbers if isinstance(number, int)} if told else None


def lines_in_words(lines: Sequence[int]) -> str:
    """`line 7`, `lines 7, 9 and 12`; of many the first, and how many more there are."""
    shown = [str(line) for line in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        return f"lines {', '.join(shown)} and {count(len(lines) - _SHOWN, 'other')}"
    return f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(shown[:-1])} and {shown[-1]}"
