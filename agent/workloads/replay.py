"""Makes every found call again on the original and keeps what can be judged by: the same twice, and comparable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from afterburner.agent.types import Skipped, WorkloadCall
from afterburner.agent.workloads.answers import scrub
from afterburner.agent.workloads.side_by_side import side_by_side
from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Target
    from afterburner.agent.workloads.answers import FoundCall
    from afterburner.sandbox import CallOutcome, CaseReport, Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

# Hash order must not decide whether a rewrite is right, so outcomes are compared under more than one seed.
HASH_SEEDS = (0, 1)
MAX_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class _Batch:
    """Calls that one process makes."""

    calls: Sequence[FoundCall | WorkloadCall]
    hash_seed: int

    def case(self) -> CallCase:
        return CallCase(tuple(call.blob for call in self.calls), hash_seed=self.hash_seed)


@dataclass(frozen=True, slots=True)
class Replay:
    """Runs calls on the original, as the judge will run them on a candidate."""

    sandbox: Sandbox
    target: Target
    environment: PythonEnvironment
    limits: Limits

    def keep_usable(self, found: Sequence[FoundCall]) -> tuple[list[WorkloadCall], list[Skipped]]:
        """The calls that do the same twice, with what they do and cost, and why the others are left out."""
        kept: list[WorkloadCall] = []
        skipped: list[Skipped] = []
        # Backwards the second time, so that a call which leans on another one before it shows.
        first, second = self._outcomes([_Batch(found, HASH_SEEDS[0]), _Batch(found[::-1], HASH_SEEDS[1])])
        for call, one, other in zip(found, first, reversed(second), strict=True):
            if isinstance(one, str) or isinstance(other, str):
                reason: str | None = one if isinstance(one, str) else str(other)
            else:
                reason = _objection(call, one, other)
            if reason is None and not isinstance(one, str):
                kept.append(WorkloadCall(call.blob, call.origin, call.description, one.cpu_time_s, one.encoded))
            else:
                skipped.append(Skipped(call.origin, f"{call.description}: {reason}"))
        return kept, skipped

    def confirm(self, parts: Sequence[Sequence[WorkloadCall]]) -> tuple[list[list[WorkloadCall]], list[Skipped]]:
        """Run each part in one process, in its order, and drop the calls that differ from what was found.

        That is what the judge does with a candidate; the original has to pass, or nothing can.
        """
        kept = [list(part) for part in parts]
        skipped: list[Skipped] = []
        for _ in range(MAX_ROUNDS):
            batches = [_Batch(part, seed) for part in kept for seed in HASH_SEEDS]
            wrong: dict[bytes, str] = {}
            for batch, outcomes in zip(batches, self._outcomes(batches), strict=True):
                for call, outcome in zip(batch.calls, outcomes, strict=True):
                    if isinstance(outcome, str):
                        wrong[call.blob] = outcome
                    elif isinstance(call, WorkloadCall) and outcome.encoded != call.expected:
                        wrong[call.blob] = "its outcome depends on the calls before it"
            skipped += [
                Skipped(call.origin, f"{call.description}: {wrong[call.blob]}")
                for part in kept
                for call in part
                if call.blob in wrong
            ]
            kept = [[call for call in part if call.blob not in wrong] for part in kept]
            if not wrong:
                break
        return kept, skipped

    def _outcomes(self, batches: Sequence[_Batch]) -> list[list[CallOutcome | str]]:
        """What each call of each batch did, or why that is not known.

        If one call ends the process of its batch, each call of the batch gets a process of its own.
        """
        cases = [batch.case() for batch in batches if batch.calls]
        reports = iter(self._run(cases) if cases else ())
        outcomes: list[list[CallOutcome | str]] = []
        for batch in batches:
            report = next(reports) if batch.calls else None
            if report is None:
                outcomes.append([])
            elif report.verdict is Verdict.ACCEPTED and len(report.outcomes) == len(batch.calls):
                outcomes.append(list(report.outcomes))
            else:
                alone = self._run([_Batch([call], batch.hash_seed).case() for call in batch.calls])
                outcomes.append([_only_outcome(each) for each in alone])
        return outcomes

    def _run(self, cases: Sequence[CallCase]) -> tuple[CaseReport, ...]:
        entry = FunctionEntry(self.target.module, self.target.path, self.target.function or "")
        program = Program("python", self.target.source, entry=entry, environment=self.environment)
        # A container each: they run at the same time.
        tasks = [partial(self.sandbox.run, program, [case], self.limits) for case in cases]
        return tuple(case for report in side_by_side(self.sandbox, tasks) for case in report.cases)


def _only_outcome(report: CaseReport) -> CallOutcome | str:
    if report.verdict is Verdict.ACCEPTED and len(report.outcomes) == 1:
        return report.outcomes[0]
    return f"the original fails on it: {scrub(report.detail, 200)}"


def _objection(call: FoundCall, one: CallOutcome, other: CallOutcome) -> str | None:
    """Why a call cannot be used although it ran; None if it can."""
    tree = _tree(one.encoded)
    if tree is None:
        return "its outcome cannot be read"
    if (opaque := _opaque(tree)) is not None:
        return f"its outcome cannot be compared ({opaque})"
    if call.ending == "returned" and tree[2][0] == "raised":
        return "it raises when it is made again: it depends on state that was set elsewhere"
    if one.encoded != other.encoded:
        return "it does not do the same twice (time, chance, hash order or earlier calls decide)"
    return None


def _tree(encoded: bytes) -> list[Any] | None:
    """The tagged tree of `sandbox/driver/ab_encode.py`, if it is an outcome."""
    try:
        tree: Any = json.loads(encoded)
    except (ValueError, RecursionError):
        return None
    match tree:
        case ["outcome", str(), [str(), *_], *_] as whole:
            return list(whole)
    return None


def _opaque(tree: list[Any]) -> str | None:
    match tree[-1]:
        case ["opaque", *names]:
            return scrub(", ".join(str(name) for name in names), 200)
    return None
