"""The one loop (Algorithm 1 of the paper): prepare → generate → profile → select → (generate | finish).

The main path reads top to bottom; what a run works with is its `Workbench`, what it carries is its `LoopState`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from afterburner.agent.confirming import SEARCH_ROUNDS, SEARCH_S, Confirming, differs
from afterburner.agent.errors import ProposerError, TargetError, WorkloadError
from afterburner.agent.proposers.base import Proposal, ProposalRequest
from afterburner.agent.records import (
    detail_of,
    line_of,
    record_of,
    refused,
    settled,
    with_memory_of,
)
from afterburner.agent.selection.decide import Comparison, median_measurement
from afterburner.agent.selection.gates import refusal
from afterburner.agent.selection.sampling import SampleFailedError
from afterburner.agent.state import Incumbent, LoopState, Pending
from afterburner.agent.targets.text import fingerprint
from afterburner.agent.types import CandidateRecord, Decision, ProgressEvent
from afterburner.agent.wording import count
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.proposers.base import Proposer
    from afterburner.agent.selection.decide import Judge
    from afterburner.agent.selection.sampling import Case, Sampler
    from afterburner.agent.state import Confirmation
    from afterburner.agent.types import RunSettings
    from afterburner.agent.workbench import Workbench
    from afterburner.sandbox import Report

BASELINE_SAMPLES = 3
WINNERS_TRIED = 4  # a winner that fails its confirmation makes room for the next


@dataclass(slots=True)
class Loop:
    """One run on one target."""

    bench: Workbench
    proposer: Proposer
    judge: Judge
    settings: RunSettings
    search_until: Deadline  # selection stops here, so that confirmation still has its share of the time
    confirm_until: Deadline
    on_event: Callable[[ProgressEvent], None]
    _confirming: Confirming | None = field(default=None, init=False)

    def compile(
        self, checkpointer: BaseCheckpointSaver[str]
    ) -> CompiledStateGraph[LoopState, None, LoopState, LoopState]:
        """Build the LangGraph graph."""
        from langgraph.graph import END, START, StateGraph  # noqa: PLC0415 - heavy

        graph = StateGraph(LoopState)
        graph.add_node("prepare", self.prepare)
        graph.add_node("generate", self.generate)
        graph.add_node("profile", self.profile)
        graph.add_node("select", self.select)
        graph.add_node("finish", self.finish)
        graph.add_edge(START, "prepare")
        graph.add_edge("prepare", "generate")
        graph.add_edge("generate", "profile")
        graph.add_edge("profile", "select")
        graph.add_conditional_edges("select", self.after_select)
        graph.add_edge("finish", END)
        return graph.compile(checkpointer=checkpointer)

    def prepare(self, state: LoopState) -> LoopState:
        """Measure the original: C* and M* of the first iteration. What it needs sets the limits of its rewrites."""
        self._tell("prepare", "measuring the original")
        source = self.bench.target.source
        original = self.bench.program(source)
        report = self._run(source, (*self.bench.judged_cases(), *self.bench.confirmed_cases()))
        if report.verdict is not Verdict.ACCEPTED:
            raise self._unsteady(detail_of(report))
        slowest = max(case.measurement.wall_time_s for case in report.cases)
        self.bench = self.bench.limited_by(slowest)
        selected, kept = (self._fresh(held_out=part) for part in (False, True))
        try:
            measurement = median_measurement([selected.sample(original).work for _ in range(BASELINE_SAMPLES)])
            kept.sample(original)  # now, for in the confirmation it would look like the winner's fault
        except SampleFailedError as error:
            raise self._unsteady(error.detail) from error
        incumbent = Incumbent("original", source, measurement, ratio=1.0)
        return {**state, "lineage": [incumbent]}

    def generate(self, state: LoopState) -> dict[str, object]:
        """Ask the proposer for candidates that improve on the incumbent."""
        from afterburner.agent.targets.locate import with_source  # noqa: PLC0415 - imports libcst

        iteration, incumbent = state["iteration"] + 1, state["lineage"][-1]
        self._tell("generate", f"asking {self.proposer.name}", iteration)
        request = ProposalRequest(
            target=with_source(self.bench.target, incumbent.source),
            objective=self.settings.objective,
            measurement=incumbent.measurement,
            passed=True,
            iteration=iteration,
            count=self.settings.candidates,
            history=tuple(state["records"]),
            seed=self.settings.seed,
            counterexample=next((each.counterexample for each in state["records"][::-1] if each.counterexample), None),
        )
        proposals, is_last = self._propose(request)
        pending = [self._pending(f"{iteration}.{n}", p, incumbent) for n, p in enumerate(proposals, start=1)]
        return {"iteration": iteration, "pending": pending, "exhausted": is_last or not pending}

    def profile(self, state: LoopState) -> dict[str, object]:
        """Judge the candidates side by side, then time those that are right, one at a time."""
        incumbent = state["lineage"][-1]
        seen = {fingerprint(state["lineage"][0].source): "original"}
        for record in state["records"]:
            seen.setdefault(fingerprint(record.source), record.id)
        fresh: list[Pending] = []
        records: dict[str, CandidateRecord] = {}
        for candidate in state["pending"]:
            earlier = seen.setdefault(fingerprint(candidate.source), candidate.id)
            objection = candidate.error or refusal(state["lineage"][0].source, candidate.source)
            if objection:
                records[candidate.id] = refused(candidate, state["iteration"], objection)
            elif earlier != candidate.id:
                records[candidate.id] = refused(candidate, state["iteration"], f"the same code as {earlier}")
            else:
                fresh.append(candidate)
        for candidate, report in zip(fresh, self.judge_side_by_side(fresh, state["iteration"]), strict=True):
            records[candidate.id] = self.profile_one(candidate, report, incumbent, state["iteration"])
            self._tell("profile", line_of(records[candidate.id]), state["iteration"], incumbent.ratio)
        return {"records": state["records"] + [records[c.id] for c in state["pending"]], "pending": []}

    def select(self, state: LoopState) -> dict[str, object]:
        """Greedy selection: the candidate that screening ranks first replaces the incumbent."""
        won = [
            record
            for record in state["records"]
            if record.iteration == state["iteration"] and record.decision is Decision.PROMISING
        ]
        exhausted = state["exhausted"] or self.search_until.passed()
        if not won:
            return {"exhausted": exhausted}
        best = max(won, key=lambda record: record.gain.ratio if record.gain else 0.0)
        incumbent = self._promote(best, state["lineage"][-1])
        self._tell("select", f"{best.id} {best.proposer} is kept", state["iteration"], incumbent.ratio)
        return {"lineage": [*state["lineage"], incumbent], "exhausted": exhausted}

    def after_select(self, state: LoopState) -> Literal["generate", "finish"]:
        """Go round again until the iterations, the proposals or the time are used up."""
        done = state["exhausted"] or state["iteration"] >= self.settings.iterations
        return "finish" if done else "generate"

    def finish(self, state: LoopState) -> dict[str, object]:
        """Confirm the winner against the original, on held-out inputs too; fall back where it fails."""
        confirmation: Confirmation | None = None
        records = list(state["records"])
        for winner in self._winners(state):
            self._tell("confirm", f"testing {winner.id} against the original on held-out inputs", best=winner.ratio)
            confirmation = self._confirm_with().confirm(winner, state["lineage"][0])
            self._tell("confirm", f"{winner.id}: {confirmation.reason}", best=winner.ratio)
            records = [settled(record, confirmation) for record in records]
            if confirmation.confirmed:
                break
            if self.confirm_until.passed():
                break
        return {"confirmation": confirmation, "records": records}

    def _winners(self, state: LoopState) -> list[Incumbent]:
        """Whom to confirm, in this order: the last incumbent, those before it, then who else beat the original."""
        original, *accepted = state["lineage"]
        known = {incumbent.id for incumbent in accepted}
        others = [
            self._promote(record, original)
            for record in state["records"]
            if record.iteration == 1 and record.decision is Decision.PROMISING and record.id not in known
        ]
        return [*reversed(accepted), *sorted(others, key=lambda other: -other.ratio)][:WINNERS_TRIED]

    def _propose(self, request: ProposalRequest) -> tuple[list[Proposal], bool]:
        """The proposals, and whether they are the last: a model that fails later on must not cost what was found."""
        try:
            return self.proposer.propose(request), False
        except ProposerError as error:
            if request.iteration == 1:
                raise
            return [Proposal(self.proposer.name, None, error=str(error))], True

    def _pending(self, candidate_id: str, proposal: Proposal, incumbent: Incumbent) -> Pending:
        from afterburner.agent.targets.locate import with_source  # noqa: PLC0415 - imports libcst
        from afterburner.agent.targets.splice import splice  # noqa: PLC0415 - likewise

        source, error = "", proposal.error
        if proposal.rewrite is not None:
            try:
                source = splice(with_source(self.bench.target, incumbent.source), proposal.rewrite)
            except TargetError as refusal:
                error = str(refusal)
        return Pending(candidate_id, proposal.proposer, source, proposal.reasoning, error)

    def judge_side_by_side(self, candidates: Sequence[Pending], iteration: int) -> list[Report]:
        """Whether each candidate is right on the calls of selection; nothing is timed."""
        if not candidates:
            return []
        self._tell("profile", f"judging {count(len(candidates), 'candidate')}", iteration)
        cases = self.bench.judged_cases()

        def judge(candidate: Pending) -> Report:
            return self._run(candidate.source, cases)

        pool = ThreadPoolExecutor(max_workers=min(len(candidates), self.bench.workers))
        try:
            return list(pool.map(judge, candidates))
        except BaseException:
            self.bench.sandbox.stop()  # an interrupt must not wait for what is still running
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def profile_one(self, candidate: Pending, report: Report, incumbent: Incumbent, iteration: int) -> CandidateRecord:
        """Rank a candidate against the incumbent, and look for an input where it differs; `report` is of its calls."""
        if report.verdict is not Verdict.ACCEPTED:
            wrong = Comparison(Decision.WRONG, detail_of(report), verdict=report.verdict)
            found = self._confirm_with().difference(candidate.source, self.search_until, 0, self.bench.workload.calls)
            return record_of(candidate, iteration, wrong, found.line if found else None)
        bench, objective = self.bench, self.settings.objective
        source, _ = bench.block_source(incumbent.source, candidate.source, objective, held_out=False)
        comparison = self.judge.screen(source, self.search_until)
        if comparison.decision is Decision.PROMISING:
            found = self._confirm_with().difference(candidate.source, self.search_until.within(SEARCH_S), SEARCH_ROUNDS)
            if found:
                return record_of(candidate, iteration, differs(found), found.line)
        return record_of(candidate, iteration, self._with_memory(comparison, candidate.source))

    def _promote(self, record: CandidateRecord, before: Incumbent) -> Incumbent:
        gain = record.gain.ratio if record.gain else 1.0
        return Incumbent(record.id, record.source, record.measurement or before.measurement, before.ratio * gain)

    def _confirm_with(self) -> Confirming:
        """Made once the original is measured: that sets the limits of its rewrites."""
        if self._confirming is None:
            self._confirming = Confirming(
                self.bench, self.judge, self.confirm_until, self.on_event, deterministic=self.settings.deterministic
            )
        return self._confirming

    def _run(self, source: str, cases: Sequence[Case]) -> Report:
        return self.bench.sandbox.run(self.bench.program(source), cases, self.bench.limits)

    def _unsteady(self, detail: str) -> WorkloadError:
        return WorkloadError(
            f"{self.bench.target.path}: the original does not do the same each time: {detail}. Make what it depends on "
            "(time, chance, files, global state) a parameter, or give other inputs with --calls."
        )

    def _fresh(self, *, held_out: bool) -> Sampler:
        return self.bench.sampler(self.bench.timed_cases(self.settings.objective, held_out=held_out))

    def _with_memory(self, comparison: Comparison, source: str) -> Comparison:
        """Add the memory of a process of its own: forks of a template share theirs with it."""
        if comparison.after is None or comparison.after.peak_memory_kib:
            return comparison
        try:
            memory = self._fresh(held_out=False).sample(self.bench.program(source)).work
        except SampleFailedError as error:
            return Comparison(Decision.WRONG, f"when measured: {error.detail}", verdict=error.verdict)
        return replace(comparison, after=with_memory_of(comparison.after, memory))

    def _tell(self, stage: str, message: str, iteration: int = 0, best: float | None = None) -> None:
        self.on_event(ProgressEvent(stage, message, iteration, best))


def empty_state() -> LoopState:
    """What the graph is started with."""
    return LoopState(iteration=0, lineage=[], pending=[], records=[], exhausted=False, confirmation=None)
