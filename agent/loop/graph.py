"""The one loop (Algorithm 1 of the paper): prepare → generate → profile → select → (generate | confirm … confirm).

The main path reads top to bottom; what a run works with is its `Workbench`, what it carries is its `LoopState`. The
state is stored after every node, and a node that was killed runs again: it changes nothing but what it returns.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from afterburner.agent.code.locate import with_source
from afterburner.agent.errors import ProposerError, TargetError, WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.inputs.ahead import ahead
from afterburner.agent.judge.comparison import median_measurement
from afterburner.agent.judge.confirmation import ORIGINAL, Incumbent, detail_of
from afterburner.agent.judge.confirming import SEARCH_ROUNDS, SEARCH_S, Confirming
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.spent_tests import SpentTests
from afterburner.agent.loop.admission import objections
from afterburner.agent.loop.ask_sceptic import ScepticAsker
from afterburner.agent.loop.next_winners import NextWinners
from afterburner.agent.loop.placing import describing, place
from afterburner.agent.loop.profiling import Profiling
from afterburner.agent.loop.records import (
    candidate_of,
    judged_event,
    refused,
    refuted,
    settled,
    withdrawn,
)
from afterburner.agent.loop.search_policy import SearchPolicy
from afterburner.agent.loop.state import NOTHING_LEFT, LoopState, on_the_clock
from afterburner.agent.loop.telling import for_models, last_counterexample
from afterburner.agent.loop.winners import (
    NOT_CLEARLY_BETTER,
    clearly_better,
    promoted,
    ratio_of,
    unconditional_first,
    winners_of,
)
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest, asks_model
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.types import Candidate, Decision, JudgedCandidate, Objective
from afterburner.sandbox import Verdict
from afterburner.sandbox.tracing import MODEL, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from afterburner.agent.code.context.surroundings import Surroundings
    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.line_profile import LineProfile
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.sample_sources import Sampler
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import WorkloadCall
    from afterburner.agent.usage import Usage
    from afterburner.sandbox.sandbox import Sandbox

BASELINE_SAMPLES = 3
PROFILE_SHARE = 0.1  # of what is left of the search's time, for one line profile


@dataclass(slots=True)
class Loop:
    """One run on one target."""

    bench: Workbench
    proposer: Proposer
    judge: Judge
    settings: RunSettings
    search_until: Deadline  # selection stops here, so that confirmation still has its share of the time
    confirm_until: Deadline
    on_event: OnEvent
    used_s: Callable[[], float] = lambda: 0.0  # of the time budget, in earlier processes too
    tests: SpentTests = field(default_factory=SpentTests)
    surroundings: Surroundings | None = None  # the project, for proposers and for what a rewrite may import
    model_session: ModelSession | None = None  # what the proposer's requests share, if it makes any
    _confirming: Confirming | None = field(default=None, init=False)
    _differences: dict[str, Counterexample | None] = field(default_factory=dict, init=False)  # by text, once searched
    _searching_in: Sandbox | None = field(default=None, init=False)
    _also: Sequence[Callable[[Workbench, Deadline], None]] = field(default=(), init=False)
    _beside: ExitStack = field(default_factory=ExitStack, init=False)  # ends what goes on beside the loop

    @property
    def policy(self) -> SearchPolicy:
        """What decides from where a round goes on, and whether there is another."""
        return SearchPolicy.of(self.settings)

    @contextmanager
    def making_inputs(self, *also: Callable[[Workbench, Deadline], None]) -> Iterator[None]:
        """Let inputs for the searches be made on other cores, once the original is measured, until the block ends.

        Args:
            also: what else is to be made of the original then, until a deadline, and is known to the bench.
        """
        with self.bench.sandbox.branch() as branch, self._beside:
            self._searching_in, self._also = branch, also
            yield

    def _begin_making_inputs(self) -> None:
        branch = self._searching_in
        if branch is None:
            return
        bench = replace(self.bench, sandbox=branch)
        tasks: list[Callable[[], None]] = [self._confirm_with().make_inputs]
        tasks += [partial(make, bench, self.confirm_until) for make in self._also]
        at_once = len(branch.cpus)
        self._beside.enter_context(ahead(tasks, self.bench.cpus_beside(), branch.stop, at_once=at_once))

    def compile(
        self, checkpointer: BaseCheckpointSaver[str]
    ) -> CompiledStateGraph[LoopState, None, LoopState, LoopState]:
        """Build the LangGraph graph."""
        from langgraph.graph import END, START, StateGraph  # noqa: PLC0415 - heavy

        graph = StateGraph(LoopState)
        for node in (self.prepare, self.inspect, self.generate, self.profile, self.select, self.confirm):
            graph.add_node(node.__name__, on_the_clock(node, self.used_s))
        graph.add_edge(START, "prepare")
        graph.add_edge("prepare", "inspect")
        graph.add_edge("inspect", "generate")
        graph.add_edge("generate", "profile")
        graph.add_edge("profile", "select")
        graph.add_conditional_edges("select", self.after_select, {"generate": "inspect", "confirm": "confirm"})
        graph.add_conditional_edges("confirm", self.after_confirm, {"confirm": "confirm", "end": END})
        return graph.compile(checkpointer=checkpointer)

    def resume_from(self, state: LoopState) -> None:
        """Go on from a stored state of another process, if the original still does what it did then.

        Raises:
            WorkloadError: it does not.
        """
        if state["slowest_s"] is not None:
            self.bench = self.bench.limited_by(state["slowest_s"])
        report = self.bench.run_original()
        if report.verdict is not Verdict.ACCEPTED:
            raise WorkloadError(
                f"{self.bench.target.path}: the original behaves differently than when the run was started: "
                f"{detail_of(report)}. Something that it uses has changed: other files of the project, or packages. "
                "The run is kept: resume it when they are as they were, or start a new one."
            )
        if state["confirmation"] is None:
            self._begin_making_inputs()

    def prepare(self, state: LoopState) -> LoopState:
        """Measure the original: C* and M* of the first iteration. What it needs sets the limits of its rewrites."""
        self.on_event(ProgressEvent(kind=EventKind.MEASURING_ORIGINAL))
        source = self.bench.target.source
        original = self.bench.program(source)
        report = self.bench.run_original()
        if report.verdict is not Verdict.ACCEPTED:
            raise self._unsteady(report.verdict, detail_of(report))
        slowest = max(case.measurement.wall_time_s for case in report.cases)
        self.bench = self.bench.limited_by(slowest)
        self._begin_making_inputs()
        selected, kept = (self._fresh(held_out=part) for part in (False, True))
        try:
            measurement = median_measurement([selected.sample(original).work for _ in range(BASELINE_SAMPLES)])
            kept.sample(original)  # now, for in the confirmation it would look like the winner's fault
        except SampleFailedError as error:
            raise self._unsteady(error.verdict, error.detail) from error
        incumbent = Incumbent(ORIGINAL, source, measurement, ratio=1.0)
        return {**state, "lineage": [incumbent], "slowest_s": slowest}

    def inspect(self, state: LoopState) -> dict[str, object]:
        """Profile the incumbent line by line, once, if a language model is to be told of it.

        A node of its own: when a run that broke off while the model was asked goes on, the request is the same.
        """
        incumbent, known = self._base_of(state)[0], state.get("line_profile")
        wanted = (
            parse_telling(self.settings.models.tell).profile and self.settings.search.objective is not Objective.MEMORY
        )
        is_for_model = self.bench.target.language == "python" and asks_model(self.proposer)
        if not wanted or not is_for_model or (known is not None and known.of == incumbent.id):
            return {}
        self._report(EventKind.PROFILING_LINES, state["iteration"] + 1, candidate=incumbent.id)
        profile = self.bench.line_profile(incumbent.source, incumbent.id, PROFILE_SHARE * self.search_until.left_s())
        if profile.note:
            kind = EventKind.LINE_PROFILE_PARTIAL if profile.lines else EventKind.LINE_PROFILE_MISSING
            self._report(kind, state["iteration"] + 1, detail=profile.note)
        return {"line_profile": profile}

    def generate(self, state: LoopState) -> dict[str, object]:
        """Ask the proposer for candidates that improve on the incumbent."""
        iteration, (incumbent, again) = state["iteration"] + 1, self._base_of(state)
        self._report(EventKind.ASKING, iteration, subject=self.proposer.name, candidate=again.id if again else "")
        request = ProposalRequest(
            target=with_source(self.bench.target, incumbent.source),
            objective=self.settings.search.objective,
            measurement=incumbent.measurement,
            passed=True,
            iteration=iteration,
            count=self.settings.search.candidates,
            history=tuple(map(for_models, state["records"])),
            seed=self.settings.search.seed,
            profile=_if_of(state.get("line_profile"), incumbent),
            tell=parse_telling(self.settings.models.tell),
            describe=describing(self.bench, self.surroundings),
            counterexample=last_counterexample(state["records"]),
            temperature=self.policy.temperature_of(iteration),
            is_last=iteration >= self.settings.search.iterations,
            usage=state["usage"],
            until=self.confirm_until,
        )
        proposals, failure = self._propose(request)
        pending = [self._candidate(iteration, n, each, incumbent) for n, each in enumerate(proposals, start=1)]
        restarts = [*state["restarts"], *([again.id] if again else ())]
        usage = self._used() or state["usage"]
        # whoever asks no model, rules say, may go on when a cap is reached, but nobody does when the time is up
        exhausted = bool(failure) or not pending or usage.cap == TIME_IS_UP
        reason = failure or usage.cap or NOTHING_LEFT
        return {
            "iteration": iteration,
            "pending": pending,
            "restarts": restarts,
            "exhausted": exhausted,
            "ended_early": reason if exhausted and not request.is_last else "",
            "usage": usage,
        }

    def profile(self, state: LoopState) -> dict[str, object]:
        """Judge the candidates side by side, then time those that are right, in turns."""
        original, incumbent, pending = state["lineage"][0], state["lineage"][-1], state["pending"]
        reasons = objections(pending, state["records"], original.source, self.bench.target.language)
        records = {each.id: refused(each, reasons[each.id]) for each in pending if each.id in reasons}
        for record in self.profile_fresh([each for each in pending if each.id not in reasons], incumbent):
            records[record.id] = record
            self.on_event(judged_event(record, Stage.PROFILE, incumbent.ratio))
        return {"records": state["records"] + [records[each.id] for each in pending], "pending": []}

    def select(self, state: LoopState) -> dict[str, object]:
        """Greedy selection: the candidate that screening ranks first replaces the incumbent, if no input refutes it."""
        records, iteration = list(state["records"]), state["iteration"]
        exhausted = state["exhausted"] or self.search_until.passed()
        timed_out = exhausted and not state["exhausted"] and iteration < self.settings.search.iterations
        ended = {"exhausted": exhausted, "ended_early": TIME_IS_UP if timed_out else state["ended_early"]}
        done = (
            exhausted or iteration >= self.settings.search.iterations
        )  # then whoever is confirmed is searched all the same
        won = [
            number
            for number, record in enumerate(records)
            if record.iteration == iteration and record.decision is Decision.PROMISING
        ]
        for number in sorted(won, key=lambda number: -ratio_of(records[number])):
            best, incumbent = records[number], state["lineage"][-1]
            if self.search_until.passed() and not clearly_better(best, incumbent):
                records[number] = replace(best, decision=Decision.NOT_BETTER, reason=NOT_CLEARLY_BETTER)
                continue
            found = None if done else self._difference_of(best)
            if found is not None:
                records[number] = refuted(best, found)
                self.on_event(judged_event(records[number], Stage.SELECT, incumbent.ratio))
                continue
            incumbent = promoted(best, incumbent)
            kept = judged_event(best, Stage.SELECT, incumbent.ratio)
            self.on_event(replace(kept, kind=EventKind.KEPT))
            return {"records": records, "lineage": [*state["lineage"], incumbent], **ended}
        return {"records": records, **ended}

    def after_select(self, state: LoopState) -> Literal["generate", "confirm"]:
        """Go round again until the iterations, the proposals, the time or the patience are used up."""
        if not self.policy.is_over(state):
            return "generate"
        if self.policy.has_given_up(state):
            self.on_event(ProgressEvent(kind=EventKind.GIVEN_UP, stage=Stage.SELECT, count=self.policy.patience))
        return "confirm"

    def confirm(self, state: LoopState) -> dict[str, object]:
        """Confirm one winner against the original, on held-out inputs too; where it fails, the next one's turn comes.

        One at a time, so that each is stored.
        """
        winners = state["winners"] if state["tried"] else self._first_winners(state)
        if not winners:
            return {"winners": []}
        (winner, *winners), original, tried = winners, state["lineage"][0], state["tried"] + 1
        told = ProgressEvent(
            kind=EventKind.CONFIRMING, stage=Stage.CONFIRM, candidate=winner.id, best_ratio=winner.ratio
        )
        self.on_event(told)
        asker = self.sceptic_asker()
        sceptic = asker.sceptic
        ask = partial(asker.ask, sceptic, winner, self.settings.search.seed, state["usage"]) if sceptic else None
        confirmation = self._confirm_with().confirm(winner, original, ask)
        self.on_event(
            replace(
                told,
                kind=EventKind.CONFIRMED,
                decision=confirmation.decision,
                detail=confirmation.reason,
                gain=confirmation.announced().gain,
            )
        )
        fallen = {
            **state,
            "records": [settled(record, confirmation) for record in state["records"]],
            "confirmation": confirmation,
            "winners": winners,
            "tried": tried,
        }
        winners, records = self._next_winners().after(cast("LoopState", fallen))
        # A cap that a sceptic met did not end the search.
        usage = replace(self._used() or state["usage"], cap=state["usage"].cap)
        return {"confirmation": confirmation, "records": records, "winners": winners, "tried": tried, "usage": usage}

    def _first_winners(self, state: LoopState) -> list[Incumbent]:
        winners = winners_of(state, self.judge.min_effect)
        if len(winners) < 2:
            return winners
        return unconditional_first(winners, self._confirm_with().unless_reached(winners, state["lineage"][0]))

    def after_confirm(self, state: LoopState) -> Literal["confirm", "end"]:
        """Go on while there is somebody to fall back on."""
        return "confirm" if state["winners"] else "end"

    def finish(self, state: LoopState) -> LoopState:
        """Confirm one winner after the other, as the graph does; for those who store nothing."""
        while True:
            state = cast("LoopState", {**state, **self.confirm(state)})
            if self.after_confirm(state) == "end":
                return state

    def without_offer(self, state: LoopState, difference: str, condition: str = "") -> LoopState:
        """The state of a run whose offer differs after all, with the next winner in its place if there is one."""
        state = withdrawn(state, difference, condition)
        candidates = cast("LoopState", {**state, "winners": winners_of(state, self.judge.min_effect)})
        winners, records = self._next_winners().after(candidates)
        state = cast("LoopState", {**state, "winners": winners, "records": records})
        return self.finish(state) if winners else state

    def _base_of(self, state: LoopState) -> tuple[Incumbent, JudgedCandidate | None]:
        """What the next round goes on from; and the candidate that this is, where it is not the best."""
        best, again = state["lineage"][-1], self.policy.restart_from(state)
        return (best if again is None else promoted(again, best)), again

    def _propose(self, request: ProposalRequest) -> tuple[list[Proposal], str]:
        """The proposals, and why there are no more: a model that fails later on must not cost what was found."""
        try:
            with span(MODEL, "propose"):
                return self.proposer.propose(request), ""
        except ProposerError as error:
            if request.iteration == 1:
                raise
            return [Proposal(self.proposer.name, None, error=str(error))], f"{self.proposer.name} failed: {error}"

    def _candidate(self, iteration: int, number: int, proposal: Proposal, incumbent: Incumbent) -> Candidate:
        source, error = "", proposal.error
        if proposal.rewrite is not None:
            try:
                source = place(self.bench.target, incumbent.source, proposal.rewrite, self.surroundings)
            except TargetError as refusal:
                error = str(refusal)
        if not self.settings.models.keep_answers:
            proposal = replace(proposal, answer=None)
        return candidate_of(proposal, iteration, number, source=source, error=error)

    def profile_fresh(self, candidates: Sequence[Candidate], incumbent: Incumbent) -> list[JudgedCandidate]:
        """Judge the candidates side by side, and rank those that are right against the incumbent."""
        iteration = candidates[0].iteration if candidates else 0
        profiling = Profiling(
            self.bench,
            self.judge,
            self.search_until,
            lambda event: self.on_event(replace(event, stage=Stage.PROFILE, iteration=iteration)),
            lambda source, calls: self._difference(source, 0, calls),
            nullcontext if iteration >= self.settings.search.iterations else self._searching_ahead,
        )
        return profiling.judged(candidates, incumbent)

    @contextmanager
    def _searching_ahead(self, sources: Sequence[str]) -> Iterator[None]:
        """Begin to search rewrites for differences while they are timed; `select` finds out which of them matters."""

        def search(source: str) -> None:
            self._differences[source] = self._difference(source, SEARCH_ROUNDS)

        searching, tasks = self._confirm_with().search, [partial(search, each) for each in sources]
        cpus, at_once = self.bench.cpus_beside(), len(self.bench.sandbox.cpus)
        with (
            searching.droppable() as drop,
            ahead(tasks, cpus, drop, at_once=at_once, stop_at_once=searching.stop_at_once),
        ):
            yield

    def _difference_of(self, promising: JudgedCandidate) -> Counterexample | None:
        """An input on which a promising candidate differs, unless it is known already."""
        source = promising.source
        if source not in self._differences:
            told = ProgressEvent(kind=EventKind.SEARCHING_DIFFERENCE, stage=Stage.SELECT, candidate=promising.id)
            self.on_event(replace(told, iteration=promising.iteration))
            self._differences[source] = self._difference(source, SEARCH_ROUNDS)
        return self._differences[source]

    def _difference(self, source: str, rounds: int, real_calls: Sequence[WorkloadCall] = ()) -> Counterexample | None:
        """An input on which a candidate differs from the original, among real calls and so many rounds of made ones."""
        until = self.search_until.within(SEARCH_S) if rounds else self.search_until
        return self._confirm_with().difference(source, until, rounds, real_calls)

    def _confirm_with(self) -> Confirming:
        """Made once the original is measured: that sets the limits of its rewrites."""
        if self._confirming is None:
            self._confirming = Confirming(
                self.bench,
                self.judge,
                self.confirm_until,
                self.on_event,
                deterministic=self.settings.proof.deterministic,
                tests=self.tests,
                searching_in=self._searching_in,
            )
        return self._confirming

    def _next_winners(self) -> NextWinners:
        return NextWinners(self._confirm_with(), self.confirm_until)

    def sceptic_asker(self) -> ScepticAsker:
        """Asks a language model for calls on which a winner may differ from the original."""
        return ScepticAsker(
            self.bench,
            self.proposer,
            self.settings.models,
            self.confirm_until,
            self.on_event,
            self.surroundings,
            self.model_session,
        )

    def _used(self) -> Usage | None:
        """What language models have used so far; None: none takes part."""
        return self.model_session.usage() if self.model_session else None

    def _unsteady(self, verdict: Verdict, detail: str) -> WorkloadError:
        if verdict in (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT):
            return WorkloadError(
                f"{self.bench.target.path}: the original did not stay within the limits when it was measured: "
                f"{detail}. Give smaller or fewer inputs with --calls, or try again when the machine is less busy."
            )
        return WorkloadError(
            f"{self.bench.target.path}: the original behaves differently each time: {detail}. Make what it depends on "
            "(time, chance, files, global state) a parameter, or give other inputs with --calls."
        )

    def _fresh(self, *, held_out: bool) -> Sampler:
        return self.bench.sampler(self.bench.timed_cases(self.settings.search.objective, held_out=held_out))

    def _report(
        self, kind: EventKind, iteration: int, *, subject: str = "", candidate: str = "", detail: str = ""
    ) -> None:
        """Tell what is done to get candidates."""
        self.on_event(
            ProgressEvent(
                kind=kind,
                stage=Stage.GENERATE,
                iteration=iteration,
                subject=subject,
                candidate=candidate,
                detail=detail,
            )
        )


def _if_of(profile: LineProfile | None, incumbent: Incumbent) -> LineProfile | None:
    return profile if profile is not None and profile.of == incumbent.id else None
