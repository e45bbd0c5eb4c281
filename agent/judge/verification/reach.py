"""Which lines of the original no input has reached: nothing was seen of what a rewrite makes of them."""

from __future__ import annotations

import base64
import difflib
from typing import TYPE_CHECKING

from afterburner.agent.code.statements import statement_lines
from afterburner.agent.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness import Harness
    from afterburner.agent.types import WorkloadCall

LOOKING_S = 3.0  # at which lines calls reach
LEAST_LIMIT_S = 0.3  # for one call, however short it is untraced
_SHOWN = 6  # lines that a reason names
MOST_BYTES = 16 * 1024 * 1024  # of calls that are sent to be looked at


def unreached_lines(harness: Harness, calls: Sequence[WorkloadCall]) -> tuple[int, ...]:
    """The lines of statements in the original's function that none of these calls reaches, in their order.

    Empty if it could not be looked at all of them: then there is no telling.

    Args:
        harness: of the original.
        calls: all that a rewrite was judged on; the quickest are looked at first, until all lines are reached.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    target = harness.target
    statements = statement_lines(target.source, target.first_line, target.last_line)
    chosen, room = [], MOST_BYTES
    for call in sorted(calls, key=lambda call: call.cpu_time_s):
        room -= len(call.blob)
        if room >= 0:
            chosen.append(base64.b64encode(call.blob).decode("ascii"))
    fields = {"blobs": chosen, "ranges": statements, "budget_s": LOOKING_S, "most_s": LEAST_LIMIT_S}
    answer = harness.ask("reach", "reached", fields)
    if len(chosen) < len(calls) or not answer.finished:
        return ()
    for body in answer.told:
        match body:
            case {"looked_at_all": True, "unreached": [*numbers]}:
                known = [n for n in numbers if isinstance(n, int) and 0 <= n < len(statements)]
                return tuple(statements[number][0] for number in sorted(set(known)))
    return ()


def changed_lines(before: str, after: str, lines: Sequence[int]) -> tuple[int, ...]:
    """Those of these lines of one text that are not in the other, or stand elsewhere; indentation does not count."""
    old, new = ([line.strip() for line in text.splitlines()] for text in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    kept = {block.a + offset + 1 for block in matcher.get_matching_blocks() for offset in range(block.size)}
    return tuple(line for line in lines if line not in kept)


def lines_in_words(lines: Sequence[int]) -> str:
    """`line 7`, `lines 7, 9 and 12`; of many the first, and how many more there are."""
    shown = [str(line) for line in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        return f"lines {', '.join(shown)} and {count(len(lines) - _SHOWN, 'other')}"
    return f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(shown[:-1])} and {shown[-1]}"
