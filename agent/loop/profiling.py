"""The profile step of a round: judge its candidates side by side, then time those that are right, together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.events import EventKind, OnEvent, ProgressEvent
from afterburner.agent.inputs.cases import failing_case
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import detail_of, with_memory_of
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.loop.records import Example, example_of, record_of
from afterburner.agent.types import Decision
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.types import Candidate, JudgedCandidate, WorkloadCall
    from afterburner.sandbox import Report


@dataclass(frozen=True, slots=True)
class Profiling:
    """What a round's candidates are judged and timed with."""

    bench: Workbench
    judge: Judge
    until: Deadline
    on_event: OnEvent
    difference: Callable[[str, Sequence[WorkloadCall]], Counterexample | None]  # of a source, on real calls
    beside: Callable[[Sequence[str]], AbstractContextManager[object]]  # what is done with texts while they are timed

    def judged(self, candidates: Sequence[Candidate], incumbent: Incumbent) -> list[JudgedCandidate]:
        """Judge the candidates side by side, and rank those that are right against the incumbent."""
        reports = self._judge_side_by_side(candidates)
        right = [each for each, report in zip(candidates, reports, strict=True) if report.verdict is Verdict.ACCEPTED]
        compared = self._screen(right, incumbent)
        measured = side_by_side(
            self.bench.sandbox,
            [partial(self._with_memory, each, of.source) for each, of in zip(compared, right, strict=True)],
        )
        ranked = {of.id: comparison for of, comparison in zip(right, measured, strict=True)}
        records = []
        for candidate, report in zip(candidates, reports, strict=True):
            if candidate.id in ranked:
                records.append(record_of(candidate, ranked[candidate.id]))
            else:
                example = self._example(candidate, report)
                reason = (example and example.reason) or detail_of(report)
                records.append(
                    record_of(candidate, Comparison(Decision.WRONG, reason, verdict=report.verdict), example)
                )
        return records

    def _judge_side_by_side(self, candidates: Sequence[Candidate]) -> list[Report]:
        """Whether each candidate is right on the calls of selection; nothing is timed."""
        if not candidates:
            return []
        self.on_event(ProgressEvent(kind=EventKind.JUDGING, count=len(candidates)))
        cases = self.bench.judged_cases()
        return side_by_side(self.bench.sandbox, [partial(self.bench.run, each.source, cases) for each in candidates])

    def _screen(self, candidates: Sequence[Candidate], incumbent: Incumbent) -> list[Comparison]:
        if not candidates:
            return []
        self.on_event(ProgressEvent(kind=EventKind.TIMING, count=len(candidates)))
        sources = [each.source for each in candidates]
        source, _ = self.bench.block_source(incumbent.source, sources, self.judge.objective, held_out=False)
        with self.beside(sources):
            return self.judge.screen(source, self.until, only_ranks=True)

    def _example(self, candidate: Candidate, report: Report) -> Example | None:
        """A real input on which a candidate that was judged wrong differs, and how."""
        if self.bench.by_cases:
            failing = failing_case(self.bench.workload.cases, report.cases)
            if failing is None:
                return None
            shown, printed = failing
            return Example(f"{shown}: {printed}", f"{shown}: the program prints something else")
        found = self.difference(candidate.source, self.bench.workload.calls)
        return example_of(found) if found else None

    def _with_memory(self, comparison: Comparison, source: str) -> Comparison:
        """Add the memory of a process of its own: forks of a template share theirs with it."""
        if comparison.after is None or comparison.after.peak_memory_kib:
            return comparison
        cases = self.bench.timed_cases(self.judge.objective, held_out=False)
        sampler = replace(self.bench.sampler(cases), core=None)  # nothing is timed here
        try:
            memory = sampler.sample(self.bench.program(source)).work
        except SampleFailedError as error:
            return Comparison(Decision.WRONG, f"when measured: {error.detail}", verdict=error.verdict)
        return replace(comparison, after=with_memory_of(comparison.after, memory))
