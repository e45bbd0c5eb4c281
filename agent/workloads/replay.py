"""Makes every found call again on the original and keeps those that can be judged by: the same twice, and comparable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.types import Skipped, WorkloadCall
from afterburner.agent.workloads.answers import scrub
from afterburner.sandbox import CallCase, FunctionEntry, Program, SandboxInternalError, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Target
    from afterburner.agent.workloads.answers import FoundCall
    from afterburner.sandbox import CallOutcome, CaseReport, Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

HASH_SEEDS = (0, 1)
MAX_ROUNDS = 3


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
        first = self._outcomes(found, HASH_SEEDS[0])
        # In the opposite order, so that a call which leans on another one before it shows.
        second = self._outcomes(found[::-1], HASH_SEEDS[1])[::-1]
        for call, one, other in zip(found, first, second, strict=True):
            reason = one if isinstance(one, str) else other if isinstance(other, str) else _objection(call, one, other)
            if reason is not None or isinstance(one, str):
                skipped.append(Skipped(call.origin, f"{call.description}: {reason}"))
                continue
            kept.append(WorkloadCall(call.blob, call.origin, call.description, one.cpu_time_s, one.encoded))
        return kept, skipped

    def confirm(self, calls: Sequence[WorkloadCall]) -> tuple[list[WorkloadCall], list[Skipped]]:
        """Run the calls in one process, in this order, and drop those that differ from what was found.

        That is what the judge does with a candidate; the original has to pass, or nothing can.
        """
        kept, skipped = list(calls), list[Skipped]()
        for _ in range(MAX_ROUNDS):
            wrong = set[int]()
            for seed in HASH_SEEDS if kept else ():
                outcomes = self._outcomes(kept, seed)
                wrong |= {
                    index
                    for index, (call, outcome) in enumerate(zip(kept, outcomes, strict=True))
                    if isinstance(outcome, str) or outcome.encoded != call.expected
                }
            skipped += [
                Skipped(kept[index].origin, f"{kept[index].description}: its outcome depends on the calls before it")
                for index in sorted(wrong)
            ]
            kept = [call for index, call in enumerate(kept) if index not in wrong]
            if not wrong:
                break
        return kept, skipped

    def _outcomes(self, calls: Sequence[FoundCall | WorkloadCall], seed: int) -> list[CallOutcome | str]:
        """What each call did, or why that is not known. If one call ends the process, each gets its own process."""
        if not calls:
            return []
        (report,) = self._run([CallCase(tuple(call.blob for call in calls), hash_seed=seed)])
        if report.verdict is Verdict.ACCEPTED and len(report.outcomes) == len(calls):
            return list(report.outcomes)
        reports = self._run([CallCase((call.blob,), hash_seed=seed) for call in calls])
        return [_only_outcome(each) for each in reports]

    def _run(self, cases: Sequence[CallCase]) -> tuple[CaseReport, ...]:
        entry = FunctionEntry(self.target.module, self.target.path, self.target.function or "")
        program = Program("python", self.target.source, entry=entry, environment=self.environment)
        reports = self.sandbox.run(program, cases, self.limits).cases
        for report in reports:
            if report.verdict is Verdict.INTERNAL_ERROR:
                raise SandboxInternalError(f"The sandbox failed while it ran the original: {report.detail}")
        return reports


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
        tree = json.loads(encoded)
    except (ValueError, RecursionError):
        return None
    match tree:
        case ["outcome", str(), [str(), *_], *_]:
            return tree
    return None


def _opaque(tree: list[Any]) -> str | None:
    match tree[-1]:
        case ["opaque", *names]:
            return scrub(", ".join(str(name) for name in names), 200)
    return None
