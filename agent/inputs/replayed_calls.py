"""Makes every found call again on the original and keeps what can be judged by: the same each time, and comparable.

What the original does must not depend on hash order, on the order of the calls, on chance or on the time, or no rewrite
could be judged by it. Random numbers are seeded before every call. If calls do not agree with themselves, all are made
again with clocks that stand still; if more of them agree then, every call of the run is made so.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.harness_answers import scrub
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.types import Skipped, WorkloadCall
from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict
from afterburner.sandbox.tolerance import TreeAgreement, compare_with_tolerance
from afterburner.sandbox.trees import same
from afterburner.sandbox.verdicts import all_accepted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness_answers import ChangedCopy, FoundCall
    from afterburner.agent.types import Target
    from afterburner.sandbox import CallOutcome, CaseReport, Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

# Hash order must not decide whether a rewrite is right, so outcomes are compared under more than one seed.
HASH_SEEDS = (0, 1, 2)
MAX_ROUNDS = 3
MOST_PROCESSES = 4  # for the calls of a batch that take longer than one may
ALONE_SLOWDOWN = 4  # a call that is made again alone may take so many times what it took, and GRACE_S
GRACE_S = 2.0
_CHANCE_REASON = (
    "it behaves differently each time: it draws from the system's random source (secrets, uuid4, os.urandom, "
    "random.SystemRandom), which cannot be seeded. Draw from `random`, or pass the drawn value as an argument"
)
_UNSTABLE_REASON = (
    "it behaves differently each time, even with seeded random numbers and clocks held still: it depends on the order "
    "of a set, the calls before it, addresses, threads, files or an unseeded generator. Make it depend on its "
    "arguments alone"
)
_LATE_REASON = (
    "it was not repeated: other calls fail or hang, and the time for repeating each alone was up before its turn. "
    "Give more time with --max-seconds, or fewer calls with --calls"
)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Calls that one process makes."""

    calls: Sequence[FoundCall | WorkloadCall]
    hash_seed: int


@dataclass(frozen=True, slots=True)
class _Tried:
    """What came of a call: `kept` or why not, and whether it is only that it did not do the same each time."""

    kept: WorkloadCall | None
    reason: str
    is_unstable: bool = False


@dataclass(slots=True)
class Replay:
    """Runs calls on the original, as the judge will run them on a candidate.

    Args:
        sandbox: where they run.
        target: the function.
        environment: the user's interpreter and staged project.
        limits: for one batch of calls.
        seed: decides the order in which the calls are made the third time.
        float_tolerance: see `CallCase`.
        fixed_clock: whether clocks stand still; None: found out with the first calls that are replayed.
        known_names: see `CallCase`: where they are given, effects are a part of what a call does.
        alone_s: seconds that are left for calls in processes of their own, which they get if a batch fails. What has
            begun by then is brought to its end.
    """

    sandbox: Sandbox
    target: Target
    environment: PythonEnvironment
    limits: Limits
    seed: int = 0
    float_tolerance: float | None = None
    fixed_clock: bool | None = None
    alone_s: float = math.inf
    known_names: tuple[str, ...] | None = None
    _hung: dict[bytes, str] = field(default_factory=dict, init=False)  # by call that did not end: what is told of it
    _start_s: float | None = field(default=None, init=False)

    def keep_usable(self, found: Sequence[FoundCall]) -> tuple[list[WorkloadCall], list[Skipped]]:
        """The calls that do the same each time, with what they do and cost, and why the others are left out."""
        tried = self._try(found)
        if self.fixed_clock is None and any(each.is_unstable for each in tried):
            self.fixed_clock = True
            again = self._try(found)
            self.fixed_clock = _kept(again) > _kept(tried)
            # What chance decides is found out only where the clocks stand still: the better reason is told.
            tried = again if self.fixed_clock else list(map(_better_told, tried, again))
        self.fixed_clock = bool(self.fixed_clock)
        skipped = [
            Skipped(call.origin, f"{call.description}: {each.reason}")
            for call, each in zip(found, tried, strict=True)
            if each.kept is None
        ]
        return [each.kept for each in tried if each.kept is not None], skipped

    def _try(self, found: Sequence[FoundCall]) -> list[_Tried]:
        """Make every call once forwards, once backwards and once in no order, each under another hash seed.

        A call that leans on another one before it then shows.
        """
        order = [at for at, call in enumerate(found) if call.blob not in self._hung]
        shuffled = random.Random(self.seed).sample(order, len(order))  # noqa: S311 - no secret
        orders = (order, order[::-1], shuffled)
        batches = [_Batch([found[at] for at in each], seed) for each, seed in zip(orders, HASH_SEEDS, strict=True)]
        cases = [self._case(batch) for batch in batches if batch.calls]
        known, key = self.sandbox.known, None
        if known is not None and cases:
            key = known.key(self._program(), cases, self.limits, self.sandbox.describe())
        reports = known.find(key, len(cases)) if known is not None and key is not None else None
        is_recalled = reports is not None
        reports = reports or self._run(cases)
        seen: list[list[CallOutcome | str]] = [
            [self._hung[call.blob]] if call.blob in self._hung else [] for call in found
        ]
        for each, outcomes in zip(orders, self._outcomes(batches, reports), strict=True):
            for at, outcome in zip(each, outcomes, strict=True):
                seen[at].append(outcome)
        tried = [self._weigh(call, outcomes) for call, outcomes in zip(found, seen, strict=True)]
        is_steady = all_accepted(reports) and not any(each.is_unstable for each in tried)
        if known is not None and key is not None and is_steady and not is_recalled:
            known.keep(key, reports)  # what chance decided is found out again
        return tried

    def _weigh(self, call: FoundCall, outcomes: Sequence[CallOutcome | str]) -> _Tried:
        made: list[CallOutcome] = []
        for outcome in outcomes:
            if isinstance(outcome, str):
                return _Tried(None, outcome)
            made.append(outcome)
        first = made[0]
        reason = _objection(call, first)
        if reason is not None:
            return _Tried(None, reason)
        if not all(self._agree(first.encoded, other.encoded) for other in made[1:]):
            used_chance = any(outcome.used_chance for outcome in made)
            return _Tried(None, _CHANCE_REASON if used_chance else _UNSTABLE_REASON, is_unstable=True)
        kept = WorkloadCall(call.blob, call.origin, call.description, first.cpu_time_s, first.encoded)
        ranked = replace(kept, is_probing=call.is_probing, is_ruled_out=call.is_ruled_out)
        return _Tried(replace(ranked, taken=call.taken), "")

    def _agree(self, expected: bytes, actual: bytes) -> bool:
        if self.float_tolerance is None or expected == actual:
            return expected == actual
        return compare_with_tolerance(expected, actual, self.float_tolerance) is TreeAgreement.AGREE

    def confirm(self, parts: Sequence[Sequence[WorkloadCall]]) -> tuple[list[list[WorkloadCall]], list[Skipped]]:
        """Run each part in one process, in its order, and drop the calls that differ from what was found.

        That is what the judge does with a candidate; the original has to pass, or nothing can. It is done each time:
        where what an earlier run found does not hold any more, it shows here.
        """
        kept = [list(part) for part in parts]
        skipped: list[Skipped] = []
        for _ in range(MAX_ROUNDS):
            batches = [_Batch(part, seed) for part in kept for seed in HASH_SEEDS]
            wrong: dict[bytes, str] = {}
            times_s: dict[bytes, float] = {}  # of now: no time of an earlier run decides anything
            reports = self._run([self._case(batch) for batch in batches if batch.calls])
            for batch, outcomes in zip(batches, self._outcomes(batches, reports), strict=True):
                for call, outcome in zip(batch.calls, outcomes, strict=True):
                    if isinstance(outcome, str):
                        wrong[call.blob] = outcome
                    elif isinstance(call, WorkloadCall) and not self._agree(call.expected, outcome.encoded):
                        wrong[call.blob] = "its outcome depends on the calls before it"
                    else:
                        times_s.setdefault(call.blob, outcome.cpu_time_s)
            skipped += [
                Skipped(call.origin, f"{call.description}: {wrong[call.blob]}")
                for part in kept
                for call in part
                if call.blob in wrong
            ]
            kept = [
                [replace(call, cpu_time_s=times_s[call.blob]) for call in part if call.blob not in wrong]
                for part in kept
            ]
            if not wrong:
                break
        return kept, skipped

    def _outcomes(self, batches: Sequence[_Batch], given: Sequence[CaseReport]) -> list[list[CallOutcome | str]]:
        """What each call of each batch did, or why that is not known; `given` are the reports on those with calls.

        If one call ends the process of its batch, each call of the batch gets a process of its own. If the time was too
        short for all of them, as it can be where their effects are looked at, the others get another process first.
        """
        reports = iter(given)
        full = [batch for batch in batches if batch.calls]
        ended = iter(side_by_side(self.sandbox, [partial(self._ended, batch, next(reports)) for batch in full]))
        outcomes = [next(ended) if batch.calls else [] for batch in batches]
        failed = [batch for batch, known in zip(batches, outcomes, strict=True) if known is None]
        alone = iter(self._alone(failed) if failed else ())
        return [next(alone) if known is None else known for known in outcomes]

    def _ended(self, batch: _Batch, report: CaseReport) -> list[CallOutcome | str] | None:
        """What the calls of a batch did, whose first process this report is of; None if one of them ended it."""
        made: list[CallOutcome | str] = [*report.outcomes]
        for _ in range(MOST_PROCESSES - 1):
            was_slow = report.verdict is Verdict.TIME_LIMIT and report.outcomes and self.known_names is not None
            if not was_slow or len(made) == len(batch.calls):
                break
            [report] = self._run([self._case(_Batch(batch.calls[len(made) :], batch.hash_seed))])
            made += report.outcomes
        return made if report.verdict is Verdict.ACCEPTED and len(made) == len(batch.calls) else None

    def _alone(self, batches: Sequence[_Batch]) -> list[list[CallOutcome | str]]:
        """What each call does in processes of its own, one call after the other: some are done when time is up."""
        until = Deadline.after(self.alone_s)
        if self._start_s is None:
            # With a call that cannot be read, a process ends as soon as it has imported the module.
            self._start_s = self._run([CallCase((b"",))])[0].measurement.wall_time_s
        seeds: dict[bytes, set[int]] = {}
        calls = {call.blob: call for batch in batches for call in batch.calls}
        for batch in batches:
            for call in batch.calls:
                seeds.setdefault(call.blob, set()).add(batch.hash_seed)
        tasks = [partial(self._make_alone, call, sorted(seeds[blob]), until) for blob, call in calls.items()]
        made = dict(zip(calls, side_by_side(self.sandbox, tasks), strict=True))
        self.alone_s = until.left_s()
        return [[made[call.blob][batch.hash_seed] for call in batch.calls] for batch in batches]

    def _make_alone(
        self, call: FoundCall | WorkloadCall, seeds: Sequence[int], until: Deadline
    ) -> dict[int, CallOutcome | str]:
        """What a call does under each seed; one that hangs is not made again."""
        usual_s = call.cpu_time_s + (self._start_s or 0.0)
        allowed_s = min(ALONE_SLOWDOWN * usual_s + GRACE_S, self.limits.wall_time_s)
        limits = replace(self.limits, wall_time_s=allowed_s, cpu_time_s=min(allowed_s, self.limits.cpu_time_s))
        made: dict[int, CallOutcome | str] = {}
        for seed in seeds:
            if call.blob in self._hung or until.passed():
                made[seed] = self._hung.get(call.blob, _LATE_REASON)
                continue
            [report] = self._run([self._case(_Batch([call], seed))], limits)
            if report.verdict is Verdict.TIME_LIMIT:
                self._hung[call.blob] = (
                    f"it does not end when it is repeated (stopped after {allowed_s:.1f} s): it waits for something "
                    "that is set elsewhere, or takes much longer alone"
                )
            made[seed] = self._hung.get(call.blob) or _only_outcome(report)
        return made

    def _case(self, batch: _Batch) -> CallCase:
        return CallCase(
            tuple(call.blob for call in batch.calls),
            hash_seed=batch.hash_seed,
            float_tolerance=self.float_tolerance,
            fixed_clock=bool(self.fixed_clock),
            known_names=self.known_names,
        )

    def _program(self) -> Program:
        entry = FunctionEntry(self.target.module, self.target.path, self.target.function or "")
        return Program("python", self.target.source, entry=entry, environment=self.environment)

    def _run(self, cases: Sequence[CallCase], limits: Limits | None = None) -> tuple[CaseReport, ...]:
        program = self._program()
        # A container each: they run at the same time.
        tasks = [partial(self.sandbox.run, program, [case], limits or self.limits) for case in cases]
        return tuple(case for report in side_by_side(self.sandbox, tasks) for case in report.cases)


def _only_outcome(report: CaseReport) -> CallOutcome | str:
    if report.verdict is Verdict.ACCEPTED and len(report.outcomes) == 1:
        return report.outcomes[0]
    return f"the original fails on it: {scrub(report.detail, 200)}"


def _kept(tried: Sequence[_Tried]) -> int:
    return sum(each.kept is not None for each in tried)


def _better_told(tried: _Tried, again: _Tried) -> _Tried:
    return replace(tried, reason=again.reason) if tried.is_unstable and again.is_unstable else tried


_PLAIN = (["float"], ["int"], ["text"], ["bytes"])  # tags of what is one value
_BY_CLASS = "the class of an object that it is given changes it when it is copied (`__setstate__`, `__getstate__`, …)"


def _objection(call: FoundCall, outcome: CallOutcome) -> str | None:
    """Why a call cannot be used although it ran; None if it can."""
    tree = _tree(outcome.encoded)
    if tree is None:
        return "its outcome cannot be read"
    if (opaque := _opaque(tree)) is not None:
        return f"its outcome cannot be compared ({opaque})"
    if call.ending == "returned" and tree[2][0] == "raised":
        return "it raises when it is repeated: it depends on state that was set elsewhere"
    if call.did is not None and call.ending == "returned":
        return _otherwise(call.did, tree)
    return None


def _otherwise(did: ChangedCopy, tree: list[Any]) -> str | None:
    """What speaks against a call whose copy may be something else: that it does something else, or that none can tell.

    A number, a text or nothing as a result says little: then both must have changed what they were given, or neither.
    """
    match _parsed(did.returned), _parsed(did.copy):
        case ["outcome", ["returned", value] as returned], copied:
            is_same = same(returned, tree[2])
            says_little = not isinstance(value, list) or value[:1] in _PLAIN
            if is_same and says_little and did.has_changed is not None and isinstance(copied, list):
                copy = copied[1:]
                is_same = did.has_changed == (not same(copy, tree[3:5]))
            return None if is_same else f"its copy does something else: {_BY_CLASS}"
        case _:
            return (
                None if did.is_same else f"what it did cannot be told, and its copy may do something else: {_BY_CLASS}"
            )


def _parsed(text: str | None) -> Any:
    try:
        return json.loads(text or "null")
    except (ValueError, RecursionError):
        return None


def _tree(encoded: bytes) -> list[Any] | None:
    """The tagged tree of `sandbox/driver/value_encoder.py`, if it is an outcome."""
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
