"""Looks for an input on which a rewrite differs from the original, and shows the smallest that it finds."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from afterburner.agent.code.data_names import data_names
from afterburner.agent.code.literals import new_literals
from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, ignore_event
from afterburner.agent.judge.verification.call_differences import Comparer
from afterburner.agent.judge.verification.made_inputs import Inputs, Round
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.shrinking import Shrinker
from afterburner.agent.types import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.call_differences import Differing
    from afterburner.agent.types import WorkloadCall

SMALL_BYTES = 1024  # a larger input is not made smaller before it is known whether a small one shows a difference, too
ROUNDS_FOR_SMALLER = 2
SHRINKING_S = 4.0  # beyond the deadline of the search: a difference is found once


@dataclass(frozen=True, slots=True)
class Least:
    """How many inputs have to agree, as far as so many can be made, and until when that is tried."""

    inputs: int
    until: Deadline


class DifferenceSearch:
    """Compares rewrites of one function with the original on inputs that were made for it.

    Args:
        bench: the target, its workload, and where to run it. Inputs are made from those calls that selection may see.
        original_source: the whole text of the original's file.
        seed: the inputs are the same for the same seed.
        on_event: is told how far it is.
        shrinking_s: how long a difference that was found is made smaller.
    """

    def __init__(
        self,
        bench: Workbench,
        original_source: str,
        seed: int,
        on_event: OnEvent | None = None,
        shrinking_s: float = SHRINKING_S,
    ) -> None:
        self._on_event, self._shrinking_s = on_event or ignore_event, shrinking_s
        self._by_cases = bench.by_cases
        target = replace(bench.target, source=original_source)
        place = (bench.sandbox, target, bench.environment, bench.limits)
        tolerance, clock = bench.workload.float_tolerance, bench.workload.fixed_clock
        self._comparer = Comparer(*place, tolerance, clock, other_environment=bench.other_environment)
        names = None if self._by_cases else data_names(original_source)
        self._inputs = Inputs(*place, bench.workload.calls, seed, tolerance, clock, names)

    def against(
        self,
        candidate_source: str,
        deadline: Deadline,
        *,
        real_calls: Sequence[WorkloadCall] = (),
        rounds: int | None = None,
        least: Least | None = None,
        effects_of_real_calls: bool = False,
    ) -> Counterexample | Agreement:
        """Compare until a difference is found, the deadline is over, or nothing new comes up.

        Args:
            candidate_source: the whole text of the file with the rewrite in place.
            deadline: of the search: after the first made round none is begun of which less than half would come
                before it, if it took as long as the one before. A difference that was found is made smaller for some
                seconds more.
            real_calls: what to compare on first: calls of the workload, in the order in which they are to be made.
            rounds: of made inputs, at most. Those of earlier searches come first and cost little.
            least: what an agreement is worth nothing without, however late it becomes.
            effects_of_real_calls: whether some real calls are made once more to compare what they do beside
                returning, as is always done for made inputs.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            reason = "inputs are made for functions; a whole program is compared on its cases alone"
            return Agreement((), (Skipped("made inputs", reason),), exhausted=True)
        agreed: dict[bytes, str] = {}  # origins by blob: a real call may be made twice
        started_s = time.monotonic()
        literals = new_literals(self._comparer.target.source, candidate_source)
        latest = deadline if least is None else least.until
        for made in self._rounds(latest, real_calls, rounds, effects_of_real_calls, literals):
            if not made.calls:
                continue
            comparer = self._comparer_of(made)
            found = comparer.first_difference(candidate_source, made.calls)
            if found is not None:
                self._on_event(ProgressEvent(kind=EventKind.SHRINKING))
                return self._shrunk(candidate_source, found, comparer)
            agreed |= {call.blob: call.origin for call in made.calls}
            self._on_event(ProgressEvent(kind=EventKind.AGREED, count=len(agreed)))
            begun_s, started_s = started_s, time.monotonic()
            enough = least is None or len(agreed) >= least.inputs
            if enough and made.calls is not real_calls and (started_s - begun_s) / 2 > deadline.left_s():
                break
        origins = tuple(Counter(agreed.values()).most_common())
        return Agreement(origins, tuple(self._inputs.skipped), exhausted=self._inputs.exhausted)

    def _comparer_of(self, made: Round) -> Comparer:
        return replace(self._comparer, known_names=made.known_names)

    def _shrunk(self, source: str, found: Differing, comparer: Comparer) -> Counterexample:
        """The difference on a smaller input; made inputs are small to begin with."""
        until = Deadline.after(self._shrinking_s)
        if len(found.calls[-1].blob) > SMALL_BYTES and found.may_shrink:
            for made in islice(self._inputs.rounds(until), ROUNDS_FOR_SMALLER):
                smaller = self._comparer_of(made).first_difference(source, made.calls)
                if smaller is not None and len(smaller.calls[-1].blob) < len(found.calls[-1].blob):
                    found, comparer = smaller, self._comparer_of(made)
                    break
        return Shrinker(comparer, source, until, self._inputs.starting_from()).shrink(found)

    def _rounds(
        self,
        deadline: Deadline,
        real_calls: Sequence[WorkloadCall],
        rounds: int | None,
        effects_of_real_calls: bool,
        literals: Sequence[float | str],
    ) -> Iterator[Round]:
        if real_calls:
            yield Round(real_calls, None)
        if effects_of_real_calls:
            yield self._inputs.real_calls()
        for number, made in enumerate(islice(self._inputs.rounds(deadline), rounds)):
            yield made
            if number == 0 and literals:
                yield self._inputs.with_literals(literals)
