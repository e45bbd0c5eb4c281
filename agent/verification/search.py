"""Looks for an input on which a rewrite differs from the original, and shows the smallest that it finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.types import Skipped
from afterburner.agent.verification.comparing import Comparer
from afterburner.agent.verification.inputs import Inputs
from afterburner.agent.verification.outcome import Agreement, Counterexample
from afterburner.agent.verification.shrinking import Shrinker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.workbench import Workbench

SHRINKING_S = 5.0  # what shrinking may take beyond the deadline of the search: a difference is found rarely


def find_difference(
    bench: Workbench, original_source: str, candidate_source: str, *, seed: int, deadline: Deadline
) -> Counterexample | Agreement:
    """Search once; see `DifferenceSearch`, which keeps its inputs for the next candidate."""
    return DifferenceSearch(bench, original_source, seed).against(candidate_source, deadline)


class DifferenceSearch:
    """Compares rewrites of one function with the original on inputs that were made for it.

    Args:
        bench: the target, its workload (whose calls the inputs are made from), and where to run it.
        original_source: the whole text of the original's file.
        seed: the inputs are the same for the same seed.
        tell: is told how far it is.
    """

    def __init__(
        self, bench: Workbench, original_source: str, seed: int, tell: Callable[[str], None] | None = None
    ) -> None:
        self._tell = tell or _ignore
        self._by_cases = bench.by_cases
        calls = (*bench.workload.calls, *bench.workload.held_out_calls)
        self._calls = sorted(calls, key=lambda call: call.position)
        target = replace(bench.target, source=original_source)
        self._comparer = Comparer(bench.sandbox, target, bench.environment, bench.limits)
        self._inputs = Inputs(bench.sandbox, target, bench.environment, bench.limits, self._calls, seed)

    def against(
        self, candidate_source: str, deadline: Deadline, *, real_calls: bool = True
    ) -> Counterexample | Agreement:
        """Compare until a difference is found, the deadline is over, or nothing new comes up.

        Args:
            candidate_source: the whole text of the file with the rewrite in place.
            deadline: of the search; a difference that was found is then made smaller for some seconds more.
            real_calls: compare on the workload's own calls first; not needed where that was done.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            reason = "inputs are made for functions; a whole program is compared on its cases alone"
            return Agreement((), (Skipped("made inputs", reason),), exhausted=True)
        agreed: Counter[str] = Counter()
        for calls in self._rounds(deadline, real_calls=real_calls):
            found = self._comparer.first_difference(candidate_source, calls)
            if found is not None:
                self._tell("found a difference; making the input smaller")
                until = Deadline(max(deadline.at_s, Deadline.after(SHRINKING_S).at_s))
                return Shrinker(self._comparer, candidate_source, until, self._inputs.starting_from()).shrink(found)
            agreed.update(call.origin for call in calls)
            self._tell(f"the same on {agreed.total()} inputs so far")
        return Agreement(tuple(agreed.most_common()), tuple(self._inputs.skipped), exhausted=self._inputs.exhausted)

    def _rounds(self, deadline: Deadline, *, real_calls: bool) -> Iterator[list[WorkloadCall]]:
        if real_calls:
            yield self._calls
        yield from self._inputs.rounds(deadline)


def _ignore(_message: str) -> None:
    pass
