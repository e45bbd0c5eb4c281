"""The paper's loop to the letter (Algorithm 1): generate → profile → select, N times; nothing is confirmed.

C* = the original code, or else what the model writes first, before the N iterations;  M* = its measurement
repeat N times:  C = generate(problem, objective, C*, M*);  M = profile(C);  if M is better than M*: C*, M* = C, M

It carries the same state as the verified loop, so it is stored and resumed in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.errors import ProposerError, TargetError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.judge.confirmation import ORIGINAL, Incumbent, detail_of
from afterburner.agent.judge.paper_selection import figure_of, figure_text, is_better, measured, worst
from afterburner.agent.loop.placing import describing, place
from afterburner.agent.loop.records import candidate_of, judged_event
from afterburner.agent.loop.state import NOTHING_LEFT, LoopState, on_the_clock
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.option_kinds import Temperature
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Verdict
from afterburner.sandbox.tracing import MODEL, span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from afterburner.agent.code.context.surroundings import Surroundings
    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Candidate
    from afterburner.sandbox import CancelToken, Measurement

NO_CODE = -1  # the iteration before the one in which the model writes the code to begin with


@dataclass(slots=True)
class PaperLoop:
    """Algorithm 1 on one target; without a source, the model writes the first code."""

    bench: Workbench
    settings: RunSettings
    proposer: Proposer
    on_event: OnEvent
    cancel: CancelToken
    until: Deadline  # no iteration begins after it
    surroundings: Surroundings | None = None  # the project, where there is one
    used_s: Callable[[], float] = lambda: 0.0  # of the time budget, in earlier processes too
    model_session: ModelSession | None = None  # what the proposer's requests share, if it makes any

    def compile(
        self, checkpointer: BaseCheckpointSaver[str]
    ) -> CompiledStateGraph[LoopState, None, LoopState, LoopState]:
        """Build the LangGraph graph."""
        from langgraph.graph import END, START, StateGraph  # noqa: PLC0415 - heavy

        graph = StateGraph(LoopState)
        for node in (self.begin, self.generate, self.profile, self.select):
            graph.add_node(node.__name__, on_the_clock(node, self.used_s))
        graph.add_edge(START, "begin")
        graph.add_edge("begin", "generate")
        graph.add_edge("generate", "profile")
        graph.add_edge("profile", "select")
        graph.add_conditional_edges("select", self.after_select, {"generate": "generate", "end": END})
        return graph.compile(checkpointer=checkpointer)

    def begin(self, _state: LoopState) -> dict[str, object]:
        """Measure the code to begin with, passing or not; without one, the model writes it as iteration 0."""
        start = self.bench.target.source
        if not start.strip():
            return {"iteration": NO_CODE}
        self._report(EventKind.MEASURING_START, Stage.PREPARE, 0)
        verdict, measurement, _ = self._run(start)
        return {"lineage": [Incumbent(ORIGINAL, start, measurement, 1.0, verdict)]}

    def generate(self, state: LoopState) -> dict[str, object]:
        """Ask for codes that improve on C*."""
        self.cancel.raise_if_cancelled()
        iteration = state["iteration"] + 1
        self._report(EventKind.ASKING, Stage.GENERATE, iteration, subject=self.proposer.name)
        ended_early = ""
        try:
            with span(MODEL, "propose"):
                proposals = self.proposer.propose(self._request(state, iteration))
        except ProposerError as error:
            if not state["records"] or self.settings.models.must_answer:
                raise
            proposals, ended_early = [], f"{self.proposer.name} failed: {error}"
        usage = (self.model_session.usage() if self.model_session else None) or state["usage"]
        if self.settings.models.must_answer:
            self._check_answered(proposals, usage.cap)
        if not proposals:
            return {"exhausted": True, "ended_early": ended_early or usage.cap or NOTHING_LEFT, "usage": usage}
        pending = [self._candidate(iteration, n, each, state) for n, each in enumerate(proposals, start=1)]
        return {"iteration": iteration, "pending": pending, "usage": usage}

    def _check_answered(self, proposals: Sequence[Proposal], cap: str) -> None:
        """Interrupt the run where the model was not asked as often as it was to be.

        Raises:
            CapReachedError: a cap, or the time, allowed no more requests.
            ProposerError: a request failed.
        """
        failed = next((each.error for each in proposals if each.unanswered), "")
        if failed:
            raise ProposerError(f"{self.proposer.name} failed: {failed}")
        if cap and len(proposals) < self.settings.search.candidates:
            raise CapReachedError(cap)

    def profile(self, state: LoopState) -> dict[str, object]:
        """Run each code once: passed? time? memory? integral? An answer without code fails as code that fails."""
        judged = []
        for candidate in state["pending"]:
            self.cancel.raise_if_cancelled()
            self._report(EventKind.MEASURING_CANDIDATE, Stage.PROFILE, state["iteration"], candidate=candidate.id)
            judged.append(self._judged(candidate))
        return {"records": [*state["records"], *judged], "pending": []}

    def select(self, state: LoopState) -> dict[str, object]:
        """Keep what is better than C*; the first code there is becomes C*, passing or not."""
        objective, lineage = self.settings.search.objective, state["lineage"]
        best, records = lineage[-1] if lineage else None, list(state["records"])
        for number, record in enumerate(records):
            if record.iteration != state["iteration"] or not record.source:
                continue
            found = self._incumbent(record, lineage)
            if best is None or is_better(found, best, objective):
                best = found
                if found.passed:
                    records[number] = replace(record, decision=Decision.PROMISING)
            self.on_event(judged_event(records[number], Stage.SELECT))
        changed = best is not None and (not lineage or best is not lineage[-1])
        kept = [*lineage, best] if changed else lineage
        goes_round = not state["exhausted"] and state["iteration"] < self.settings.search.iterations
        ended_early = TIME_IS_UP if goes_round and self.until.passed() else state["ended_early"]
        return {"lineage": kept, "records": records, "ended_early": ended_early}

    def after_select(self, state: LoopState) -> str:
        """Go round N times, unless there is nothing left to propose or the time is up."""
        is_over = state["ended_early"] or state["iteration"] >= self.settings.search.iterations
        return "end" if is_over else "generate"

    def _request(self, state: LoopState, iteration: int) -> ProposalRequest:
        """What a proposer is told: of the problem, C* and M*, as in the paper, and of nothing else."""
        search, best = self.settings.search, state["lineage"][-1] if state["lineage"] else None
        first = 1 if self.bench.target.source.strip() else 0
        temperature = Temperature.read(search.temperature) if search.temperature else None
        usage = (self.model_session.usage() if self.model_session else None) or state["usage"]
        return ProposalRequest(
            target=with_source(self.bench.target, best.source if best else ""),
            objective=search.objective,
            measurement=best.measurement if best else None,
            passed=best.passed if best else False,
            iteration=iteration - first + 1,
            count=search.candidates,
            history=tuple(replace(each, iteration=each.iteration - first + 1) for each in state["records"]),
            seed=search.seed,
            tell=replace(parse_telling(self.settings.models.tell), counterexample=False, profile=False, history=False),
            describe=describing(self.bench, self.surroundings),
            temperature=temperature.of_round(max(iteration, 1), search.iterations) if temperature else None,
            is_last=iteration >= search.iterations,
            usage=usage,
            until=self.until,
        )

    def _candidate(self, iteration: int, number: int, proposal: Proposal, state: LoopState) -> Candidate:
        """What is run of a proposal: of a whole program its code as it is, whether it can be parsed or not."""
        source, error, rewrite = "", proposal.error, proposal.rewrite
        if rewrite is not None and self.bench.problem is not None and not (rewrite.imports or rewrite.helpers):
            source = rewrite.function
        elif rewrite is not None:
            try:
                source = place(self.bench.target, state["lineage"][-1].source, rewrite, self.surroundings)
            except TargetError as refusal:
                error = str(refusal)
        return candidate_of(proposal, iteration, number, source=source, error=error)

    def _judged(self, candidate: Candidate) -> JudgedCandidate:
        if not candidate.source:
            none = worst(self.bench.limits)
            reason = candidate.error or "The answer holds no code."
            return JudgedCandidate.of(candidate, Verdict.COMPILE_ERROR, Decision.REFUSED, reason, measurement=none)
        verdict, measurement, detail = self._run(candidate.source)
        passed = verdict is Verdict.ACCEPTED
        reason = figure_text(measurement, self.settings.search.objective) if passed else detail
        decision = Decision.NOT_BETTER if passed else Decision.WRONG
        return JudgedCandidate.of(candidate, verdict, decision, reason, measurement=measurement)

    def _incumbent(self, record: JudgedCandidate, lineage: list[Incumbent]) -> Incumbent:
        measurement, objective = record.measurement or worst(self.bench.limits), self.settings.search.objective
        first = lineage[0].measurement if lineage else measurement
        ratio = figure_of(first, objective) / max(figure_of(measurement, objective), 1e-9)
        return Incumbent(record.id, record.source, measurement, ratio, record.verdict or Verdict.COMPILE_ERROR)

    def _run(self, code: str) -> tuple[Verdict, Measurement, str]:
        """The verdict, the measurement, and what went wrong."""
        report = self.bench.run_alone(code)
        return report.verdict, measured(report, self.bench.limits), detail_of(report)

    def _report(self, kind: EventKind, stage: Stage, iteration: int, *, subject: str = "", candidate: str = "") -> None:
        self.on_event(
            ProgressEvent(kind=kind, stage=stage, iteration=max(iteration, 0), subject=subject, candidate=candidate)
        )
