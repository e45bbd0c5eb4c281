"""Decides on a handful of rewrites as a run does: all are judged and screened, and who ranks first is confirmed.

The loop over LangGraph does the same and more: it makes the candidates, leaves out those that are the original's code
over again, and goes round several times. Here identical code must not be left out, for it is what the judgement is
tried on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.loop import WINNERS_TRIED
from afterburner.agent.records import detail_of
from afterburner.agent.run import SEARCH_SHARE
from afterburner.agent.selection.decide import Comparison
from afterburner.agent.types import Decision, Objective
from afterburner.agent.workloads.side_by_side import side_by_side
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.selection.decide import Judge
    from afterburner.agent.selection.sampling import Case
    from afterburner.agent.workbench import Workbench

MAX_SECONDS = 300.0  # the time budget of a run, unless its user says otherwise


@dataclass(frozen=True, slots=True)
class Test:
    """One confirmation. `forced`: screening saw nothing in the rewrite, so a run would not have tested it."""

    candidate: int
    comparison: Comparison
    most_blocks: int  # that it might have taken; 0 if it did not come to that
    elapsed_s: float
    forced: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the rewrite may be offered."""
        return self.comparison.decision is Decision.IMPROVED


@dataclass(frozen=True, slots=True)
class Choice:
    """What became of the candidates, by their index. `elapsed_s` leaves out a test that was forced."""

    screened: tuple[Comparison, ...]
    tests: tuple[Test, ...]
    elapsed_s: float

    @property
    def offered(self) -> int | None:
        """Which candidate a run would offer, if any."""
        return next((test.candidate for test in self.tests if test.accepted and not test.forced), None)


def best_of(  # noqa: PLR0913 - by name, what a decision depends on
    bench: Workbench,
    judge: Judge,
    candidates: Sequence[str],
    *,
    max_seconds: float = MAX_SECONDS,
    force: bool = False,
    tell: Callable[[str], None] = lambda _message: None,
) -> Choice:
    """Judge the candidates side by side, screen them one at a time, and confirm the best until one passes.

    Args:
        bench: of the original.
        judge: the objective, the minimum effect, and the seed of this decision.
        candidates: texts of the whole file, at least one.
        max_seconds: time budget of the decision.
        force: if no candidate is promising, test the one that ranks first all the same.
        tell: is told what is being done.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    started_s = time.monotonic()
    search_until, confirm_until = Deadline.after(SEARCH_SHARE * max_seconds), Deadline.after(max_seconds)
    tell("judging the candidates")
    tasks = [partial(_objection, bench, source, bench.judged_cases()) for source in candidates]
    screened: list[Comparison] = []
    for number, (source, wrong) in enumerate(zip(candidates, side_by_side(bench.sandbox, tasks), strict=True), start=1):
        tell(f"screening candidate {number} of {len(candidates)}")
        screened.append(wrong or _screen(bench, judge, source, search_until))
    ranked = sorted((n for n, each in enumerate(screened) if each.gain), key=lambda n: -_ratio(screened[n]))
    promising = [n for n in ranked if screened[n].decision is Decision.PROMISING]
    tests: list[Test] = []
    for winner in promising[:WINNERS_TRIED]:
        tell(f"confirming candidate {winner + 1}")
        tests.append(confirm_one(bench, judge, candidates[winner], confirm_until, candidate=winner))
        if tests[-1].accepted:
            break
    elapsed_s = time.monotonic() - started_s
    if force and not promising and ranked:
        tell(f"confirming candidate {ranked[0] + 1} although screening saw nothing in it")
        until = Deadline.after(max_seconds)
        test = confirm_one(bench, judge, candidates[ranked[0]], until, candidate=ranked[0])
        tests.append(replace(test, forced=True))
    return Choice(tuple(screened), tuple(tests), elapsed_s)


def _ratio(comparison: Comparison) -> float:
    return comparison.gain.ratio if comparison.gain else 0.0


def _objection(bench: Workbench, source: str, cases: Sequence[Case]) -> Comparison | None:
    report = bench.sandbox.run(bench.program(source), cases, bench.limits)
    if report.verdict is Verdict.ACCEPTED:
        return None
    return Comparison(Decision.WRONG, detail_of(report), verdict=report.verdict)


def _screen(bench: Workbench, judge: Judge, source: str, until: Deadline) -> Comparison:
    blocks, _ = bench.block_source(bench.target.source, source, Objective.TIME, held_out=False)
    return judge.screen(blocks, until)


def confirm_one(bench: Workbench, judge: Judge, source: str, until: Deadline, *, candidate: int = 0) -> Test:
    """Confirm one rewrite as a run confirms its winner, on the held-out inputs too.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    started_s = time.monotonic()
    most = 0

    def note(_taken: int, at_most: int) -> None:
        nonlocal most
        most = at_most

    comparison = _objection(bench, source, bench.confirmed_cases())
    if comparison is None:
        blocks, held_out_from = bench.block_source(bench.target.source, source, Objective.TIME, held_out=True)
        comparison, _ = judge.confirm(blocks, until, held_out_from=held_out_from, on_blocks=note)
    return Test(candidate, comparison, most, time.monotonic() - started_s)
