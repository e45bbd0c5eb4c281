"""What a winner has to stand before it is offered: the same behaviour everywhere, and a gain that is one.

In this order, each only if the one before was passed: all calls, the held-out ones too; the confirmatory test of its
gain, which most fail that fail at all; inputs made to find a difference and, at the same time, other circumstances
(alone, in another order, in another folder); and a gain that is too good to be believed at once is looked at again on
larger inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.evidence.larger import larger_calls
from afterburner.agent.records import confirmation_of, detail_of, differs
from afterburner.agent.selection.caches import kept_between_calls
from afterburner.agent.selection.circumstances import find_dependence
from afterburner.agent.selection.comparison import Comparison
from afterburner.agent.selection.instructions import count_instructions
from afterburner.agent.selection.sampling import SampleFailedError
from afterburner.agent.types import Decision, Gain, HeldOut, Objective, ProgressEvent
from afterburner.agent.verification.outcome import Agreement, Counterexample
from afterburner.agent.verification.search import DifferenceSearch
from afterburner.agent.wording import format_ratio
from afterburner.agent.workloads.side_by_side import both, side_by_side
from afterburner.sandbox import Verdict
from afterburner.sandbox.commands.figures import format_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.selection.decide import Judge
    from afterburner.agent.state import Confirmation, Incumbent
    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.workbench import Workbench
    from afterburner.sandbox import Report

BLOCKS_TOLD = 4
SEARCH_S, SEARCH_ROUNDS = 3.0, 2  # for an input on which a promising candidate differs
OFFER_S, OFFER_ROUNDS = 3.0, 6  # the same before an offer
HARD_TO_BELIEVE = 10.0  # a gain above this is looked at again on larger inputs
LARGER_S = 15.0  # for making those inputs, and as long again for looking


@dataclass(slots=True)
class Confirming:
    """Confirms the winners of one run."""

    bench: Workbench
    judge: Judge
    deadline: Deadline
    on_event: Callable[[ProgressEvent], None]
    deterministic: bool = False  # whether instructions are counted, too
    _search: DifferenceSearch | None = field(default=None, init=False)
    _tests: int = field(default=0, init=False)  # that were begun in this run

    def confirm(self, winner: Incumbent, original: Incumbent) -> Confirmation:
        """Whether the winner may be offered in place of the original, and why (not).

        Raises:
            SandboxInternalError: the sandbox itself failed.
        """
        bench, inputs = self.bench, self.bench.workload.held_out_count
        report = self._first_failed(winner)
        if report is not None:
            failed = Comparison(Decision.WRONG, f"when confirmed: {detail_of(report)}", verdict=report.verdict)
            found = self.difference(winner.source, self.deadline, 0, bench.workload.calls_in_order())
            line = found.line if found else None
            return confirmation_of(winner, original, failed, HeldOut(inputs, passed=False, gain=None), line)
        comparison, held_out_gain = self._measure(winner, original)
        if self.deterministic:
            comparison = self._counted(comparison, winner, original)
        held_out = HeldOut(inputs, passed=comparison.decision is not Decision.WRONG, gain=held_out_gain)
        if comparison.decision is not Decision.IMPROVED:
            return confirmation_of(winner, original, comparison, held_out)
        searched, dependence = self._looked_at(winner.source, original.source)
        if isinstance(searched, Counterexample):
            return confirmation_of(winner, original, differs(searched), held_out, searched.line)
        if dependence is not None:
            return confirmation_of(winner, original, Comparison(Decision.REFUSED, dependence), held_out)
        larger = ""
        if comparison.gain is not None:
            comparison, larger = self._on_larger_inputs(comparison, comparison.gain, winner, original)
        held_out = replace(held_out, passed=comparison.decision is not Decision.WRONG)
        confirmation = confirmation_of(winner, original, comparison, held_out)
        return replace(confirmation, notes=_notes(winner, original, searched, comparison), larger_inputs=larger)

    def _first_failed(self, winner: Incumbent) -> Report | None:
        """The report of the first process full of calls that is not right, None if all are."""
        bench, program = self.bench, self.bench.program(winner.source)
        cases = [bench.confirmed_cases()] if bench.by_cases else [(case,) for case in bench.confirmed_cases()]
        runs = [partial(bench.sandbox.run, program, each, bench.limits) for each in cases]
        reports = side_by_side(bench.sandbox, runs)
        return next((report for report in reports if report.verdict is not Verdict.ACCEPTED), None)

    def _looked_at(self, winner: str, original: str) -> tuple[Counterexample | Agreement, str | None]:
        """What a search for a difference finds, and what the winner depends on; both at the same time."""
        search = partial(self._searched, winner, self.deadline.within(OFFER_S), OFFER_ROUNDS)
        look = partial(find_dependence, self.bench, original, winner, f"{self.judge.seed} {winner}")
        return both(self.bench.sandbox, search, look)

    def difference(
        self, source: str, until: Deadline, rounds: int, real_calls: Sequence[WorkloadCall] = ()
    ) -> Counterexample | None:
        """An input on which this source differs from the original, among real calls and so many rounds of made ones."""
        found = self._searched(source, until, rounds, real_calls)
        return found if isinstance(found, Counterexample) else None

    def _searched(
        self, source: str, until: Deadline, rounds: int, real_calls: Sequence[WorkloadCall] = ()
    ) -> Counterexample | Agreement:
        if self._search is None:
            self._search = DifferenceSearch(self.bench, self.bench.target.source, self.judge.seed)
        return self._search.against(source, until, real_calls=real_calls, rounds=rounds)

    def _measure(self, winner: Incumbent, original: Incumbent) -> tuple[Comparison, Gain | None]:
        source, held_out_from = self.bench.block_source(
            original.source, [winner.source], self.judge.objective, held_out=True
        )
        attempt, self._tests = self._tests, self._tests + 1
        return self.judge.confirm(
            source, self.deadline, held_out_from=held_out_from, attempt=attempt, on_blocks=self._tell_blocks
        )

    def _counted(self, comparison: Comparison, winner: Incumbent, original: Incumbent) -> Comparison:
        """The comparison as instruction counts decide it, where the clock does not object."""
        if comparison.gain is None or comparison.decision in (Decision.WRONG, Decision.REFUSED):
            return comparison
        self._tell("counting instructions under valgrind")
        cases = [case for part in (False, True) for case in self.bench.timed_cases(self.judge.objective, held_out=part)]
        try:
            counts = count_instructions(self.bench, original.source, winner.source, cases)
        except SampleFailedError as error:
            reason = f"when its instructions were counted: {error.detail}"
            return replace(comparison, decision=Decision.REFUSED, reason=reason)
        needed = 1 + self.judge.min_effect
        told = f"{format_ratio(counts.ratio)} fewer instructions ({counts.before:,} before, {counts.after:,} after)"
        if counts.ratio <= needed:
            reason = f"{told}, needed above {format_ratio(needed)}"
            return replace(comparison, decision=Decision.NOT_BETTER, reason=reason)
        if comparison.gain.high < 1:
            return replace(comparison, reason=f"{told}, but by the clock it is {comparison.reason}")
        gain = Gain(counts.ratio, counts.ratio, counts.ratio, confidence=1.0, pairs=1)
        return replace(comparison, decision=Decision.IMPROVED, reason=told, gain=gain)

    def _on_larger_inputs(
        self, comparison: Comparison, gain: Gain, winner: Incumbent, original: Incumbent
    ) -> tuple[Comparison, str]:
        """The comparison again, or what larger inputs make of it; and what to tell of them."""
        if gain.ratio <= HARD_TO_BELIEVE or self.judge.objective is not Objective.TIME:
            return comparison, ""
        self._tell(f"{format_ratio(gain.ratio)} is looked at again on larger inputs")
        until = self.deadline.within(2 * LARGER_S)
        calls = self.bench.workload.calls_in_order()
        larger = larger_calls(self.bench, calls, most_s=min(LARGER_S, until.left_s() / 2))
        if not larger.calls:
            return comparison, larger.note
        source = self.bench.source_of_calls(original.source, [winner.source], larger.calls)
        [again] = self.judge.screen(source, until)
        size = f"inputs {larger.factor:.3g} times as large"
        if again.gain is None:
            if again.decision is Decision.WRONG:
                reason = f"on {size} it differs: {again.reason}"
                return replace(comparison, decision=Decision.WRONG, reason=reason, verdict=again.verdict), ""
            return comparison, f"not measured again on larger inputs: {again.reason}"
        if again.gain.ratio <= 1 + self.judge.min_effect:
            reason = f"{format_ratio(gain.ratio)}, but on {size} only {format_ratio(again.gain.ratio)}"
            return replace(comparison, decision=Decision.NOT_BETTER, reason=reason), ""
        return comparison, f"measured again on {size}: {format_ratio(again.gain.ratio)}"

    def _tell_blocks(self, taken: int, most: int) -> None:
        if taken % BLOCKS_TOLD == 0 and taken < most:
            self._tell(f"{taken} blocks of fresh runs, at most {most}")

    def _tell(self, message: str) -> None:
        self.on_event(ProgressEvent("confirm", message))


def _notes(winner: Incumbent, original: Incumbent, made: Agreement, comparison: Comparison) -> list[str]:
    notes = [f"on inputs made to find a difference it is {made.line}"] if made.inputs else []
    kept = kept_between_calls(original.source, winner.source)
    if kept:
        samples = [sample.kept_bytes for block in comparison.blocks for sample in block.after]
        kept_bytes = max((size for size in samples if size is not None), default=0)
        memory = f" and holds {format_kib(kept_bytes / 1024)} after one" if kept_bytes else ""
        where = ", ".join(kept)
        notes.append(f"it keeps results between calls ({where}){memory}: only the gain of first calls is counted")
    return notes
