"""Breaks off generators: what one does when its caller stops early belongs to what it does.

In all other calls every item is taken. So a rewrite that loses a `finally`, in which a file is closed or something is
called back, would look right, and leave the file open for a caller that leaves its loop.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.code.data_names import data_names
from afterburner.agent.judge.circumstances import COST_S, Circumstance, Dependence
from afterburner.agent.judge.first_items import lazy_calls
from afterburner.agent.judge.verification.call_differences import without_number
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CallCase

TAKEN = 1  # items, before the generator is closed
MOST_CALLS = 24
_BY = "by a caller that takes one item and closes the generator"


def find_early_end(bench: Workbench, original: str, winner: str) -> Dependence | None:
    """How a winner differs when its caller stops early; None if it does not, or if the original itself varies there.

    What both do beside giving items is compared, too, such as calls of functions that came in with the arguments.

    Args:
        bench: of the run.
        original: the text of its whole file.
        winner: likewise with the rewrite in place.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    lazy = [] if bench.by_cases else lazy_calls(bench.workload.calls_in_order())
    calls = _affordable([call for call in lazy if _items_of(call) > TAKEN])
    if not calls:
        return None
    broken_off = replace(bench.call_case(calls, hash_seed=0), expected_outcomes=None, most_items=TAKEN, breaks_off=True)
    with_effects = replace(broken_off, known_names=data_names(original))
    expected = _steady(bench, original, with_effects) or _steady(bench, original, broken_off)
    if expected is None:
        return None
    [seen] = bench.run_program(bench.rewrite(winner), [expected], bench.limits).cases
    if seen.verdict is Verdict.ACCEPTED:
        return None
    call = "" if seen.difference_at is None else f"{calls[seen.difference_at].description} "
    detail = f"{call}{without_number(seen.detail)}"
    return Dependence(Circumstance(_BY, expected), detail, timed_out=seen.verdict is Verdict.TIME_LIMIT)


def _items_of(call: WorkloadCall) -> int:
    """How many items the original gives, or more if there are very many."""
    match json.loads(call.expected):
        case ["outcome", _, ["returned", ["drained", _, _, ["items", *items], *_]], *_]:
            return len(items)
    return 0


def _affordable(dearest_first: list[WorkloadCall]) -> list[WorkloadCall]:
    """Cheap calls first: their first items tell as much."""
    kept: list[WorkloadCall] = []
    left_s = COST_S
    for call in dearest_first[::-1][:MOST_CALLS]:
        if not kept or call.cpu_time_s <= left_s:
            kept.append(call)
            left_s -= call.cpu_time_s
    return kept


def _steady(bench: Workbench, original: str, case: CallCase) -> CallCase | None:
    """The case with what the original does; None if it does not do the same each time."""
    program = bench.program(original)
    [report] = bench.run_program(program, [case], bench.limits).cases
    if report.verdict is not Verdict.ACCEPTED:
        return None
    expected = replace(case, expected_outcomes=tuple(outcome.encoded for outcome in report.outcomes))
    again = bench.run_program(program, [replace(expected, hash_seed=1)], bench.limits)
    return expected if again.verdict is Verdict.ACCEPTED else None
