"""Loops on small files, as `optimize` makes them, and a judge for the tests that are not about time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline, RunClock
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.comparison import Comparison, left_behind
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.sequential import FIRST_LOOKS
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.loop.graph import Loop
from afterburner.agent.loop.state import empty_state
from afterburner.agent.models.prompts.proposer import Proposal
from afterburner.agent.session.preparing import prepared_bench
from afterburner.agent.types import Decision, Gain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.judge.measuring.sampling import Block, BlockSource
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.models.prompts.proposer import ProposalRequest, Proposer
    from afterburner.agent.options import RunSettings
    from afterburner.sandbox.sandbox import Sandbox

TWICE_AS_FAST = Gain(2.0, 2.0, 2.0, 0.0, 1)
A_LONG_TIME_S = 3600.0


class UntimedJudge(Judge):
    """Takes every rewrite for twice as fast; whatever one sample of each side shows beside its time counts as ever."""

    def screen(
        self,
        source: BlockSource,
        deadline: Deadline,
        *,
        attempt: int = 0,
        only_ranks: bool = False,  # noqa: ARG002 - the interface
    ) -> list[Comparison]:
        """Rank nothing: all are promising that one sample each has nothing against."""
        try:
            blocks = source.take(1, self.seed + attempt)
        except SampleFailedError as error:
            alone = [source.only([number]) for number in range(len(source.rewrites))]
            if len(alone) == 1:
                return [Comparison.failed(error, "when measured")]
            return [told for each in alone for told in self.screen(each, deadline, attempt=attempt)]
        return [_of(block, Decision.PROMISING) for block in blocks]

    def confirm(
        self,
        source: BlockSource,
        deadline: Deadline,
        *,
        held_out_from: int,  # noqa: ARG002 - of the protocol
        attempt: int = 0,
        on_blocks: Callable[[int, int], None] = lambda _taken, _most: None,
        names: Sequence[str] = (),  # noqa: ARG002 - likewise
    ) -> tuple[Comparison, Gain | None]:
        """Offer the winner after one sample, which counts as a first look."""
        if deadline.passed():
            return Comparison(Decision.REFUSED, "the time is up"), None
        try:
            [block] = source.take(1, self.seed + attempt)
        except SampleFailedError as error:
            return Comparison.failed(error, "when confirmed"), None
        on_blocks(FIRST_LOOKS[0][0], FIRST_LOOKS[0][0])
        comparison = _of(block, Decision.IMPROVED)
        return comparison, comparison.gain


def _of(block: Block, decision: Decision) -> Comparison:
    left = left_behind([block])
    if left is not None:
        return Comparison(Decision.REFUSED, left)
    return Comparison.of_blocks(decision, "not timed", TWICE_AS_FAST, [block])


class OneAnswer:
    """Proposes one rewrite, once."""

    name = "one answer"

    def __init__(self, code: str) -> None:
        self._code = code

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Whatever was asked."""
        return [Proposal(self.name, parse_answer_code(self._code, request.target))]


def open_bench(settings: RunSettings, sandbox: Sandbox) -> Workbench:
    """The workload of a function of a file, found as a run finds it."""
    target = find_target(Path(settings.file), settings.function)
    environment = stage(target, sandbox, settings.inputs).environment
    return prepared_bench(settings, target, sandbox, environment, lambda _: None)


def make_loop(bench: Workbench, settings: RunSettings, proposer: Proposer, judge: type[Judge]) -> Loop:
    """A loop with time enough, of whose progress nobody hears."""
    clock = RunClock.start(A_LONG_TIME_S)
    return Loop(
        bench=bench,
        proposer=proposer,
        judge=judge(settings.search.objective, settings.proof.effect, settings.search.seed),
        settings=settings,
        search_until=clock.search_until,
        confirm_until=clock.confirm_until,
        on_event=lambda _: None,
    )


@dataclass(frozen=True)
class MeasuredOriginal:
    """What is known of an original before its first rewrite, for many rewrites of it."""

    bench: Workbench
    settings: RunSettings
    state: LoopState
    search: DifferenceSearch

    @classmethod
    def of(cls, settings: RunSettings, sandbox: Sandbox) -> MeasuredOriginal:
        """Find the calls of a function, and make them.

        How small a difference can be shown is tested elsewhere: none is made smaller here.
        """
        loop = make_loop(open_bench(settings, sandbox), settings, OneAnswer(""), UntimedJudge)
        state = loop.prepare(empty_state())
        search = DifferenceSearch(loop.bench, loop.bench.target.source, settings.search.seed, shrinking_s=0.0)
        return cls(loop.bench, settings, state, search)

    def judge(self, proposer: Proposer, judge: type[Judge] = UntimedJudge, rounds: int = 1) -> LoopState:
        """The state after the first of so many rounds, and the confirmation of what was found in it."""
        settings = replace(self.settings, search=replace(self.settings.search, iterations=rounds))
        loop = make_loop(self.bench, settings, proposer, judge)
        loop._confirm_with()._search = self.search
        state = self.state
        for node in (loop.generate, loop.profile, loop.select, loop.finish):
            state = state | node(state)  # type: ignore[operator]  # what a node returns is a part of the state
        return state
