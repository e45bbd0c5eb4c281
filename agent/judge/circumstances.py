"""Makes the calls in other circumstances: a rewrite must not do otherwise when it is first, alone, or elsewhere.

What can be chosen is chosen by chance, from a seed that no rewrite can know: which calls, in which order, under which
hash seed.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import Program

MADE_ALONE = 3  # calls that get a process of their own
COST_S = 0.25  # of the original's CPU time, for one process full of calls
_MAX_HASH_SEED = 2**32 - 1
_ELSEWHERE = "/tmp"  # noqa: S108 - a folder that every sandbox has


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One process full of calls. `name` goes on after "when the calls are made"; `folder` is None for the usual one."""

    name: str
    case: CallCase
    folder: str | None = None


def circumstances(bench: Workbench, salt: str) -> tuple[Circumstance, ...]:
    """What to try a winner in; nothing for programs that are judged by stdin and stdout, whose cases are all alone.

    Args:
        bench: of the run.
        salt: what chance is drawn from, for instance the run's seed and the winner's text.
    """
    if bench.by_cases:
        return ()
    chance = random.Random(hashlib.sha256(salt.encode("utf-8", "surrogatepass")).digest())  # noqa: S311 - no secret
    calls = _affordable((*bench.workload.calls, *bench.workload.held_out_calls), chance)
    shuffled = chance.sample(calls, len(calls))
    alone = [
        Circumstance("alone in a fresh process", _case(bench, [call], chance))
        for call in chance.sample(calls, min(MADE_ALONE, len(calls)))
    ]
    return (
        *alone,
        Circumstance("in another order", _case(bench, shuffled[::-1], chance)),
        Circumstance("twice on equal input", replace(_case(bench, calls, chance), passes=2)),
        Circumstance("in another folder", _case(bench, shuffled, chance), folder=_ELSEWHERE),
    )


@dataclass(frozen=True, slots=True)
class Dependence:
    """A circumstance in which a winner does not do the same, and what happens there."""

    circumstance: Circumstance
    detail: str
    timed_out: bool  # nothing else was seen than that it reached the time limit

    @property
    def reason(self) -> str:
        """Why it is refused, in one sentence."""
        return f"it behaves differently when the calls are made {self.circumstance.name}: {self.detail}"


def failed_in(program: Program, bench: Workbench, tried: Sequence[Circumstance]) -> list[Dependence]:
    """Where a program does not do what is expected.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    found: list[Dependence] = []
    for folder in dict.fromkeys(each.folder for each in tried):
        here = [each for each in tried if each.folder == folder]
        report = bench.sandbox.run(_in_folder(program, folder), [each.case for each in here], bench.limits)
        found += [
            Dependence(each, case.detail, timed_out=case.verdict is Verdict.TIME_LIMIT)
            for each, case in zip(here, report.cases, strict=True)
            if case.verdict is not Verdict.ACCEPTED
        ]
    return found


def find_dependence(bench: Workbench, original: str, winner: str, salt: str) -> Dependence | None:
    """What a winner is refused for; None if it does the same everywhere.

    A circumstance that the original does not stand either is left out. One where something else happens than a time
    limit comes first.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    troubled = failed_in(bench.rewrite(winner), bench, circumstances(bench, salt))
    stood = failed_in(bench.program(original), bench, [each.circumstance for each in troubled])
    excused = {each.circumstance for each in stood}
    found = [each for each in troubled if each.circumstance not in excused]
    return min(found, key=lambda each: each.timed_out, default=None)


def _affordable(calls: Sequence[WorkloadCall], chance: random.Random) -> list[WorkloadCall]:
    """As many of the calls as fit into `COST_S`, drawn by chance; at least one."""
    kept: list[WorkloadCall] = []
    left_s = COST_S
    for call in chance.sample(calls, len(calls)):
        if not kept or call.cpu_time_s <= left_s:
            kept.append(call)
            left_s -= call.cpu_time_s
    return kept


def _case(bench: Workbench, calls: Sequence[WorkloadCall], chance: random.Random) -> CallCase:
    return bench.call_case(calls, hash_seed=chance.randrange(2, _MAX_HASH_SEED))


def _in_folder(program: Program, folder: str | None) -> Program:
    if folder is None or program.environment is None:
        return program
    return replace(program, environment=replace(program.environment, working_directory=folder))
