"""Looks for an input on which a rewrite differs from the original, and shows the smallest that it finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.types import Skipped
from afterburner.agent.verification.comparing import Comparer
from afterburner.agent.verification.inputs import Inputs
from afterburner.agent.verification.outcome import Agreement, Counterexample
from afterburner.agent.verification.shrinking import Shrinker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.workbench import Workbench

SHRINKING_S = 5.0  # what shrinking may take beyond the deadline of the search: a difference is found rarely


def find_difference(
    bench: Workbench, original_source: str, candidate_source: str, *, seed: int, deadline: Deadline
) -> Counterexample | Agreement:
    """Search once, the workload's own calls first; see `DifferenceSearch`, which keeps its inputs for the next."""
    search = DifferenceSearch(bench, original_source, seed)
    return search.against(candidate_source, deadline, real_calls=bench.workload.calls_in_order())


class DifferenceSearch:
    """Compares rewrites of one function with the original on inputs that were made for it.

    Args:
        bench: the target, its workload, and where to run it. Inputs are made from those calls that selection may see.
        original_source: the whole text of the original's file.
        seed: the inputs are the same for the same seed.
        tell: is told how far it is.
    """

    def __init__(
        self, bench: Workbench, original_source: str, seed: int, tell: Callable[[str], None] | None = None
    ) -> None:
        self._tell = tell or _ignore
        self._by_cases = bench.by_cases
        target = replace(bench.target, source=original_source)
        self._comparer = Comparer(bench.sandbox, target, bench.environment, bench.limits)
        self._inputs = Inputs(bench.sandbox, target, bench.environment, bench.limits, bench.workload.calls, seed)

    def against(
        self,
        candidate_source: str,
        deadline: Deadline,
        *,
        real_calls: Sequence[WorkloadCall] = (),
        rounds: int | None = None,
    ) -> Counterexample | Agreement:
        """Compare until a difference is found, the deadline is over, or nothing new comes up.

        Args:
            candidate_source: the whole text of the file with the rewrite in place.
            deadline: of the search; a difference that was found is then made smaller for some seconds more.
            real_calls: what to compare on first: calls of the workload, in the order in which they are to be made.
            rounds: of made inputs, at most. Those of earlier searches come first and cost little.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            reason = "inputs are made for functions; a whole program is compared on its cases alone"
            return Agreement((), (Skipped("made inputs", reason),), exhausted=True)
        agreed: Counter[str] = Counter()
        for calls in self._rounds(deadline, real_calls, rounds):
            found = self._comparer.first_difference(candidate_source, calls)
            if found is not None:
                self._tell("found a difference; making the input smaller")
                until = Deadline(max(deadline.at_s, Deadline.after(SHRINKING_S).at_s))
                return Shrinker(self._comparer, candidate_source, until, self._inputs.starting_from()).shrink(found)
            agreed.update(call.origin for call in calls)
            self._tell(f"the same on {agreed.total()} inputs so far")
        return Agreement(tuple(agreed.most_common()), tuple(self._inputs.skipped), exhausted=self._inputs.exhausted)

    def _rounds(
        self, deadline: Deadline, real_calls: Sequence[WorkloadCall], rounds: int | None
    ) -> Iterator[Sequence[WorkloadCall]]:
        if real_calls:
            yield real_calls
        yield from islice(self._inputs.rounds(deadline), rounds)


def _ignore(_message: str) -> None:
    pass
