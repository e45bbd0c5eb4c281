"""Decides on a handful of rewrites exactly as a run does: by the steps of the loop itself.

Only what a run does before is left out: making the candidates, and leaving out those that are the original's code over
again, for identical code is what the judgement is tried on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.deadline import SEARCH_SHARE, Deadline
from afterburner.agent.events import ignore_event
from afterburner.agent.judge.decide import Judge
from afterburner.agent.loop.graph import Loop
from afterburner.agent.loop.state import empty_state
from afterburner.agent.options import RunSettings, Search
from afterburner.agent.types import Candidate, Decision, Objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.confirmation import Confirmation, Incumbent
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.types import JudgedCandidate

MAX_SECONDS = Search().max_seconds  # of a decision, as of a run


class _Nobody:
    """Proposes nothing: the candidates are there."""

    name = "selfcheck"

    def propose(self, _request: ProposalRequest) -> list[Proposal]:
        return []


@dataclass(frozen=True, slots=True)
class Prepared:
    """An original that rewrites can be held against."""

    bench: Workbench
    original: Incumbent

    def of_source(self, source: str) -> Prepared:
        """The same for another text of the original that does the same."""
        target = replace(self.bench.target, source=source)
        return Prepared(replace(self.bench, target=target), replace(self.original, source=source))


@dataclass(frozen=True, slots=True)
class Choice:
    """What became of the candidates, in their order: when they were screened, and in the end."""

    screened: tuple[JudgedCandidate, ...]
    settled: tuple[JudgedCandidate, ...]
    confirmation: Confirmation | None  # of the last that came to it
    elapsed_s: float

    @property
    def offered(self) -> int | None:
        """Which candidate a run would offer, if any."""
        return next((n for n, each in enumerate(self.settled) if each.decision is Decision.IMPROVED), None)

    @property
    def confirmations(self) -> int:
        """How many promising candidates were looked at again: by the gates, the test, or further samples."""
        return sum(a.decision is not b.decision for a, b in zip(self.screened, self.settled, strict=True))

    @property
    def best(self) -> int | None:
        """Which candidate screening ranks first, promising or not."""
        ratios = {n: each.gain.ratio for n, each in enumerate(self.screened) if each.gain is not None}
        return max(ratios, key=lambda n: ratios[n]) if ratios else None


@dataclass(frozen=True, slots=True)
class Test:
    """The confirmatory test alone, whatever screening sees in the candidate."""

    comparison: Comparison
    most_blocks: int  # that it might have taken; 0 if it did not come to the first
    elapsed_s: float

    @property
    def accepted(self) -> bool:
        """Whether it says that the candidate is better."""
        return self.comparison.decision is Decision.IMPROVED


def prepare(bench: Workbench) -> Prepared:
    """Measure the original as a run does; that also sets the limits of its rewrites.

    Raises:
        WorkloadError: it does not do the same each time.
        SandboxInternalError: the sandbox failed.
    """
    nothing_to_decide = Judge(Objective.TIME, min_effect=1.0, seed=0)
    loop = _loop(bench, nothing_to_decide, MAX_SECONDS)
    state = loop.prepare(empty_state())
    return Prepared(loop.bench, state["lineage"][0])


def best_of(
    prepared: Prepared,
    judge: Judge,
    candidates: Sequence[str],
    *,
    max_seconds: float = MAX_SECONDS,
) -> Choice:
    """Judge the candidates side by side, screen them together, and confirm the best until one passes.

    Args:
        prepared: the original.
        judge: the objective, the minimum effect, and the seed of this decision.
        candidates: texts of the whole file.
        max_seconds: time budget of the decision.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    started_s = time.monotonic()
    loop = _loop(prepared.bench, judge, max_seconds)
    waiting = [Candidate(f"1.{n}", 1, _Nobody.name, source=text) for n, text in enumerate(candidates, start=1)]
    screened = tuple(loop.profile_fresh(waiting, prepared.original))  # the loop's own steps, as in a run
    state = empty_state()
    state["iteration"], state["lineage"], state["records"] = 1, [prepared.original], list(screened)
    state |= loop.select(state)  # type: ignore[typeddict-item]  # what a node gives is a part of the state
    found = loop.finish(state)
    return Choice(
        screened=screened,
        settled=tuple(found["records"]),
        confirmation=found["confirmation"],
        elapsed_s=time.monotonic() - started_s,
    )


def confirm_alone(prepared: Prepared, judge: Judge, source: str, *, max_seconds: float = MAX_SECONDS) -> Test:
    """Confirm one rewrite, on the held-out inputs too, without screening and gates before it.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    started_s, most = time.monotonic(), 0

    def note(_taken: int, at_most: int) -> None:
        nonlocal most
        most = at_most

    blocks, held_out_from = prepared.bench.block_source(
        prepared.original.source, [source], judge.objective, held_out=True
    )
    until = Deadline.after(max_seconds)
    comparison, _ = judge.confirm(blocks, until, held_out_from=held_out_from, on_blocks=note)
    return Test(comparison, most, time.monotonic() - started_s)


def _loop(bench: Workbench, judge: Judge, max_seconds: float) -> Loop:
    return Loop(
        bench=bench,
        proposer=_Nobody(),
        judge=judge,
        settings=RunSettings(
            file=bench.target.path, search=Search(objective=judge.objective, iterations=1, seed=judge.seed)
        ),
        search_until=Deadline.after(SEARCH_SHARE * max_seconds),
        confirm_until=Deadline.after(max_seconds),
        on_event=ignore_event,
    )
