"""The paper's loop to the letter (Algorithm 1): generate → profile → select, N times; nothing is confirmed.

C* = the original code, or else what the model writes first, before the N iterations;  M* = its measurement
repeat N times:  C = generate(problem, objective, C*, M*);  M = profile(C);  if M is better than M*: C*, M* = C, M
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

from langgraph.graph import END, START, StateGraph

from afterburner.agent.errors import ProposerError
from afterburner.agent.events import ProgressEvent
from afterburner.agent.judge.measuring.timing_core import timed_on
from afterburner.agent.judge.paper import Solution, is_better, solution_of
from afterburner.agent.loop.untraced import untraced
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.types import Target
from afterburner.agent.usage import NOTHING_USED, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import RunnableConfig

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.timing_core import TimingCore
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.option_kinds import Temperature
    from afterburner.agent.options import Search
    from afterburner.agent.problem import Problem
    from afterburner.agent.types import Machine
    from afterburner.sandbox import CancelToken, Sandbox


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer and what became of it. `solution` is None where the answer held no code; `proposal` says why."""

    proposal: Proposal
    solution: Solution | None


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration: the answers, and the incumbent behind it. `incumbent` is None as long as there is no code."""

    iteration: int  # from 1; 0 is the code to begin with, given or written by the model
    attempts: tuple[Attempt, ...]
    incumbent: Solution | None


@dataclass(frozen=True, slots=True)
class PaperResult:
    """What Algorithm 1 gives: the best code with its measurement, and how it came to be."""

    problem: str
    best: Solution | None  # None: no answer held any code
    trajectory: tuple[Step, ...]
    machine: Machine
    usage: Usage  # of language models
    elapsed_s: float


class PaperState(TypedDict):
    """What the graph carries from node to node."""

    iteration: int  # -1: there is no code to begin with yet
    incumbent: Solution | None
    proposals: list[Proposal]
    attempts: list[Attempt]
    steps: list[Step]
    exhausted: bool  # the proposer has nothing more


@dataclass(slots=True)
class PaperLoop:
    """Algorithm 1 on one problem."""

    problem: Problem
    search: Search
    proposer: Proposer
    sandbox: Sandbox
    on_event: Callable[[ProgressEvent], None]
    tell: str
    cancel: CancelToken
    until: Deadline | None = None  # no iteration begins after it
    core: TimingCore | None = None  # None: nothing is timed
    temperature: Temperature | None = None
    usage: Callable[[], Usage | None] = lambda: None

    def run(self) -> list[Step]:
        """The steps, the measurement of the code to begin with first, if there is any.

        Raises:
            ProposerError: the model failed before it gave anything.
            CancelledError: the run was cancelled.
        """
        graph = StateGraph(PaperState)
        for node in (self.begin, self.generate, self.profile, self.select):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "begin")
        graph.add_edge("begin", "generate")
        graph.add_edge("generate", "profile")
        graph.add_edge("profile", "select")
        graph.add_conditional_edges("select", self.after_select, {"generate": "generate", "end": END})
        config: RunnableConfig = {"recursion_limit": 3 * self.search.iterations + 8}
        state = PaperState(iteration=0, incumbent=None, proposals=[], attempts=[], steps=[], exhausted=False)
        with untraced(config) as quiet:
            return cast("PaperState", graph.compile().invoke(state, quiet))["steps"]

    def begin(self, state: PaperState) -> dict[str, object]:
        """Measure the code to begin with, passing or not; without one, the model writes it as iteration 0."""
        if not self.problem.start.strip():
            return {"iteration": -1}
        self._say("prepare", "measuring the code to begin with", 0)
        incumbent = self._measured(self.problem.start)
        return {"incumbent": incumbent, "steps": [*state["steps"], Step(0, (), incumbent)]}

    def generate(self, state: PaperState) -> dict[str, object]:
        """Ask for codes that improve on C*."""
        self.cancel.raise_if_cancelled()
        iteration, incumbent = state["iteration"] + 1, state["incumbent"]
        first = 1 if self.problem.start.strip() else 0
        self._say("generate", f"asking {self.proposer.name}", iteration)
        request = ProposalRequest(
            target=self._target(incumbent.code if incumbent else ""),
            objective=self.search.objective,
            measurement=incumbent.measurement if incumbent else None,
            passed=incumbent.passed if incumbent else False,
            iteration=iteration - first + 1,
            count=self.search.candidates,
            seed=self.search.seed,
            tell=parse_telling(self.tell),
            describe=lambda _target: self.problem.task,
            temperature=self.temperature.of_round(max(iteration, 1), self.search.iterations)
            if self.temperature
            else None,
            is_last=iteration >= self.search.iterations,
            usage=self.usage() or NOTHING_USED,
        )
        try:
            proposals = self.proposer.propose(request)
        except ProposerError as error:
            if iteration == first:
                raise
            proposals = [Proposal(self.proposer.name, None, error=str(error))]
        return {"iteration": iteration, "proposals": proposals, "exhausted": not proposals}

    def profile(self, state: PaperState) -> dict[str, object]:
        """Run each code once: passed? time? memory? integral?"""
        attempts = []
        for number, proposal in enumerate(state["proposals"], start=1):
            self.cancel.raise_if_cancelled()
            self._say("profile", f"measuring {state['iteration']}.{number}", state["iteration"])
            solution = self._measured(proposal.rewrite.function) if proposal.rewrite is not None else None
            attempts.append(Attempt(proposal, solution))
        return {"attempts": attempts, "proposals": []}

    def select(self, state: PaperState) -> dict[str, object]:
        """Keep what is better than C*; the first code there is becomes C*, passing or not."""
        incumbent = state["incumbent"]
        for attempt in state["attempts"]:
            found = attempt.solution
            if found is not None and (incumbent is None or is_better(found, incumbent, self.search.objective)):
                incumbent = found
        step = Step(state["iteration"], tuple(state["attempts"]), incumbent)
        return {"incumbent": incumbent, "steps": [*state["steps"], step], "attempts": []}

    def after_select(self, state: PaperState) -> str:
        """Go round N times, unless there is nothing left to propose or the time is up."""
        if state["exhausted"] or state["iteration"] >= self.search.iterations:
            return "end"
        if self.until is not None and self.until.passed():
            self._say("select", "the time is up: the remaining iterations are left out", state["iteration"])
            return "end"
        return "generate"

    def _measured(self, code: str) -> Solution:
        problem = self.problem
        with timed_on(self.core, self.sandbox) as cpu:
            report = self.sandbox.run(
                problem.program(code), problem.test_cases, problem.limits, checker=problem.checker, cpu=cpu
            )
        return solution_of(code, report, problem.limits)

    def _target(self, code: str) -> Target:
        """The problem as proposers know what they write for: a whole program in a file of its name."""
        return Target(
            path=f"/{self.problem.name}",
            source=code,
            function=None,
            module="program",
            import_root="/",
            project_root="/",
            language=self.problem.language,
        )

    def _say(self, stage: str, message: str, iteration: int) -> None:
        self.on_event(ProgressEvent(stage, message, iteration))
