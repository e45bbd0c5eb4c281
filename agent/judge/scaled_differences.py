"""What a difference on calls of another size rests on: an assumption that they break, or rounding alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.inputs.broken_assumptions import broken_assumptions
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.search import MOST_ASSUMED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.harness_answers import Assumption
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.search import DifferenceSearch
    from afterburner.agent.types import WorkloadCall


def difference_on_scaled(
    search: Callable[[Workbench], DifferenceSearch],
    bench: Workbench,
    source: str,
    calls: Sequence[WorkloadCall],
    again: Callable[[Workbench], Sequence[WorkloadCall]],
    *,
    until: Deadline,
) -> Counterexample | None:
    """One of these calls on which a rewrite differs, with the assumptions under which none does; None if none differs.

    Args:
        search: of a bench: of the run's, and of others that state more assumptions.
        bench: of the original.
        source: the text of the whole file with the rewrite.
        calls: of other sizes than the workload's.
        again: makes such calls anew, for a bench that states more assumptions.
        until: of the search.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    first = found = search(bench).against(source, until, real_calls=calls, rounds=0)
    provided: list[Assumption] = []
    while isinstance(found, Counterexample):
        broken = _assumption_broken_by(found, bench) if len(provided) < MOST_ASSUMED else None
        if broken is None:
            return found
        provided.append(broken)
        assume = (*bench.workload.assume, *(each.expression for each in provided))
        narrower = replace(bench, workload=replace(bench.workload, assume=assume))
        found = search(narrower).against(source, until, real_calls=again(narrower), rounds=0)
    return replace(first, provided=tuple(provided)) if isinstance(first, Counterexample) else None


def _assumption_broken_by(found: Counterexample, bench: Workbench) -> Assumption | None:
    """What holds in every real call and not in the one that shows the difference; None if nothing plain does."""
    if found.timed_out or len(found.blobs) != 1:
        return None
    harness = Harness(bench.sandbox, bench.target, bench.environment, bench.limits)
    return next(iter(broken_assumptions(harness, bench.workload.calls_in_order(), found.blobs)), None)
