"""A version that reaches the time limit is far slower, if the other one is far below that limit; else nothing is known.

It is never called different: what it would have done was not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.wording import format_ratio
from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.workbench import Workbench

FAR_BELOW = 4  # BEFORE may need at most this fraction (1 / FAR_BELOW) of the limit that AFTER reaches


def is_far_slower(bench: Workbench, source: str, cases: Sequence[Case], on: str, least: float) -> tuple[bool, str]:
    """Run both versions once more on inputs among which the other version reached the time limit.

    A limit counts for the whole process. So work that only moved out of the calls makes no version slower.

    Args:
        bench: of BEFORE.
        source: AFTER, the text of the whole file.
        cases: the inputs.
        on: what to call them.
        least: the smallest ratio that counts.

    Returns:
        Whether AFTER reaches the limit again and BEFORE needs only a small part of it; and what was seen, in words.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    limit_s = bench.limits.wall_time_s
    before = bench.run(bench.target.source, cases)
    after = bench.run_program(bench.rewrite(source), cases, bench.limits)
    before_s = before.measurement.wall_time_s
    told = f"AFTER reached the time limit of {limit_s:.3g} s on {on}"
    if after.verdict is not Verdict.TIME_LIMIT:
        return False, f"{told}, but not when it was tried again"
    if before.verdict is Verdict.TIME_LIMIT:
        return False, f"{told}, and so did BEFORE when it was tried again"
    if before_s * max(FAR_BELOW, least) > limit_s:
        return False, f"{told}, but BEFORE needs {before_s:.2g} s of it, too: how much slower AFTER is cannot be told"
    needs = f"BEFORE needs {before_s:.2g} s for {_in_one_process(cases)}"
    return True, f"{told}, where {needs}: at least {format_ratio(limit_s / before_s)} as long"


def _in_one_process(cases: Sequence[Case]) -> str:
    """What the time of BEFORE is of: a reader takes it for that of one call."""
    calls = sum(len(case.calls) for case in cases if isinstance(case, CallCase))
    return f"all {calls:,} calls in one process" if calls > 1 else "the whole process"
